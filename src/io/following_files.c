/* Several files as one text: part-1.csv.gz, part-2.csv.gz, ...
 *
 * A window never spans two files, so places in errors are those of a file. The next file is opened
 * when the windows of the last one are used up, so the memory is that of one file. Each file may be
 * packed in its own way. If the first file has a heading, a following file may begin with the same
 * line, which is left out. A first line that only shares a field with the heading is refused: it
 * is a heading of other columns.
 */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "io/scanners.h"
#include "io/text_window.h"
#include "os/os.h"

cafe_status cafe_text_measure(cafe_text *text) {
    const cafe_input *first = text->first;
    text->total = text->size;
    for (int64_t i = 0; i < first->more_count; i++) {
        struct stat about;
        if (stat(first->more[i], &about) != 0)
            return cafe_fail_file(text->context, first->more[i], "cannot be opened", errno);
        text->total += about.st_size;
    }
    return CAFE_OK;
}

/* Frees what belongs to the file at hand unless it is the first. */
static void leave(cafe_text *text) {
    if (text->file == 0) return;
    if (text->gunzip != text->first_gunzip) cafe_gunzip_free(text->context, text->gunzip);
    text->gunzip = text->first_gunzip;
    cafe_input_close(&text->following);
}

void cafe_text_return(cafe_text *text) {
    leave(text);
    text->file = text->before = text->passed = 0;
    text->input = text->first;
    text->name = text->first->name;
    text->bytes = text->first->bytes;
    text->size = text->first->size;
}

void cafe_text_unfollow(cafe_text *text) {
    leave(text);
    text->file = 0;
    cafe_mem_free(text->context, text->heading);
    text->heading = NULL;
}

/* ---- headings -------------------------------------------------------------------------------- */

/* The length of a line without its end and the blanks before it. */
static size_t bare_length(const uint8_t *line) {
    const uint8_t *end = line;
    while (*end != '\n') end++;
    while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t')) end--;
    return (size_t)(end - line);
}

cafe_status cafe_text_keep_heading(cafe_text *text, const uint8_t *line, uint8_t separator) {
    size_t length = bare_length(line);
    if (text->first->more_count == 0 || text->heading) return CAFE_OK;
    text->heading = cafe_mem_zero(text->context, (int64_t)length + 1, 1);
    if (!text->heading) return CAFE_ERROR_MEMORY;
    memcpy(text->heading, line, length);
    text->separator = separator;
    return CAFE_OK;
}

static size_t field_length(const cafe_text *text, const char *at, size_t left) {
    size_t length = 0;
    while (length < left && at[length] != (char)text->separator &&
           (text->separator != ' ' || at[length] != '\t'))
        length++;
    return length;
}

/* Does the heading have this field? */
static bool has_field(const cafe_text *text, const char *field, size_t length) {
    size_t left = strlen(text->heading);
    for (const char *at = text->heading;;) {
        size_t own = field_length(text, at, left);
        if (own == length && memcmp(at, field, length) == 0) return true;
        if (own == left) return false;
        at += own + 1;
        left -= own + 1;
    }
}

static bool shares_field(const cafe_text *text, const char *line, size_t left) {
    for (;;) {
        size_t length = field_length(text, line, left);
        if (length > 0 && has_field(text, line, length)) return true;
        if (length == left) return false;
        line += length + 1;
        left -= length + 1;
    }
}

/* Moves behind the heading, if the first line that is no comment is one. */
static cafe_status skip_heading(cafe_text *text) {
    const uint8_t *line = text->begin;
    int64_t lines = 0;
    if (!text->heading) return CAFE_OK;
    for (; line < text->end; line = cafe_skip_line(line, text->end), lines++) {
        const uint8_t *p = cafe_skip_blanks(line);
        if (!cafe_is_line_end(*p) && *p != '#' && *p != '%') break;
    }
    if (line == text->end) return CAFE_OK;
    size_t length = bare_length(line);
    if (length == strlen(text->heading) && memcmp(line, text->heading, length) == 0) {
        text->begin = cafe_skip_line(line, text->end);
        text->line += lines + 1;
        return CAFE_OK;
    }
    if (!shares_field(text, (const char *)line, length)) return CAFE_OK;
    return cafe_fail(text->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected an edge, or the heading of %s, '%.100s', found another "
                     "heading: files of one list have the same columns",
                     text->name, (long long)(text->line + lines), text->first->name, text->heading);
}

/* ---- the next file --------------------------------------------------------------------------- */

static cafe_status open_next(cafe_text *text) {
    text->before += text->size;
    text->passed += text->line + text->lines;
    leave(text);
    text->gunzip = NULL;
    const char *path = text->first->more[text->file++];
    cafe_status status = cafe_input_open(text->context, path, &text->following);
    if (status == CAFE_OK) status = cafe_input_decode(&text->following, false);
    if (status == CAFE_OK) text->following.window = text->first->window;
    if (status == CAFE_OK) return cafe_text_take(text, &text->following);
    text->gunzip = text->first_gunzip;
    return status;
}

cafe_status cafe_text_follow(cafe_text *text) {
    while (text->begin == text->end && text->file < text->first->more_count) {
        CAFE_PASS(open_next(text));
        CAFE_PASS(cafe_text_next_of_file(text));
        CAFE_PASS(skip_heading(text));
        if (text->begin == text->end) CAFE_PASS(cafe_text_next_of_file(text));
    }
    return CAFE_OK;
}
