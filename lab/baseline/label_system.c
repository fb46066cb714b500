/* Labels as solutions of linear systems, by conjugate gradients.
 *
 * Harmonic: M is D - A and B is A Y, both on the nodes without a label.
 * Absorbing: M is D - A + l I and B is l Y, on all nodes.
 * M is symmetric and not negative, so conjugate gradients solve M x = b for the column b of every
 * class, here with the diagonal of M as preconditioner:
 *
 *     q = M p,   a = <r,z> / <p,q>,   x += a p,   r -= a q,   z = r / diagonal,
 *     p = z + (<r,z> now / <r,z> before) p
 *
 * A component without a label has b = 0: x stays 0 there, although M is singular on it. WIDTH
 * classes take their steps together, because the edges are then read once for all of them. Vectors
 * are double, and sums have a fixed shape: the bits are the same for any number of threads.
 */
#include "baseline/label_system.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"

enum { BLOCK = 256, WIDTH = 8 };

/* One run for the classes from `first` on. Rows have WIDTH columns. */
typedef struct panel {
    const cafe_label_system *system;
    int64_t first, count;
    double *diagonal; /* of M; 0: the row does not belong to M */
    double *x, *r, *p, *q;
    double step[WIDTH];           /* a; 0: the column is solved */
    double turn[WIDTH];           /* <r,z> now / <r,z> before */
    double rz[WIDTH], all[WIDTH]; /* <r,z>, and at the start */
} panel;

static double weight(const cafe_graph *g, int64_t j) {
    return g->scaled ? g->scaled[j] : 1;
}

static bool is_free(const cafe_label_system *s, int64_t u) {
    return s->absorption > 0 || s->label[u] < 0;
}

/* to[WIDTH] <- row u of A Y, or of l Y */
static void right_side(const panel *b, int64_t u, double *to) {
    const cafe_label_system *s = b->system;
    const cafe_graph *g = s->graph;
    memset(to, 0, WIDTH * sizeof *to);
    if (s->absorption > 0) {
        int64_t c = s->label[u] - b->first;
        if (s->label[u] >= 0 && c >= 0 && c < b->count) to[c] = s->absorption;
        return;
    }
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int64_t c = s->label[g->targets[j]] - b->first;
        if (s->label[g->targets[j]] >= 0 && c >= 0 && c < b->count) to[c] += weight(g, j);
    }
}

/* x = 0, r = b, p = z; sums[WIDTH] += <r,z> */
static void start(void *argument, int64_t first, int64_t last, double *sums) {
    panel *b = argument;
    const cafe_label_system *s = b->system;
    const cafe_graph *g = s->graph;
    for (int64_t u = first; u < last; u++) {
        double *r = b->r + u * WIDTH, *p = b->p + u * WIDTH, d = 0;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] != u) d += weight(g, j);
        b->diagonal[u] = is_free(s, u) ? d + s->absorption : 0;
        memset(b->x + u * WIDTH, 0, WIDTH * sizeof *b->x);
        memset(r, 0, WIDTH * sizeof *r);
        if (b->diagonal[u] > 0) right_side(b, u, r);
        for (int c = 0; c < WIDTH; c++) {
            p[c] = b->diagonal[u] > 0 ? r[c] / b->diagonal[u] : 0;
            sums[c] += r[c] * p[c];
        }
    }
}

/* q = M p; sums[WIDTH] += <p,q>. p is 0 outside of M. */
static void multiply(void *argument, int64_t first, int64_t last, double *sums) {
    panel *b = argument;
    const cafe_graph *g = b->system->graph;
    for (int64_t u = first; u < last; u++) {
        if (!(b->diagonal[u] > 0)) continue;
        const double *own = b->p + u * WIDTH;
        double sum[WIDTH];
        for (int c = 0; c < WIDTH; c++) sum[c] = b->diagonal[u] * own[c];
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            if (g->targets[j] == u) continue;
            const double *p = b->p + (int64_t)g->targets[j] * WIDTH;
            double a = weight(g, j);
            for (int c = 0; c < WIDTH; c++) sum[c] -= a * p[c];
        }
        for (int c = 0; c < WIDTH; c++) {
            b->q[u * WIDTH + c] = sum[c];
            sums[c] += own[c] * sum[c];
        }
    }
}

/* x += a p, r -= a q; sums[WIDTH] += <r,z> */
static void advance(void *argument, int64_t first, int64_t last, double *sums) {
    panel *b = argument;
    for (int64_t u = first; u < last; u++) {
        if (!(b->diagonal[u] > 0)) continue;
        double *x = b->x + u * WIDTH, *r = b->r + u * WIDTH;
        const double *p = b->p + u * WIDTH, *q = b->q + u * WIDTH;
        for (int c = 0; c < WIDTH; c++) {
            x[c] += b->step[c] * p[c];
            r[c] -= b->step[c] * q[c];
            sums[c] += r[c] * r[c] / b->diagonal[u];
        }
    }
}

/* p = z + turn p */
static void turn(void *argument, int64_t first, int64_t last) {
    panel *b = argument;
    for (int64_t u = first; u < last; u++) {
        if (!(b->diagonal[u] > 0)) continue;
        double *p = b->p + u * WIDTH;
        for (int c = 0; c < WIDTH; c++)
            p[c] = b->r[u * WIDTH + c] / b->diagonal[u] + b->turn[c] * p[c];
    }
}

/* Rows of F. The exact solution lies between 0 and 1. */
static void finish(void *argument, int64_t first, int64_t last) {
    panel *b = argument;
    const cafe_label_system *s = b->system;
    for (int64_t u = first; u < last; u++)
        for (int64_t c = 0; c < b->count; c++) {
            double x = fmin(fmax(b->x[u * WIDTH + c], 0), 1);
            s->f[u * s->stride + b->first + c] =
                (float)(is_free(s, u) ? x : s->label[u] == b->first + c);
        }
}

static bool is_open(const panel *b, int c) {
    return b->rz[c] > b->system->tolerance * b->system->tolerance * b->all[c];
}

/* One step of all columns that are not solved; *rest: the largest relative residual after it. */
static cafe_status take_step(cafe_context *context, panel *b, double *rest) {
    int64_t n = b->system->graph->n;
    double pq[WIDTH] = {0}, rz[WIDTH] = {0};
    CAFE_PASS(cafe_sums(context, n, BLOCK, multiply, b, WIDTH, pq));
    for (int c = 0; c < WIDTH; c++) b->step[c] = is_open(b, c) && pq[c] > 0 ? b->rz[c] / pq[c] : 0;
    CAFE_PASS(cafe_sums(context, n, BLOCK, advance, b, WIDTH, rz));
    *rest = 0;
    for (int c = 0; c < WIDTH; c++) {
        b->turn[c] = b->step[c] > 0 ? rz[c] / b->rz[c] : 0;
        b->rz[c] = rz[c];
        if (b->all[c] > 0) *rest = fmax(*rest, sqrt(rz[c] / b->all[c]));
    }
    return cafe_ranges(context, n, BLOCK, turn, b);
}

/* The steps of one panel; whether every column is solved. */
static cafe_status solve_panel(cafe_context *context, panel *b, cafe_solution *found,
                               bool *solved) {
    const cafe_label_system *s = b->system;
    memset(b->rz, 0, sizeof b->rz);
    CAFE_PASS(cafe_sums(context, s->graph->n, BLOCK, start, b, WIDTH, b->rz));
    double rest = 0;
    for (int c = 0; c < WIDTH; c++) {
        b->all[c] = b->rz[c];
        if (b->rz[c] > 0) rest = 1;
    }
    for (int64_t step = 1; step <= s->most && rest > s->tolerance; step++) {
        CAFE_PASS(take_step(context, b, &rest));
        if (step > found->sweeps) found->objective[found->sweeps = step] = 0;
        found->objective[step] = fmax(found->objective[step], rest);
        cafe_step(context, step, rest);
    }
    *solved &= rest <= s->tolerance;
    return cafe_ranges(context, s->graph->n, BLOCK, finish, b);
}

cafe_status cafe_label_solve(cafe_context *context, const cafe_label_system *system,
                             cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    int64_t n = system->graph->n;
    bool solved = true;
    panel b = {.system = system};
    b.diagonal = cafe_mem(context, n, sizeof *b.diagonal);
    b.x = cafe_mem(context, n * WIDTH, sizeof *b.x);
    b.r = cafe_mem(context, n * WIDTH, sizeof *b.r);
    b.p = cafe_mem(context, n * WIDTH, sizeof *b.p);
    b.q = cafe_mem(context, n * WIDTH, sizeof *b.q);
    CAFE_TRY(cafe_mem_had(b.diagonal, b.x, b.r, b.p, b.q));
    solution->objective[0] = 1;
    cafe_phase(context, "solve", system->most);
    for (b.first = 0; b.first < system->classes; b.first += WIDTH) {
        b.count = system->classes - b.first < WIDTH ? system->classes - b.first : WIDTH;
        CAFE_TRY(solve_panel(context, &b, solution, &solved));
    }
    solution->converged = solved;
done:
    cafe_mem_free_all(context, b.diagonal, b.x, b.r, b.p, b.q);
    return status;
}
