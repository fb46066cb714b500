/* Groups numbered by size: the largest is 0, and of equal ones the one numbered first before. */
#include <stdlib.h>

#include "base/memory.h"
#include "graph/pooling.h"

typedef struct sized {
    int64_t size;
    int32_t group;
} sized;

static int larger_first(const void *a, const void *b) {
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

cafe_status cafe_groups_by_size(cafe_context *context, int64_t n, int32_t *group, int64_t count) {
    cafe_status status = CAFE_OK;
    sized *groups = cafe_mem(context, count, sizeof *groups);
    int32_t *number = cafe_mem(context, count, sizeof *number);
    CAFE_TRY(cafe_mem_had(groups, number));
    for (int64_t i = 0; i < count; i++) groups[i] = (sized){0, (int32_t)i};
    for (int64_t u = 0; u < n; u++) groups[group[u]].size++;
    qsort(groups, (size_t)count, sizeof *groups, larger_first);
    for (int64_t i = 0; i < count; i++) number[groups[i].group] = (int32_t)i;
    for (int64_t u = 0; u < n; u++) group[u] = number[group[u]];
done:
    cafe_mem_free_all(context, groups, number);
    return status;
}
