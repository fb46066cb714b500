/* How far a placed row can be from the row of a full run, for eigenvectors of Q and of D^-1 Q.
 *
 * Q' is the operator of the graph with the new node in it, V' its K dominant eigenvectors, rotated
 * to be nearest to the old rows: a full run. With a the links' weights, d their sum, c = 2m / (2m +
 * 2d), alpha = a / 2m, e = d / 2m,
 *
 *     Q' - Q = (c - 1) P + p p^T - c^2 (p + alpha)(p + alpha)^T    on the old nodes,
 *     g = c alpha - c^2 e (p + alpha)                              between them and the new one,
 *     - c^2 e^2                                                    of the new one with itself.
 *
 * V stands for its columns with a 0 for the new node, rho for their Rayleigh quotients. What is
 * left, R = Q' V - V diag(rho), has a length that follows from that of Q V - V diag(rho), from s =
 * V^T p and from sigma = V^T alpha, a sum over the links. Let gap = least rho - (K+1)-th eigenvalue
 * of Q', which is max(lambda, 0) + ||Q' - Q|| at most (Weyl), lambda that of Q. Then
 *
 *     ||sin|| <= ||R|| / gap       (Davis and Kahan 1970, in the Frobenius norm)
 *     ||V' - V|| <= sqrt(2) ||sin|| .
 *
 * The new node's row y of V' is y B = g^T V' - c^2 e^2 y, with B = V'^T Q' V' and no eigenvalue of
 * B below least rho - ||R||, ||B - diag(rho)|| <= (||B|| + ||rho||) ||sin||^2 + ||R||. So for the
 * placed row r
 *
 *     ||y - r|| <= (||g^T V - r diag(rho)|| + ||g|| sqrt(2) ||sin||
 *                   + ||r|| (||B - diag(rho)|| + c^2 e^2)) / (least rho - ||R||) ,
 *
 * or sqrt(2) ||sin|| + ||r|| if that is less. Columns that are orthonormal to w = ||V^T V - I||
 * only add w to ||V' - V|| and w times the norms to ||R||. docs/update.md has the argument in full.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "engine/dense.h"
#include "engine/engine.h"
#include "explain/scaled.h"
#include "graph/scale.h"
#include "sample/sampled.h"
#include "spectral/eigen.h"
#include "update/update.h"

enum { WIDTH = CAFE_EXACT_WIDTH, PASSES = 300 };

typedef struct bounding {
    const cafe_graph *graph;
    const cafe_operator *op;
    const cafe_new_links *links;
    int64_t columns;
    const float *vectors, *placed;
    double *s, *sigma, *rho; /* K each */
    double *weight;          /* a, of one new node; 0 between them */
    const double *norm;      /* p: the walk's problem; NULL: 1, that of Q */
    double p, s_length;      /* ||p||, ||s|| */
    double image, residual;  /* ||Q V||, ||Q V - V diag(rho)|| */
    double off;              /* w */
    double least, most;      /* of rho */
    double first, next;      /* eigenvalues 1 and K + 1 of Q at most, not below 0 */
} bounding;

static double length(int64_t count, const double *x) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

/* ---- of the graph ---------------------------------------------------------------------------- */

static double norm_at(const bounding *b, int64_t u) {
    return b->norm ? b->norm[u] : 1;
}

/* rho, and the squares of ||Q V|| and of the residual, of columns first .. first + WIDTH - 1. */
static void judge_columns(bounding *b, int64_t first, int64_t width, const double *x,
                          const double *y) {
    for (int64_t j = 0; j < width; j++) {
        double own = 0, joint = 0;
        for (int64_t u = 0; u < b->op->n; u++) {
            own += norm_at(b, u) * x[u * width + j] * x[u * width + j];
            joint += x[u * width + j] * y[u * width + j];
        }
        double rho = b->rho[first + j] = own > 0 ? joint / own : 0;
        for (int64_t u = 0; u < b->op->n; u++) {
            double image = y[u * width + j], norm = norm_at(b, u);
            double rest = image - rho * norm * x[u * width + j];
            b->image += image * image;
            b->residual += norm > 0 ? rest * rest / norm : 0;
        }
        b->least = fmin(b->least, rho), b->most = fmax(b->most, rho);
    }
}

static cafe_status find_residual(cafe_context *context, bounding *b) {
    int64_t n = b->op->n;
    double *x = cafe_mem(context, 2 * n * WIDTH, sizeof *x), *y = x + n * WIDTH;
    cafe_status status = cafe_mem_had(x);
    b->least = INFINITY, b->most = -INFINITY;
    for (int64_t first = 0; first < b->columns && status == CAFE_OK; first += WIDTH) {
        int64_t left = b->columns - first, width = left < WIDTH ? left : WIDTH;
        for (int64_t i = 0; i < n * width; i++)
            x[i] = b->vectors[i / width * b->columns + first + i % width];
        status = cafe_operator_exact(context, &b->op->parts, width, x, y);
        if (status == CAFE_OK) judge_columns(b, first, width, x, y);
    }
    b->image = sqrt(b->image), b->residual = sqrt(b->residual);
    cafe_mem_free(context, x);
    return status;
}

/* w = ||V^T V - I|| in the Frobenius norm, which is at least how far V is from orthonormal columns
 * of the same span. */
static cafe_status find_off(cafe_context *context, bounding *b) {
    int64_t k = b->columns;
    cafe_block v = cafe_block_rows(b->op->n, k, k, (float *)b->vectors);
    double *gram = cafe_mem(context, k * k, sizeof *gram);
    cafe_status status = cafe_mem_had(gram);
    if (status == CAFE_OK) status = cafe_ops(&v)->gram(context, &v, NULL, b->norm, false, gram);
    for (int64_t i = 0; i < k * k && status == CAFE_OK; i++) gram[i] -= i / k == i % k;
    if (status == CAFE_OK) b->off = length(k * k, gram);
    cafe_mem_free(context, gram);
    return status;
}

/* Pairs that have not converged have large residuals, and those leave no gap. */
static cafe_status find_eigenvalues(cafe_context *context, bounding *b) {
    cafe_status status = CAFE_OK;
    int64_t n = b->op->n, count = b->columns + 1 < n ? b->columns + 1 : n;
    double *roots = b->norm ? cafe_inverse_roots(context, b->op) : NULL;
    cafe_scaled m = {0};
    cafe_eigen found = {0};
    CAFE_TRY(b->norm ? cafe_mem_had(roots) : CAFE_OK);
    CAFE_TRY(cafe_scaled_new(context, b->op, roots, NULL, &m));
    CAFE_TRY(cafe_scaled_largest(context, &m, count, 1e-4, PASSES, &found));
    b->first = fmax(0, found.values[0] + found.residuals[0]);
    if (count > b->columns) b->next = fmax(0, found.values[count - 1] + found.residuals[count - 1]);
done:
    cafe_eigen_free(context, &found);
    cafe_scaled_free(context, &m);
    cafe_mem_free(context, roots);
    return status;
}

static void find_sums(bounding *b) {
    const double *p = b->op->parts.p;
    memset(b->s, 0, (size_t)b->columns * sizeof *b->s);
    for (int64_t u = 0; u < b->op->n; u++)
        for (int64_t k = 0; k < b->columns; k++) b->s[k] += p[u] * b->vectors[u * b->columns + k];
    b->p = length(b->op->n, p);
    b->s_length = length(b->columns, b->s);
}

/* ---- of a new node --------------------------------------------------------------------------- */

/* sigma = V^T alpha; returns ||alpha||, links to one node added up. */
static double sum_links(const bounding *b, int64_t i, double *d) {
    const cafe_new_links *l = b->links;
    double square = 0, total = b->op->parts.total;
    *d = 0;
    memset(b->sigma, 0, (size_t)b->columns * sizeof *b->sigma);
    for (int64_t j = l->offsets[i]; j < l->offsets[i + 1]; j++) {
        const float *row = b->vectors + l->targets[j] * b->columns;
        double weight = cafe_graph_to_scaled(b->graph, l->weights[j]), a = weight / total;
        for (int64_t k = 0; k < b->columns; k++) b->sigma[k] += a * row[k];
        b->weight[l->targets[j]] += a;
        *d += weight;
    }
    for (int64_t j = l->offsets[i]; j < l->offsets[i + 1]; j++) {
        double *a = b->weight + l->targets[j];
        square += *a * *a;
        *a = 0;
    }
    return sqrt(square);
}

/* The change of the operator: ||Q' - Q||, ||(Q' - Q) V|| on the old nodes, ||g||, c^2 e^2, ||g^T
 * V|| and ||g^T V - r diag(rho)||. */
typedef struct change {
    double norm, image, link, own, row, miss;
} change;

static change find_change(const bounding *b, int64_t i, double c, double e, double alpha) {
    double sigma = length(b->columns, b->sigma), row = 0, miss = 0;
    const float *r = b->placed + i * b->columns;
    change x = {.own = c * c * e * e, .link = c * alpha + c * c * e * b->p};
    x.norm = (1 - c) * (b->first + b->p * b->p) + (1 - c * c) * b->p * b->p +
             c * c * (2 * b->p * alpha + alpha * alpha) + x.link + x.own;
    x.image = (1 - c) * (b->image + b->p * b->s_length) + (1 - c * c) * b->p * b->s_length +
              c * c * (b->p * sigma + alpha * (b->s_length + sigma));
    for (int64_t k = 0; k < b->columns; k++) {
        double pull = c * b->sigma[k] - c * c * e * (b->s[k] + b->sigma[k]);
        row += pull * pull;
        miss += (pull - r[k] * b->rho[k]) * (pull - r[k] * b->rho[k]);
    }
    x.row = sqrt(row), x.miss = sqrt(miss);
    return x;
}

static double bound_row(const bounding *b, int64_t i) {
    double d, alpha = sum_links(b, i, &d), total = b->op->parts.total, square = 0;
    double c = total / (total + 2 * d), e = d / total;
    change x = find_change(b, i, c, e, alpha);
    for (int64_t k = 0; k < b->columns; k++) {
        double r = b->placed[i * b->columns + k];
        square += r * r;
    }
    double norms = b->first + 2 * b->p * b->p + b->most + x.norm, r = sqrt(square);
    double rest = hypot(b->residual + x.image, x.row) + b->off * norms;
    double gap = b->least - b->next - x.norm, beta = b->least - rest, sine = rest / gap;
    if (!(gap > 0) || !(beta > 0) || !(sine < 1)) return INFINITY;
    double near = sqrt(2) * sine + b->off;
    double turned = (b->first + x.norm + b->most) * sine * sine + rest + x.own;
    return fmin(near + r, (x.miss + x.link * near + r * turned) / beta);
}

/* ---- of a new node, for the walk --------------------------------------------------------------
 */

/* Sums over the nodes that are linked to. */
typedef struct walk_sums {
    double links; /* sqrt(sum of alpha_u^2 / (p_u + alpha_u)) */
    double moved; /* the same of alpha_u^2 ||r - v_u diag(rho)||^2 / (p_u + alpha_u) */
    double mass;  /* sum of alpha_u ||v_u||^2 */
    double share; /* kappa = max of alpha_u / p_u */
    double sigma, e;
} walk_sums;

static void add_neighbour(const bounding *b, const float *r, int64_t u, walk_sums *sums) {
    double alpha = b->weight[u], p = b->op->parts.p[u], length = 0, moved = 0;
    const float *v = b->vectors + u * b->columns;
    for (int64_t k = 0; k < b->columns; k++) {
        double rest = r[k] - v[k] * b->rho[k];
        length += (double)v[k] * v[k];
        moved += rest * rest;
    }
    if (!(alpha > 0)) return;
    sums->links += alpha * alpha / (p + alpha);
    sums->moved += alpha * alpha / (p + alpha) * moved;
    sums->mass += alpha * length;
    sums->share = fmax(sums->share, alpha / p);
    b->weight[u] = 0;
}

/* sigma = V^T alpha, and the sums. */
static walk_sums sum_walk(const bounding *b, int64_t i) {
    const cafe_new_links *l = b->links;
    walk_sums sums = {0};
    memset(b->sigma, 0, (size_t)b->columns * sizeof *b->sigma);
    for (int64_t j = l->offsets[i]; j < l->offsets[i + 1]; j++) {
        const float *row = b->vectors + l->targets[j] * b->columns;
        double alpha = cafe_graph_to_scaled(b->graph, l->weights[j]) / b->op->parts.total;
        for (int64_t k = 0; k < b->columns; k++) b->sigma[k] += alpha * row[k];
        b->weight[l->targets[j]] += alpha;
        sums.e += alpha;
    }
    for (int64_t j = l->offsets[i]; j < l->offsets[i + 1]; j++)
        add_neighbour(b, b->placed + i * b->columns, l->targets[j], &sums);
    sums.links = sqrt(sums.links), sums.moved = sqrt(sums.moved);
    return sums;
}

/* The (K+1)-th eigenvalue with the new node is tau + 2 e at most,
 * (1 + kappa) tau^2 = lambda tau + kappa. */
static double next_walk(const bounding *b, const walk_sums *x) {
    double k = x->share, root = sqrt(b->next * b->next + 4 * k * (1 + k));
    return (b->next + root) / (2 * (1 + k)) + 2 * x->e;
}

static double bound_walk(const bounding *b, int64_t i) {
    const float *row = b->placed + i * b->columns;
    walk_sums x = sum_walk(b, i);
    double e = x.e, c = 1 / (1 + 2 * e), t = 0, own = 0, miss = 0, r = 0;
    if (!(e > 0)) return INFINITY;
    for (int64_t k = 0; k < b->columns; k++) {
        double all = b->s[k] + b->sigma[k] + e * row[k],
               pull = b->sigma[k] - e * row[k] * b->rho[k];
        t += all * all;
        own += (pull - c * e * all) * (pull - c * e * all);
        miss += pull / e * (pull / e);
        r += (double)row[k] * row[k];
    }
    double off = b->off + x.mass + e * r;
    double old = b->residual + b->s_length + c * sqrt((1 + e) * t) + x.moved;
    double rest = hypot(old, sqrt(own / e)) + off * (1 + b->most);
    double gap = b->least - next_walk(b, &x), beta = b->least - rest, sine = rest / gap;
    if (!(gap > 0) || !(beta > 0) || !(sine < 1)) return INFINITY;
    double near = sqrt(2) * sine + off, turned = (1 + b->most) * sine * sine + rest;
    double found = (x.links / e * near + sqrt(miss) + sqrt(r) * turned) / beta;
    return found / sqrt(c) + sqrt(r) * (1 / sqrt(c) - 1);
}

/* ---- of all new nodes -------------------------------------------------------------------------
 */

static cafe_status find_bounds(cafe_context *context, bounding *b, double *bound) {
    cafe_status status = CAFE_OK;
    int64_t k = b->columns;
    double *work = cafe_mem_zero(context, 3 * k + b->op->n, sizeof *work);
    CAFE_TRY(cafe_mem_had(work));
    b->s = work, b->sigma = work + k, b->rho = work + 2 * k, b->weight = work + 3 * k;
    find_sums(b);
    CAFE_TRY(find_residual(context, b));
    CAFE_TRY(find_off(context, b));
    if (b->least > 0) CAFE_TRY(find_eigenvalues(context, b));
    for (int64_t i = 0; i < b->links->nodes; i++)
        bound[i] = b->norm ? bound_walk(b, i) : bound_row(b, i);
done:
    cafe_mem_free(context, work);
    return status;
}

/* ---- the scaled form ------------------------------------------------------------------------- */

/* V = (Z - 1 s^T) diag(1 / l), s and l the means and lengths of the columns in the walk's problem;
 * the placed rows in the same way. */
static void unscale(int64_t rows, int64_t k, const double *s, const double *l, const float *from,
                    float *to) {
    for (int64_t i = 0; i < rows * k; i++)
        to[i] = l[i % k] > 0 ? (float)((from[i] - s[i % k]) / l[i % k]) : 0;
}

static void find_lengths(const bounding *b, double *s, double *l) {
    const double *p = b->op->parts.p;
    int64_t n = b->op->n, k = b->columns;
    for (int64_t i = 0; i < n * k; i++) s[i % k] += p[i / k] * b->vectors[i];
    for (int64_t i = 0; i < n * k; i++) {
        double x = b->vectors[i] - s[i % k];
        l[i % k] += p[i / k] * x * x;
    }
    for (int64_t j = 0; j < k; j++) l[j] = sqrt(l[j]);
}

/* ||(y - r) diag(l)|| <= max l ||y - r||: of the walk's problem with its columns of length 1. */
static cafe_status find_scaled(cafe_context *context, bounding *b, double *bound) {
    cafe_status status = CAFE_OK;
    int64_t n = b->op->n, k = b->columns, added = b->links->nodes;
    float *v = cafe_mem(context, (n + added) * k, sizeof *v), *r = v + n * k;
    double *s = cafe_mem_zero(context, 2 * k, sizeof *s), *l = s + k, most = 0;
    CAFE_TRY(cafe_mem_had(v, s));
    find_lengths(b, s, l);
    unscale(n, k, s, l, b->vectors, v);
    unscale(added, k, s, l, b->placed, r);
    b->vectors = v, b->placed = r;
    CAFE_TRY(find_bounds(context, b, bound));
    for (int64_t j = 0; j < k; j++) most = fmax(most, l[j]);
    for (int64_t i = 0; i < added; i++) bound[i] *= most;
done:
    cafe_mem_free_all(context, v, s);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

cafe_status cafe_place_bound(cafe_context *context, const cafe_graph *graph, int64_t columns,
                             const float *vectors, const cafe_new_links *links,
                             const cafe_place_options *options, const float *placed,
                             double *bound) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_place_options o;
    bounding b = {
        .graph = graph, .links = links, .columns = columns, .vectors = vectors, .placed = placed};
    for (int64_t i = 0; i < links->nodes; i++) bound[i] = INFINITY;
    CAFE_TRY(cafe_options_take(context, cafe_place_option_table(), options, &o));
    if (o.form == CAFE_PLACE_RAW || o.degree_exponent > 0 || columns >= graph->n) goto done;
    cafe_phase(context, "bound", 0);
    CAFE_TRY(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    b.op = op;
    b.norm = o.form == CAFE_PLACE_RITZ ? NULL : op->parts.p;
    CAFE_TRY(o.form == CAFE_PLACE_SCALED ? find_scaled(context, &b, bound)
                                         : find_bounds(context, &b, bound));
done:
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_phase(context, "", 0);
    return status;
}
