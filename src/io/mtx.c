/* The Matrix Market reader: coordinate matrices of non-negative numbers.
 *
 *     %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric
 *     % comments
 *     rows columns entries
 *     i j [value]        from 1
 *
 * A symmetric file lists each pair once: its entries are edges. A general one lists a matrix M,
 * which stays M when it is symmetric and becomes M + M^T when not (cafe_graph_from_csr).
 */
#include <string.h>

#include "graph/graph.h"
#include "io/edge_buffer.h"
#include "io/format_registry.h"
#include "io/graph_writer.h"
#include "io/integer_lines.h"
#include "io/scanners.h"
#include "io/text_window.h"

typedef struct mtx {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_text text;
    cafe_edge_list list;
    bool pattern, symmetric;
    int64_t nodes, entries;
    int64_t size_line;
} mtx;

/* Copies the next word of a line in lower case, at most 31 letters; *at moves after it. */
static void take_word(const uint8_t **at, char word[32]) {
    const uint8_t *p = cafe_skip_blanks(*at);
    int length = 0;
    for (; !cafe_is_blank(*p) && !cafe_is_line_end(*p); p++)
        if (length < 31) word[length++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
    word[length] = 0;
    *at = p;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static cafe_status read_banner(mtx *m) {
    cafe_place line;
    char word[32];
    CAFE_PASS(cafe_text_line(&m->text, &line));
    const char *wanted[5] = {"'%%MatrixMarket'", "'matrix'", "'coordinate' (an array is no graph)",
                             "'real', 'integer' or 'pattern'", "'general' or 'symmetric'"};
    const uint8_t *p = line.begin;
    for (int i = 0; i < 5; i++) {
        word[0] = 0;
        if (line.begin < line.end) {
            p = cafe_skip_blanks(p);
            line.at = p;
            take_word(&p, word);
        }
        bool right = i == 0   ? strcmp(word, "%%matrixmarket") == 0
                     : i == 1 ? strcmp(word, "matrix") == 0
                     : i == 2 ? strcmp(word, "coordinate") == 0
                     : i == 3 ? is_one_of(word, "real", "integer", "pattern")
                              : is_one_of(word, "general", "symmetric", "symmetric");
        if (!right) return cafe_fail_at(m->context, &line, "%s", wanted[i]);
        if (i == 3) m->pattern = word[0] == 'p';
        if (i == 4) m->symmetric = word[0] == 's';
    }
    return CAFE_OK;
}

static cafe_status read_size(mtx *m) {
    cafe_place line;
    int64_t columns;
    do {
        CAFE_PASS(cafe_text_line(&m->text, &line));
    } while (line.begin < line.end &&
             (*line.begin == '%' || cafe_is_line_end(*cafe_skip_blanks(line.begin))));
    m->size_line = line.line;
    CAFE_PASS(cafe_take_number(m->context, &line, "the number of rows", INT64_MAX, &m->nodes));
    CAFE_PASS(cafe_take_number(m->context, &line, "the number of columns", INT64_MAX, &columns));
    CAFE_PASS(cafe_take_number(m->context, &line, "the number of entries", INT64_MAX, &m->entries));
    line.at = cafe_skip_blanks(line.at);
    if (!cafe_is_line_end(*line.at)) return cafe_fail_at(m->context, &line, "the end of the line");
    line.at = line.begin;
    if (columns != m->nodes)
        return cafe_fail_at(m->context, &line,
                            "as many rows as columns (a table of two kinds of nodes can be given "
                            "as an edge list)");
    if (m->nodes < 1 || m->nodes > CAFE_MOST_NODES)
        return cafe_fail_at(m->context, &line, "1 to %d rows", CAFE_MOST_NODES);
    CAFE_PASS(cafe_check_spread(m->context, &line, m->nodes, m->entries, m->options));
    return cafe_check_nodes(m->context, m->text.name, m->nodes, m->options);
}

static cafe_status check_entries(mtx *m) {
    if (m->list.count < m->entries)
        return cafe_fail(m->context, CAFE_ERROR_FORMAT,
                         "%s:%lld:1: expected entry %lld of %lld, found the end of the file",
                         m->text.name, (long long)m->text.line, (long long)m->list.count + 1,
                         (long long)m->entries);
    if (m->list.count > m->entries)
        return cafe_fail(m->context, CAFE_ERROR_FORMAT,
                         "%s:%lld:1: expected the number of entries that follow, %lld, found %lld",
                         m->text.name, (long long)m->size_line, (long long)m->list.count,
                         (long long)m->entries);
    return CAFE_OK;
}

static cafe_status read_entries(mtx *m) {
    cafe_lines_end ended;
    cafe_rules rules = {.lowest = 1, .highest = m->nodes, .declared = true, .separator = ' '};
    rules.third = m->pattern            ? CAFE_THIRD_NONE
                  : m->options->weights ? CAFE_THIRD_WEIGHT
                                        : CAFE_THIRD_IGNORED;
    cafe_edge_list_init(m->context, m->text.name, false, rules.third == CAFE_THIRD_WEIGHT,
                        &m->list);
    if (m->text.begin == m->text.end) CAFE_PASS(cafe_text_next(&m->text));
    CAFE_PASS(cafe_lines_read(&m->text, &rules, &m->list, &ended));
    return check_entries(m);
}

/* Adds (j,i) for each (i,j) off the diagonal: the whole matrix. Needed only where loops are kept,
 * since a diagonal entry is a(u,u) itself, and a loop of an edge list counts twice there. */
static cafe_status mirror(cafe_edge_list *list, int64_t *added) {
    int64_t count = list->count;
    CAFE_PASS(cafe_edge_list_reserve(list, count, 1));
    int32_t *source = list->source, *target = list->target;
    for (int64_t i = 0; i < count; i++) {
        if (source[i] == target[i]) continue;
        source[list->count] = target[i];
        target[list->count] = source[i];
        if (list->weighted) list->weights[list->count] = list->weights[i];
        list->count++;
    }
    *added = list->count - count;
    return CAFE_OK;
}

static cafe_status make_graph(mtx *m, cafe_graph **graph) {
    int64_t added = 0;
    bool directed = m->options->directed != CAFE_DIRECTED_NO;
    if (directed && m->symmetric)
        return cafe_fail(m->context, CAFE_ERROR_FORMAT,
                         "%s: expected a general matrix, as the option directed says, found a "
                         "symmetric one, whose entries have no direction",
                         m->text.name);
    if (directed || (m->symmetric && m->options->self_loops == CAFE_LOOPS_DROP))
        return cafe_edge_list_graph(&m->list, m->nodes, (cafe_names){.kind = CAFE_NAMES_INDEX},
                                    m->options, graph);
    if (m->symmetric) CAFE_PASS(mirror(&m->list, &added));
    CAFE_PASS(cafe_edge_list_matrix(&m->list, m->nodes, m->options, graph));
    (*graph)->counts.lines -= added;
    (*graph)->counts.reversed -=
        added < (*graph)->counts.reversed ? added : (*graph)->counts.reversed;
    return CAFE_OK;
}

static cafe_status read_mtx(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    mtx m = {.context = input->context, .options = options};
    cafe_status status = CAFE_OK;
    cafe_edge_list_init(m.context, input->name, false, false, &m.list);
    CAFE_TRY(cafe_text_open_input(input, &m.text));
    CAFE_TRY(read_banner(&m));
    CAFE_TRY(read_size(&m));
    CAFE_TRY(read_entries(&m));
    cafe_text_close(&m.text);
    status = make_graph(&m, graph);
done:
    cafe_text_close(&m.text);
    cafe_edge_list_free(&m.list);
    return status;
}

const cafe_graph_format cafe_graph_format_mtx = {
    .magic = "%%MatrixMarket", .read = read_mtx, .write = cafe_write_mtx, .directed = true};
