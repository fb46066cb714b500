/* The inequalities and multipliers that prove a bound, as the caller gets them. */
#include "base/memory.h"
#include "explain/clique_search.h"

void cafe_clique_multipliers_free(cafe_clique_multipliers *rows) {
    cafe_mem_free(rows->context, rows->at);
    rows->at = NULL;
    rows->count = rows->room = 0;
}

static cafe_clique_multiplier *next(cafe_clique_search *s) {
    cafe_clique_multiplier *m = &s->kept->at[s->kept->count++];
    *m = (cafe_clique_multiplier){.number = s->cases};
    for (int64_t i = 0; i <= CAFE_CLIQUE_LEAVES; i++) m->node[i] = -1;
    return m;
}

static void keep_forced(cafe_clique_search *s, int64_t pair) {
    cafe_clique_multiplier *m = next(s);
    m->node[0] = s->pairs.u[pair];
    m->node[1] = s->pairs.w[pair];
    m->forced = s->pairs.forced[pair];
}

/* The first pairs of a row are those of its centre, which two of them share. */
static void keep_row(cafe_clique_search *s, const cafe_clique_row *row, double lambda) {
    const uint32_t *pair = s->rows.pair + row->start;
    const int32_t *u = s->pairs.u, *w = s->pairs.w;
    cafe_clique_multiplier *m = next(s);
    bool first = u[pair[0]] == u[pair[1]] || u[pair[0]] == w[pair[1]];
    int32_t centre = m->node[0] = first ? u[pair[0]] : w[pair[0]];
    for (int64_t i = 0; i < row->leaves; i++)
        m->node[1 + i] = u[pair[i]] == centre ? w[pair[i]] : u[pair[i]];
    m->multiplier = 2 / s->scale * lambda;
}

cafe_status cafe_clique_keep(cafe_clique_search *s, const double *lambda) {
    cafe_clique_multipliers *kept = s->kept;
    int64_t needed = s->case_start + s->divided_count + s->best_rows;
    kept->count = s->case_start;
    CAFE_PASS(cafe_mem_grow(s->context, &kept->at, &kept->room, needed, sizeof *kept->at));
    for (int64_t i = 0; i < s->divided_count; i++) keep_forced(s, s->divided[i]);
    for (int64_t r = 0; r < s->rows.count; r++)
        if (lambda[r] > 0) keep_row(s, &s->rows.at[r], lambda[r]);
    return CAFE_OK;
}
