/* The degree exponent: a(u,w) / (d_u d_w)^x by a factor a node. Entries, products, shifts and
 * sweeps against a dense computation; everything that reads links against stored weights. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/run.h>

#include "dense.h"
#include "failing.h"
#include "method/model.h"
#include "operator/chunks.h"
#include "operator/operator.h"
#include "queries.h"
#include "sample/sampled_graph.h"
#include "solve/solution.h"

enum { N = 60, M = 150, COLUMNS = 5 };

static const double exponents[] = {0.1, 0.25, 0.5};
enum { EXPONENTS = 3 };

static cafe_sampled *sample(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                            double x) {
    cafe_sample_options o;
    cafe_sample_inputs inputs;
    cafe_sampled *sampled = NULL;
    float attributes[N];
    for (int u = 0; u < N; u++) attributes[u] = (float)(u % 5) / 4;
    cafe_sample_options_init(&o);
    cafe_sample_inputs_init(&inputs);
    if (sampling == CAFE_SAMPLING_WALK) o.window = 3;
    if (sampling == CAFE_SAMPLING_TWISTED) {
        o.measure = CAFE_MEASURE_DOT;
        inputs.attributes = attributes, inputs.width = 1;
    }
    o.degree_exponent = x;
    TEST_OK(context, cafe_sample(context, graph, sampling, &o, &inputs, &sampled));
    return sampled;
}

static cafe_sampled *sample_links(cafe_context *context, const cafe_graph *graph, double x) {
    cafe_sample_options o;
    cafe_sampled *sampled = NULL;
    cafe_sample_options_init(&o);
    o.degree_exponent = x;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &o, NULL, &sampled));
    return sampled;
}

/* ---- the distribution ------------------------------------------------------------------------ */

/* P' and p' of a sampled graph, in double precision from the definition; n x n and n. */
static double *dense_pairs(const cafe_sampled *plain, double x, double *p) {
    int64_t n = cafe_sampled_nodes(plain);
    double total = 0, *pair = calloc((size_t)(n * n), sizeof *pair);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            double ends = cafe_sampled_node(plain, u) * cafe_sampled_node(plain, w);
            if (ends > 0) pair[u * n + w] = cafe_sampled_pair(plain, u, w) / pow(ends, x);
            total += pair[u * n + w];
        }
    for (int64_t u = 0; u < n; u++) p[u] = 0;
    for (int64_t i = 0; i < n * n; i++) p[i / n] += pair[i] /= total;
    return pair;
}

static void check_pairs(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                        double x) {
    cafe_sampled *plain = sample(context, graph, sampling, 0);
    cafe_sampled *even = sample(context, graph, sampling, x);
    double p[N], *pair = dense_pairs(plain, x, p);
    assert_true(cafe_sampled_get_info(plain)->degree_exponent == 0);
    assert_true(cafe_sampled_get_info(even)->degree_exponent == x);
    for (int64_t u = 0; u < N; u++) {
        double row = 0;
        for (int64_t w = 0; w < N; w++) {
            double found = cafe_sampled_pair(even, u, w), wanted = pair[u * N + w];
            assert_true(fabs(found - wanted) <= 1e-6 * wanted);
            assert_true(found == cafe_sampled_pair(even, w, u));
            row += found;
        }
        assert_float_equal(cafe_sampled_node(even, u), row, 1e-12);
        assert_float_equal(row, p[u], 1e-6 * p[u]);
    }
    free(pair);
    cafe_sampled_free(plain);
    cafe_sampled_free(even);
}

/* Of a large graph without weights most factors are looked up by degree: they are those of the
 * formula, p_u n as the plain sampling has it. One node has more links than are looked up. */
static void factors_are_those_of_the_formula(void **state) {
    (void)state;
    enum { NODES = 40000, LINKS = 80000, HUB = 17000 };
    cafe_context *context = test_context(2, 7);
    test_links l = test_random_links(NODES, LINKS, 0, 3);
    for (int32_t i = 0; i < HUB; i++) l.source[i] = 1, l.target[i] = 2 + i;
    cafe_graph *graph = test_graph(context, NODES, &l, 0, NULL);
    cafe_sampled *plain = sample_links(context, graph, 0);
    for (int i = 0; i < EXPONENTS; i++) {
        double x = exponents[i];
        cafe_sampled *even = sample_links(context, graph, x);
        for (int64_t u = 0; u < NODES; u++) {
            double share = cafe_sampled_node(plain, u) * NODES;
            double power = x == 0.5 ? sqrt(share) : pow(share, x);
            assert_true(even->factor[u] == (float)(share > 0 ? 1 / power : 1));
        }
        cafe_sampled_free(even);
    }
    cafe_sampled_free(plain);
    cafe_graph_free(graph);
    cafe_context_free(context);
    test_links_free(&l);
}

/* Odd seeds have weights, two of four loops; every seventh node is isolated. */
static void pairs_are_as_defined(void **state) {
    (void)state;
    static const cafe_sampling samplings[] = {CAFE_SAMPLING_EDGE, CAFE_SAMPLING_WALK,
                                              CAFE_SAMPLING_PAGERANK, CAFE_SAMPLING_TWISTED};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int i = 0; i < 4; i++)
            for (int x = 0; x < EXPONENTS; x++) {
                cafe_context *context = test_context((int32_t)seed, 1);
                cafe_graph *graph = test_random(context, N, M, seed & 1, (seed & 2) != 0, seed);
                check_pairs(context, graph, samplings[i], exponents[x]);
                cafe_graph_free(graph);
                cafe_context_free(context);
            }
}

/* ---- the operator ---------------------------------------------------------------------------- */

/* What is compared with: weights, loops and isolated nodes; Q' in double precision. */
typedef struct problem {
    test_problem t;
    double *q, p[N];
} problem;

static problem open_problem(uint64_t seed, double x) {
    problem a = {.t = {.context = test_context(2, 1)}};
    cafe_context *context = a.t.context;
    a.t.graph = test_random(context, N, M, seed & 1, 1, seed);
    cafe_sampled *plain = sample(context, a.t.graph, CAFE_SAMPLING_EDGE, 0);
    a.q = dense_pairs(plain, x, a.p);
    for (int64_t i = 0; i < N * N; i++) a.q[i] -= a.p[i / N] * a.p[i % N];
    cafe_sampled_free(plain);
    a.t.sampled = sample(context, a.t.graph, CAFE_SAMPLING_EDGE, x);
    TEST_OK(context, cafe_operator_modularity(context, a.t.sampled, &a.t.op));
    return a;
}

static void close_problem(problem *a) {
    free(a->q);
    test_close(&a->t);
}

static void check_products(const problem *a) {
    cafe_context *context = a->t.context;
    float *x = test_block(N, COLUMNS, 3), y[N * COLUMNS];
    double row[N], exact[N], wide[N * COLUMNS], result[N * COLUMNS], trace;
    for (int64_t u = 0; u < N; u++) {
        TEST_OK(context, cafe_operator_row(context, a->t.op, u, row));
        for (int64_t w = 0; w < N; w++) assert_float_equal(row[w], a->q[u * N + w], 1e-8);
    }
    TEST_OK(context, cafe_operator_product(context, a->t.op, COLUMNS, x, y));
    for (int i = 0; i < N * COLUMNS; i++) wide[i] = x[i];
    TEST_OK(context, cafe_operator_exact(context, &a->t.op->parts, COLUMNS, wide, result));
    for (int64_t k = 0; k < COLUMNS; k++) {
        test_dense_times(N, a->q, x, COLUMNS, k, exact);
        for (int64_t u = 0; u < N; u++) {
            assert_float_equal(y[u * COLUMNS + k], exact[u], 1e-7);
            assert_float_equal(result[u * COLUMNS + k], exact[u], 1e-8);
        }
    }
    TEST_OK(context, test_trace(context, a->t.op, COLUMNS, x, &trace));
    assert_float_equal(trace, test_dense_trace(N, a->q, x, COLUMNS), 1e-6);
    free(x);
}

/* c_u = a_u + p_u (P_C - p_u) with the links inside the chunk as Q' has them. */
static void check_shifts(const problem *a, int64_t count) {
    const cafe_operator_parts *q = &a->t.op->parts;
    cafe_chunks *chunks = NULL;
    TEST_OK(a->t.context, cafe_chunks_new(a->t.context, a->t.op, NULL, 0, count, 4, &chunks));
    for (int64_t u = 0; u < N; u++) {
        double shift = 0;
        if (!(a->p[u] > 0)) continue;
        for (int64_t w = 0; w < N; w++)
            if (w != u && w % count == u % count) shift += a->q[u * N + w] + 2 * a->p[u] * a->p[w];
        double found = a->p[u] * cafe_chunk_shift(q, chunks, 1, u % count, u / count, u);
        assert_float_equal(found, shift, 1e-8);
    }
    cafe_chunks_free(chunks);
}

static void check_sweeps(const problem *a, int64_t chunks) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    float h[N * COLUMNS];
    cafe_sphere_options_init(&o);
    o.columns = COLUMNS, o.chunks = chunks, o.sweeps = 12, o.tolerance = 0;
    TEST_OK(a->t.context, cafe_sphere(a->t.context, a->t.op, &o, NULL, &solution));
    const double *objective = cafe_solution_get(solution)->objective;
    int64_t sweeps = cafe_solution_get(solution)->sweeps;
    for (int64_t i = 0; i < sweeps; i++) assert_true(objective[i + 1] >= objective[i] - 1e-8);
    assert_true(objective[sweeps] > objective[0] + 1e-3);
    TEST_OK(a->t.context, cafe_solution_copy(solution, h));
    assert_float_equal(objective[sweeps], test_dense_trace(N, a->q, h, COLUMNS), 1e-6);
    cafe_solution_free(solution);
}

static void the_operator_is_as_defined(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int x = 0; x < EXPONENTS; x++) {
            problem a = open_problem(seed, exponents[x]);
            check_products(&a);
            for (int64_t chunks = 1; chunks <= 9; chunks += 4) {
                check_shifts(&a, chunks);
                check_sweeps(&a, chunks);
            }
            close_problem(&a);
        }
}

/* ---- as if the weights were stored ----------------------------------------------------------- */

/* The graph whose weights are a(u,w) f_u f_w, in single precision as --balance once stored them. */
static cafe_graph *stored(cafe_context *context, const cafe_graph *graph, double x) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph *made = NULL;
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t n = cafe_graph_nodes(graph);
    float *own = malloc((size_t)offsets[n] * sizeof *own), *f = calloc((size_t)n, sizeof *f);
    double *degree = calloc((size_t)n, sizeof *degree), total = 0;
    for (int64_t u = 0; u < n; u++) {
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) degree[u] += weights ? weights[j] : 1;
        total += degree[u];
    }
    for (int64_t u = 0; u < n; u++) {
        double share = degree[u] / total * (double)n;
        f[u] = (float)(1 / (x == 0.5 ? sqrt(share) : pow(share, x)));
    }
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            own[j] = (float)((weights ? weights[j] : 1) * ((double)f[u] * f[targets[j]]));
    TEST_OK(context, cafe_graph_from_csr(context, n, offsets, targets, own, 0, &options, &made));
    free(own), free(f), free(degree);
    return made;
}

/* The exponent and any number of threads on one side, stored weights and one thread on the other.
 */
typedef struct side {
    test_problem t;
    cafe_sample_options sample;
} side;

static void open_sides(int64_t nodes, int64_t links, bool weighted, double x, int32_t threads,
                       side s[2]) {
    for (int i = 0; i < 2; i++) {
        cafe_context *context = test_context(i ? 1 : threads, 5);
        cafe_graph *graph = test_random(context, nodes, links, weighted, 1, 9);
        s[i] = (side){.t = {.context = context, .graph = i ? stored(context, graph, x) : graph}};
        if (i) cafe_graph_free(graph);
        cafe_sample_options_init(&s[i].sample);
        s[i].sample.degree_exponent = i ? 0 : x;
        TEST_OK(context, cafe_sample(context, s[i].t.graph, CAFE_SAMPLING_EDGE, &s[i].sample, NULL,
                                     &s[i].t.sampled));
        TEST_OK(context, cafe_operator_modularity(context, s[i].t.sampled, &s[i].t.op));
    }
    for (int64_t u = 0; u < nodes; u++)
        assert_true(cafe_sampled_node(s[0].t.sampled, u) == cafe_sampled_node(s[1].t.sampled, u));
}

static void close_sides(side s[2]) {
    test_close(&s[0].t);
    test_close(&s[1].t);
}

/* A method with six columns, where it has columns. */
static cafe_method_options method_options(side *s, const cafe_option_table *table, const char *rows,
                                          void *own) {
    cafe_method_options o;
    cafe_method_options_init(&o);
    cafe_options_init(table, own, table->struct_size);
    if (cafe_method_columns(table, own) > 0)
        TEST_OK(s->t.context, cafe_options_set(s->t.context, table, own, "columns", "6"));
    if (rows) TEST_OK(s->t.context, cafe_options_set(s->t.context, table, own, "rows", rows));
    o.own = own;
    o.sample = &s->sample;
    return o;
}

static void same_vectors(side s[2], const char *name) {
    const cafe_method *method = cafe_method_find(s->t.context, name);
    max_align_t own[32];
    float *rows[2];
    int64_t columns[2];
    for (int i = 0; i < 2; i++) {
        cafe_embedding *found = NULL;
        cafe_method_options o = method_options(&s[i], method->vectors(), NULL, own);
        if (strcmp(name, "sphere") == 0) /* the hub part sees the graph itself */
            TEST_OK(s[i].t.context, cafe_options_set(s[i].t.context, method->vectors(), own,
                                                     "columns-from", "top"));
        TEST_OK(s[i].t.context, cafe_embed(s[i].t.context, s[i].t.graph, method, &o, NULL, &found));
        columns[i] = cafe_embedding_certificate(found)->columns;
        rows[i] = malloc((size_t)(cafe_embedding_certificate(found)->nodes * columns[i] + 1) *
                         sizeof(float));
        cafe_embedding_copy(found, rows[i]);
        cafe_embedding_free(found);
    }
    assert_int_equal(columns[0], columns[1]);
    assert_true(columns[0] > 0);
    assert_memory_equal(rows[0], rows[1], (size_t)(s->t.op->n * columns[0]) * sizeof(float));
    free(rows[0]), free(rows[1]);
}

static void same_communities(side s[2], const char *name, const char *rows) {
    const cafe_method *method = cafe_method_find(s->t.context, name);
    max_align_t own[32];
    cafe_clustering *found[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        cafe_method_options o = method_options(&s[i], method->communities(), rows, own);
        TEST_OK(s[i].t.context,
                cafe_cluster(s[i].t.context, s[i].t.graph, method, &o, NULL, &found[i]));
    }
    const cafe_clustering_info *a = cafe_clustering_get(found[0]),
                               *b = cafe_clustering_get(found[1]);
    assert_memory_equal(a->partition, b->partition, (size_t)a->nodes * sizeof *a->partition);
    assert_true(a->modularity == b->modularity);
    cafe_clustering_free(found[0]), cafe_clustering_free(found[1]);
}

/* Cards, bounds, covariances of sets, PageRank: what else reads links. */
enum { FIGURES = 12, SETS = 3 };
typedef struct figures {
    double card[FIGURES], covariance[SETS * SETS], pagerank[N], relative[N];
} figures;

static void find_cards(const side *s, const int32_t *part, double *card) {
    cafe_context *context = s->t.context;
    float *x = test_block(N, COLUMNS, 3);
    cafe_explanation *e = NULL;
    cafe_node_card node;
    cafe_community_card community;
    cafe_ceiling ceiling;
    cafe_ceiling_options quick;
    cafe_ceiling_options_init(&quick);
    quick.work = 0.01;
    TEST_OK(context, cafe_explain(context, s->t.op, COLUMNS, x, part, NULL, &e));
    TEST_OK(context, cafe_explain_node(context, e, 4, &node));
    TEST_OK(context, cafe_explain_community(context, e, 1, &community));
    TEST_OK(context, cafe_ceiling_find(context, s->t.op, part, &quick, &ceiling));
    assert_true(node.linked > 0 && community.nearest_count > 0);
    const double all[FIGURES] = {node.total,       node.own,
                                 node.linked_pull, node.linked_push,
                                 node.attachment,  node.second_attachment,
                                 community.inside, community.nearest[0].value,
                                 ceiling.pairs,    ceiling.spectral,
                                 ceiling.dual,     ceiling.witness};
    memcpy(card, all, sizeof all);
    cafe_explanation_free(e);
    free(x);
}

static figures find_figures(const side *s) {
    cafe_context *context = s->t.context;
    figures f;
    int32_t part[N];
    uint8_t member[N];
    cafe_pagerank_report report;
    for (int u = 0; u < N; u++) part[u] = u / 2 % SETS, member[u] = u % 4 == 0;
    find_cards(s, part, f.card);
    TEST_OK(context, test_covariance(context, s->t.op, part, SETS, f.covariance));
    TEST_OK(context, cafe_rank_pagerank(context, s->t.sampled, NULL, member, f.pagerank, &report));
    TEST_OK(context, cafe_rank_relative(context, s->t.sampled, member, f.relative));
    return f;
}

static void all_is_as_with_stored_weights(void **state) {
    (void)state;
    static const char *const vectors[] = {"sphere", "cafe", "layers"};
    side s[2];
    for (int x = 0; x < EXPONENTS; x++)
        for (int weighted = 0; weighted < 2; weighted++) {
            open_sides(N, M, weighted, exponents[x], 3, s);
            for (int i = 0; i < 3; i++) same_vectors(s, vectors[i]);
            same_communities(s, "layers", NULL);
            same_communities(s, "softmax", "dense");
            same_communities(s, "softmax", "sparse");
            figures a = find_figures(&s[0]), b = find_figures(&s[1]);
            assert_memory_equal(&a, &b, sizeof a);
            close_sides(s);
        }
}

/* Chunks of many nodes, rows longer than the lists of a sum. */
static void so_it_is_in_chunks_and_by_threads(void **state) {
    (void)state;
    side s[2];
    for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
        open_sides(6000, 24000, threads & 1, 0.25, threads, s);
        same_vectors(s, "sphere");
        if (threads == 3) same_communities(s, "softmax", "sparse");
        close_sides(s);
    }
}

/* ---- later: placing and updating ------------------------------------------------------------- */

/* Rows of length 1, as sphere leaves them. */
static void unit_rows(float *rows) {
    for (int u = 0; u < N; u++) {
        double square = 0;
        for (int k = 0; k < COLUMNS; k++)
            square += (double)rows[u * COLUMNS + k] * rows[u * COLUMNS + k];
        for (int k = 0; k < COLUMNS; k++) rows[u * COLUMNS + k] /= (float)sqrt(square);
    }
}

/* (sum / d - s) / rho, and normalise(sum / d - (2m s + sum) / (2m + 2 d)), column k. */
static void expect_placed(const problem *a, cafe_place_form form, const float *h, const double *sum,
                          double d, double total, double *row) {
    double y[N], square = 0;
    for (int k = 0; k < COLUMNS; k++) {
        double s = 0, top = 0, bottom = 0;
        test_dense_times(N, a->q, h, COLUMNS, k, y);
        for (int u = 0; u < N; u++) {
            double x = h[u * COLUMNS + k];
            s += a->p[u] * x, top += x * y[u], bottom += a->p[u] * x * x;
        }
        row[k] = form == CAFE_PLACE_WALK ? (sum[k] / d - s) / (top / bottom)
                                         : sum[k] / d - (total * s + sum[k]) / (total + 2 * d);
        square += row[k] * row[k];
    }
    for (int k = 0; k < COLUMNS && form == CAFE_PLACE_RAW; k++) row[k] /= sqrt(square);
}

static void placed_rows_know_the_exponent(void **state) {
    (void)state;
    static const int64_t offsets[] = {0, 3};
    static const int32_t targets[] = {3, 10, 22};
    static const float weights[] = {1, 2, 0.5f};
    static const cafe_place_form forms[] = {CAFE_PLACE_WALK, CAFE_PLACE_RAW};
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int x = 0; x < EXPONENTS; x++) {
            problem a = open_problem(seed, exponents[x]), plain = open_problem(seed, 0);
            cafe_context *context = a.t.context;
            cafe_place_options o;
            cafe_new_links *links = NULL;
            cafe_graph_counts counts = *cafe_graph_get_counts(a.t.graph);
            double unit = N / (counts.total_weight), degree = 0, d = 0, sum[COLUMNS] = {0};
            double row[COLUMNS], total = 0;
            float *h = test_block(N, COLUMNS, 3), placed[COLUMNS];
            unit_rows(h);
            for (int i = 0; i < 3; i++) degree += weights[i];
            for (int i = 0; i < 3; i++) {
                double f = pow(plain.p[targets[i]] * N * (degree * unit), -exponents[x]);
                for (int k = 0; k < COLUMNS; k++)
                    sum[k] += weights[i] * f * h[targets[i] * COLUMNS + k];
                d += weights[i] * f;
            }
            for (int64_t i = 0; i < N * N; i++) {
                double both = plain.p[i / N] * plain.p[i % N];
                if (both > 0)
                    total += (plain.q[i] + both) * counts.total_weight *
                             pow(both * N * N, -exponents[x]);
            }
            TEST_OK(context, cafe_new_links_from_csr(context, a.t.graph, 1, offsets, targets,
                                                     weights, &links));
            cafe_place_options_init(&o);
            o.degree_exponent = exponents[x];
            for (int i = 0; i < 2; i++) {
                double bound = 0, times = forms[i] == CAFE_PLACE_RAW ? 0.5 : 2;
                o.form = forms[i]; /* rows of length 1 are raw ones: those of the walk are longer */
                for (int64_t j = 0; j < N * COLUMNS; j++) h[j] *= (float)times;
                for (int k = 0; k < COLUMNS; k++) sum[k] *= times;
                TEST_OK(context,
                        cafe_place_nodes(context, a.t.graph, COLUMNS, h, links, &o, placed));
                TEST_OK(context, cafe_place_bound(context, a.t.graph, COLUMNS, h, links, &o, placed,
                                                  &bound));
                expect_placed(&a, forms[i], h, sum, d, total, row);
                for (int k = 0; k < COLUMNS; k++)
                    assert_float_equal(placed[k], row[k], 1e-5 * (1 + fabs(row[k])));
                assert_true(isinf(bound));
            }
            free(h);
            cafe_new_links_free(links);
            close_problem(&a), close_problem(&plain);
        }
}

/* The objective is that of Q' before and after, and everybody whom the change reaches is swept:
 * also those whose links weigh something else now since a neighbour's degree changed. */
static void updates_know_the_exponent(void **state) {
    (void)state;
    static const int32_t source[] = {0}, target[] = {3};
    for (int x = 0; x < EXPONENTS; x++) {
        problem a = open_problem(1, exponents[x]);
        cafe_context *context = a.t.context;
        cafe_update_options o;
        cafe_changes *changes = NULL;
        cafe_updated *updated = NULL;
        float *h = test_block(N, COLUMNS, 3), now[N * COLUMNS];
        double p[N], *q;
        unit_rows(h);
        TEST_OK(context, cafe_changes_from_edges(context, a.t.graph, N, 1, source, target, NULL,
                                                 NULL, &changes));
        cafe_update_options_init(&o);
        o.degree_exponent = exponents[x], o.align = 0, o.spread = 0, o.sweeps = 1;
        TEST_OK(context, cafe_update(context, changes, COLUMNS, h, &o, &updated));
        cafe_updated_copy(updated, now);
        cafe_sampled *plain = sample(context, cafe_changes_graph(changes), CAFE_SAMPLING_EDGE, 0);
        q = dense_pairs(plain, exponents[x], p);
        for (int64_t i = 0; i < N * N; i++) q[i] -= p[i / N] * p[i % N];
        const cafe_update_report *r = cafe_updated_get(updated);
        assert_int_equal(r->rounds, 1);
        assert_float_equal(r->objective[0], test_dense_trace(N, q, h, COLUMNS), 1e-6);
        assert_float_equal(r->objective[1], test_dense_trace(N, q, now, COLUMNS), 1e-6);
        assert_true(r->objective[1] > r->objective[0]);
        int64_t reached = 0;
        for (int w = 0; w < N; w++)
            reached += w == 0 || w == 3 || cafe_sampled_pair(plain, 0, w) > 0 ||
                       cafe_sampled_pair(plain, 3, w) > 0;
        assert_true(reached > 4 && r->swept >= reached);
        free(q), free(h);
        cafe_sampled_free(plain);
        cafe_updated_free(updated);
        cafe_changes_free(changes);
        close_problem(&a);
    }
}

/* ---- defaults -------------------------------------------------------------------------------- */

static double exponent_of(cafe_context *context, const cafe_graph *graph, const cafe_method *method,
                          int32_t sampling, const cafe_sample_options *sample) {
    cafe_method_options o;
    cafe_model *model = NULL;
    cafe_method_options_init(&o);
    o.sampling = sampling, o.sample = sample;
    TEST_OK(context, cafe_model_create(context, graph, method, &o, NULL, &model));
    double x = cafe_sampled_get_info(cafe_model_sampled(model))->degree_exponent;
    cafe_model_free(model);
    return x;
}

/* Unless another is asked for: NULL options, default options, any sampling. */
static void methods_have_their_own(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    const cafe_option *option = NULL;
    const cafe_option_table *table = cafe_sample_option_table();
    cafe_sample_options o;
    size_t count;
    char text[64];
    cafe_sample_options_init(&o);
    const cafe_method *const *methods = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++) {
        const cafe_method *method = methods[i];
        assert_true(method->degree_exponent >= 0 && method->degree_exponent <= 0.5);
        assert_true(exponent_of(context, graph, method, 0, NULL) == method->degree_exponent);
        if (!(method->takes & CAFE_TAKES_SAMPLING)) continue;
        for (int32_t sampling = 0; sampling < 3; sampling++) {
            o.degree_exponent = -1;
            assert_true(exponent_of(context, graph, method, sampling, &o) ==
                        method->degree_exponent);
            o.degree_exponent = 0.125;
            assert_true(exponent_of(context, graph, method, sampling, &o) == 0.125);
            o.degree_exponent = 0;
            assert_true(exponent_of(context, graph, method, sampling, &o) == 0);
        }
    }
    cafe_sampled *plain = NULL;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &plain));
    assert_true(cafe_sampled_get_info(plain)->degree_exponent == 0);
    /* the help text says what sphere's is */
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, "degree-exponent") == 0) option = &table->options[i];
    snprintf(text, sizeof text, "%g for sphere", cafe_method_find(NULL, "sphere")->degree_exponent);
    assert_non_null(strstr(option->help, text));
    cafe_sampled_free(plain);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- refusals and failures ------------------------------------------------------------------- */

static void other_exponents_are_refused(void **state) {
    (void)state;
    static const double wrong[] = {-0.25, -2, -1e-9, 0.5001, 1, NAN, INFINITY};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_sample_options o;
    cafe_sampled *sampled = NULL;
    cafe_sample_options_init(&o);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.degree_exponent = wrong[i];
        assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &o, NULL, &sampled),
                         CAFE_ERROR_ARGUMENT);
        assert_null(sampled);
        assert_non_null(
            strstr(cafe_error(context), "‘degree-exponent’ takes a number from 0 to 0.5"));
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    cafe_sample_options o;
    cafe_sample_options_init(&o);
    o.degree_exponent = 0.5;
    for (long k = 0;; k++) {
        cafe_sampled *sampled = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL, &sampled);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_sampled_free(sampled);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_as_defined),
        cmocka_unit_test(factors_are_those_of_the_formula),
        cmocka_unit_test(the_operator_is_as_defined),
        cmocka_unit_test(all_is_as_with_stored_weights),
        cmocka_unit_test(so_it_is_in_chunks_and_by_threads),
        cmocka_unit_test(placed_rows_know_the_exponent),
        cmocka_unit_test(updates_know_the_exponent),
        cmocka_unit_test(methods_have_their_own),
        cmocka_unit_test(other_exponents_are_refused),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
