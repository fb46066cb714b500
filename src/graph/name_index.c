/* Names of nodes, and nodes by name.
 *
 * Integer names ascend with the node, so they are found by bisection. String names are found
 * through a hash table of node ids (open addressing, linear probing, at most half full), which
 * the first look-up builds. Several threads may look up at once: each that finds no table builds
 * one, the first to publish it wins and the others free theirs. Without memory for a table the
 * names are compared one by one.
 */
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "graph/text_hash.h"

void cafe_graph_adopt_names(cafe_graph *graph, cafe_names names) {
    graph->names = names;
    graph->owns_names = true;
}

const cafe_names *cafe_graph_node_names(const cafe_graph *graph) {
    return &graph->names;
}

int32_t cafe_graph_names_are_indices(const cafe_graph *graph) {
    return graph->names.kind == CAFE_NAMES_INDEX;
}

static size_t string_name(const cafe_names *names, int64_t node, char *text, size_t capacity) {
    size_t length = (size_t)(names->start[node + 1] - names->start[node]);
    if (capacity > 0) {
        size_t copied = length < capacity ? length : capacity - 1;
        memcpy(text, names->text + names->start[node], copied);
        text[copied] = 0;
    }
    return length;
}

/* Digits by hand: millions of names are written one by one. */
static size_t integer_name(int64_t number, char *text, size_t capacity) {
    char digits[20]; /* from the last one on */
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t count = 0, sign = number < 0, at = 0;
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (sign && at + 1 < capacity) text[at++] = '-';
    for (size_t i = count; i > 0 && at + 1 < capacity; i--) text[at++] = digits[i - 1];
    if (capacity > 0) text[at] = 0;
    return sign + count;
}

size_t cafe_names_get(const cafe_names *names, int64_t i, char *text, size_t capacity) {
    if (names->kind == CAFE_NAMES_STRING) return string_name(names, i, text, capacity);
    int64_t number = names->kind == CAFE_NAMES_INTEGER ? names->integers[i] : i;
    return integer_name(number, text, capacity);
}

size_t cafe_graph_name(const cafe_graph *graph, int64_t node, char *text, size_t capacity) {
    return cafe_names_get(&graph->names, node, text, capacity);
}

void cafe_names_free(cafe_context *context, cafe_names *names) {
    cafe_mem_free_all(context, names->integers, names->start, names->text);
    *names = (cafe_names){.kind = CAFE_NAMES_INDEX};
}

/* Parses decimal digits with an optional minus and nothing else; false if the number is no int64.
 */
static bool parse_integer(const char *name, int64_t *number) {
    bool negative = *name == '-';
    uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;
    const char *digit = name + negative;
    if (*digit == 0) return false;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9') return false;
        uint64_t d = (uint64_t)(*digit - '0');
        if (value > (most - d) / 10) return false;
        value = value * 10 + d;
    }
    *number = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

static int64_t find_integer(const cafe_graph *graph, const char *name) {
    int64_t number, low = 0, high = graph->n;
    if (!parse_integer(name, &number)) return -1;
    if (graph->names.kind == CAFE_NAMES_INDEX)
        return number >= 0 && number < graph->n ? number : -1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (graph->names.integers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->n && graph->names.integers[low] == number ? low : -1;
}

static bool has_name(const cafe_graph *graph, int64_t node, const char *name, size_t length) {
    const int64_t *start = graph->names.start;
    return (size_t)(start[node + 1] - start[node]) == length &&
           memcmp(graph->names.text + start[node], name, length) == 0;
}

/* The table: its mask (a power of two less one) first, then mask + 1 slots, node or -1. */
static int64_t *build_index(const cafe_graph *graph) {
    const int64_t *start = graph->names.start;
    int64_t slots = 8;
    while (slots < 2 * graph->n) slots *= 2;
    int64_t *index = cafe_mem(graph->context, slots + 1, sizeof *index);
    if (!index) return NULL;
    memset(index, 0xFF, (size_t)(slots + 1) * sizeof *index);
    index[0] = slots - 1;
    for (int64_t u = 0; u < graph->n; u++) {
        uint64_t at = cafe_hash_text(graph->names.text + start[u], start[u + 1] - start[u]);
        while (index[1 + (int64_t)(at & (uint64_t)index[0])] >= 0) at++;
        index[1 + (int64_t)(at & (uint64_t)index[0])] = u;
    }
    return index;
}

/* The published table, building it on first use; NULL without memory. */
static const int64_t *index_of(const cafe_graph *graph) {
    int64_t *index = atomic_load(graph->lazy), *other = NULL;
    if (index) return index;
    index = build_index(graph);
    if (index && !atomic_compare_exchange_strong(graph->lazy, &other, index)) {
        cafe_mem_free(graph->context, index);
        index = other;
    }
    return index;
}

static int64_t scan(const cafe_graph *graph, const char *name, size_t length) {
    for (int64_t u = 0; u < graph->n; u++)
        if (has_name(graph, u, name, length)) return u;
    return -1;
}

int64_t cafe_graph_find(const cafe_graph *graph, const char *name) {
    if (graph->names.kind != CAFE_NAMES_STRING) return find_integer(graph, name);
    size_t length = strlen(name);
    const int64_t *index = index_of(graph);
    if (!index) return scan(graph, name, length);
    for (uint64_t at = cafe_hash_text(name, (int64_t)length);; at++) {
        int64_t node = index[1 + (int64_t)(at & (uint64_t)index[0])];
        if (node < 0 || has_name(graph, node, name, length)) return node;
    }
}
