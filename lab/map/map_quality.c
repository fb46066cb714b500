/* Quality of a map: neighbours kept and trustworthiness (J. Venna and S. Kaski, ICANN 2001).
 *
 * For a node i let r(i,j) be the rank of j among the others by the distance of the directions. U_i
 * are the k nearest points of the plane that are not among the k nearest directions:
 *
 *     T = 1 - 2 / (N k (2n - 3k - 1)) * sum over i and over j in U_i of (r(i,j) - k).
 *
 * Each of the N nodes is compared with all others, so the caller chooses N.
 */

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "map/map.h"

enum { MOST_NEIGHBOURS = 128 };

typedef struct measuring {
    int64_t n, columns, k, nodes;
    const float *vectors, *xy, *scale;
    float *room; /* of each worker: n distances of directions */
    int64_t *kept;
    double *excess; /* the sum over U_i, for each of the N nodes */
} measuring;

static float direction_distance(const measuring *m, int64_t u, int64_t w) {
    const float *a = m->vectors + u * m->columns, *b = m->vectors + w * m->columns;
    float s = m->scale[u], t = m->scale[w], sum = 0;
    for (int64_t j = 0; j < m->columns; j++) {
        float d = s * a[j] - t * b[j];
        sum += d * d;
    }
    return sum;
}

static float plane_distance(const measuring *m, int64_t u, int64_t w) {
    float dx = m->xy[2 * u] - m->xy[2 * w], dy = m->xy[2 * u + 1] - m->xy[2 * w + 1];
    return dx * dx + dy * dy;
}

typedef struct nearest {
    int64_t count;
    int32_t node[MOST_NEIGHBOURS]; /* nearest first */
    float distance[MOST_NEIGHBOURS];
} nearest;

/* Takes w in, k at most; of equals the first taken stays. */
static void take(nearest *near, int64_t k, int64_t w, float d) {
    int64_t at = near->count < k ? near->count++ : k;
    for (; at > 0 && near->distance[at - 1] > d; at--) {
        if (at == k) continue;
        near->distance[at] = near->distance[at - 1];
        near->node[at] = near->node[at - 1];
    }
    if (at == k) return;
    near->distance[at] = d;
    near->node[at] = (int32_t)w;
}

static bool holds(const nearest *near, int32_t w) {
    for (int64_t i = 0; i < near->count; i++)
        if (near->node[i] == w) return true;
    return false;
}

/* Returns r(i,j): the number of nodes that are nearer, or as near with a smaller id, plus 1. */
static int64_t rank_of(const measuring *m, const float *distance, int64_t u, int64_t w) {
    int64_t rank = 1;
    for (int64_t v = 0; v < m->n; v++)
        rank += v != u && (distance[v] < distance[w] || (distance[v] == distance[w] && v < w));
    return rank;
}

static void measure_node(void *argument, int64_t task, int32_t worker) {
    const measuring *m = argument;
    int64_t u = task * m->n / m->nodes;
    float *distance = m->room + worker * m->n;
    nearest high = {.count = 0}, flat = {.count = 0}; /* by direction, and in the plane */
    for (int64_t w = 0; w < m->n; w++) {
        distance[w] = direction_distance(m, u, w);
        if (w == u) continue;
        take(&high, m->k, w, distance[w]);
        take(&flat, m->k, w, plane_distance(m, u, w));
    }
    m->kept[task] = 0;
    m->excess[task] = 0;
    for (int64_t i = 0; i < flat.count; i++) {
        if (holds(&high, flat.node[i]))
            m->kept[task]++;
        else
            m->excess[task] += (double)(rank_of(m, distance, u, flat.node[i]) - m->k);
    }
}

static void sum_up(const measuring *m, cafe_map_quality *quality) {
    double excess = 0, n = (double)m->n, k = (double)m->k, nodes = (double)m->nodes;
    int64_t kept = 0;
    for (int64_t i = 0; i < m->nodes; i++) {
        kept += m->kept[i];
        excess += m->excess[i];
    }
    double most = nodes * k * (2 * n - 3 * k - 1) / 2;
    quality->nodes = m->nodes;
    quality->neighbours = m->k;
    quality->kept = (double)kept / (nodes * k);
    quality->trustworthiness = most > 0 ? 1 - excess / most : 1;
}

cafe_status cafe_map_measure_sized(cafe_context *context, int64_t n, int64_t columns,
                                   const float *vectors, const float *xy, int64_t neighbours,
                                   int64_t nodes, cafe_map_quality *quality, size_t size) {
    measuring m = {.n = n, .columns = columns, .vectors = vectors, .xy = xy};
    float *scale = cafe_mem(context, n, sizeof *scale);
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_map_quality found = {.kept = 1, .trustworthiness = 1};
    m.nodes = nodes < n ? nodes : n;
    m.k = neighbours < MOST_NEIGHBOURS ? neighbours : MOST_NEIGHBOURS;
    if (m.k > (n - 1) / 2) m.k = (n - 1) / 2; /* the measure asks for k < n/2 */
    m.room = cafe_mem(context, cafe_threads(context) * n, sizeof *m.room);
    m.kept = cafe_mem(context, m.nodes, sizeof *m.kept);
    m.excess = cafe_mem(context, m.nodes, sizeof *m.excess);
    if (!scale || !m.room || !m.kept || !m.excess) goto done;
    m.scale = scale;
    CAFE_TRY(cafe_map_scales(context, n, columns, vectors, scale));
    if (m.k < 1 || m.nodes < 1) goto done;
    cafe_phase(context, "measure", 0);
    CAFE_TRY(cafe_parallel(context, m.nodes, measure_node, &m));
    sum_up(&m, &found);
done:
    cafe_struct_give(&found, sizeof found, quality, size);
    cafe_mem_free_all(context, scale, m.room, m.kept, m.excess);
    return status;
}
