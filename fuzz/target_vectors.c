/* Vectors of a graph's nodes in every format there is, with the names and the report beside them.
 *
 *     how, bytes of the names, bytes of the report, names, report, vectors
 *
 * The first byte chooses the graph's names, and whether it is the ending of a format or attributes.
 * It also says whether the digest of the names in a NumPy array is made right.
 */
#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "folder.h"
#include "fuzz.h"
#include "io/gzip.h"

enum { NODES = 4, RIGHT = 1, ATTRIBUTES = 2 };

static cafe_graph *named_graph(int kind) {
    static const int32_t source[] = {0, 1, 2}, target[] = {1, 2, 3};
    static const char *const names[][NODES] = {{"10", "20", "-3", "7"}, {"a", "b", "c d", "e\tf"}};
    cafe_graph *graph = NULL;
    if (cafe_graph_from_edges(fuzz_context(), NODES, 3, source, target, NULL, NULL, &graph) !=
        CAFE_OK)
        abort();
    if (kind < 2 && cafe_graph_set_names(fuzz_context(), graph, names[kind]) != CAFE_OK) abort();
    return graph;
}

/* "v" and the ending number `index` of all formats, read and written. */
static void choose_name(int64_t index, char *name, size_t room) {
    int64_t count = 0;
    while (cafe_file_format_at(CAFE_FILE_VECTORS, count)) count++;
    const cafe_file_format *format = cafe_file_format_at(CAFE_FILE_VECTORS, index % count);
    snprintf(name, room, "v%.*s", (int)strcspn(format->endings, " "), format->endings);
}

/* Behind "# names " in the heading stands the digest of the file of names. */
static void set_digest(uint8_t *bytes, size_t size, const uint8_t *names, size_t length) {
    static const char mark[] = "# names ";
    char digits[17];
    uint8_t *at = memmem(bytes, size, mark, sizeof mark - 1);
    if (!at || bytes + size - at < (int64_t)sizeof mark - 1 + 16) return;
    snprintf(digits, sizeof digits, "%016llx",
             (unsigned long long)cafe_crc64(0, names, (int64_t)length));
    memcpy(at + sizeof mark - 1, digits, 16);
}

static void put_file(const char *name, const void *bytes, size_t size) {
    int file = fuzz_folder_put(name, bytes, size);
    if (file < 0) abort();
    close(file);
}

static void read_vectors(uint8_t how, const char *name) {
    cafe_context *context = fuzz_context();
    cafe_graph *graph = named_graph(how >> 2 & 3);
    int64_t bytes = cafe_bytes(context), columns = 0;
    float *vectors = NULL;
    char made[CAFE_VECTORS_MADE] = "";
    int32_t sampling;
    double x;
    const char *path = fuzz_folder_path(name);
    cafe_status status = how & ATTRIBUTES
                             ? cafe_attributes_read(context, graph, path, &columns, &vectors)
                             : cafe_vectors_read(context, graph, path, &columns, &vectors, made);
    cafe_sampling_made(made, &sampling, &x);
    if (!memchr(made, 0, sizeof made) || !(x >= 0 && x <= 0.5)) abort();
    if ((status == CAFE_OK) != (vectors != NULL)) abort();
    for (int64_t i = 0; vectors && i < NODES * columns; i++)
        if (!(vectors[i] - vectors[i] == 0)) abort();
    cafe_block_free(context, vectors);
    fuzz_check(status, bytes);
    cafe_graph_free(graph);
}

static void read_report(const char *name) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context), count = 0;
    cafe_record *record = NULL;
    cafe_status status = cafe_record_read(context, fuzz_folder_path(name), &record);
    if (record && (!cafe_record_objective(record, &count) || count < 0)) abort();
    cafe_record_free(record);
    fuzz_check(status, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    char name[32], beside[64];
    uint8_t how = data[0];
    const uint8_t *names = data + 3;
    size_t left = size - 3, length = data[1] < left ? data[1] : left;
    const uint8_t *report = names + length;
    size_t report_size = data[2] < left - length ? data[2] : left - length;
    size_t rest = left - length - report_size;
    uint8_t *vectors = malloc(rest + 1);
    if (!vectors) return 0;
    memcpy(vectors, report + report_size, rest);
    if (how & RIGHT) set_digest(vectors, rest, names, length);
    choose_name(how >> 4, name, sizeof name);
    put_file(name, vectors, rest);
    snprintf(beside, sizeof beside, "%s.names.txt", name);
    if (length > 0) put_file(beside, names, length);
    put_file("v.json", report, report_size);
    read_vectors(how, name);
    read_report("v.json");
    fuzz_folder_clear();
    free(vectors);
    return 0;
}
