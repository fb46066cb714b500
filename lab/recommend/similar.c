/* The vectors most similar to a given one.
 *
 * The exact search compares every row. The approximate search walks a graph in which each row has
 * edges to its nearest rows (cafe_nearest_approximate) and to some rows that list it. From the
 * query's row, and from rows spread over all, it continues with the best row not yet expanded, and
 * keeps the best `effort` rows. It ends when all of these were expanded. (As in NSW and related
 * work: Malkov et al., Information Systems 45, 2014.)
 *
 * Scores come from the row kernels, whose additions have one order, the order of rows is total, and
 * a query is one task. So the result does not depend on the threads.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe-private/text.h>
#include <cafe/similar.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "kernels/row_kernels.h"
#include "points/points.h"
#include "rank/top_list.h"

enum { LEAST_ROWS = 64, BLOCK = 1024, ROWS_BETWEEN_LOOKS = 65536 };
static const float largest_value = 1e15f; /* squares of differences stay finite */

/* ---- options --------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(cafe_similar_options, name)

static const cafe_option similar_options[] = {
    {"measure", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, FIELD(measure), 0, 0, 2,
     "cosine|product|distance",
     "what makes two vectors alike: the cosine of their angle, their inner product, or a small "
     "distance"},
    {"approximate", "WHEN", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, FIELD(approximate),
     CAFE_APPROXIMATE_AUTO, 0, 2, "auto|yes|no",
     "search through a graph of near vectors instead of comparing with all; auto does so above "
     "50000 vectors"},
    {"links", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(links), 16, 4, 1000, NULL,
     "near vectors that the approximate index keeps of each"},
    {"effort", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(effort), 128, 1, 1e6, NULL,
     "vectors that an approximate search holds at a time: more find more"},
};

CAFE_OPTION_TABLE(similar, "similar", "the vectors most like a given one", similar_options)

/* ---- the index ------------------------------------------------------------------------------- */

struct cafe_similar {
    cafe_context *context;
    const cafe_kernels *kernels;
    cafe_similar_options options;
    int64_t n, columns, stride;
    float *rows;    /* padded; of length 1 for the cosine */
    int64_t width;  /* edges of a row at most; 0: the search is exact */
    int32_t *links; /* n x width */
    int32_t *size;  /* edges there are, of each row */
};

/* row <- vector, scaled to length 1 for the cosine, padded with zeros; false: a value is out of
 * range. */
static bool take_row(const cafe_similar *s, const float *vector, float *row) {
    double sum = 0;
    for (int64_t k = 0; k < s->columns; k++) {
        if (!(fabsf(vector[k]) <= largest_value)) return false;
        sum += (double)vector[k] * vector[k];
    }
    bool unit = s->options.measure == CAFE_LIKENESS_COSINE && sum > 0;
    double scale = unit ? 1 / sqrt(sum) : 1;
    memset(row, 0, (size_t)s->stride * sizeof *row);
    for (int64_t k = 0; k < s->columns; k++) row[k] = (float)(scale * vector[k]);
    return true;
}

/* The larger the better: cosine, product, or minus the square of the distance. */
static double score_of(const cafe_similar *s, const float *query, int64_t w) {
    const float *row = s->rows + w * s->stride;
    if (s->options.measure != CAFE_LIKENESS_DISTANCE) return s->kernels->dot(s->stride, query, row);
    return -s->kernels->dot_moves(s->stride, query, row, query, row);
}

static cafe_status take_rows(cafe_similar *s, const float *rows) {
    for (int64_t u = 0; u < s->n; u++)
        if (!take_row(s, rows + u * s->columns, s->rows + u * s->stride))
            return cafe_fail(s->context, CAFE_ERROR_ARGUMENT,
                             "row %lld: expected numbers from -1e15 to 1e15, found another",
                             (long long)u);
    return CAFE_OK;
}

/* Each row's own list, then the rows that list it, in order, while there is room. */
static void join_lists(cafe_similar *s, const cafe_nearest *lists) {
    int64_t k = lists->k;
    for (int64_t u = 0; u < s->n; u++) {
        memcpy(s->links + u * s->width, lists->ids + u * k, (size_t)k * sizeof *s->links);
        s->size[u] = (int32_t)k;
    }
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t i = 0; i < k; i++) {
            int64_t w = lists->ids[u * k + i];
            if (s->size[w] < s->width) s->links[w * s->width + s->size[w]++] = (int32_t)u;
        }
}

static cafe_status link_rows(cafe_context *context, cafe_similar *s) {
    cafe_points points = {s->n, s->stride, s->rows};
    cafe_nearest lists = {0};
    int64_t k = s->options.links < s->n ? s->options.links : s->n - 1;
    cafe_status status;
    s->width = 2 * k;
    s->links = cafe_mem(context, s->n * s->width, sizeof *s->links);
    s->size = cafe_mem(context, s->n, sizeof *s->size);
    CAFE_TRY(cafe_mem_had(s->links, s->size));
    CAFE_TRY(cafe_nearest_create(context, s->n, k, false, &lists));
    CAFE_TRY(cafe_nearest_approximate(context, &points, &lists));
    join_lists(s, &lists);
done:
    cafe_nearest_free(context, &lists);
    return status;
}

static bool wants_links(const cafe_similar *s) {
    const cafe_similar_options *o = &s->options;
    if (s->n <= LEAST_ROWS || o->measure == CAFE_LIKENESS_PRODUCT) return false;
    return o->approximate == CAFE_APPROXIMATE_AUTO ? s->n > CAFE_SIMILAR_EXACT
                                                   : o->approximate == CAFE_APPROXIMATE_YES;
}

cafe_status cafe_similar_create(cafe_context *context, int64_t n, int64_t columns,
                                const float *rows, const cafe_similar_options *options,
                                cafe_similar **index) {
    cafe_status status = CAFE_OK;
    *index = NULL;
    cafe_similar *s = cafe_mem_zero(context, 1, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    *s = (cafe_similar){context, cafe_kernels_best(), .n = n, .columns = columns};
    s->stride = cafe_stride(columns);
    CAFE_TRY(cafe_options_take(context, &similar_table, options, &s->options));
    if (n < 0 || n > INT32_MAX || columns < 1)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld rows of %lld columns", (long long)n,
                           (long long)columns));
    s->rows = cafe_mem(context, n * s->stride, sizeof *s->rows);
    CAFE_TRY(cafe_mem_had(s->rows));
    CAFE_TRY(take_rows(s, rows));
    if (wants_links(s)) CAFE_TRY(link_rows(context, s));
done:
    cafe_phase(context, "", 0);
    if (status != CAFE_OK)
        cafe_similar_free(s);
    else
        *index = s;
    return status;
}

void cafe_similar_free(cafe_similar *index) {
    if (!index) return;
    cafe_mem_free_all(index->context, index->rows, index->links, index->size);
    cafe_mem_free(index->context, index);
}

int32_t cafe_similar_is_exact(const cafe_similar *index) {
    return index->width == 0;
}

/* ---- the searches ---------------------------------------------------------------------------- */

/* A row that was met, and whether its edges were followed. */
typedef struct met {
    cafe_scored at;
    bool left;
} met;

typedef struct search {
    cafe_context *context;
    const cafe_similar *index;
    int64_t count;
    const float *vectors;
    const int32_t *self;
    int32_t *node;
    double *score;
    int64_t room;      /* of a heap, or of the rows that a walk holds */
    float *query;      /* stride a worker */
    cafe_scored *heap; /* room a worker, of the exact search */
    met *held;         /* room a worker, best first, of the walk */
    int32_t *seen;     /* n a worker: the last query that met this row, plus one */
    atomic_llong bad;  /* the first vector that cannot be used; INT64_MAX: none */
} search;

static void put(const search *job, int64_t place, int64_t found, cafe_scored best) {
    bool distance = job->index->options.measure == CAFE_LIKENESS_DISTANCE;
    job->node[place * job->count + found] = best.node;
    job->score[place * job->count + found] = distance ? sqrt(-best.score) : best.score;
}

static void put_none(const search *job, int64_t place, int64_t found) {
    for (; found < job->count; found++) {
        job->node[place * job->count + found] = -1;
        job->score[place * job->count + found] = 0;
    }
}

static void search_all(const search *job, int64_t place, int64_t self, const float *query,
                       int32_t worker) {
    cafe_top top = {job->heap + worker * job->room, 0, job->room};
    for (int64_t w = 0; w < job->index->n; w++) {
        if (w % ROWS_BETWEEN_LOOKS == 0 && atomic_load(&job->context->cancelled)) return;
        if (w != self)
            cafe_top_offer(&top, (cafe_scored){score_of(job->index, query, w), (int32_t)w});
    }
    cafe_top_sort(&top);
    for (int64_t i = 0; i < top.count; i++) put(job, place, i, top.at[i]);
    put_none(job, place, top.count);
}

/* A walk: `held` is sorted, best first; before `next` all were left. */
typedef struct walk {
    const search *job;
    const float *query;
    met *held;
    int32_t *seen, mark;
    int64_t count, next;
} walk;

static void meet(walk *k, int64_t w) {
    int64_t at = k->count, room = k->job->room;
    if (k->seen[w] == k->mark) return;
    k->seen[w] = k->mark;
    cafe_scored found = {score_of(k->job->index, k->query, w), (int32_t)w};
    if (k->count == room && !cafe_before(found, k->held[room - 1].at)) return;
    while (at > 0 && cafe_before(found, k->held[at - 1].at)) at--;
    if (k->count < room) k->count++;
    memmove(k->held + at + 1, k->held + at, (size_t)(k->count - 1 - at) * sizeof *k->held);
    k->held[at] = (met){found, false};
    if (at < k->next) k->next = at;
}

/* Rows spread over all of them: about 4 sqrt(n), so that every group of rows has some near it. */
static void meet_first(walk *k, int64_t self) {
    int64_t n = k->job->index->n, starts = 4 * (int64_t)sqrt((double)n);
    if (self >= 0) meet(k, self);
    for (int64_t i = 0; i < starts; i++) meet(k, i * n / starts);
}

static void search_links(const search *job, int64_t place, int64_t self, const float *query,
                         int32_t worker) {
    const cafe_similar *s = job->index;
    walk k = {
        job, query, job->held + worker * job->room, job->seen + worker * s->n, (int32_t)(place + 1),
        0,   0};
    int64_t found = 0;
    meet_first(&k, self);
    while (k.next < k.count) {
        met *from = &k.held[k.next++];
        int64_t u = from->at.node;
        if (from->left) continue;
        from->left = true;
        for (int64_t i = 0; i < s->size[u]; i++) meet(&k, s->links[u * s->width + i]);
    }
    for (int64_t i = 0; i < k.count && found < job->count; i++)
        if (k.held[i].at.node != self) put(job, place, found++, k.held[i].at);
    put_none(job, place, found);
}

static void search_one(void *argument, int64_t task, int32_t worker) {
    search *job = argument;
    const cafe_similar *s = job->index;
    int64_t self = job->self ? job->self[task] : -1;
    float *query = job->query + worker * s->stride;
    if (!take_row(s, job->vectors + task * s->columns, query))
        cafe_lower(&job->bad, task);
    else if (s->width == 0)
        search_all(job, task, self, query, worker);
    else
        search_links(job, task, self, query, worker);
}

/* A walk holds one row more than it returns, because the query's row is among them. */
static cafe_status make_room(search *job) {
    cafe_context *context = job->context;
    const cafe_similar *s = job->index;
    int64_t threads = cafe_threads(context), most = job->count < s->n ? job->count : s->n;
    bool walks = s->width > 0;
    job->room = !walks ? most : s->options.effort > most ? s->options.effort : most + 1;
    job->query = cafe_mem(context, threads * s->stride, sizeof *job->query);
    job->heap = cafe_mem(context, walks ? 0 : threads * job->room, sizeof *job->heap);
    job->held = cafe_mem(context, walks ? threads * job->room : 0, sizeof *job->held);
    job->seen = cafe_mem_zero(context, walks ? threads * s->n : 0, sizeof *job->seen);
    return cafe_mem_had(job->query, job->heap, job->held, job->seen);
}

static cafe_status check_queries(const search *job, int64_t queries) {
    if (queries < 0 || queries >= INT32_MAX || job->count < 1)
        return cafe_fail(job->context, CAFE_ERROR_ARGUMENT, "%lld of %lld queries",
                         (long long)job->count, (long long)queries);
    for (int64_t i = 0; job->self && i < queries; i++)
        if (job->self[i] < -1 || job->self[i] >= job->index->n)
            return cafe_fail(job->context, CAFE_ERROR_ARGUMENT, "row %d of %lld", (int)job->self[i],
                             (long long)job->index->n);
    return CAFE_OK;
}

cafe_status cafe_similar_search(cafe_context *context, const cafe_similar *index, int64_t queries,
                                const float *vectors, const int32_t *self, int64_t count,
                                int32_t *node, double *score) {
    cafe_status status = CAFE_OK;
    search job = {context, index, count, vectors, self, node, score, .bad = INT64_MAX};
    CAFE_TRY(check_queries(&job, queries));
    CAFE_TRY(make_room(&job));
    cafe_phase(context, "similar", 0);
    CAFE_TRY(cafe_parallel(context, queries, search_one, &job));
    if (atomic_load(&job.bad) < INT64_MAX)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "vector %lld: expected numbers from -1e15 to 1e15, found another",
                           (long long)atomic_load(&job.bad)));
    status = cafe_check_cancel(context);
done:
    cafe_phase(context, "", 0);
    cafe_mem_free_all(context, job.query, job.heap, job.held, job.seen);
    return status;
}
