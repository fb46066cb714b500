/* Two methods on the same splits: the mean of their differences, and how much of it is chance.
 *
 * With d_i = a_i - b_i of R repeats and s^2 = sum (d_i - mean d)^2 / (R - 1), the error of the mean
 * over splits of these data is s / sqrt(R). It is no error for other data. Splits drawn again and
 * again from the same nodes overlap, so their values are not independent, and the common paired
 * test finds differences where there are none. Nadeau and Bengio (Machine Learning 52, 2003) put
 * the overlap into the error,
 *
 *     t = mean d / (s sqrt(1/R + test/train)),   R - 1 degrees of freedom,
 *
 * test/train being the sizes of the two parts of a split.
 */
#include <math.h>

#include <cafe/evaluate.h>

#include "base/option.h"

/* ---- Student's distribution ------------------------------------------------------------------ */

/* B(k/2, 1/2): B(1/2, 1/2) = pi, B(1, 1/2) = 2, B(a + 1, b) = B(a, b) a / (a + b) */
static double half_beta(int64_t k) {
    double value = k % 2 ? acos(-1) : 2;
    for (double a = k % 2 ? 0.5 : 1; a < (double)k / 2; a++) value *= a / (a + 0.5);
    return value;
}

/* Coefficient i of the continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8):
 *     d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)),
 *     d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)) */
static double coefficient(double x, double a, double b, int i) {
    double m = i / 2; /* rounded down */
    if (i % 2 == 0) return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* 1 + d_1/(1 + d_2/(1 + ...)) from the front, by the method of Lentz. */
static double fraction(double x, double a, double b) {
    enum { MOST_TERMS = 100000 };
    const double tiny = 1e-300;
    double value = 1, c = 1, d = 0;
    for (int i = 1; i < MOST_TERMS; i++) {
        double k = coefficient(x, a, b, i);
        d = 1 + k * d;
        c = 1 + k / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15) break;
    }
    return value;
}

/* I_x(a, b) = x^a (1 - x)^b / (a B(a, b) fraction), where x is small enough for it to converge fast
 */
static double beta_share(double x, double a, double b, double beta) {
    return pow(x, a) * pow(1 - x, b) / (a * beta * fraction(x, a, b));
}

/* P(|T| >= |t|) = I_x(k/2, 1/2), x = k / (k + t^2), of k degrees of freedom. */
static double two_sided(double t, int64_t k) {
    double a = (double)k / 2, b = 0.5, squared = t * t, beta = half_beta(k);
    double x = (double)k / ((double)k + squared);
    if (isinf(squared)) return 0;
    if (x < (a + 1) / (a + b + 2)) return beta_share(x, a, b, beta);
    /* I_x(a, b) = 1 - I_(1-x)(b, a) */
    return 1 - beta_share(squared / ((double)k + squared), b, a, beta);
}

/* ---- the test -------------------------------------------------------------------------------- */

static void find_mean(int64_t count, const double *a, const double *b, cafe_paired *found) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(a[i] - b[i])) sum += a[i] - b[i], found->count++;
    if (found->count > 0) found->mean = sum / (double)found->count;
}

/* s = sqrt(sum (d_i - mean d)^2 / (R - 1)) */
static double deviation(int64_t count, const double *a, const double *b, const cafe_paired *found) {
    double squares = 0;
    for (int64_t i = 0; i < count; i++) {
        double x = a[i] - b[i] - found->mean;
        if (!isnan(x)) squares += x * x;
    }
    return sqrt(squares / (double)(found->count - 1));
}

void cafe_paired_test_sized(int64_t count, const double *a, const double *b, double ratio,
                            cafe_paired *paired, size_t size) {
    cafe_paired found = {0, NAN, NAN, NAN, NAN, NAN};
    find_mean(count, a, b, &found);
    if (found.count > 1) {
        double s = deviation(count, a, b, &found), share = 1 / (double)found.count;
        found.error = s * sqrt(share);
        found.corrected_error = s * sqrt(share + ratio);
        found.t = found.mean / found.corrected_error; /* of equal values there is none: 0/0 */
        if (!isnan(found.t)) found.p = two_sided(found.t, found.count - 1);
    }
    cafe_struct_give(&found, sizeof found, paired, size);
}
