/* When sweeps have settled.
 *
 * Two things are watched. The objective: if gains go on to shrink as the last one did, by the ratio
 * r = g / g', all further sweeps gain g (r + r^2 + ...) = g^2 / (g' - g). Where that is true, it is
 * half of what it was a sweep before, or less; where gains have a long tail, it is not, and says
 * nothing. And it is to be little beside the objective and, of a graph, beside what that lacks of
 * 1, which it never exceeds: where linked nodes are alike anyway, a sweep or two bring it next to
 * 1, and what matters is in the rest. And the columns in use,
 *
 *     width = (sum of lambda)^2 / (sum of lambda^2),     lambda the eigenvalues of H^T H ,
 *
 * K when all directions are used alike, 1 when all rows lie on one line: long after the objective
 * has all but stopped, rows may still turn into fewer directions, and classifiers gain by that. The
 * sweeps end when the first is less than that share, the tolerance, and the second, a quarter of
 * all columns at least, shrinks by less than a tenth; or when a sweep gains less than a 25th of the
 * tolerance times the objective, whatever the width. docs/algorithms/sphere.md has the
 * measurements.
 *
 * Of a large graph 2^14 rows, chosen by their number alone, tell the width: with K columns of it in
 * use they find K less a share of K / 2^14 (one in a hundred of 128), and single precision is
 * enough for a rule that looks at a tenth.
 */
#include "solve/convergence.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"

/* Of the pass before: the columns in use, and what further ones would gain. */
enum { WIDTH = 0, REST = 1 };

typedef struct sample_job {
    uint32_t step;
    const double *weights;
    double *sample;
} sample_job;

/* A multiplicative hash: neighbours in number part. */
static void choose_rows(void *argument, int64_t first, int64_t last) {
    const sample_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        bool taken = ((uint32_t)u * 2654435761u >> 8) % job->step == 0;
        job->sample[u] = taken ? job->weights ? job->weights[u] : 1 : 0;
    }
}

cafe_status cafe_sample_rows(cafe_context *context, int64_t n, int64_t rows, const double *weights,
                             double **sample) {
    enum { BLOCK = 1 << 16 };
    sample_job job = {(uint32_t)(n / rows), weights, NULL};
    *sample = NULL;
    if (job.step < 2) return CAFE_OK;
    job.sample = *sample = cafe_mem(context, n, sizeof **sample);
    CAFE_PASS(cafe_mem_had(*sample));
    return cafe_ranges(context, n, BLOCK, choose_rows, &job);
}

static double still_to_gain(double gain, double last) {
    return gain <= 0 ? 0 : gain < last ? gain * gain / (last - gain) : INFINITY;
}

/* Both sums without the eigenvalues: the trace, and the squares of all entries. */
static cafe_status find_width(cafe_context *context, const cafe_block *h, cafe_settling *s,
                              double *width) {
    int64_t k = h->columns;
    double trace = 0, squares = 0;
    CAFE_PASS(cafe_ops(h)->gram(context, h, NULL, s->sample, true, s->gram));
    for (int64_t i = 0; i < k; i++) trace += s->gram[i * k + i];
    for (int64_t i = 0; i < k * k; i++) squares += s->gram[i] * s->gram[i];
    *width = squares > 0 ? trace * trace / squares : 0;
    return CAFE_OK;
}

/* What the tolerance is a share of. */
static double scale_of(const cafe_operator *op, double objective) {
    double size = fabs(objective);
    return op->parts.f ? size : fmin(size, fmax(1 - size, 0));
}

static cafe_status look(cafe_context *context, const cafe_operator *op, cafe_passes *passes,
                        cafe_solution *solution) {
    cafe_settling *s = (cafe_settling *)passes;
    const double *objective = solution->objective + solution->sweeps;
    double width = passes->memory[WIDTH], rest = passes->memory[REST];
    if (solution->sweeps == 0) return CAFE_OK;
    CAFE_PASS(find_width(context, &solution->h, s, &passes->memory[WIDTH]));
    double gain = objective[0] - objective[-1], now = passes->level + objective[0];
    double share = s->tolerance * scale_of(op, now);
    double left = solution->sweeps > 1 ? still_to_gain(gain, objective[-1] - objective[-2])
                                       : (double)INFINITY;
    bool little = left <= share && solution->sweeps > 2 && left <= rest / 2;
    bool steady = passes->memory[WIDTH] > 0.9 * width &&
                  passes->memory[WIDTH] > (double)solution->columns / 4;
    passes->memory[REST] = left;
    solution->converged = gain <= s->tolerance / 25 * fabs(now) || (little && steady);
    return CAFE_OK;
}

cafe_status cafe_settling_open(cafe_context *context, const cafe_solution *solution,
                               cafe_settling *settling) {
    const int64_t rows = 1 << 14;
    int64_t k = solution->columns;
    if (!(settling->tolerance > 0)) return CAFE_OK;
    settling->passes.after = look;
    settling->gram = cafe_mem(context, k * k, sizeof *settling->gram);
    CAFE_PASS(cafe_mem_had(settling->gram));
    return cafe_sample_rows(context, solution->n, rows, NULL, &settling->sample);
}

void cafe_settling_close(cafe_context *context, cafe_settling *settling) {
    cafe_mem_free_all(context, settling->gram, settling->sample);
}
