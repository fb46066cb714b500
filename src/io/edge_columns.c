/* Heading and columns of a table of edges, or of changes of edges.
 *
 * Each step takes the option if given, else the only possible reading. If two readings are
 * possible, the file is refused with both and the option that chooses. The order of the steps
 * matters: columns have names only under a separator, and a column's role is known only after the
 * heading is.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/heading.h"
#include "io/layout_search.h"
#include "io/text_position.h"

enum { FEW_ROWS = 3, SOME_ROWS = 10, FIRST_EDGES = 3 };

/* Are no heading and the usual columns certain? */
static bool is_certain(const cafe_search *k) {
    return k->l->sample.ours || k->l->signs;
}

/* ---- the heading ----------------------------------------------------------------------------- */

static bool all_numbers(const cafe_search *k, int32_t c) {
    return c < CAFE_SAMPLE_COLUMNS && k->columns[c].cells > 0 &&
           k->columns[c].numbers == k->columns[c].cells;
}

static cafe_cell head_kind(const cafe_search *k, int32_t c) {
    int64_t integer;
    return c < k->l->columns ? cafe_cell_kind(&k->l->head[c], k->l->decimal, &integer)
                             : CAFE_CELL_EMPTY;
}

static bool is_text(const cafe_field *cell) {
    return cafe_bad_utf8(cell->begin, cell->end) == cell->end;
}

static cafe_status refuse_heading(const cafe_search *k, int32_t source, int32_t target,
                                  const char *why) {
    char first[CAFE_SHOWN_TEXT], second[CAFE_SHOWN_TEXT];
    const cafe_field *u = &k->l->head[source], *w = &k->l->head[target];
    if (!is_text(u) || !is_text(w)) /* neither reading would do */
        return cafe_search_refuse(k, "expected UTF-8 text in a node id, found '%s'",
                                  cafe_search_show(is_text(u) ? w : u, first));
    return cafe_search_refuse(
        k,
        "expected a first line that is clearly a heading or an edge, found '%s' and '%s', %s. "
        "Give " CAFE_OPT("header=yes") " if they name columns, " CAFE_OPT(
            "header=no") " if they are an edge",
        cafe_search_show(u, first), cafe_search_show(w, second), why);
}

static bool only_words(const cafe_column *column) {
    return column->cells > 0 && column->numbers == 0;
}

/* Do most names in the rows look like those of the first line, except for digits? */
static bool looks_alike(const cafe_search *k, int32_t source, int32_t target) {
    return 2 * k->columns[source].alike >= k->rows && 2 * k->columns[target].alike >= k->rows;
}

/* Do the rows show whether the first line is a heading? CAFE_HEADER_AUTO: they do not. A word above
 * numbers is a heading, unless the word is a node of other lines too. */
static cafe_header judge_kinds(const cafe_search *k, int32_t source, int32_t target) {
    cafe_cell u = head_kind(k, source), w = head_kind(k, target);
    bool digits = u != CAFE_CELL_WORD || w != CAFE_CELL_WORD, changes = false;
    bool below = all_numbers(k, source) || all_numbers(k, target);
    bool words = only_words(&k->columns[source]) && only_words(&k->columns[target]);
    for (int32_t c = 0; c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++) {
        bool known = (c == source || c == target) && k->columns[c].again;
        changes |= head_kind(k, c) == CAFE_CELL_WORD && all_numbers(k, c) && !known;
    }
    if (u != CAFE_CELL_WORD && w != CAFE_CELL_WORD)
        return words ? CAFE_HEADER_AUTO : CAFE_HEADER_NO; /* names of columns may be 0 and 1 */
    if (digits) return below && changes ? CAFE_HEADER_AUTO : CAFE_HEADER_NO;
    return changes ? CAFE_HEADER_YES : CAFE_HEADER_AUTO;
}

/* The comment above the first line is the heading if its words are usual column names, or if it has
 * as many columns as the rows. */
static bool comment_names(cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int32_t source, target, columns = k->l->columns;
    bool certain;
    if (!k->l->sample.comment) return false;
    int32_t count = cafe_sample_split(k->l->sample.comment, k->l->separator, cells);
    if (count != columns || count > CAFE_SAMPLE_COLUMNS) return false;
    bool pair = cafe_heading_pair(cells, count, &source, &target, &certain);
    if (!pair && (count < 3 || k->l->separator == ' ')) return false; /* a sentence, it may be */
    memcpy(k->l->head, cells, (size_t)count * sizeof *cells);
    return true;
}

static cafe_status judge_heading(cafe_search *k, int32_t source, int32_t target) {
    const cafe_graph_options *o = k->given;
    int32_t u, w;
    bool certain = false, *heading = &k->l->heading;
    *heading = false;
    if (is_certain(k) || o->header == CAFE_HEADER_NO) return CAFE_OK;
    if (o->header == CAFE_HEADER_YES || cafe_column_is_name(o->source) ||
        cafe_column_is_name(o->target) || cafe_column_is_name(o->weight)) {
        *heading = true;
        return CAFE_OK;
    }
    if (k->l->columns > CAFE_SAMPLE_COLUMNS) return CAFE_OK;
    bool pair = cafe_heading_pair(k->l->head, k->l->columns, &u, &w, &certain);
    bool nameless =
        k->l->columns >= 3 && head_kind(k, 0) == CAFE_CELL_EMPTY && k->columns[0].cells > 0;
    *heading = (pair && certain) || nameless;
    if (*heading || k->rows == 0 || source >= k->l->columns || target >= k->l->columns)
        return CAFE_OK;
    cafe_header kinds = judge_kinds(k, source, target);
    bool again = k->columns[source].again || k->columns[target].again;
    *heading = kinds == CAFE_HEADER_YES;
    if (kinds != CAFE_HEADER_AUTO) return CAFE_OK;
    bool words = head_kind(k, source) == CAFE_CELL_WORD && head_kind(k, target) == CAFE_CELL_WORD;
    if (cafe_search_known(k, &k->l->head[source]) || cafe_search_known(k, &k->l->head[target]))
        return CAFE_OK;
    if (pair && again)
        return refuse_heading(k, source, target, "which are nodes of other lines too");
    *heading = pair && words;
    if (*heading || (words && (again || looks_alike(k, source, target)))) return CAFE_OK;
    if (words && !k->l->sample.whole)
        CAFE_PASS(
            cafe_sample_again(k->input, &k->l->sample, k->l->separator, source, target, &again));
    if (again) return CAFE_OK;
    return refuse_heading(k, source, target,
                          words ? "which no other line has" : "above lines of another kind");
}

/* Beside a graph the option decides only where both are possible. */
static cafe_status find_heading(cafe_search *k, int32_t source, int32_t target) {
    int32_t header = k->request->edges->header;
    cafe_status status = judge_heading(k, source, target);
    if (!k->request->graph || status != CAFE_ERROR_FORMAT || header == CAFE_HEADER_AUTO)
        return status;
    k->input->context->error[0] = 0;
    k->l->heading = header == CAFE_HEADER_YES;
    return CAFE_OK;
}

/* ---- added or removed ------------------------------------------------------------------------ */

/* Is the first line one with names of columns that are never names of nodes? */
static bool is_headed(const cafe_search *k) {
    const uint8_t *line = k->l->sample.text;
    int32_t source, target, count = cafe_sample_split(line, cafe_field_separator(line), k->l->head);
    bool certain = false;
    return count <= CAFE_SAMPLE_COLUMNS &&
           cafe_heading_pair(k->l->head, count, &source, &target, &certain) && certain;
}

/* Takes the signs off the first lines, so that the columns are those of their edges. */
void cafe_search_signs(cafe_search *k) {
    cafe_line_sample *s = &k->l->sample;
    const uint8_t *end = s->text + s->used, *line = s->text, *next;
    uint8_t *to = s->text;
    if (is_headed(k)) return;
    for (; line < end; line = next) {
        next = cafe_skip_line(line, end);
        bool sign = cafe_has_sign(cafe_skip_blanks(line));
        k->l->signs |= sign;
        if (sign) line = cafe_skip_separator(cafe_skip_blanks(line) + 1);
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    s->used = to - s->text;
    memset(to, 0, CAFE_TEXT_PADDING);
}

/* Has the column words for added or removed in all lines with data? */
static bool has_changes(const cafe_search *k, int32_t c) {
    bool named = k->l->heading || k->l->above, any = false;
    const uint8_t *line = k->l->sample.text;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    for (line = k->l->heading ? cafe_search_next(k, line) : line; line;
         line = cafe_search_next(k, line)) {
        int32_t count = cafe_sample_split(line, k->l->separator, cells);
        if (c >= count || cafe_word_of_change(&cells[c]) == 0) return false;
        any = true;
    }
    return any || (named && cafe_heading_is_change(&k->l->head[c]));
}

/* A column that has "removed" beside other words: its lines would be added. */
static cafe_status refuse_mixed(const cafe_search *k, int32_t c) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    char text[CAFE_SHOWN_TEXT], other[CAFE_SHOWN_TEXT] = "", gone[CAFE_SHOWN_TEXT] = "";
    for (const uint8_t *line = k->l->sample.text; line; line = cafe_search_next(k, line)) {
        if (cafe_sample_split(line, k->l->separator, cells) <= c) continue;
        bool first = line == k->l->sample.text && k->l->heading;
        int word = first ? 1 : cafe_word_of_change(&cells[c]);
        bool whole = cells[c].end - cells[c].begin > 4;
        if (word < 0 && whole && !gone[0]) cafe_search_show(&cells[c], gone);
        if (word == 0 && !other[0]) cafe_search_show(&cells[c], other);
    }
    if (!gone[0]) return CAFE_OK;
    return cafe_search_refuse(k,
                              "expected added or removed in every line of column %d '%s', found "
                              "'%s' and '%s'",
                              (int)c, cafe_search_show(&k->l->head[c], text), gone, other);
}

/* The column with a usual name, else the only one that has such words alone. */
static cafe_status find_change(cafe_search *k) {
    bool named = k->l->heading || k->l->above;
    int32_t found = -1, count = 0;
    for (int32_t c = 0; c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++) {
        if (c == k->l->source || c == k->l->target || c == k->l->weight) continue;
        if (named && cafe_heading_is_change(&k->l->head[c])) {
            k->l->change = c;
            return CAFE_OK;
        }
        if (has_changes(k, c) && count++ == 0) found = c;
    }
    if (count > 1)
        return cafe_search_refuse(k, "expected one column with added or removed, found %d",
                                  (int)count);
    if (count == 1) k->l->change = found;
    int32_t u = k->l->source, w = k->l->target;
    bool certain;
    if (u < 0 && !(named && cafe_heading_pair(k->l->head, k->l->columns, &u, &w, &certain)))
        u = 0, w = 1;
    for (int32_t c = 0; count == 0 && c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++)
        if (c != u && c != w) CAFE_PASS(refuse_mixed(k, c));
    return CAFE_OK;
}

/* ---- the roles of columns -------------------------------------------------------------------- */

static bool counts_rows(const cafe_search *k, int32_t c) {
    return k->columns[c].counts && k->columns[c].cells == k->rows && k->rows >= FEW_ROWS;
}

static cafe_status refuse_columns(const cafe_search *k, const char *why) {
    char heads[400];
    return cafe_search_refuse(
        k,
        "expected columns that are clearly two nodes and a weight, found %s%s: give the "
        "nodes by " CAFE_OPT("source=COLUMN") " " CAFE_OPT("target=COLUMN") " (a name, or a number from 0), the weight "
        "by " CAFE_OPT("weight=COLUMN") ", or " CAFE_OPT("weights=no") " if there is none",
        cafe_search_heads(k, heads, sizeof heads), why);
}

/* A weight that could be several columns. If the caller named the columns of the nodes, the edges
 * have no weight, with a warning; else the file is refused. */
static cafe_status unclear_weight(cafe_search *k, const char *why) {
    k->l->weight_unclear = k->given->source != NULL;
    return k->l->weight_unclear ? CAFE_OK : refuse_columns(k, why);
}

/* ",a,b" above "a,0,1": column names equal row names. */
static bool is_matrix(const cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int32_t row = 0;
    if (head_kind(k, 0) != CAFE_CELL_EMPTY) return false;
    for (const uint8_t *line = k->l->sample.text; (line = cafe_search_next(k, line));) {
        int32_t count = cafe_sample_split(line, k->l->separator, cells);
        if (count < 1 || ++row >= k->l->columns) return false;
        const cafe_field *name = &k->l->head[row];
        if (!cafe_field_same(&cells[0], name)) return false;
    }
    return row == k->l->columns - 1;
}

/* How many columns have the role; the first ones into left[2]. An index without a name has none. */
static int32_t columns_of(const cafe_search *k, cafe_role role, int32_t left[2]) {
    int32_t count = 0;
    for (int32_t c = 0; c < k->l->columns; c++) {
        if (k->l->head[c].begin == k->l->head[c].end || c == k->l->change || c == k->l->kind ||
            cafe_heading_role(&k->l->head[c]) != role)
            continue;
        if (count < 2) left[count] = c;
        count++;
    }
    return count;
}

/* Takes the columns with usual names, else the two columns without another role. */
static cafe_status nodes_by_heading(cafe_search *k) {
    bool certain;
    int32_t left[2] = {0, 1};
    if (is_matrix(k))
        return refuse_columns(k,
                              ", the same names as those of the rows (an adjacency matrix? "
                              "edge lists have a line per edge)");
    if (cafe_heading_pair(k->l->head, k->l->columns, &k->l->source, &k->l->target, &certain))
        return CAFE_OK;
    int32_t count = k->l->columns == 2 ? 2 : columns_of(k, CAFE_ROLE_UNKNOWN, left);
    if (count == 0) count = columns_of(k, CAFE_ROLE_OTHER, left); /* user_id,item_id,weight */
    if (count != 2) return refuse_columns(k, "");
    k->l->source = left[0];
    k->l->target = left[1];
    return CAFE_OK;
}

/* Are all cells of the column numbers if commas are decimal marks, and not all of them otherwise?
 */
static bool has_commas(const cafe_search *k, int32_t c) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->l->sample.text;
    int64_t integer;
    bool any = false;
    if (k->l->separator == ',' || k->l->decimal == ',') return false;
    if (k->l->heading) line = cafe_search_next(k, line);
    for (; line; line = cafe_search_next(k, line)) {
        if (cafe_sample_split(line, k->l->separator, cells) <= c) continue;
        if (cafe_cell_kind(&cells[c], ',', &integer) == CAFE_CELL_WORD) return false;
        any |= cafe_cell_kind(&cells[c], '.', &integer) == CAFE_CELL_WORD;
    }
    return any;
}

static cafe_status weight_by_heading(cafe_search *k) {
    int32_t named = -1, weights = 0, exact = -1, unknown = 0, commas = 0;
    for (int32_t c = 0; c < k->l->columns; c++) {
        if (c == k->l->source || c == k->l->target || c == k->l->change || c == k->l->kind)
            continue;
        cafe_role role = cafe_heading_role(&k->l->head[c]);
        if (role == CAFE_ROLE_WEIGHT) {
            weights++;
            named = c;
            if (cafe_heading_is_weight(&k->l->head[c])) exact = c;
        }
        unknown += role == CAFE_ROLE_UNKNOWN && all_numbers(k, c) && !counts_rows(k, c);
        commas += role == CAFE_ROLE_UNKNOWN && has_commas(k, c);
    }
    if (exact >= 0) named = exact;
    if (weights > 1 && exact < 0) return unclear_weight(k, ", several of which may be the weight");
    if (weights == 0 && unknown == 0 && commas > 0)
        return unclear_weight(
            k, ", one of which may be the weight (decimal commas? " CAFE_OPT("decimal=,") ")");
    if (weights == 0 && unknown > 0) return unclear_weight(k, ", one of which may be the weight");
    k->l->weight = named;
    return CAFE_OK;
}

/* Are there as many lines as columns, and is the matrix symmetric or of 0 and 1? */
static cafe_status look_for_matrix(cafe_search *k, int32_t n, bool *matrix) {
    bool symmetric = true, bits = true;
    int32_t row = 0;
    *matrix = false;
    if (!k->l->sample.whole || k->rows + 1 != n || k->least != n || k->most != n) return CAFE_OK;
    cafe_field *cells = cafe_mem(k->input->context, (int64_t)n * n, sizeof *cells);
    if (!cells) return CAFE_ERROR_MEMORY;
    for (const uint8_t *p = k->l->sample.text; p && row < n; p = cafe_search_next(k, p)) {
        if (cafe_sample_split(p, k->l->separator, k->row) != n) break;
        memcpy(cells + (int64_t)n * row++, k->row, (size_t)n * sizeof *cells);
    }
    for (int32_t i = 0; i < row; i++)
        for (int32_t j = 0; j < n; j++) {
            const cafe_field *a = &cells[i * n + j], *b = &cells[j * n + i];
            int64_t value = 2;
            cafe_cell kind = cafe_cell_kind(a, '.', &value);
            bits &= kind == CAFE_CELL_INTEGER && (value == 0 || value == 1);
            symmetric &= row == n && kind != CAFE_CELL_WORD && cafe_field_same(a, b);
        }
    cafe_mem_free(k->input->context, cells);
    *matrix = row == n && (symmetric || bits);
    return CAFE_OK;
}

/* The first two columns, and the third as the weight; that of the change is none of them. Lines of
 * changes need no weight, even if others have it. */
static void take_places(cafe_search *k) {
    int32_t columns = k->l->columns, place[3] = {0, 1, 2}, count = 0;
    if (k->request->graph && k->most > columns) columns = k->most;
    for (int32_t c = 0; count < 3 && c < 4; c++)
        if (c != k->l->change && c != k->l->kind) place[count++] = c;
    k->l->source = place[0];
    k->l->target = place[1];
    k->l->weight = k->given->weights && columns > place[2] ? place[2] : -1;
}

/* Does the cell begin the attributes of an edge, as networkx.write_edgelist() writes them? *empty:
 * all cells of the column are {}. */
static bool has_dictionaries(const cafe_search *k, int32_t c, bool *empty) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    *empty = true;
    for (const uint8_t *line = k->l->sample.text; line; line = cafe_search_next(k, line)) {
        if (cafe_sample_split(line, k->l->separator, cells) <= c || *cells[c].begin != '{')
            return false;
        *empty = *empty && cafe_field_is(&cells[c], "{}", 2);
    }
    return true;
}

/* Without a heading: two nodes, then the weight, unless it looks otherwise. */
static cafe_status roles_by_place(cafe_search *k) {
    const cafe_column *third = &k->columns[2];
    bool commas = k->l->separator != ' ';
    int32_t columns = k->l->columns, integers = 0;
    take_places(k);
    if (columns < 3 || columns > CAFE_SAMPLE_COLUMNS || is_certain(k) || k->l->change >= 0 ||
        k->l->kind >= 0)
        return CAFE_OK;
    for (int32_t c = 0; c < columns; c++)
        integers +=
            head_kind(k, c) == CAFE_CELL_INTEGER && k->columns[c].integers == k->columns[c].cells;
    if (commas && k->columns[0].counts && k->rows + 1 >= FEW_ROWS && integers >= 3)
        return refuse_columns(k, " and so on, where the first may number the lines");
    if (integers == columns && k->rows > 0 && (k->least != columns || k->most != columns) &&
        k->least >= 3)
        return refuse_columns(k, ", and lines of different lengths (an adjacency list? " CAFE_OPT(
                                     "format=adjacency") ")");
    bool matrix = false;
    CAFE_PASS(look_for_matrix(k, columns, &matrix));
    if (matrix) return refuse_columns(k, ", a square of numbers (an adjacency matrix?)");
    if (k->l->weight < 0 || k->given->weight) return CAFE_OK;
    bool none = false;
    if (has_dictionaries(k, 2, &none)) {
        k->l->weight = -1;
        return none ? CAFE_OK
                    : refuse_columns(k,
                                     " (attributes of networkx.write_edgelist()? "
                                     "write_weighted_edgelist() writes weights)");
    }
    int64_t value = 0;
    if (head_kind(k, 2) == CAFE_CELL_WORD && third->numbers == 0)
        return refuse_columns(k, cafe_cell_kind(&k->l->head[2], ',', &value) == CAFE_CELL_WORD
                                     ? ""
                                     : " (decimal commas? " CAFE_OPT("decimal=,") ")");
    cafe_cell_kind(&k->l->head[2], k->l->decimal, &value);
    bool years = third->year && value >= 1900 && value < 2100 && k->rows >= SOME_ROWS;
    if (years || (third->time && value >= 300000000))
        return refuse_columns(k, ", where the third column looks like times");
    return CAFE_OK;
}

static cafe_status find_weight(cafe_search *k) {
    if (k->l->weight >= 0 || !k->given->weights) return CAFE_OK;
    if (k->l->heading || k->l->above) return weight_by_heading(k);
    for (int32_t c = 0; c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++) {
        bool node = c == k->l->source || c == k->l->target || c == k->l->kind;
        if (!node && head_kind(k, c) != CAFE_CELL_WORD && !k->columns[c].counts &&
            k->columns[c].numbers == k->columns[c].cells)
            return unclear_weight(k, ", one of which may be the weight");
    }
    return CAFE_OK;
}

static cafe_status find_roles(cafe_search *k) {
    const cafe_graph_options *o = k->given;
    bool named = k->l->heading || k->l->above;
    if (!o->weights && o->weight)
        return cafe_fail(k->input->context, CAFE_ERROR_ARGUMENT,
                         "give " CAFE_OPT("weight=%s") " or " CAFE_OPT("weights=no") ", not both",
                         o->weight);
    if (!o->source != !o->target)
        return cafe_fail(k->input->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("source") " and " CAFE_OPT("target") ": expected both or none");
    if (k->l->columns > CAFE_SAMPLE_COLUMNS && named)
        return cafe_search_refuse(k, "expected at most %d columns, found %d", CAFE_SAMPLE_COLUMNS,
                                  k->l->columns);
    if (k->l->heading && k->rows > 0 && k->least == k->most && k->least > k->l->columns &&
        !o->source)
        return refuse_columns(k, " above lines of more columns");
    if (o->source) return find_weight(k);
    int32_t weight = k->l->weight;
    if (named) {
        CAFE_PASS(nodes_by_heading(k));
        return find_weight(k);
    }
    CAFE_PASS(roles_by_place(k));
    if (weight >= 0) k->l->weight = weight;
    return CAFE_OK;
}

static cafe_status check_roles(const cafe_search *k) {
    const cafe_table_layout *l = k->l;
    if (l->kind >= 0 && (l->kind == l->source || l->kind == l->target || l->kind == l->weight))
        return cafe_search_refuse(k, "expected a column of its own for %s, found column %d",
                                  k->given->time ? "times" : "layers", l->kind);
    if (l->source != l->target && l->weight != l->source && l->weight != l->target) return CAFE_OK;
    return cafe_search_refuse(k,
                              "expected different columns, found source %d, target %d, weight %d",
                              l->source, l->target, l->weight);
}

/* The first edges as they stand there; a tab in a cell is shown. */
static void note_edges(cafe_search *k) {
    cafe_table_layout *l = k->l;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->l->sample.text;
    size_t used = 0;
    if (l->heading) line = cafe_search_next(k, line);
    for (int i = 0; i < FIRST_EDGES && line; line = cafe_search_next(k, line)) {
        int32_t count = cafe_sample_split(line, l->separator, cells);
        const int32_t columns[] = {l->source, l->target, l->weight};
        if (count <= l->source || count <= l->target || count <= l->weight) continue;
        for (int j = 0; j < 3; j++) {
            char text[CAFE_SHOWN_TEXT];
            if (columns[j] < 0 || columns[j] >= CAFE_SAMPLE_COLUMNS) continue;
            const cafe_field *cell = &cells[columns[j]];
            cafe_search_show(cell, text);
            used += (size_t)cafe_print(l->edges + used, sizeof l->edges - used, "%s%s",
                                       j ? "\t" : "", text);
        }
        used += (size_t)cafe_print(l->edges + used, sizeof l->edges - used, "\n");
        i++;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void measure(cafe_search *k, int32_t source, int32_t target) {
    k->l->columns = cafe_sample_split(k->l->sample.text, k->l->separator, k->l->head);
    k->rows = cafe_sample_columns(&k->l->sample, k->l->separator, k->l->decimal, source, target,
                                  k->columns, &k->least, &k->most);
}

/* R writes one name fewer than columns, because the numbers of the rows, in quotes, have none: then
 * the first one is empty. */
static void add_row_names(cafe_search *k) {
    cafe_table_layout *l = k->l;
    const uint8_t *line = l->sample.text;
    int32_t source, target, columns = l->columns;
    bool certain = false;
    if (k->rows == 0 || k->least != k->most || k->least != columns + 1 ||
        columns >= CAFE_SAMPLE_COLUMNS ||
        !cafe_heading_pair(l->head, columns, &source, &target, &certain) || !certain)
        return;
    while ((line = cafe_search_next(k, line)) != NULL) {
        int64_t number;
        cafe_sample_split(line, l->separator, k->row);
        if (!k->row[0].quoted || cafe_cell_kind(&k->row[0], '.', &number) != CAFE_CELL_INTEGER)
            return;
    }
    memmove(l->head + 1, l->head, (size_t)columns * sizeof *l->head);
    l->head[0] = (cafe_field){.begin = l->sample.text, .end = l->sample.text};
    l->columns++;
}

/* The column that an option gives as a number; -1: it gives none, or none of the first line's. */
static int32_t given_number(const char *given) {
    int32_t value = 0;
    for (const char *p = given; cafe_column_is_number(given) && *p && value < CAFE_SAMPLE_COLUMNS;
         p++)
        value = 10 * value + (*p - '0');
    return cafe_column_is_number(given) ? value : -1;
}

static cafe_status name_columns(cafe_search *k) {
    const cafe_graph_options *o = k->given;
    const char *given[] = {o->source, o->target, o->weight, o->time ? o->time : o->layer};
    const char *const words[] = {"source", "target", "weight", o->time ? "time" : "layer"};
    int32_t *columns[] = {&k->l->source, &k->l->target, &k->l->weight, &k->l->kind};
    for (int i = 0; i < 4; i++) {
        *columns[i] = -1;
        if (given[i] && given[i][0])
            CAFE_PASS(cafe_search_column(k, words[i], given[i], strlen(given[i]), columns[i]));
    }
    return CAFE_OK;
}

/* Has the first line the column that an option gives, by name or number? */
static bool has_column(const cafe_search *k, const char *given) {
    size_t length = given ? strlen(given) : 0;
    if (length == 0) return true;
    if (cafe_column_is_number(given)) return given_number(given) < k->l->columns;
    for (int32_t c = 0; c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++)
        if (cafe_field_is(&k->l->head[c], given, length)) return true;
    return false;
}

/* The options that hold for a table of changes: those of columns that it has. */
static void fit_options(cafe_search *k) {
    k->own = *k->request->edges;
    k->own.header = CAFE_HEADER_AUTO;
    k->own.layer = k->own.time = NULL;
    k->given = &k->own;
    if (!has_column(k, k->own.source) || !has_column(k, k->own.target))
        k->own.source = k->own.target = NULL;
    if (!has_column(k, k->own.weight)) k->own.weight = NULL;
}

/* Looks at the columns of the nodes, which are the first two unless their numbers are given. */
static cafe_status look(cafe_search *k) {
    k->l->columns = cafe_sample_split(k->l->sample.text, k->l->separator, k->l->head);
    if (k->request->graph) fit_options(k);
    const cafe_graph_options *o = k->given;
    int32_t source = given_number(o->source), target = given_number(o->target);
    source = source < 0 || source >= CAFE_SAMPLE_COLUMNS ? 0 : source;
    target = target < 0 || target >= CAFE_SAMPLE_COLUMNS ? 1 : target;
    measure(k, source, target);
    add_row_names(k);
    k->l->above = o->header == CAFE_HEADER_AUTO && comment_names(k);
    if (!k->l->above) CAFE_PASS(find_heading(k, source, target));
    k->l->heading &= !k->l->above;
    CAFE_PASS(name_columns(k));
    if (k->l->columns < 2) return CAFE_OK; /* malformed: the parser reports it */
    if (k->request->changes && !k->l->signs) CAFE_PASS(find_change(k));
    CAFE_PASS(find_roles(k));
    return check_roles(k);
}

cafe_status cafe_search_edges(cafe_search *k) {
    cafe_table_layout *l = k->l;
    CAFE_PASS(look(k));
    const uint8_t *edge = l->sample.text;
    if (l->source < 0 || l->target < 0) {
        l->source = 0;
        l->target = 1;
    }
    if (l->heading) edge = cafe_search_next(k, edge);
    int32_t columns = edge ? cafe_sample_split(edge, l->separator, k->row) : 0;
    bool quoted = l->weight >= 0 && l->weight < columns && k->row[l->weight].quoted;
    l->plain = l->source == 0 && l->target == 1 && (l->weight == 2 || l->weight < 0) &&
               l->decimal == '.' && strchr(" \t,;", l->separator) && !k->given->source && !quoted;
    note_edges(k);
    if (columns > l->columns) l->columns = columns;
    if (k->request->graph && k->most > l->columns) l->columns = k->most;
    return CAFE_OK;
}
