/* .cafe files, and whatever can be done with the graph that one holds.
 *
 * The first byte says how the file is read, the second how long the program behind it is that runs
 * on the graph (world.h); then comes the file. Its checksums are made right first, where there is a
 * header, so that the checks of the structure behind them are reached, unless the first byte asks
 * to leave them.
 */
#include "fuzz.h"
#include "world.h"

#include "io/binary.h"

enum { TRUST = 1, LEAVE = 2, LOOPS = 4, MOST_CALLS = 3 };

static void seal(cafe_context *context, uint8_t *bytes, size_t size) {
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const uint8_t *parts[CAFE_BINARY_SECTIONS];
    uint64_t total;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    if (cafe_binary_layout(&header, sections, &total) && total == size) {
        for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) parts[i] = bytes + sections[i].start;
        header.file_bytes = total;
        cafe_binary_checksum(context, sections, parts, false, &header.body);
    }
    header.header = cafe_binary_header_checksum(&header);
    memcpy(bytes, &header, sizeof header);
}

static void read_and_run(fuzz_world *w, uint8_t how, const uint8_t *bytes, size_t size) {
    cafe_graph_options options;
    cafe_graph *graph = NULL;
    cafe_graph_options_init(&options);
    options.format = CAFE_FORMAT_CAFE;
    options.trust = (how & TRUST) != 0;
    options.self_loops = (how & LOOPS) != 0;
    cafe_input input = {
        .context = w->context, .name = "x.cafe", .bytes = bytes, .size = (int64_t)size};
    cafe_status status = cafe_graph_read_input(&input, &options, &graph);
    fuzz_require(status == CAFE_OK || status == CAFE_ERROR_FORMAT || status == CAFE_ERROR_MEMORY);
    if (!fuzz_ok(w, status)) return;
    if (!options.trust) fuzz_look(graph);
    if (cafe_graph_nodes(graph) > FUZZ_NODES) {
        cafe_graph_free(graph);
        return;
    }
    fuzz_keep(w, FUZZ_GRAPH, graph, NULL, cafe_graph_nodes(graph));
    fuzz_run(w, MOST_CALLS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    uint8_t how = data[0];
    size_t program = data[1] < size - 2 ? data[1] : size - 2, file = size - 2 - program;
    uint8_t *bytes = malloc(file > 0 ? file : 1); /* its end is the end of what may be read */
    if (!bytes) return 0;
    memcpy(bytes, data + 2 + program, file);
    fuzz_world *w = fuzz_begin(data + 2, program);
    w->trusted = how & TRUST;
    if (!(how & LEAVE)) seal(w->context, bytes, file);
    read_and_run(w, how, bytes, file);
    fuzz_end(w);
    free(bytes);
    return 0;
}
