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
 *
 * The rows are read again for every product, and they are more than a cache holds. So the fits of
 * several classes go side by side. Each states what it needs of the rows next: the value at a
 * point, the derivatives, or a product with the Hessian. One pass over the rows serves them all.
 * What a fit finds does not depend on those beside it.
 */
#include "evaluate/newton.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_STEPS = 1000 };

/* What a fit needs of the rows. */
typedef enum need { VALUE, SLOPES, CURVE, NOTHING } need;

typedef struct newton {
    const cafe_newton_problem *of;
    const double *y; /* of each row: 1 or -1 */
    double *w;
    double *z, *d;                           /* of each row */
    double *gradient, *scale;                /* of each column: scale is the preconditioner M */
    double *step, *rest, *direction, *image; /* of the conjugate gradients */
    double *preconditioned, *next;
    double f, delta, enough; /* enough: length of the gradient at which to stop */
    double zr, enough_left;  /* of the conjugate gradients: <z, r>, and where it is small */
    int64_t rounds;          /* of them, in this step */
    int moved;               /* steps taken */
    bool begun, started;     /* there is a gradient; there was a step */
    bool border, more;       /* the step met the border; another one can gain anything */
    need need;
} newton;

enum { COLUMN_VECTORS = 8 };

int64_t cafe_newton_room(int64_t rows, int64_t columns) {
    return 2 * rows + COLUMN_VECTORS * columns;
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

/* Rows are taken in blocks. Each sum still adds row after row, to the bit. But the sums of a block
 * do not wait for each other, and a column is stored once per block.
 */
enum { BLOCK = 8 };

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

/* C times the weight of a row. */
static double cost_of(const newton *t, int64_t i) {
    return t->of->weight ? t->of->cost * t->of->weight[i] : t->of->cost;
}

/* ---- the function and its derivatives -------------------------------------------------------- */

/* log(1 + exp(-m)) without overflow */
static double loss(double m) {
    return m >= 0 ? log1p(exp(-m)) : -m + log1p(exp(m));
}

/* z = X u of a block's rows, u being the point whose value is asked for */
static void meet_value(newton *t, int64_t i, int64_t rows, const double *x) {
    products(rows, t->of->columns, x, t->begun ? t->next : t->w, t->z + i);
}

/* f(u) */
static double value(const newton *t) {
    const cafe_newton_problem *o = t->of;
    const double *u = t->begun ? t->next : t->w;
    double sum = 0;
    for (int64_t i = 0; i < o->rows; i++)
        sum += loss(t->y[i] * t->z[i]) * (o->weight ? o->weight[i] : 1);
    return dot(o->columns, u, u) / 2 + o->cost * sum;
}

/* The gradient at the point of the last value, D, and the diagonal of the Hessian. */
static void meet_slopes(newton *t, int64_t i, int64_t rows, const double *x) {
    const cafe_newton_problem *o = t->of;
    double slope[BLOCK], weight[BLOCK];
    for (int64_t r = 0; r < rows; r++) {
        double y = t->y[i + r], p = 1 / (1 + exp(-y * t->z[i + r]));
        t->d[i + r] = p * (1 - p);
        slope[r] = cost_of(t, i + r) * (p - 1) * y;
        weight[r] = cost_of(t, i + r) * t->d[i + r];
    }
    add_rows(rows, o->columns, x, slope, t->gradient);
    add_squares(rows, o->columns, x, weight, t->scale);
}

/* image = Hessian direction */
static void meet_curve(newton *t, int64_t i, int64_t rows, const double *x) {
    double a[BLOCK];
    products(rows, t->of->columns, x, t->direction, a);
    for (int64_t r = 0; r < rows; r++) a[r] = cost_of(t, i + r) * t->d[i + r] * a[r];
    add_rows(rows, t->of->columns, x, a, t->image);
}

/* Before and after all rows; M = 0.99 I + 0.01 diag(Hessian). */
static void open_pass(newton *t) {
    size_t n = (size_t)t->of->columns;
    if (t->need == CURVE) memcpy(t->image, t->direction, n * sizeof *t->image);
    if (t->need != SLOPES) return;
    memcpy(t->gradient, t->w, n * sizeof *t->gradient);
    for (size_t j = 0; j < n; j++) t->scale[j] = 1;
}

static void close_slopes(newton *t) {
    const double share = 0.01;
    for (int64_t j = 0; j < t->of->columns; j++) t->scale[j] = (1 - share) + share * t->scale[j];
}

static void meet(newton *t, int64_t i, int64_t rows, const double *x) {
    switch (t->need) {
        case VALUE: meet_value(t, i, rows, x); break;
        case SLOPES: meet_slopes(t, i, rows, x); break;
        case CURVE: meet_curve(t, i, rows, x); break;
        case NOTHING: break;
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

/* One round of conjugate gradients, image being the product with the direction. Returns whether the
 * border was met. */
static bool advance(newton *t) {
    int64_t n = t->of->columns;
    double a = t->zr / dot(n, t->direction, t->image);
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
    double now = dot(n, t->preconditioned, t->rest), ratio = now / t->zr;
    for (int64_t j = 0; j < n; j++)
        t->direction[j] = t->preconditioned[j] + ratio * t->direction[j];
    t->zr = now;
    return false;
}

/* step = about -Hessian^-1 gradient, rest = -gradient - Hessian step: another round, or the value
 * where the step leads. */
static void next_round(newton *t, bool border) {
    int64_t n = t->of->columns, most = n > 5 ? n : 5;
    t->need = CURVE;
    if (!border && t->rounds++ < most && sqrt(t->zr) > t->enough_left) return;
    t->border = border;
    for (int64_t j = 0; j < n; j++) t->next[j] = t->w[j] + t->step[j];
    t->need = VALUE;
}

/* The next step from w, unless the gradient is small or nothing can be gained. */
static void next_step(newton *t) {
    int64_t n = t->of->columns;
    t->need = NOTHING;
    if (!t->more || t->moved >= MOST_STEPS || !(sqrt(dot(n, t->gradient, t->gradient)) > t->enough))
        return;
    memset(t->step, 0, (size_t)n * sizeof *t->step);
    for (int64_t j = 0; j < n; j++) {
        t->rest[j] = -t->gradient[j];
        t->direction[j] = t->preconditioned[j] = t->rest[j] / t->scale[j];
    }
    t->zr = dot(n, t->preconditioned, t->rest);
    t->rounds = 0;
    double first = sqrt(t->zr);
    t->enough_left = fmin(0.1, sqrt(first)) * first;
    next_round(t, false);
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

/* The step is known, and so is the value f where it leads: is it taken? */
static void end_step(newton *t, double f) {
    int64_t n = t->of->columns;
    double slope = dot(n, t->gradient, t->step);
    double expected = -0.5 * (slope - dot(n, t->step, t->rest)), actual = t->f - f;
    double length = sqrt(scaled_dot(t, t->step, t->step));
    bool taken = actual > 1e-4 * expected;
    if (!t->started) t->delta = fmin(t->delta, length);
    t->started = true;
    resize(t, actual, expected, slope, length, t->border);
    if (taken) {
        memcpy(t->w, t->next, (size_t)n * sizeof *t->w);
        t->f = f;
        t->moved++;
    }
    t->more = expected > 0 &&
              !(fabs(actual) <= 1e-12 * fabs(t->f) && fabs(expected) <= 1e-12 * fabs(t->f));
    if (taken && t->more)
        t->need = SLOPES;
    else
        next_step(t);
}

/* ---- the fits -------------------------------------------------------------------------------- */

/* The tolerance is for balanced classes: it falls with the share of the rarer one. */
static double tolerance(const newton *t) {
    int64_t positive = 0, rows = t->of->rows;
    for (int64_t i = 0; i < rows; i++) positive += t->y[i] > 0;
    int64_t rare = positive < rows - positive ? positive : rows - positive;
    return t->of->tolerance * (double)(rare > 1 ? rare : 1) / (double)rows;
}

/* The first gradient, at 0. */
static void begin(newton *t) {
    double length = sqrt(dot(t->of->columns, t->gradient, t->gradient));
    t->enough = tolerance(t) * length;
    t->delta = sqrt(scaled_dot(t, t->gradient, t->gradient));
    t->begun = true;
}

/* What was needed of the rows is there: what is next? */
static void proceed(newton *t) {
    if (t->need == CURVE) {
        next_round(t, advance(t));
    } else if (t->need == SLOPES) {
        close_slopes(t);
        if (!t->begun) begin(t);
        next_step(t);
    } else if (t->need == VALUE && t->begun) {
        end_step(t, value(t));
    } else if (t->need == VALUE) {
        t->f = value(t);
        t->need = SLOPES;
    }
}

/* One pass over the rows for all fits. Returns whether one of them needs another. */
static bool pass(const cafe_newton_problem *o, int64_t count, newton *fits) {
    bool more = false;
    for (int64_t k = 0; k < count; k++) open_pass(&fits[k]);
    for (int64_t i = 0; i < o->rows; i += BLOCK) {
        int64_t rows = o->rows - i < BLOCK ? o->rows - i : BLOCK;
        for (int64_t k = 0; k < count; k++) meet(&fits[k], i, rows, o->x + i * o->columns);
    }
    for (int64_t k = 0; k < count; k++) {
        proceed(&fits[k]);
        more |= fits[k].need != NOTHING;
    }
    return more;
}

static void share_out(newton *t, double *room) {
    int64_t rows = t->of->rows, n = t->of->columns;
    double **of_columns[COLUMN_VECTORS] = {&t->gradient,  &t->scale, &t->step,           &t->rest,
                                           &t->direction, &t->image, &t->preconditioned, &t->next};
    t->z = room;
    t->d = room + rows;
    room += 2 * rows;
    for (size_t i = 0; i < COLUMN_VECTORS; i++, room += n) *of_columns[i] = room;
}

cafe_status cafe_newton_fit(cafe_context *context, const cafe_newton_problem *problem,
                            int64_t count, const double *y, double *room, double *w) {
    newton fits[NEWTON_MOST];
    cafe_status status = CAFE_OK;
    bool more = count > 0;
    memset(w, 0, (size_t)(count * problem->columns) * sizeof *w);
    for (int64_t k = 0; k < count; k++) {
        fits[k] = (newton){.of = problem, .y = y + k * problem->rows, .more = true};
        fits[k].w = w + k * problem->columns;
        share_out(&fits[k], room + k * cafe_newton_room(problem->rows, problem->columns));
    }
    while (more && status == CAFE_OK) {
        status = cafe_check_cancel(context);
        if (status == CAFE_OK) more = pass(problem, count, fits);
    }
    return status;
}
