/* Twisted sampling: p(u,w) ~ a(u,w) exp(lambda f(x_u, x_w)), exponential tilting of the edges.
 *
 * The mean of f under P grows with lambda, from the least f of an edge to the largest, because
 *
 *     d/dlambda E f = Var f >= 0.
 *
 * So each mean in between has one lambda, found by Newton's method within a bracket.
 */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "sample/sampled_graph.h"

enum { BLOCK = 1024, TRIALS = 200 };

/* No edge falls below exp(-60) of the heaviest. With smaller weights nodes would look isolated in
 * single precision, and no result that is computed from P would change. */
static const double least_exponent = -60;

typedef struct twist {
    const cafe_graph *graph;
    const float *x; /* n x width */
    int64_t width;
    cafe_measure measure;
    double *length;     /* of the rows, for the cosine */
    float *f;           /* per arc; in the end the weights */
    double least, most; /* of f */
    double lambda;
    double scale;         /* brings the total back to 2m */
    struct moments *part; /* per block */
} twist;

/* Sums over arcs of a exp(lambda f - top), of that times f - least, and times (f - least)^2. */
typedef struct moments {
    double mass, first, second;
    double plain; /* sum of a */
    double least, most;
    int64_t bad; /* first row that is not finite, or -1 */
} moments;

static double arc_weight(const cafe_graph *g, int64_t j) {
    return g->scaled ? g->scaled[j] : 1;
}

/* ---- the measure ----------------------------------------------------------------------------- */

static double dot(const float *x, const float *y, int64_t width) {
    double sum = 0;
    for (int64_t i = 0; i < width; i++) sum += (double)x[i] * y[i];
    return sum;
}

static double equal_share(const float *x, const float *y, int64_t width) {
    int64_t equal = 0;
    for (int64_t i = 0; i < width; i++) equal += x[i] == y[i];
    return (double)equal / (double)width;
}

static double measure(const twist *t, int64_t u, int64_t w) {
    const float *x = t->x + u * t->width, *y = t->x + w * t->width;
    if (t->measure == CAFE_MEASURE_CATEGORY) return equal_share(x, y, t->width);
    double inner = dot(x, y, t->width);
    if (t->measure == CAFE_MEASURE_DOT) return inner;
    double lengths = t->length[u] * t->length[w];
    return lengths > 0 ? fmin(fmax(inner / lengths, -1), 1) : 0;
}

static void fill_lengths(void *argument, int64_t first, int64_t last) {
    const twist *t = argument;
    int64_t bad = -1;
    for (int64_t u = first; u < last; u++) {
        const float *x = t->x + u * t->width;
        t->length[u] = sqrt(dot(x, x, t->width));
        if (bad < 0 && !isfinite(t->length[u])) bad = u;
    }
    t->part[first / BLOCK].bad = bad;
}

static void fill_measure(void *argument, int64_t first, int64_t last) {
    const twist *t = argument;
    const cafe_graph *g = t->graph;
    moments m = {.least = INFINITY, .most = -INFINITY};
    for (int64_t u = first; u < last; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            t->f[j] = (float)fmax(fmin(measure(t, u, g->targets[j]), FLT_MAX), -FLT_MAX);
            m.least = fmin(m.least, t->f[j]);
            m.most = fmax(m.most, t->f[j]);
            m.plain += arc_weight(g, j);
        }
    t->part[first / BLOCK] = m;
}

/* ---- the strength ---------------------------------------------------------------------------- */

/* The largest lambda f: exponents are counted from it, so that none overflows. */
static double top(const twist *t) {
    return fmax(t->lambda * t->least, t->lambda * t->most);
}

static void add_moments(void *argument, int64_t block) {
    const twist *t = argument;
    const cafe_graph *g = t->graph;
    moments m = t->part[block];
    double highest = top(t);
    m.mass = m.first = m.second = 0;
    int64_t last = g->offsets[cafe_block_end(g->n, BLOCK, block)];
    for (int64_t j = g->offsets[block * BLOCK]; j < last; j++) {
        double above = t->f[j] - t->least;
        double weight = arc_weight(g, j) * exp(t->lambda * t->f[j] - highest);
        m.mass += weight;
        m.first += weight * above;
        m.second += weight * above * above;
    }
    t->part[block] = m;
}

static moments sum_parts(const twist *t) {
    moments sum = {.least = INFINITY, .most = -INFINITY};
    for (int64_t b = 0; b < cafe_blocks(t->graph->n, BLOCK); b++) {
        const moments *m = &t->part[b];
        sum.mass += m->mass, sum.first += m->first, sum.second += m->second;
        sum.plain += m->plain;
        sum.least = fmin(sum.least, m->least), sum.most = fmax(sum.most, m->most);
    }
    return sum;
}

/* Mean and variance of f under the lambda at hand. */
static cafe_status find_mean(cafe_context *context, twist *t, double *mean, double *variance) {
    cafe_status status = cafe_each(context, cafe_blocks(t->graph->n, BLOCK), add_moments, t);
    moments m = sum_parts(t);
    double first = m.first / m.mass;
    *mean = t->least + first;
    *variance = fmax(m.second / m.mass - first * first, 0);
    return status;
}

/* Finds lambda with mean(lambda) = wanted: a Newton step if it stays in the bracket, else the
 * middle, until the mean is right to single precision. Steps double while the bracket is open on
 * one side. */
static cafe_status find_lambda(cafe_context *context, twist *t, double wanted) {
    double low = -INFINITY, high = INFINITY, range = t->most - t->least, mean, variance;
    if (!(wanted > t->least && wanted < t->most))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "an average of %g cannot be: the measure goes from %g to %g on the edges",
                         wanted, t->least, t->most);
    double stride = 1 / range;
    t->lambda = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        CAFE_PASS(find_mean(context, t, &mean, &variance));
        if (fabs(mean - wanted) <= 1e-9 * range) break;
        *(mean < wanted ? &low : &high) = t->lambda;
        double next = t->lambda + (wanted - mean) / variance;
        if (!(next > low && next < high) || !isfinite(next) || fabs(next - t->lambda) > stride)
            next = isinf(low) ? high - stride : isinf(high) ? low + stride : low + (high - low) / 2;
        stride *= 2;
        if (next == t->lambda) break;
        t->lambda = next;
    }
    return CAFE_OK;
}

/* ---- the weights ----------------------------------------------------------------------------- */

static void twist_arcs(void *argument, int64_t block) {
    const twist *t = argument;
    const cafe_graph *g = t->graph;
    double highest = top(t);
    int64_t last = g->offsets[cafe_block_end(g->n, BLOCK, block)];
    for (int64_t j = g->offsets[block * BLOCK]; j < last; j++) {
        double exponent = fmax(t->lambda * t->f[j] - highest, least_exponent);
        t->f[j] = (float)fmax(arc_weight(g, j) * exp(exponent) * t->scale, FLT_MIN);
    }
}

static cafe_status measure_arcs(cafe_context *context, twist *t) {
    int64_t n = t->graph->n, blocks = cafe_blocks(n, BLOCK);
    t->part = cafe_mem_zero(context, blocks, sizeof *t->part);
    t->length = cafe_mem(context, n, sizeof *t->length);
    t->f = cafe_mem(context, t->graph->arcs, sizeof *t->f);
    if (!t->part || !t->length || !t->f) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_ranges(context, n, BLOCK, fill_lengths, t));
    for (int64_t b = 0; b < blocks; b++)
        if (t->part[b].bad >= 0)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the attributes of node %lld are not finite",
                             (long long)t->part[b].bad);
    CAFE_PASS(cafe_ranges(context, n, BLOCK, fill_measure, t));
    moments m = sum_parts(t);
    t->least = m.least, t->most = m.most;
    return CAFE_OK;
}

cafe_status cafe_sample_twisted(cafe_context *context, const cafe_graph *graph,
                                cafe_sampling sampling, const cafe_sample_options *o,
                                const cafe_sample_inputs *inputs, cafe_sampled **sampled) {
    cafe_status status = CAFE_OK;
    double mean, variance;
    twist t = {.graph = graph,
               .x = inputs->attributes,
               .width = inputs->width,
               .measure = (cafe_measure)o->measure,
               .lambda = o->lambda};
    CAFE_TRY(measure_arcs(context, &t));
    if (o->aim) CAFE_TRY(find_lambda(context, &t, o->twist_mean));
    CAFE_TRY(find_mean(context, &t, &mean, &variance));
    moments m = sum_parts(&t);
    t.scale = m.plain / m.mass;
    if (t.lambda == 0) { /* edge sampling to the bit: the graph's own weights */
        cafe_mem_free(context, t.f);
        t.f = NULL;
    } else {
        CAFE_TRY(cafe_each(context, cafe_blocks(graph->n, BLOCK), twist_arcs, &t));
    }
    float *weights = t.f;
    t.f = NULL;
    CAFE_TRY(cafe_sampled_of(context, graph, weights, sampling, sampled));
    (*sampled)->info.lambda = t.lambda;
    (*sampled)->info.mean = mean;
done:
    cafe_mem_free_all(context, t.part, t.length, t.f);
    return status;
}
