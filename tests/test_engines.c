/* Parity: one list of tests that runs on every engine found (or on the one that the environment
 * variable CAFE_TEST_ENGINE names), each operation against its definition and against the
 * processor.
 *
 * What the contract of bits covers (copies, starts, products, sums, sweeps) must be equal bit for
 * bit. Gram matrices and what follows from them must agree to the bounds given where they are used.
 */
#include <stdio.h>

#include <cafe-private/team.h>

#include "dense.h"
#include "engine/engine.h"
#include "failing.h"
#include "graph/edge_weight.h"
#include "operator/operator.h"
#include "sample/sampled_graph.h"
#include "solve/solution.h"

/* ---- engines and problems -------------------------------------------------------------------- */

enum { MOST_ENGINES = 16 };
static char engines[MOST_ENGINES][CAFE_MOST_ENGINE_NAME];
static int count_engines;

/* A graph with an operator on a context of its own, whose engine is the one of that name. */
typedef struct problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    int64_t n;
} problem;

static void ok(cafe_context *context, cafe_status status) {
    if (status != CAFE_OK) fail_msg("%s: %s", cafe_engine_name(context), cafe_error(context));
}

/* A hub with more links than the lists and pieces of a sum are long, weights and loops besides. */
static cafe_graph *hub(cafe_context *context) {
    enum { N = 6000, M = 24000 };
    test_links l = test_random_links(N, M, 1, 3);
    for (int64_t i = 0; i < M / 4; i++) l.source[i] = 5;
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    cafe_graph *graph = test_graph(context, N, &l, 1, &options);
    test_links_free(&l);
    return graph;
}

static cafe_graph *weighted(cafe_context *context) {
    return test_random(context, 150, 700, 1, 1, 11);
}

/* Graphs, and the degree exponents they are sampled with. */
typedef cafe_graph *maker(cafe_context *context);
typedef struct recipe {
    maker *make;
    double exponent;
} recipe;
static const recipe recipes[] = {{test_karate, 0}, {weighted, 0}, {weighted, 0.25}, {hub, 0.5}};
enum { RECIPES = 4, SMALL = 3 };

/* Of each process, where there are several: these share the machine. */
static int32_t threads(void) {
    const char *said = getenv("CAFE_TEST_THREADS");
    return said ? atoi(said) : 2;
}

static problem open_problem(const char *engine, recipe made, int64_t window) {
    problem p = {.context = test_context(threads(), 7)};
    ok(p.context, cafe_engine_open(p.context, engine));
    cafe_sample_options sample;
    cafe_sample_options_init(&sample);
    sample.degree_exponent = made.exponent;
    p.graph = made.make(p.context);
    ok(p.context,
       cafe_engine_sample(p.context, p.graph, CAFE_SAMPLING_EDGE, &sample, NULL, &p.sampled));
    ok(p.context, cafe_operator_walk(p.context, p.sampled, window, &p.op));
    p.n = p.op->n;
    return p;
}

/* Do several processes share the rows? */
static bool several(const problem *p) {
    int32_t rank, ranks;
    ok(p->context, cafe_engine_team(p->context, &rank, &ranks));
    return ranks > 1;
}

static void close_problem(problem *p) {
    cafe_operator_free(p->op);
    cafe_sampled_free(p->sampled);
    cafe_graph_free(p->graph);
    cafe_context_free(p->context);
}

/* Runs a test on every engine, beside the processor. Where several processes share the rows, they
 * share those of the last graph alone: the others are small, and one process's. */
typedef void parity(problem *here, problem *there);

/* test_parity.sh starts several, for this engine alone. */
static bool joins(const char *engine) {
    return getenv("CAFE_TEST_ENGINE") && strcmp(engine, "petsc") == 0;
}

static void on_every_engine(parity *test, int64_t graphs, int64_t window) {
#ifdef __SANITIZE_THREAD__ /* thousands of chunks would take minutes; test_sphere has such */
    if (graphs > SMALL) graphs = SMALL;
#endif
    for (int e = 0; e < count_engines; e++)
        for (int64_t g = 0; g < (joins(engines[e]) ? RECIPES : graphs); g++) {
            problem here = open_problem("processor", recipes[g], window);
            problem there = open_problem(engines[e], recipes[g], window);
            test(&here, &there);
            close_problem(&here);
            close_problem(&there);
        }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static float *numbers(int64_t count, uint64_t seed) {
    float *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)((double)(test_number(&seed) >> 11) * 0x1p-52 - 1);
    return x;
}

static cafe_part whole(const cafe_block *x) {
    return (cafe_part){0, x->n, 0, x->columns};
}

static cafe_block put(problem *p, int64_t columns, const float *from) {
    cafe_block x;
    ok(p->context, cafe_block_make(p->context, p->n, columns, &x));
    ok(p->context, cafe_ops(&x)->copy_in(p->context, &x, whole(&x), from, columns));
    return x;
}

static cafe_block put_random(problem *p, int64_t columns, uint64_t seed) {
    float *from = numbers(p->n * columns, seed);
    cafe_block x = put(p, columns, from);
    free(from);
    return x;
}

static float *get(problem *p, const cafe_block *x) {
    float *to = malloc((size_t)(x->n * x->columns + 1) * sizeof *to);
    ok(p->context, cafe_ops(x)->copy_out(p->context, x, whole(x), to, x->columns));
    return to;
}

static void same_bits(problem *here, const cafe_block *a, problem *there, const cafe_block *b) {
    assert_int_equal(a->columns, b->columns);
    float *x = get(here, a), *y = get(there, b);
    for (int64_t i = 0; i < a->n * a->columns; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0)
            fail_msg("%s: row %lld, column %lld is %.9g, expected %.9g",
                     cafe_engine_name(there->context), (long long)(i / a->columns),
                     (long long)(i % a->columns), y[i], x[i]);
    free(x), free(y);
}

static void same_double(double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%.17g is not %.17g", b, a);
}

static void drop(problem *p, cafe_block *x) {
    cafe_block_drop(p->context, x);
    assert_null(x->x);
    cafe_block_drop(p->context, x);
}

/* Under the thread sanitizer plain loops over many widths would take minutes. */
#ifdef __SANITIZE_THREAD__
static const int64_t widths[] = {7, 16};
enum { WIDTHS = 2 };
#else
static const int64_t widths[] = {1, 3, 4, 7, 8, 13, 16, 40, 130};
enum { WIDTHS = 9 };
#endif

/* ---- each operation -------------------------------------------------------------------------- */

/* Degrees are added up by the engine, and by the processor without being asked for one. */
static void degrees(problem *here, problem *there) {
    const cafe_sampled *a = here->sampled, *b = there->sampled;
    for (int64_t u = 0; u < here->n; u++) same_double(a->p[u], b->p[u]);
    same_double(a->total, b->total);
    assert_true((a->loops != NULL) == (b->loops != NULL));
    if (a->loops) assert_memory_equal(a->loops, b->loops, (size_t)here->n * sizeof *a->loops);
    const cafe_engine *engine = there->context->engine;
    assert_true((b->held.let_go != NULL) == (engine->ops->degrees != NULL && b->factor != NULL));
}

static void copies(problem *here, problem *there) {
    const cafe_engine_ops *ops;
    (void)here;
    for (int w = 0; w < WIDTHS; w++) {
        int64_t k = widths[w], n = there->n, kept[130], held = 0;
        float *from = numbers(n * k, 5), *part = numbers(10 * k, 6);
        cafe_block x = put(there, k, from), y = put_random(there, k + 2, 1);
        ops = cafe_ops(&x);
        float *back = get(there, &x);
        assert_memory_equal(back, from, (size_t)(n * k) * sizeof *from);
        free(back);
        /* a range of rows and columns in; the same columns into another block; a selection */
        cafe_part range = {3, 10, k / 2, k - k / 2};
        ok(there->context, ops->copy_in(there->context, &x, range, part, k));
        for (int64_t i = 0; i < 10; i++)
            for (int64_t j = 0; j < range.columns; j++)
                from[(3 + i) * k + range.column + j] = part[i * k + j];
        cafe_block right = cafe_block_columns(&x, range.column, range.columns);
        ok(there->context, ops->copy(there->context, &x, &y, 0));
        ok(there->context, ops->copy(there->context, &right, &y, 1));
        cafe_block seen = cafe_block_columns(&y, 1, range.columns);
        back = get(there, &seen);
        for (int64_t i = 0; i < n * range.columns; i++)
            assert_true(back[i] == from[i / range.columns * k + range.column + i % range.columns]);
        free(back);
        for (int64_t j = k % 2; j < k; j += 2) kept[held++] = j;
        if (held == 0) kept[held++] = 0;
        ok(there->context, ops->select(there->context, &x, held, kept));
        assert_int_equal(x.columns, held);
        assert_int_equal(x.stride, cafe_stride(held));
        back = get(there, &x);
        for (int64_t i = 0; i < n * held; i++)
            assert_true(back[i] == from[i / held * k + kept[i % held]]);
        free(back), free(from), free(part);
        drop(there, &x), drop(there, &y);
    }
}

/* A result comes as it is; a number in it that is not finite is an error, wherever it stands. */
static void results(problem *here, problem *there) {
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    (void)here;
    for (int i = 0; i < 4; i++) {
        int64_t k = widths[i % WIDTHS], n = there->n;
        float *from = numbers(n * k, 5);
        if (i < 3) from[11 * k + k / 2] = bad[i];
        if (i == 1) from[30 * k + k / 2] = -bad[i];
        cafe_block x = put(there, k, from);
        cafe_status status = cafe_block_keep(there->context, "the vectors", &x);
        assert_int_equal(status, i < 3 ? CAFE_ERROR_NUMERIC : CAFE_OK);
        if (i < 3 && !several(there))
            assert_string_equal(cafe_error(there->context), "the vectors: row 11 is not finite");
        for (int64_t u = 0; i == 3 && u < n; u++) {
            const float *row = cafe_block_row(&x, u);
            if (row) assert_memory_equal(row, from + u * k, (size_t)k * sizeof *row);
        }
        drop(there, &x);
        free(from);
    }
}

static void start_alike(problem *here, problem *there, int64_t columns, cafe_start start) {
    float *given = numbers(here->n * columns, 9);
    for (int64_t i = 0; i < here->n * columns; i++) {
        given[i] = fabsf(given[i]);
        if (i / columns == 4) given[i] = 0; /* is drawn */
    }
    cafe_block a = put(here, columns, given), b = put(there, columns, given);
    ok(here->context, cafe_ops(&a)->start(here->context, &a, &start));
    ok(there->context, cafe_ops(&b)->start(there->context, &b, &start));
    same_bits(here, &a, there, &b);
    float *x = get(there, &b);
    for (int64_t u = 0; u < here->n && start.kind != CAFE_START_NORMAL; u++) {
        double sum = 0;
        for (int64_t k = 0; k < columns; k++) {
            double value = x[u * columns + k];
            sum += start.kind == CAFE_START_SIMPLEX ? value : value * value;
        }
        assert_float_equal(sum, 1, 1e-5);
    }
    free(x), free(given);
    drop(here, &a), drop(there, &b);
}

/* A S by its definition: columns that no mark points to are 0. */
static void links_are_right(problem *here, int64_t columns, const cafe_start *start) {
    const cafe_operator_parts *a = &here->op->parts;
    cafe_block x = put_random(here, columns, 1);
    double *row = malloc((size_t)columns * sizeof *row);
    ok(here->context, cafe_ops(&x)->start(here->context, &x, start));
    float *h = get(here, &x);
    for (int64_t u = 0; u < here->n; u++) {
        double size = 0;
        for (int64_t k = 0; k < columns; k++) row[k] = 0;
        for (int64_t j = a->offsets[u]; j < a->offsets[u + 1]; j++) {
            int32_t mark = cafe_mark(start, a->targets[j]);
            row[mark < 0 ? ~mark : mark] += (mark < 0 ? -1 : 1) * (double)CAFE_LINK(a, u, j);
        }
        for (int64_t k = 0; k < columns; k++) size += row[k] * row[k];
        for (int64_t k = 0; k < columns && size > 1e-10; k++)
            assert_float_equal(h[u * columns + k], row[k] / sqrt(size), 1e-5);
    }
    free(h), free(row);
    drop(here, &x);
}

/* Marks in bytes on one side are those in words on the other. */
static void links_alike(problem *here, problem *there, int64_t columns, bool few) {
    int32_t *marks = malloc((size_t)here->n * sizeof *marks);
    int8_t *small = malloc((size_t)here->n);
    problem *sides[2] = {here, there};
    cafe_block x[2];
    for (int64_t u = 0; u < here->n; u++) marks[u] = (int32_t)(u * 7 % columns) ^ (u % 3 ? 0 : -1);
    for (int64_t u = 0; u < here->n; u++) small[u] = (int8_t)marks[u];
    for (int i = 0; i < 2; i++) {
        cafe_start start = {.kind = CAFE_START_LINKS, .seed = 3, .stream = 1};
        cafe_context *context = sides[i]->context;
        x[i] = put_random(sides[i], columns, 1);
        start.op = sides[i]->op, start.marks = marks;
        if (i == few && columns <= CAFE_SMALL_MARKS) start.marks = NULL, start.small = small;
        ok(context, cafe_engine_hold(context, &x[i], start.op, &start.held));
        ok(context, cafe_ops(&x[i])->start(context, &x[i], &start));
        if (i == 0) links_are_right(here, columns, &start);
    }
    same_bits(here, &x[0], there, &x[1]);
    drop(here, &x[0]), drop(there, &x[1]);
    free(marks), free(small);
}

static void starts(problem *here, problem *there) {
    int32_t *labels = malloc((size_t)here->n * sizeof *labels);
    for (int w = 0; w < WIDTHS; w++) {
        int64_t k = widths[w];
        for (int64_t u = 0; u < here->n; u++) labels[u] = u % 3 ? -1 : (int32_t)(u % k);
        for (int given = 0; given < 2; given++) {
            cafe_start unit = {.kind = CAFE_START_UNIT, .given = given, .seed = 3, .stream = 1};
            cafe_start drawn = {.kind = CAFE_START_SIMPLEX, .given = given, .seed = 3, .stream = 2};
            cafe_start labelled = drawn;
            labelled.labels = labels;
            start_alike(here, there, k, unit);
            start_alike(here, there, k, drawn);
            start_alike(here, there, k, labelled);
        }
        for (int few = 0; few < 2 && here->op->parts.offsets; few++)
            links_alike(here, there, k, few);
        cafe_start normal = {.kind = CAFE_START_NORMAL, .seed = 3, .stream = 5, .from = k / 2};
        normal.weights = here->op->parts.p;
        start_alike(here, there, k, normal);
    }
    free(labels);
}

/* y = a M x + b x + c y from the rows of Q in double precision. */
static void check_product(problem *p, cafe_side side, const float abc[3], int64_t columns,
                          const float *x, const float *before, const float *y) {
    double *row = malloc((size_t)p->n * sizeof *row);
    for (int64_t u = 0; u < p->n; u++) {
        double d = side == CAFE_SIDE_WALK ? p->op->parts.p[u] : 1;
        ok(p->context, cafe_operator_row(p->context, p->op, u, row));
        for (int64_t k = 0; k < columns; k++) {
            double sum = 0;
            for (int64_t w = 0; w < p->n; w++) sum += row[w] * x[w * columns + k];
            sum = abc[0] * (d > 0 ? sum / d : 0) + abc[1] * x[u * columns + k] +
                  abc[2] * before[u * columns + k];
            assert_float_equal(y[u * columns + k], sum, 1e-5);
        }
    }
    free(row);
}

static void products(problem *here, problem *there) {
    static const float factors[][3] = {{1, 0, 0}, {2, -0.5f, 0}, {-1, 0.25f, 3}, {1, 0, -1}};
    int ways = here->op->window > 1 ? 9 : 16; /* of walks, one that is negative is enough */
    for (int w = 0; w < WIDTHS; w++)
        for (int i = 0; i < ways; i++) {
            const float *f = factors[i % 4];
            int64_t k = widths[w];
            cafe_side side = i / 4 % 2 ? CAFE_SIDE_WALK : CAFE_SIDE_PLAIN;
            cafe_operator q[2] = {*here->op, *there->op};
            if (i / 8) q[0] = cafe_operator_negative(&q[0]), q[1] = cafe_operator_negative(&q[1]);
            cafe_block x[2] = {put_random(here, k, 1), put_random(there, k, 1)};
            cafe_block y[2] = {put_random(here, k, 2), put_random(there, k, 2)};
            float *before = get(there, &y[1]), *from = get(there, &x[1]);
            problem *sides[2] = {here, there};
            for (int s = 0; s < 2; s++)
                ok(sides[s]->context, cafe_block_product(sides[s]->context, &q[s], side, f[0],
                                                         &x[s], f[1], f[2], &y[s]));
            same_bits(here, &y[0], there, &y[1]);
            float *after = get(there, &y[1]);
            /* with the processor's bits it is right for every process where it is for one, and
             * under sanitizers where it is in the release */
            if (here->n <= 150 && i < 8 && here->op->window <= 1 && !several(there) &&
                !TEST_SANITIZED)
                check_product(there, side, f, k, from, before, after);
            free(before), free(after), free(from);
            for (int s = 0; s < 2; s++) drop(sides[s], &x[s]), drop(sides[s], &y[s]);
        }
}

/* Rows of a weight are those of the whole product, bit for bit. */
static void some_products(problem *here, problem *there) {
    int64_t k = 7, n = here->n;
    double *weights = calloc((size_t)n, sizeof *weights);
    for (int64_t u = 0; u < n; u += 3) weights[u] = 0.5;
    cafe_block x[2] = {put_random(here, k, 1), put_random(there, k, 1)};
    cafe_block y[2] = {put_random(here, k, 2), put_random(there, k, 2)};
    ok(here->context,
       cafe_block_product(here->context, here->op, CAFE_SIDE_WALK, 1, &x[0], 0, 0, &y[0]));
    ok(there->context,
       cafe_block_product_where(there->context, there->op, CAFE_SIDE_WALK, &x[1], weights, &y[1]));
    float *all = get(here, &y[0]), *some = get(there, &y[1]);
    for (int64_t u = 0; u < n; u += 3)
        assert_memory_equal(all + u * k, some + u * k, (size_t)k * sizeof *all);
    free(all), free(some), free(weights);
    for (int i = 0; i < 2; i++) drop(i ? there : here, &x[i]), drop(i ? there : here, &y[i]);
}

static void gram_is_right(problem *p, const cafe_block *a, const cafe_block *b,
                          const double *weights, bool single) {
    int64_t left = a->columns, k = left + (b ? b->columns : 0);
    double *g = malloc((size_t)(k * k) * sizeof *g), bound = single ? 1e-5 : 1e-12;
    float *x = get(p, a), *y = b ? get(p, b) : NULL;
    ok(p->context, cafe_ops(a)->gram(p->context, a, b, weights, single, g));
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0, size = 0;
            for (int64_t u = 0; u < p->n; u++) {
                double s = i < left ? x[u * left + i] : y[u * (k - left) + i - left];
                double t = j < left ? x[u * left + j] : y[u * (k - left) + j - left];
                sum += (weights ? weights[u] : 1) * s * t;
                size += (weights ? weights[u] : 1) * fabs(s * t);
            }
            assert_float_equal(g[i * k + j], sum, bound * size + 1e-300);
        }
    free(g), free(x), free(y);
}

static void grams(problem *here, problem *there) {
    double *some = malloc((size_t)there->n * sizeof *some);
    (void)here;
    for (int w = 0; w < WIDTHS - 1; w++) {
        cafe_block x = put_random(there, widths[w], 1), y = put_random(there, widths[w], 2);
        gram_is_right(there, &x, NULL, NULL, false);
        gram_is_right(there, &x, NULL, NULL, true);
        gram_is_right(there, &x, &y, there->op->parts.p, false);
        gram_is_right(there, &x, &y, there->op->parts.p, true);
        for (int64_t u = 0; u < there->n; u++) /* rows of weight 0, the last one too */
            some[u] = (u + there->n) % 3 ? 0 : there->op->parts.p[u];
        gram_is_right(there, &x, &y, some, true);
        gram_is_right(there, &x, NULL, some, false);
        int64_t first = widths[w] / 3;
        cafe_block part = cafe_block_columns(&x, first, widths[w] - first);
        gram_is_right(there, &part, NULL, there->op->parts.p, false);
        drop(there, &x), drop(there, &y);
    }
    free(some);
}

static void transforms(problem *here, problem *there) {
    (void)here;
    for (int w = 0; w < WIDTHS; w++)
        for (int form = 0; form < 4; form++) {
            bool chosen = form & 1, shifted = form & 2;
            int64_t k = widths[w], held = (k + 1) / 2, kept[130], inner = chosen ? held : k;
            double shift[130], *m = calloc((size_t)(k * held), sizeof *m);
            float *random = numbers(k * held, 4);
            for (int64_t j = 0; j < held; j++) kept[j] = 2 * j, shift[j] = 0.5 + (double)j;
            for (int64_t i = 0; i < inner * held; i++)
                if (!chosen || i / held <= i % held) m[i] = random[i];
            cafe_block x = put_random(there, k, 3);
            float *before = get(there, &x);
            ok(there->context,
               cafe_ops(&x)->transform(there->context, &x, held, m, chosen ? kept : NULL,
                                       shifted ? shift : NULL));
            assert_int_equal(x.columns, held);
            float *after = get(there, &x);
            for (int64_t i = 0; i < there->n * held; i++) {
                double sum = shifted ? -shift[i % held] : 0;
                for (int64_t j = 0; j < inner; j++)
                    sum += before[i / held * k + (chosen ? kept[j] : j)] * m[j * held + i % held];
                assert_float_equal(after[i], sum, 1e-6 + 1e-7 * fabs(sum));
            }
            free(before), free(after), free(m), free(random);
            drop(there, &x);
        }
}

static void rows_and_columns(problem *here, problem *there) {
    const double *p = here->op->parts.p;
    for (int w = 0; w < WIDTHS; w++) {
        int64_t k = widths[w];
        double a[130], b[130];
        cafe_block x = put_random(here, k, 3), y = put_random(there, k, 3);
        for (int weighed = 0; weighed < 2; weighed++) {
            const double *factors = weighed ? p : NULL;
            ok(here->context, cafe_ops(&x)->norms(here->context, &x, factors, a));
            ok(there->context, cafe_ops(&y)->norms(there->context, &y, factors, b));
            for (int64_t j = 0; j < k; j++) same_double(a[j], b[j]);
            ok(here->context, cafe_ops(&x)->totals(here->context, &x, factors, a));
            ok(there->context, cafe_ops(&y)->totals(there->context, &y, factors, b));
            for (int64_t j = 0; j < k; j++) same_double(a[j], b[j]);
        }
        ok(here->context, cafe_ops(&x)->scale(here->context, &x, p));
        ok(there->context, cafe_ops(&y)->scale(there->context, &y, p));
        same_bits(here, &x, there, &y);
        drop(here, &x), drop(there, &y);
    }
}

static void fixed_shapes(problem *here, problem *there) {
    const double *p = here->op->parts.p;
    for (int w = 0; w < WIDTHS; w++) {
        int64_t k = widths[w], stride = cafe_stride(k);
        double s[2][144], cross[2], own[2];
        problem *sides[2] = {here, there};
        for (int i = 0; i < 2; i++) {
            cafe_context *context = sides[i]->context;
            cafe_block x = put_random(sides[i], k, 3), y = put_random(sides[i], k, 4);
            void *held = NULL;
            ok(context, cafe_engine_hold(context, &x, sides[i]->op, &held));
            ok(context, cafe_ops(&x)->project(context, sides[i]->op, held, &x, s[i]));
            ok(context, cafe_ops(&x)->sums(context, &x, &y, p, p, k / 3, &cross[i], &own[i]));
            double alone, none;
            ok(context, cafe_ops(&x)->sums(context, &x, NULL, NULL, p, k / 3, &none, &alone));
            same_double(alone, own[i]);
            drop(sides[i], &x), drop(sides[i], &y);
        }
        for (int64_t j = 0; j < stride; j++) same_double(s[0][j], s[1][j]);
        same_double(cross[0], cross[1]);
        same_double(own[0], own[1]);
    }
}

/* The sweep is closed and goes on in another one, from the same rows and sums; without its sums, it
 * would not know them to the last bit. */
static void reopen(const cafe_operator *q, const cafe_rule *rule, int64_t chunks,
                   const uint8_t *fixed, cafe_block *h, cafe_context *context, void **sweep) {
    void *held = NULL;
    double *s = calloc((size_t)(q->parts.width * h->stride), sizeof *s);
    int64_t count = cafe_ops(h)->sweep_chunks(*sweep)->count;
    ok(context, cafe_ops(h)->sweep_sums(context, *sweep, false, s));
    cafe_ops(h)->sweep_close(context, *sweep);
    ok(context, cafe_engine_hold(context, h, q, &held));
    ok(context, cafe_ops(h)->sweep_open(context, q, held, rule, chunks, fixed, h, sweep));
    ok(context, cafe_ops(h)->sweep_sums(context, *sweep, true, s));
    assert_int_equal(cafe_ops(h)->sweep_chunks(*sweep)->count, count);
    free(s);
}

/* No number of the rows is lost when it is stored. */
static void is_rounded(problem *p, const cafe_block *h, int32_t storage) {
    float *x = get(p, h);
    for (int64_t i = 0; i < h->n * h->columns; i++)
        assert_true(cafe_unpack(storage, cafe_pack(storage, x[i])) == x[i]);
    free(x);
}

/* Three sweeps of a rule, one side stopped after each; the rows and the gains are equal bit for
 * bit. */
static void sweep_alike(problem *here, problem *there, bool negative, cafe_rule rule,
                        int64_t chunks, const uint8_t *fixed, int64_t columns) {
    problem *sides[2] = {here, there};
    cafe_operator q[2] = {*here->op, *there->op};
    cafe_block h[2];
    void *sweep[2] = {NULL, NULL};
    cafe_start start = {
        .kind = rule.kind == CAFE_RULE_SPHERE ? CAFE_START_UNIT : CAFE_START_SIMPLEX,
        .seed = 3,
        .stream = 1};
    for (int i = 0; i < 2; i++) {
        cafe_context *context = sides[i]->context;
        void *held = NULL;
        if (negative) q[i] = cafe_operator_negative(&q[i]);
        ok(context, cafe_block_make(context, here->n, columns, &h[i]));
        ok(context, cafe_ops(&h[i])->start(context, &h[i], &start));
        ok(context, cafe_engine_hold(context, &h[i], &q[i], &held));
        ok(context, cafe_ops(&h[i])->sweep_open(context, &q[i], held, &rule, chunks, fixed, &h[i],
                                                &sweep[i]));
    }
    for (int round = 0; round < 3; round++) {
        double gain[2];
        for (int i = 0; i < 2; i++)
            ok(sides[i]->context,
               cafe_ops(&h[i])->sweep_run(sides[i]->context, sweep[i], &gain[i]));
        same_bits(here, &h[0], there, &h[1]);
        same_double(gain[0], gain[1]);
        assert_true(gain[1] > (rule.storage == CAFE_STORAGE_FLOAT32 ? -1e-6 : -1e-2));
        if (rule.storage != CAFE_STORAGE_FLOAT32) is_rounded(here, &h[0], rule.storage);
        reopen(&q[1], &rule, chunks, fixed, &h[1], there->context, &sweep[1]);
    }
    for (int i = 0; i < 2; i++) {
        cafe_ops(&h[i])->sweep_close(sides[i]->context, sweep[i]);
        cafe_ops(&h[i])->sweep_close(sides[i]->context, NULL);
        drop(sides[i], &h[i]);
    }
}

static void sweeps(problem *here, problem *there) {
    double mean = here->op->parts.total / (double)here->n;
    const cafe_rule rules[] = {
        {CAFE_RULE_SPHERE, 0, 0, 0, 1, 0, 4},        {CAFE_RULE_SPHERE, 0.5, 0, 0, 1, 0, 4},
        {CAFE_RULE_SOFTMAX, 0, 5, mean, 1, 0, 4},    {CAFE_RULE_SOFTMAX, 0, 50, 0, 1, 0, 4},
        {CAFE_RULE_SOFTMAX, 0, 5, mean, 0.25, 0, 4}, {CAFE_RULE_SOFTMAX, 0, 50, 0, 300, 0, 4},
    };
    uint8_t *fixed = calloc((size_t)here->n, 1);
    for (int64_t u = 0; u < here->n; u += 5) fixed[u] = 1;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        int64_t chunks[] = {0, 1, 7, here->n};
        bool large = here->n > 1000;
        for (int c = 0; c < (large && several(there) ? 3 : 4); c++) {
            sweep_alike(here, there, false, rules[r], chunks[c], NULL, large ? 7 : 13);
            if (large) continue;
            sweep_alike(here, there, true, rules[r], chunks[c], NULL, 4);
            sweep_alike(here, there, false, rules[r], chunks[c], fixed, 130);
            for (int w = 0; w < WIDTHS; w++)
                sweep_alike(here, there, false, rules[r], chunks[c], NULL, widths[w]);
        }
    }
    free(fixed);
}

/* Rows of 16 bits. */
static void stored_sweeps(problem *here, problem *there) {
    double mean = here->op->parts.total / (double)here->n;
    static const int64_t columns[] = {3, 130};
    for (int32_t storage = CAFE_STORAGE_FLOAT16; storage <= CAFE_STORAGE_BFLOAT16; storage++) {
        const cafe_rule rules[] = {{CAFE_RULE_SPHERE, 0.5, 0, 0, 1, storage, 4},
                                   {CAFE_RULE_SOFTMAX, 0, 5, mean, 1, storage, 4}};
        for (int r = 0; r < 2; r++) {
            bool large = here->n > 1000;
            for (int w = 0; w < (large ? 1 : 2); w++)
                sweep_alike(here, there, false, rules[r], 7, NULL, columns[w]);
            if (!large) sweep_alike(here, there, true, rules[r], here->n, NULL, 13);
        }
    }
}

/* ---- whole runs ------------------------------------------------------------------------------ */

static void same_solution(problem *here, cafe_solution *a, problem *there, cafe_solution *b) {
    same_bits(here, &a->h, there, &b->h);
    assert_int_equal(a->sweeps, b->sweeps);
    for (int64_t i = 0; i <= a->sweeps; i++) same_double(a->objective[i], b->objective[i]);
    same_double(a->diagonal, b->diagonal);
}

/* Vectors of the same H agree to `bound` of a column's largest entry, values to 1e-6 of the first
 * one. Ritz vectors of close values may turn in their span, so only their values are compared. An
 * iteration that stops at a `residual` may stop anywhere below it. */
static void same_embedding(const cafe_embedding *a, const cafe_embedding *b, double bound,
                           double residual) {
    const cafe_certificate *c = cafe_embedding_certificate(a), *d = cafe_embedding_certificate(b);
    int64_t n = cafe_embedding_certificate(a)->nodes;
    assert_int_equal(c->columns, d->columns);
    assert_int_equal(c->pairs, d->pairs);
    assert_float_equal(c->effective_rank, d->effective_rank, 1e-4 * c->effective_rank);
    for (int64_t j = 0; j < c->pairs; j++) {
        double size = fabs(c->ritz_values[0]);
        assert_float_equal(c->ritz_values[j], d->ritz_values[j], 1e-6 * size);
        assert_float_equal(c->residuals[j], d->residuals[j], (1e-5 + residual / 2) * size);
    }
    for (int64_t j = 0; j < c->columns && !c->rotated; j++) {
        double largest = 0;
        for (int64_t u = 0; u < n; u++) largest = fmax(largest, fabsf(cafe_embedding_row(a, u)[j]));
        for (int64_t u = 0; u < n; u++) {
            const float *row = cafe_embedding_row(b, u); /* NULL: it is another process's */
            if (row) assert_float_equal(cafe_embedding_row(a, u)[j], row[j], bound * largest);
        }
    }
}

static void finish_alike(problem *here, problem *there, const cafe_sphere_options *sphere,
                         int32_t form, double residual) {
    problem *sides[2] = {here, there};
    cafe_solution *s[2] = {NULL, NULL};
    cafe_embedding *e[2] = {NULL, NULL};
    cafe_finish_options finish;
    cafe_finish_options_init(&finish);
    finish.form = form;
    finish.residual = residual;
    for (int i = 0; i < 2; i++)
        ok(sides[i]->context, cafe_sphere(sides[i]->context, sides[i]->op, sphere, NULL, &s[i]));
    same_solution(here, s[0], there, s[1]);
    for (int i = 0; i < 2; i++)
        ok(sides[i]->context, cafe_finish(sides[i]->context, sides[i]->op, &s[i], &finish, &e[i]));
    same_embedding(e[0], e[1], 1e-4, residual);
    cafe_embedding_free(e[0]), cafe_embedding_free(e[1]);
}

/* Every form at every end. Several processes, who meet at every chunk, do all forms at both ends
 * and one at each of the others. */
static void spheres(problem *here, problem *there) {
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = 9;
    for (int32_t ends = CAFE_FROM_TOP; ends <= CAFE_FROM_LARGEST; ends++) {
        o.columns_from = ends;
        finish_alike(here, there, &o, CAFE_FORM_WALK, 0);
        if (several(there) && ends != CAFE_FROM_BOTH) continue;
        for (int32_t form = CAFE_FORM_HHAT; form <= CAFE_FORM_AVERAGED; form++)
            finish_alike(here, there, &o, form, 0);
        finish_alike(here, there, &o, CAFE_FORM_WALK, 1e-4);
        finish_alike(here, there, &o, CAFE_FORM_SCALED, 1e-4);
        finish_alike(here, there, &o, CAFE_FORM_RITZ, 1e-4);
    }
}

static void softmax_alike(problem *here, problem *there, const cafe_softmax_options *o,
                          const float *start, const int32_t *labels) {
    problem *sides[2] = {here, there};
    cafe_solution *s[2] = {NULL, NULL};
    int32_t *part[2];
    int64_t count[2];
    for (int i = 0; i < 2; i++) {
        cafe_context *context = sides[i]->context;
        part[i] = malloc((size_t)here->n * sizeof *part[i]);
        ok(context, cafe_softmax(context, sides[i]->op, o, start, labels, &s[i]));
        ok(context, cafe_solution_partition(context, s[i], part[i], &count[i]));
    }
    same_solution(here, s[0], there, s[1]);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(part[0], part[1], (size_t)here->n * sizeof *part[0]);
    for (int i = 0; i < 2; i++) cafe_solution_free(s[i]), free(part[i]);
}

static void softmaxes(problem *here, problem *there) {
    cafe_softmax_options o;
    cafe_softmax_options_init(&o);
    o.columns = 6;
    o.sweeps = 12;
    int32_t *labels = malloc((size_t)here->n * sizeof *labels);
    float *start = numbers(here->n * o.columns, 8);
    for (int64_t i = 0; i < here->n * o.columns; i++) start[i] = fabsf(start[i]);
    for (int64_t u = 0; u < here->n; u++) labels[u] = u % 4 ? -1 : (int32_t)(u / 4 % 5);
    for (int i = 0; i < 8; i++) {
        o.resolution = i & 4 ? 0.5 : 1;
        softmax_alike(here, there, &o, i & 2 ? start : NULL, i & 1 ? labels : NULL);
    }
    free(labels), free(start);
}

/* Given vectors start a solver, and are certified. */
static void given_vectors(problem *here, problem *there) {
    enum { K = 5 };
    problem *sides[2] = {here, there};
    float *x = numbers(here->n * K, 12);
    cafe_solution *s[2] = {NULL, NULL};
    cafe_embedding *e[2] = {NULL, NULL};
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = K;
    for (int i = 0; i < 2; i++) {
        ok(sides[i]->context, cafe_sphere(sides[i]->context, sides[i]->op, &o, x, &s[i]));
        ok(sides[i]->context, cafe_certify(sides[i]->context, sides[i]->op, K, x, NULL, &e[i]));
    }
    same_solution(here, s[0], there, s[1]);
    same_embedding(e[0], e[1], 0, 0);
    for (int i = 0; i < 2; i++) cafe_solution_free(s[i]), cafe_embedding_free(e[i]);
    free(x);
}

static void certify_walks(problem *here, problem *there) {
    enum { K = 5 };
    problem *sides[2] = {here, there};
    float *x = numbers(here->n * K, 12);
    cafe_finish_options finish;
    cafe_finish_options_init(&finish);
    for (int32_t form = CAFE_FORM_WALK; form <= CAFE_FORM_AVERAGED; form++) {
        cafe_embedding *e[2] = {NULL, NULL};
        finish.form = form;
        for (int i = 0; i < 2; i++)
            ok(sides[i]->context,
               cafe_certify(sides[i]->context, sides[i]->op, K, x, &finish, &e[i]));
        same_embedding(e[0], e[1], 1e-4, 0);
        cafe_embedding_free(e[0]), cafe_embedding_free(e[1]);
    }
    free(x);
}

#define ON_EVERY_ENGINE(name, graphs, window)          \
    static void name##_on_every_engine(void **state) { \
        (void)state;                                   \
        on_every_engine(name, graphs, window);         \
    }

ON_EVERY_ENGINE(degrees, RECIPES, 1)
ON_EVERY_ENGINE(copies, RECIPES, 1)
ON_EVERY_ENGINE(results, RECIPES, 1)
ON_EVERY_ENGINE(starts, RECIPES, 1)
ON_EVERY_ENGINE(products, RECIPES, 1)
ON_EVERY_ENGINE(some_products, RECIPES, 1)
static void walk_products_on_every_engine(void **state) {
    (void)state;
    on_every_engine(products, SMALL, 3);
}
ON_EVERY_ENGINE(grams, SMALL, 1)
ON_EVERY_ENGINE(transforms, SMALL, 1)
ON_EVERY_ENGINE(rows_and_columns, RECIPES, 1)
ON_EVERY_ENGINE(fixed_shapes, RECIPES, 1)
ON_EVERY_ENGINE(sweeps, RECIPES, 1)
ON_EVERY_ENGINE(stored_sweeps, RECIPES, 1)
static void spheres_on_every_engine(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS(); /* those of the processor are in test_sphere and test_spectral */
    on_every_engine(spheres, TEST_SANITIZED ? SMALL : RECIPES,
                    1); /* the hub's rows are in `sweeps` */
}
ON_EVERY_ENGINE(softmaxes, RECIPES, 1)
ON_EVERY_ENGINE(given_vectors, RECIPES, 1)
ON_EVERY_ENGINE(certify_walks, SMALL, 3)

/* H of 30 random graphs: few edges and many components, or many; weights and loops or none; large
 * enough for several processes to share, where the engine joins them. */
static cafe_graph *any_graph(cafe_context *context, const char *engine, uint64_t seed) {
    int64_t least = joins(engine) ? CAFE_SHORT_LIST : 20;
    int64_t n = least + 1 + (int64_t)(test_number(&seed) % 300);
    int64_t m = n / 3 + (int64_t)(test_number(&seed) % (uint64_t)(4 * n));
    return test_random(context, n, m, seed % 2, seed / 2 % 2, seed);
}

static void solve_any(const char *engine, const char *other, uint64_t seed, problem *p,
                      cafe_solution **solution) {
    cafe_sphere_options o;
    cafe_sample_options sample;
    cafe_sample_options_init(&sample);
    cafe_sphere_options_init(&o);
    sample.degree_exponent = (double)(seed % 3) / 4;
    o.columns = 3 + (int64_t)(seed % 17);
    o.chunks = (int64_t)(seed % 4 * 5);
    *p = (problem){.context = test_context(threads(), seed)};
    ok(p->context, cafe_engine_open(p->context, engine));
    p->graph = any_graph(p->context, other, seed);
    ok(p->context,
       cafe_sample(p->context, p->graph, CAFE_SAMPLING_EDGE, &sample, NULL, &p->sampled));
    ok(p->context, cafe_operator_modularity(p->context, p->sampled, &p->op));
    p->n = p->op->n;
    ok(p->context, cafe_sphere(p->context, p->op, &o, NULL, solution));
}

static void random_graphs_on_every_engine(void **state) {
    enum { GRAPHS = 30 };
    (void)state;
    for (int e = 0; e < count_engines; e++)
        for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
            problem here, there;
            cafe_solution *a = NULL, *b = NULL;
            solve_any("processor", engines[e], seed, &here, &a);
            solve_any(engines[e], engines[e], seed, &there, &b);
            same_solution(&here, a, &there, b);
            cafe_solution_free(a), cafe_solution_free(b);
            close_problem(&here), close_problem(&there);
        }
}

static void a_cancelled_run_ends_on_every_engine(void **state) {
    (void)state;
    for (int e = 0; e < count_engines; e++) {
        problem p = open_problem(engines[e], recipes[1], 1);
        cafe_solution *solution = NULL;
        cafe_cancel(p.context);
        assert_int_equal(cafe_sphere(p.context, p.op, NULL, NULL, &solution), CAFE_ERROR_CANCELLED);
        assert_null(solution);
        close_problem(&p);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

static void refused(cafe_context *context, const char *name, cafe_status status,
                    const char *reason) {
    assert_int_equal(cafe_engine_open(context, name), status);
    if (!strstr(cafe_error(context), reason)) fail_msg("%s", cafe_error(context));
    assert_string_equal(cafe_engine_name(context), "processor");
}

static void what_cannot_be_opened_says_why(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    refused(context, "nowhere", CAFE_ERROR_SYSTEM, "no libcafe-nowhere.so in ");
    refused(context, "nowhere", CAFE_ERROR_SYSTEM, "CAFE_ENGINE_PATH, ");
    refused(context, "old", CAFE_ERROR_SYSTEM, "version 0 of the interface");
    refused(context, "short", CAFE_ERROR_SYSTEM, "table of operations has 8 bytes");
    refused(context, "absent", CAFE_ERROR_SYSTEM, "there is no such device");
    refused(context, "empty", CAFE_ERROR_SYSTEM, "is no engine of Cafe");
    refused(context, "../naive", CAFE_ERROR_ARGUMENT, "is no name of an engine");
    refused(context, "", CAFE_ERROR_ARGUMENT, "is no name of an engine");
    refused(context, "lab", CAFE_ERROR_ARGUMENT, "is no name of an engine"); /* libcafe-lab.so */
    cafe_context_free(context);
}

static const cafe_engine_info *find(const cafe_engine_list *list, const char *name) {
    for (int64_t i = 0; i < cafe_engine_list_count(list); i++)
        if (strcmp(cafe_engine_list_get(list, i)->name, name) == 0)
            return cafe_engine_list_get(list, i);
    return NULL;
}

static void the_list_says_what_is_there(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_engine_list *list = NULL;
    ok(context, cafe_engine_list_make(context, 1, &list));
    assert_string_equal(cafe_engine_list_get(list, 0)->name, "processor");
    assert_string_equal(cafe_error(context), "");
    assert_null(cafe_engine_list_get(list, cafe_engine_list_count(list)));
    assert_null(find(list, "naive")->problem);
    assert_non_null(strstr(find(list, "naive")->summary, "plain loops"));
    assert_non_null(strstr(find(list, "old")->problem, "version 0"));
    assert_non_null(strstr(find(list, "absent")->problem, "no such device"));
    cafe_engine_list_free(list);
    ok(context, cafe_engine_list_make(context, 0, &list)); /* what is in a file is not known then */
    assert_null(find(list, "naive")->problem);
    assert_string_equal(find(list, "naive")->summary, "");
    assert_null(find(list, "old")->problem);
    cafe_engine_list_free(list);
    cafe_context_free(context);
}

/* By its name in the options: opened when it is first needed, and kept by what was made on it. */
static void a_context_may_ask_for_an_engine(void **state) {
    (void)state;
    cafe_context_options options;
    cafe_context *context = NULL;
    cafe_block block = {0}, other = {0};
    cafe_context_options_init(&options);
    options.engine = "naive";
    ok(context, cafe_context_create(&options, &context));
    assert_string_equal(cafe_engine_name(context), "naive");
    ok(context, cafe_block_make(context, 10, 3, &block));
    ok(context, cafe_engine_open(context, NULL));
    ok(context, cafe_block_make(context, 10, 3, &other));
    assert_string_equal(block.engine->name, "naive");
    assert_string_equal(other.engine->name, "processor");
    cafe_block_drop(context, &block), cafe_block_drop(context, &other);
    cafe_context_free(context);
    options.engine = "nowhere";
    assert_int_equal(cafe_context_create(&options, &context), CAFE_OK);
    assert_int_equal(cafe_block_make(context, 10, 3, &block), CAFE_ERROR_SYSTEM);
    cafe_context_free(context);
}

static void other_methods_say_that_they_cannot(void **state) {
    (void)state;
    problem p = open_problem("naive", recipes[0], 1);
    cafe_solution *solution = NULL;
    assert_int_equal(test_solve(p.context, p.graph, "gf", NULL, &solution), CAFE_ERROR_ARGUMENT);
    assert_string_equal(cafe_error(p.context),
                        "gf runs on the processor alone, not on the engine 'naive'");
    assert_null(solution);
    close_problem(&p);
}

/* Where nothing is joined there is one process, which agrees with itself and ends nobody. */
static void one_process_is_alone(void **state) {
    (void)state;
    problem p = open_problem("naive", recipes[0], 1);
    int32_t rank = -1, ranks = -1;
    cafe_traffic traffic = {1, 1, 1};
    double cut = 1;
    ok(p.context, cafe_engine_team(p.context, &rank, &ranks));
    assert_int_equal(rank, 0);
    assert_int_equal(ranks, 1);
    assert_int_equal(cafe_engine_agree(p.context, CAFE_OK), CAFE_OK);
    assert_int_equal(cafe_engine_agree(p.context, CAFE_ERROR_IO), CAFE_ERROR_IO);
    assert_false(cafe_engine_agreed(p.context));
    assert_false(cafe_engine_reach(p.context, 0));
    assert_false(cafe_engine_abandoned(p.context, 1));
    cafe_engine_abandon(p.context, 1);
    ok(p.context, cafe_engine_traffic(p.context, &traffic));
    assert_int_equal(traffic.sweeps + traffic.bytes + traffic.ghost_rows, 0);
    ok(p.context, cafe_engine_divide(p.context, p.op, CAFE_PARTITION_CONTIGUOUS, &cut));
    assert_true(cut == 0);
    assert_int_equal(cafe_engine_divide(p.context, p.op, CAFE_PARTITION_SCOTCH, &cut),
                     CAFE_ERROR_ARGUMENT);
    close_problem(&p);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of one process: one that fails among several ends them all (test_cli_distributed). */
static void every_allocation_may_fail(void **state) {
    (void)state;
    test_failing memory;
    problem first = open_problem(engines[0], recipes[0], 1);
    bool joined = several(&first);
    close_problem(&first);
    if (joined) skip();
    for (int e = 0; e < count_engines; e++) {
        cafe_context *context = test_failing_context(&memory, 2);
        cafe_graph *graph = test_karate(context);
        cafe_sampled *sampled = NULL;
        cafe_sphere_options o;
        cafe_sphere_options_init(&o);
        o.columns = 4;
        o.sweeps = 2;
        o.columns_from = CAFE_FROM_BOTH;
        ok(context, cafe_engine_open(context, engines[e]));
        ok(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
        for (long k = 0;; k++) {
            cafe_operator *op = NULL;
            cafe_solution *solution = NULL;
            cafe_embedding *embedding = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_operator_modularity(context, sampled, &op);
            if (status == CAFE_OK) status = cafe_sphere(context, op, &o, NULL, &solution);
            if (status == CAFE_OK) status = cafe_finish(context, op, &solution, NULL, &embedding);
            int failed = test_failing_disarm(&memory);
            cafe_embedding_free(embedding);
            cafe_solution_free(solution);
            cafe_operator_free(op);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
        cafe_sampled_free(sampled);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* ---- the engines there are ------------------------------------------------------------------- */

static int find_engines(void) {
    const char *wanted = getenv("CAFE_TEST_ENGINE");
    cafe_engine_list *list = NULL;
    cafe_context *context = test_context(1, 1);
    ok(context, cafe_engine_list_make(context, 1, &list));
    for (int64_t i = 0; i < cafe_engine_list_count(list); i++) {
        const cafe_engine_info *info = cafe_engine_list_get(list, i);
        if (wanted && strcmp(info->name, wanted) != 0) continue;
        if (info->problem) {
            print_message("%s: not tested: %s\n", info->name, info->problem);
            continue;
        }
        print_message("%s: %s\n", info->name, info->summary);
        snprintf(engines[count_engines++], sizeof *engines, "%s", info->name);
    }
    cafe_engine_list_free(list);
    cafe_context_free(context);
    if (wanted && count_engines == 0) print_message("there is no engine %s to test\n", wanted);
    return count_engines > 0;
}

int main(void) {
    const struct CMUnitTest parity_tests[] = {
        cmocka_unit_test(degrees_on_every_engine),
        cmocka_unit_test(copies_on_every_engine),
        cmocka_unit_test(results_on_every_engine),
        cmocka_unit_test(starts_on_every_engine),
        cmocka_unit_test(products_on_every_engine),
        cmocka_unit_test(some_products_on_every_engine),
        cmocka_unit_test(walk_products_on_every_engine),
        cmocka_unit_test(grams_on_every_engine),
        cmocka_unit_test(transforms_on_every_engine),
        cmocka_unit_test(rows_and_columns_on_every_engine),
        cmocka_unit_test(fixed_shapes_on_every_engine),
        cmocka_unit_test(sweeps_on_every_engine),
        cmocka_unit_test(stored_sweeps_on_every_engine),
        cmocka_unit_test(spheres_on_every_engine),
        cmocka_unit_test(softmaxes_on_every_engine),
        cmocka_unit_test(given_vectors_on_every_engine),
        cmocka_unit_test(certify_walks_on_every_engine),
        cmocka_unit_test(random_graphs_on_every_engine),
        cmocka_unit_test(a_cancelled_run_ends_on_every_engine),
        cmocka_unit_test(every_allocation_may_fail),
    };
    const struct CMUnitTest opening_tests[] = {
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(the_list_says_what_is_there),
        cmocka_unit_test(a_context_may_ask_for_an_engine),
        cmocka_unit_test(other_methods_say_that_they_cannot),
        cmocka_unit_test(one_process_is_alone),
    };
    if (!find_engines()) return 1;
    int failed = cmocka_run_group_tests(parity_tests, NULL, NULL);
    return getenv("CAFE_TEST_ENGINE") ? failed
                                      : failed + cmocka_run_group_tests(opening_tests, NULL, NULL);
}
