/* The layout of one level: rounds of attraction along edges and repulsion of all nodes.
 *
 * The forces are those of LargeVis and UMAP with the Cauchy kernel 1 / (1 + d^2) (Tang et al., WWW
 * 2016; McInnes et al., 2018), as means instead of single samples:
 *
 *     attraction  A_u = sum over w of a(u,w) (x_w - x_u) / (1 + d^2) / (sum of a(u,.) and inside u)
 *     repulsion   R_u = r * mean over s of size_s (x_u - x_s) / ((e + d^2)(1 + d^2))
 *     gravity     G_u = -g x_u, which keeps unconnected parts at a finite distance
 *
 * A round moves all points by step * (A + R + G) from their old places (Jacobi), so the order does
 * not matter; the step shrinks to 0. The attraction is a mean with weights of at most 1, so steps
 * up to 1 stay bounded; the repulsion is cut off.
 *
 * A level of up to CAFE_MAP_SMALL nodes repels by all pairs. Larger levels draw a few nodes for
 * each node and round from counters, so the draws do not depend on the threads.
 */
#include <math.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "map/map.h"

enum { BLOCK = 1024, DRAWS = 1 << 22, MOST_DRAWS = 32 };
static const float softness = 1e-3f, gravity = 1e-4f, longest = 2;

typedef struct moving {
    const cafe_map_level *level;
    const cafe_map_motion *motion;
    const float *size; /* NULL: all 1, on the finest level */
    const float *norm; /* 1 / (sum of a(u,.) and inside u) */
    const float *from;
    float *to;
    float step;
    float share; /* of one unit of size: levels have the mass of the finest */
    int64_t draws;
    uint64_t seed, stream;
} moving;

typedef struct force {
    float x, y;
} force;

static inline void repel(const moving *m, const float at[2], int64_t s, force *f) {
    float dx = at[0] - m->from[2 * s], dy = at[1] - m->from[2 * s + 1];
    float square = dx * dx + dy * dy;
    float c = (m->size ? m->size[s] : 1) / ((softness + square) * (1 + square));
    f->x += c * dx;
    f->y += c * dy;
}

/* Repulsion of all others: sizes sum to the total, so the share is 1 / total. A node does not repel
 * itself. */
static force repel_all(const moving *m, int64_t u) {
    force f = {0, 0};
    for (int64_t s = 0; s < m->level->graph->n; s++) repel(m, m->from + 2 * u, s, &f);
    return (force){f.x * m->share, f.y * m->share};
}

static force repel_some(const moving *m, int64_t u) {
    uint64_t n = (uint64_t)m->level->graph->n;
    float scale = m->share * (float)n / (float)m->draws;
    force f = {0, 0};
    for (int64_t i = 0; i < m->draws; i += 4) {
        cafe_random4 r = cafe_philox(m->seed, m->stream, (uint64_t)(u * MOST_DRAWS + i));
        for (int j = 0; j < 4; j++) repel(m, m->from + 2 * u, (int64_t)((r.v[j] * n) >> 32), &f);
    }
    return (force){f.x * scale, f.y * scale};
}

static inline void pull(const moving *m, const float at[2], int64_t w, float weight, force *f) {
    float dx = m->from[2 * w] - at[0], dy = m->from[2 * w + 1] - at[1];
    float c = weight / (1 + dx * dx + dy * dy);
    f->x += c * dx;
    f->y += c * dy;
}

static force attract(const moving *m, int64_t u) {
    const cafe_pooled *g = m->level->graph;
    const float *at = m->from + 2 * u;
    force f = {0, 0};
    for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
        pull(m, at, g->targets[arc], (float)cafe_pooled_weight(g, u, arc), &f);
    return (force){f.x * m->norm[u], f.y * m->norm[u]};
}

/* Shortened to `longest`; direction by direction would draw crosses along the axes. */
static force bounded(force f) {
    float square = f.x * f.x + f.y * f.y;
    float c = square > longest * longest ? longest / sqrtf(square) : 1;
    return (force){c * f.x, c * f.y};
}

static void move_block(void *argument, int64_t first, int64_t last) {
    const moving *m = argument;
    float r = (float)m->motion->repulsion;
    for (int64_t u = first; u < last; u++) {
        const float *at = m->from + 2 * u;
        force a = attract(m, u), p = m->draws > 0 ? repel_some(m, u) : repel_all(m, u);
        p = bounded((force){r * p.x, r * p.y});
        m->to[2 * u] = at[0] + m->step * (a.x + p.x - gravity * at[0]);
        m->to[2 * u + 1] = at[1] + m->step * (a.y + p.y - gravity * at[1]);
    }
}

static void find_norms(const cafe_pooled *g, float *norm) {
    for (int64_t u = 0; u < g->n; u++) {
        double sum = cafe_pooled_loop(g, u);
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
            if (g->targets[arc] != u) sum += cafe_pooled_weight(g, u, arc);
        norm[u] = sum > 0 ? (float)(1 / sum) : 0;
    }
}

static int64_t choose_draws(int64_t n) {
    if (n <= CAFE_MAP_SMALL) return 0;
    int64_t draws = DRAWS / n / 4 * 4;
    return draws < 4 ? 4 : draws > MOST_DRAWS ? MOST_DRAWS : draws;
}

cafe_status cafe_map_move(cafe_context *context, cafe_map_level *level,
                          const cafe_map_motion *motion) {
    int64_t n = level->graph->n, rounds = motion->rounds;
    float *norm = cafe_mem(context, n, sizeof *norm);
    float *other = cafe_mem(context, 2 * n, sizeof *other);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!norm || !other) goto done;
    find_norms(level->graph, norm);
    moving m = {.level = level, .motion = motion, .norm = norm, .seed = cafe_seed(context)};
    m.size = motion->level > 0 ? level->size : NULL;
    m.share = (float)(1 / motion->total);
    m.draws = choose_draws(n);
    cafe_phase(context, "map", rounds);
    for (int64_t r = 0; r < rounds; r++) {
        m.from = level->xy;
        m.to = other;
        m.step = (float)(motion->first * (double)(rounds - r) / (double)rounds);
        m.stream = CAFE_STREAM_MAP | (uint64_t)(motion->level * 65536 + r) << 32;
        CAFE_TRY(cafe_ranges(context, n, BLOCK, move_block, &m));
        other = level->xy;
        level->xy = m.to;
        cafe_step(context, r + 1, 0);
    }
    status = CAFE_OK;
done:
    cafe_mem_free_all(context, norm, other);
    return status;
}
