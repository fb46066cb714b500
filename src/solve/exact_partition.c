/* Let v(S) = sum over u, w in S of q(u,w) and f(S) the largest modularity of a partition of S:
 *
 *     f(S) = max over T, min S in T, T in S, of v(T) + f(S \ T),    f({}) = 0
 *
 * A set is a mask of bits, and S \ T is a smaller number than S. There are 3^(n-1) pairs (S, T).
 */
#include "solve/exact_partition.h"

#include "base/memory.h"
#include "graph/edge_weight.h"

typedef struct sets {
    int64_t n;
    double *q;      /* n x n */
    double *value;  /* v(S) */
    double *best;   /* f(S) */
    uint32_t *with; /* the T of the maximum */
} sets;

/* q(u,w) = a(u,w) / total + resolution kappa f_u C f_w^T, for a graph p(u,w) - resolution p_u p_w
 */
static void fill_covariances(const cafe_operator_parts *s, double resolution, double *q) {
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t w = 0; w < s->n; w++)
            q[u * s->n + w] = s->kappa * cafe_factor_expected(s, resolution, u, w);
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            q[u * s->n + s->targets[j]] += CAFE_LINK(s, u, j) / s->total;
}

/* v(S) = v(S \ u) + q(u,u) + 2 q(u, S \ u), u = min S */
static void fill_values(sets *s) {
    s->value[0] = 0;
    for (uint32_t set = 1; set < 1u << s->n; set++) {
        int64_t u = __builtin_ctz(set);
        uint32_t rest = set & (set - 1);
        double sum = s->value[rest] + s->q[u * s->n + u];
        for (uint32_t left = rest; left; left &= left - 1)
            sum += 2 * s->q[u * s->n + __builtin_ctz(left)];
        s->value[set] = sum;
    }
}

/* Sums of the same numbers in another order differ by less. */
static const double rounding = 0x1p-48;

/* Sets T grow, and a later one must be better: of equal ones the first, with fewest nodes, counts.
 */
static void fill_best(sets *s) {
    s->best[0] = 0;
    for (uint32_t set = 1; set < 1u << s->n; set++) {
        uint32_t first = set & -set, rest = set ^ first, more = 0;
        s->best[set] = s->value[first] + s->best[rest];
        s->with[set] = first;
        while ((more = (more - rest) & rest) != 0) {
            double found = s->value[first | more] + s->best[rest ^ more];
            if (!(found > s->best[set] + rounding)) continue;
            s->best[set] = found;
            s->with[set] = first | more;
        }
    }
}

/* part <- a partition with the modularity f({all nodes}). The sets T of the maxima are its
 * communities: T(S), then T(S \ T), and so on. Numbers ascend with the smallest node, because min S
 * is in T. */
cafe_status cafe_exact_partition(cafe_context *context, const cafe_operator *op, double resolution,
                                 int32_t *part, double *modularity) {
    cafe_status status = CAFE_OK;
    int64_t n = op->n, count = (int64_t)1 << n;
    sets s = {.n = n,
              .q = cafe_mem(context, n * n, sizeof *s.q),
              .value = cafe_mem(context, count, sizeof *s.value),
              .best = cafe_mem(context, count, sizeof *s.best),
              .with = cafe_mem(context, count, sizeof *s.with)};
    CAFE_TRY(cafe_mem_had(s.q, s.value, s.best, s.with));
    fill_covariances(&op->parts, resolution, s.q);
    fill_values(&s);
    fill_best(&s);
    *modularity = s.best[count - 1];
    int32_t number = 0;
    for (uint32_t set = (uint32_t)count - 1; set; set ^= s.with[set], number++)
        for (uint32_t left = s.with[set]; left; left &= left - 1)
            part[__builtin_ctz(left)] = number;
done:
    cafe_mem_free_all(context, s.q, s.value, s.best, s.with);
    return status;
}
