/* The scaled form.
 *
 * Y = D^-1 Q H less its column means has the Gram matrix G = E Lambda E^T. With s in [0, 1/2]
 *
 *     Z = (Y - 1 ybar^T) E Lambda^(s - 1/2) U c ,    Z^T Z = c^2 U^T Lambda^(2s) U .
 *
 * With s = 0 all directions are alike, as after QR; s = 1/2 leaves Y as it is. In between,
 * directions that the solver has hardly found weigh more than in Y, and less than after QR. The
 * factor c^2 = n w / (sum of lambda^2s) makes the mean variance of the w columns 1.
 *
 * U, r x w with orthonormal rows, chooses the columns. With w = K, U = E_r^T: the columns stay next
 * to those of Y. Z = Y G^(s - 1/2) c depends neither on signs of eigenvectors nor on the choice of
 * those of equal values. With R orthogonal, Z of H R is Z of H times R. With w < K the columns are
 * next to w of Y, J, r of which are independent: U is the polar factor of E_r[J,:]^T. More columns
 * than directions say nothing new, but how much the directions weigh beside other columns.
 *
 * All that is tall is one Gram matrix, one sum and one product, from which the means come off
 * before it is rounded. K x K matrices are in double precision.
 */
#include "spectral/scaled_form.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/orthonormal.h"
#include "spectral/rounding_error.h"

typedef struct scaling {
    int64_t n, k, r, w; /* rows, columns, directions kept, columns of Z */
    double *memory;
    double *gram;   /* k x k: G, then E */
    double *e;      /* k x r: E_r, then E_r Lambda^(s - 1/2) c */
    double *u;      /* r x w */
    double *m;      /* k x w: what Y is multiplied by */
    double *spare;  /* two matrices */
    double *values; /* lambda; then those kept */
    double *means, *shift;
    int64_t *columns; /* J */
} scaling;

static cafe_status new_scaling(cafe_context *context, const cafe_block *y, scaling *s) {
    int64_t k = y->columns, square = k * k;
    *s = (scaling){.n = y->n, .k = k};
    s->memory = cafe_mem(context, 6 * square + 3 * k, sizeof *s->memory);
    s->columns = cafe_mem(context, k, sizeof *s->columns);
    CAFE_PASS(cafe_mem_had(s->memory, s->columns));
    double **matrices[] = {&s->gram, &s->e, &s->u, &s->m, &s->spare};
    double **rows[] = {&s->values, &s->means, &s->shift};
    for (int i = 0; i < 5; i++) *matrices[i] = s->memory + i * square;
    for (int i = 0; i < 3; i++) *rows[i] = s->memory + 6 * square + i * k;
    return CAFE_OK;
}

static void free_scaling(cafe_context *context, scaling *s) {
    cafe_mem_free_all(context, s->memory, s->columns);
}

/* G = Y^T Y - n ybar ybar^T */
static cafe_status find_gram(cafe_context *context, const cafe_block *y, bool single, scaling *s) {
    int64_t k = s->k;
    double n = (double)s->n;
    CAFE_PASS(cafe_ops(y)->gram(context, y, NULL, NULL, single, s->gram));
    CAFE_PASS(cafe_ops(y)->totals(context, y, NULL, s->means));
    for (int64_t j = 0; j < k; j++) s->means[j] /= n;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) s->gram[i * k + j] -= n * s->means[i] * s->means[j];
    return CAFE_OK;
}

/* Z = Y M less its means, which are ybar^T M */
static cafe_status multiply(cafe_context *context, scaling *s, cafe_block *y) {
    cafe_dense_product(false, 1, s->k, s->w, s->means, s->m, s->shift);
    return cafe_ops(y)->transform(context, y, s->w, s->m, NULL, s->shift);
}

/* E and Lambda. Single precision leaves an error of 1.4e-8 lambda_1 (spectral/ritz.c), which must
 * be small beside the shortest direction's lambda. */
static cafe_status find_directions(cafe_context *context, const cafe_block *y, scaling *s) {
    const double clear = 1e-4;
    bool single = s->n >= CAFE_TALL;
    CAFE_PASS(find_gram(context, y, single, s));
    CAFE_PASS(cafe_dense_eigen(context, s->k, s->gram, s->values));
    if (!single || s->values[s->k - 1] > clear * s->values[0]) return CAFE_OK;
    CAFE_PASS(find_gram(context, y, false, s));
    return cafe_dense_eigen(context, s->k, s->gram, s->values);
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Long enough, and not made of rounding: sum over i of e_i y_i has an error of sqrt(sum of e_i^2
 * noise_i^2). */
static bool is_clear(const scaling *s, int64_t j, double exponent, double shortest,
                     const double *noise) {
    double error = 0, value = s->values[j], share = value / s->values[0];
    if (!(share > CAFE_LEAST_SQUARE)) return false;
    if (!(fmax(pow(share, exponent), shortest) > CAFE_LEAST_LENGTH)) return false;
    for (int64_t i = 0; i < s->k; i++) {
        double part = s->gram[i * s->k + j] * noise[i];
        error += part * part;
    }
    return error <= CAFE_MOST_NOISE * CAFE_MOST_NOISE * value;
}

/* E_r and its values, from the largest on. */
static void keep_directions(scaling *s, double exponent, double shortest, const double *noise) {
    int64_t k = s->k;
    s->r = 0;
    for (int64_t j = 0; j < k; j++)
        if (is_clear(s, j, exponent, shortest, noise)) s->columns[s->r++] = j;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < s->r; j++) s->e[i * s->r + j] = s->gram[i * k + s->columns[j]];
    for (int64_t j = 0; j < s->r; j++) s->values[j] = s->values[s->columns[j]];
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Beside other columns, which `least` says there are, weak directions make room for them: w is the
 * number of the strong ones, or `least`. */
static void find_width(scaling *s, int64_t least) {
    int64_t strong = 0, r = s->r;
    while (strong < r && s->values[strong] > CAFE_WEAK_SQUARE * s->values[0]) strong++;
    s->w = least == 0 || r == 0 ? r : strong > least ? strong : least;
    if (r <= s->w) return;
    s->r = s->w;
    for (int64_t i = 1; i < s->k; i++) /* rows of E_r, one after the other */
        memmove(s->e + i * s->r, s->e + i * r, (size_t)s->r * sizeof *s->e);
}

/* ||row||^2 */
static double square_of(int64_t r, const double *row) {
    double sum = 0;
    for (int64_t j = 0; j < r; j++) sum += row[j] * row[j];
    return sum;
}

/* The first row of which half as much is left as of the longest: the order of columns decides
 * between rows that are alike. */
static int64_t next_column(const scaling *s, const double *rows) {
    double most = 0;
    int64_t i = 0;
    for (int64_t j = 0; j < s->k; j++) most = fmax(most, square_of(s->r, rows + j * s->r));
    while (i < s->k - 1 && square_of(s->r, rows + i * s->r) < most / 4) i++;
    return i;
}

/* One more place of J, which stays in order. */
static void choose(scaling *s, int64_t taken, int64_t next) {
    int64_t at = taken;
    for (; at > 0 && s->columns[at - 1] > next; at--) s->columns[at] = s->columns[at - 1];
    s->columns[at] = next;
}

/* r independent rows of E_r, by Gram and Schmidt. */
static void choose_independent(scaling *s, double *rows) {
    int64_t r = s->r;
    double *unit = s->shift;
    memcpy(rows, s->e, (size_t)(s->k * r) * sizeof *rows);
    for (int64_t t = 0; t < r; t++) {
        int64_t next = next_column(s, rows);
        double length = sqrt(square_of(r, rows + next * r));
        for (int64_t j = 0; j < r; j++) unit[j] = rows[next * r + j] / length;
        for (int64_t i = 0; i < s->k; i++) {
            double *row = rows + i * r, share = 0;
            for (int64_t j = 0; j < r; j++) share += row[j] * unit[j];
            for (int64_t j = 0; j < r; j++) row[j] = i == next ? 0 : row[j] - share * unit[j];
        }
        choose(s, t, next);
    }
}

/* J: those, and the first of the others. */
static void choose_columns(scaling *s) {
    int64_t taken = s->r;
    choose_independent(s, s->spare);
    for (int64_t i = 0; i < s->k && taken < s->w; i++) {
        int64_t at = 0;
        while (at < taken && s->columns[at] != i) at++;
        if (at == taken) choose(s, taken++, i);
    }
}

/* U: E_r^T, or with A = E_r[J,:]^T = P S T^T its polar factor P T^T. */
static cafe_status find_turn(cafe_context *context, scaling *s) {
    int64_t r = s->r, w = s->w;
    double *turned = s->e; /* U^T */
    if (w < s->k) {
        double *a = s->m, *left = s->spare, *right = left + r * r; /* column by column */
        choose_columns(s);
        for (int64_t c = 0; c < w; c++)
            memcpy(a + c * r, s->e + s->columns[c] * r, (size_t)r * sizeof *a);
        CAFE_PASS(cafe_dense_singular(context, r, w, a, s->shift, left, right));
        turned = s->m; /* (P T^T)^T, row by row */
        cafe_dense_product(false, w, r, r, right, left, turned);
    }
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < w; j++) s->u[i * w + j] = turned[j * r + i];
    return CAFE_OK;
}

/* Steep spectra, those of dense graphs, span eleven orders: s is lowered until the shortest
 * direction has the share `shortest` of the longest, (lambda_r / lambda_1)^s. */
static double lowered(const scaling *s, double exponent, double shortest) {
    double share = s->values[s->r - 1] / s->values[0];
    return shortest > 0 && share < 1 ? fmin(exponent, log(shortest) / log(share)) : exponent;
}

/* M = E_r Lambda^(s - 1/2) U c. Values are taken over the largest, so that no power is too large.
 */
static void find_map(scaling *s, double exponent) {
    int64_t k = s->k, r = s->r;
    double largest = s->values[0], sum = 0;
    for (int64_t j = 0; j < r; j++) sum += pow(s->values[j] / largest, 2 * exponent);
    double c = sqrt((double)s->n * (double)s->w / (sum * largest));
    for (int64_t j = 0; j < r; j++) {
        double factor = c * pow(s->values[j] / largest, exponent - 0.5);
        for (int64_t i = 0; i < k; i++) s->e[i * r + j] *= factor;
    }
    cafe_dense_product(false, k, r, s->w, s->e, s->u, s->m);
}

static cafe_status scale_columns(cafe_context *context, double exponent, double shortest,
                                 int64_t least, const double *noise, scaling *s, cafe_block *y) {
    CAFE_PASS(find_directions(context, y, s));
    keep_directions(s, exponent, shortest, noise);
    find_width(s, least);
    if (s->r > 0) {
        CAFE_PASS(find_turn(context, s));
        find_map(s, lowered(s, exponent, shortest));
    }
    return multiply(context, s, y);
}

cafe_status cafe_scale_columns(cafe_context *context, double exponent, double shortest,
                               int64_t least, const double *noise, int64_t *from, cafe_block *y) {
    scaling s;
    cafe_status status = new_scaling(context, y, &s);
    if (status == CAFE_OK) status = scale_columns(context, exponent, shortest, least, noise, &s, y);
    for (int64_t j = 0; status == CAFE_OK && j < s.w; j++) from[j] = s.w < s.k ? s.columns[j] : j;
    free_scaling(context, &s);
    return status;
}

/* ---- columns as they are ----------------------------------------------------------------------
 */

/* s->columns, s->r: long enough beside the longest, and not made of rounding. The sum of their
 * squares. */
static double keep_columns(const double *noise, scaling *s) {
    double longest = 0, sum = 0;
    for (int64_t j = 0; j < s->k; j++) longest = fmax(longest, s->gram[j * s->k + j]);
    s->r = 0;
    for (int64_t j = 0; j < s->k; j++) {
        double square = s->gram[j * s->k + j],
               least = fmax(noise[j] / CAFE_MOST_NOISE, CAFE_LEAST_LENGTH * sqrt(longest));
        if (!(square > least * least)) continue;
        s->columns[s->r++] = j;
        sum += square;
    }
    return sum;
}

cafe_status cafe_centre_columns(cafe_context *context, const double *noise, int64_t *from,
                                cafe_block *y) {
    scaling s;
    cafe_status status = CAFE_OK;
    CAFE_TRY(new_scaling(context, y, &s));
    CAFE_TRY(find_gram(context, y, false, &s));
    double sum = keep_columns(noise, &s);
    s.w = s.r;
    memset(s.m, 0, (size_t)(s.k * s.w) * sizeof *s.m);
    for (int64_t i = 0; i < s.r; i++)
        s.m[s.columns[i] * s.w + i] = sqrt((double)s.n * (double)s.r / sum);
    CAFE_TRY(multiply(context, &s, y));
    memcpy(from, s.columns, (size_t)s.w * sizeof *from);
done:
    free_scaling(context, &s);
    return status;
}

/* ---- eigenvectors ---------------------------------------------------------------------------- */

/* Which columns stay, in their order: s->columns, s->r. The Gram matrix of columns less their means
 * by the weights is I - m m^T / total. With c_j the sum of m_i^2 / total up to column j, this
 * column has 1 - c_j of 1 - c_(j-1) left beside those before. Float32 makes an entry of the Gram
 * matrix wrong by 1e-6, so that of less than `rounding` nothing is known. */
static cafe_status keep_pairs(cafe_context *context, double exponent, const double *rho,
                              const double *weights, const cafe_block *v, scaling *s) {
    const double rounding = 4e-6;
    double *means = s->shift, total = 0, longest = 0, left = 1;
    CAFE_PASS(cafe_ops(v)->totals(context, v, weights, means));
    for (int64_t u = 0; u < s->n; u++) total += weights ? weights[u] : 1;
    for (int64_t j = 0; j < s->k; j++) longest = fmax(longest, pow(fabs(rho[j]), 2 * exponent));
    s->r = 0;
    for (int64_t j = 0; j < s->k; j++) {
        double after = left - means[j] * means[j] / total;
        bool clear = pow(fabs(rho[j]), 2 * exponent) > CAFE_LEAST_LENGTH * longest;
        if (!clear || !(after > fmax(CAFE_RANK_TOLERANCE * left, rounding))) continue;
        s->columns[s->r++] = j;
        left = after;
    }
    return CAFE_OK;
}

/* c^2 = n r / (sum over j of |rho_j|^4s times the square of column j less its mean) */
cafe_status cafe_scale_pairs(cafe_context *context, double exponent, const double *rho,
                             const double *weights, cafe_block *v) {
    scaling s;
    double sum = 0;
    cafe_status status = CAFE_OK;
    CAFE_TRY(new_scaling(context, v, &s));
    CAFE_TRY(find_gram(context, v, false, &s));
    CAFE_TRY(keep_pairs(context, exponent, rho, weights, v, &s));
    s.w = s.r;
    memset(s.m, 0, (size_t)(s.k * s.w) * sizeof *s.m);
    for (int64_t i = 0; i < s.r; i++) {
        int64_t j = s.columns[i];
        double factor = pow(fabs(rho[j]), 2 * exponent);
        s.m[j * s.w + i] = factor;
        sum += factor * factor * s.gram[j * s.k + j];
    }
    for (int64_t i = 0; i < s.k * s.w && sum > 0; i++)
        s.m[i] *= sqrt((double)s.n * (double)s.r / sum);
    CAFE_TRY(multiply(context, &s, v));
done:
    free_scaling(context, &s);
    return status;
}
