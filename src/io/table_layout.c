/* The layout of a table of nodes: separator, heading, columns.
 *
 * Candidates are blanks, and the separators that all first lines contain. The separator whose first
 * fields are nodes of the graph is taken, comma, semicolon and tab before blanks. The first line is
 * a heading if its words are column names and no node of the graph, or if the graph's names are
 * integers and its first field is none. Ambiguous tables are refused with the change or the option
 * that makes them unambiguous.
 */
#include "io/table_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/heading.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/separator.h"

enum { SHOWN = 40, TEXT = 4 * SHOWN + 8, BLANKS = 3, BARS = 4, CANDIDATES = 5 };

static const uint8_t candidates[CANDIDATES] = {'\t', ',', ';', ' ', '|'};

typedef struct looking {
    cafe_rows *rows;
    const cafe_table_request *request;
    cafe_table_layout *l;
    bool integers;             /* the graph's names are */
    cafe_place first;          /* the first line, for messages */
    int64_t with[CANDIDATES];  /* lines that have it */
    int64_t known[CANDIDATES]; /* lines whose node is one of the graph, in the best column */
    int32_t best[CANDIDATES];  /* that column */
} looking;

/* ---- cells ----------------------------------------------------------------------------------- */

static const uint8_t *next_line(const looking *k, const uint8_t *line) {
    return cafe_sample_next(&k->l->sample, line);
}

static const char *show(const cafe_field *field, char text[TEXT]) {
    cafe_escape(field->begin, field->end - field->begin, SHOWN, text);
    return text;
}

static bool is_integer(const cafe_field *field) {
    const uint8_t *p = field->begin;
    p += p < field->end && (*p == '-' || *p == '+');
    bool digits = p < field->end;
    for (; p < field->end; p++) digits = digits && cafe_is_digit(*p);
    return digits;
}

static bool is_word(const cafe_field *field, const char *word) {
    size_t length = strlen(word);
    return (size_t)(field->end - field->begin) == length &&
           cafe_same_word((const char *)field->begin, word, length);
}

static bool is_known(const looking *k, const cafe_field *cell) {
    int64_t length = cell->end - cell->begin;
    char *name = k->rows->field;
    if (!k->request->graph || length < 1 || length > 2 * CAFE_LONGEST_NAME) return false;
    name[cafe_field_copy(cell, (uint8_t *)name)] = 0;
    return cafe_graph_find(k->request->graph, name) >= 0;
}

static bool is_number(const char *given) {
    return given[0] && given[strspn(given, "0123456789")] == 0;
}

static bool is_called(const cafe_field *cell, const char *name, size_t length) {
    return (size_t)(cell->end - cell->begin) == length && memcmp(cell->begin, name, length) == 0;
}

/* "label" beside other columns may be the name of a node. */
static bool is_title(const cafe_field *field) {
    return is_word(field, "label");
}

/* The cells of the first line. R writes one name fewer than columns, because the names of the rows
 * have none: then the first is empty. */
static int32_t split_head(const looking *k, uint8_t separator, cafe_field *head) {
    const uint8_t *text = k->l->sample.text, *line = text;
    int32_t heads = cafe_sample_split(text, separator, head);
    bool words = false, shorter = heads > 0 && heads < CAFE_SAMPLE_COLUMNS && next_line(k, line);
    for (int32_t c = 0; shorter && c < heads; c++)
        words |= cafe_heading_is_node(&head[c]) || cafe_heading_is_label(&head[c]);
    shorter = shorter && words && !is_known(k, &head[0]);
    while (shorter && (line = next_line(k, line)) != NULL)
        shorter = cafe_sample_split(line, separator, NULL) == heads + 1;
    if (!shorter) return heads;
    memmove(head + 1, head, (size_t)heads * sizeof *head);
    head[0] = (cafe_field){.begin = text, .end = text};
    return heads + 1;
}

/* ---- the separator --------------------------------------------------------------------------- */

/* May the column have the nodes? The given one; else the first, and those with usual names: not an
 * index, and not a title unless the graph has strings for names. */
static bool may_be_id(const looking *k, const cafe_field *head, int32_t c) {
    const char *id = k->request->id;
    if (id && is_number(id)) return c == strtol(id, NULL, 10);
    if (id) return is_called(&head[c], id, strlen(id));
    return c == 0 || cafe_heading_is_node(&head[c]) || (!k->integers && is_title(&head[c]));
}

/* Counts the nodes of the graph in each column that may have them; the best is the first of those
 * with a usual name that has any, else the first column. */
static void look_for_nodes(looking *k, int candidate) {
    cafe_field head[CAFE_SAMPLE_COLUMNS], cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->l->sample.text;
    int64_t known[CAFE_SAMPLE_COLUMNS] = {0};
    int32_t may[CAFE_SAMPLE_COLUMNS], count = 0;
    int32_t heads = split_head(k, candidates[candidate], head);
    for (int32_t c = 0; c < heads && c < CAFE_SAMPLE_COLUMNS; c++)
        if (may_be_id(k, head, c)) may[count++] = c;
    for (; line; line = next_line(k, line)) {
        int32_t cell = cafe_sample_split(line, candidates[candidate], cells);
        for (int32_t i = 0; i < count; i++)
            known[i] += may[i] < cell && is_known(k, &cells[may[i]]);
    }
    int32_t best = 0;
    for (int pass = 0; pass < 2; pass++) /* titles only where no better name has any */
        for (int32_t i = count - 1; i >= 0; i--) {
            bool named = i > 0 || cafe_heading_is_node(&head[may[i]]);
            if (!named || known[i] == 0 || (is_title(&head[may[i]]) != (pass == 0))) continue;
            if (pass == 1 || known[0] == 0) best = i;
        }
    k->best[candidate] = count > 0 ? may[best] : 0;
    k->known[candidate] = count > 0 ? known[best] : 0;
}

/* A file of bars: no other separator gives columns. */
static bool has_bars(const looking *k) {
    return cafe_sample_split(k->l->sample.text, ' ', NULL) == 1 &&
           cafe_sample_has(&k->l->sample, '|', 2);
}

static bool ends_with_tab(const uint8_t *line) {
    while (!cafe_is_line_end(*line)) line++;
    return line[-1] == '\t';
}

/* Counts the lines that have the separator; a tab at the end separates if another line has one. */
static void count_lines(looking *k, int c) {
    int64_t last = 0;
    for (const uint8_t *line = k->l->sample.text; line; line = next_line(k, line)) {
        bool inside = cafe_field_has(line, candidates[c]);
        k->with[c] += inside;
        last += !inside && candidates[c] == '\t' && ends_with_tab(line);
    }
    if (k->with[c] > 0) k->with[c] += last;
}

static void look(looking *k) {
    for (int c = 0; c < CANDIDATES; c++) {
        count_lines(k, c);
        if (c == BARS ? has_bars(k) : k->with[c] > 0 || c == BLANKS) look_for_nodes(k, c);
    }
}

static bool is_candidate(const looking *k, int c) {
    return k->with[c] == k->l->sample.lines;
}

/* Is there a separator in all lines that the graph knows as many nodes by? */
static bool has_better(const looking *k, int other) {
    for (int c = 0; c < BLANKS; c++)
        if (is_candidate(k, c) && k->known[c] >= k->known[other]) return true;
    return false;
}

/* The candidate that the graph knows nodes of, or the first; -1: it is uncertain. */
static int choose(const looking *k) {
    int chosen = -1;
    bool known = false;
    if (is_candidate(k, 1) && is_candidate(k, 2)) return -1;
    for (int c = 0; c < BLANKS; c++) { /* nodes are known by one that some lines lack */
        bool lacking = !is_candidate(k, c) && k->with[c] > 0;
        if (lacking && k->known[c] > 0 && !has_better(k, c)) return -1;
        if (!is_candidate(k, c) || (known && k->known[c] == 0)) continue;
        if (chosen < 0 || (!known && k->known[c] > 0)) chosen = c;
        known = k->known[chosen] > 0;
    }
    if (chosen < 0) return BLANKS;
    if (known || k->known[BLANKS] == 0) return chosen;
    return k->integers ? BLANKS : -1;
}

static cafe_status find_separator(looking *k, int *chosen) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS] = {{0}};
    char text[TEXT];
    *chosen = choose(k);
    if (*chosen >= 0) return CAFE_OK;
    if (is_candidate(k, 1) && is_candidate(k, 2))
        return cafe_fail_at(k->rows->context, &k->first,
                            "one separator in all lines, not commas and semicolons (names and "
                            "labels that have them stand in quotes)");
    for (int c = 0; c < BLANKS; c++)
        if (!is_candidate(k, c) && k->known[c] > 0)
            return cafe_fail_at(k->rows->context, &k->first,
                                "one separator in all lines (%s are in %lld of %lld)",
                                cafe_separator_name(candidates[c], (char[8]){0}),
                                (long long)k->with[c], (long long)k->l->sample.lines);
    cafe_sample_split(k->l->sample.text, ' ', cells);
    return cafe_fail_at(k->rows->context, &k->first,
                        "a separator that is certain: the node may be '%s', and commas part its "
                        "labels, or it may be a name with a blank that the graph does not have (a "
                        "tab behind the node makes it certain)",
                        show(&cells[0], text));
}

static void measure(looking *k) {
    cafe_table_layout *l = k->l;
    const uint8_t *line = l->sample.text;
    int32_t first = -1;
    l->columns = split_head(k, l->separator, l->head);
    l->even = true;
    while ((line = next_line(k, line)) != NULL) {
        int32_t cells = cafe_sample_split(line, l->separator, NULL);
        if (first < 0) first = cells;
        l->even = l->even && cells == first;
    }
}

/* ---- the heading ----------------------------------------------------------------------------- */

/* Does a later line have the label of the first one? Then that is no word of a heading. */
static bool is_repeated(const looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->l->sample.text;
    int32_t other = k->l->id == 0;
    if (other >= k->l->columns) return false;
    while ((line = next_line(k, line)) != NULL)
        if (cafe_sample_split(line, k->l->separator, cells) > other &&
            cafe_field_same(&cells[other], &k->l->head[other]))
            return true;
    return false;
}

static bool has_value_word(const looking *k) {
    for (int32_t c = 0; c < k->l->columns && k->request->is_value; c++)
        if (c != k->l->id && k->request->is_value(&k->l->head[c])) return true;
    return false;
}

static bool names_columns(const cafe_table_request *request) {
    return request->headed || (request->id && !is_number(request->id)) ||
           (request->value && request->value[strspn(request->value, "0123456789,")]);
}

#define WRITTEN_OTHERWISE \
    "(if it is the heading, begin it with #; if it is a node, put its line further below)"

/* Does the first line begin with a word that is none of the graph's nodes, and do its words make a
 * heading? */
static cafe_status find_heading(looking *k, int64_t nodes_known) {
    cafe_table_layout *l = k->l;
    const cafe_field *head = &l->head[l->id];
    bool node = cafe_heading_is_node(head) || is_title(head);
    bool value = has_value_word(k), known = is_known(k, head);
    l->heading = names_columns(k->request);
    if (l->heading || l->id >= l->columns) return CAFE_OK; /* the node is refused later */
    if (head->begin == head->end) {
        l->heading = value || nodes_known > 0;
        return l->heading ? CAFE_OK
                          : cafe_fail_at(k->rows->context, &k->first,
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
            k->rows->context, &k->first,
            "a heading or a node, but the graph has a node of that name " WRITTEN_OTHERWISE);
    l->heading = (node || value) && !known;
    if (known || l->heading || k->request->skips || nodes_known == 0 ||
        nodes_known + 1 < l->sample.lines)
        return CAFE_OK;
    return cafe_fail_at(
        k->rows->context, &k->first,
        "a node of the graph, or a heading whose first column is called node " WRITTEN_OTHERWISE);
}

/* The comment above names the columns if it has as many, a node's and a value's among them, unless
 * the first line is a heading itself. */
static bool take_comment(looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    cafe_table_layout *l = k->l;
    bool value = names_columns(k->request);
    int32_t id = -1;
    if (!l->sample.comment) return false;
    int32_t count = cafe_sample_split(l->sample.comment, l->separator, cells);
    if (count != l->columns || count < 2) return false;
    for (int32_t c = 0; c < count; c++) {
        bool node = cafe_heading_is_node(&cells[c]);
        if (node && (id < 0 || (is_known(k, &l->head[c]) && !is_known(k, &l->head[id])))) id = c;
        value |= k->request->is_value && k->request->is_value(&cells[c]);
    }
    if (id < 0 || !value) return false;
    if (cafe_heading_is_node(&l->head[id]) && !is_known(k, &l->head[id])) return false;
    memcpy(l->head, cells, (size_t)count * sizeof *cells);
    l->id = id;
    return true;
}

/* ---- the columns ----------------------------------------------------------------------------- */

static const char *list_heads(const cafe_table_layout *l, char *text, size_t capacity) {
    char one[TEXT];
    size_t used = 0;
    text[0] = 0;
    for (int32_t c = 0; c < l->columns && used + TEXT + 8 < capacity; c++)
        used += (size_t)cafe_print(text + used, capacity - used, "%s'%s'", c ? ", " : "",
                                   show(&l->head[c], one));
    return text;
}

/* The column of the option's value: a name of the heading, or a number. */
static cafe_status given_column(looking *k, const char *option, const char *given, size_t length,
                                int32_t *column) {
    cafe_table_layout *l = k->l;
    char heads[400];
    int64_t number = 0;
    bool digits = length > 0;
    for (size_t i = 0; i < length; i++) {
        digits = digits && cafe_is_digit((uint8_t)given[i]);
        if (digits && number < CAFE_SAMPLE_COLUMNS) number = 10 * number + (given[i] - '0');
    }
    bool named = l->heading || l->above;
    *column = -1;
    for (int32_t c = l->columns - 1; named && c >= 0; c--)
        if (is_called(&l->head[c], given, length)) *column = c;
    if (*column < 0 && digits && number < l->columns) *column = (int32_t)number;
    if (*column >= 0) return CAFE_OK;
    return cafe_fail(k->rows->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected a column '%.*s', as the option %s says, found %s",
                     k->rows->input.name, (long long)l->line, (int)length, given, option,
                     named ? list_heads(l, heads, sizeof heads) : "no heading");
}

static cafe_status given_values(looking *k) {
    cafe_table_layout *l = k->l;
    const cafe_table_request *r = k->request;
    for (const char *at = r->value; l->values < CAFE_SAMPLE_COLUMNS;) {
        size_t length = strcspn(at, ",");
        int32_t c;
        CAFE_PASS(given_column(k, r->option, at, length, &c));
        if (c == l->id)
            return cafe_fail(k->rows->context, CAFE_ERROR_FORMAT,
                             "%s:%lld:1: expected different columns for %s and the nodes, found %d",
                             k->rows->input.name, (long long)l->line, r->option, (int)c);
        l->value[l->values++] = c;
        if (!at[length]) break;
        at += length + 1;
    }
    return CAFE_OK;
}

/* A column "label" beside an id (Gephi and others) is a title, unless it is the only other column.
 */
static bool is_beside_id(const cafe_table_layout *l, int32_t c) {
    return l->columns > 2 && is_word(&l->head[c], "label") && is_word(&l->head[l->id], "id");
}

int cafe_cell_bit(const cafe_field *cell) {
    static const char *const words[] = {"",    "0", "0.0", "false", "na",
                                        "nan", ".", "1",   "1.0",   "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(cell, words[i])) return i >= 7;
    return -1;
}

/* Are two or more columns given that have 0 and 1 alone? Then each is a class. */
static bool are_bits(const looking *k) {
    const cafe_table_layout *l = k->l;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = l->sample.text;
    bool named = l->heading || l->above, any = false;
    if (!named || l->values < 2 || !k->request->is_value) return false;
    for (line = l->above ? line : next_line(k, line); line; line = next_line(k, line)) {
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

static cafe_status find_values(looking *k) {
    cafe_table_layout *l = k->l;
    char text[TEXT], other[TEXT];
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
            return cafe_fail_at(k->rows->context, &k->first,
                                "a heading with one column of labels, not '%s' and '%s' (give it "
                                "by " CAFE_OPT("label=COLUMN") ")",
                                show(&l->head[l->value[0]], text), show(&l->head[c], other));
        l->value[l->values++] = c;
    }
    if (l->values > 0) return CAFE_OK;
    take_all(l);
    l->bits = are_bits(k);
    if (l->bits) return CAFE_OK;
    return cafe_fail_at(
        k->rows->context, &k->first,
        "a heading with a column called %s%s, or its name by " CAFE_OPT("label=COLUMN"),
        k->request->expected, titled ? " (beside an id, 'label' is a title)" : "");
}

/* Lines of the same number of fields, more than two, are a table, whose columns need names. */
static cafe_status check_table(const looking *k) {
    const cafe_table_layout *l = k->l;
    bool named = l->heading || l->above || l->values > 0;
    if (named || l->separator == ' ' || l->columns <= 2 || !l->even) return CAFE_OK;
    const uint8_t *second = next_line(k, l->sample.text);
    if (second && cafe_sample_split(second, l->separator, NULL) != l->columns) return CAFE_OK;
    return cafe_fail_at(k->rows->context, &k->first,
                        "two columns, node and label, or a heading that names them, not %lld "
                        "columns (several labels stand behind a blank: node a,b; " CAFE_OPT(
                            "label=COLUMN") " takes one column)",
                        (long long)l->columns);
}

/* ---- what was understood --------------------------------------------------------------------- */

#define ADD(...) used += (size_t)cafe_print(l->text + used, sizeof l->text - used, __VA_ARGS__)

static void describe(const looking *k) {
    cafe_table_layout *l = k->l;
    char text[TEXT];
    size_t used = 0;
    int ignored = 0;
    bool named = l->heading || l->above, all = !k->request->is_value && !k->request->value;
    if (l->heading) ADD("line %lld is a heading; ", (long long)l->line);
    if (l->above) ADD("the comment before line %lld is a heading; ", (long long)l->line);
    if (named) ADD("node column %d '%s'", (int)l->id, show(&l->head[l->id], text));
    if (!named && l->values > 0) ADD("node column %d", (int)l->id);
    for (int32_t i = 0; i < l->values && i < 5 && !all; i++) {
        ADD(", %s column %d", k->request->option, (int)l->value[i]);
        if (named) ADD(" '%s'", show(&l->head[l->value[i]], text));
    }
    if (l->values > 5 && !all) ADD(", ... (%d columns)", (int)l->values);
    if (l->bits) ADD(", which are classes (0 and 1)");
    ADD("%s%s", used ? "; " : "", cafe_separator_name(l->separator, (char[8]){0}));
    for (int32_t c = 0; c < l->columns && named && !all && used + TEXT < sizeof l->text; c++) {
        bool taken = c == l->id;
        for (int32_t i = 0; i < l->values; i++) taken |= l->value[i] == c;
        if (!taken) ADD("%s '%s'", ignored++ ? "," : "; ignored", show(&l->head[c], text));
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status find(looking *k) {
    cafe_table_layout *l = k->l;
    const cafe_table_request *r = k->request;
    int chosen = BLANKS;
    look(k);
    const char *stated = l->sample.stated ? memchr(candidates, l->sample.stated, CANDIDATES) : NULL;
    if (stated)
        chosen = (int)(stated - (const char *)candidates);
    else
        CAFE_PASS(find_separator(k, &chosen));
    if (chosen == BLANKS && has_bars(k)) chosen = BARS;
    l->separator = candidates[chosen];
    l->id = k->best[chosen];
    measure(k);
    if (l->columns > CAFE_SAMPLE_COLUMNS)
        return cafe_fail_at(k->rows->context, &k->first, "at most %d columns", CAFE_SAMPLE_COLUMNS);
    l->above = take_comment(k);
    if (!l->above) CAFE_PASS(find_heading(k, k->known[chosen]));
    if (r->id) CAFE_PASS(given_column(k, "id", r->id, strlen(r->id), &l->id));
    CAFE_PASS(find_values(k));
    CAFE_PASS(check_table(k));
    describe(k);
    return CAFE_OK;
}

cafe_status cafe_table_layout_find(cafe_rows *rows, const cafe_table_request *request,
                                   cafe_table_layout *layout) {
    looking k = {.rows = rows, .request = request, .l = layout};
    memset(layout, 0, sizeof *layout);
    layout->separator = ' ';
    CAFE_PASS(cafe_sample_take(&rows->input, &layout->sample));
    if (layout->sample.lines == 0) return CAFE_OK;
    const uint8_t *text = layout->sample.text;
    const uint8_t *end = cafe_skip_line(text, text + layout->sample.used);
    layout->line = layout->sample.first;
    k.first = (cafe_place){rows->input.name, layout->line, text, end, cafe_skip_blanks(text)};
    k.integers = request->graph && cafe_graph_node_names(request->graph)->kind != CAFE_NAMES_STRING;
    return find(&k);
}

void cafe_table_layout_free(cafe_table_layout *layout) {
    if (layout->sample.context) cafe_sample_free(&layout->sample);
    layout->sample = (cafe_line_sample){0};
}

/* ---- the rows -------------------------------------------------------------------------------- */

cafe_status cafe_table_next(cafe_rows *rows, const cafe_table_layout *layout, bool *more) {
    CAFE_PASS(cafe_rows_next(rows, more));
    if (!*more) return CAFE_OK;
    rows->separator = layout->separator;
    CAFE_PASS(cafe_rows_split(rows));
    if ((!layout->heading && !layout->above) || rows->count <= layout->columns) return CAFE_OK;
    rows->line.at = rows->cells[layout->columns].begin;
    return cafe_fail_at(rows->context, &rows->line, "as many columns as the heading has, %lld",
                        (long long)layout->columns);
}

cafe_status cafe_table_first(cafe_rows *rows, const cafe_table_layout *layout, bool *more) {
    if (layout->heading) CAFE_PASS(cafe_rows_next(rows, more));
    return cafe_table_next(rows, layout, more);
}

cafe_status cafe_table_node(cafe_rows *rows, const cafe_table_layout *layout) {
    CAFE_PASS(cafe_rows_cell(rows, layout->id, "a node"));
    if (rows->length == 0) return cafe_fail_at(rows->context, &rows->line, "a node");
    bool other = layout->separator == ' ' && !rows->quoted && strpbrk(rows->field, ",;\t");
    if (!other) return CAFE_OK;
    return cafe_fail_at(rows->context, &rows->line,
                        "one separator in all lines (names with commas or semicolons stand in "
                        "quotes)");
}
