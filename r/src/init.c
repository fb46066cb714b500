/* The functions that R may call. */
#include <R_ext/Rdynload.h>

#include "handle.h"

SEXP cafe_r_graph_edges(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP cafe_r_graph_sparse(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP cafe_r_graph_file(SEXP, SEXP, SEXP);
SEXP cafe_r_graph_names(SEXP);
SEXP cafe_r_graph_info(SEXP);
SEXP cafe_r_run(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP cafe_r_predict(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP cafe_r_explain(SEXP, SEXP, SEXP);
SEXP cafe_r_report(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);

#define ENTRY(name, count) \
    { #name, (DL_FUNC)&name, count }

static const R_CallMethodDef calls[] = {
    ENTRY(cafe_r_graph_edges, 6), ENTRY(cafe_r_graph_sparse, 6),
    ENTRY(cafe_r_graph_file, 3),  ENTRY(cafe_r_graph_names, 1),
    ENTRY(cafe_r_graph_info, 1),  ENTRY(cafe_r_run, 10),
    ENTRY(cafe_r_predict, 6),     ENTRY(cafe_r_explain, 3),
    ENTRY(cafe_r_report, 7),      {NULL, NULL, 0},
};

void R_init_cafe(DllInfo *info) {
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}
