/* Label files: nodes that only they name, then the labels themselves, on graphs whose names are
 * indices and on graphs whose names are words. The same bytes are also read as a table of facts.
 */
#include <cafe-private/inputs.h>

#include "fuzz.h"

#include "io/facts.h"

static cafe_graph *small_graph(int words) {
    static const int32_t source[] = {0, 1}, target[] = {1, 2};
    static const char *const names[] = {"a", "b", "c"};
    cafe_context *context = fuzz_context();
    cafe_graph *graph = NULL;
    if (cafe_graph_from_edges(context, 3, 2, source, target, NULL, NULL, &graph) != CAFE_OK)
        abort();
    if (words && cafe_graph_set_names(context, graph, names) != CAFE_OK) abort();
    return graph;
}

static void read_facts(const char *path, int words) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context), skipped = 0;
    cafe_graph *graph = small_graph(words);
    cafe_facts *facts = NULL;
    cafe_status status = cafe_facts_read(context, graph, path, &facts, &skipped);
    for (int64_t j = 0; facts && j < cafe_facts_columns(facts); j++)
        for (int64_t u = 0; u < cafe_graph_nodes(graph); u++)
            if (cafe_facts_of(facts, j, u) >= cafe_facts_words(facts, j) ||
                !cafe_facts_text(facts, j, u) || !cafe_facts_name(facts, j))
                abort();
    cafe_facts_free(facts);
    cafe_graph_free(graph);
    fuzz_check(status, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context), added = 0;
    const char *path = fuzz_file(data, size);
    cafe_graph *graph = small_graph(size > 0 && (data[size - 1] & 1));
    cafe_labels *labels = NULL;
    cafe_status status = cafe_graph_add_labelled(context, path, NULL, &graph, &added);
    if (status == CAFE_OK) fuzz_look(graph);
    if (status == CAFE_OK) status = cafe_labels_read(context, graph, path, NULL, NULL, &labels);
    for (int64_t u = 0; labels && u < cafe_graph_nodes(graph); u++) {
        const int32_t *classes;
        int64_t count = cafe_labels_of(labels, u, &classes);
        for (int64_t i = 0; i < count; i++)
            if (classes[i] < 0 || classes[i] >= cafe_labels_classes(labels)) abort();
    }
    cafe_labels_free(labels);
    cafe_graph_free(graph);
    fuzz_check(status, bytes);
    read_facts(path, size > 0 && (data[size - 1] & 1));
    return 0;
}
