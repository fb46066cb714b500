/* The degree exponent: a(u,w) <- a(u,w) / (d_u d_w)^x, 0 <= x <= 1/2, scaled to sum 1 again.
 *
 * The larger x, the smaller the shares of hubs. x = 0 is P itself. x = 1/2 is the normalised
 * similarity, which eq. (link1111) of the paper turns into a sampled graph like any other.
 *
 * No weights are stored. A node has the factor f_u = (p_u n)^-x, about 1, which keeps weights near
 * their size, and an edge weighs a(u,w) f_u f_w (graph/edge_weight.h).
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "sample/sampled_graph.h"

enum { BLOCK = 4096 };

enum { KNOWN = 1 << 14 }; /* degrees whose factors are worked out once */

typedef struct factors {
    const cafe_sampled *sampled;
    double x;
    float *factor;
    float *known; /* by degree, for edges without weights; NULL: none */
} factors;

/* Returns share^-x. pow() may differ between C libraries for x = 1/2; sqrt() does not. A node
 * without edges keeps 1. */
double cafe_degree_factor(double share, double x) {
    double power = x == 0.5 ? sqrt(share) : pow(share, x);
    return share > 0 ? 1 / power : 1;
}

static void fill_factors(void *argument, int64_t first, int64_t last) {
    const factors *t = argument;
    const cafe_sampled *s = t->sampled;
    for (int64_t u = first; u < last; u++) {
        int64_t links = s->offsets[u + 1] - s->offsets[u];
        t->factor[u] = t->known && links < KNOWN
                           ? t->known[links]
                           : (float)cafe_degree_factor(s->p[u] * (double)s->n, t->x);
    }
}

/* p_u = degree / total, as it was formed. */
static void fill_known(void *argument, int64_t first, int64_t last) {
    const factors *t = argument;
    for (int64_t d = first; d < last; d++)
        t->known[d] =
            (float)cafe_degree_factor((double)d / t->sampled->total * (double)t->sampled->n, t->x);
}

static cafe_status find_factors(cafe_context *context, factors *t) {
    if (!t->sampled->weights && t->sampled->n > KNOWN) {
        t->known = cafe_mem(context, KNOWN, sizeof *t->known);
        CAFE_PASS(cafe_mem_had(t->known));
        CAFE_PASS(cafe_ranges(context, KNOWN, BLOCK / 8, fill_known, t));
    }
    return cafe_ranges(context, t->sampled->n, BLOCK, fill_factors, t);
}

double cafe_sampled_factor(const cafe_sampled *s, double degree) {
    return s->factor ? cafe_degree_factor(degree * s->unit, s->info.degree_exponent) : 1;
}

cafe_status cafe_sampled_exponent(cafe_context *context, double x, cafe_degrees *degrees,
                                  cafe_sampled *s) {
    factors t = {s, x, cafe_mem(context, s->n, sizeof *t.factor), NULL};
    if (!t.factor) return CAFE_ERROR_MEMORY;
    cafe_mem_touch(context, t.factor);
    cafe_status status = find_factors(context, &t);
    cafe_mem_free(context, t.known);
    s->factor = t.factor;
    s->unit = (double)s->n / s->total;
    s->info.degree_exponent = x;
    return status == CAFE_OK ? cafe_sampled_fill(context, degrees, s) : status;
}
