/* Calls that solve: the paper's solvers, the finish, every method of the registry. */
#include <math.h>

#include "world.h"

#include "method/model.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"

static float block[FUZZ_NODES * FUZZ_COLUMNS];

/* Start rows or NULL. */
static const float *start_rows(fuzz_world *w, int64_t nodes, int64_t columns) {
    if (!fuzz_flip(w) || columns < 1 || columns > FUZZ_COLUMNS) return NULL;
    fuzz_numbers(w, nodes * columns, block);
    return block;
}

/* Labels or NULL. */
static const int32_t *some_labels(fuzz_world *w, int64_t nodes, int64_t classes) {
    static int32_t labels[FUZZ_NODES];
    if (!fuzz_flip(w) || classes < 1) return NULL;
    fuzz_part(w, nodes, classes < 8 ? classes : 8, labels);
    return labels;
}

static void check_solution(fuzz_world *w, cafe_solution *s, int64_t nodes) {
    int64_t sweeps = cafe_solution_get(s)->sweeps, columns = cafe_solution_get(s)->columns;
    (void)w;
    fuzz_require(sweeps >= 0 && columns >= 0); /* none: all of them are found at the finish */
    fuzz_finite_double(sweeps + 1, cafe_solution_get(s)->objective);
    float *h = malloc((size_t)(nodes * columns + 1) * sizeof *h);
    fuzz_require(h);
    if (fuzz_ok(w, cafe_solution_copy(s, h))) fuzz_finite(nodes * columns, h);
    free(h);
}

static void keep_solution(fuzz_world *w, cafe_status status, cafe_solution *s, fuzz_object *under) {
    if (!fuzz_ok(w, status)) return;
    check_solution(w, s, under->nodes);
    fuzz_keep(w, FUZZ_SOLUTION, s, under, under->nodes);
}

void fuzz_do_sphere(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_solution *s = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    cafe_sphere_options *options = fuzz_options(w, cafe_sphere_option_table(), room);
    const float *start = start_rows(w, o->nodes, options->columns);
    cafe_status status = cafe_sphere(w->context, o->it, options, start, &s);
    keep_solution(w, status, s, o);
}

void fuzz_do_softmax(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t part[FUZZ_NODES];
    int64_t count = 0;
    cafe_solution *s = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    cafe_softmax_options *options = fuzz_options(w, cafe_softmax_option_table(), room);
    const float *start = start_rows(w, o->nodes, options->columns);
    const int32_t *labels = some_labels(w, o->nodes, options->columns);
    cafe_status status = cafe_softmax(w->context, o->it, options, start, labels, &s);
    if (status == CAFE_OK && fuzz_ok(w, cafe_solution_partition(w->context, s, part, &count)))
        fuzz_indices(o->nodes, part, 0, count);
    keep_solution(w, status, s, o);
}

void fuzz_do_softmax_sparse(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t part[FUZZ_NODES];
    int64_t count = 0;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    cafe_memberships *m = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    cafe_softmax_options *options = fuzz_options(w, cafe_softmax_option_table(), room);
    int64_t parts = options->columns > 0 && options->columns < 8 ? options->columns : 8;
    fuzz_part(w, o->nodes, parts, part);
    const int32_t *labels = some_labels(w, o->nodes, options->columns);
    cafe_status status =
        cafe_softmax_sparse(w->context, o->it, options, fuzz_flip(w) ? part : NULL, labels, &m);
    if (!fuzz_ok(w, status)) return;
    cafe_memberships_csr(m, &offsets, &columns, &values);
    fuzz_indices(offsets[o->nodes], columns, 0, cafe_memberships_columns(m));
    fuzz_finite(offsets[o->nodes], values);
    fuzz_finite_double(cafe_memberships_sweeps(m) + 1, cafe_memberships_objective(m));
    if (fuzz_ok(w, cafe_memberships_partition(w->context, m, part, &count)))
        fuzz_indices(o->nodes, part, 0, count);
    cafe_memberships_free(m);
}

void fuzz_do_layers(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_layers *layers = NULL;
    cafe_solution *s = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    fuzz_options(w, cafe_layers_option_table(), room);
    if (!fuzz_ok(w, cafe_layers_find(w->context, o->it, (void *)room, &layers))) return;
    for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
        const cafe_layer *l = cafe_layers_get(layers, i);
        fuzz_indices(o->nodes, l->partition, 0, l->communities);
        fuzz_require(isfinite(l->modularity));
    }
    cafe_status status =
        cafe_layers_solution(w->context, o->it, layers, 1 + fuzz_below(w, FUZZ_COLUMNS), &s);
    keep_solution(w, status, s, o);
    cafe_layers_free(layers);
}

/* ---- embeddings ------------------------------------------------------------------------------ */

static void keep_embedding(fuzz_world *w, cafe_status status, cafe_embedding *e, int64_t nodes) {
    if (!fuzz_ok(w, status)) return;
    const cafe_certificate *c = cafe_embedding_certificate(e);
    fuzz_require(cafe_embedding_certificate(e)->nodes == nodes &&
                 c->columns == cafe_embedding_certificate(e)->columns);
    fuzz_finite_double(c->pairs, c->ritz_values);
    fuzz_finite_double(c->pairs, c->residuals);
    for (int64_t u = 0; u < nodes; u++) fuzz_finite(c->columns, cafe_embedding_row(e, u));
    fuzz_keep(w, FUZZ_EMBEDDING, e, NULL, nodes);
}

void fuzz_do_finish(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_embedding *e = NULL;
    fuzz_object *s = fuzz_need(w, FUZZ_SOLUTION);
    if (!s || s->under->kind != FUZZ_OPERATOR) return;
    cafe_solution *solution = s->it;
    fuzz_options(w, cafe_finish_option_table(), room);
    cafe_status status = cafe_finish(w->context, s->under->it, &solution, (void *)room, &e);
    fuzz_require(!solution);
    s->it = NULL; /* consumed, whatever came of it */
    keep_embedding(w, status, e, s->nodes);
    fuzz_free(s);
}

void fuzz_do_certify(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    cafe_embedding *e = NULL;
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    int64_t columns = 1 + fuzz_below(w, FUZZ_COLUMNS);
    fuzz_numbers(w, o->nodes * columns, block);
    bool plain = fuzz_flip(w);
    if (!plain) fuzz_options(w, cafe_finish_option_table(), room);
    cafe_status status =
        cafe_certify(w->context, o->it, columns, block, plain ? NULL : (void *)room, &e);
    keep_embedding(w, status, e, o->nodes);
}

/* ---- methods --------------------------------------------------------------------------------- */

typedef struct run {
    const cafe_method *method;
    cafe_method_options options;
    cafe_method_inputs inputs;
    cafe_sample_inputs sample;
    char own[FUZZ_OPTIONS], sampling[FUZZ_OPTIONS], finish[FUZZ_OPTIONS], propagate[FUZZ_OPTIONS];
    float attributes[FUZZ_NODES];
} run;

/* Any method that has a table of the kind, and anything it might be given. */
static const cafe_option_table *make_run(fuzz_world *w, int64_t nodes, bool communities, run *r) {
    size_t count;
    const cafe_method *const *all = cafe_lab_methods(&count);
    const cafe_option_table *table;
    r->method = all[fuzz_below(w, (int64_t)count)];
    const cafe_option_table *(*own)(void) =
        communities ? r->method->communities : r->method->vectors;
    if (!own) return NULL;
    table = own();
    cafe_method_options_init(&r->options);
    cafe_method_inputs_init(&r->inputs);
    cafe_sample_inputs_init(&r->sample);
    r->options.own = fuzz_options(w, table, r->own);
    uint8_t with = fuzz_byte(w);
    if (with & 1) r->options.finish = fuzz_options(w, cafe_finish_option_table(), r->finish);
    if (with & 2)
        r->options.propagate = fuzz_options(w, cafe_propagate_option_table(), r->propagate);
    if (with & 4) r->options.sampling = (int32_t)fuzz_below(w, 5);
    if (with & 8) r->options.sample = fuzz_options(w, cafe_sample_option_table(), r->sampling);
    if (r->options.sampling == CAFE_SAMPLING_TWISTED) {
        fuzz_numbers(w, nodes, r->attributes);
        r->sample.attributes = r->attributes;
        r->sample.width = 1;
        r->inputs.sample = &r->sample;
    }
    if (with & 16 || r->method->takes & CAFE_NEEDS_LABELS) {
        r->inputs.classes = 1 + fuzz_below(w, 4);
        r->inputs.labels = some_labels(w, nodes, r->inputs.classes);
    }
    if (with & 32) {
        r->inputs.start_columns = 1 + fuzz_below(w, FUZZ_COLUMNS);
        r->inputs.start = start_rows(w, nodes, r->inputs.start_columns);
    }
    r->options.free_columns = with >> 6 & 1;
    return table;
}

void fuzz_do_embed(fuzz_world *w) {
    run r;
    cafe_embedding *e = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g || !make_run(w, g->nodes, false, &r)) return;
    cafe_status status = cafe_embed(w->context, g->it, r.method, &r.options, &r.inputs, &e);
    keep_embedding(w, status, e, g->nodes);
}

void fuzz_do_model(fuzz_world *w) {
    run r;
    cafe_model *model = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g || !make_run(w, g->nodes, fuzz_flip(w), &r)) return;
    if (fuzz_ok(w, cafe_model_create(w->context, g->it, r.method, &r.options, &r.inputs, &model)))
        fuzz_keep(w, FUZZ_MODEL, model, g, g->nodes);
}

void fuzz_do_solve(fuzz_world *w) {
    run r;
    char settled[FUZZ_OPTIONS];
    cafe_solution *s = NULL;
    cafe_embedding *e = NULL;
    fuzz_object *m = fuzz_need(w, FUZZ_MODEL);
    const cafe_option_table *table = m ? make_run(w, m->nodes, false, &r) : NULL;
    if (!table) return;
    fuzz_ok(w, cafe_method_settle(w->context, r.method, table, &r.options, &r.inputs, m->nodes,
                                  settled));
    cafe_status status =
        cafe_model_solve(w->context, m->it, r.method, &r.options, &r.inputs, &s, NULL);
    if (!fuzz_ok(w, status)) return;
    check_solution(w, s, m->nodes);
    status = cafe_model_finish(w->context, m->it, r.method, &r.options, &s, &e);
    fuzz_require(!s);
    keep_embedding(w, status, e, m->nodes);
}

void fuzz_do_cluster(fuzz_world *w) {
    run r;
    cafe_clustering *c = NULL;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g || !make_run(w, g->nodes, true, &r)) return;
    if (!fuzz_ok(w, cafe_cluster(w->context, g->it, r.method, &r.options, &r.inputs, &c))) return;
    const cafe_clustering_info *info = cafe_clustering_get(c);
    fuzz_indices(g->nodes, info->partition, 0, info->communities);
    fuzz_require(isfinite(info->modularity) && isfinite(info->edge_modularity));
    if (info->objective) fuzz_finite_double(info->sweeps + 1, info->objective);
    if (fuzz_ok(w, cafe_clustering_memberships(w->context, c, &offsets, &columns, &values))) {
        fuzz_indices(offsets[g->nodes], columns, 0, info->columns);
        fuzz_finite(offsets[g->nodes], values);
    }
    cafe_clustering_free(c);
}
