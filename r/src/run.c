/* Runs: vectors and communities. */
#include <string.h>

#include "handle.h"

typedef struct request {
    handle *h;
    const cafe_graph *graph;
    cafe_purpose purpose;
    const char *method;
    R_xlen_t count;
    const char **name, **value;
    cafe_run_inputs inputs;
} request;

static cafe_status go(void *argument) {
    request *r = argument;
    cafe_status status = cafe_run_create(r->h->context, r->purpose, r->method, &r->h->run);
    for (R_xlen_t i = 0; status == CAFE_OK && i < r->count; i++)
        status = cafe_run_set(r->h->run, r->name[i], r->value[i]);
    if (status == CAFE_OK) status = cafe_run_graph(r->h->run, r->graph, NULL, NULL);
    if (status == CAFE_OK) status = cafe_run_give(r->h->run, &r->inputs);
    return status == CAFE_OK ? cafe_run_go(r->h->run) : status;
}

static const char **texts(SEXP strings) {
    R_xlen_t n = Rf_xlength(strings);
    const char **text = (const char **)R_alloc(n, sizeof *text);
    for (R_xlen_t i = 0; i < n; i++) text[i] = Rf_translateCharUTF8(STRING_ELT(strings, i));
    return text;
}

/* Rows of floats as a matrix of doubles. */
static SEXP matrix_of(const cafe_embedding *e) {
    const cafe_certificate *c = cafe_embedding_certificate(e);
    SEXP found = PROTECT(Rf_allocMatrix(REALSXP, (int)c->nodes, (int)c->columns));
    double *x = REAL(found);
    for (int64_t u = 0; u < c->nodes; u++) {
        const float *row = cafe_embedding_row(e, u);
        for (int64_t j = 0; j < c->columns; j++) x[j * c->nodes + u] = row[j];
    }
    UNPROTECT(1);
    return found;
}

static SEXP reals(int64_t count, const double *x) {
    SEXP found = Rf_allocVector(REALSXP, count);
    if (count) memcpy(REAL(found), x, (size_t)count * sizeof *x);
    return found;
}

/* Communities count from 1 in R; a node in none is NA. */
static SEXP partition(int64_t nodes, const int32_t *part) {
    SEXP found = Rf_allocVector(INTSXP, nodes);
    for (int64_t u = 0; u < nodes; u++) INTEGER(found)[u] = part[u] < 0 ? NA_INTEGER : part[u] + 1;
    return found;
}

static double finding(const cafe_run_course *c, const char *name) {
    for (int64_t i = 0; c && i < c->finding_count; i++)
        if (strcmp(c->findings[i].name, name) == 0) return c->findings[i].value;
    return NA_REAL;
}

static SEXP warnings_of(const cafe_run *run) {
    int64_t count = 0;
    while (cafe_run_warning(run, count)) count++;
    SEXP found = PROTECT(Rf_allocVector(STRSXP, count));
    for (int64_t i = 0; i < count; i++)
        SET_STRING_ELT(found, i, Rf_mkCharCE(cafe_run_warning(run, i), CE_UTF8));
    UNPROTECT(1);
    return found;
}

static SEXP vectors(SEXP pointer, const cafe_run_results *r, const cafe_run *run) {
    static const char *names[] = {"vectors",   "ritz_values", "residuals", "certified",
                                  "objective", "warnings",    "run",       ""};
    const cafe_certificate *c = cafe_embedding_certificate(r->embedding);
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, matrix_of(r->embedding));
    SET_VECTOR_ELT(list, 1, reals(c->pairs, c->ritz_values));
    SET_VECTOR_ELT(list, 2, reals(c->pairs, c->residuals));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal((double)c->certified));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal(c->objective));
    SET_VECTOR_ELT(list, 5, warnings_of(run));
    SET_VECTOR_ELT(list, 6, pointer);
    UNPROTECT(1);
    return list;
}

static SEXP communities(SEXP pointer, const cafe_run_results *r, const cafe_run *run) {
    static const char *names[] = {"membership", "modularity", "bound", "proved",
                                  "layers",     "warnings",   "run",   ""};
    const cafe_clustering_info *c = cafe_clustering_get(r->clustering);
    int64_t layers = r->layers ? cafe_layers_count(r->layers) : 0;
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, partition(c->nodes, r->changes ? r->changes->partition : c->partition));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal(c->modularity));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(finding(r->course, "bound")));
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(finding(r->course, "proved") == 1));
    SET_VECTOR_ELT(list, 4, Rf_allocVector(VECSXP, layers));
    for (int64_t l = 0; l < layers; l++)
        SET_VECTOR_ELT(VECTOR_ELT(list, 4), l,
                       partition(c->nodes, cafe_layers_get(r->layers, l)->partition));
    SET_VECTOR_ELT(list, 5, warnings_of(run));
    SET_VECTOR_ELT(list, 6, pointer);
    UNPROTECT(1);
    return list;
}

/* clusters: for communities, else vectors; options: a named list of texts; start: communities from
 * 0, -1: none, or NULL; labels: classes from 0, -1: none, or NULL */
SEXP cafe_r_run(SEXP graph, SEXP clusters, SEXP method, SEXP names, SEXP values, SEXP start,
                SEXP labels, SEXP classes, SEXP seed, SEXP threads) {
    request r = {.graph = cafe_r_graph(graph)->graph};
    SEXP pointer = PROTECT(cafe_r_new(Rf_asReal(seed), Rf_asInteger(threads), graph, &r.h));
    r.purpose = Rf_asLogical(clusters) ? CAFE_PURPOSE_COMMUNITIES : CAFE_PURPOSE_VECTORS;
    r.method = CHAR(STRING_ELT(method, 0));
    r.count = Rf_xlength(names);
    r.name = texts(names), r.value = texts(values);
    cafe_run_inputs_init(&r.inputs);
    if (!Rf_isNull(start)) r.inputs.partition = INTEGER(start);
    if (!Rf_isNull(labels)) {
        r.inputs.labels = INTEGER(labels);
        r.inputs.classes = Rf_xlength(classes);
        r.inputs.class_names = texts(classes);
    }
    SEXP found = R_NilValue;
    if (!cafe_r_call(r.h, go, &r)) {
        const cafe_run_results *results = cafe_run_get(r.h->run);
        found = r.purpose == CAFE_PURPOSE_VECTORS ? vectors(pointer, results, r.h->run)
                                                  : communities(pointer, results, r.h->run);
    }
    UNPROTECT(1);
    return found;
}
