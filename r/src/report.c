/* Everything about a graph. */
#include "handle.h"

typedef struct order {
    handle *h;
    const cafe_graph *graph;
    cafe_overview_inputs in;
    const char *path; /* NULL: none is written */
    int32_t overwrite;
} order;

static cafe_status go(void *argument) {
    order *o = argument;
    cafe_view_report figures;
    cafe_status status = cafe_overview_make(o->h->context, o->graph, &o->in, &o->h->overview);
    return status == CAFE_OK && o->path
               ? cafe_overview_write(o->h->overview, NULL, o->path, o->overwrite, &figures)
               : status;
}

/* known: the class of each node from 0, -1: none, or NULL; classes: their names; path: a text or
 * NULL. Returns the Markdown. */
SEXP cafe_r_report(SEXP graph, SEXP title, SEXP known, SEXP classes, SEXP path, SEXP overwrite,
                   SEXP seed) {
    order o = {.graph = cafe_r_graph(graph)->graph, .overwrite = Rf_asLogical(overwrite)};
    PROTECT(cafe_r_new(Rf_asReal(seed), 0, graph, &o.h));
    cafe_overview_inputs_init(&o.in);
    o.in.title = Rf_translateCharUTF8(STRING_ELT(title, 0));
    o.in.read = o.graph;
    if (!Rf_isNull(path)) o.path = R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)));
    if (!Rf_isNull(known)) {
        R_xlen_t count = Rf_xlength(classes);
        const char **names = (const char **)R_alloc(count, sizeof *names);
        for (R_xlen_t i = 0; i < count; i++)
            names[i] = Rf_translateCharUTF8(STRING_ELT(classes, i));
        cafe_r_check(o.h, cafe_labels_from_arrays(o.h->context, cafe_graph_nodes(o.graph), NULL,
                                                  INTEGER(known), count, names, &o.h->labels));
        o.in.labels = o.h->labels;
    }
    SEXP found = R_NilValue;
    if (!cafe_r_call(o.h, go, &o)) {
        found = PROTECT(Rf_allocVector(STRSXP, 1));
        SET_STRING_ELT(found, 0, Rf_mkCharCE(cafe_overview_text(o.h->overview), CE_UTF8));
        UNPROTECT(1);
    }
    UNPROTECT(1);
    return found;
}
