/* The range of weights, and the power of two that brings them near 1.
 *
 * Positive floats are ordered as their bits are, so the smallest and the largest weight are found
 * as integers, by all threads, in one pass.
 */
#include "graph/weight_scale.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/graph.h"

enum { ARCS = 1 << 16 };

typedef struct scaling {
    const float *weights;
    float *scaled;
    int64_t from; /* the first arc to read */
    float factor; /* the factor of the weights; the bound of weights that are too small */
    atomic_llong least, most; /* bits of the smallest weight; minus the bits of the largest */
} scaling;

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(long long bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void find_ends(void *argument, int64_t first, int64_t last) {
    scaling *s = argument;
    uint32_t least = UINT32_MAX, most = 0;
    for (int64_t i = s->from + first; i < s->from + last; i++) {
        uint32_t bits = bits_of(s->weights[i]);
        least = bits < least ? bits : least;
        most = bits > most ? bits : most;
    }
    cafe_lower(&s->least, least);
    cafe_lower(&s->most, -(long long)most);
}

static void scale_arcs(void *argument, int64_t first, int64_t last) {
    const scaling *s = argument;
    for (int64_t i = first; i < last; i++) s->scaled[i] = s->weights[i] * s->factor;
}

static cafe_status check(cafe_context *context, double least, double most) {
    if (!(most <= FLT_MAX))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a weight of the graph is too large: weights are at most %.6g",
                         (double)FLT_MAX);
    if (least < CAFE_WEIGHT_LEAST)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the smallest weight of the graph is %.6g: weights are 0 or at least %.6g",
                         least, CAFE_WEIGHT_LEAST);
    if (most > least * CAFE_WEIGHT_RATIO)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the weights of the graph go from %.6g to %.6g: the largest is at most "
                         "%.6g times the smallest",
                         least, most, CAFE_WEIGHT_RATIO);
    return CAFE_OK;
}

/* 2^top <= the largest weight < 2^(top + 1) */
static int top_of(float most) {
    int exponent;
    frexpf(most, &exponent);
    return exponent - 1;
}

/* Products with a power of two are exact: the smallest weight stays above 2^-65. */
static cafe_status copy_scaled(cafe_context *context, scaling *s, cafe_graph *g) {
    s->scaled = cafe_mem(context, g->arcs, sizeof *s->scaled);
    if (!s->scaled) return CAFE_ERROR_MEMORY;
    g->exponent = g->top < 126 ? g->top : 126; /* 2^-127 is no normal float */
    g->top -= g->exponent;
    s->factor = ldexpf(1, -g->exponent);
    g->scaled = g->scaled_copy = s->scaled;
    return cafe_ranges(context, g->arcs, ARCS, scale_arcs, s);
}

/* Finds the ends of all weights from those of every process's rows. */
static cafe_status find_shared_ends(cafe_context *context, const cafe_graph *g, scaling *s) {
    cafe_portion portion = cafe_portion_of(g->portion, g->n);
    int64_t arcs = g->offsets[portion.last] - g->offsets[portion.first], ends[2];
    void *all = NULL;
    s->from = g->offsets[portion.first];
    CAFE_PASS(cafe_ranges(context, arcs, ARCS, find_ends, s));
    if (!portion.shared) return CAFE_OK;
    ends[0] = atomic_load(&s->least), ends[1] = atomic_load(&s->most);
    CAFE_PASS(cafe_team_gather(context, ends, sizeof ends, &all, NULL));
    for (int32_t r = 0; r < cafe_team_ranks(context); r++) {
        cafe_lower(&s->least, ((int64_t *)all)[2 * r]);
        cafe_lower(&s->most, ((int64_t *)all)[2 * r + 1]);
    }
    cafe_mem_free(context, all);
    return CAFE_OK;
}

cafe_status cafe_graph_scale(cafe_context *context, cafe_graph *g) {
    scaling s = {.weights = g->weights, .least = INT64_MAX, .most = INT64_MAX};
    cafe_mem_free(context, g->scaled_copy);
    g->scaled_copy = NULL;
    g->scaled = g->weights;
    g->exponent = g->top = 0;
    if (!g->weights || g->arcs == 0) return CAFE_OK;
    CAFE_PASS(find_shared_ends(context, g, &s));
    float least = of_bits(atomic_load(&s.least)), most = of_bits(-atomic_load(&s.most));
    CAFE_PASS(check(context, least, most));
    g->top = top_of(most);
    if (least == most && ldexpf(1, g->top) == most) { /* one power of two for all: all 1 */
        g->scaled = NULL;
        g->exponent = g->top;
        g->top = 0;
    } else if (g->top < -CAFE_SCALE_NEAR || g->top > CAFE_SCALE_NEAR) {
        CAFE_PASS(copy_scaled(context, &s, g));
    }
    return CAFE_OK;
}

/* ---- the weight in the middle ---------------------------------------------------------------- */

enum { HALF = 1 << 16 };

/* Counts the weights with these upper halves of their bits (negative: all) by the other half.
 * Returns the count that contains number `rank`, and reduces rank to the number within. */
static long long find_half(const cafe_graph *g, long long upper, int64_t *count, int64_t *rank) {
    long long half = 0;
    memset(count, 0, HALF * sizeof *count);
    for (int64_t j = 0; j < g->arcs; j++) {
        uint32_t bits = bits_of(g->scaled[j]);
        if (upper < 0) count[bits / HALF]++;
        if (upper == bits / HALF) count[bits % HALF]++;
    }
    while (*rank >= count[half]) *rank -= count[half++];
    return half;
}

cafe_status cafe_graph_median(cafe_context *context, const cafe_graph *graph, double *median) {
    int64_t rank = (graph->arcs - 1) / 2;
    *median = 1;
    if (!graph->scaled || graph->arcs == 0) return CAFE_OK;
    int64_t *count = cafe_mem(context, HALF, sizeof *count);
    CAFE_PASS(cafe_mem_had(count));
    long long upper = find_half(graph, -1, count, &rank);
    *median = of_bits(upper * HALF + find_half(graph, upper, count, &rank));
    cafe_mem_free(context, count);
    return CAFE_OK;
}

/* ---- weights of our own ---------------------------------------------------------------------- */

static void trim_arcs(void *argument, int64_t first, int64_t last) {
    const scaling *s = argument;
    for (int64_t i = first; i < last; i++)
        if (s->scaled[i] < s->factor) s->scaled[i] = 0;
}

cafe_status cafe_weights_trim(cafe_context *context, int64_t count, float *weights) {
    scaling s = {.weights = weights, .scaled = weights, .least = INT64_MAX, .most = INT64_MAX};
    if (count == 0) return CAFE_OK;
    CAFE_PASS(cafe_ranges(context, count, ARCS, find_ends, &s));
    double least = of_bits(-atomic_load(&s.most)) / CAFE_WEIGHT_RATIO;
    s.factor = (float)(least > CAFE_WEIGHT_LEAST ? least : CAFE_WEIGHT_LEAST);
    return cafe_ranges(context, count, ARCS, trim_arcs, &s);
}

double cafe_graph_to_scaled(const cafe_graph *graph, double weight) {
    return ldexp(weight, -graph->exponent);
}

double cafe_graph_unit_weight(const cafe_graph *graph, int64_t arc) {
    return graph->scaled ? ldexp(graph->scaled[arc], -graph->top) : 1;
}
