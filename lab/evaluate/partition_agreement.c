/* Figures of partitions: against known classes (NMI, ARI), and against the graph (modularity,
 * conductance).
 *
 * The table of two partitions is never formed. Pairs of numbers are sorted, and runs of equal pairs
 * are its cells. So any numbers and any number of sets will do in O(n log n).
 */
#include <math.h>
#include <stdlib.h>

#include <cafe/evaluate.h>

#include "base/memory.h"
#include "base/option.h"
#include "sample/sampled_graph.h"
#include "sample/set_masses.h"

/* ---- two partitions -------------------------------------------------------------------------- */

typedef struct cell {
    int32_t a, b;
} cell;

static int by_both(const void *left, const void *right) {
    const cell *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Of the runs of equal cells (of sizes s): how many, sum of s log s, sum of s (s - 1) / 2. */
typedef struct runs {
    int64_t count;
    double entropy;
    int64_t pairs;
} runs;

/* `both`: cells are equal in a and b, otherwise in a. The cells are sorted. */
static runs count_runs(const cell *cells, int64_t n, int both) {
    runs r = {0};
    for (int64_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && cells[end].a == cells[i].a && (!both || cells[end].b == cells[i].b))
            end++;
        int64_t s = end - i;
        r.count++;
        r.entropy += (double)s * log((double)s);
        r.pairs += s * (s - 1) / 2;
    }
    return r;
}

static int64_t pair_up(int64_t nodes, const int32_t *a, const int32_t *b, cell *cells) {
    int64_t n = 0;
    for (int64_t u = 0; u < nodes; u++)
        if (a[u] >= 0 && b[u] >= 0) cells[n++] = (cell){a[u], b[u]};
    return n;
}

/* With sums S = sum of s log s over runs: H(A) = log n - S_A / n.
 *
 *     I(A;B) = H(A) + H(B) - H(A,B) = log n - (S_A + S_B - S_AB) / n,  NMI = 2 I / (H(A) + H(B)) */
static double mutual(int64_t n, runs a, runs b, runs both) {
    double log_n = log((double)n), entropies = 2 * log_n - (a.entropy + b.entropy) / (double)n;
    double information = log_n - (a.entropy + b.entropy - both.entropy) / (double)n;
    if (a.count == 1 && b.count == 1) return 1;
    if (a.count == 1 || b.count == 1) return 0;
    return fmin(fmax(2 * information / entropies, 0), 1);
}

/* ARI = (pairs together in both - expected) / (mean of those together in A and in B - expected),
 * expected = pairs(A) pairs(B) / all pairs (Hubert and Arabie 1985); 1 for equal trivial ones. */
static double adjusted_rand(int64_t n, runs a, runs b, runs both) {
    double all = (double)n * (double)(n - 1) / 2;
    double expected = n > 1 ? (double)a.pairs * ((double)b.pairs / all) : 0;
    double largest = ((double)a.pairs + (double)b.pairs) / 2;
    int trivial = (a.count == 1 && b.count == 1) || (a.count == n && b.count == n);
    return trivial ? 1 : ((double)both.pairs - expected) / (largest - expected);
}

cafe_status cafe_partition_agreement_sized(cafe_context *context, int64_t nodes, const int32_t *a,
                                           const int32_t *b, cafe_agreement *agreement,
                                           size_t size) {
    cell *cells = cafe_mem(context, nodes, sizeof *cells);
    cafe_agreement found = {0, NAN, NAN};
    if (!cells) return CAFE_ERROR_MEMORY;
    int64_t n = found.nodes = pair_up(nodes, b, a, cells);
    if (n > 0) {
        qsort(cells, (size_t)n, sizeof *cells, by_both);
        runs of_b = count_runs(cells, n, 0);
        pair_up(nodes, a, b, cells);
        qsort(cells, (size_t)n, sizeof *cells, by_both);
        runs of_a = count_runs(cells, n, 0), both = count_runs(cells, n, 1);
        found.nmi = mutual(n, of_a, of_b, both);
        found.ari = adjusted_rand(n, of_a, of_b, both);
    }
    cafe_struct_give(&found, sizeof found, agreement, size);
    cafe_mem_free(context, cells);
    return CAFE_OK;
}

/* ---- a partition and its graph --------------------------------------------------------------- */

static void sum_sets(const cafe_set_sums *sets, int64_t parts, cafe_partition_quality *q) {
    double mean = 0, weighted = 0;
    int64_t counted = 0, nodes = 0;
    for (int64_t c = 0; c < parts; c++) {
        q->sets += sets[c].nodes > 0;
        q->modularity += cafe_set_strength(sets[c]);
        if (cafe_set_smaller(sets[c]) == 0) continue;
        double conductance = cafe_set_conductance(sets[c]);
        mean += conductance;
        weighted += conductance * (double)sets[c].nodes;
        counted++;
        nodes += sets[c].nodes;
    }
    q->conductance = counted ? mean / (double)counted : NAN;
    q->weighted_conductance = counted ? weighted / (double)nodes : NAN;
}

cafe_status cafe_partition_measure_sized(cafe_context *context, const cafe_sampled *sampled,
                                         const int32_t *part, int64_t parts,
                                         cafe_partition_quality *quality, size_t size) {
    cafe_partition_quality found = {0, 0, NAN, NAN};
    cafe_set_sums *sets = cafe_mem(context, parts, sizeof *sets);
    if (!sets) return CAFE_ERROR_MEMORY;
    cafe_status status =
        cafe_partition_sums(context, &CAFE_JOINT(sampled), part, parts, sets, NULL);
    if (status == CAFE_OK) sum_sets(sets, parts, &found);
    cafe_struct_give(&found, sizeof found, quality, size);
    cafe_mem_free(context, sets);
    return status;
}
