/* The hub part of an embedding, from the graph itself (not from the sampled graph).
 *
 *     a~(u,w) = log(1 + a(u,w) / median of the weights)     d~ = row sums     D = diag(d~)
 *     M = D^(-1/4) A~ D^(-1/4),     M v = theta v
 *
 * Modularity takes out what follows from degrees; M keeps it, but takes half of its edge off. Its
 * eigenvalues of largest size lie at both ends: groups linked inside and groups linked to one
 * another. Without weights a~ is constant, and 1 here.
 *
 * With v = D^(1/4) y the problem is A~ y = theta D^(1/2) y: that of an operator whose node weights
 * are p = sqrt(d~) (operator/adjacency.c), symmetric in their inner product. So
 *
 *     Y <- D^(-1/2) A~ Y
 *
 * a few times over a block of K2 + 32 columns, orthonormal again after every second product, then a
 * Ritz step. A product stretches the columns by theta_1 / theta_L, L the last of the block, say 30
 * at most. After two of them float32 still holds every direction, after three it may not. A column
 * that was lost for all that is drawn anew.
 *
 *     X = rows of V |theta|, of length 1     (rows of Y |theta|: D^(1/4) scales rows)
 *     X <- 3/4 X + 1/4 D^-1 A~ X, rows of length 1 again; columns centred; mean variance 1
 *
 * Nodes without edges have the row 0 before it is centred.
 *
 * Rows of length 1 have lost how well a node is linked. The last column brings it back: log(1 +
 * d~), of mean 0 and variance 1. It is left out if all nodes are alike, or if there are only two or
 * three columns: one eigenvector alone, of rows of length 1, has nothing but signs.
 */
#include "method/hubs.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "operator/operator.h"
#include "spectral/ritz.h"

enum { ROWS = 1024, BETWEEN = 2 /* products from one orthonormal block to the next */ };

typedef struct finding {
    const cafe_graph *graph;
    float *weights; /* a~ of every arc; NULL: all 1 */
    double *p;      /* sqrt(d~) */
    cafe_operator *op;
    cafe_block y, z;
} finding;

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct weighing {
    finding *f;
    double median;
} weighing;

/* a~ = log(1 + a / median), and p_u = sqrt(sum over w of a~(u,w)) */
static void weigh(void *argument, int64_t first, int64_t last) {
    const weighing *job = argument;
    const cafe_graph *g = job->f->graph;
    for (int64_t u = first; u < last; u++) {
        double degree = 0;
        for (int64_t j = g->offsets[u]; g->scaled && j < g->offsets[u + 1]; j++)
            degree += job->f->weights[j] = (float)log1p(g->scaled[j] / job->median);
        if (!g->scaled) degree = (double)(g->offsets[u + 1] - g->offsets[u]);
        job->f->p[u] = sqrt(degree);
    }
}

static cafe_status find_weights(cafe_context *context, finding *f) {
    const cafe_graph *g = f->graph;
    weighing job = {f, 1};
    f->p = cafe_mem(context, g->n, sizeof *f->p);
    CAFE_PASS(cafe_mem_had(f->p));
    if (g->scaled) {
        f->weights = cafe_mem(context, g->arcs, sizeof *f->weights);
        CAFE_PASS(cafe_mem_had(f->weights));
        CAFE_PASS(cafe_graph_median(context, g, &job.median));
    }
    CAFE_PASS(cafe_ranges(context, g->n, ROWS, weigh, &job));
    return cafe_operator_links(context, g, f->weights, f->p, &f->op);
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Random columns from `from` on; rows of nodes without edges are 0. */
static cafe_status draw(cafe_context *context, finding *f, int64_t from, int64_t round) {
    cafe_start start = {.kind = CAFE_START_NORMAL, .seed = context->seed, .from = from};
    start.stream = CAFE_STREAM_HUBS + ((uint64_t)round << 32);
    start.weights = f->p;
    return cafe_ops(&f->y)->start(context, &f->y, &start);
}

static cafe_status step(cafe_context *context, finding *f) {
    CAFE_PASS(cafe_block_product(context, f->op, CAFE_SIDE_WALK, 1, &f->y, 0, 0, &f->z));
    cafe_block y = f->z;
    f->z = f->y, f->y = y;
    return CAFE_OK;
}

static cafe_status iterate(cafe_context *context, finding *f, int64_t steps) {
    int64_t columns = f->y.columns;
    double error;
    cafe_phase(context, "hubs", steps);
    CAFE_PASS(draw(context, f, 0, 0));
    for (int64_t i = 1; i <= steps && f->y.columns > 0; i++) {
        CAFE_PASS(step(context, f));
        cafe_step(context, i, 0);
        if (i % BETWEEN && i < steps) continue;
        CAFE_PASS(cafe_tall_orthonormalise(context, &f->y, f->p, NULL, NULL, &error));
        int64_t rank = f->y.columns;
        if (rank == 0 || rank == columns || i == steps) continue;
        f->y.columns = columns;
        CAFE_PASS(draw(context, f, rank, i));
    }
    return CAFE_OK;
}

/* ---- the eigenvectors ------------------------------------------------------------------------ */

/* The wanted ones by |theta|, from both ends of the descending values, with those that are 0 to
 * float32 precision left out: order[0 .. pairs) of the Ritz pairs. */
static int64_t choose(const cafe_ritz *ritz, int64_t wanted, int64_t *order) {
    int64_t top = 0, bottom = ritz->pairs - 1, count = 0;
    while (count < wanted && top <= bottom) {
        bool above = ritz->values[top] >= -ritz->values[bottom];
        int64_t j = above ? top++ : bottom--;
        if (!(fabs(ritz->values[j]) > 1e-6 * fabs(ritz->values[count ? order[0] : j]))) break;
        order[count++] = j;
    }
    return count;
}

/* Y <- Y S |theta| of the chosen pairs. */
static cafe_status rotate(cafe_context *context, finding *f, const cafe_ritz *ritz,
                          const int64_t *order, cafe_hubs *hubs) {
    int64_t pairs = hubs->pairs;
    double *m = cafe_mem(context, ritz->columns * pairs, sizeof *m);
    cafe_status status = cafe_mem_had(m);
    CAFE_TRY(status);
    for (int64_t j = 0; j < pairs; j++) {
        hubs->values[j] = ritz->values[order[j]];
        hubs->residuals[j] = ritz->residuals[order[j]];
        for (int64_t i = 0; i < ritz->columns; i++)
            m[i * pairs + j] = ritz->vectors[i * ritz->pairs + order[j]] * fabs(hubs->values[j]);
    }
    CAFE_TRY(cafe_ops(&f->y)->transform(context, &f->y, pairs, m, NULL, NULL));
done:
    cafe_mem_free(context, m);
    return status;
}

/* Ritz values and vectors on the span of Y; Y is orthonormal in the inner product of p. */
static cafe_status find_vectors(cafe_context *context, finding *f, int64_t wanted,
                                cafe_hubs *hubs) {
    cafe_status status = CAFE_OK;
    cafe_ritz ritz = {0};
    int64_t *order = cafe_mem(context, wanted, sizeof *order);
    CAFE_TRY(cafe_mem_had(order));
    CAFE_TRY(cafe_block_product(context, f->op, CAFE_SIDE_WALK, 1, &f->y, 0, 0, &f->z));
    CAFE_TRY(cafe_ritz_new(context, f->y.columns, &ritz));
    CAFE_TRY(cafe_ritz_solve(context, &f->y, &f->z, f->p, &ritz));
    hubs->pairs = choose(&ritz, wanted, order);
    if (hubs->pairs > 0) CAFE_TRY(rotate(context, f, &ritz, order, hubs));
done:
    cafe_ritz_free(context, &ritz);
    cafe_mem_free(context, order);
    return status;
}

/* The columns wanted and no more, in their own stride, on the processor; those after the pairs are
 * 0.
 */
static cafe_status take_columns(cafe_context *context, finding *f, int64_t wanted, cafe_block *x) {
    int64_t *kept = cafe_mem(context, wanted, sizeof *kept);
    cafe_status status = cafe_mem_had(kept);
    CAFE_TRY(status);
    for (int64_t j = 0; j < wanted; j++) kept[j] = j;
    f->y.columns = wanted;
    CAFE_TRY(cafe_ops(&f->y)->select(context, &f->y, wanted, kept));
    CAFE_TRY(cafe_block_fetch(context, &f->y));
    *x = f->y;
    f->y = (cafe_block){0};
done:
    cafe_mem_free(context, kept);
    return status;
}

/* ---- the columns ----------------------------------------------------------------------------- */

static void normalise(void *argument, int64_t first, int64_t last) {
    const cafe_block *x = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = x->x + u * x->stride;
        double square = 0;
        for (int64_t k = 0; k < x->columns; k++) square += (double)row[k] * row[k];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t k = 0; k < x->columns; k++) row[k] = (float)(row[k] * scale);
    }
}

cafe_status cafe_hubs_normalise(cafe_context *context, cafe_block *x) {
    return cafe_ranges(context, x->n, ROWS, normalise, x);
}

/* X <- normalise(3/4 D^(1/2) X + 1/4 D^(-1/2) A~ X): with D^(1/2) taken out of every row, which its
 * length does not feel, that is 3/4 X + 1/4 D^-1 A~ X. */
static cafe_status smooth(cafe_context *context, finding *f, cafe_block *x) {
    const cafe_engine_ops *ops = cafe_ops(x);
    cafe_block mean = {0};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_hubs_normalise(context, x));
    CAFE_TRY(ops->make(context, x->engine, x->n, x->columns, &mean));
    CAFE_TRY(ops->copy(context, x, &mean, 0));
    CAFE_TRY(ops->scale(context, &mean, f->p));
    CAFE_TRY(cafe_block_product(context, f->op, CAFE_SIDE_WALK, 1 - CAFE_HUB_OWN, x, 0,
                                CAFE_HUB_OWN, &mean));
    CAFE_TRY(cafe_hubs_normalise(context, &mean));
    cafe_block_drop(context, x);
    *x = mean;
    mean = (cafe_block){0};
done:
    cafe_block_drop(context, &mean);
    return status;
}

typedef struct scaling {
    const cafe_block *x;
    const double *means;
    double factor;
} scaling;

static void add_rows(void *argument, int64_t first, int64_t last, double *sums) {
    const scaling *job = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t k = 0; k < job->x->columns; k++) sums[k] += job->x->x[u * job->x->stride + k];
}

static void add_squares(void *argument, int64_t first, int64_t last, double *sum) {
    const scaling *job = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t k = 0; k < job->x->columns; k++) {
            double entry = job->x->x[u * job->x->stride + k] - job->means[k];
            *sum += entry * entry;
        }
}

static void centre_rows(void *argument, int64_t first, int64_t last) {
    const scaling *job = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = job->x->x + u * job->x->stride;
        for (int64_t k = 0; k < job->x->columns; k++)
            row[k] = (float)((row[k] - job->means[k]) * job->factor);
    }
}

cafe_status cafe_hubs_centre(cafe_context *context, int64_t pairs, cafe_block *x) {
    cafe_status status = CAFE_OK;
    double *means = cafe_mem_zero(context, x->columns, sizeof *means), squares = 0;
    scaling job = {x, means, 0};
    CAFE_TRY(cafe_mem_had(means));
    CAFE_TRY(cafe_sums(context, x->n, ROWS, add_rows, &job, x->columns, means));
    for (int64_t k = 0; k < x->columns; k++) means[k] /= (double)x->n;
    CAFE_TRY(cafe_sums(context, x->n, ROWS, add_squares, &job, 1, &squares));
    if (squares > 0) job.factor = sqrt((double)x->n * (double)pairs / squares);
    CAFE_TRY(cafe_ranges(context, x->n, ROWS, centre_rows, &job));
done:
    cafe_mem_free(context, means);
    return status;
}

/* ---- the column of degrees ------------------------------------------------------------------- */

typedef struct degrees {
    const double *p;
    cafe_block *x;
    double mean, factor;
} degrees;

static double log_degree(const degrees *d, int64_t u) {
    return log1p(d->p[u] * d->p[u]);
}

/* The sum, and that of the squares. */
static void add_degrees(void *argument, int64_t first, int64_t last, double *sums) {
    const degrees *d = argument;
    for (int64_t u = first; u < last; u++) {
        double entry = log_degree(d, u) - d->mean;
        sums[0] += entry, sums[1] += entry * entry;
    }
}

static void write_degrees(void *argument, int64_t first, int64_t last) {
    const degrees *d = argument;
    const cafe_block *x = d->x;
    for (int64_t u = first; u < last; u++)
        x->x[u * x->stride + x->columns - 1] = (float)((log_degree(d, u) - d->mean) * d->factor);
}

/* Is there a column of degrees? Its mean and 1 / its deviation. */
static cafe_status judge_degrees(cafe_context *context, int64_t n, int64_t columns, degrees *d) {
    double sums[2] = {0}, squares[2] = {0};
    if (columns == 2 || columns == 3) return CAFE_OK;
    CAFE_PASS(cafe_sums(context, n, ROWS, add_degrees, d, 2, sums));
    d->mean = sums[0] / (double)n;
    CAFE_PASS(cafe_sums(context, n, ROWS, add_degrees, d, 2, squares));
    if (squares[1] > 1e-12 * sums[1]) d->factor = sqrt((double)n / squares[1]);
    return CAFE_OK;
}

/* ---- all together ---------------------------------------------------------------------------- */

static int64_t block_columns(int64_t nodes, int64_t columns) {
    return columns + CAFE_HUB_GUARDS < nodes ? columns + CAFE_HUB_GUARDS : nodes;
}

static cafe_status find(cafe_context *context, finding *f, int64_t columns, int64_t steps,
                        cafe_hubs *hubs) {
    int64_t n = f->graph->n, wide = block_columns(n, columns);
    hubs->values = cafe_mem_zero(context, columns, sizeof *hubs->values);
    hubs->residuals = cafe_mem_zero(context, columns, sizeof *hubs->residuals);
    CAFE_PASS(cafe_mem_had(hubs->values, hubs->residuals));
    CAFE_PASS(find_weights(context, f));
    degrees d = {.p = f->p, .x = &hubs->x};
    CAFE_PASS(judge_degrees(context, n, columns, &d));
    CAFE_PASS(cafe_block_make(context, n, wide, &f->y));
    CAFE_PASS(cafe_block_make(context, n, wide, &f->z));
    CAFE_PASS(iterate(context, f, steps));
    if (f->y.columns > 0) CAFE_PASS(find_vectors(context, f, columns - (d.factor > 0), hubs));
    cafe_block_drop(context, &f->z);
    CAFE_PASS(take_columns(context, f, columns, &hubs->x));
    CAFE_PASS(smooth(context, f, &hubs->x));
    CAFE_PASS(cafe_hubs_centre(context, hubs->pairs, &hubs->x));
    if (d.factor == 0) return CAFE_OK;
    hubs->values[columns - 1] = hubs->residuals[columns - 1] = NAN;
    return cafe_ranges(context, n, ROWS, write_degrees, &d);
}

cafe_status cafe_hubs_find(cafe_context *context, const cafe_graph *graph, int64_t columns,
                           int64_t steps, cafe_hubs *hubs) {
    finding f = {.graph = graph};
    *hubs = (cafe_hubs){0};
    cafe_status status = find(context, &f, columns, steps, hubs);
    if (status != CAFE_OK) cafe_hubs_free(context, hubs);
    cafe_block_drop(context, &f.y);
    cafe_block_drop(context, &f.z);
    cafe_operator_free(f.op);
    cafe_mem_free_all(context, f.weights, f.p);
    cafe_phase(context, "", 0);
    return status;
}

void cafe_hubs_free(cafe_context *context, cafe_hubs *hubs) {
    cafe_block_drop(context, &hubs->x);
    cafe_mem_free_all(context, hubs->values, hubs->residuals);
    *hubs = (cafe_hubs){0};
}
