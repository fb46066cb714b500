/* The reader of lines of fields. */
#include "io/field_lines.h"

#include <string.h>

#include "base/memory.h"
#include "io/field.h"
#include "io/name_format.h"
#include "io/scanners.h"

enum { WINDOW = 1 << 22, LONGEST = CAFE_LONGEST_NAME };

cafe_status cafe_rows_open(cafe_context *context, const char *path, cafe_rows *rows) {
    *rows = (cafe_rows){.context = context};
    rows->input.context = rows->text.context = context;
    rows->field = cafe_mem(context, 2 * LONGEST + 1, 1); /* quotes are doubled at most */
    if (!rows->field) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_input_open(context, path, &rows->input));
    return cafe_text_open(&rows->input, WINDOW, &rows->text);
}

void cafe_rows_close(cafe_rows *rows) {
    cafe_mem_free(rows->context, rows->field);
    cafe_text_close(&rows->text);
    cafe_input_close(&rows->input);
}

cafe_status cafe_rows_next(cafe_rows *rows, bool *more) {
    cafe_place *line = &rows->line;
    do {
        CAFE_PASS(cafe_check_cancel(rows->context));
        CAFE_PASS(cafe_text_line(&rows->text, line));
        *more = line->begin < line->end;
        if (!*more) return CAFE_OK;
        line->at = cafe_skip_blanks(line->begin);
    } while (cafe_is_line_end(*line->at) || *line->at == '#' || *line->at == '%');
    rows->separator = cafe_field_separator(line->at);
    return CAFE_OK;
}

static cafe_status keep(cafe_rows *rows, const cafe_field *field, const uint8_t *behind,
                        const char *what) {
    const uint8_t *bad = cafe_bad_utf8(field->begin, field->end);
    if (bad < field->end) {
        rows->line.at = bad;
        return cafe_fail_at(rows->context, &rows->line, "UTF-8 text");
    }
    if (field->end - field->begin <= 2 * LONGEST)
        rows->length = cafe_field_copy(field, (uint8_t *)rows->field);
    if (field->end - field->begin > 2 * LONGEST || rows->length > LONGEST)
        return cafe_fail_at(rows->context, &rows->line, "%s of at most %d bytes", what, LONGEST);
    rows->field[rows->length] = 0;
    rows->quoted = field->quoted;
    rows->line.at = behind;
    return CAFE_OK;
}

cafe_status cafe_rows_field(cafe_rows *rows, const char *what) {
    cafe_field field;
    const uint8_t *at = rows->line.at;
    if (cafe_field_take(&at, rows->separator, &field) == CAFE_FIELD_FINE)
        return keep(rows, &field, at, what);
    rows->line.at = at;
    return cafe_fail_at(rows->context, &rows->line, "%s", what);
}

cafe_status cafe_rows_rest(cafe_rows *rows, const char *what) {
    cafe_field field;
    const uint8_t *at = rows->line.at;
    if (cafe_field_take_line(&at, rows->line.end, &field) != CAFE_FIELD_FINE ||
        field.begin == field.end) {
        rows->line.at = at;
        return cafe_fail_at(rows->context, &rows->line, "%s", what);
    }
    while (!field.quoted && field.end > field.begin && cafe_is_blank(field.end[-1])) field.end--;
    return keep(rows, &field, at, what);
}
