/* Tables of texts about nodes. A column keeps each different text once, and a number a node: most
 * columns say the same few words again and again.
 */
#include <cafe/facts.h>

#include <string.h>

#include "base/memory.h"
#include "graph/dictionary.h"
#include "io/facts.h"
#include "io/field.h"
#include "io/field_lines.h"
#include "io/scanners.h"

enum { MOST_COLUMNS = 4096 };

typedef struct column {
    cafe_dictionary words;
    int32_t *of; /* of each node; -1: none */
} column;

struct cafe_facts {
    cafe_context *context;
    int64_t n, columns, room;
    column *column;
    cafe_dictionary names; /* text alone: of the columns, each ended by 0 */
    int64_t *name;         /* of each column: its number among the names */
    int64_t name_room;
};

/* ---- the object ------------------------------------------------------------------------------ */

static cafe_status allocate(cafe_context *context, int64_t n, cafe_facts **facts) {
    cafe_facts *a = *facts = cafe_mem_zero(context, 1, sizeof *a);
    if (!a) return CAFE_ERROR_MEMORY;
    a->context = a->names.context = context;
    a->n = n;
    return CAFE_OK;
}

void cafe_facts_free(cafe_facts *a) {
    if (!a) return;
    for (int64_t j = 0; j < a->columns; j++) {
        cafe_dictionary_free(&a->column[j].words);
        cafe_mem_free(a->context, a->column[j].of);
    }
    cafe_dictionary_free(&a->names);
    cafe_mem_free_all(a->context, a->column, a->name, a);
}

static cafe_status add_column(cafe_facts *a, const char *name, int64_t length) {
    int64_t j = a->columns;
    if (j == MOST_COLUMNS)
        return cafe_fail(a->context, CAFE_ERROR_LIMIT, "a table of more than %d columns",
                         MOST_COLUMNS);
    CAFE_PASS(cafe_mem_grow(a->context, &a->column, &a->room, j + 1, sizeof *a->column));
    CAFE_PASS(cafe_mem_grow(a->context, &a->name, &a->name_room, j + 1, sizeof *a->name));
    a->column[j] = (column){.words.context = a->context};
    a->columns++;
    a->column[j].of = cafe_mem(a->context, a->n, sizeof *a->column[j].of);
    if (!a->column[j].of) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < a->n; u++) a->column[j].of[u] = -1;
    return cafe_dictionary_add(&a->names, name, length, &a->name[j]);
}

static cafe_status set_text(cafe_facts *a, int64_t j, int64_t node, const char *text,
                            int64_t length) {
    int64_t word = -1;
    if (length > 0) CAFE_PASS(cafe_dictionary_add(&a->column[j].words, text, length, &word));
    a->column[j].of[node] = (int32_t)word;
    return CAFE_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool at_end(const cafe_rows *rows) {
    return cafe_is_line_end(*cafe_skip_padding(rows->line.at, rows->separator));
}

/* Back to the line's begin: a first field may be empty, and a tab before the next one counts. */
static void rewind_line(cafe_rows *rows) {
    rows->line.at = rows->line.begin;
}

/* Takes the next field, which may be empty; *last: the line ends after it. */
static cafe_status take_field(cafe_rows *rows, bool *last) {
    cafe_field field;
    const uint8_t *at = cafe_skip_padding(rows->line.at, rows->separator), *behind = at;
    bool bare = *at != '"';
    if (cafe_field_take(&behind, rows->separator, &field) == CAFE_FIELD_EMPTY) {
        at += bare ? 0 : 2; /* "" */
        at = cafe_skip_padding(at, rows->separator);
        *last = *at != rows->separator;
        rows->line.at = *last ? at : at + 1;
        rows->length = 0;
        rows->field[0] = 0;
        return *last && !cafe_is_line_end(*at)
                   ? cafe_fail_at(rows->context, &rows->line, "a separator")
                   : CAFE_OK;
    }
    CAFE_PASS(cafe_rows_field(rows, "a field"));
    const uint8_t *p = rows->line.at;
    while (p > rows->line.begin && cafe_is_padding(p[-1], rows->separator)) p--;
    *last = at_end(rows) && p[-1] != rows->separator;
    return CAFE_OK;
}

static cafe_status take_heading(cafe_rows *rows, cafe_facts *a) {
    bool last = false;
    rewind_line(rows);
    cafe_place begin = rows->line;
    rows->separator = cafe_field_separator(rows->line.begin);
    if (rows->separator == ' ')
        return cafe_fail_at(rows->context, &begin,
                            "a heading with columns separated by commas, semicolons or tabs");
    CAFE_PASS(take_field(rows, &last)); /* that of the nodes */
    while (!last) {
        char number[24] = "column ";
        CAFE_PASS(take_field(rows, &last));
        if (rows->length == 0) { /* one without a name is called by its number */
            char *end = number + strlen(number);
            for (int64_t scale = 1000, j = a->columns + 1; scale > 0; scale /= 10)
                if (j >= scale) *end++ = (char)('0' + j / scale % 10);
            *end = 0;
        }
        bool named = rows->length > 0;
        CAFE_PASS(add_column(a, named ? rows->field : number,
                             named ? rows->length : (int64_t)strlen(number)));
    }
    if (a->columns == 0) return cafe_fail_at(rows->context, &begin, "a column beside the nodes'");
    return CAFE_OK;
}

static cafe_status take_line(cafe_rows *rows, const cafe_graph *graph, uint8_t separator,
                             cafe_facts *a, uint8_t *seen, int64_t *skipped) {
    bool last = false;
    rewind_line(rows);
    cafe_place begin = rows->line;
    rows->separator = separator;
    CAFE_PASS(take_field(rows, &last));
    int64_t node = cafe_graph_find(graph, rows->field), j = 0;
    if (node >= 0 && seen[node])
        return cafe_fail_at(rows->context, &begin, "one line per node (this one came before)");
    for (; !last && j < a->columns; j++) {
        CAFE_PASS(take_field(rows, &last));
        if (node >= 0) CAFE_PASS(set_text(a, j, node, rows->field, rows->length));
    }
    if (!last || j < a->columns)
        return cafe_fail_at(rows->context, &rows->line,
                            last ? "another field: the heading has %lld"
                                 : "the end of the line: the heading has %lld fields",
                            (long long)(a->columns + 1));
    if (node >= 0)
        seen[node] = 1;
    else
        ++*skipped;
    return CAFE_OK;
}

cafe_status cafe_facts_read(cafe_context *context, const cafe_graph *graph, const char *path,
                            cafe_facts **facts, int64_t *skipped) {
    cafe_status status = CAFE_OK;
    cafe_facts *a = NULL;
    cafe_rows rows;
    uint8_t *seen = NULL;
    bool more = false;
    int64_t lines = 0;
    *facts = NULL;
    *skipped = 0;
    cafe_phase(context, "table", 0);
    CAFE_TRY(cafe_rows_open(context, path, &rows));
    CAFE_TRY(allocate(context, cafe_graph_nodes(graph), &a));
    seen = cafe_mem_zero(context, a->n, 1);
    if (!seen) CAFE_TRY(CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_rows_next(&rows, &more));
    if (!more) CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT, "%s: no table found", path));
    CAFE_TRY(take_heading(&rows, a));
    uint8_t separator = rows.separator;
    CAFE_TRY(cafe_rows_next(&rows, &more));
    for (; more; lines++) {
        CAFE_TRY(take_line(&rows, graph, separator, a, seen, skipped));
        CAFE_TRY(cafe_rows_next(&rows, &more));
    }
    if (lines == *skipped)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT,
                           "%s: expected nodes of the graph in the first column, found none",
                           path));
    *facts = a;
    a = NULL;
done:
    cafe_facts_free(a);
    cafe_mem_free(context, seen);
    cafe_rows_close(&rows);
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

cafe_status cafe_facts_from_arrays(cafe_context *context, int64_t nodes, int64_t columns,
                                   const char *const *names, const char *const *text,
                                   cafe_facts **facts) {
    cafe_status status = CAFE_OK;
    cafe_facts *a = NULL;
    *facts = NULL;
    if (nodes < 0 || columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a table of %lld columns and %lld nodes",
                         (long long)columns, (long long)nodes);
    CAFE_TRY(allocate(context, nodes, &a));
    for (int64_t j = 0; j < columns; j++) {
        CAFE_TRY(add_column(a, names[j], (int64_t)strlen(names[j])));
        for (int64_t u = 0; u < nodes; u++) {
            const char *each = text[j * nodes + u];
            CAFE_TRY(set_text(a, j, u, each, each ? (int64_t)strlen(each) : 0));
        }
    }
    *facts = a;
    a = NULL;
done:
    cafe_facts_free(a);
    return status;
}

/* ---- what is asked --------------------------------------------------------------------------- */

int64_t cafe_facts_columns(const cafe_facts *a) {
    return a->columns;
}

const char *cafe_facts_name(const cafe_facts *a, int64_t j) {
    return cafe_dictionary_text(&a->names, a->name[j]);
}

int64_t cafe_facts_words(const cafe_facts *a, int64_t j) {
    return a->column[j].words.count;
}

const char *cafe_facts_word(const cafe_facts *a, int64_t j, int64_t word) {
    return cafe_dictionary_text(&a->column[j].words, word);
}

int32_t cafe_facts_of(const cafe_facts *a, int64_t j, int64_t node) {
    return a->column[j].of[node];
}

const char *cafe_facts_text(const cafe_facts *a, int64_t j, int64_t node) {
    int32_t word = cafe_facts_of(a, j, node);
    return word < 0 ? "" : cafe_facts_word(a, j, word);
}
