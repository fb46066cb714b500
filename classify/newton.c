/* Lin, Weng, Keerthi (JMLR 9, 2008), with the preconditioner of Hsia, Chiang, Lin (ACML 2018): the
 * method and the constants of liblinear's solver L2R_LR, on dense rows.
 *
 *     f(w)      = w.w / 2 + C sum_i log(1 + exp(-y_i z_i)),   z = X w
 *     gradient  = w + C X^T ((p - 1) y),                       p_i = 1 / (1 + exp(-y_i z_i))
 *     Hessian   = I + C X^T D X,                               D_i = p_i (1 - p_i)
 *
 * A step s makes the quadratic model smallest within |s|_M <= delta by conjugate gradients that
 * stop early (Steihaug 1983); delta grows and shrinks with what the model was worth. It draws no
 * random numbers and adds in a fixed order, so the result depends on the rows alone.
 */
#include "newton.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_STEPS = 1000 };

typedef struct newton {
    const newton_problem *of;
    double *z, *d;                           /* of each row */
    double *gradient, *scale;                /* of each column: scale is the preconditioner M */
    double *step, *rest, *direction, *image; /* of the conjugate gradients */
    double *preconditioned, *next;
    double f, delta;
    bool started;
} newton;

int64_t newton_room(int64_t rows, int64_t columns) {
    return 2 * rows + 8 * columns;
}

static double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* <x, y>_M */
static double scaled_dot(const newton *t, const double *x, const double *y) {
    double sum = 0;
    for (int64_t j = 0; j < t->of->columns; j++) sum += x[j] * t->scale[j] * y[j];
    return sum;
}

/* y += a x */
static void add(int64_t n, double a, const double *x, double *y) {
    for (int64_t j = 0; j < n; j++) y[j] += a * x[j];
}

/* ---- products with the rows ------------------------------------------------------------------ */

/* Rows are taken in blocks. Each sum is still added up in the order of one row after the other, to
 * the bit; but the sums of a block do not wait for each other, and a column is stored once a block.
 */
enum { BLOCK = 8 };

static int64_t rows_from(const newton_problem *o, int64_t i) {
    return o->rows - i < BLOCK ? o->rows - i : BLOCK;
}

/* to_r = <v, x_r> of a block's rows */
static void products(int64_t rows, int64_t n, const double *x, const double *v, double *to) {
    double s[BLOCK] = {0};
    if (rows < BLOCK) {
        for (int64_t r = 0; r < rows; r++) to[r] = dot(n, v, x + r * n);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        for (int r = 0; r < BLOCK; r++) s[r] += v[j] * x[r * n + j];
    memcpy(to, s, sizeof s);
}

/* to += a_0 x_0 + a_1 x_1 + ... of a block's rows */
static void add_rows(int64_t rows, int64_t n, const double *x, const double *a, double *to) {
    if (rows < BLOCK) {
        for (int64_t r = 0; r < rows; r++) add(n, a[r], x + r * n, to);
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        double sum = to[j];
        for (int r = 0; r < BLOCK; r++) sum += a[r] * x[r * n + j];
        to[j] = sum;
    }
}

/* to += a_0 x_0^2 + a_1 x_1^2 + ..., column by column */
static void add_squares(int64_t rows, int64_t n, const double *x, const double *a, double *to) {
    if (rows == BLOCK) {
        for (int64_t j = 0; j < n; j++) {
            double sum = to[j];
            for (int r = 0; r < BLOCK; r++) sum += a[r] * x[r * n + j] * x[r * n + j];
            to[j] = sum;
        }
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < n; j++) to[j] += a[r] * x[r * n + j] * x[r * n + j];
}

/* ---- the function and its derivatives -------------------------------------------------------- */

/* log(1 + exp(-m)) without overflow */
static double loss(double m) {
    return m >= 0 ? log1p(exp(-m)) : -m + log1p(exp(m));
}

/* f(w); z = X w is kept for the derivatives. */
static double value(newton *t, const double *w) {
    const newton_problem *o = t->of;
    double sum = 0;
    for (int64_t i = 0; i < o->rows; i += BLOCK)
        products(rows_from(o, i), o->columns, o->x + i * o->columns, w, t->z + i);
    for (int64_t i = 0; i < o->rows; i++) sum += loss(o->y[i] * t->z[i]);
    return dot(o->columns, w, w) / 2 + o->cost * sum;
}

/* The gradient at the w of the last value(), D and the preconditioner
 * M = 0.99 I + 0.01 diag(Hessian). */
static void differentiate(newton *t, const double *w) {
    const newton_problem *o = t->of;
    const double share = 0.01;
    int64_t n = o->columns;
    memcpy(t->gradient, w, (size_t)n * sizeof *w);
    for (int64_t j = 0; j < n; j++) t->scale[j] = 1;
    for (int64_t i = 0; i < o->rows; i += BLOCK) {
        int64_t rows = rows_from(o, i);
        double slope[BLOCK], weight[BLOCK];
        for (int64_t r = 0; r < rows; r++) {
            double y = o->y[i + r], p = 1 / (1 + exp(-y * t->z[i + r]));
            t->d[i + r] = p * (1 - p);
            slope[r] = o->cost * (p - 1) * y;
            weight[r] = o->cost * t->d[i + r];
        }
        add_rows(rows, n, o->x + i * n, slope, t->gradient);
        add_squares(rows, n, o->x + i * n, weight, t->scale);
    }
    for (int64_t j = 0; j < n; j++) t->scale[j] = (1 - share) + share * t->scale[j];
}

/* to = Hessian v */
static void curve(const newton *t, const double *v, double *to) {
    const newton_problem *o = t->of;
    memcpy(to, v, (size_t)o->columns * sizeof *to);
    for (int64_t i = 0; i < o->rows; i += BLOCK) {
        const double *x = o->x + i * o->columns;
        int64_t rows = rows_from(o, i);
        double a[BLOCK];
        products(rows, o->columns, x, v, a);
        for (int64_t r = 0; r < rows; r++) a[r] = o->cost * t->d[i + r] * a[r];
        add_rows(rows, o->columns, x, a, to);
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* From s inside along d to the border |s + a d|_M = delta: the positive root a, by the form that
 * does not cancel. */
static double to_border(const newton *t) {
    double sd = scaled_dot(t, t->step, t->direction), ss = scaled_dot(t, t->step, t->step);
    double dd = scaled_dot(t, t->direction, t->direction), left = t->delta * t->delta - ss;
    double root = sqrt(sd * sd + dd * left);
    return sd >= 0 ? left / (sd + root) : (root - sd) / dd;
}

/* One round of conjugate gradients; zr is <z, r> before and after. Returns whether the border was
 * met.
 */
static bool advance(newton *t, double *zr) {
    int64_t n = t->of->columns;
    curve(t, t->direction, t->image);
    double a = *zr / dot(n, t->direction, t->image);
    add(n, a, t->direction, t->step);
    bool border = sqrt(scaled_dot(t, t->step, t->step)) > t->delta;
    if (border) {
        add(n, -a, t->direction, t->step);
        a = to_border(t);
        add(n, a, t->direction, t->step);
    }
    add(n, -a, t->image, t->rest);
    if (border) return true;
    for (int64_t j = 0; j < n; j++) t->preconditioned[j] = t->rest[j] / t->scale[j];
    double now = dot(n, t->preconditioned, t->rest), ratio = now / *zr;
    for (int64_t j = 0; j < n; j++)
        t->direction[j] = t->preconditioned[j] + ratio * t->direction[j];
    *zr = now;
    return false;
}

/* step = about -Hessian^-1 gradient, rest = -gradient - Hessian step. */
static bool find_step(newton *t) {
    int64_t n = t->of->columns, most = n > 5 ? n : 5;
    memset(t->step, 0, (size_t)n * sizeof *t->step);
    for (int64_t j = 0; j < n; j++) {
        t->rest[j] = -t->gradient[j];
        t->direction[j] = t->preconditioned[j] = t->rest[j] / t->scale[j];
    }
    double zr = dot(n, t->preconditioned, t->rest), first = sqrt(zr);
    double enough = fmin(0.1, sqrt(first)) * first;
    for (int64_t i = 0; i < most && sqrt(zr) > enough; i++)
        if (advance(t, &zr)) return true;
    return false;
}

/* The radius after a step that was worth `actual` of the `expected`. */
static void resize(newton *t, double actual, double expected, double slope, double length,
                   bool border) {
    const double shrink = 0.25, halve = 0.5, grow = 4;
    double over = -actual - slope; /* f(w + s) - f(w) - <g, s> */
    double aim = (over <= 0 ? grow : fmax(shrink, -0.5 * (slope / over))) * length;
    if (actual < 1e-4 * expected)
        t->delta = fmin(aim, halve * t->delta);
    else if (actual < 0.25 * expected)
        t->delta = fmax(shrink * t->delta, fmin(aim, halve * t->delta));
    else if (actual < 0.75 * expected)
        t->delta = fmax(shrink * t->delta, fmin(aim, grow * t->delta));
    else
        t->delta = border ? grow * t->delta : fmax(t->delta, fmin(aim, grow * t->delta));
}

/* One step from w; returns whether another one can gain anything. `moved` counts those taken. */
static bool move(newton *t, double *w, int *moved) {
    int64_t n = t->of->columns;
    bool border = find_step(t);
    for (int64_t j = 0; j < n; j++) t->next[j] = w[j] + t->step[j];
    double slope = dot(n, t->gradient, t->step);
    double expected = -0.5 * (slope - dot(n, t->step, t->rest));
    double f = value(t, t->next), actual = t->f - f;
    double length = sqrt(scaled_dot(t, t->step, t->step));
    if (!t->started) t->delta = fmin(t->delta, length);
    t->started = true;
    resize(t, actual, expected, slope, length, border);
    if (actual > 1e-4 * expected) {
        memcpy(w, t->next, (size_t)n * sizeof *w);
        t->f = f;
        differentiate(t, w);
        (*moved)++;
    }
    return expected > 0 &&
           !(fabs(actual) <= 1e-12 * fabs(t->f) && fabs(expected) <= 1e-12 * fabs(t->f));
}

/* ---- the fit --------------------------------------------------------------------------------- */

static void share_out(newton *t, double *room) {
    int64_t rows = t->of->rows, n = t->of->columns;
    double **of_columns[] = {&t->gradient,  &t->scale, &t->step,           &t->rest,
                             &t->direction, &t->image, &t->preconditioned, &t->next};
    t->z = room;
    t->d = room + rows;
    room += 2 * rows;
    for (size_t i = 0; i < sizeof of_columns / sizeof *of_columns; i++, room += n)
        *of_columns[i] = room;
}

/* The tolerance is for balanced classes: it falls with the share of the rarer one. */
static double tolerance(const newton_problem *o) {
    int64_t positive = 0;
    for (int64_t i = 0; i < o->rows; i++) positive += o->y[i] > 0;
    int64_t rare = positive < o->rows - positive ? positive : o->rows - positive;
    return o->tolerance * (double)(rare > 1 ? rare : 1) / (double)o->rows;
}

cafe_status newton_fit(cafe_context *context, const newton_problem *problem, double *room,
                       double *w) {
    newton t = {.of = problem};
    int64_t n = problem->columns;
    int moved = 0;
    bool more = true;
    cafe_status status = CAFE_OK;
    share_out(&t, room);
    memset(w, 0, (size_t)n * sizeof *w);
    t.f = value(&t, w);
    differentiate(&t, w);
    double enough = tolerance(problem) * sqrt(dot(n, t.gradient, t.gradient));
    t.delta = sqrt(scaled_dot(&t, t.gradient, t.gradient));
    while (more && moved < MOST_STEPS && sqrt(dot(n, t.gradient, t.gradient)) > enough) {
        status = cafe_evaluate_stopped(context);
        if (status != CAFE_OK) break;
        more = move(&t, w, &moved);
    }
    return status;
}
