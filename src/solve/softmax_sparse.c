/* Softmax clustering with sparse rows: the iteration of softmax.c for thousands of columns.
 *
 * A probability of 0 stays 0, so of z_u only the columns in the support of u are needed:
 *
 *     z_uk = sum over w of a(u,w) h_wk / d_u - s_k + own h_uk     for k in the support of u
 *
 * with s = sum of p_w h_w exact in all K columns. Entries of neighbours are added if the node's
 * support has a mark for their column. Probabilities below the threshold that still shrink (z_k
 * below the mean <h, z>) are dropped, and their mass goes to the others, which only adds to <z,
 * Delta>.
 *
 * Columns return in a similar way. In a dense row every column has a probability, however small,
 * which grows when the neighbours turn to that column. Here a column of the neighbours that the
 * node lacks enters with the threshold's probability eps, as soon as z_k is above the mean. All
 * other entries give eps in proportion,
 *
 *     h' = (1 - m eps) h + eps (e_1 + ... + e_m),
 *
 * which raises <z, .> by eps sum of (z_k - mean). Without this step a column could never leave the
 * neighbourhood where it was drawn, and communities would stay that small.
 *
 * Claim: the objective never falls. With a = h' - h, b the softmax step from h', and c_u of
 * operator/chunks.h it grows by at least
 *
 *     2 <z, a + b> - c ||a + b||^2,     ||a + b||^2 <= 2 ||a||^2 + 2 ||b||^2,
 *     <z, b> >= 2 ||b||^2 / theta       (docs/algorithms/softmax.md).
 *
 * So theta <= 2 / c is enough for b, and <z, a> >= c ||a||^2 for a. Since ||a||^2 <= eps^2 m (m +
 * 1), a column enters if
 *
 *     z_k - mean >= c eps (MOST_ENTER + 1).
 */
#include "solve/softmax_sparse.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/thread_pool.h"

enum { TASK = 64, BLOCK = 1024, MOST_ENTER = 4 };

/* Room for one node's row while it is updated. */
typedef struct scratch {
    float h[CAFE_MOST_SUPPORT], s[CAFE_MOST_SUPPORT], row[CAFE_MOST_SUPPORT];
} scratch;

/* ---- the start ------------------------------------------------------------------------------- */

typedef struct start_job {
    cafe_sparse *sparse;
    const int32_t *part, *labels;
    uint64_t seed;
} start_job;

/* The first column of a node: its label, else its given part, else a random column. */
static int32_t part_of(const start_job *job, int64_t u) {
    if (job->labels && job->labels[u] >= 0) return job->labels[u];
    if (job->part) return job->part[u];
    cafe_random4 r = cafe_philox(job->seed, CAFE_STREAM_SIMPLEX, (uint64_t)u);
    return (int32_t)cafe_below(r.v[0], r.v[1], (uint64_t)job->sparse->columns);
}

/* Adds weight to column k of the list; when the list is full the lightest entry behind the first
 * makes room. */
static void add_weight(int64_t support, int32_t *columns, float *values, int32_t *count, int32_t k,
                       float weight) {
    int32_t lightest = 1;
    for (int32_t i = 0; i < *count; i++) {
        if (columns[i] == k) {
            values[i] += weight;
            return;
        }
        if (i > 0 && values[i] < values[lightest]) lightest = i;
    }
    if (*count < support)
        lightest = (*count)++;
    else if (support == 1 || values[lightest] >= weight)
        return;
    columns[lightest] = k;
    values[lightest] = weight;
}

/* Half for the node's own column, half by the weights of its neighbours' columns. */
static void start_row(const start_job *job, int64_t u) {
    cafe_sparse *x = job->sparse;
    const cafe_operator_parts *s = &x->op->parts;
    int32_t *columns = x->column + u * x->support, *count = &x->count[u];
    float *values = x->value + u * x->support;
    double sum = 0, degree = s->p[u] * s->total;
    columns[0] = part_of(job, u);
    values[0] = 0.5f;
    *count = 1;
    if (!(job->labels && job->labels[u] >= 0))
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            add_weight(x->support, columns, values, count, part_of(job, s->targets[j]),
                       (float)(CAFE_LINK(s, u, j) / (2 * degree)));
    for (int32_t i = 0; i < *count; i++) sum += values[i];
    for (int32_t i = 0; i < *count; i++) values[i] = (float)(values[i] / sum);
}

/* Starts the rows of nodes first .. last - 1. */
static void start_block(void *argument, int64_t first, int64_t last) {
    const start_job *job = argument;
    for (int64_t u = first; u < last; u++) start_row(job, u);
}

/* s = sum of p_w h_w, in node order. */
static void sum_up(cafe_sparse *x) {
    memset(x->s, 0, (size_t)x->columns * sizeof *x->s);
    for (int64_t u = 0; u < x->n; u++)
        for (int32_t i = 0; i < x->count[u]; i++)
            x->s[x->column[u * x->support + i]] += x->op->parts.p[u] * x->value[u * x->support + i];
}

/* ---- one node -------------------------------------------------------------------------------- */

/* row_i = sum over w of a(u,w) h_wk for the i-th column k of u. Other columns
 * of neighbours go to `others` (NULL: nowhere).
 *
 * Cost: sum over the neighbours w of the size of their supports. mark[k] = i + 1 for the i-th
 * column of u finds the place of a column in O(1). */
static void gather(const cafe_sparse *x, int64_t u, uint16_t *mark, float *row,
                   cafe_tally *others) {
    const cafe_operator_parts *s = &x->op->parts;
    const int32_t *columns = x->column + u * x->support;
    for (int32_t i = 0; i < x->count[u]; i++) mark[columns[i]] = (uint16_t)(i + 1);
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        int64_t w = s->targets[j];
        float a = CAFE_LINK(s, u, j);
        for (int32_t i = 0; i < x->count[w]; i++) {
            int32_t column = x->column[w * x->support + i];
            uint16_t place = mark[column];
            float part = a * x->value[w * x->support + i];
            if (place)
                row[place - 1] += part;
            else if (others)
                cafe_tally_add(others, column, part);
        }
    }
    for (int32_t i = 0; i < x->count[u]; i++) mark[columns[i]] = 0;
}

/* Drops small shrinking entries of the new row; returns the number of entries left.
 *
 * h_k leaves the support if h_k <= 0, or if h_k < threshold and z_k < mean = <h, z>: softmax would
 * shrink it further,
 *
 *     h_k' / h_k = exp(theta z_k) / sum over l of h_l exp(theta z_l)
 *                <= exp(theta (z_k - mean)) < 1.
 *
 * The other entries are scaled to sum 1.
 */
static int32_t prune(const cafe_sparse *x, int32_t count, const float *z, float *row,
                     int32_t *columns) {
    double mean = 0, sum = 0;
    int32_t left = 0;
    for (int32_t i = 0; i < count; i++) mean += (double)row[i] * z[i];
    for (int32_t i = 0; i < count; i++) {
        if (row[i] <= 0 || (row[i] < x->threshold && z[i] < mean)) continue;
        columns[left] = columns[i];
        row[left++] = row[i];
    }
    for (int32_t i = 0; i < left; i++) sum += row[i];
    for (int32_t i = 0; i < left; i++) row[i] = (float)(row[i] / sum);
    return left;
}

/* The columns that enter, best first: at most MOST_ENTER of the others whose z lies above the mean
 * by more than `least`. */
typedef struct entrant {
    int32_t column;
    float sum;
    double z;
} entrant;

/* z_k = sum over w of a(u,w) h_wk / d_u - resolution s_k for columns k outside the support; own
 * h_uk is 0 there. */
static int32_t choose(const cafe_sparse *x, const cafe_tally *others, double inverse_degree,
                      double least, int32_t room, entrant *best) {
    int32_t count = 0, most = room < MOST_ENTER ? room : MOST_ENTER;
    for (int64_t i = 0; i < others->count && most > 0; i++) {
        int32_t k = others->keys[i], at = count;
        double z = others->sum[k] * inverse_degree - x->resolution * x->s[k];
        if (!(z > least)) continue;
        while (at > 0 && (best[at - 1].z < z || (best[at - 1].z == z && best[at - 1].column > k)))
            at--;
        if (at == most) continue;
        if (count < most) count++;
        memmove(best + at + 1, best + at, (size_t)(count - 1 - at) * sizeof *best);
        best[at] = (entrant){k, (float)others->sum[k], z};
    }
    return count;
}

/* What a node's update works on. */
typedef struct moving {
    cafe_pull pull;
    double shift, theta;
    int32_t count;
    int32_t *columns;
    scratch r;
    float z[CAFE_MOST_SUPPORT];
} moving;

/* m columns enter with mass eps each; the others give it: h <- (1 - m eps) h + eps (e_1 + ... +
 * e_m). Then theta <= 2 / c, which the claim of the file's comment needs. */
static void enter(const cafe_sparse *x, const cafe_tally *others, moving *m) {
    entrant best[MOST_ENTER];
    double mean = 0, mass = x->threshold;
    for (int32_t i = 0; i < m->count; i++) mean += (double)m->r.h[i] * m->z[i];
    int32_t found =
        choose(x, others, m->pull.inverse_degree, mean + m->shift * mass * (MOST_ENTER + 1),
               (int32_t)x->support - m->count, best);
    for (int32_t i = 0; i < m->count && found > 0; i++) {
        float before = m->r.h[i];
        m->r.h[i] = (float)((1 - found * mass) * before);
        m->r.s[i] += m->pull.own * (m->r.h[i] - before); /* z is that of the row before */
    }
    for (int32_t i = 0; i < found; i++, m->count++) {
        m->columns[m->count] = best[i].column;
        m->r.h[m->count] = (float)mass;
        m->r.row[m->count] = best[i].sum;
        m->z[m->count] = (float)best[i].z;
        m->r.s[m->count] =
            (float)(x->resolution * x->s[best[i].column] + m->pull.own * m->r.h[m->count]);
    }
    if (found > 0 && m->shift > 0 && m->theta > 2 / m->shift) m->theta = 2 / m->shift;
}

/* Sets pull, c_u / p_u and theta of node u: theta <= 4 / c is the largest step that never loses. */
static void prepare(const cafe_sparse *x, int64_t u, moving *m) {
    const cafe_operator_parts *q = &x->op->parts;
    double p = q->p[u], inverse_degree = 1 / (p * q->total);
    double loop = q->loops ? q->loops[u] * inverse_degree : 0;
    m->pull = (cafe_pull){(float)inverse_degree, (float)(x->resolution * p - loop)};
    m->shift =
        cafe_chunk_shift(q, x->chunks, x->resolution, x->chunk, cafe_chunk_number(x->chunks, u), u);
    m->theta = x->theta * (x->graph_units ? p * (double)x->n : 1);
    if (m->shift > 0 && m->theta > 4 / m->shift) m->theta = 4 / m->shift;
    m->count = x->count[u];
    memset(&m->r, 0, sizeof m->r);
    memcpy(m->columns, x->column + u * x->support, (size_t)m->count * sizeof *m->columns);
    memcpy(m->r.h, x->value + u * x->support, (size_t)m->count * sizeof *m->r.h);
    for (int32_t i = 0; i < m->count; i++) m->r.s[i] = (float)(x->resolution * x->s[m->columns[i]]);
}

static void update(const cafe_sparse *x, int64_t u, uint16_t *mark, cafe_tally *others,
                   int32_t *columns, float *values, int32_t *count) {
    moving m = {.columns = columns};
    prepare(x, u, &m);
    gather(x, u, mark, m.r.row, x->threshold > 0 ? others : NULL);
    for (int32_t i = 0; i < m.count; i++)
        m.z[i] = m.r.row[i] * m.pull.inverse_degree - m.r.s[i] + m.pull.own * m.r.h[i];
    if (x->threshold > 0) enter(x, others, &m);
    cafe_tally_clear(others);
    x->op->kernels->softmax(CAFE_STORAGE_FLOAT32, x->stride, m.r.h, m.r.s, m.pull,
                            (float)(m.theta < 1e30 ? m.theta : 1e30), m.r.row);
    *count = prune(x, m.count, m.z, m.r.row, columns);
    memcpy(values, m.r.row, (size_t)*count * sizeof *values);
}

/* ---- one chunk ------------------------------------------------------------------------------- */

/* Nodes that keep their rows: without edges, labelled, or a single column that nothing can enter.
 */
static bool still(const cafe_sparse *x, int64_t u) {
    return !(x->op->parts.p[u] > 0) || (x->labels && x->labels[u] >= 0) ||
           (x->count[u] == 1 && x->threshold == 0);
}

/* The new rows of a task, from the values before the chunk; rows that stay get count 0. */
static void find_rows(void *argument, int64_t task, int32_t worker) {
    cafe_sparse *x = argument;
    uint16_t *mark = x->marks + worker * x->columns;
    int64_t size = cafe_chunk_size(x->chunks, x->chunk);
    cafe_range all = cafe_chunk_nodes(x->chunks, x->chunk, 0, size);
    for (int64_t i = task * TASK; i < cafe_block_end(size, TASK, task); i++) {
        int64_t u = cafe_range_node(&all, i);
        x->new_count[i] = 0;
        if (!still(x, u))
            update(x, u, mark, &x->others[worker], x->new_column + i * x->support,
                   x->new_value + i * x->support, &x->new_count[i]);
    }
}

/* Moves s in node order, then the rows. */
static void write_rows(cafe_sparse *x) {
    int64_t size = cafe_chunk_size(x->chunks, x->chunk);
    cafe_range all = cafe_chunk_nodes(x->chunks, x->chunk, 0, size);
    for (int64_t i = 0; i < size; i++) {
        int64_t u = cafe_range_node(&all, i);
        int32_t *columns = x->column + u * x->support;
        float *values = x->value + u * x->support;
        double p = x->op->parts.p[u];
        if (x->new_count[i] == 0) continue;
        for (int32_t k = 0; k < x->count[u]; k++) x->s[columns[k]] -= p * values[k];
        x->count[u] = x->new_count[i];
        memcpy(columns, x->new_column + i * x->support, (size_t)x->count[u] * sizeof *columns);
        memcpy(values, x->new_value + i * x->support, (size_t)x->count[u] * sizeof *values);
        for (int32_t k = 0; k < x->count[u]; k++) x->s[columns[k]] += p * values[k];
    }
}

/* ---- the objective --------------------------------------------------------------------------- */

/* sum over u in the block of <h_u, sum over w != u of a(u,w) h_w> / 2m + p_u^2 ||h_u||^2 */
static void objective_block(void *argument, int64_t block, int32_t worker) {
    cafe_sparse *x = argument;
    const cafe_operator_parts *s = &x->op->parts;
    uint16_t *mark = x->marks + worker * x->columns;
    double total = 0;
    for (int64_t u = block * BLOCK; u < cafe_block_end(x->n, BLOCK, block); u++) {
        const float *values = x->value + u * x->support;
        float row[CAFE_MOST_SUPPORT] = {0};
        double p = s->p[u], loop = s->loops ? s->loops[u] / s->total : 0;
        gather(x, u, mark, row, NULL);
        for (int32_t i = 0; i < x->count[u]; i++)
            total += values[i] * (row[i] / s->total + (x->resolution * p * p - loop) * values[i]);
    }
    x->partial[block] = total;
}

/* sum over u != w of q(u,w) <h_u, h_w>
 *     = sum over u of <h_u, sum over w != u of a(u,w) h_w> / 2m + resolution p_u^2 ||h_u||^2
 *       - resolution ||s||^2.
 */
static cafe_status objective(cafe_context *context, cafe_sparse *x, double *value) {
    int64_t blocks = cafe_blocks(x->n, BLOCK);
    cafe_status status = cafe_parallel(context, blocks, objective_block, x);
    *value = 0;
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++) *value += x->partial[b];
    for (int64_t k = 0; k < x->columns; k++) *value -= x->resolution * x->s[k] * x->s[k];
    return status;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* The start: rows of at most `support` columns that sum to 1, and s = sum of p_w h_w. */
cafe_status cafe_sparse_start(cafe_context *context, cafe_sparse *x, const int32_t *part) {
    start_job job = {x, part, x->labels, context->seed};
    cafe_phase(context, "start", 0);
    cafe_status status = cafe_ranges(context, x->n, BLOCK, start_block, &job);
    if (status == CAFE_OK) sum_up(x);
    return status;
}

/* One sweep: the chunks one after the other, each from the values before it. */
static cafe_status sweep(cafe_context *context, cafe_sparse *x) {
    for (int64_t c = 0; c < x->chunks->count; c++) {
        x->chunk = c;
        int64_t tasks = cafe_blocks(cafe_chunk_size(x->chunks, c), TASK);
        if (tasks > 1)
            CAFE_PASS(cafe_parallel(context, tasks, find_rows, x));
        else
            find_rows(x, 0, 0);
        write_rows(x);
    }
    return cafe_check_cancel(context);
}

cafe_status cafe_sparse_iterate(cafe_context *context, cafe_sparse *x, int64_t sweeps,
                                double tolerance, cafe_course *course) {
    cafe_phase(context, "sweep", sweeps);
    CAFE_PASS(objective(context, x, &course->objective[0]));
    for (int64_t i = 0; i < sweeps && !course->converged; i++) {
        double *now = &course->objective[i + 1];
        CAFE_PASS(sweep(context, x));
        CAFE_PASS(objective(context, x, now));
        course->sweeps = i + 1;
        course->converged = tolerance > 0 && *now - now[-1] <= tolerance * fabs(*now);
        cafe_step(context, i + 1, *now);
    }
    return CAFE_OK;
}
