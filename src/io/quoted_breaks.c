/* Line breaks in quoted cells, as spreadsheets write them, become blanks in memory: all readers cut
 * at lines, and no name has a line break.
 *
 * A record that had k of them is followed by k empty lines, so that the lines behind it keep their
 * numbers. A quote opens a cell at the beginning of a line or behind a separator. The text stays as
 * it is if a cell is not closed or has text behind its closing quote. It also stays if a record
 * with line breaks has not as many cells as the first one.
 */
#include <string.h>

#include "base/memory.h"
#include "io/input_file.h"
#include "io/scanners.h"
#include "io/text_position.h"

static const int64_t largest = (int64_t)1 << 30;

typedef struct copying {
    const uint8_t *at, *end; /* of the text */
    uint8_t *to;
    uint8_t separator;    /* the first one of the first record; 0: none yet */
    int64_t first, count; /* separators of the first record and of this one */
    int64_t breaks, all;  /* in this record, in all */
} copying;

static bool separates(uint8_t c) {
    return cafe_is_comma(c) || c == '\t' || c == '|';
}

static void copy_blanks(copying *c) {
    while (c->at < c->end && *c->at == ' ') *c->to++ = *c->at++;
}

/* The cell whose opening quote is at hand; false: the text is no such table. */
static bool copy_quoted(copying *c) {
    *c->to++ = *c->at++;
    for (; c->at < c->end; c->at++) {
        bool quote = *c->at == '"', doubled = quote && c->at + 1 < c->end && c->at[1] == '"';
        bool wide = *c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n';
        c->at += doubled || wide;
        c->breaks += *c->at == '\n';
        if (doubled) *c->to++ = '"';
        *c->to++ = *c->at == '\n' ? ' ' : *c->at;
        if (quote && !doubled) break;
    }
    if (c->at == c->end) return false;
    c->at++;
    copy_blanks(c);
    return c->at == c->end || separates(*c->at) || cafe_is_line_end(*c->at);
}

static void copy_line(copying *c) {
    while (c->at < c->end && *c->at != '\n') *c->to++ = *c->at++;
}

/* A record up to its line end. */
static bool copy_record(copying *c) {
    const uint8_t *before = c->to;
    c->count = c->breaks = 0;
    copy_blanks(c);
    if (c->at < c->end && (*c->at == '#' || *c->at == '%')) {
        copy_line(c);
        return true;
    }
    for (bool begins = true; c->at < c->end && *c->at != '\n';) {
        if (begins && *c->at == '"') {
            if (!copy_quoted(c)) return false;
            begins = false;
            continue;
        }
        begins = separates(*c->at);
        if (begins && !c->separator) c->separator = *c->at;
        c->count += begins && *c->at == c->separator;
        *c->to++ = *c->at++;
        if (begins) copy_blanks(c);
    }
    if (c->first < 0 && c->to > before) c->first = c->count;
    c->all += c->breaks;
    return c->breaks == 0 || c->count == c->first;
}

/* Copies all records; false: nothing is to be joined. */
static bool join(copying *c) {
    const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    if (c->end - c->at >= 3 && memcmp(c->at, mark, 3) == 0)
        for (int i = 0; i < 3; i++) *c->to++ = *c->at++;
    if (c->end - c->at >= 6 && memcmp(c->at, "sep=", 4) == 0) copy_line(c);
    if (c->at < c->end && *c->at == '\n') *c->to++ = *c->at++;
    while (c->at < c->end) {
        if (!copy_record(c)) return false;
        if (c->at < c->end) *c->to++ = *c->at++;
        memset(c->to, '\n', (size_t)c->breaks);
        c->to += c->breaks;
    }
    return c->all > 0;
}

cafe_status cafe_input_join(cafe_input *input) {
    if (input->joined || input->start > 0 || input->size > largest) return CAFE_OK;
    CAFE_PASS(cafe_input_plain(input));
    if (input->size == 0 || !memchr(input->bytes, '"', (size_t)input->size)) return CAFE_OK;
    /* a line break becomes a blank and, behind the record, a line end */
    int64_t lines = cafe_count_lines(input->bytes, input->bytes + input->size);
    uint8_t *text = cafe_mem(input->context, input->size + lines + 1, 1);
    CAFE_PASS(cafe_mem_had(text));
    copying c = {.at = input->bytes, .end = input->bytes + input->size, .to = text, .first = -1};
    if (!join(&c)) {
        cafe_mem_free(input->context, text);
        return CAFE_OK;
    }
    cafe_input_replace(input, text, c.to - text);
    input->joined = true;
    return CAFE_OK;
}
