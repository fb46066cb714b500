/* Triangles and stars that x violates. Only pairs with x well above 0 have to be looked at. */
#include <math.h>

#include "explain/clique_search.h"

/* Pairs below `visible` do not count. Of the leaves of a violated star one has x > 1/4. */
static const double star_tolerance = 0.05, least_star_tolerance = 1e-3,
                    visible_in_triangles = 0.003, visible_in_stars = 0.02, first_leaf = 0.25;

/* ---- triangles ------------------------------------------------------------------------------- */

/* A third node v of the edge, with a = x(u,v), b = x(w,v): the centre is the end that is nearer. */
static cafe_status look_at_third(cafe_clique_search *s, const cafe_clique_link *l, int32_t v,
                                 double joint, double a, double b, double tolerance,
                                 int64_t *left) {
    double violation = joint + fabs(a - b) - 1;
    if (violation > s->triangles) s->triangles = violation;
    if (!(violation > tolerance) || *left == 0 || s->rows.count >= s->most_rows) return CAFE_OK;
    int32_t centre = a > b ? l->u : l->w, far = a > b ? l->w : l->u;
    int32_t leaves[2] = {far < v ? far : v, far < v ? v : far};
    --*left;
    return cafe_clique_rows_add(&s->rows, &s->pairs, centre, leaves, 2);
}

/* x_of has x(u,v) of all v; place marks the neighbours of w. */
static cafe_status look_at_link(cafe_clique_search *s, const cafe_clique_link *l,
                                double tolerance) {
    const cafe_clique_near *near = &s->near;
    double joint = cafe_clique_clip(s->pairs.y[l->pair]);
    int64_t left = s->most_of_link;
    if (joint < tolerance) return CAFE_OK;
    for (int64_t i = near->first[l->w]; i < near->first[l->w + 1]; i++) {
        int32_t v = near->node[i];
        s->place[v] = 0;
        if (v == l->u) continue;
        CAFE_PASS(look_at_third(s, l, v, joint, s->x_of[v], near->x[i], tolerance, &left));
    }
    for (int64_t i = near->first[l->u]; i < near->first[l->u + 1]; i++) {
        int32_t v = near->node[i];
        if (s->place[v] < 0 && v != l->w)
            CAFE_PASS(look_at_third(s, l, v, joint, near->x[i], 0, tolerance, &left));
    }
    for (int64_t i = near->first[l->w]; i < near->first[l->w + 1]; i++)
        s->place[near->node[i]] = -1;
    s->work += (double)(2 * (near->first[l->w + 1] - near->first[l->w]) + near->first[l->u + 1] -
                        near->first[l->u]);
    return CAFE_OK;
}

static void spread(cafe_clique_search *s, int32_t u, bool put) {
    for (int64_t i = s->near.first[u]; i < s->near.first[u + 1]; i++)
        s->x_of[s->near.node[i]] = put ? s->near.x[i] : 0;
}

cafe_status cafe_clique_find_triangles(cafe_clique_search *s, double tolerance) {
    cafe_status status = CAFE_OK;
    int32_t u = -1;
    s->triangles = 0;
    CAFE_PASS(cafe_clique_near_fill(&s->pairs, s->n, visible_in_triangles, &s->near));
    s->work += 2.0 * (double)s->pairs.count;
    for (int64_t i = 0; i < s->link_count && status == CAFE_OK && s->work < s->most_work; i++) {
        if (i % 1024 == 0) status = cafe_check_cancel(s->context);
        if (s->links[i].u != u) {
            if (u >= 0) spread(s, u, false);
            spread(s, u = s->links[i].u, true);
        }
        if (status == CAFE_OK) status = look_at_link(s, &s->links[i], tolerance);
    }
    if (u >= 0) spread(s, u, false);
    return status;
}

/* ---- stars ----------------------------------------------------------------------------------- */

static void sort_leaves(int32_t *leaves, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        for (int64_t j = i; j > 0 && leaves[j] < leaves[j - 1]; j--) {
            int32_t leaf = leaves[j];
            leaves[j] = leaves[j - 1];
            leaves[j - 1] = leaf;
        }
}

/* gain of the other leaves -= x(leaf, other) */
static void lower_gains(cafe_clique_search *s, int32_t leaf) {
    const cafe_clique_near *near = &s->near;
    for (int64_t i = near->first[leaf]; i < near->first[leaf + 1]; i++) {
        int32_t place = s->place[near->node[i]];
        if (place >= 0) s->gain[place] -= near->x[i];
    }
    s->work += (double)(near->first[leaf + 1] - near->first[leaf]);
}

static int64_t find_gain(const cafe_clique_search *s, int64_t count) {
    int64_t best = -1;
    for (int64_t i = 0; i < count; i++)
        if (s->gain[i] > 1e-9 && (best < 0 || s->gain[i] > s->gain[best])) best = i;
    return best;
}

/* Leaves of the centre, the first one given, taken greedily while the violation grows. */
static cafe_status grow_star(cafe_clique_search *s, int32_t centre, int64_t first,
                             double tolerance) {
    const int32_t *node = s->near.node + s->near.first[centre];
    const float *x = s->near.x + s->near.first[centre];
    int64_t degree = s->near.first[centre + 1] - s->near.first[centre], count = 0;
    int32_t leaves[CAFE_CLIQUE_LEAVES];
    double violation = -1;
    for (int64_t i = 0; i < degree; i++) s->gain[i] = x[i];
    for (int64_t take = first; take >= 0;) {
        leaves[count++] = node[take];
        violation += s->gain[take];
        s->gain[take] = -HUGE_VAL;
        if (count == CAFE_CLIQUE_LEAVES) break;
        lower_gains(s, node[take]);
        take = find_gain(s, degree);
        s->work += (double)degree;
    }
    if (count < 3) return CAFE_OK;
    if (violation > s->stars) s->stars = violation;
    if (!(violation > tolerance) || s->rows.count >= s->most_rows) return CAFE_OK;
    sort_leaves(leaves, count);
    return cafe_clique_rows_add(&s->rows, &s->pairs, centre, leaves, count);
}

static cafe_status look_at_centre(cafe_clique_search *s, int32_t centre, double tolerance) {
    cafe_status status = CAFE_OK;
    const int32_t *node = s->near.node + s->near.first[centre];
    int64_t degree = s->near.first[centre + 1] - s->near.first[centre];
    for (int64_t i = 0; i < degree; i++) s->place[node[i]] = (int32_t)i;
    for (int64_t i = 0; i < degree && status == CAFE_OK; i++)
        if (s->near.x[s->near.first[centre] + i] > first_leaf)
            status = grow_star(s, centre, i, tolerance);
    for (int64_t i = 0; i < degree; i++) s->place[node[i]] = -1;
    return status;
}

cafe_status cafe_clique_find_stars(cafe_clique_search *s) {
    double half = s->stars / 2 > least_star_tolerance ? s->stars / 2 : least_star_tolerance;
    double tolerance = half < star_tolerance ? half : star_tolerance;
    s->stars = 0;
    CAFE_PASS(cafe_clique_near_fill(&s->pairs, s->n, visible_in_stars, &s->near));
    for (int32_t centre = 0; centre < s->n && s->work < s->most_work; centre++) {
        CAFE_PASS(cafe_check_cancel(s->context));
        CAFE_PASS(look_at_centre(s, centre, tolerance));
    }
    return CAFE_OK;
}
