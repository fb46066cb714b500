/* Labels of nodes: pairs of node and class, then each node's classes one after the other. */
#include "io/label_set.h"

#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/dictionary.h"

typedef struct pair {
    int32_t node, class;
    float weight;
} pair;

struct cafe_labels {
    cafe_context *context;
    int64_t n, labelled, multiple;
    pair *pairs; /* as they were added */
    int64_t used, room;
    int64_t *first;        /* of each node: its first entry of `of`; n + 1 of them */
    int32_t *count;        /* of each node, without repeated ones */
    int32_t *of;           /* classes, a node's one after the other */
    bool weighted;         /* labels have weights: */
    float *weight;         /* of `of`, only then */
    cafe_dictionary names; /* of the classes, by first appearance */
    int32_t *order;        /* of each class: its number among the names */
    char *reading;         /* of the file */
};

cafe_status cafe_labels_begin(cafe_context *context, int64_t nodes, cafe_labels **labels) {
    cafe_labels *l = *labels = cafe_mem_zero(context, 1, sizeof *l);
    if (!l) return CAFE_ERROR_MEMORY;
    l->context = l->names.context = context;
    l->n = nodes;
    return CAFE_OK;
}

void cafe_labels_free(cafe_labels *labels) {
    if (!labels) return;
    cafe_mem_free_all(labels->context, labels->pairs, labels->first, labels->count, labels->of,
                      labels->weight, labels->order, labels->reading);
    cafe_dictionary_free(&labels->names);
    cafe_mem_free(labels->context, labels);
}

static cafe_status add_pair(cafe_labels *l, int64_t node, int64_t class) {
    CAFE_PASS(cafe_mem_grow(l->context, &l->pairs, &l->room, l->used + 1, sizeof *l->pairs));
    l->pairs[l->used++] = (pair){(int32_t)node, (int32_t) class, 1};
    return CAFE_OK;
}

void cafe_labels_weigh(cafe_labels *l, int64_t from, float weight) {
    for (int64_t i = from; i < l->used; i++) l->pairs[i].weight = weight;
    if (weight == 0) l->used = from;
    l->weighted = true;
}

int64_t cafe_labels_added(const cafe_labels *l) {
    return l->used;
}

cafe_status cafe_labels_add(cafe_labels *l, int64_t node, const char *name, int64_t length) {
    int64_t class = 0;
    CAFE_PASS(cafe_dictionary_add(&l->names, name, length, &class));
    return add_pair(l, node, class);
}

cafe_status cafe_labels_add_list(cafe_labels *l, int64_t node, const char *names, int64_t length,
                                 char list) {
    const char *end = names + length;
    for (const char *at = names; at < end;) {
        const char *next = list ? memchr(at, list, (size_t)(end - at)) : NULL;
        const char *stop = next ? next : end, *last = stop;
        while (list && at < last && *at == ' ') at++;
        while (list && at < last && last[-1] == ' ') last--;
        if (at < last) CAFE_PASS(cafe_labels_add(l, node, at, last - at));
        at = stop + 1;
    }
    return CAFE_OK;
}

/* ---- numbering ------------------------------------------------------------------------------- */

typedef struct numbered {
    int64_t value;
    int32_t class;
} numbered;

static int by_value(const void *a, const void *b) {
    int64_t x = ((const numbered *)a)->value, y = ((const numbered *)b)->value;
    return (x > y) - (x < y);
}

static bool integers(const cafe_dictionary *names, numbered *list) {
    for (int64_t c = 0; c < names->count; c++) {
        char *end;
        list[c] = (numbered){strtoll(cafe_dictionary_text(names, c), &end, 10), (int32_t)c};
        if (*end != 0) return false;
    }
    return true;
}

/* Classes that are all integers are put in their order. */
static cafe_status number_classes(cafe_labels *l, bool sorted) {
    int64_t classes = l->names.count;
    numbered *list = cafe_mem(l->context, classes, sizeof *list);
    int32_t *place = cafe_mem(l->context, classes, sizeof *place);
    l->order = cafe_mem(l->context, classes, sizeof *l->order);
    cafe_status status = cafe_mem_had(list, place, l->order);
    for (int64_t c = 0; c < classes && status == CAFE_OK; c++) l->order[c] = (int32_t)c;
    if (status == CAFE_OK && sorted && integers(&l->names, list)) {
        qsort(list, (size_t)classes, sizeof *list, by_value);
        for (int64_t c = 0; c < classes; c++) {
            place[list[c].class] = (int32_t)c;
            l->order[c] = list[c].class;
        }
        for (int64_t i = 0; i < l->used; i++) l->pairs[i].class = place[l->pairs[i].class];
    }
    cafe_mem_free_all(l->context, list, place);
    return status;
}

/* The pairs by node, in the order in which they were added, each class of a node once. */
static cafe_status settle(cafe_labels *l) {
    int64_t *met = cafe_mem_zero(l->context, l->names.count, sizeof *met); /* by node u: u + 1 */
    l->first = cafe_mem_zero(l->context, l->n + 1, sizeof *l->first);
    l->count = cafe_mem_zero(l->context, l->n, sizeof *l->count);
    l->of = cafe_mem(l->context, l->used, sizeof *l->of);
    if (l->weighted) l->weight = cafe_mem(l->context, l->used, sizeof *l->weight);
    cafe_status status = cafe_mem_had(met, l->first, l->count, l->of);
    if (l->weighted && !l->weight) status = CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) {
        for (int64_t i = 0; i < l->used; i++) l->first[l->pairs[i].node + 1]++;
        for (int64_t u = 0; u < l->n; u++) l->first[u + 1] += l->first[u];
        for (int64_t i = 0; i < l->used; i++) {
            int32_t u = l->pairs[i].node;
            int64_t at = l->first[u] + l->count[u]++;
            l->of[at] = l->pairs[i].class;
            if (l->weight) l->weight[at] = l->pairs[i].weight;
        }
        for (int64_t u = 0; u < l->n; u++) {
            int32_t *of = l->of + l->first[u], kept = 0;
            for (int32_t i = 0; i < l->count[u]; i++) {
                if (met[of[i]] == u + 1) continue;
                met[of[i]] = u + 1;
                if (l->weight) l->weight[l->first[u] + kept] = l->weight[l->first[u] + i];
                of[kept++] = of[i];
            }
            l->count[u] = kept;
            l->labelled += kept > 0;
            l->multiple += kept > 1;
        }
    }
    cafe_mem_free_all(l->context, met, l->pairs);
    l->pairs = NULL;
    return status;
}

cafe_status cafe_labels_end(cafe_labels *l, const char *reading) {
    l->reading = cafe_mem_text(l->context, reading);
    if (!l->reading) return CAFE_ERROR_MEMORY;
    CAFE_PASS(number_classes(l, true));
    return settle(l);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static cafe_status name_classes(cafe_labels *l, int64_t classes, const char *const *names) {
    cafe_status status = CAFE_OK;
    for (int64_t c = 0; c < classes && status == CAFE_OK; c++) {
        char digits[24];
        int64_t number = c;
        cafe_print(digits, sizeof digits, "%lld", (long long)c);
        const char *name = names ? names[c] : digits;
        status = cafe_dictionary_add(&l->names, name, (int64_t)strlen(name), &number);
        if (status == CAFE_OK && number != c)
            status = cafe_fail(l->context, CAFE_ERROR_ARGUMENT,
                               "classes %lld and %lld have the same name '%.100s'",
                               (long long)number, (long long)c, name);
    }
    return status;
}

static cafe_status add_node(cafe_labels *l, int64_t classes, int64_t node, const int32_t *label,
                            int64_t count) {
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < count && status == CAFE_OK; i++) {
        if (label[i] < 0 || label[i] >= classes)
            return cafe_fail(l->context, CAFE_ERROR_ARGUMENT, "node %lld is of class %d of %lld",
                             (long long)node, (int)label[i], (long long)classes);
        status = add_pair(l, node, label[i]);
    }
    return status;
}

cafe_status cafe_labels_from_arrays(cafe_context *context, int64_t nodes, const int64_t *offsets,
                                    const int32_t *label, int64_t classes, const char *const *names,
                                    cafe_labels **labels) {
    cafe_status status = CAFE_OK;
    cafe_labels *l = NULL;
    *labels = NULL;
    if (nodes < 0 || classes < 1 || classes > INT32_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld classes of %lld nodes",
                         (long long)classes, (long long)nodes);
    CAFE_TRY(cafe_labels_begin(context, nodes, &l));
    CAFE_TRY(name_classes(l, classes, names));
    for (int64_t u = 0; u < nodes; u++) {
        int64_t first = offsets ? offsets[u] : u, end = offsets ? offsets[u + 1] : u + 1;
        if (!offsets && label[u] == -1) continue;
        if (end < first)
            CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld: its offsets descend",
                               (long long)u));
        CAFE_TRY(add_node(l, classes, u, label + first, end - first));
    }
    l->reading = cafe_mem_text(context, "");
    CAFE_TRY(cafe_mem_had(l->reading));
    CAFE_TRY(number_classes(l, false));
    CAFE_TRY(settle(l));
    *labels = l;
    l = NULL;
done:
    cafe_labels_free(l);
    return status;
}

/* ---- what is asked --------------------------------------------------------------------------- */

int64_t cafe_labels_classes(const cafe_labels *labels) {
    return labels->names.count;
}

const char *cafe_labels_class_name(const cafe_labels *labels, int64_t index) {
    return cafe_dictionary_text(&labels->names, labels->order[index]);
}

int64_t cafe_labels_labelled(const cafe_labels *labels) {
    return labels->labelled;
}

const char *cafe_labels_reading(const cafe_labels *labels) {
    return labels->reading;
}

int64_t cafe_labels_multiple(const cafe_labels *labels) {
    return labels->multiple;
}

int64_t cafe_labels_of(const cafe_labels *labels, int64_t node, const int32_t **classes) {
    *classes = labels->of + labels->first[node];
    return labels->count[node];
}

/* The class of the largest weight; -1: several have it, as without weights. */
static int32_t heaviest(const cafe_labels *l, int64_t node) {
    int64_t first = l->first[node], best = first, ties = 1;
    for (int64_t i = first + 1; l->weight && i < first + l->count[node]; i++) {
        ties += l->weight[i] == l->weight[best];
        if (l->weight[i] > l->weight[best]) best = i, ties = 1;
    }
    return l->weight && ties == 1 ? l->of[best] : -1;
}

cafe_status cafe_labels_single(cafe_context *context, const cafe_labels *labels, int32_t *label) {
    for (int64_t u = 0; u < labels->n; u++) {
        label[u] = labels->count[u] == 1 ? labels->of[labels->first[u]] : -1;
        if (labels->count[u] > 1) label[u] = heaviest(labels, u);
        if (labels->count[u] > 1 && label[u] < 0)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "%lld %s several labels (node number %lld is the first%s); this "
                             "method takes one label a node",
                             (long long)labels->multiple,
                             labels->multiple == 1 ? "node has" : "nodes have", (long long)u,
                             labels->weight ? " of which several have the largest weight" : "");
    }
    return CAFE_OK;
}
