/* Tables of texts about nodes. A column keeps each different text once, and a number a node: most
 * columns say the same few words again and again.
 */
#include <cafe-private/inputs.h>
#include <cafe/facts.h>

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/dictionary.h"
#include "io/attribute_source.h"
#include "io/facts.h"
#include "io/table_layout.h"

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

/* A column without a name is called by its number. */
static cafe_status take_heading(const cafe_table_layout *l, char *room, cafe_facts *a) {
    for (int32_t i = 0; i < l->values; i++) {
        const cafe_field *head = &l->head[l->value[i]];
        int64_t length = cafe_field_copy(head, (uint8_t *)room);
        if (length == 0) length = cafe_print(room, 24, "column %d", (int)l->value[i]);
        CAFE_PASS(add_column(a, room, length));
    }
    return CAFE_OK;
}

static cafe_status take_line(cafe_rows *rows, const cafe_graph *graph, const cafe_table_layout *l,
                             cafe_facts *a, uint8_t *seen, int64_t *skipped) {
    CAFE_PASS(cafe_table_node(rows, l));
    int64_t node = cafe_graph_find(graph, rows->field);
    if (node < 0) {
        ++*skipped;
        return CAFE_OK;
    }
    if (seen[node])
        return cafe_fail_at(rows->context, &rows->line, "one line per node (this one came before)");
    seen[node] = 1;
    if (rows->count + rows->ended < l->columns) {
        rows->line.at = rows->line.end - 1;
        return cafe_fail_at(rows->context, &rows->line, "another field: the heading has %d",
                            (int)l->columns);
    }
    for (int32_t i = 0; i < l->values; i++) {
        CAFE_PASS(cafe_rows_cell(rows, l->value[i], "a field"));
        CAFE_PASS(set_text(a, i, node, rows->field, rows->length));
    }
    return CAFE_OK;
}

static cafe_status read_table(cafe_rows *rows, const cafe_graph *graph, const char *path,
                              cafe_facts *a, cafe_table_layout *l, uint8_t *seen,
                              int64_t *skipped) {
    cafe_table_request request = {.graph = graph, .headed = true};
    int64_t lines = 0;
    bool more = false;
    CAFE_PASS(cafe_rows_open(rows->context, path, rows));
    CAFE_PASS(cafe_table_layout_find(&rows->input, &request, l));
    if (l->sample.lines == 0)
        return cafe_fail(a->context, CAFE_ERROR_FORMAT, "%s: no table found", path);
    if (l->values == 0)
        return cafe_fail(a->context, CAFE_ERROR_FORMAT,
                         "%s:%lld:1: expected a heading with a column beside the nodes', found %s",
                         path, (long long)l->line, l->text);
    cafe_note_table(rows->context, rows->input.name, l->text);
    CAFE_PASS(take_heading(l, rows->field, a));
    CAFE_PASS(cafe_table_first(rows, l, &more));
    for (; more; lines++) {
        CAFE_PASS(take_line(rows, graph, l, a, seen, skipped));
        CAFE_PASS(cafe_table_next(rows, l, &more));
    }
    if (lines > *skipped) return CAFE_OK;
    return cafe_fail(a->context, CAFE_ERROR_FORMAT,
                     "%s: expected nodes of the graph in column %d, found none", path, (int)l->id);
}

cafe_status cafe_facts_read(cafe_context *context, const cafe_graph *graph, const char *path,
                            cafe_facts **facts, int64_t *skipped) {
    cafe_status status = CAFE_OK;
    cafe_facts *a = NULL;
    cafe_rows rows = {.context = context};
    int64_t n = cafe_graph_nodes(graph);
    *skipped = 0;
    if (!path) return cafe_attribute_facts(context, graph, facts);
    cafe_table_layout *layout = cafe_mem_zero(context, 1, sizeof *layout);
    uint8_t *seen = cafe_mem_zero(context, n, 1);
    *facts = NULL;
    cafe_phase(context, "table", 0);
    CAFE_TRY(cafe_mem_had(layout, seen));
    CAFE_TRY(allocate(context, n, &a));
    CAFE_TRY(read_table(&rows, graph, path, a, layout, seen, skipped));
    *facts = a;
    a = NULL;
done:
    cafe_facts_free(a);
    if (layout) cafe_table_layout_free(layout);
    cafe_mem_free_all(context, seen, layout);
    if (rows.input.context) cafe_rows_close(&rows);
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
