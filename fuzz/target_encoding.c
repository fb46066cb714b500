/* Text as UTF-16 and UTF-32, of either order of bytes, and as UTF-8 with a mark, for every reader
 * of text. UTF-16 with a mark is read as UTF-8 is; other wide text is refused, never misread; a
 * mark before UTF-8 changes nothing.
 *
 * The first byte says how the bytes behind it, which are characters up to U+00FF, are written and
 * who reads them.
 */
#include <cafe-private/inputs.h>

#include "fuzz.h"
#include "io/table.h"
#include "io/text_position.h"
#include "io/zstd_xz.h"

typedef enum encoding { UTF16LE, UTF16BE, UTF32LE, UTF32BE, UTF8, ENCODINGS } encoding;
enum { GRAPH, GUESSED, TABLE, LABELS, FACTS, CHANGES, READERS, MARK = ENCODINGS * READERS };

typedef struct text {
    uint8_t *bytes;
    size_t size;
} text;

static void put_character(text *t, encoding e, uint32_t c) {
    int width = e <= UTF16BE ? 2 : 4;
    bool big = e == UTF16BE || e == UTF32BE;
    for (int i = 0; i < width; i++)
        t->bytes[t->size++] = (uint8_t)(c >> 8 * (big ? width - 1 - i : i));
}

/* The characters; of UTF-8 the bytes as they are, so that broken ones come up too. */
static void encode(text *t, encoding e, bool mark, const uint8_t *from, size_t size) {
    if (e == UTF8) {
        if (mark) memcpy(t->bytes, "\xef\xbb\xbf", t->size = 3);
        memcpy(t->bytes + t->size, from, size);
        t->size += size;
        return;
    }
    if (mark) put_character(t, e, 0xfeff);
    for (size_t i = 0; i < size; i++) put_character(t, e, from[i]);
}

/* The characters in UTF-8. */
static void spell(text *t, const uint8_t *from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (from[i] >= 0x80) t->bytes[t->size++] = (uint8_t)(0xC0 | from[i] >> 6);
        t->bytes[t->size++] = (uint8_t)(from[i] >= 0x80 ? 0x80 | (from[i] & 0x3F) : from[i]);
    }
}

static cafe_graph *small_graph(void) {
    static const int32_t source[] = {0, 1, 2}, target[] = {1, 2, 3};
    cafe_graph *graph = NULL;
    if (cafe_graph_from_edges(fuzz_context(), 4, 3, source, target, NULL, NULL, &graph) != CAFE_OK)
        abort();
    return graph;
}

/* The rows of what was read, or -1. */
static int64_t read_by(int reader, const text *t, const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context), found = -1, skipped;
    cafe_status status = CAFE_OK;
    cafe_graph *graph = reader > TABLE ? small_graph() : NULL;
    cafe_table *table = NULL;
    cafe_labels *labels = NULL;
    cafe_facts *facts = NULL;
    cafe_changes *changes = NULL;
    const char *path = reader > TABLE ? fuzz_file(t->bytes, t->size) : "x.txt";
    switch (reader) {
        case GRAPH:
        case GUESSED:
            status = fuzz_read_graph(path, reader == GRAPH ? CAFE_FORMAT_EDGES : CAFE_FORMAT_AUTO,
                                     data, size, t->bytes, t->size, &graph);
            if (graph) found = cafe_graph_nodes(graph);
            break;
        case TABLE:
            status = cafe_table_read_bytes(context, path, t->bytes, (int64_t)t->size,
                                           CAFE_TABLE_LOOK, &table);
            if (table) found = cafe_table_rows(table);
            break;
        case LABELS:
            status = cafe_labels_read(context, graph, path, NULL, NULL, &labels);
            if (labels) found = cafe_labels_labelled(labels);
            break;
        case FACTS:
            status = cafe_facts_read(context, graph, path, &facts, &skipped);
            if (facts) found = cafe_facts_columns(facts);
            break;
        default:
            status = cafe_changes_read(context, graph, path, &changes);
            if (changes) found = cafe_changes_get(changes)->lines;
    }
    if ((status == CAFE_OK) != (found >= 0)) abort();
    cafe_changes_free(changes);
    cafe_facts_free(facts);
    cafe_labels_free(labels);
    cafe_table_free(table);
    cafe_graph_free(graph);
    fuzz_check(status, bytes);
    return found;
}

/* Bytes that begin like a packed file, an array or a mark mean another thing behind a mark.
 * Carriage returns behind the first line are seen if the window, here of 16 bytes, holds them. A
 * NUL is of a binary file. */
static bool is_text(const uint8_t *bytes, size_t size) {
    return cafe_packing_of(bytes, (int64_t)size) == CAFE_PACKED_NOT &&
           !cafe_packing_other(bytes, (int64_t)size) && bytes[0] < 0x80 &&
           !memchr(bytes, '\r', size) && !memchr(bytes, 0, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    encoding e = data[0] % ENCODINGS;
    int reader = data[0] / ENCODINGS % READERS;
    bool mark = data[0] / MARK & 1;
    text t = {malloc(4 * size), 0};
    if (!t.bytes) return 0;
    encode(&t, e, mark, data + 1, size - 1);
    int64_t found = read_by(reader, &t, data, size);
    /* without a mark what is no UTF-8 may be Windows-1252 */
    bool good = cafe_bad_utf8(data + 1, data + size) == data + size;
    if (e == UTF8 && mark && good && is_text(data + 1, size - 1)) {
        t.size = 0;
        encode(&t, e, false, data + 1, size - 1);
        if (read_by(reader, &t, data, size) != found) abort();
    }
    bool read = e <= UTF16BE && mark;
    if (e != UTF8 && !read && (mark || data[1] != 0) && found > 0) abort();
    if (read && is_text(data + 1, size - 1)) {
        t.size = 0;
        spell(&t, data + 1, size - 1);
        if (read_by(reader, &t, data, size) != found) abort();
    }
    free(t.bytes);
    return 0;
}
