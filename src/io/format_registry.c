/* The registry: rows by number, by ending and by content; lists of endings for messages. */
#include "io/format_registry.h"

#include <string.h>

#include <cafe-private/inputs.h>

#include "base/print.h"

enum {
    FORMATS = 0
#define COUNT(constant, name, endings, title, writes, beside) +1
    CAFE_GRAPH_FORMATS(COUNT)
};

static const cafe_graph_format *const functions[FORMATS] = {
#define FUNCTIONS(constant, name, endings, title, writes, beside) &cafe_graph_format_##name,
    CAFE_GRAPH_FORMATS(FUNCTIONS)};

const cafe_graph_format *cafe_graph_format_get(cafe_format format) {
    return functions[format - 1];
}

static const cafe_file_format rows[FORMATS] = {
#define ROW(constant, name, endings, title, writes, beside) {#name, endings, title, writes, beside},
    CAFE_GRAPH_FORMATS(ROW)};

const cafe_file_format *cafe_file_format_at(cafe_file_kind kind, int64_t index) {
    if (index < 0) return NULL;
    if (kind == CAFE_FILE_VECTORS) return cafe_vector_format_at(index);
    return index < FORMATS ? &rows[index] : NULL;
}

/* Does the name of that length end in one of the endings (blanks between them)? */
static bool has_ending(const char *name, size_t length, const char *endings) {
    for (const char *e = endings; *e;) {
        size_t n = strcspn(e, " ");
        if (length > n && cafe_same_word(name + length - n, e, n)) return true;
        e += n + strspn(e + n, " ");
    }
    return false;
}

/* Arrays and images of memory are written at their places, not as a stream. */
static bool is_binary(cafe_file_kind kind, int64_t i) {
    return kind == CAFE_FILE_GRAPH ? functions[i]->binary : cafe_vector_format_at(i)->beside != 0;
}

static int64_t find(cafe_file_kind kind, const char *path, bool writes) {
    size_t length = strlen(path);
    const cafe_file_format *row;
    bool packed = has_ending(path, length, ".gz");
    if (packed || (!writes && has_ending(path, length, ".xz"))) length -= 3;
    if (!writes && has_ending(path, length, ".zst")) length -= 4;
    for (int64_t i = 0; (row = cafe_file_format_at(kind, i)) != NULL; i++)
        if ((!writes || row->writes) && has_ending(path, length, row->endings))
            return writes && packed && is_binary(kind, i) ? -1 : i;
    return -1;
}

const cafe_file_format *cafe_file_format_of(cafe_file_kind kind, const char *path, int32_t writes) {
    return cafe_file_format_at(kind, find(kind, path, writes != 0));
}

cafe_format cafe_format_of_name(const char *name, bool writes) {
    return (cafe_format)(find(CAFE_FILE_GRAPH, name, writes) + 1);
}

cafe_format cafe_format_of_content(const uint8_t *bytes, int64_t size) {
    for (int i = 0; i < FORMATS; i++) {
        const char *magic = functions[i]->magic;
        if (magic && size >= (int64_t)strlen(magic) &&
            cafe_same_word((const char *)bytes, magic, strlen(magic)))
            return (cafe_format)(i + 1);
        if (functions[i]->is && functions[i]->is(bytes, size)) return (cafe_format)(i + 1);
    }
    return CAFE_FORMAT_AUTO;
}

size_t cafe_file_endings(cafe_file_kind kind, int32_t writes, char *text, size_t capacity) {
    const cafe_file_format *row;
    size_t length = 0;
    if (capacity > 0) *text = 0;
    for (int64_t i = 0; (row = cafe_file_format_at(kind, i)) != NULL; i++) {
        if (writes && !row->writes) continue;
        size_t room = length < capacity ? capacity - length : 0;
        length += (size_t)cafe_print(room ? text + length : NULL, room, "%s%s", length ? " " : "",
                                     row->endings);
    }
    return length;
}

cafe_status cafe_fail_ending(cafe_context *context, cafe_file_kind kind, const char *path,
                             const char *what) {
    char endings[256];
    cafe_file_endings(kind, 1, endings, sizeof endings);
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s: %s written as one of %s", path, what,
                     endings);
}
