/* Files of lines with a node or an edge each. */
#include "io/record_lines.h"

#include "io/field.h"
#include "io/scanners.h"

enum { WINDOW = 1 << 22 };

void cafe_record_lines_init(const cafe_input *input, cafe_format format,
                            const cafe_graph_options *options, cafe_record_lines *lines) {
    cafe_marked_init(input->context, input->name, format, options, &lines->marked);
    lines->text.context = input->context;
}

static cafe_status read_lines(cafe_status (*take)(cafe_record_lines *lines),
                              cafe_record_lines *lines) {
    cafe_text_rewind(&lines->text);
    for (;;) {
        CAFE_PASS(cafe_text_line(&lines->text, &lines->line));
        if (lines->line.begin == lines->line.end) return CAFE_OK;
        if (lines->line.line % 65536 == 0) CAFE_PASS(cafe_check_cancel(lines->marked.context));
        lines->marked.line = lines->line.line;
        lines->line.at = cafe_skip_blanks(lines->line.begin);
        CAFE_PASS(take(lines));
    }
}

cafe_status cafe_record_lines_read(const cafe_input *input,
                                   cafe_status (*take)(cafe_record_lines *lines),
                                   cafe_record_lines *lines, cafe_graph **graph) {
    cafe_status status = cafe_text_open(input, WINDOW, &lines->text);
    if (status == CAFE_OK) status = read_lines(take, lines);
    if (status == CAFE_OK) status = cafe_marked_graph(&lines->marked, graph);
    cafe_text_close(&lines->text);
    cafe_marked_free(&lines->marked);
    return status;
}

cafe_status cafe_line_fail(const cafe_record_lines *lines, const char *expected) {
    return cafe_fail_at(lines->marked.context, &lines->line, "%s", expected);
}

bool cafe_line_ended(const cafe_record_lines *lines) {
    return cafe_is_line_end(*cafe_skip_blanks(lines->line.at));
}

bool cafe_line_take(cafe_record_lines *lines, char *text, size_t capacity) {
    cafe_field field;
    const uint8_t *at = lines->line.at;
    if (cafe_line_ended(lines)) return false;
    if (cafe_field_take(&at, ' ', &field) != CAFE_FIELD_FINE) return false;
    if ((size_t)(field.end - field.begin) >= capacity) return false;
    text[cafe_field_copy(&field, (uint8_t *)text)] = 0;
    lines->line.at = at;
    return true;
}
