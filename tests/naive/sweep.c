/* The naive engine: products with an operator, and sweeps, of graphs. */
#include <math.h>
#include <string.h>

#include "naive.h"

/* An engine may refuse operators that it cannot run. */
static cafe_status need_graph(cafe_context *context, const cafe_engine_host *host,
                              const cafe_operator *op) {
    if (op->parts.offsets && !op->parts.f) return CAFE_OK;
    return host->fail(context, CAFE_ERROR_ARGUMENT,
                      "the engine 'naive' runs graphs, not tables or sums of operators");
}

/* sum = sum over w of a(u,w) x_w: in single precision, pieces of 256 edges in the order of the row,
 * then the pieces. */
static void gather(const cafe_operator_parts *q, const cafe_block *x, int64_t u, float *sum) {
    enum { PIECE = 256 };
    for (int64_t k = 0; k < x->stride; k++) {
        sum[k] = 0;
        for (int64_t from = q->offsets[u]; from < q->offsets[u + 1]; from += PIECE) {
            float piece = 0;
            for (int64_t j = from; j < q->offsets[u + 1] && j < from + PIECE; j++) {
                float value = k < x->columns ? *naive_at(x, q->targets[j], k) : 0;
                piece += CAFE_LINK(q, u, j) * value;
            }
            sum[k] = from == q->offsets[u] ? piece : sum[k] + piece;
        }
    }
}

cafe_status naive_project(cafe_context *context, const cafe_operator *op, void *held,
                          const cafe_block *x, double *s) {
    cafe_status status = need_graph(context, naive_host(x), op);
    (void)held;
    for (int64_t k = 0; k < x->stride && status == CAFE_OK; k++)
        s[k] = k < x->columns ? naive_total(x, op->parts.p, k) : 0;
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Y = a M X + b X + c Y for one step: M x_u = sum / total - p_u s, or sum / (total p_u) - s. */
static void multiply(const cafe_operator_parts *q, cafe_side side, float a, const cafe_block *x,
                     float b, float c, cafe_block *y, const double *s, float *sum) {
    for (int64_t u = 0; u < q->n; u++) {
        bool walk = side == CAFE_SIDE_WALK;
        double p = q->p[u], scale = walk ? (p > 0 ? 1 / (q->total * p) : 0) : 1 / q->total;
        float shift = (float)(walk ? (p > 0) : p);
        gather(q, x, u, sum);
        for (int64_t k = 0; k < x->columns; k++) {
            float mean = (float)(-q->kappa * q->sign * s[k]), *to = naive_at(y, u, k);
            float image = (float)q->sign * a * (sum[k] * (float)scale - shift * mean);
            *to = b == 0 && c == 0 ? image : image + b * *naive_at(x, u, k) + c * *to;
        }
    }
}

static cafe_status one_step(cafe_context *context, const cafe_operator *op, cafe_side side, float a,
                            const cafe_block *x, float b, float c, cafe_block *y) {
    const cafe_engine_host *host = naive_host(x);
    double *s = host->allocate(context, x->stride, sizeof *s);
    float *sum = host->allocate(context, x->stride, sizeof *sum);
    cafe_status status = s && sum ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = naive_project(context, op, NULL, x, s);
    if (status == CAFE_OK) multiply(&op->parts, side, a, x, b, c, y, s, sum);
    host->release(context, s);
    host->release(context, sum);
    return status;
}

/* Walks of 1 to T steps: Y = b X + c Y, then a / T times each power of D^-1 Q (of one step). */
static cafe_status walk_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                                float a, const cafe_block *x, float b, float c, cafe_block *y) {
    cafe_block power[2] = {{0}, {0}};
    cafe_operator step = *op;
    cafe_status status = CAFE_OK;
    float each = (float)op->parts.sign * a / (float)op->window;
    step.parts.sign = 1, step.parts.kappa = -1;
    for (int i = 0; i < 2 && status == CAFE_OK; i++)
        status = x->engine->ops->make(context, x->engine, x->n, x->columns, &power[i]);
    for (int64_t t = 0; t < op->window && status == CAFE_OK; t++) {
        const cafe_block *from = t ? &power[(t + 1) % 2] : x;
        status = one_step(context, &step, CAFE_SIDE_WALK, 1, from, 0, 0, &power[t % 2]);
        for (int64_t u = 0; u < x->n && status == CAFE_OK; u++)
            for (int64_t k = 0; k < x->columns; k++) {
                float *to = naive_at(y, u, k);
                double weight = side == CAFE_SIDE_PLAIN ? op->parts.p[u] : 1;
                if (t == 0) *to = (c != 0 ? c * *to : 0) + (b != 0 ? b * *naive_at(x, u, k) : 0);
                *to += (float)(each * weight) * *naive_at(&power[t % 2], u, k);
            }
    }
    for (int i = 0; i < 2; i++)
        if (power[i].x) x->engine->ops->drop(context, &power[i]);
    return status;
}

cafe_status naive_product(cafe_context *context, const cafe_operator *op, void *held,
                          cafe_side side, float a, const cafe_block *x, float b, float c,
                          cafe_block *y) {
    (void)held;
    y->columns = x->columns;
    return (op->window > 1 ? walk_product : one_step)(context, op, side, a, x, b, c, y);
}

/* ---- the two rules --------------------------------------------------------------------------- */

/* exp(x) for x <= 0 as every engine computes it: x = n ln 2 + r, exp(r) by Cephes' polynomial. */
static float exponential(float x) {
    const float round = 12582912.0f; /* 1.5 * 2^23 */
    if (x < -85.0f) return 0;
    float n = (x * 1.44269504f + round) - round;
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f, y = 1.9875691500e-4f;
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    return y * ldexpf(1, (int)n);
}

static float tilted(float h, float x) {
    return h * exponential(x < 0 ? x : 0);
}

/* h <- (z + keep h) / ||z + keep h||; where that is 0, h stays. */
static void follow_sphere(int64_t stride, const float *h, const float *z, float keep, float *v,
                          float *row) {
    for (int64_t k = 0; k < stride; k++) v[k] = z[k] + keep * h[k];
    float norm = sqrtf((float)naive_dot(stride, v, v)), stay = norm > 1e-18f ? 0 : 1;
    float inverse = norm > 1e-18f ? 1 / norm : 0;
    for (int64_t k = 0; k < stride; k++) row[k] = v[k] * inverse + stay * h[k];
}

/* h_k <- h_k exp(theta z_k) / sum, the largest exponent taken out first. */
static void follow_softmax(int64_t stride, const float *h, const float *z, float theta, float *v,
                           float *row, const float *ones) {
    float top = -3e38f;
    for (int64_t k = 0; k < stride; k++)
        if (h[k] > 0 && z[k] > top) top = z[k];
    for (int64_t k = 0; k < stride; k++) v[k] = tilted(h[k], theta * (z[k] - top));
    float inverse = 1 / (float)naive_dot(stride, v, ones);
    for (int64_t k = 0; k < stride; k++) {
        float now = v[k] * inverse;
        row[k] = now > 1e-30f ? now : 0;
    }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

typedef struct sweep {
    const cafe_engine_host *host;
    const cafe_operator *op;
    const cafe_operator_parts *q;
    cafe_rule rule;
    const uint8_t *fixed;
    cafe_block *h;
    int64_t stride;
    cafe_chunks *chunks;
    double expected, unit;         /* - kappa resolution; of shares of the gain */
    cafe_gains gains;              /* of the chunk */
    double *s, *shift;             /* S; its change in the chunk */
    float *rows;                   /* new rows of a chunk */
    float *old, *z, *v, *d, *ones; /* rows */
} sweep;

void naive_sweep_close(cafe_context *context, void *state) {
    sweep *w = state;
    if (!w) return;
    const cafe_engine_host *host = w->host;
    host->chunks_free(w->chunks);
    void *all[] = {w->s, w->shift, w->rows, w->old, w->z, w->v, w->d, w->ones, w};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) host->release(context, all[i]);
}

static cafe_status allocate(cafe_context *context, sweep *w) {
    const cafe_engine_host *host = w->host;
    double **doubles[] = {&w->s, &w->shift};
    float **floats[] = {&w->old, &w->z, &w->v, &w->d, &w->ones};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (!(*doubles[i] = host->allocate(context, w->stride, sizeof(double))))
            return CAFE_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (!(*floats[i] = host->allocate(context, w->stride, sizeof(float))))
            return CAFE_ERROR_MEMORY;
    int64_t cells = cafe_chunk_largest(w->chunks) * w->stride;
    w->rows = host->allocate(context, cells, sizeof *w->rows);
    for (int64_t k = 0; k < w->stride; k++) w->ones[k] = 1;
    return w->rows ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status naive_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                             cafe_block *h, void **state) {
    const cafe_engine_host *host = naive_host(h);
    cafe_status status = need_graph(context, host, op);
    sweep *w = status == CAFE_OK ? host->allocate(context, 1, sizeof *w) : NULL;
    (void)held;
    *state = NULL;
    if (!w) return status == CAFE_OK ? CAFE_ERROR_MEMORY : status;
    *w = (sweep){.host = host, .op = op, .q = &op->parts, .rule = *rule, .fixed = fixed, .h = h};
    w->stride = h->stride;
    w->expected = -op->parts.kappa * rule->resolution;
    w->unit = cafe_gain_unit(rule->resolution);
    for (int64_t i = 0; i < h->n * h->columns; i++) h->x[i] = cafe_round_to(rule->storage, h->x[i]);
    status = host->chunks(context, op, NULL, 0, chunks, h->stride, &w->chunks);
    if (status == CAFE_OK) status = allocate(context, w);
    if (status == CAFE_OK) status = naive_project(context, op, NULL, h, w->s);
    if (status == CAFE_OK)
        *state = w;
    else
        naive_sweep_close(context, w);
    return status;
}

static cafe_range chunk_nodes(const sweep *w, int64_t c) {
    return cafe_chunk_nodes(w->chunks, c, 0, cafe_chunk_size(w->chunks, c));
}

/* Computes the new row of node u, number i of chunk c, and adds its shares to the sums of the
 * chunk, on their grid. */
static void move_node(sweep *w, int64_t c, int64_t i) {
    const cafe_operator_parts *q = w->q;
    const cafe_rule *rule = &w->rule;
    cafe_range all = chunk_nodes(w, c);
    int64_t u = cafe_range_node(&all, i);
    float *row = w->rows + i * w->stride;
    double p = q->p[u];
    naive_load(w->h, u, w->old);
    memcpy(row, w->old, (size_t)w->stride * sizeof *row);
    if (!(p > 0) || (w->fixed && w->fixed[u])) return;
    double degree = 1 / (p * q->total), loop = q->loops ? q->loops[u] * degree : 0;
    float scale = (float)(q->sign * degree), own = (float)(w->expected * p - q->sign * loop);
    float shift = (float)cafe_chunk_shift(q, w->chunks, rule->resolution, c, i, u);
    gather(q, w->h, u, w->z);
    for (int64_t k = 0; k < w->stride; k++)
        w->z[k] = w->z[k] * scale - (float)(w->expected * w->s[k]) + own * w->old[k];
    if (rule->kind == CAFE_RULE_SPHERE) {
        follow_sphere(w->stride, w->old, w->z, shift + (float)rule->gamma, w->v, row);
    } else {
        double theta = rule->theta, most = shift > 0 ? 4 / (double)shift : INFINITY;
        if (rule->mean_degree > 0) theta /= (float)degree * rule->mean_degree;
        theta = fmin(fmin(theta, most), 1e30);
        follow_softmax(w->stride, w->old, w->z, (float)theta, w->v, row, w->ones);
    }
    for (int64_t k = 0; k < w->stride; k++) {
        row[k] = cafe_round_to(rule->storage, row[k]);
        w->d[k] = row[k] - w->old[k];
    }
    w->gains.linear += cafe_gain_share(p * naive_dot(w->stride, w->z, w->d), w->unit);
    w->gains.square += cafe_gain_share(p * p * naive_dot(w->stride, w->d, w->d), w->unit);
    for (int64_t k = 0; k < w->stride; k++)
        w->shift[k] += cafe_to_grid(p * ((double)row[k] - w->old[k]));
}

/* Adds 2 a(u,w) <Delta_u, Delta_w> / total of the edges (u,w) inside the chunk, u number i, to the
 * sums of the chunk. */
static void add_inner(sweep *w, int64_t c, int64_t i) {
    const cafe_chunks *chunks = w->chunks;
    const int64_t *offsets = chunks->offsets + chunks->starts[c];
    cafe_range all = chunk_nodes(w, c);
    const float *row = w->rows + i * w->stride;
    for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
        int64_t other = chunks->targets[j];
        const float *theirs = w->rows + other * w->stride;
        naive_load(w->h, cafe_range_node(&all, i), w->old);
        for (int64_t k = 0; k < w->stride; k++) w->d[k] = row[k] - w->old[k];
        naive_load(w->h, cafe_range_node(&all, other), w->old);
        for (int64_t k = 0; k < w->stride; k++) w->v[k] = theirs[k] - w->old[k];
        w->gains.inner += cafe_inner_share(chunks->weights ? chunks->weights[j] : 1,
                                           naive_dot(w->stride, w->d, w->v), w->q->total, w->unit);
    }
}

/* Returns the growth of the objective with a chunk. Nodes and edges are taken in reverse, which
 * tests that these sums have no order. */
static double run_chunk(sweep *w, int64_t c) {
    cafe_range all = chunk_nodes(w, c);
    double squares = 0;
    w->gains = (cafe_gains){0, 0, 0};
    memset(w->shift, 0, (size_t)w->stride * sizeof *w->shift);
    for (int64_t i = all.count - 1; i >= 0; i--) move_node(w, c, i);
    for (int64_t i = all.count - 1; i >= 0 && w->chunks->offsets; i--) add_inner(w, c, i);
    for (int64_t i = 0; i < all.count; i++)
        naive_store(w->h, cafe_range_node(&all, i), w->rows + i * w->stride);
    for (int64_t k = 0; k < w->stride; k++) {
        squares += w->shift[k] * w->shift[k];
        w->s[k] += w->shift[k];
    }
    return cafe_chunk_gain(w->unit, w->expected, w->q->sign, w->gains, squares);
}

cafe_status naive_sweep_run(cafe_context *context, void *state, double *gain) {
    sweep *w = state;
    *gain = 0;
    for (int64_t c = 0; c < w->chunks->count; c++) *gain += run_chunk(w, c);
    return w->host->check_cancel(context);
}

cafe_status naive_sweep_sums(cafe_context *context, void *state, bool put, double *s) {
    const sweep *w = state;
    (void)context;
    memcpy(put ? w->s : s, put ? s : w->s, (size_t)w->stride * sizeof *s);
    return CAFE_OK;
}

const cafe_chunks *naive_sweep_chunks(const void *state) {
    return ((const sweep *)state)->chunks;
}
