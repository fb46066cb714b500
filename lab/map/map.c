/* The map of an embedding: levels from fine to coarse, layouts from coarse to fine.
 *
 * Nodes join their best neighbours until about a thousand groups are left. These start at the two
 * principal components of their mean directions and are laid out with the forces between all pairs,
 * which fixes the places of the islands. Each finer level starts at the places of its groups and
 * needs only local moves. The finest level dominates the time: rounds * (edges + draws), linear in
 * the graph.
 */
#include <math.h>

#include <cafe-private/text.h>

#include "base/finite.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "graph/graph.h"
#include "map/map.h"

enum { MOST_LEVELS = 24, AXIS_ROUNDS = 50 };

#define FIELD(name) offsetof(cafe_map_options, name)

static const cafe_option options_list[] = {
    {"forces", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, FIELD(forces), 0, 0, 2,
     "auto|graph|vectors",
     "what draws points together: the graph's edges, weighed by the vectors of their ends, or the "
     "nearest neighbours of each vector; auto is vectors up to 20000 nodes"},
    {"neighbours", "K", CAFE_OPTION_INTEGER, FIELD(neighbours), 15, 1, 1000, NULL,
     "nearest neighbours of each vector"},
    {"rounds", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(rounds), 200, 0, 10000, NULL,
     "rounds of the layout on each level"},
    {"repulsion", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(repulsion), 5, 0, 1000, NULL,
     "how much all points repel each other; less makes islands denser"},
};

CAFE_OPTION_TABLE(map, "map", "points of the plane from vectors", options_list)

/* ---- levels ---------------------------------------------------------------------------------- */

typedef struct mapping {
    cafe_context *context;
    cafe_map_options options;
    int64_t n, columns;
    const float *vectors;
    cafe_map_rows rows;
    double *mass;
    cafe_map_level level[MOST_LEVELS];
    int64_t levels;
} mapping;

static cafe_status view_finest(mapping *m) {
    cafe_pooled rows = {.n = m->rows.n,
                        .offsets = m->rows.offsets,
                        .targets = m->rows.targets,
                        .single = m->rows.weights,
                        .mass = m->mass,
                        .total = 1};
    cafe_pooled_free(m->level[0].graph);
    return cafe_pooled_view(m->context, rows, NULL, &m->level[0].graph);
}

static cafe_status open_finest(mapping *m) {
    cafe_map_level *l = &m->level[0];
    m->levels = 1;
    m->mass = cafe_mem(m->context, m->rows.n, sizeof *m->mass);
    l->size = cafe_mem(m->context, m->rows.n, sizeof *l->size);
    if (!m->mass || !l->size) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < m->rows.n; u++) m->mass[u] = l->size[u] = 1;
    return view_finest(m);
}

static cafe_status open_coarser(mapping *m, int64_t groups) {
    cafe_map_level *fine = &m->level[m->levels - 1], *l = &m->level[m->levels];
    m->levels++;
    l->size = cafe_mem_zero(m->context, groups, sizeof *l->size);
    if (!l->size) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < fine->graph->n; u++) l->size[fine->group[u]] += fine->size[u];
    return cafe_coarsen(m->context, fine->graph, fine->group, groups, &l->graph);
}

/* Until the level is small, or joining does not shrink it by a tenth any more. */
static cafe_status open_levels(mapping *m) {
    cafe_status status = open_finest(m);
    cafe_phase(m->context, "levels", 0);
    while (status == CAFE_OK && m->levels < MOST_LEVELS) {
        cafe_map_level *l = &m->level[m->levels - 1];
        int64_t n = l->graph->n, groups = 0;
        if (n <= CAFE_MAP_SMALL) break;
        l->group = cafe_mem(m->context, n, sizeof *l->group);
        if (!l->group) return CAFE_ERROR_MEMORY;
        status = cafe_map_join(m->context, l, l->group, &groups);
        if (status == CAFE_OK && groups * 10 > n * 9) break;
        if (status == CAFE_OK) status = open_coarser(m, groups);
    }
    return status;
}

static int64_t top_group(const mapping *m, int64_t u) {
    for (int64_t l = 0; l + 1 < m->levels; l++) u = m->level[l].group[u];
    return u;
}

/* The finest level, once the coarsest is known, in the order of its groups. */
static cafe_status sort_finest(mapping *m) {
    int32_t *key = cafe_mem(m->context, m->rows.n, sizeof *key);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!key) goto done;
    for (int64_t u = 0; u < m->rows.n; u++) key[u] = (int32_t)top_group(m, u);
    CAFE_TRY(cafe_map_order(m->context, key, m->level[m->levels - 1].graph->n, &m->rows,
                            &m->level[0].group));
    CAFE_TRY(view_finest(m));
done:
    cafe_mem_free(m->context, key);
    return status;
}

static void close_levels(mapping *m) {
    for (int64_t i = 0; i < m->levels; i++) {
        cafe_map_level *l = &m->level[i];
        cafe_pooled_free(l->graph);
        cafe_mem_free_all(m->context, l->size, l->group, l->xy);
    }
    cafe_mem_free(m->context, m->mass);
}

/* ---- the start: two principal components of the groups' mean directions ---------------------- */

/* mean[groups x columns], centred */
static cafe_status find_means(mapping *m, double *mean) {
    int64_t groups = m->level[m->levels - 1].graph->n, k = m->columns;
    float *scale = cafe_mem(m->context, m->n, sizeof *scale);
    if (!scale) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_map_scales(m->context, m->n, k, m->vectors, scale);
    for (int64_t i = 0; i < m->rows.n && status == CAFE_OK; i++) {
        int64_t u = m->rows.node[i], g = top_group(m, i);
        for (int64_t j = 0; j < k; j++) mean[g * k + j] += (double)scale[u] * m->vectors[u * k + j];
    }
    cafe_mem_free(m->context, scale);
    for (int64_t j = 0; j < k; j++) {
        double centre = 0;
        for (int64_t g = 0; g < groups; g++) centre += mean[g * k + j];
        centre /= (double)m->rows.n;
        for (int64_t g = 0; g < groups; g++) {
            double size = m->level[m->levels - 1].size[g];
            mean[g * k + j] = mean[g * k + j] / size - centre;
        }
    }
    return status;
}

static double dot(int64_t k, const double *a, const double *b) {
    double sum = 0;
    for (int64_t j = 0; j < k; j++) sum += a[j] * b[j];
    return sum;
}

/* next = M^T diag(size) M axis */
static void multiply(int64_t groups, int64_t k, const double *mean, const float *size,
                     const double *axis, double *next) {
    for (int64_t j = 0; j < k; j++) next[j] = 0;
    for (int64_t g = 0; g < groups; g++) {
        double c = size[g] * dot(k, mean + g * k, axis);
        for (int64_t j = 0; j < k; j++) next[j] += c * mean[g * k + j];
    }
}

/* Power iteration, orthogonal to the axis before it; few digits will do for a start. */
static void find_axis(const mapping *m, const double *mean, const double *before, double *axis,
                      double *next) {
    const cafe_map_level *top = &m->level[m->levels - 1];
    int64_t k = m->columns;
    for (int64_t j = 0; j < k; j++)
        axis[j] =
            cafe_uniform_open(cafe_philox(1, CAFE_STREAM_MAP, (uint64_t)j).v[before != NULL]) - 0.5;
    for (int round = 0; round < AXIS_ROUNDS; round++) {
        if (before) {
            double along = dot(k, axis, before);
            for (int64_t j = 0; j < k; j++) axis[j] -= along * before[j];
        }
        double length = sqrt(dot(k, axis, axis));
        for (int64_t j = 0; j < k; j++) axis[j] = length > 1e-12 ? axis[j] / length : 0;
        if (round + 1 == AXIS_ROUNDS) break;
        multiply(top->graph->n, k, mean, top->size, axis, next);
        for (int64_t j = 0; j < k; j++) axis[j] = next[j];
    }
}

/* Scales the start to the expected size of the layout; a little noise separates equal points. */
static void place_start(const mapping *m, const double *mean, const double *axes) {
    const cafe_map_level *top = &m->level[m->levels - 1];
    int64_t n = top->graph->n, k = m->columns;
    double square = 0;
    for (int64_t g = 0; g < n; g++)
        for (int a = 0; a < 2; a++) {
            double c = dot(k, mean + g * k, axes + a * k);
            top->xy[2 * g + a] = (float)c;
            square += c * c;
        }
    double scale = square > 0 ? 5 / sqrt(square / (double)n) : 0;
    for (int64_t g = 0; g < n; g++) {
        float noise[4];
        cafe_normal4(cafe_philox(cafe_seed(m->context), CAFE_STREAM_MAP, (uint64_t)(g + k)), noise);
        for (int a = 0; a < 2; a++)
            top->xy[2 * g + a] = (float)(scale * top->xy[2 * g + a]) + 0.1f * noise[a];
    }
}

static cafe_status start(mapping *m) {
    cafe_map_level *top = &m->level[m->levels - 1];
    int64_t k = m->columns;
    double *mean = cafe_mem_zero(m->context, top->graph->n * k, sizeof *mean);
    double *axes = cafe_mem(m->context, 3 * k, sizeof *axes);
    cafe_status status = CAFE_ERROR_MEMORY;
    top->xy = cafe_mem(m->context, 2 * top->graph->n, sizeof *top->xy);
    if (!mean || !axes || !top->xy) goto done;
    CAFE_TRY(find_means(m, mean));
    CAFE_TRY(cafe_check_cancel(m->context));
    find_axis(m, mean, NULL, axes, axes + 2 * k);
    find_axis(m, mean, axes, axes + k, axes + 2 * k);
    place_start(m, mean, axes);
done:
    cafe_mem_free_all(m->context, mean, axes);
    return status;
}

/* ---- from coarse to fine --------------------------------------------------------------------- */

/* A node starts in a disc around its group that is the group's share of the picture. */
static cafe_status refine(mapping *m, int64_t level) {
    const cafe_map_level *above = &m->level[level + 1];
    cafe_map_level *l = &m->level[level];
    int64_t n = l->graph->n;
    double square = 0;
    l->xy = cafe_mem(m->context, 2 * n, sizeof *l->xy);
    if (!l->xy) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < 2 * above->graph->n; i++)
        square += (double)above->xy[i] * above->xy[i] * above->size[i / 2];
    float unit = (float)(0.5 * sqrt(square) / (double)m->rows.n);
    for (int64_t u = 0; u < n; u++) {
        uint64_t stream = CAFE_STREAM_MAP | (uint64_t)(level * 65536 + 65535) << 32;
        float noise[4], radius = unit * sqrtf(above->size[l->group[u]]);
        cafe_normal4(cafe_philox(cafe_seed(m->context), stream, (uint64_t)u), noise);
        for (int a = 0; a < 2; a++)
            l->xy[2 * u + a] = above->xy[2 * l->group[u] + a] + radius * noise[a];
    }
    return CAFE_OK;
}

static cafe_status lay_out(mapping *m) {
    cafe_status status = start(m);
    for (int64_t level = m->levels - 1; level >= 0 && status == CAFE_OK; level--) {
        bool top = level + 1 == m->levels;
        cafe_map_motion motion = {.rounds = m->options.rounds,
                                  .level = level,
                                  .repulsion = m->options.repulsion,
                                  .first = top ? 1 : 0.5,
                                  .total = (double)m->rows.n};
        if (!top) status = refine(m, level);
        if (status == CAFE_OK) status = cafe_map_move(m->context, &m->level[level], &motion);
    }
    return status;
}

/* ---- the picture's frame --------------------------------------------------------------------- */

typedef struct moments {
    double x, y, xx, xy, yy;
} moments;

static moments find_moments(int64_t n, const float *xy) {
    moments s = {0};
    for (int64_t i = 0; i < n; i++) s.x += xy[2 * i], s.y += xy[2 * i + 1];
    s.x /= (double)n, s.y /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        double x = xy[2 * i] - s.x, y = xy[2 * i + 1] - s.y;
        s.xx += x * x, s.xy += x * y, s.yy += y * y;
    }
    return s;
}

/* Centres the points, turns the largest variance along x, and scales the mean square to 1. Signs:
 * the first point off the axes lies right of the middle and above it. */
static void frame(int64_t n, float *xy) {
    moments s = find_moments(n, xy);
    double angle = 0.5 * atan2(2 * s.xy, s.xx - s.yy), c = cos(angle), d = sin(angle);
    double scale = s.xx + s.yy > 0 ? sqrt((double)n / (s.xx + s.yy)) : 0;
    double right = 0, above = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = xy[2 * i] - s.x, y = xy[2 * i + 1] - s.y;
        double a = scale * (c * x + d * y), b = scale * (c * y - d * x);
        if (right == 0) right = a < 0 ? -1 : a > 0;
        if (above == 0) above = b < 0 ? -1 : b > 0;
        xy[2 * i] = (float)(right * a);
        xy[2 * i + 1] = (float)(above * b);
    }
}

typedef struct box {
    double left, right, bottom, top;
} box;

/* Of the nodes with a position; a square of side 2 if there are none. */
static box find_box(const mapping *m, const float *xy) {
    box b = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    if (m->rows.n == 0) return (box){-1, 1, -1, 1};
    for (int64_t u = 0; u < m->n; u++) {
        double x = xy[2 * u], y = xy[2 * u + 1];
        if (isnan(x)) continue;
        b = (box){fmin(b.left, x), fmax(b.right, x), fmin(b.bottom, y), fmax(b.top, y)};
    }
    return b;
}

/* Places nodes without a position (NaN) on a disc below all others, at the left. Each is turned by
 * the golden angle from the one before, as dense as the others are in their box. The disc is at
 * most half as wide as the box. */
static void group_loose(const mapping *m, float *xy) {
    const double turn = 2.39996322972865332, pi = 3.14159265358979324;
    int64_t loose = m->n - m->rows.n, at = 0;
    box b = find_box(m, xy);
    double width = fmax(b.right - b.left, 1e-3), height = fmax(b.top - b.bottom, 1e-3);
    double share = (double)loose / fmax((double)m->rows.n, 1);
    double radius = fmin(sqrt(width * height * share / pi), width / 4);
    double x = b.left + radius, y = b.bottom - radius - 0.05 * height;
    for (int64_t u = 0; u < m->n; u++) {
        if (!isnan(xy[2 * u])) continue;
        double r = radius * sqrt((double)at / (double)loose);
        xy[2 * u] = (float)(x + r * cos(turn * (double)at));
        xy[2 * u + 1] = (float)(y + r * sin(turn * (double)at));
        at++;
    }
}

static void give_out(mapping *m, float *xy) {
    for (int64_t i = 0; i < 2 * m->n; i++) xy[i] = NAN;
    if (m->rows.n > 0) {
        float *found = m->level[0].xy;
        frame(m->rows.n, found);
        for (int64_t i = 0; i < m->rows.n; i++)
            for (int a = 0; a < 2; a++) xy[2 * m->rows.node[i] + a] = found[2 * i + a];
    }
    group_loose(m, xy);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, const cafe_graph *graph, int64_t n,
                         int64_t columns) {
    if (n < 0 || columns < 1 || n > INT32_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a map needs vectors of 1 column or more");
    if (graph && graph->n != n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the graph has %lld nodes, the vectors are of %lld", (long long)graph->n,
                         (long long)n);
    return CAFE_OK;
}

cafe_status cafe_map(cafe_context *context, const cafe_graph *graph, int64_t n, int64_t columns,
                     const float *vectors, const cafe_map_options *options, float *xy) {
    mapping m = {.context = context, .n = n, .columns = columns, .vectors = vectors};
    cafe_status status;
    CAFE_TRY(cafe_options_take(context, &map_table, options, &m.options));
    CAFE_TRY(check(context, graph, n, columns));
    CAFE_TRY(cafe_map_link(context, graph, n, columns, vectors, &m.options, &m.rows));
    if (m.rows.n > 0) {
        CAFE_TRY(open_levels(&m));
        if (m.levels > 1) CAFE_TRY(sort_finest(&m));
        CAFE_TRY(lay_out(&m));
    }
    if (m.rows.n > 0)
        CAFE_TRY(cafe_check_finite(context, "the map", m.rows.n, 2, 2, m.level[0].xy));
    give_out(&m, xy);
done:
    close_levels(&m);
    cafe_map_unlink(context, &m.rows);
    cafe_phase(context, "", 0);
    return status;
}
