/* Communities of wanted sizes or of a wanted number, from the best result of a search.
 *
 * Sizes: communities that are too large are divided by a search inside them at a resolution that
 * doubles until they fall apart; then pairs join, small communities join, nodes settle.
 *
 * Number: the result joins its pairs down to the number and settles. Besides, resolutions are
 * tried, halving the interval, for one that gives the number or little more; such a result joins
 * and settles at its resolution. The one of the largest modularity is kept. If there are too few
 * communities, a higher resolution divides them all: the division that loses least would cut off
 * single nodes.
 */
#include "solve/layers_sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST_HEATS = 128, /* doublings of the resolution */
    HALVINGS = 7,     /* of the interval of resolutions */
    ROUNDS = 4,       /* of a search at another resolution */
    FEW = 10          /* a result is near that has up to 1 of so many communities more */
};

/* Factor of the resolution while the interval is looked for, and its limits. */
static const double step = 4, least_resolution = 1e-9, most_resolution = 1e12;

/* ---- the options ----------------------------------------------------------------------------- */

static cafe_size_limits limits_of(const cafe_layers_options *o, int64_t n) {
    return (cafe_size_limits){.least = o->min_size > 1 ? o->min_size : 1,
                              .most = o->max_size > 0 && o->max_size < n ? o->max_size : n,
                              .communities = o->communities};
}

cafe_status cafe_layers_check_sizes(cafe_context *context, const cafe_layers_options *o, bool given,
                                    int64_t n, bool *limited) {
    const char *name = o->communities > 0 ? "communities"
                       : o->max_size > 0  ? "max-size"
                                          : "min-size";
    bool sizes = o->min_size > 1 || o->max_size > 0;
    *limited = sizes || o->communities > 0;
    if (*limited && given)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("%s") " does not go with " CAFE_OPT("start"), name);
    if (sizes && o->communities > 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("communities") " does not go with " CAFE_OPT(
                             "min-size") " and " CAFE_OPT("max-size"));
    if (o->max_size > 0 && o->max_size < o->min_size)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("max-size") " %" PRId64
                                              " is below " CAFE_OPT("min-size") " %" PRId64,
                         o->max_size, o->min_size);
    if (o->communities > n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("communities") " %" PRId64 ": the graph has %" PRId64 " nodes",
                         o->communities, n);
    return CAFE_OK;
}

/* Communities are connected, so there are as many as components, or more. */
static cafe_status check_components(cafe_context *context, const cafe_pooled *g, int64_t wanted) {
    int64_t components;
    int32_t *part = cafe_mem_zero(context, g->n, sizeof *part);
    if (!part) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_layers_connect(context, g, part, &components);
    cafe_mem_free(context, part);
    if (status != CAFE_OK || components <= wanted) return status;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("communities") " %" PRId64
                                             ": communities are connected, and the "
                                             "graph has %" PRId64 " components",
                     wanted, components);
}

/* ---- searches at other resolutions ----------------------------------------------------------- */

/* part[g->n] <- the best of a few rounds that maximise, at resolution r,
 *
 *     sum over communities S of p(S,S) - r p(S)^2 .
 *
 * *turn goes on. */
static cafe_status search_at(cafe_context *context, const cafe_search *s, const cafe_pooled *g,
                             double resolution, uint64_t *turn, int32_t *part, int64_t *count) {
    cafe_status status = CAFE_OK;
    cafe_layers_options o = *s->h.options;
    cafe_search t = {.h = {.options = &o, .turn = *turn}, .quiet = true};
    o.resolution = resolution;
    CAFE_TRY(cafe_search_open(context, g, &t));
    if (t.left > ROUNDS) t.left = ROUNDS;
    CAFE_TRY(cafe_search_run(context, &t));
    memcpy(part, top_partition(t.best), (size_t)g->n * sizeof *part);
    *count = t.best->at[t.best->count - 1].communities;
    *turn = t.h.turn;
done:
    cafe_search_free(context, &t);
    return status;
}

/* ---- divisions ------------------------------------------------------------------------------- */

/* The graph of some nodes with the arcs between them. Masses and total are those of the whole, so
 * that a(u,w) / total - r p_u p_w means the same inside as outside. This is also the null model of
 * sums: a rising resolution need not divide under theirs, because f_u C f_w^T may be negative. */
typedef struct inside {
    cafe_pooled g;
    int64_t *offsets;
    int32_t *targets, *found;
    double *weights, *loops, *mass;
} inside;

static void free_inside(cafe_context *context, inside *in) {
    cafe_mem_free_all(context, in->offsets, in->targets, in->found, in->weights, in->loops,
                      in->mass);
}

static cafe_status make_inside(cafe_context *context, const cafe_pooled *g, const int32_t *node,
                               int64_t n, int64_t arcs, inside *in) {
    in->offsets = cafe_mem(context, n + 1, sizeof *in->offsets);
    in->targets = cafe_mem(context, arcs, sizeof *in->targets);
    in->found = cafe_mem(context, n, sizeof *in->found);
    in->weights = cafe_mem(context, arcs, sizeof *in->weights);
    in->loops = cafe_mem(context, n, sizeof *in->loops);
    in->mass = cafe_mem(context, n, sizeof *in->mass);
    CAFE_PASS(cafe_mem_had(in->offsets, in->targets, in->found, in->weights, in->loops, in->mass));
    for (int64_t i = 0; i < n; i++) {
        in->loops[i] = cafe_pooled_loop(g, node[i]);
        in->mass[i] = g->mass[node[i]];
    }
    in->g = (cafe_pooled){.n = n,
                          .offsets = in->offsets,
                          .targets = in->targets,
                          .pooled = in->weights,
                          .loops = in->loops,
                          .mass = in->mass,
                          .total = g->total,
                          .widest = g->widest};
    return CAFE_OK;
}

/* place[node[i]] = i is set here. */
static cafe_status take_inside(cafe_context *context, const cafe_pooled *g, const int32_t *part,
                               const int32_t *node, int64_t n, int32_t *place, inside *in) {
    int64_t arcs = 0, at = 0;
    for (int64_t i = 0; i < n; i++) {
        place[node[i]] = (int32_t)i;
        arcs += g->offsets[node[i] + 1] - g->offsets[node[i]];
    }
    CAFE_PASS(make_inside(context, g, node, n, arcs, in));
    for (int64_t i = 0; i < n; i++) {
        int32_t u = node[i];
        in->offsets[i] = at;
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++) {
            if (part[g->targets[arc]] != part[u] || g->targets[arc] == u) continue;
            in->targets[at] = place[g->targets[arc]];
            in->weights[at++] = cafe_pooled_weight(g, u, arc);
        }
    }
    in->offsets[n] = at;
    return CAFE_OK;
}

/* Divides the community of node[n] by a search inside it; its first part keeps the number. */
static cafe_status divide_one(cafe_context *context, cafe_search *s, double resolution,
                              const int32_t *node, int64_t n, int32_t *place, int32_t *part,
                              int64_t *count) {
    inside in = {.offsets = NULL};
    int64_t found = 1;
    cafe_status status = take_inside(context, s->h.finest, part, node, n, place, &in);
    if (status == CAFE_OK)
        status = search_at(context, s, &in.g, resolution, &s->h.turn, in.found, &found);
    for (int64_t i = 0; status == CAFE_OK && i < n; i++)
        if (in.found[i] > 0) part[node[i]] = (int32_t)(*count + in.found[i] - 1);
    if (status == CAFE_OK) *count += found - 1;
    free_inside(context, &in);
    return status;
}

/* Divides all communities of more than `most` nodes once; *larger: some were. */
static cafe_status divide_larger(cafe_context *context, cafe_search *s, double resolution,
                                 int64_t most, int32_t *place, int32_t *part, int64_t *count,
                                 bool *larger) {
    cafe_groups groups = {0, NULL, NULL};
    cafe_status status = CAFE_OK;
    *larger = false;
    CAFE_TRY(cafe_groups_new(context, s->h.finest->n, part, *count, &groups));
    for (int64_t c = 0; c < groups.count; c++) {
        int64_t first = groups.start[c], size = groups.start[c + 1] - first;
        if (size <= most) continue;
        *larger = true;
        CAFE_TRY(
            divide_one(context, s, resolution, groups.member + first, size, place, part, count));
    }
done:
    cafe_groups_free(context, &groups);
    return status;
}

/* The resolution r doubles until no community is too large. A part T leaves S if
 *
 *     p(T, S - T) < r p(T) p(S - T) ,
 *
 * which holds for all T and S - T with masses if r is large enough: in the end single nodes are
 * left. */
static cafe_status divide(cafe_context *context, cafe_search *s, int64_t most, int32_t *part,
                          int64_t *count) {
    double resolution = fmax(s->h.options->resolution, least_resolution);
    int32_t *place = cafe_mem(context, s->h.finest->n, sizeof *place);
    cafe_status status = cafe_mem_had(place);
    bool larger = true;
    for (int i = 0; i < MOST_HEATS && larger && status == CAFE_OK; i++, resolution *= 2)
        status = divide_larger(context, s, resolution, most, place, part, count, &larger);
    cafe_mem_free(context, place);
    return status;
}

/* ---- a number of communities ----------------------------------------------------------------- */

/* The best partition with the wanted number so far. */
typedef struct counted {
    cafe_search *s;
    cafe_size_limits limits;
    int32_t *part, *best; /* the last result; the best of those that were joined */
    int64_t count;        /* of the last result */
    double modularity;    /* of the best; -HUGE_VAL: there is none */
} counted;

/* Joins the result at a resolution down to the number, with the least losses there. Results of all
 * resolutions are compared by the modularity at the resolution that was asked for. */
static cafe_status join_down(cafe_context *context, counted *c, double resolution) {
    const cafe_pooled *g = c->s->h.finest;
    double modularity;
    CAFE_PASS(cafe_layers_join(context, g, resolution, &c->limits, c->part, &c->count));
    CAFE_PASS(cafe_layers_settle(context, g, resolution, &c->limits, c->part, c->count));
    CAFE_PASS(cafe_layers_modularity(context, g, c->s->h.options->resolution, c->part, c->count,
                                     &modularity));
    if (c->count != c->limits.communities || !(modularity > c->modularity)) return CAFE_OK;
    c->modularity = modularity;
    memcpy(c->best, c->part, (size_t)g->n * sizeof *c->part);
    return CAFE_OK;
}

/* Is the last result near enough to the number to be joined? */
static bool is_near(const counted *c) {
    int64_t wanted = c->limits.communities;
    return c->count >= wanted && c->count <= wanted + wanted / FEW + 1;
}

/* Searches at a resolution; *enough: it gives as many communities as wanted. */
static cafe_status try_resolution(cafe_context *context, counted *c, double resolution,
                                  bool *enough) {
    cafe_search *s = c->s;
    CAFE_PASS(search_at(context, s, s->h.finest, resolution, &s->h.turn, c->part, &c->count));
    *enough = c->count >= c->limits.communities;
    return is_near(c) ? join_down(context, c, resolution) : CAFE_OK;
}

/* An interval of resolutions: *low gives too few communities, *high enough. At r = 0 the
 * communities are the components; for large r they are single nodes. In between their number
 * grows with r, up to the luck of the search. */
static cafe_status bracket(cafe_context *context, counted *c, bool enough, double *low,
                           double *high) {
    double at = fmin(fmax(c->s->h.options->resolution, least_resolution), most_resolution);
    *low = *high = at;
    for (bool now = enough; now == enough;) {
        at = enough ? at / step : at * step;
        if (at < least_resolution || at > most_resolution) return CAFE_OK;
        CAFE_PASS(try_resolution(context, c, at, &now));
        *(now ? high : low) = at;
    }
    return CAFE_OK;
}

/* No result was near: more are joined, of a resolution that gives enough, or else single nodes. */
static cafe_status join_many(cafe_context *context, counted *c, double resolution) {
    cafe_search *s = c->s;
    if (c->modularity > -HUGE_VAL) return CAFE_OK;
    CAFE_PASS(search_at(context, s, s->h.finest, resolution, &s->h.turn, c->part, &c->count));
    if (c->count < c->limits.communities) {
        c->count = s->h.finest->n;
        for (int64_t u = 0; u < c->count; u++) c->part[u] = (int32_t)u;
    }
    return join_down(context, c, resolution);
}

/* Bisection of log r: the middle of the interval is sqrt(low high). */
static cafe_status find_number(cafe_context *context, counted *c) {
    bool enough = c->count >= c->limits.communities;
    double low, high;
    if (enough) CAFE_PASS(join_down(context, c, c->s->h.options->resolution));
    CAFE_PASS(bracket(context, c, enough, &low, &high));
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = sqrt(low * high);
        CAFE_PASS(try_resolution(context, c, middle, &enough));
        *(enough ? &high : &low) = middle;
    }
    return join_many(context, c, high);
}

static cafe_status take_number(cafe_context *context, cafe_search *s, cafe_size_limits limits,
                               int32_t *part, int64_t *count) {
    int64_t n = s->h.finest->n;
    counted c = {.s = s,
                 .limits = limits,
                 .part = part,
                 .count = *count,
                 .modularity = -HUGE_VAL,
                 .best = cafe_mem(context, n, sizeof *c.best)};
    cafe_status status = cafe_mem_had(c.best);
    if (status == CAFE_OK) status = check_components(context, s->h.finest, limits.communities);
    if (status == CAFE_OK) status = find_number(context, &c);
    if (status == CAFE_OK) memcpy(part, c.best, (size_t)n * sizeof *part);
    *count = limits.communities;
    cafe_mem_free(context, c.best);
    return status;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Adds a layer: its communities part[n] are unions of those of the last layer, below[n]. */
static cafe_status add_layer(cafe_context *context, const cafe_search *s, const int32_t *below,
                             int64_t below_count, const int32_t *part, int64_t count,
                             cafe_layers *layers) {
    const cafe_pooled *g = s->h.finest;
    double modularity;
    int32_t *group = cafe_mem(context, below ? below_count : g->n, sizeof *group);
    if (!group) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->n; u++) group[below ? below[u] : u] = part[u];
    cafe_status status =
        cafe_layers_modularity(context, g, s->h.options->resolution, part, count, &modularity);
    if (status == CAFE_OK) status = cafe_layers_add(context, layers, group, count, modularity);
    cafe_mem_free(context, group);
    return status;
}

/* The lower layers are divided by the new top layer, so that layers are nested again:
 *
 *     layer'_i = meet of layer_i and top
 */
static cafe_status build_layers(cafe_context *context, const cafe_search *s, const int32_t *top,
                                int64_t count, cafe_layers *layers) {
    const cafe_layers *old = s->best;
    int64_t n = s->h.finest->n, below_count = 0, met_count;
    cafe_status status = CAFE_OK;
    int32_t *met = cafe_mem(context, n, sizeof *met), *below = cafe_mem(context, n, sizeof *below);
    CAFE_TRY(cafe_mem_had(met, below));
    for (int64_t i = 0; i + 1 < old->count; i++) {
        CAFE_TRY(cafe_layers_meet(context, n, old->at[i].partition, old->at[i].communities, top,
                                  count, met, &met_count));
        if (met_count == count || met_count == below_count) continue;
        CAFE_TRY(add_layer(context, s, below_count > 0 ? below : NULL, below_count, met, met_count,
                           layers));
        memcpy(below, met, (size_t)n * sizeof *met);
        below_count = met_count;
    }
    CAFE_TRY(
        add_layer(context, s, below_count > 0 ? below : NULL, below_count, top, count, layers));
done:
    cafe_mem_free_all(context, met, below);
    return status;
}

static cafe_status take_sizes(cafe_context *context, cafe_search *s, cafe_size_limits limits,
                              int32_t *part, int64_t *count) {
    const cafe_pooled *g = s->h.finest;
    double resolution = s->h.options->resolution;
    CAFE_PASS(divide(context, s, limits.most, part, count));
    CAFE_PASS(cafe_layers_join(context, g, resolution, &limits, part, count));
    return cafe_layers_settle(context, g, resolution, &limits, part, *count);
}

cafe_status cafe_search_limit(cafe_context *context, cafe_search *s) {
    cafe_status status = CAFE_OK;
    const cafe_layer *top = &s->best->at[s->best->count - 1];
    int64_t n = s->h.finest->n, count = top->communities;
    cafe_size_limits limits = limits_of(s->h.options, n);
    cafe_layers *made = cafe_layers_new(context, n);
    int32_t *part = cafe_mem(context, n, sizeof *part);
    CAFE_TRY(cafe_mem_had(made, part));
    memcpy(part, top->partition, (size_t)n * sizeof *part);
    CAFE_TRY(limits.communities > 0 ? take_number(context, s, limits, part, &count)
                                    : take_sizes(context, s, limits, part, &count));
    CAFE_TRY(build_layers(context, s, part, count, made));
    cafe_layers_free(s->best);
    if (s->last == s->best) s->last = made;
    s->best = made;
    made = NULL;
done:
    cafe_mem_free(context, part);
    cafe_layers_free(made);
    return status;
}
