/* Calls that use vectors, partitions and sets: explain, rank, recommend, update, map, draw,
 * evaluate, reduce. */
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "world.h"

static float block[FUZZ_NODES * FUZZ_COLUMNS];

/* Vectors of a graph's nodes, mostly from an embedding there is. */
static int64_t some_vectors(fuzz_world *w, int64_t nodes) {
    int64_t columns = 1 + fuzz_below(w, FUZZ_COLUMNS);
    fuzz_numbers(w, nodes * columns, block);
    return columns;
}

static uint8_t *some_set(fuzz_world *w, int64_t nodes, uint8_t *member) {
    uint8_t step = (uint8_t)(1 + fuzz_below(w, 7));
    for (int64_t u = 0; u < nodes; u++) member[u] = (uint8_t)(u % step == 0);
    return member;
}

/* ---- explain --------------------------------------------------------------------------------- */

void fuzz_do_explain(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t part[FUZZ_NODES];
    cafe_explanation *e = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    int64_t columns = some_vectors(w, o->nodes);
    bool own = fuzz_flip(w);
    if (own) fuzz_part(w, o->nodes, 4, part);
    fuzz_options(w, cafe_explain_option_table(), room);
    cafe_status status =
        cafe_explain(w->context, o->it, columns, block, own ? part : NULL, (void *)room, &e);
    if (!fuzz_ok(w, status)) return;
    const cafe_explain_report *report = cafe_explanation_get(e);
    fuzz_require(report->nodes == o->nodes && isfinite(report->modularity));
    fuzz_keep(w, FUZZ_EXPLANATION, e, o, o->nodes);
}

void fuzz_do_cards(fuzz_world *w) {
    cafe_dimension_card dimension;
    cafe_node_card node;
    cafe_community_card community;
    cafe_association best[FUZZ_COLUMNS];
    fuzz_object *e = fuzz_need(w, FUZZ_EXPLANATION);
    if (!e) return;
    const cafe_explain_report *report = cafe_explanation_get(e->it);
    for (int64_t j = 0; j < report->columns; j++) {
        cafe_explain_dimension(e->it, j, &dimension);
        for (int64_t i = 0; i < dimension.ends; i++)
            fuzz_require(dimension.high[i].index < e->nodes && dimension.low[i].index < e->nodes);
    }
    if (fuzz_ok(w, cafe_explain_node(w->context, e->it, fuzz_below(w, e->nodes + 1), &node)))
        for (int64_t i = 0; i < node.pull_count; i++) fuzz_require(node.pulls[i].node < e->nodes);
    fuzz_ok(w, cafe_explain_community(w->context, e->it, (int32_t)fuzz_below(w, 5), &community));
    fuzz_object *l = fuzz_need(w, FUZZ_LABELS);
    if (l && l->nodes == e->nodes) fuzz_ok(w, cafe_explain_labels(w->context, e->it, l->it, best));
    int64_t width = some_vectors(w, e->nodes);
    fuzz_ok(w, cafe_explain_attributes(w->context, e->it, width, block, best));
}

void fuzz_do_spectrum(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_spectrum *spectrum = NULL;
    fuzz_object *e = fuzz_need(w, FUZZ_EXPLANATION);
    if (!e) return;
    fuzz_options(w, cafe_spectrum_option_table(), room);
    if (!fuzz_ok(w, cafe_spectrum_find(w->context, e->it, (void *)room, &spectrum))) return;
    const cafe_spectrum_report *report = cafe_spectrum_get(spectrum);
    fuzz_finite_double(report->count, report->values);
    cafe_spectrum_free(spectrum);
}

void fuzz_do_ceiling(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t part[FUZZ_NODES];
    cafe_ceiling ceiling;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    bool own = fuzz_flip(w);
    if (own) fuzz_part(w, o->nodes, 4, part);
    fuzz_options(w, cafe_ceiling_option_table(), room);
    /* The search for inequalities ends by the work that it is given, which is seconds by default.
     */
    cafe_ceiling_options *options = (void *)room;
    if (options->work > 0.01) options->work = 0.01;
    cafe_status status = cafe_ceiling_find(w->context, o->it, own ? part : NULL, options, &ceiling);
    if (fuzz_ok(w, status)) fuzz_require(isfinite(ceiling.bound));
}

/* ---- rank ------------------------------------------------------------------------------------ */

void fuzz_do_rank(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    uint8_t member[FUZZ_NODES];
    double value[FUZZ_NODES];
    int32_t order[FUZZ_NODES];
    cafe_pagerank_report report;
    fuzz_object *s = fuzz_need(w, FUZZ_SAMPLED);
    if (!s) return;
    some_set(w, s->nodes, member);
    cafe_status status;
    if (fuzz_flip(w)) {
        status = cafe_rank_relative(w->context, s->it, member, value);
    } else {
        fuzz_options(w, cafe_pagerank_option_table(), room);
        status = cafe_rank_pagerank(w->context, s->it, (void *)room, fuzz_flip(w) ? member : NULL,
                                    value, &report);
    }
    if (!fuzz_ok(w, status)) return;
    fuzz_finite_double(s->nodes, value);
    int64_t count = fuzz_below(w, s->nodes + 1);
    if (fuzz_ok(w, cafe_rank_top(w->context, s->nodes, value, count, order)))
        fuzz_indices(count, order, 0, s->nodes);
}

void fuzz_do_sets(fuzz_world *w) {
    uint8_t first[FUZZ_NODES], second[FUZZ_NODES];
    cafe_pair_figures figures;
    fuzz_object *s = fuzz_need(w, FUZZ_SAMPLED);
    if (!s) return;
    some_set(w, s->nodes, first);
    some_set(w, s->nodes, second);
    if (fuzz_ok(w, cafe_set_compare(w->context, s->it, first, second, &figures)))
        fuzz_require(isfinite(figures.covariance) && isfinite(figures.first_to_second));
}

/* ---- recommend ------------------------------------------------------------------------------- */

enum { QUERIES = 5, MOST_COUNT = 8 };

static void some_queries(fuzz_world *w, int64_t nodes, int32_t *query) {
    for (int i = 0; i < QUERIES; i++) query[i] = (int32_t)fuzz_below(w, nodes);
    if (fuzz_byte(w) == 255) query[0] = (int32_t)nodes;
}

void fuzz_do_recommend(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t query[QUERIES], node[QUERIES * MOST_COUNT];
    double score[QUERIES * MOST_COUNT];
    cafe_recommend_inputs inputs;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    cafe_recommend_options *options = fuzz_options(w, cafe_recommend_option_table(), room);
    if (options->top > MOST_COUNT && options->top < INT32_MAX) options->top = MOST_COUNT;
    cafe_recommend_inputs_init(&inputs);
    inputs.graph = g->it;
    if (fuzz_flip(w)) {
        inputs.columns = some_vectors(w, g->nodes);
        inputs.vectors = block;
    }
    some_queries(w, g->nodes, query);
    cafe_status status = cafe_recommend(w->context, &inputs, options, QUERIES, query, node, score);
    if (!fuzz_ok(w, status)) return;
    fuzz_indices(QUERIES * options->top, node, -1, g->nodes);
}

void fuzz_do_split(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t query[QUERIES];
    cafe_split split = {0};
    cafe_quality quality;
    cafe_recommend_inputs inputs;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    double share = fuzz_flip(w) ? fuzz_number(w) : fuzz_byte(w) / 255.0;
    if (!fuzz_ok(w, cafe_split_make(w->context, g->it, share, &split))) return;
    fuzz_indices(split.hidden, split.source, 0, g->nodes);
    fuzz_indices(split.hidden, split.target, 0, g->nodes);
    cafe_recommend_inputs_init(&inputs);
    inputs.graph = split.training;
    inputs.columns = some_vectors(w, g->nodes);
    inputs.vectors = block;
    some_queries(w, g->nodes, query);
    fuzz_options(w, cafe_recommend_option_table(), room);
    fuzz_ok(w, cafe_recommend_quality(w->context, &inputs, (void *)room, &split, QUERIES, query,
                                      &quality));
    cafe_split_free(w->context, &split);
}

void fuzz_do_decoder(fuzz_world *w) {
    char sphere[FUZZ_OPTIONS], room[FUZZ_OPTIONS];
    int64_t columns = 0;
    float *vectors = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    fuzz_options(w, cafe_sphere_option_table(), sphere);
    fuzz_options(w, cafe_decoder_option_table(), room);
    cafe_status status =
        cafe_decoder_vectors(w->context, g->it, (void *)sphere, (void *)room, &columns, &vectors);
    if (!fuzz_ok(w, status)) return;
    fuzz_finite(g->nodes * columns, vectors);
    cafe_block_free(w->context, vectors);
}

/* ---- update ---------------------------------------------------------------------------------- */

enum { CHANGES = 12 };

/* Rows of length 1, as an update wants them; or not. */
static void unit_rows(fuzz_world *w, int64_t nodes, int64_t columns) {
    if (fuzz_byte(w) == 255) return;
    for (int64_t u = 0; u < nodes; u++)
        for (int64_t j = 0; j < columns; j++) block[u * columns + j] = (float)(j == u % columns);
}

void fuzz_do_update(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t source[CHANGES], target[CHANGES];
    uint8_t removed[CHANGES];
    float weights[CHANGES];
    cafe_changes *changes = NULL;
    cafe_updated *updated = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    int64_t count = fuzz_below(w, CHANGES + 1), nodes = g->nodes + fuzz_below(w, 3);
    for (int64_t i = 0; i < count; i++) {
        source[i] = (int32_t)fuzz_below(w, nodes);
        target[i] = (int32_t)fuzz_below(w, nodes);
        removed[i] = fuzz_byte(w) & 1;
        weights[i] = 1.0f;
    }
    if (fuzz_flip(w) && count > 0) weights[0] = fuzz_number(w);
    bool weighted = fuzz_flip(w), both = fuzz_flip(w);
    cafe_status status =
        cafe_changes_from_edges(w->context, g->it, nodes, count, source, target,
                                weighted ? weights : NULL, both ? removed : NULL, &changes);
    if (!fuzz_ok(w, status)) return;
    int64_t columns = some_vectors(w, g->nodes);
    unit_rows(w, g->nodes, columns);
    fuzz_options(w, cafe_update_option_table(), room);
    status = cafe_update(w->context, changes, columns, block, (void *)room, &updated);
    if (fuzz_ok(w, status)) {
        const cafe_update_report *report = cafe_updated_get(updated);
        fuzz_finite_double(report->rounds + 1, report->objective);
        fuzz_finite_double(report->nodes, report->drift);
    }
    cafe_updated_free(updated);
    cafe_changes_free(changes);
}

void fuzz_do_place(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    enum { NEW = 3 };
    int64_t offsets[NEW + 1] = {0};
    int32_t targets[CHANGES];
    float weights[CHANGES], placed[NEW * FUZZ_COLUMNS];
    cafe_new_links *links = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    for (int i = 0; i < NEW; i++) offsets[i + 1] = offsets[i] + fuzz_below(w, CHANGES / NEW + 1);
    for (int i = 0; i < CHANGES; i++) targets[i] = (int32_t)fuzz_below(w, g->nodes);
    fuzz_numbers(w, CHANGES, weights);
    cafe_status status = cafe_new_links_from_csr(w->context, g->it, NEW, offsets, targets,
                                                 fuzz_flip(w) ? weights : NULL, &links);
    if (!fuzz_ok(w, status)) return;
    int64_t columns = some_vectors(w, g->nodes);
    unit_rows(w, g->nodes, columns);
    fuzz_options(w, cafe_place_option_table(), room);
    status = cafe_place_nodes(w->context, g->it, columns, block, links, (void *)room, placed);
    if (fuzz_ok(w, status)) fuzz_finite(NEW * columns, placed);
    cafe_new_links_free(links);
}

void fuzz_do_transition(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t before[FUZZ_NODES], after[FUZZ_NODES];
    cafe_transition *transition = NULL;
    int64_t n = fuzz_below(w, FUZZ_NODES + 1);
    fuzz_part(w, n, 5, before);
    fuzz_part(w, n, 5, after);
    fuzz_options(w, cafe_transition_option_table(), room);
    cafe_status status =
        cafe_transition_find(w->context, n, before, after, NULL, (void *)room, &transition);
    if (!fuzz_ok(w, status)) return;
    const cafe_transition_report *report = cafe_transition_get(transition);
    fuzz_indices(report->old_count, report->heir, -1, report->new_count);
    cafe_transition_free(transition);
}

/* ---- to look at ------------------------------------------------------------------------------ */

void fuzz_do_map(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    float xy[2 * FUZZ_NODES];
    cafe_map_quality quality;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    int64_t columns = some_vectors(w, g->nodes);
    fuzz_options(w, cafe_map_option_table(), room);
    cafe_status status = cafe_map(w->context, fuzz_flip(w) ? g->it : NULL, g->nodes, columns, block,
                                  (void *)room, xy);
    if (!fuzz_ok(w, status)) return;
    fuzz_finite(2 * g->nodes, xy);
    int64_t neighbours = fuzz_below(w, 8), nodes = fuzz_below(w, 64);
    fuzz_ok(
        w, cafe_map_measure(w->context, g->nodes, columns, block, xy, neighbours, nodes, &quality));
}

void fuzz_do_plot(fuzz_world *w) {
    static uint8_t rgb[3 * 400 * 400];
    char room[FUZZ_OPTIONS], text[16] = "";
    int32_t kind[FUZZ_NODES];
    double value[FUZZ_NODES];
    char *drawn = NULL;
    cafe_plot_inputs inputs;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    cafe_plot_inputs_init(&inputs);
    fuzz_numbers(w, 2 * g->nodes, block);
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = (char)fuzz_byte(w);
    uint8_t with = fuzz_byte(w);
    inputs.n = g->nodes;
    inputs.xy = block;
    inputs.equal = with & 1;
    inputs.graph = with & 2 ? g->it : NULL;
    inputs.title = inputs.legend = text;
    if (with & 4) {
        inputs.kinds = 1 + fuzz_below(w, 20);
        fuzz_part(w, g->nodes, inputs.kinds, kind);
        inputs.kind = kind;
    } else if (with & 8) {
        for (int64_t u = 0; u < g->nodes; u++) value[u] = fuzz_number(w);
        inputs.value = value;
    }
    cafe_plot_options *o = fuzz_options(w, cafe_plot_option_table(), room);
    fuzz_require(o->width < 0 || o->width > INT32_MAX || o->width <= 400);
    switch (with >> 4 & 3) {
        case 0: fuzz_ok(w, cafe_plot_pixels(w->context, &inputs, o, rgb)); break;
        case 1: fuzz_ok(w, cafe_plot_svg(w->context, &inputs, o, "/dev/null", 1)); break;
        case 2: fuzz_ok(w, cafe_plot_png(w->context, &inputs, o, "/dev/null", 1)); break;
        default:
            if (!fuzz_ok(w, cafe_plot_text(w->context, &inputs, fuzz_below(w, 90), with >> 6 & 1,
                                           &drawn)))
                return;
            fuzz_require(strlen(drawn) > 0);
            cafe_plot_text_free(w->context, drawn);
    }
}

void fuzz_do_view(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t part[FUZZ_NODES];
    cafe_view_inputs inputs;
    cafe_view_found *found = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    cafe_view_inputs_init(&inputs);
    inputs.columns = some_vectors(w, g->nodes);
    inputs.vectors = block;
    bool own = fuzz_flip(w);
    if (own) fuzz_part(w, g->nodes, 4, part);
    cafe_status status =
        cafe_view_find(w->context, g->it, own ? part : NULL, fuzz_flip(w), &inputs, &found);
    if (fuzz_ok(w, status)) {
        fuzz_options(w, cafe_view_option_table(), room);
        fuzz_ok(w, cafe_view_write(w->context, g->it, &inputs, (void *)room, "/dev/null", 1, NULL));
    }
    cafe_view_found_free(found);
}

/* ---- evaluate -------------------------------------------------------------------------------- */

static void look_at(cafe_evaluation *e) {
    cafe_figure figure;
    for (int64_t s = 0; s < cafe_evaluation_shares(e); s++)
        for (int64_t m = 0; m < cafe_evaluation_metrics(e); m++) {
            cafe_evaluation_figure(e, s, m, &figure);
            fuzz_require(figure.defined == 0 || (figure.mean >= 0 && figure.mean <= 1));
        }
    cafe_evaluation_free(e);
}

static cafe_features some_features(fuzz_world *w, int64_t nodes) {
    cafe_features features = {.struct_size = sizeof features};
    features.columns = some_vectors(w, nodes);
    features.block = block;
    return features;
}

void fuzz_do_classify(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_targets targets;
    cafe_evaluation *e = NULL;
    fuzz_object *l = fuzz_need(w, FUZZ_LABELS);
    if (!l || !fuzz_ok(w, cafe_targets_from_labels(w->context, l->nodes, l->it, &targets))) return;
    cafe_features features = some_features(w, l->nodes);
    double shares[2] = {fuzz_byte(w) / 200.0, fuzz_number(w)};
    fuzz_options(w, cafe_classify_option_table(), room);
    cafe_status status = cafe_classify(w->context, &targets, &features, NULL, (void *)room,
                                       1 + fuzz_below(w, 2), shares, &e);
    if (fuzz_ok(w, status)) look_at(e);
    cafe_targets_free(w->context, &targets);
}

void fuzz_do_link(fuzz_world *w) {
    char room[FUZZ_OPTIONS], own[FUZZ_OPTIONS];
    cafe_method_options options;
    cafe_evaluation *e = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    cafe_features features = some_features(w, g->nodes);
    cafe_method_options_init(&options);
    if (fuzz_flip(w)) {
        features.method = cafe_method_find(NULL, "sphere");
        options.own = fuzz_options(w, features.method->vectors(), own);
        features.options = &options;
    }
    double shares[2] = {fuzz_byte(w) / 200.0, fuzz_number(w)};
    fuzz_options(w, cafe_link_option_table(), room);
    cafe_status status = cafe_link(w->context, g->it, &features, NULL, (void *)room,
                                   1 + fuzz_below(w, 2), shares, &e);
    if (fuzz_ok(w, status)) look_at(e);
}

void fuzz_do_partition(fuzz_world *w) {
    int32_t a[FUZZ_NODES], b[FUZZ_NODES];
    cafe_agreement agreement;
    cafe_partition_quality quality;
    cafe_sizes sizes;
    fuzz_object *s = fuzz_need(w, FUZZ_SAMPLED);
    if (!s) return;
    fuzz_part(w, s->nodes, 4, a);
    fuzz_part(w, s->nodes, 5, b);
    if (fuzz_ok(w, cafe_partition_agreement(w->context, s->nodes, a, b, &agreement)))
        fuzz_require(!(agreement.nmi > 1.001));
    if (fuzz_ok(w, cafe_partition_measure(w->context, s->it, a, 4, &quality)))
        fuzz_require(isfinite(quality.modularity));
    fuzz_ok(w, cafe_partition_sizes(w->context, s->nodes, b, 5, &sizes));
}

/* ---- tables and eigenpairs ------------------------------------------------------------------- */

void fuzz_do_reduce(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_reduction *reduction = NULL;
    int64_t rows = fuzz_below(w, FUZZ_NODES + 1), width = fuzz_below(w, FUZZ_COLUMNS + 1);
    fuzz_numbers(w, rows * width, block);
    fuzz_options(w, cafe_reduce_option_table(), room);
    if (!fuzz_ok(w, cafe_reduce(w->context, rows, width, block, (void *)room, &reduction))) return;
    const cafe_reduction_report *report = cafe_reduction_get(reduction);
    float *vectors = calloc((size_t)(rows * report->columns + 1), sizeof *vectors);
    fuzz_require(vectors);
    cafe_reduction_copy(reduction, vectors);
    fuzz_finite(rows * report->columns, vectors);
    fuzz_finite_double(report->sweeps + 1, report->objective);
    free(vectors);
    cafe_reduction_free(reduction);
}

void fuzz_do_bounds(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_bounds *bounds = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    fuzz_options(w, cafe_bounds_option_table(), room);
    if (!fuzz_ok(w, cafe_bounds_find(w->context, o->it, (void *)room, &bounds))) return;
    fuzz_finite_double(o->nodes, cafe_bounds_get(bounds)->first);
    cafe_bounds_free(bounds);
}

void fuzz_do_eigen(fuzz_world *w) {
    double values[FUZZ_COLUMNS], vectors[FUZZ_NODES * FUZZ_COLUMNS];
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    int64_t count = 1 + fuzz_below(w, FUZZ_COLUMNS);
    cafe_end end = (cafe_end)fuzz_below(w, 3);
    cafe_status status = cafe_operator_eigen(w->context, o->it, end, count, 0, values,
                                             fuzz_flip(w) ? vectors : NULL);
    if (fuzz_ok(w, status)) fuzz_finite_double(count, values);
}
