/* Heading and columns of a table of nodes.
 *
 * The first line is a heading if its words are column names and no node of the graph. It is also
 * one if the graph's names are integers and its first cell is none. Ambiguous tables are refused
 * with the change or the option that makes them unambiguous.
 */
#include <string.h>

#include "io/heading.h"
#include "io/layout_search.h"
#include "io/scanners.h"

static bool is_integer(const cafe_field *field) {
    const uint8_t *p = field->begin;
    p += p < field->end && (*p == '-' || *p == '+');
    bool digits = p < field->end;
    for (; p < field->end; p++) digits = digits && cafe_is_digit(*p);
    return digits;
}

/* ---- the heading ----------------------------------------------------------------------------- */

/* Does a later line have the label of the first one? Then that is no word of a heading. */
static bool is_repeated(const cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->l->sample.text;
    int32_t other = k->l->id == 0;
    if (other >= k->l->columns) return false;
    while ((line = cafe_search_next(k, line)) != NULL)
        if (cafe_sample_split(line, k->l->separator, cells) > other &&
            cafe_field_same(&cells[other], &k->l->head[other]))
            return true;
    return false;
}

static bool has_value_word(const cafe_search *k) {
    for (int32_t c = 0; c < k->l->columns && k->request->is_value; c++)
        if (c != k->l->id && k->request->is_value(&k->l->head[c])) return true;
    return false;
}

static bool names_columns(const cafe_table_request *request) {
    return request->headed || (request->id && !cafe_column_is_number(request->id)) ||
           (request->value && request->value[strspn(request->value, "0123456789,")]);
}

#define WRITTEN_OTHERWISE \
    "(if it is the heading, begin it with #; if it is a node, put its line further below)"

/* Does the first line begin with a word that is none of the graph's nodes, and do its words make a
 * heading? */
static cafe_status judge_heading(cafe_search *k) {
    cafe_table_layout *l = k->l;
    const cafe_field *head = &l->head[l->id];
    bool node = cafe_heading_is_node(head) || cafe_heading_is_title(head);
    bool value = has_value_word(k), known = cafe_search_known(k, head);
    l->heading = names_columns(k->request);
    if (l->heading || l->id >= l->columns) return CAFE_OK; /* the node is refused later */
    if (head->begin == head->end) {
        l->heading = value || k->known > 0;
        return l->heading ? CAFE_OK
                          : cafe_fail_at(k->input->context, &k->first,
                                         "a node in the first column, or a heading that names it "
                                         "(pandas: to_csv(..., index=False), R: row.names = "
                                         "FALSE)");
    }
    if (k->integers && k->request->graph) {
        l->heading = !known && (node || value || !is_integer(head));
        return CAFE_OK;
    }
    if (is_repeated(k)) return CAFE_OK;
    if (known && node && value)
        return cafe_fail_at(
            k->input->context, &k->first,
            "a heading or a node, but the graph has a node of that name " WRITTEN_OTHERWISE);
    l->heading = (node || value) && !known;
    if (known || l->heading || k->request->skips || k->known == 0 || k->known + 1 < l->sample.lines)
        return CAFE_OK;
    return cafe_fail_at(
        k->input->context, &k->first,
        "a node of the graph, or a heading whose first column is called node " WRITTEN_OTHERWISE);
}

/* Are there words of headings in the first line? */
static bool is_headed(const cafe_search *k) {
    const cafe_field *head = &k->l->head[k->l->id];
    return cafe_heading_is_node(head) || cafe_heading_is_title(head) || has_value_word(k);
}

/* The option decides where both are possible; a node of the graph is no heading, and no option
 * makes a certain heading a node. */
static cafe_status find_heading(cafe_search *k) {
    int32_t header = k->given ? k->given->header : CAFE_HEADER_AUTO;
    cafe_table_layout *l = k->l;
    cafe_status status = judge_heading(k);
    if (header == CAFE_HEADER_AUTO || l->id >= l->columns) return status;
    bool known = cafe_search_known(k, &l->head[l->id]), doubtful = status == CAFE_ERROR_FORMAT;
    if (!doubtful && (status != CAFE_OK || known || names_columns(k->request))) return status;
    if (doubtful) k->input->context->error[0] = 0;
    l->heading = header == CAFE_HEADER_YES || (!doubtful && l->heading && is_headed(k));
    return CAFE_OK;
}

/* The comment above names the columns if it has as many, a node's and a value's among them, unless
 * the first line is a heading itself. */
static bool take_comment(cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    cafe_table_layout *l = k->l;
    bool value = names_columns(k->request) || !k->request->is_value;
    int32_t id = -1;
    if (!l->sample.comment) return false;
    int32_t count = cafe_sample_split(l->sample.comment, l->separator, cells);
    if (count != l->columns || count < 2) return false;
    for (int32_t c = 0; c < count; c++) {
        bool node = cafe_heading_is_node(&cells[c]);
        if (node &&
            (id < 0 || (cafe_search_known(k, &l->head[c]) && !cafe_search_known(k, &l->head[id]))))
            id = c;
        value |= k->request->is_value && k->request->is_value(&cells[c]);
    }
    if (id < 0 || !value) return false;
    if (cafe_heading_is_node(&l->head[id]) && !cafe_search_known(k, &l->head[id])) return false;
    memcpy(l->head, cells, (size_t)count * sizeof *cells);
    l->id = id;
    return true;
}

/* ---- the columns ----------------------------------------------------------------------------- */

static cafe_status given_values(cafe_search *k) {
    cafe_table_layout *l = k->l;
    const cafe_table_request *r = k->request;
    for (const char *at = r->value; l->values < CAFE_SAMPLE_COLUMNS;) {
        size_t length = strcspn(at, ",");
        int32_t c;
        CAFE_PASS(cafe_search_column(k, r->option, at, length, &c));
        if (c == l->id)
            return cafe_search_refuse(
                k, "expected different columns for %s and the nodes, found %d", r->option, (int)c);
        l->value[l->values++] = c;
        if (!at[length]) break;
        at += length + 1;
    }
    return CAFE_OK;
}

/* A column "label" beside an id (Gephi and others) is a title, unless it is the only other column.
 */
static bool is_beside_id(const cafe_table_layout *l, int32_t c) {
    return l->columns > 2 && cafe_field_is_word(&l->head[c], "label") &&
           cafe_field_is_word(&l->head[l->id], "id");
}

int cafe_cell_bit(const cafe_field *cell) {
    static const char *const words[] = {"",    "0", "0.0", "false", "na",
                                        "nan", ".", "1",   "1.0",   "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cafe_field_is_word(cell, words[i])) return i >= 7;
    return -1;
}

/* Are two or more columns given that have 0 and 1 alone? Then each is a class. */
static bool are_bits(const cafe_search *k) {
    const cafe_table_layout *l = k->l;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = l->sample.text;
    bool named = l->heading || l->above, any = false;
    if (!named || l->values < 2 || !k->request->is_value) return false;
    for (line = l->above ? line : cafe_search_next(k, line); line;
         line = cafe_search_next(k, line)) {
        int32_t count = cafe_sample_split(line, l->separator, cells);
        for (int32_t i = 0; i < l->values; i++) {
            int bit = l->value[i] < count ? cafe_cell_bit(&cells[l->value[i]]) : 0;
            if (bit < 0) return false;
            any |= bit > 0;
        }
    }
    return any;
}

/* All columns with a name but that of the nodes. */
static void take_all(cafe_table_layout *l) {
    for (int32_t c = 0; c < l->columns; c++)
        if (c != l->id && l->head[c].begin < l->head[c].end) l->value[l->values++] = c;
}

static cafe_status find_values(cafe_search *k) {
    cafe_table_layout *l = k->l;
    char text[CAFE_SHOWN_TEXT], other[CAFE_SHOWN_TEXT];
    bool titled = false;
    if (k->request->value) {
        CAFE_PASS(given_values(k));
        l->bits = are_bits(k);
        return CAFE_OK;
    }
    if (!l->heading && !l->above) return CAFE_OK;
    if (!k->request->is_value) {
        for (int32_t c = 0; c < l->columns; c++)
            if (c != l->id) l->value[l->values++] = c;
        return CAFE_OK;
    }
    if (l->columns == 2) l->value[l->values++] = l->id == 0;
    for (int32_t c = 0; c < l->columns && l->columns > 2; c++) {
        if (c == l->id || !k->request->is_value(&l->head[c])) continue;
        titled |= is_beside_id(l, c);
        if (is_beside_id(l, c)) continue;
        if (l->values == 1)
            return cafe_fail_at(k->input->context, &k->first,
                                "a heading with one column of labels, not '%s' and '%s' (give it "
                                "by " CAFE_OPT("label=COLUMN") ")",
                                cafe_search_show(&l->head[l->value[0]], text),
                                cafe_search_show(&l->head[c], other));
        l->value[l->values++] = c;
    }
    if (l->values > 0) return CAFE_OK;
    take_all(l);
    l->bits = are_bits(k);
    if (l->bits) return CAFE_OK;
    return cafe_fail_at(
        k->input->context, &k->first,
        "a heading with a column called %s%s, or its name by " CAFE_OPT("label=COLUMN"),
        k->request->expected, titled ? " (beside an id, 'label' is a title)" : "");
}

/* Have the lines but the first the same number of cells? */
static bool is_even(const cafe_search *k) {
    const uint8_t *line = k->l->sample.text;
    int32_t first = -1;
    while ((line = cafe_search_next(k, line)) != NULL) {
        int32_t cells = cafe_sample_split(line, k->l->separator, NULL);
        if (first < 0) first = cells;
        if (cells != first) return false;
    }
    return true;
}

/* Lines of the same number of fields, more than two, are a table, whose columns need names. */
static cafe_status check_table(const cafe_search *k) {
    const cafe_table_layout *l = k->l;
    bool named = l->heading || l->above || l->values > 0;
    if (named || l->separator == ' ' || l->columns <= 2 || !is_even(k)) return CAFE_OK;
    const uint8_t *second = cafe_search_next(k, l->sample.text);
    if (second && cafe_sample_split(second, l->separator, NULL) != l->columns) return CAFE_OK;
    return cafe_fail_at(k->input->context, &k->first,
                        "two columns, node and label, or a heading that names them, not %lld "
                        "columns (several labels stand behind a blank: node a,b; " CAFE_OPT(
                            "label=COLUMN") " takes one column)",
                        (long long)l->columns);
}

/* ---- the whole ------------------------------------------------------------------------------- */

cafe_status cafe_search_nodes(cafe_search *k) {
    cafe_table_layout *l = k->l;
    const char *id = k->request->id;
    l->columns = cafe_search_split_head(k, l->separator, l->head);
    if (l->columns > CAFE_SAMPLE_COLUMNS)
        return cafe_fail_at(k->input->context, &k->first, "at most %d columns",
                            CAFE_SAMPLE_COLUMNS);
    l->above = take_comment(k);
    if (!l->above) CAFE_PASS(find_heading(k));
    if (id) CAFE_PASS(cafe_search_column(k, "id", id, strlen(id), &l->id));
    CAFE_PASS(find_values(k));
    return check_table(k);
}
