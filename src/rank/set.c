/* The reader of sets: a file with one node name per line. */
#include <stdio.h>
#include <string.h>

#include <cafe/rank.h>

#include "base/memory.h"
#include "io/gzip.h"
#include "io/input.h"

enum { SHOWN = 60 };

/* The line from `at` without blanks around it, and where the next one begins. */
typedef struct line {
    const uint8_t *first, *end, *next;
} line;

static int is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static line take_line(const uint8_t *at, const uint8_t *end) {
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    line l = {at, stop ? stop : end, stop ? stop + 1 : end};
    while (l.first < l.end && is_blank(*l.first)) l.first++;
    while (l.end > l.first && is_blank(l.end[-1])) l.end--;
    return l;
}

static cafe_status unknown(cafe_context *context, const char *path, int64_t number,
                           const char *name) {
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s:%lld: expected the name of a node of the graph, found '%.*s'", path,
                     (long long)number, SHOWN, name);
}

static cafe_status read_names(cafe_context *context, const cafe_graph *graph, const char *path,
                              const cafe_input *input, char *name, uint8_t *member) {
    const uint8_t *at = input->bytes, *end = input->bytes + input->size;
    for (int64_t number = 1; at < end; number++) {
        line l = take_line(at, end);
        size_t length = (size_t)(l.end - l.first);
        at = l.next;
        if (length == 0 || *l.first == '#' || *l.first == '%') continue;
        memcpy(name, l.first, length);
        name[length] = 0;
        int64_t u = strlen(name) == length ? cafe_graph_find(graph, name) : -1;
        if (u < 0) return unknown(context, path, number, name);
        member[u] = 1;
        cafe_status status = cafe_check_cancel(context);
        if (status != CAFE_OK) return status;
    }
    return CAFE_OK;
}

static int64_t longest_line(const cafe_input *input) {
    const uint8_t *at = input->bytes, *end = input->bytes + input->size;
    int64_t longest = 0;
    while (at < end) {
        line l = take_line(at, end);
        if (l.end - l.first > longest) longest = l.end - l.first;
        at = l.next;
    }
    return longest;
}

cafe_status cafe_set_read(cafe_context *context, const cafe_graph *graph, const char *path,
                          uint8_t *member, int64_t *count) {
    cafe_input input;
    char *name = NULL;
    int64_t n = cafe_graph_nodes(graph);
    *count = 0;
    memset(member, 0, (size_t)n);
    cafe_status status = cafe_input_open(context, path, &input);
    if (status != CAFE_OK) return status;
    if (cafe_is_gzip(input.bytes, input.size)) CAFE_TRY(cafe_input_expand(&input));
    name = cafe_mem(context, longest_line(&input) + 1, 1);
    if (!name) status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    CAFE_TRY(read_names(context, graph, path, &input, name, member));
    for (int64_t u = 0; u < n; u++) *count += member[u];
done:
    cafe_mem_free(context, name);
    cafe_input_close(&input);
    return status;
}
