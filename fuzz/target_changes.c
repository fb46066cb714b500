/* Files of changes and of new nodes' links, for graphs whose names are indices, integers or words,
 * with weights or without.
 *
 * The first byte chooses the graph; the rest is the file.
 */
#include <cafe-private/writers.h>

#include "fuzz.h"

enum { NODES = 5, LINKS = 6, WEIGHTED = 1 };

static cafe_graph *old_graph(uint8_t how) {
    static const int32_t source[LINKS] = {0, 1, 2, 3, 0, 0}, target[LINKS] = {1, 2, 3, 4, 4, 2};
    static const float weights[LINKS] = {1, 2, 0.5f, 1e6f, 1, 3};
    static const char *const names[][NODES] = {{"10", "20", "-3", "7", "40"},
                                               {"a", "b", "+", "Anna Maria", "c,d"}};
    cafe_graph *graph = NULL;
    if (cafe_graph_from_edges(fuzz_context(), NODES, LINKS, source, target,
                              how & WEIGHTED ? weights : NULL, NULL, &graph) != CAFE_OK)
        abort();
    int kind = how >> 2 & 3;
    if (kind < 2 && cafe_graph_set_names(fuzz_context(), graph, names[kind]) != CAFE_OK) abort();
    return graph;
}

/* Every old node is in the new graph once; edges and nodes add up. */
static void look_at_changes(const cafe_graph *old, cafe_changes *changes) {
    const cafe_changes_report *c = cafe_changes_get(changes);
    const cafe_graph *graph = cafe_changes_graph(changes);
    const int32_t *origin = c->origin;
    int met[NODES] = {0}, old_nodes = 0;
    if (!graph) return; /* weights that do not go together */
    fuzz_look(graph);
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        if (origin[u] < -1 || origin[u] >= NODES) abort();
        if (origin[u] < 0) continue;
        char before[64], after[64];
        cafe_graph_name(old, origin[u], before, sizeof before);
        cafe_graph_name(graph, u, after, sizeof after);
        if (met[origin[u]]++ || strcmp(before, after) != 0) abort();
        old_nodes++;
    }
    if (old_nodes != NODES || cafe_graph_nodes(graph) != NODES + c->new_nodes) abort();
    if (cafe_graph_get_counts(graph)->edges != LINKS + c->added - c->removed) abort();
}

static void read_changes(const cafe_graph *old, const char *path) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context);
    cafe_changes *changes = NULL;
    cafe_status status = cafe_changes_read(context, old, path, &changes);
    if (status == CAFE_OK) look_at_changes(old, changes);
    cafe_changes_free(changes);
    fuzz_check(status, bytes);
}

static void read_links(const cafe_graph *old, const char *path) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context);
    cafe_new_links *links = NULL;
    cafe_status status = cafe_new_links_read(context, old, path, &links);
    if (links && (cafe_new_links_nodes(links) < 1 ||
                  cafe_new_links_nodes(links) > cafe_new_links_count(links)))
        abort();
    cafe_new_links_free(links);
    fuzz_check(status, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context);
    cafe_graph *old = old_graph(data[0]);
    const char *path = fuzz_file(data + 1, size - 1);
    read_changes(old, path);
    read_links(old, path);
    cafe_graph_free(old);
    fuzz_check(CAFE_OK, bytes);
    return 0;
}
