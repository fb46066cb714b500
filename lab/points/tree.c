/* Random projection trees: first candidates for near neighbours.
 *
 * A set of points is cut at the median of a projection on the line through two of its points. Then
 * both halves are cut, down to at most `leaf` points. Points of a leaf are candidates for each
 * other. A cut may separate neighbours, but several trees with different cuts rarely all do. Every
 * cut is at the median, so a leaf has more than leaf/2 points, and every list is filled.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "points/points.h"

enum { TREES = 6, LEAF = 64 };

typedef struct forest {
    cafe_context *context;
    const cafe_points *points;
    const cafe_distances *distances;
    cafe_nearest *nearest;
    int64_t leaf;         /* a set is cut while it has more points */
    int64_t most;         /* leaves of a tree at most */
    int32_t *order;       /* TREES x n: the points, leaf after leaf */
    float *place;         /* TREES x n: projections of the set at hand */
    int32_t *starts;      /* TREES x (most + 1): where leaves start */
    int64_t count[TREES]; /* leaves */
    int64_t tree;         /* whose leaves are joined */
} forest;

static void swap(float *place, int32_t *order, int64_t i, int64_t j) {
    float p = place[i];
    int32_t o = order[i];
    place[i] = place[j], order[i] = order[j];
    place[j] = p, order[j] = o;
}

static bool before(const float *place, const int32_t *order, int64_t i, float p, int32_t o) {
    return cafe_nearer(place[i], order[i], p, o);
}

/* Moves entries so that those before `middle` precede the others, by (place, id). */
static void select_median(float *place, int32_t *order, int64_t count, int64_t middle) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t i = low, j = high, pivot = low + (high - low) / 2;
        float p = place[pivot];
        int32_t o = order[pivot];
        while (i <= j) {
            while (before(place, order, i, p, o)) i++;
            while (cafe_nearer(p, o, place[j], order[j])) j--;
            if (i <= j) swap(place, order, i++, j--);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* <x, a - b> up to constants: (|x - b|^2 - |x - a|^2) / 2. */
static void project(const forest *f, int64_t tree, int64_t depth, int64_t begin, int64_t end) {
    const cafe_points *p = f->points;
    int32_t *order = f->order + tree * p->n;
    float *place = f->place + tree * p->n;
    cafe_random4 r = cafe_philox(f->context->seed, (uint64_t)(CAFE_STREAM_TREES + tree),
                                 (uint64_t)(begin * 64 + depth));
    uint64_t size = (uint64_t)(end - begin);
    const float *a = p->x + order[begin + (int64_t)cafe_below(r.v[0], r.v[1], size)] * p->dims;
    const float *b = p->x + order[begin + (int64_t)cafe_below(r.v[2], r.v[3], size)] * p->dims;
    for (int64_t i = begin; i < end; i++) {
        const float *x = p->x + order[i] * p->dims;
        place[i] = f->distances->pair(x, b, p->dims) - f->distances->pair(x, a, p->dims);
    }
}

static void cut(forest *f, int64_t tree, int64_t depth, int64_t begin, int64_t end) {
    int64_t n = f->points->n, middle = begin + (end - begin) / 2;
    if (atomic_load(&f->context->cancelled)) return;
    if (end - begin <= f->leaf) {
        f->starts[tree * (f->most + 1) + f->count[tree]++] = (int32_t)begin;
        return;
    }
    project(f, tree, depth, begin, end);
    select_median(f->place + tree * n + begin, f->order + tree * n + begin, end - begin,
                  middle - begin);
    cut(f, tree, depth + 1, begin, middle);
    cut(f, tree, depth + 1, middle, end);
}

static void grow_tree(void *argument, int64_t task) {
    forest *f = argument;
    int64_t n = f->points->n;
    for (int64_t i = 0; i < n; i++) f->order[task * n + i] = (int32_t)i;
    cut(f, task, 0, 0, n);
    f->starts[task * (f->most + 1) + f->count[task]] = (int32_t)n;
}

/* All pairs of a leaf. The leaves of one tree share no point, so no list has two writers. */
static void join_leaf(void *argument, int64_t task) {
    forest *f = argument;
    const cafe_points *p = f->points;
    const int32_t *start = f->starts + f->tree * (f->most + 1) + task;
    const int32_t *order = f->order + f->tree * p->n;
    for (int64_t i = start[0]; i < start[1]; i++)
        for (int64_t j = start[0]; j < i; j++) {
            int32_t u = order[i], w = order[j];
            float square = f->distances->pair(p->x + u * p->dims, p->x + w * p->dims, p->dims);
            cafe_nearest_offer(f->nearest, u, w, square);
            cafe_nearest_offer(f->nearest, w, u, square);
        }
}

static cafe_status join_leaves(forest *f) {
    for (f->tree = 0; f->tree < TREES; f->tree++)
        CAFE_PASS(cafe_each(f->context, f->count[f->tree], join_leaf, f));
    return CAFE_OK;
}

cafe_status cafe_nearest_trees(cafe_context *context, const cafe_points *points,
                               cafe_nearest *nearest) {
    forest f = {.context = context, .points = points, .nearest = nearest};
    cafe_status status = CAFE_ERROR_MEMORY;
    f.distances = cafe_distances_best();
    f.leaf = 2 * (nearest->k + 1) > LEAF ? 2 * (nearest->k + 1) : LEAF;
    f.most = 2 * points->n / f.leaf + 1;
    f.order = cafe_mem(context, TREES * points->n, sizeof *f.order);
    f.place = cafe_mem(context, TREES * points->n, sizeof *f.place);
    f.starts = cafe_mem(context, TREES * (f.most + 1), sizeof *f.starts);
    if (!f.order || !f.place || !f.starts) goto done;
    cafe_phase(context, "trees", 0);
    CAFE_TRY(cafe_each(context, TREES, grow_tree, &f));
    CAFE_TRY(cafe_check_cancel(context));
    status = join_leaves(&f);
done:
    cafe_mem_free_all(context, f.order, f.place, f.starts);
    return status;
}
