/* The first lines of an edge list, read separately from the parsed text in small windows. So the
 * result does not depend on the source of the text or on its cuts. */
#include "io/line_sample.h"

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/edge_buffer.h"
#include "io/scanners.h"
#include "io/text_window.h"

enum { MOST_LINES = 4096, MOST_BYTES = 1 << 18, FAR = 1 << 26, LONGEST_NUMBER = 48 };

/* ---- lines ----------------------------------------------------------------------------------- */

static cafe_status append(cafe_line_sample *s, const uint8_t *begin, const uint8_t *end) {
    int64_t length = end - begin;
    CAFE_PASS(
        cafe_mem_grow(s->context, &s->text, &s->room, s->used + length + CAFE_TEXT_PADDING, 1));
    memcpy(s->text + s->used, begin, (size_t)length);
    s->used += length;
    memset(s->text + s->used, 0, CAFE_TEXT_PADDING);
    return CAFE_OK;
}

/* Kept without its mark, should it be a heading. */
static cafe_status keep_comment(cafe_line_sample *s, const uint8_t *begin, const uint8_t *end) {
    while (begin < end && (*begin == '#' || *begin == '%' || cafe_is_blank(*begin))) begin++;
    cafe_mem_free(s->context, s->comment);
    s->comment = cafe_mem_zero(s->context, end - begin + CAFE_TEXT_PADDING, 1);
    if (!s->comment) return CAFE_ERROR_MEMORY;
    memcpy(s->comment, begin, (size_t)(end - begin));
    return CAFE_OK;
}

/* Our own writer states the number of nodes, so that isolated ones are not lost, or just that the
 * list is its own. Then it certainly has no heading. */
static void look_for_ours(cafe_line_sample *s, const uint8_t *line) {
    static const char nodes[] = "# cafe: nodes ", edges[] = "# cafe: edges";
    int64_t count;
    if (strncmp((const char *)line, edges, sizeof edges - 1) == 0)
        s->ours = cafe_is_line_end(line[sizeof edges - 1]);
    if (strncmp((const char *)line, nodes, sizeof nodes - 1) != 0) return;
    line += sizeof nodes - 1;
    s->ours = cafe_scan_integer(&line, &count) == CAFE_SCAN_OK && count > 0 &&
              count <= CAFE_MOST_NODES && cafe_is_line_end(*line);
    if (s->ours) s->declared = count;
}

static cafe_status take_line(cafe_line_sample *s, const cafe_place *line) {
    const uint8_t *p = cafe_skip_blanks(line->begin);
    if (line->line == 1) look_for_ours(s, line->begin);
    if (cafe_is_line_end(*p)) return CAFE_OK;
    if (*p == '#' || *p == '%') return s->lines == 0 ? keep_comment(s, p, line->end) : CAFE_OK;
    if (s->lines++ == 0) s->first = line->line;
    return append(s, line->begin, line->end);
}

cafe_status cafe_sample_take(const cafe_input *input, cafe_line_sample *s) {
    cafe_text text;
    cafe_place line = {.line = 0};
    *s = (cafe_line_sample){.context = input->context};
    cafe_status status = cafe_text_open(input, MOST_BYTES, &text);
    while (status == CAFE_OK && (s->lines < 2 || (s->lines < MOST_LINES && s->used < MOST_BYTES))) {
        CAFE_TRY(cafe_check_cancel(input->context));
        CAFE_TRY(cafe_text_line(&text, &line));
        s->whole = line.begin == line.end;
        if (s->whole) break;
        CAFE_TRY(take_line(s, &line));
    }
done:
    s->stated = text.stated;
    cafe_text_close(&text);
    return status;
}

void cafe_sample_free(cafe_line_sample *sample) {
    cafe_mem_free_all(sample->context, sample->text, sample->comment);
}

const uint8_t *cafe_sample_next(const cafe_line_sample *sample, const uint8_t *line) {
    const uint8_t *end = sample->text + sample->used, *next = cafe_skip_line(line, end);
    return next < end ? next : NULL;
}

/* ---- cells ----------------------------------------------------------------------------------- */

int32_t cafe_sample_split(const uint8_t *line, uint8_t separator, cafe_field *cells) {
    const uint8_t *p = cafe_skip_padding(line, separator);
    cafe_field cell = {.begin = NULL};
    int32_t count = 0;
    for (bool more = !cafe_is_line_end(*p); more; count++) {
        if (cafe_field_take_any(&p, separator, &cell, &more) != CAFE_FIELD_FINE) return 0;
        if (cells && count < CAFE_SAMPLE_COLUMNS) cells[count] = cell;
    }
    if (count > 1 && cell.begin == cell.end && !cell.quoted) count--;
    return count;
}

bool cafe_sample_has(const cafe_line_sample *sample, uint8_t separator, int32_t cells) {
    for (const uint8_t *line = sample->text; line; line = cafe_sample_next(sample, line))
        if (cafe_sample_split(line, separator, NULL) < cells) return false;
    return true;
}

static bool is_no_number(const char *text) {
    static const char *const words[] = {"nan", "na", "null", "none", "inf", "n/a"};
    size_t length = strcspn(text, "\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && cafe_same_word(text, words[i], length)) return true;
    return false;
}

cafe_cell cafe_cell_kind(const cafe_field *cell, uint8_t decimal, int64_t *integer) {
    uint8_t text[LONGEST_NUMBER + CAFE_TEXT_PADDING] = {0};
    int64_t length = cell->end - cell->begin;
    float weight;
    if (length == 0) return CAFE_CELL_EMPTY;
    if (length > LONGEST_NUMBER - 2) return CAFE_CELL_WORD;
    for (int64_t i = 0; i < length; i++)
        text[i] = cell->begin[i] == decimal ? (uint8_t)'.' : cell->begin[i];
    text[length] = '\n';
    const uint8_t *p = text;
    if (cafe_scan_integer(&p, integer) == CAFE_SCAN_OK && *p == '\n') return CAFE_CELL_INTEGER;
    p = text + (*text == '-');
    cafe_scan scan = cafe_scan_weight(&p, &weight);
    if (scan == CAFE_SCAN_RANGE || (scan == CAFE_SCAN_OK && *p == '\n')) return CAFE_CELL_NUMBER;
    return is_no_number((const char *)text) ? CAFE_CELL_NUMBER : CAFE_CELL_WORD;
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_time(int64_t value) {
    return (value >= 300000000 && value < 4000000000) ||
           (value >= 300000000000 && value < 4000000000000);
}

/* The same text but for the digits, and there are digits: n12 and n7. */
static bool alike(const cafe_field *a, const cafe_field *b) {
    const uint8_t *p = a->begin, *q = b->begin;
    bool digits = false;
    while (p < a->end && q < b->end) {
        if (cafe_is_digit(*p) != cafe_is_digit(*q)) return false;
        if (!cafe_is_digit(*p)) {
            if (*p++ != *q++) return false;
            continue;
        }
        digits = true;
        while (p < a->end && cafe_is_digit(*p)) p++;
        while (q < b->end && cafe_is_digit(*q)) q++;
    }
    return digits && p == a->end && q == b->end;
}

static void add_cell(cafe_column *column, const cafe_field *cell, uint8_t decimal) {
    int64_t value = 0;
    cafe_cell kind = cafe_cell_kind(cell, decimal, &value);
    if (kind == CAFE_CELL_EMPTY) return;
    bool integer = kind == CAFE_CELL_INTEGER, first = column->cells == 0;
    column->integers += integer;
    column->numbers += integer || kind == CAFE_CELL_NUMBER;
    column->counts =
        integer && (first ? value == 0 || value == 1 : column->counts && value == column->last + 1);
    column->time = integer && is_time(value) && (first || column->time);
    column->year = integer && value >= 1900 && value < 2100 && (first || column->year);
    column->last = value;
    column->cells++;
}

int32_t cafe_sample_columns(const cafe_line_sample *sample, uint8_t separator, uint8_t decimal,
                            int32_t source, int32_t target, cafe_column *columns, int32_t *least,
                            int32_t *most) {
    cafe_field head[CAFE_SAMPLE_COLUMNS], cells[CAFE_SAMPLE_COLUMNS];
    const int32_t nodes[2] = {source, target};
    int32_t rows = 0, heads = cafe_sample_split(sample->text, separator, head);
    memset(columns, 0, CAFE_SAMPLE_COLUMNS * sizeof *columns);
    *least = INT32_MAX;
    *most = 0;
    for (const uint8_t *line = sample->text; (line = cafe_sample_next(sample, line)) != NULL;) {
        int32_t count = cafe_sample_split(line, separator, cells);
        if (count == 0) continue; /* the parser will report the error */
        if (count < *least) *least = count;
        if (count > *most) *most = count;
        for (int32_t c = 0; c < count && c < CAFE_SAMPLE_COLUMNS; c++)
            add_cell(&columns[c], &cells[c], decimal);
        for (int i = 0; i < 4; i++) {
            int32_t above = nodes[i / 2], below = nodes[i % 2];
            if (above >= heads || below >= count) continue;
            columns[above].again |= cafe_field_same(&head[above], &cells[below]);
            columns[above].alike += above == below && alike(&head[above], &cells[below]);
        }
        rows++;
    }
    return rows;
}

static bool has_either(const uint8_t *line, uint8_t separator, const int32_t nodes[2],
                       const cafe_field *head) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *p = cafe_skip_blanks(line);
    if (cafe_is_line_end(*p) || *p == '#' || *p == '%') return false;
    int32_t count = cafe_sample_split(line, separator, cells);
    for (int i = 0; i < 4; i++)
        if (nodes[i % 2] < count && cafe_field_same(&head[nodes[i / 2]], &cells[nodes[i % 2]]))
            return true;
    return false;
}

cafe_status cafe_sample_again(const cafe_input *input, const cafe_line_sample *sample,
                              uint8_t separator, int32_t source, int32_t target, bool *again) {
    cafe_field head[CAFE_SAMPLE_COLUMNS];
    const int32_t nodes[2] = {source, target};
    cafe_text text;
    cafe_place line;
    int64_t looked = 0;
    cafe_status status = cafe_text_open(input, MOST_BYTES, &text);
    *again = false;
    cafe_sample_split(sample->text, separator, head);
    while (status == CAFE_OK && !*again && looked < FAR) {
        CAFE_TRY(cafe_text_line(&text, &line));
        if (line.begin == line.end) break;
        looked += line.end - line.begin;
        if (line.line > sample->first) *again = has_either(line.begin, separator, nodes, head);
        if (line.line % MOST_LINES == 0) CAFE_TRY(cafe_check_cancel(input->context));
    }
done:
    cafe_text_close(&text);
    return status;
}
