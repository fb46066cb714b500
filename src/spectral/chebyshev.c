/* Chebyshev polynomials of a map.
 *
 *     T_0 = 1,   T_1 = A,   T_{i+1} = 2 A T_i - T_{i-1},     A = (sign M - centre) / half
 *
 * stays within 1 on the unwanted part of the spectrum and grows beyond it, faster than any other
 * polynomial of its degree. Of odd degree it falls as fast below that part, so that what lies there
 * does not look wanted.
 */
#include "spectral/chebyshev.h"

#include "base/memory.h"
#include "base/thread_pool.h"

enum { WIDTH = CAFE_EIGEN_WIDTH, ROWS = 512 };

cafe_status cafe_filter_new(cafe_context *context, int64_t n, bool single, cafe_filter *f) {
    size_t size = single ? sizeof(float) : sizeof(double);
    f->older = cafe_mem(context, n * WIDTH, size);
    f->newer = cafe_mem(context, n * WIDTH, size);
    return cafe_mem_had(f->older, f->newer);
}

void cafe_filter_free(cafe_context *context, cafe_filter *f) {
    cafe_mem_free_all(context, f->older, f->newer);
    f->older = f->newer = NULL;
}

int64_t cafe_filter_bytes(int64_t n) {
    return 2 * n * WIDTH * (int64_t)sizeof(double);
}

/* T_d(x) = cosh(d arcosh x) for x > 1; |T_d| <= 1 on [-1, 1]. */
double cafe_filter_value(const cafe_filter *f, double x) {
    double place = (x - f->centre) / f->half;
    return place > 1 ? cosh((double)f->degree * acosh(place)) : 1;
}

/* y = a y + b x + c z */
typedef struct step_job {
    bool single;
    double a, b, c;
    const void *x, *z;
    void *y;
} step_job;

static void step_rows(void *argument, int64_t first, int64_t last) {
    const step_job *job = argument;
    double a = job->a, b = job->b, c = job->c;
    if (job->single) {
        const float *x = job->x, *z = job->z;
        float *y = job->y;
        for (int64_t i = first * WIDTH; i < last * WIDTH; i++)
            y[i] = (float)(a * y[i] + b * x[i] + c * z[i]);
    } else {
        const double *x = job->x, *z = job->z;
        double *y = job->y;
        for (int64_t i = first * WIDTH; i < last * WIDTH; i++)
            y[i] = a * y[i] + b * x[i] + c * z[i];
    }
}

/* y = factor A x - z; for the first degree factor is 1 and z is not used */
static cafe_status step(cafe_context *context, const cafe_eigen_problem *problem,
                        const cafe_filter *f, double factor, const void *x, const void *z,
                        void *y) {
    step_job job = {f->single,
                    factor * f->sign / f->half,
                    -factor * f->centre / f->half,
                    z ? -1 : 0,
                    x,
                    z ? z : x,
                    y};
    if (f->single)
        CAFE_PASS(problem->single(context, problem->argument, x, y));
    else
        CAFE_PASS(problem->product(context, problem->argument, x, y));
    return cafe_ranges(context, cafe_eigen_rows(problem).own, ROWS, step_rows, &job);
}

/* T_{i+1} = 2 A T_i - T_{i-1} from T_0 = P and T_1 = A P. Three blocks rotate: older, newer and *w.
 */
cafe_status cafe_filter_apply(cafe_context *context, const cafe_eigen_problem *problem,
                              cafe_filter *f, const void *p, void **w) {
    const void *before = NULL, *now = p;
    for (int64_t i = 0; i < f->degree; i++) {
        void *next = f->older;
        CAFE_PASS(step(context, problem, f, i == 0 ? 1 : 2, now, before, next));
        before = now;
        now = next;
        f->older = f->newer, f->newer = *w, *w = next;
    }
    return CAFE_OK;
}
