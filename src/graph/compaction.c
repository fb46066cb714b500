/* Closes the gaps between spans of an array.
 *
 * If many entries are gone, the rest is copied to an array of its size. Otherwise the spans move
 * down in place. For parallel moves they form groups. The first entries of a group, as many as are
 * gone before it, land in the group before; they are put aside until that group has moved. The
 * number of groups keeps the memory for these entries small.
 */
#include "graph/compaction.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { SPARE = 8, MOST_GROUPS = 64 }; /* the part of an array that may stay unused */

typedef struct closing {
    cafe_context *context;
    const cafe_span *spans;
    int64_t count, groups;
    uint32_t *array, *copy; /* bits of whatever the entries are */
    uint32_t *aside;
    int64_t heads[MOST_GROUPS + 1]; /* group g has entries heads[g] .. heads[g+1] - 1 aside */
} closing;

int64_t cafe_plan_spans(cafe_span *spans, int64_t count) {
    int64_t sum = 0;
    for (cafe_span *s = spans; s < spans + count; s++) {
        s->to = sum;
        sum += s->length;
    }
    return sum;
}

/* ---- many went ------------------------------------------------------------------------------- */

static void copy_span(void *argument, int64_t task) {
    closing *c = argument;
    const cafe_span *s = &c->spans[task];
    memcpy(c->copy + s->to, c->array + s->begin, (size_t)s->length * sizeof *c->copy);
}

static cafe_status copy_spans(closing *c, int64_t after, void **array) {
    cafe_status status = CAFE_ERROR_MEMORY;
    c->copy = cafe_mem(c->context, after, sizeof *c->copy);
    if (!c->copy) goto done;
    CAFE_TRY(cafe_each(c->context, c->count, copy_span, c));
    cafe_mem_free(c->context, *array);
    *array = c->copy;
    c->copy = NULL;
done:
    cafe_mem_free(c->context, c->copy);
    return status;
}

/* ---- few went -------------------------------------------------------------------------------- */

static const cafe_span *group_begin(const closing *c, int64_t g) {
    return c->spans + c->count * g / c->groups;
}

/* Puts the head of a group aside and moves its other entries, none of which leaves the group. */
static void slide_group(void *argument, int64_t g) {
    closing *c = argument;
    uint32_t *aside = c->aside + c->heads[g];
    int64_t left = c->heads[g + 1] - c->heads[g];
    for (const cafe_span *s = group_begin(c, g); s < group_begin(c, g + 1); s++) {
        if (atomic_load_explicit(&c->context->cancelled, memory_order_relaxed)) return;
        int64_t head = left < s->length ? left : s->length;
        memcpy(aside, c->array + s->begin, (size_t)head * sizeof *aside);
        memmove(c->array + s->to + head, c->array + s->begin + head,
                (size_t)(s->length - head) * sizeof *aside);
        aside += head;
        left -= head;
    }
}

static void place_head(void *argument, int64_t g) {
    closing *c = argument;
    size_t head = (size_t)(c->heads[g + 1] - c->heads[g]);
    if (head == 0) return;
    memcpy(c->array + group_begin(c, g)->to, c->aside + c->heads[g], head * sizeof *c->aside);
}

/* No group puts more than `gone` entries aside; the number of groups keeps their total within
 * `spare`. */
static void plan_groups(closing *c, int64_t gone, int64_t spare) {
    c->groups = spare / gone < MOST_GROUPS ? spare / gone : MOST_GROUPS;
    if (c->groups > c->count) c->groups = c->count;
    if (c->groups < 1) c->groups = 1;
    for (int64_t g = 0; g < c->groups; g++) {
        const cafe_span *first = group_begin(c, g), *last = group_begin(c, g + 1) - 1;
        int64_t down = first->begin - first->to, length = last->to + last->length - first->to;
        c->heads[g + 1] = c->heads[g] + (down < length ? down : length);
    }
}

static cafe_status slide_spans(closing *c, int64_t gone, int64_t spare) {
    cafe_status status = CAFE_ERROR_MEMORY;
    plan_groups(c, gone, spare);
    c->aside = cafe_mem(c->context, c->heads[c->groups], sizeof *c->aside);
    if (!c->aside) goto done;
    CAFE_TRY(cafe_each(c->context, c->groups, slide_group, c));
    CAFE_TRY(cafe_each(c->context, c->groups, place_head, c));
done:
    cafe_mem_free(c->context, c->aside);
    return status;
}

cafe_status cafe_close_gaps(cafe_context *context, const cafe_span *spans, int64_t count,
                            int64_t before, void **array) {
    closing c = {.context = context, .spans = spans, .count = count, .array = *array};
    int64_t after = count > 0 ? spans[count - 1].to + spans[count - 1].length : 0;
    int64_t gone = before - after;
    if (gone == 0) return CAFE_OK;
    if (gone > before / SPARE) return copy_spans(&c, after, array);
    return slide_spans(&c, gone, before / SPARE);
}
