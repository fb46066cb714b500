/* How far a placed row can be from the row of a full run, for eigenvectors of Q and of D^-1 Q.
 *
 * Q' is the operator of the graph with the new node in it, V' its K dominant eigenvectors, rotated
 * to be nearest to the old rows: a full run. With a degree exponent X edges weigh a / (d_u d_w)^X.
 * An edge from the new node to u, of weight a, raises d_u. Then all edges of u weigh 1 - psi_u of
 * before, psi_u = 1 - (1 + a / d_u)^-X. Let b be the new edges' weights, F = I - diag(psi), T = 2m,
 * alpha = b / T and e their sum. Let E = P - F P F, epsilon = E 1, beta = alpha - epsilon and c = 1
 * / (1 + 2 e - sum of epsilon). Without an exponent psi, E and epsilon are 0. Then
 *
 *     Q' - Q = (c - 1) P - c E + p p^T - c^2 (p + beta)(p + beta)^T    on the old nodes,
 *     g = c alpha - c^2 e (p + beta)                                   between them and the new
 * one,
 *     - c^2 e^2                                                        of the new one with itself.
 *
 * V stands for its columns with a 0 for the new node, rho for their Rayleigh quotients. The
 * remainder R = Q' V - V diag(rho) has a length that follows from that of Q V - V diag(rho), from s
 * = V^T p, sigma = V^T alpha and tau = V^T beta. These are sums over the edges and over the rows of
 * their ends. Let gap = least rho - (K+1)-th eigenvalue of Q', which is max(lambda, 0) + ||Q' - Q||
 * at most (Weyl), lambda that of Q. Then
 *
 *     ||sin|| <= ||R|| / gap       (Davis and Kahan 1970, in the Frobenius norm)
 *     ||V' - V|| <= sqrt(2) ||sin|| .
 *
 * The new node's row y of V' is y B = g^T V' - c^2 e^2 y, with B = V'^T Q' V'. No eigenvalue of B
 * is below least rho - ||R||, and ||B - diag(rho)|| <= (||B|| + ||rho||) ||sin||^2 + ||R||. So for
 * the placed row r
 *
 *     ||y - r|| <= (||g^T V - r diag(rho)|| + ||g|| sqrt(2) ||sin||
 *                   + ||r|| (||B - diag(rho)|| + c^2 e^2)) / (least rho - ||R||) ,
 *
 * or sqrt(2) ||sin|| + ||r|| if that is less. Columns that are orthonormal to w = ||V^T V - I||
 * only add w to ||V' - V|| and w times the norms to ||R||. docs/update.md has the argument in full.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "engine/engine.h"
#include "explain/scaled_operator.h"
#include "graph/edge_weight.h"
#include "graph/weight_scale.h"
#include "sample/sampled_graph.h"
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
    double *weight, *psi;    /* alpha and psi, of one new node; 0 between them */
    int32_t *near;           /* the nodes it is linked to, */
    int64_t count;           /* each once */
    const cafe_sampled *sampled;
    const double *degree;   /* without factors, in the unit of the edges */
    double exponent;        /* X */
    double *shift, *mean;   /* K each: V^T epsilon, a row of P V */
    const double *norm;     /* p: the walk's problem; NULL: 1, that of Q */
    double p, s_length;     /* ||p||, ||s|| */
    double image, residual; /* ||Q V||, ||Q V - V diag(rho)|| */
    double off;             /* w */
    double least, most;     /* of rho */
    double first, next;     /* eigenvalues 1 and K + 1 of Q at most, not below 0 */
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
    cafe_block v = cafe_block_given(b->op->n, k, b->vectors);
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

/* alpha and psi of the nodes it is linked to, edges to one node added up; returns e. */
static double take_links(bounding *b, int64_t i) {
    const cafe_new_links *l = b->links;
    const float *factor = b->op->parts.factor;
    double degree = 0, e = 0;
    b->count = 0;
    for (int64_t j = l->offsets[i]; j < l->offsets[i + 1]; j++) {
        double a = cafe_graph_to_scaled(b->graph, l->weights[j]);
        int32_t u = l->targets[j];
        if (!(a > 0)) continue;
        if (b->weight[u] == 0) b->near[b->count++] = u;
        b->weight[u] += a;
        degree += a;
    }
    double own = factor ? cafe_sampled_factor(b->sampled, degree) : 1;
    for (int64_t c = 0; c < b->count; c++) {
        int32_t u = b->near[c];
        double a = b->weight[u];
        if (factor) {
            /* psi = 1 - (1 + a / d)^-X */
            b->psi[u] = -expm1(-b->exponent * log1p(a / b->degree[u]));
            a *= own * factor[u] * (1 - b->psi[u]);
        }
        e += b->weight[u] = a / b->op->parts.total;
    }
    return e;
}

static void drop_links(bounding *b) {
    for (int64_t c = 0; c < b->count; c++) b->weight[b->near[c]] = b->psi[b->near[c]] = 0;
}

static double square_row(const bounding *b, const float *row) {
    double sum = 0;
    for (int64_t k = 0; k < b->columns; k++) sum += (double)row[k] * row[k];
    return sum;
}

/* The change of the old edges, E = P - F P F with F = I - diag(psi), and of epsilon = E 1. */
typedef struct shift {
    double most;                         /* of psi */
    double mass;                         /* sum of epsilon */
    double rows;                         /* sum of epsilon_u |v_u|^2 */
    double pairs;                        /* sqrt(sum of psi_w^2 p(u,w) |v_u diag(rho) - v_w|^2) */
    double psi, psi_p, psi_v, psi_image; /* ||psi||, ||psi p||, ||psi V||, ||psi P V|| */
} shift;

/* p(u,w) over the row of u: sums of psi_w, |v_w|^2, |v_w diag(rho) - v_u|^2, and of v_w to mean. */
static void scan_row(const bounding *b, int64_t u, double *psi, double *squares, double *apart) {
    const cafe_operator_parts *q = &b->op->parts;
    const float *v = b->vectors + u * b->columns;
    *psi = *squares = *apart = 0;
    memset(b->mean, 0, (size_t)b->columns * sizeof *b->mean);
    for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
        const float *row = b->vectors + q->targets[j] * b->columns;
        double link = CAFE_LINK(q, u, j) / q->total;
        *psi += link * b->psi[q->targets[j]];
        *squares += link * square_row(b, row);
        for (int64_t k = 0; k < b->columns; k++) {
            double rest = row[k] * b->rho[k] - v[k];
            *apart += link * rest * rest;
            b->mean[k] += link * row[k];
        }
    }
}

static shift find_shift(const bounding *b) {
    shift x = {0};
    memset(b->shift, 0, (size_t)b->columns * sizeof *b->shift);
    for (int64_t c = 0; c < b->count && b->degree; c++) {
        int64_t u = b->near[c];
        const float *v = b->vectors + u * b->columns;
        double psi = b->psi[u], p = b->op->parts.p[u], own = square_row(b, v), sum, squares, apart;
        scan_row(b, u, &sum, &squares, &apart);
        double image = length(b->columns, b->mean);
        for (int64_t k = 0; k < b->columns; k++)
            b->shift[k] += psi * ((p - sum) * v[k] + b->mean[k]);
        x.mass += psi * (2 * p - sum);
        x.rows += psi * ((p - sum) * own + squares);
        x.pairs += psi * psi * apart;
        x.psi += psi * psi, x.psi_p += psi * psi * p * p;
        x.psi_v += psi * psi * own, x.psi_image += psi * psi * image * image;
        x.most = fmax(x.most, psi);
    }
    x.pairs = sqrt(x.pairs), x.psi = sqrt(x.psi), x.psi_p = sqrt(x.psi_p);
    x.psi_v = sqrt(x.psi_v), x.psi_image = sqrt(x.psi_image);
    return x;
}

/* sigma = V^T alpha */
static void sum_links(const bounding *b) {
    memset(b->sigma, 0, (size_t)b->columns * sizeof *b->sigma);
    for (int64_t c = 0; c < b->count; c++)
        for (int64_t k = 0; k < b->columns; k++)
            b->sigma[k] += b->weight[b->near[c]] * b->vectors[b->near[c] * b->columns + k];
}

/* ---- of a new node, for Q ---------------------------------------------------------------------
 */

/* The change of the operator: ||Q' - Q||, ||(Q' - Q) V|| on the old nodes, ||g||, c^2 e^2, ||g^T
 * V|| and ||g^T V - r diag(rho)||. */
typedef struct change {
    double norm, image, link, own, row, miss;
} change;

static change find_change(const bounding *b, int64_t i, const shift *s, double c, double e) {
    double alpha = 0, tau = 0, row = 0, miss = 0, whole = b->first + b->p * b->p;
    const float *r = b->placed + i * b->columns;
    for (int64_t j = 0; j < b->count; j++) alpha += b->weight[b->near[j]] * b->weight[b->near[j]];
    alpha = sqrt(alpha);
    double epsilon = s->psi_p + whole * s->psi, beta = alpha + epsilon;
    for (int64_t k = 0; k < b->columns; k++) {
        double t = b->sigma[k] - b->shift[k], pull = c * b->sigma[k] - c * c * e * (b->s[k] + t);
        tau += t * t;
        row += pull * pull;
        miss += (pull - r[k] * b->rho[k]) * (pull - r[k] * b->rho[k]);
    }
    tau = sqrt(tau);
    change x = {.own = c * c * e * e, .link = c * alpha + c * c * e * (b->p + epsilon)};
    x.norm = fabs(1 - c) * whole + 2 * c * s->most * whole + fabs(1 - c * c) * b->p * b->p +
             c * c * (2 * b->p * beta + beta * beta) + x.link + x.own;
    x.image = fabs(1 - c) * (b->image + b->p * b->s_length) +
              c * (s->psi_image + whole * s->psi_v) + fabs(1 - c * c) * b->p * b->s_length +
              c * c * (b->p * tau + beta * (b->s_length + tau));
    x.row = sqrt(row), x.miss = sqrt(miss);
    return x;
}

static double bound_row(const bounding *b, int64_t i, const shift *s, double e) {
    double c = 1 / (1 + 2 * e - s->mass), r = sqrt(square_row(b, b->placed + i * b->columns));
    change x = find_change(b, i, s, c, e);
    double norms = b->first + 2 * b->p * b->p + b->most + x.norm;
    double rest = hypot(b->residual + x.image, x.row) + b->off * norms;
    double gap = b->least - b->next - x.norm, beta = b->least - rest, sine = rest / gap;
    if (!(gap > 0) || !(beta > 0) || !(sine < 1)) return INFINITY;
    double near = sqrt(2) * sine + b->off;
    double turned = (b->first + x.norm + b->most) * sine * sine + rest + x.own;
    return fmin(near + r, (x.miss + x.link * near + r * turned) / beta);
}

/* ---- of a new node, for the walk --------------------------------------------------------------
 */

/* Sums over the nodes that are linked to; kept = 1 - omega. */
typedef struct walk_sums {
    double links; /* sqrt(sum of alpha_u^2 / (kept p_u + alpha_u)) */
    double moved; /* the same of alpha_u^2 ||r - v_u diag(rho)||^2 / (kept p_u + alpha_u) */
    double mass;  /* sum of alpha_u ||v_u||^2 */
    double share; /* kappa = max of alpha_u / p_u */
} walk_sums;

static walk_sums sum_walk(const bounding *b, const float *r, double kept) {
    walk_sums sums = {0};
    for (int64_t c = 0; c < b->count; c++) {
        const float *v = b->vectors + b->near[c] * b->columns;
        double alpha = b->weight[b->near[c]], p = b->op->parts.p[b->near[c]], moved = 0;
        for (int64_t k = 0; k < b->columns; k++) {
            double rest = r[k] - v[k] * b->rho[k];
            moved += rest * rest;
        }
        sums.links += alpha * alpha / (kept * p + alpha);
        sums.moved += alpha * alpha / (kept * p + alpha) * moved;
        sums.mass += alpha * square_row(b, v);
        sums.share = fmax(sums.share, alpha / p);
    }
    sums.links = sqrt(sums.links), sums.moved = sqrt(sums.moved);
    return sums;
}

/* The (K+1)-th eigenvalue with the new node is at most tau + (2 e + sum of epsilon) max(1, omega /
 * kept), (kept + kappa) tau^2 = (lambda + omega) tau + kappa. */
static double next_walk(const bounding *b, const walk_sums *x, const shift *s, double kept,
                        double e) {
    double k = x->share, rise = b->next + 1 - kept;
    double tau = (rise + sqrt(rise * rise + 4 * k * (kept + k))) / (2 * (kept + k));
    return tau + (2 * e + s->mass) * fmax(1, (1 - kept) / kept);
}

static double bound_walk(const bounding *b, int64_t i, const shift *s, double e) {
    const float *row = b->placed + i * b->columns;
    double c = 1 / (1 + 2 * e - s->mass), kept = (1 - s->most) * (1 - s->most);
    double t = 0, own = 0, miss = 0, r = square_row(b, row);
    if (!(e > 0) || !(kept > 0)) return INFINITY;
    walk_sums x = sum_walk(b, row, kept);
    for (int64_t k = 0; k < b->columns; k++) {
        double all = b->s[k] + b->sigma[k] - b->shift[k] + e * row[k];
        double pull = b->sigma[k] - e * row[k] * b->rho[k];
        t += all * all;
        own += (pull - c * e * all) * (pull - c * e * all);
        miss += pull / e * (pull / e);
    }
    double off = b->off + x.mass + s->rows + e * r;
    double old =
        (b->residual + b->s_length + s->pairs) / sqrt(kept) + c * sqrt((1 / c - e) * t) + x.moved;
    double rest = hypot(old, sqrt(own / e)) + off * (1 + b->most);
    double gap = b->least - next_walk(b, &x, s, kept, e), beta = b->least - rest;
    double sine = rest / gap;
    if (!(gap > 0) || !(beta > 0) || !(sine < 1)) return INFINITY;
    double near = sqrt(2) * sine + off, turned = (1 + b->most) * sine * sine + rest;
    double found = (x.links / e * near + sqrt(miss) + sqrt(r) * turned) / beta;
    return found / sqrt(c) + sqrt(r) * fabs(1 / sqrt(c) - 1);
}

/* ---- of all new nodes -------------------------------------------------------------------------
 */

static cafe_status find_bounds(cafe_context *context, bounding *b, double *bound) {
    cafe_status status = CAFE_OK;
    int64_t k = b->columns;
    int64_t n = b->op->n;
    double *work = cafe_mem_zero(context, 5 * k + 2 * n, sizeof *work);
    b->near = cafe_mem(context, n, sizeof *b->near);
    CAFE_TRY(cafe_mem_had(work, b->near));
    b->s = work, b->sigma = work + k, b->rho = work + 2 * k, b->shift = work + 3 * k;
    b->mean = work + 4 * k, b->weight = work + 5 * k, b->psi = b->weight + n;
    find_sums(b);
    CAFE_TRY(find_residual(context, b));
    CAFE_TRY(find_off(context, b));
    if (b->least > 0) CAFE_TRY(find_eigenvalues(context, b));
    for (int64_t i = 0; i < b->links->nodes; i++) {
        double e = take_links(b, i);
        shift x = find_shift(b);
        sum_links(b);
        bound[i] = b->norm ? bound_walk(b, i, &x, e) : bound_row(b, i, &x, e);
        drop_links(b);
    }
done:
    cafe_mem_free_all(context, work, b->near);
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

/* Degrees without factors, in the unit of the edges: those that factors follow from. */
static cafe_status find_degrees(cafe_context *context, const cafe_graph *graph, double **degree) {
    cafe_sampled *plain = NULL;
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_update_sample(context, graph, 0, &plain));
    *degree = cafe_mem(context, cafe_graph_nodes(graph), sizeof **degree);
    CAFE_TRY(cafe_mem_had(*degree));
    for (int64_t u = 0, n = cafe_graph_nodes(graph); u < n; u++)
        (*degree)[u] = plain->p[u] * plain->total;
done:
    cafe_sampled_free(plain);
    return status;
}

cafe_status cafe_place_bound(cafe_context *context, const cafe_graph *graph, int64_t columns,
                             const float *vectors, const cafe_new_links *links,
                             const cafe_place_options *options, const float *placed,
                             double *bound) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    double *degree = NULL;
    cafe_place_options o;
    bounding b = {
        .graph = graph, .links = links, .columns = columns, .vectors = vectors, .placed = placed};
    for (int64_t i = 0; i < links->nodes; i++) bound[i] = INFINITY;
    CAFE_TRY(cafe_options_take(context, cafe_place_option_table(), options, &o));
    if (o.form == CAFE_PLACE_RAW || columns >= cafe_graph_nodes(graph)) goto done;
    cafe_phase(context, "bound", 0);
    CAFE_TRY(cafe_update_sample(context, graph, o.degree_exponent, &sampled));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    if (op->parts.factor) CAFE_TRY(find_degrees(context, graph, &degree));
    b.op = op, b.sampled = sampled, b.degree = degree, b.exponent = o.degree_exponent;
    b.norm = o.form == CAFE_PLACE_RITZ ? NULL : op->parts.p;
    CAFE_TRY(o.form == CAFE_PLACE_SCALED ? find_scaled(context, &b, bound)
                                         : find_bounds(context, &b, bound));
done:
    cafe_mem_free(context, degree);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_phase(context, "", 0);
    return status;
}
