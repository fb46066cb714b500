/* The degree exponent: a(u,w) <- a(u,w) / (d_u d_w)^x, 0 <= x <= 1/2, scaled to sum 1 again.
 *
 * A pair then counts by more than how often it is drawn: the larger x, the less the hubs' own
 * shares are in it. x = 0 is P itself, x = 1/2 the normalised similarity, which eq. (link1111) of
 * the paper turns into a sampled graph like any other.
 *
 * No weights are stored. A node has the factor f_u = (p_u n)^-x, about 1, so that weights keep
 * their size, and a link weighs a(u,w) f_u f_w (graph/link.h).
 */
#include <math.h>

#include "base/memory.h"
#include "base/pool.h"
#include "sample/sampled.h"

enum { BLOCK = 4096 };

typedef struct factors {
    const cafe_sampled *sampled;
    double x;
    float *factor;
} factors;

/* share^-x. pow() need not be the same for x = 1/2 everywhere; sqrt() is. A node without links
 * keeps 1. */
static double factor_of(double share, double x) {
    double power = x == 0.5 ? sqrt(share) : pow(share, x);
    return share > 0 ? 1 / power : 1;
}

static void fill_factors(void *argument, int64_t first, int64_t last) {
    const factors *t = argument;
    const cafe_sampled *s = t->sampled;
    for (int64_t u = first; u < last; u++)
        t->factor[u] = (float)factor_of(s->p[u] * (double)s->n, t->x);
}

double cafe_sampled_factor(const cafe_sampled *s, double degree) {
    return s->factor ? factor_of(degree * s->unit, s->info.degree_exponent) : 1;
}

cafe_status cafe_sampled_exponent(cafe_context *context, double x, cafe_sampled *s) {
    factors t = {s, x, cafe_mem(context, s->n, sizeof *t.factor)};
    if (!t.factor) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_ranges(context, s->n, BLOCK, fill_factors, &t);
    s->factor = t.factor;
    s->unit = (double)s->n / s->total;
    s->info.degree_exponent = x;
    return status == CAFE_OK ? cafe_sampled_fill(context, s) : status;
}
