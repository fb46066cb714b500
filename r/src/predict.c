/* Prediction of classes. */
#include "handle.h"

typedef struct task {
    handle *h;
    cafe_predict_inputs in;
    cafe_predict_options options;
} task;

static cafe_status go(void *argument) {
    task *t = argument;
    return cafe_predict(t->h->context, &t->in, &t->options, &t->h->prediction);
}

static SEXP probabilities(const cafe_prediction *p, int64_t nodes, int64_t classes) {
    const float *x = cafe_prediction_probabilities(p);
    SEXP found = Rf_allocMatrix(REALSXP, (int)nodes, (int)classes);
    for (int64_t u = 0; u < nodes; u++)
        for (int64_t c = 0; c < classes; c++) REAL(found)[c * nodes + u] = x[u * classes + c];
    return found;
}

/* known: the class of each node from 0, -1: not known; classes: how many; by: cafe_predictor */
SEXP cafe_r_predict(SEXP graph, SEXP known, SEXP classes, SEXP by, SEXP seed, SEXP threads) {
    static const char *names[] = {"probabilities", "accuracy", "error",   "log_loss",
                                  "predictor",     "held_out", "warning", ""};
    task t;
    cafe_predict_inputs_init(&t.in);
    cafe_predict_options_init(&t.options);
    t.in.graph = cafe_r_graph(graph)->graph;
    SEXP pointer = PROTECT(cafe_r_new(Rf_asReal(seed), Rf_asInteger(threads), graph, &t.h));
    int64_t nodes = cafe_graph_nodes(t.in.graph), kinds = Rf_asInteger(classes);
    cafe_labels *labels = NULL;
    cafe_status status =
        cafe_labels_from_arrays(t.h->context, nodes, NULL, INTEGER(known), kinds, NULL, &labels);
    if (status == CAFE_OK)
        status = cafe_targets_from_labels(t.h->context, nodes, labels, &t.h->targets);
    cafe_labels_free(labels);
    cafe_r_check(t.h, status);
    t.in.known = &t.h->targets;
    t.options.by = Rf_asInteger(by);
    if (cafe_r_call(t.h, go, &t)) {
        UNPROTECT(1);
        return R_NilValue;
    }
    const cafe_predict_figures *f = cafe_prediction_figures(t.h->prediction);
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, probabilities(t.h->prediction, nodes, kinds));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal(f->accuracy));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(f->error));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal(f->log_loss));
    SET_VECTOR_ELT(list, 4, Rf_mkString(f->predictor));
    SET_VECTOR_ELT(list, 5, Rf_ScalarReal((double)f->held_out));
    SET_VECTOR_ELT(list, 6, Rf_mkString(f->warning ? f->warning : ""));
    UNPROTECT(2);
    return list;
}
