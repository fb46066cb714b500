/* The reader of lines of fields. */
#include "io/field_lines.h"

#include <string.h>

#include "base/memory.h"
#include "io/name_format.h"
#include "io/scanners.h"

enum { WINDOW = 1 << 22, SMALL = 1 << 26, LONGEST = CAFE_LONGEST_NAME };

cafe_status cafe_rows_open(cafe_context *context, const char *path, cafe_rows *rows) {
    *rows = (cafe_rows){.context = context};
    rows->input.context = rows->text.context = context;
    rows->field = cafe_mem(context, 2 * LONGEST + 1, 1); /* quotes are doubled at most */
    if (!rows->field) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_input_open(context, path, &rows->input));
    CAFE_PASS(cafe_input_decode(&rows->input, rows->input.size <= SMALL));
    if (rows->input.size <= SMALL) CAFE_PASS(cafe_input_join(&rows->input));
    return cafe_text_open(&rows->input, WINDOW, &rows->text);
}

void cafe_rows_close(cafe_rows *rows) {
    cafe_mem_free_all(rows->context, rows->field, rows->cells);
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
    rows->cells_at = line->begin;
    rows->sign = 0;
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

static cafe_status refuse_field(cafe_rows *rows, cafe_field_fault fault) {
    static const char *const expected[] = {"a field", "a field", "a closing quote on the same line",
                                           "a separator behind the closing quote"};
    return cafe_fail_at(rows->context, &rows->line, "%s", expected[fault]);
}

cafe_status cafe_rows_split(cafe_rows *rows) {
    cafe_place *line = &rows->line;
    const uint8_t *at = cafe_skip_padding(rows->cells_at, rows->separator);
    bool more = !cafe_is_line_end(*at);
    cafe_field cell = {.begin = at};
    for (rows->count = 0; more; rows->count++) {
        cafe_field_fault fault = cafe_field_take_any(&at, rows->separator, &cell, &more);
        line->at = at;
        if (fault != CAFE_FIELD_FINE) return refuse_field(rows, fault);
        CAFE_PASS(cafe_mem_grow(rows->context, &rows->cells, &rows->room, rows->count + 1,
                                sizeof *rows->cells));
        rows->cells[rows->count] = cell;
    }
    rows->ended = rows->count > 1 && cell.begin == cell.end && !cell.quoted;
    rows->count -= rows->ended;
    return CAFE_OK;
}

cafe_status cafe_rows_cell(cafe_rows *rows, int64_t c, const char *what) {
    const cafe_field none = {.begin = rows->line.end - 1, .end = rows->line.end - 1};
    const cafe_field *cell = c < rows->count ? &rows->cells[c] : &none;
    CAFE_PASS(keep(rows, cell, cell->end, what));
    rows->line.at = cell->begin - (cell->quoted && cell->end > cell->begin);
    return CAFE_OK;
}

bool cafe_rows_missing(const cafe_rows *rows) {
    static const char *const words[] = {"na", "n/a", "nan", "null", ".", "?"};
    if (rows->length == 0) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words && !rows->quoted; i++)
        if (strlen(words[i]) == (size_t)rows->length &&
            cafe_same_word(rows->field, words[i], (size_t)rows->length))
            return true;
    return false;
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
