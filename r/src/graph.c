/* Graphs from arrays and files, and what R asks of them. */
#include <string.h>

#include "handle.h"

typedef struct input {
    handle *h;
    const char *path;
    int64_t nodes, count;
    const int32_t *from, *to;
    const float *weights;
    cafe_graph_options options;
} input;

static cafe_status from_edges(void *argument) {
    input *in = argument;
    return cafe_graph_from_edges(in->h->context, in->nodes, in->count, in->from, in->to,
                                 in->weights, &in->options, &in->h->graph);
}

static cafe_status from_file(void *argument) {
    input *in = argument;
    return cafe_graph_read(in->h->context, in->path, &in->options, &in->h->graph);
}

static void set_names(handle *h, SEXP names) {
    if (Rf_isNull(names)) return;
    R_xlen_t n = Rf_xlength(names);
    const char **text = (const char **)R_alloc(n, sizeof *text);
    for (R_xlen_t i = 0; i < n; i++) text[i] = Rf_translateCharUTF8(STRING_ELT(names, i));
    cafe_r_check(h, cafe_graph_set_names(h->context, h->graph, text));
}

/* from, to: integers from 0; weights: doubles or NULL; names: texts or NULL; directed: how
 * directions count (cafe_directed) */
SEXP cafe_r_graph_edges(SEXP nodes, SEXP from, SEXP to, SEXP weights, SEXP names, SEXP directed) {
    input in = {.nodes = (int64_t)Rf_asReal(nodes), .count = Rf_xlength(from)};
    SEXP pointer = PROTECT(cafe_r_new(1, 0, R_NilValue, &in.h));
    in.from = INTEGER(from), in.to = INTEGER(to);
    if (!Rf_isNull(weights)) {
        float *copy = (float *)R_alloc(in.count, sizeof *copy);
        for (int64_t i = 0; i < in.count; i++) copy[i] = (float)REAL(weights)[i];
        in.weights = copy;
    }
    cafe_graph_options_init(&in.options);
    in.options.directed = Rf_asInteger(directed);
    int interrupted = cafe_r_call(in.h, from_edges, &in);
    if (!interrupted) set_names(in.h, names);
    UNPROTECT(1);
    return interrupted ? R_NilValue : pointer;
}

/* The columns of a sparse matrix of the package Matrix (slots p and i) as edges; a symmetric one
 * stores one triangle, of a general one that is read as symmetric the triangle i <= j is taken. x:
 * doubles or NULL. The rows are used where they are. */
SEXP cafe_r_graph_sparse(SEXP first, SEXP rows, SEXP x, SEXP names, SEXP half, SEXP directed) {
    int64_t nodes = Rf_xlength(first) - 1, entries = Rf_xlength(rows), kept = 0;
    input in = {.nodes = nodes, .from = INTEGER(rows)};
    SEXP pointer = PROTECT(cafe_r_new(1, 0, R_NilValue, &in.h));
    int32_t *from = NULL, *to = (int32_t *)R_alloc(entries, sizeof *to);
    float *weights = Rf_isNull(x) ? NULL : (float *)R_alloc(entries, sizeof *weights);
    if (Rf_asLogical(half)) in.from = from = (int32_t *)R_alloc(entries, sizeof *from);
    for (int64_t j = 0; j < nodes; j++)
        for (int64_t k = INTEGER(first)[j]; k < INTEGER(first)[j + 1]; k++) {
            if (from && INTEGER(rows)[k] > j) continue;
            if (from) from[kept] = INTEGER(rows)[k];
            if (weights) weights[kept] = (float)REAL(x)[k];
            to[kept++] = (int32_t)j;
        }
    in.count = kept, in.to = to, in.weights = weights;
    cafe_graph_options_init(&in.options);
    in.options.directed = Rf_asInteger(directed);
    int interrupted = cafe_r_call(in.h, from_edges, &in);
    if (!interrupted) set_names(in.h, names);
    UNPROTECT(1);
    return interrupted ? R_NilValue : pointer;
}

static const char *text_of(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return Rf_translateCharUTF8(STRING_ELT(VECTOR_ELT(list, i), 0));
    return NULL;
}

/* columns: a list of texts named source, target, weight, delimiter */
SEXP cafe_r_graph_file(SEXP path, SEXP columns, SEXP directed) {
    input in = {.path = R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)))};
    SEXP pointer = PROTECT(cafe_r_new(1, 0, R_NilValue, &in.h));
    cafe_graph_options_init(&in.options);
    in.options.directed = Rf_asInteger(directed);
    in.options.source = text_of(columns, "source");
    in.options.target = text_of(columns, "target");
    in.options.weight = text_of(columns, "weight");
    in.options.delimiter = text_of(columns, "delimiter");
    int interrupted = cafe_r_call(in.h, from_file, &in);
    UNPROTECT(1);
    return interrupted ? R_NilValue : pointer;
}

SEXP cafe_r_graph_names(SEXP pointer) {
    const cafe_graph *g = cafe_r_graph(pointer)->graph;
    int64_t n = cafe_graph_nodes(g);
    SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
    size_t capacity = 64;
    char *text = R_alloc(capacity, 1);
    for (int64_t u = 0; u < n; u++) {
        size_t size = cafe_graph_name(g, u, text, capacity);
        if (size >= capacity) {
            text = R_alloc(capacity = size + 1, 1);
            cafe_graph_name(g, u, text, capacity);
        }
        SET_STRING_ELT(names, u, Rf_mkCharCE(text, CE_UTF8));
    }
    UNPROTECT(1);
    return names;
}

/* nodes, edges, weighted, loops left out, edges merged, what was understood, warning */
SEXP cafe_r_graph_info(SEXP pointer) {
    static const char *names[] = {"nodes", "edges", "weighted", "reading", "warning", ""};
    const cafe_graph *g = cafe_r_graph(pointer)->graph;
    const cafe_graph_counts *c = cafe_graph_get_counts(g);
    const cafe_graph_reading *r = cafe_graph_get_reading(g);
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal((double)c->nodes));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)c->edges));
    SET_VECTOR_ELT(list, 2, Rf_ScalarLogical(c->weighted));
    SET_VECTOR_ELT(list, 3, Rf_mkString(r && r->text ? r->text : ""));
    SET_VECTOR_ELT(list, 4, Rf_mkString(r && r->warning ? r->warning : ""));
    UNPROTECT(1);
    return list;
}
