/* The end of sweeps: further sweeps would change nothing that users of the vectors need.
 *
 * Two figures are watched. The first is the gain to come. If gains g go on to shrink by the last
 * ratio r = g / g', all further sweeps gain
 *
 *     g (r + r^2 + ...) = g^2 / (g' - g).
 *
 * The estimate is trusted if it is at most half of the estimate one sweep before; with a long tail
 * of gains it is not. It must be small beside the objective and, for a graph, beside 1 - objective.
 * If neighbours are alike anyway, a sweep or two bring the objective near its bound 1, and the rest
 * matters. The second figure is the number of columns in use,
 *
 *     width = (sum of lambda)^2 / (sum of lambda^2),     lambda the eigenvalues of H^T H,
 *
 * which is K if all directions are used alike, and 1 if all rows lie on one line. Long after the
 * objective has almost stopped, rows may still turn into fewer directions, which helps classifiers.
 * The sweeps end if the first figure is below the tolerance's share, and the width, at least a
 * quarter of all columns, shrinks by less than a tenth. They also end if a sweep gains less than a
 * 25th of the tolerance times the objective, whatever the width (docs/algorithms/sphere.md has
 * measurements).
 *
 * For a large graph, 2^14 rows chosen by their ids give the width. With K columns in use they find
 * K less a share of K / 2^14 (one in a hundred for 128), and single precision is enough for a rule
 * about tenths.
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

/* g + g r + ... = g^2 / (g' - g) of the gains to come, r = g / g' < 1; infinite if gains do not
 * shrink. */
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

/* After a sweep with gain g and gains to come R (R' one sweep before):
 *
 *     little   R <= tolerance scale   and   R <= R' / 2, so that the estimate is trustworthy
 *     steady   width > 0.9 width'     and   width > K / 4
 *     end      little and steady,     or    g <= tolerance / 25 |objective|
 */
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

/* Prepares the two figures; tolerance 0 watches nothing, and sweeps then end by their number. */
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
