/* Classes of nodes in compressed rows, ascending within a node. */
#include <cafe/evaluate.h>

#include "base/memory.h"
#include "evaluate/trials.h"

static void sort_short(int32_t *list, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        int32_t x = list[i];
        int64_t j = i;
        for (; j > 0 && list[j - 1] > x; j--) list[j] = list[j - 1];
        list[j] = x;
    }
}

static cafe_status new_targets(cafe_context *context, int64_t nodes, int64_t classes,
                               int64_t entries, int64_t **offsets, int32_t **value,
                               cafe_targets *t) {
    *offsets = cafe_mem_zero(context, nodes + 1, sizeof **offsets);
    *value = cafe_mem(context, entries, sizeof **value);
    *t = (cafe_targets){nodes, classes, *offsets, *value};
    if (t->offsets && t->value) return CAFE_OK;
    cafe_targets_free(context, t);
    return CAFE_ERROR_MEMORY;
}

cafe_status cafe_targets_from_labels(cafe_context *context, int64_t nodes,
                                     const cafe_labels *labels, cafe_targets *targets) {
    const int32_t *of;
    int64_t entries = 0, *offsets;
    int32_t *value;
    for (int64_t u = 0; u < nodes; u++) entries += cafe_labels_of(labels, u, &of);
    CAFE_PASS(new_targets(context, nodes, cafe_labels_classes(labels), entries, &offsets, &value,
                          targets));
    for (int64_t u = 0; u < nodes; u++) {
        int64_t count = cafe_labels_of(labels, u, &of);
        for (int64_t i = 0; i < count; i++) value[offsets[u] + i] = of[i];
        sort_short(value + offsets[u], count);
        offsets[u + 1] = offsets[u] + count;
    }
    return CAFE_OK;
}

cafe_status cafe_targets_from_array(cafe_context *context, int64_t nodes, int64_t classes,
                                    const int32_t *label, cafe_targets *targets) {
    int64_t entries = 0, *offsets;
    int32_t *value;
    *targets = (cafe_targets){0};
    for (int64_t u = 0; u < nodes; u++) {
        if (label[u] >= classes)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld has class %d of %lld",
                             (long long)u, label[u], (long long)classes);
        entries += label[u] >= 0;
    }
    CAFE_PASS(new_targets(context, nodes, classes, entries, &offsets, &value, targets));
    for (int64_t u = 0; u < nodes; u++) {
        offsets[u + 1] = offsets[u] + (label[u] >= 0);
        if (label[u] >= 0) value[offsets[u]] = label[u];
    }
    return CAFE_OK;
}

void cafe_targets_free(cafe_context *context, cafe_targets *targets) {
    cafe_mem_free_all(context, targets->offsets, targets->value);
    *targets = (cafe_targets){0};
}
