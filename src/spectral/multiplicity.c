/* A Krylov space of a block holds, but for rounding, no more vectors of an eigenvalue than the
 * block has. Where an eigenvalue comes more often, in graphs of many equal parts or with many
 * symmetries, the pairs found converge as well without the copies that are missing.
 *
 * So when a value has come as often as the block is wide, all pairs but the last few are locked. V
 * begins with them, and continues with random vectors, orthogonal to them. The last few have to be
 * found again, as they were found before, and copies that were missed come before them. This ends
 * when the new block has shown no value as often as it could have: then there are no more. (Locking
 * is Grimes, Lewis and Simon's, 1994; a wider space where eigenvalues crowd, Bai, Day and Ye's,
 * 1999.)
 *
 * T stays V^T M V with the locked vectors in V, so that they may still turn among their copies.
 * Only their residuals are forgotten: they are asked to be less than the others.
 */
#include "spectral/multiplicity.h"

#include <math.h>

enum { WIDTH = CAFE_EIGEN_WIDTH };
/* In tolerances: how far copies of a value lie apart, and what residual a locked pair may have. */
static const double near_by = 3, least_share = 0.3;

/* Ritz values within this distance may belong to one eigenvalue: each is within its residual of it.
 */
double cafe_copies_near(const cafe_krylov *k, int64_t pair) {
    return near_by * cafe_krylov_allowed(k, pair);
}

/* Of the wanted pairs, those with this value that are not locked. */
static int64_t copies(const cafe_krylov *k, double value, double near) {
    int64_t found = 0, locked = 0;
    for (int64_t j = 0; j < k->count; j++) found += fabs(k->theta[k->order[j]] - value) <= near;
    for (int64_t j = 0; j < k->locked; j++) locked += fabs(k->values[j] - value) <= near;
    return found - locked;
}

/* Those up to the copies of the first value that has come as often as a block can show it. */
int64_t cafe_copies_sure(const cafe_krylov *k) {
    for (int64_t i = 0; i < k->count; i++) {
        double value = k->theta[k->order[i]], near = cafe_copies_near(k, k->order[i]);
        if (copies(k, value, near) < WIDTH) continue;
        while (i < k->count &&
               cafe_krylov_want(k, k->theta[k->order[i]]) >= cafe_krylov_want(k, value) - near)
            i++;
        return i;
    }
    return k->count;
}

double cafe_copies_share(const cafe_krylov *k) {
    return fmax(least_share, fmin(1, CAFE_KRYLOV_ROUNDING / k->tolerance));
}

/* A locked vector keeps its residual r, and pairs found later add up to r to theirs. So a locked
 * pair must have a share of the allowed residual only. */
static bool is_lockable(const cafe_krylov *k, int64_t pair) {
    return cafe_krylov_residual(k, pair) <= cafe_copies_share(k) * cafe_krylov_allowed(k, pair);
}

/* All wanted pairs but the last few, in whole blocks; the last few must be found again as a check.
 */
int64_t cafe_copies_lockable(const cafe_krylov *k) {
    int64_t most = (k->count - 1) / WIDTH * WIDTH, found = 0;
    for (int64_t j = 0; j < k->count; j++) found += is_lockable(k, k->order[j]);
    return found < most ? 0 : most;
}

/* V <- the locked Ritz vectors, then a random block orthogonal to them: the Krylov space of this
 * block contains copies that the first block did not. */
cafe_status cafe_copies_look(cafe_context *context, cafe_krylov *k, int64_t count) {
    double sum = cafe_krylov_sum(k); /* when more was found, the limit of passes begins again */
    if (k->begun == 0 || sum > k->sum + cafe_copies_near(k, k->order[0])) k->begun = k->passes;
    k->sum = sum;
    k->locked = 0;
    for (int64_t j = 0; k->locked < count; j++) {
        int64_t pair = k->order[j];
        if (!is_lockable(k, pair)) continue;
        k->values[k->locked] = k->theta[pair];
        k->order[k->locked++] = pair;
    }
    CAFE_PASS(cafe_krylov_restart(context, k, count));
    return cafe_krylov_start(context, k);
}
