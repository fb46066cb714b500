/* Why a node is in its community. */
#include "handle.h"

typedef struct question {
    handle *h;
    int64_t columns, node;
    const float *vectors;
    const int32_t *part;
    cafe_node_card card;
} question;

static cafe_status answer(void *argument) {
    question *q = argument;
    const cafe_operator *op = cafe_run_get(q->h->run)->op;
    cafe_explanation_free(q->h->explanation);
    q->h->explanation = NULL;
    cafe_status status =
        cafe_explain(q->h->context, op, q->columns, q->vectors, q->part, NULL, &q->h->explanation);
    return status == CAFE_OK
               ? cafe_explain_node(q->h->context, q->h->explanation, q->node, &q->card)
               : status;
}

static SEXP forces(int64_t count, const cafe_force *list) {
    static const char *names[] = {"node", "value", "linked", ""};
    SEXP found = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int i = 0; i < 3; i++)
        SET_VECTOR_ELT(found, i, Rf_allocVector(i == 1 ? REALSXP : i ? LGLSXP : INTSXP, count));
    for (int64_t i = 0; i < count; i++) {
        INTEGER(VECTOR_ELT(found, 0))[i] = list[i].node + 1;
        REAL(VECTOR_ELT(found, 1))[i] = list[i].value;
        LOGICAL(VECTOR_ELT(found, 2))[i] = list[i].linked;
    }
    UNPROTECT(1);
    return found;
}

/* The vectors where they are if no space is between their rows, else a copy. */
static const float *rows_of(const handle *h, const cafe_embedding *e, const cafe_certificate *c) {
    const float *first = cafe_embedding_row(e, 0);
    if (c->nodes > 1 && cafe_embedding_row(e, 1) == first + c->columns) return first;
    float *copy = (float *)R_alloc(c->nodes * c->columns, sizeof *copy);
    cafe_r_check(h, cafe_embedding_copy(e, copy));
    return copy;
}

/* run: of vectors; part: communities of the nodes from 0; node: from 0 */
SEXP cafe_r_explain(SEXP run, SEXP part, SEXP node) {
    static const char *names[] = {"community", "second",  "attachment", "second_attachment",
                                  "rank",      "members", "linked",     "pulls",
                                  "pushes",    ""};
    question q = {.h = cafe_r_run_of(run), .node = (int64_t)Rf_asReal(node)};
    const cafe_embedding *e = cafe_run_get(q.h->run)->embedding;
    const cafe_certificate *certificate = cafe_embedding_certificate(e);
    q.vectors = rows_of(q.h, e, certificate);
    q.columns = certificate->columns;
    q.part = INTEGER(part);
    if (cafe_r_call(q.h, answer, &q)) return R_NilValue;
    const cafe_node_card *c = &q.card;
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, Rf_ScalarInteger(c->community < 0 ? NA_INTEGER : c->community + 1));
    SET_VECTOR_ELT(list, 1, Rf_ScalarInteger(c->second < 0 ? NA_INTEGER : c->second + 1));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(c->attachment));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal(c->second_attachment));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal((double)c->rank));
    SET_VECTOR_ELT(list, 5, Rf_ScalarReal((double)c->members));
    SET_VECTOR_ELT(list, 6, Rf_ScalarReal((double)c->linked));
    SET_VECTOR_ELT(list, 7, forces(c->pull_count, c->pulls));
    SET_VECTOR_ELT(list, 8, forces(c->push_count, c->pushes));
    UNPROTECT(1);
    return list;
}
