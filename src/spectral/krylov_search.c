/* The search for the wanted pairs: when V starts again, and with what; when it is enough, and when
 * no number of passes would be.
 *
 * If the gaps are so small that many passes would be needed, V starts again and belongs to a
 * polynomial of M (spectral/chebyshev.h). A block then takes several products, and V grows and is
 * rotated less often by that factor (the filtered Lanczos procedure of Fang and Saad, 2012).
 */
#include "spectral/krylov_search.h"

#include <math.h>
#include <string.h>

#include "spectral/multiplicity.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    KEPT = 24, /* Ritz vectors that a restart keeps besides the wanted ones */
    MOST_PASSES = 1500,
    FIRST_LOOK = 100, /* passes after which a run without hope is given up, */
    LARGE = 1 << 28,  /* when so many numbers of V have been read; */
    LONG = 4,         /* or sooner, when they are so many times as many */
    MOST_DEGREE = 9,  /* of the filter, which is there when so many passes */
    LONG_WAY = 80,    /* lie ahead without it */
    SHORT_STEP = 2    /* passes between two looks at the residuals when they are close */
};
/* By so much the filter favours the first eigenvalue at most, and the last one that is wanted at
 * least. */
static const double most_growth = 20, least_growth = 1.5;

/* ---- hope ------------------------------------------------------------------------------------ */

/* How the distance has fallen: looks at passes that grow by half each time. */
typedef struct pace {
    double then, gain; /* the distance at the last look, and what it had fallen by since the one
                        * before */
    int64_t since, looks;
    double sum; /* of the wanted values, as they are wanted */
} pace;

/* What D more looks gain. Where eigenvalues crowd at the end, residuals fall as a power of the
 * passes: by the same factor from look to look. Elsewhere they fall faster and faster, by r > 1
 * times what they fell before:
 *
 *     gain (r + r^2 + ... + r^D),     r = max(1, gain / the gain before) . */
static double gain_ahead(const cafe_krylov *k, double gain, double before, int64_t most) {
    double r = before > 0 ? fmax(1, gain / before) : 1, sum = 0;
    for (double at = 1.5 * (double)(k->passes - k->begun); at < (double)most; at *= 1.5)
        sum += gain *= r;
    return sum;
}

/* Will twice the limit not do? At the pace of late, after some passes; or, where passes are long,
 * by what is ahead: on short paths a power of the passes becomes a fast end. Not when the distance
 * is larger because another copy of an eigenvalue came, by rounding, and is wanted more. */
static bool hopeless(const cafe_krylov *k, double now, int64_t most, pace *p) {
    int64_t made = k->passes - k->begun;
    if (p->looks > 0 && 2 * made < 3 * p->since) return false;
    double gain = p->then - now, passes = (double)made, sum = cafe_krylov_sum(k), ahead;
    double read = passes * (double)k->rows.n * (double)k->basis.most;
    ahead = 2 * gain * ((double)most - passes) / (passes - (double)p->since);
    bool slow = p->looks > 0 && made >= FIRST_LOOK && read > LARGE && ahead < now;
    ahead = 2 * gain_ahead(k, gain, p->gain, most);
    slow |= p->looks > 1 && read > LONG * (double)LARGE && ahead < now;
    bool came = gain < 0 && sum > p->sum + cafe_copies_near(k, k->order[0]);
    *p = (pace){now, gain, made, came ? 1 : p->looks + 1, sum};
    return slow && !came;
}

/* ---- the filter ------------------------------------------------------------------------------ */

/* The polynomial of the highest degree that does not let the first value outgrow the others. Ritz
 * values are not beyond eigenvalues, so nothing that is wanted is cut off. */
static void plan_filter(const cafe_krylov *k, cafe_filter *f) {
    int64_t far = f->sign > 0 ? k->basis.used - 1 : 0;
    int64_t cut = k->order[cafe_whole_blocks(k->count + KEPT) - 1];
    double low = f->sign * k->theta[far] - cafe_krylov_residual(k, far),
           high = f->sign * k->theta[cut];
    f->centre = (high + low) / 2;
    f->half = (high - low) / 2;
    f->degree = 1;
    if (!(f->half > 1e-6 * k->norm)) return;
    for (int64_t degree = 3; degree <= MOST_DEGREE; degree += 2) {
        cafe_filter next = *f;
        next.degree = degree;
        if (cafe_filter_value(&next, f->sign * k->theta[k->order[0]]) > most_growth) break;
        f->degree = degree;
    }
    double last = f->sign * k->theta[k->order[k->count - 1]];
    if (cafe_filter_value(f, last) < least_growth) f->degree = 1;
}

/* What V has of the wanted vectors becomes the start of the filter's V: each column is a sum of one
 * in eight of them. */
static cafe_status start_filter(cafe_context *context, cafe_krylov *k) {
    cafe_filter f = k->filter;
    int64_t keep = cafe_whole_blocks(k->count + KEPT), used = k->basis.used;
    f.sign = k->problem->want == cafe_want_smallest ? -1 : 1;
    if (f.sign > 0 && k->problem->want != cafe_want_largest) return CAFE_OK;
    if (k->count <= WIDTH) return CAFE_OK; /* V is small beside the products */
    plan_filter(k, &f);
    if (f.degree == 1) return CAFE_OK;
    CAFE_PASS(cafe_filter_new(context, k->rows.own, k->single, &k->filter));
    f.older = k->filter.older, f.newer = k->filter.newer;
    k->filter = f;
    memset(k->chosen, 0, (size_t)(used * WIDTH) * sizeof *k->chosen);
    for (int64_t i = 0; i < used; i++)
        for (int64_t j = 0; j < keep; j++)
            k->chosen[i * WIDTH + j % WIDTH] +=
                k->s[i * used + k->order[j]] / sqrt((double)(keep / WIDTH));
    memset(k->t, 0, (size_t)(k->basis.most * k->basis.most) * sizeof *k->t);
    return cafe_basis_renew(context, &k->basis, k->chosen);
}

/* Would the run be long as it is? By what the distance has fallen since V was full before. */
static bool is_slow(const cafe_krylov *k, double now, const pace *last) {
    double gain = (last->then - now) / (double)(k->passes - last->since);
    return last->since > 0 && now > LONG_WAY * gain;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* V is full: it starts again with a filter, if that is worth it, or with the best of its vectors.
 */
static cafe_status go_on(cafe_context *context, cafe_krylov *k, double now, pace *last, pace *p) {
    bool slow =
        k->filter.degree == 1 && k->locked == 0 && k->problem->passes == 0 && is_slow(k, now, last);
    *last = (pace){.then = now, .since = k->passes};
    if (slow) CAFE_PASS(start_filter(context, k));
    if (slow && k->filter.degree > 1) *p = (pace){0};
    return k->basis.used == k->basis.most
               ? cafe_krylov_restart(context, k, cafe_whole_blocks(k->count + KEPT))
               : CAFE_OK;
}

/* The loop: fill V, look at the residuals, then
 *
 *     all within the tolerance, no value as often as a block is wide   ->  done
 *     all within, but some value that often                            ->  lock pairs, look for
 * copies passes used up, or hopeless                                      ->  give up V full ->
 * restart, perhaps filtered
 */
cafe_status cafe_krylov_search(cafe_context *context, cafe_krylov *k) {
    int64_t most = k->problem->passes > 0 ? k->problem->passes : MOST_PASSES, step = INT64_MAX;
    pace p = {0}, last = {0};
    int64_t lock = 0;
    if (k->passes == 0) CAFE_PASS(cafe_krylov_start(context, k));
    for (;;) {
        CAFE_PASS(cafe_krylov_fill(context, k, step));
        double now = cafe_krylov_distance(k, 1);
        cafe_step(context, k->passes,
                  cafe_krylov_residual(k, k->order[k->count - 1]) / k->basis.scale);
        if (!(now > 0)) {
            k->reached = true;
            if (cafe_copies_sure(k) == k->count) break;
            lock = cafe_copies_lockable(k);
            now = cafe_krylov_distance(k, cafe_copies_share(k));
        }
        step = now < 1 ? SHORT_STEP : INT64_MAX;
        if (lock > 0) {
            CAFE_PASS(cafe_copies_look(context, k, lock));
            p = last = (pace){0}, lock = 0, step = INT64_MAX;
            continue;
        }
        if (k->passes - k->begun >= most || hopeless(k, now, most, &p)) break;
        if (k->basis.used == k->basis.most) CAFE_PASS(go_on(context, k, now, &last, &p));
    }
    return CAFE_OK;
}
