/* Files of changes and of new nodes' links, line by line: "+ u v [w]", "- u v", "u v [w]".
 *
 * A field that is exactly + or - and stands first is a sign; a node of that name is written in
 * quotes. Lines are read one after the other: changes are a small part of their graph.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/field.h"
#include "io/input.h"
#include "io/scan.h"
#include "io/text.h"
#include "io/trouble.h"
#include "update/update.h"

enum { WINDOW = 1 << 22, LONGEST_NAME = 65535, LONGEST_INTEGER = 38 };

typedef struct reading {
    cafe_context *context;
    cafe_newcomers *names;
    cafe_link_lines *lines;
    char *field; /* LONGEST_NAME + 1 bytes */
    int64_t length;
    uint8_t separator;
} reading;

typedef cafe_status take_line(reading *r, cafe_place *line);

/* Among integer names 007 is 7: written the one way, so that a newcomer has one name. */
static void settle_integer(reading *r) {
    char text[LONGEST_INTEGER + CAFE_TEXT_PADDING];
    const uint8_t *at = (const uint8_t *)text;
    int64_t value;
    if (r->names->graph->names.kind == CAFE_NAMES_STRING || r->length > LONGEST_INTEGER) return;
    memset(text, '\n', sizeof text); /* what stops the scanner */
    memcpy(text, r->field, (size_t)r->length);
    if (cafe_scan_integer(&at, &value) == CAFE_SCAN_OK && at == (uint8_t *)text + r->length)
        r->length = snprintf(r->field, LONGEST_INTEGER, "%" PRId64, value);
}

static cafe_status take_field(reading *r, cafe_place *line, const char *what) {
    cafe_field field;
    const uint8_t *at = line->at;
    cafe_field_fault fault = cafe_field_take(&at, r->separator, &field);
    if (fault != CAFE_FIELD_FINE || field.end - field.begin > LONGEST_NAME) {
        if (fault != CAFE_FIELD_FINE) line->at = at;
        return cafe_fail_at(r->context, line, "%s", what);
    }
    const uint8_t *bad = cafe_bad_utf8(field.begin, field.end);
    if (bad < field.end) {
        line->at = bad;
        return cafe_fail_at(r->context, line, "UTF-8 text in a node id");
    }
    r->length = cafe_field_copy(&field, (uint8_t *)r->field);
    r->field[r->length] = 0;
    settle_integer(r);
    line->at = at;
    return CAFE_OK;
}

/* The sign in front: '+', '-', or '+' when there is none. */
static char take_sign(cafe_place *line) {
    const uint8_t *p = line->at;
    if ((*p != '+' && *p != '-') || !cafe_is_field_end(p[1])) return '+';
    line->at = cafe_skip_separator(p + 1);
    return (char)*p;
}

/* The weight behind the names, 1 when there is none. */
static cafe_status take_weight(reading *r, cafe_place *line, float *weight) {
    const uint8_t *at = cafe_skip_separator(line->at);
    *weight = 1;
    if (cafe_is_line_end(*at)) return CAFE_OK;
    line->at = at;
    cafe_trouble trouble = cafe_take_weight(&at, weight);
    if (trouble != CAFE_FINE) return cafe_fail_trouble(r->context, line, trouble);
    line->at = cafe_skip_separator(at);
    r->lines->weighted = true;
    if (!cafe_is_line_end(*line->at))
        return cafe_fail_at(r->context, line, "the end of the line behind the weight");
    return CAFE_OK;
}

/* The node of the field just read; -1: unknown. */
static int64_t known(const reading *r) {
    int64_t node = cafe_graph_find(r->names->graph, r->field);
    if (node >= 0) return node;
    int64_t newcomer = cafe_newcomer_find(r->names, r->field, r->length);
    return newcomer >= 0 ? r->names->graph->n + newcomer : -1;
}

static cafe_status add_newcomer(reading *r, int64_t *node) {
    int64_t newcomer = 0;
    cafe_status status = cafe_newcomer_add(r->names, r->field, r->length, &newcomer);
    *node = r->names->graph->n + newcomer;
    if (status == CAFE_OK && *node >= INT32_MAX)
        status = cafe_fail(r->context, CAFE_ERROR_LIMIT, "more than 2^31 - 1 nodes");
    return status;
}

static cafe_status take_changed(reading *r, cafe_place *line) {
    static const char *const what[] = {"a node id", "a second node id"};
    cafe_status status = CAFE_OK;
    int64_t node[2], column = line->at - line->begin + 1;
    float weight = -1;
    char sign = take_sign(line);
    for (int i = 0; i < 2; i++) {
        cafe_place begin = *line;
        CAFE_TRY(take_field(r, line, what[i]));
        node[i] = known(r);
        if (node[i] >= 0) continue;
        if (sign == '-') return cafe_fail_at(r->context, &begin, "a node of the graph");
        CAFE_TRY(add_newcomer(r, &node[i]));
    }
    if (sign == '+') CAFE_TRY(take_weight(r, line, &weight));
    if (sign == '-' && !cafe_is_line_end(*cafe_skip_blanks(line->at)))
        return cafe_fail_at(r->context, line, "the end of the line (a removed edge has no weight)");
    status = cafe_link_add(
        r->lines, (cafe_link_line){(int32_t)node[0], (int32_t)node[1], weight, line->line, column});
done:
    return status;
}

static cafe_status take_placed(reading *r, cafe_place *line) {
    cafe_status status = CAFE_OK;
    int64_t node = -1, column = line->at - line->begin + 1;
    float weight = 1;
    cafe_place begin = *line;
    CAFE_TRY(take_field(r, line, "a new node's id"));
    if (cafe_graph_find(r->names->graph, r->field) >= 0)
        return cafe_fail_at(r->context, &begin, "a new node (this one is in the graph)");
    CAFE_TRY(add_newcomer(r, &node));
    begin = *line;
    CAFE_TRY(take_field(r, line, "a node of the graph"));
    int64_t other = cafe_graph_find(r->names->graph, r->field);
    if (other < 0) return cafe_fail_at(r->context, &begin, "a node of the graph");
    CAFE_TRY(take_weight(r, line, &weight));
    status = cafe_link_add(
        r->lines, (cafe_link_line){(int32_t)node, (int32_t)other, weight, line->line, column});
done:
    return status;
}

static bool is_integer(const char *name) {
    const char *digits = name + (*name == '-');
    return *digits && digits[strspn(digits, "0123456789")] == 0;
}

/* A line of a label file: only its node counts. Among integers a word is no node but a mistake,
 * which the reader of the labels reports. */
static cafe_status take_labelled(reading *r, cafe_place *line) {
    int64_t node = -1;
    r->separator = cafe_field_separator_behind(line->at);
    cafe_status status = take_field(r, line, "a node");
    bool fits = r->names->graph->names.kind == CAFE_NAMES_STRING || is_integer(r->field);
    if (status == CAFE_OK && fits && known(r) < 0) status = add_newcomer(r, &node);
    return status;
}

static cafe_status take_lines(reading *r, cafe_text *text, take_line *take) {
    cafe_status status = CAFE_OK;
    for (;;) {
        cafe_place line;
        CAFE_TRY(cafe_check_cancel(r->context));
        CAFE_TRY(cafe_text_line(text, &line));
        if (line.begin == line.end) break;
        line.at = cafe_skip_blanks(line.begin);
        if (cafe_is_line_end(*line.at) || *line.at == '#' || *line.at == '%') continue;
        r->separator = cafe_field_separator(line.at);
        CAFE_TRY(take(r, &line));
    }
done:
    return status;
}

static cafe_status parse(cafe_newcomers *names, const char *path, cafe_link_lines *lines,
                         take_line *take) {
    cafe_context *context = names->context;
    cafe_status status = CAFE_OK;
    cafe_input input = {0};
    cafe_text text = {0};
    reading r = {.context = context, .names = names, .lines = lines};
    cafe_phase(context, "changes", 0);
    r.field = cafe_mem(context, LONGEST_NAME + 1, 1);
    if (!r.field) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_input_open(context, path, &input));
    CAFE_TRY(cafe_text_open(context, input.name, input.bytes, input.size, WINDOW, &text));
    CAFE_TRY(take_lines(&r, &text, take));
done:
    cafe_mem_free(context, r.field);
    cafe_text_close(&text);
    cafe_input_close(&input);
    return status;
}

cafe_status cafe_changes_parse(cafe_newcomers *names, const char *path, cafe_link_lines *lines) {
    return parse(names, path, lines, take_changed);
}

cafe_status cafe_links_parse(cafe_newcomers *names, const char *path, cafe_link_lines *lines) {
    return parse(names, path, lines, take_placed);
}

cafe_status cafe_labelled_parse(cafe_newcomers *names, const char *path) {
    return parse(names, path, NULL, take_labelled);
}
