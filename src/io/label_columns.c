/* The layout of a file of labels: separator, heading, column.
 *
 * Candidates are blanks, and the separators that all first lines contain. The separator whose first
 * fields are nodes of the graph is taken, comma, semicolon and tab before blanks. The first line is
 * a heading if its words are column names and no node of the graph, or if the graph's names are
 * integers and its first field is none. Ambiguous files are refused with the change that makes them
 * unambiguous.
 */
#include "io/label_columns.h"

#include <string.h>

#include "base/print.h"
#include "io/field.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/separator.h"
#include "io/text_position.h"

enum { LINES = 4096, SHOWN = 40, CANDIDATES = 4 };

static const uint8_t candidates[CANDIDATES] = {'\t', ',', ';', ' '};

static const char *const node_words[] = {"node",   "nodes", "id",    "name", "vertex",   "node_id",
                                         "nodeid", "index", "label", "key",  "node name"};
static const char *const label_words[] = {
    "label", "labels",    "class",   "classes",          "category", "group", "groups",
    "type",  "community", "cluster", "modularity_class", "target",   "y"};

/* The beginning of the file, read with each candidate. */
typedef struct beginning {
    cafe_rows *rows;
    const cafe_graph *graph;
    bool skips;
    int64_t lines;
    int64_t with[CANDIDATES];   /* lines that have it */
    int64_t known[CANDIDATES];  /* lines whose first field is a node of the graph */
    int64_t fields[CANDIDATES]; /* of every line but the first; -1: lines differ */
} beginning;

/* ---- fields ---------------------------------------------------------------------------------- */

static bool is_among(const cafe_field *field, const char *const *words, size_t count) {
    size_t length = (size_t)(field->end - field->begin);
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length &&
            cafe_same_word((const char *)field->begin, words[i], length))
            return true;
    return false;
}

static bool is_node_word(const cafe_field *field) {
    return is_among(field, node_words, sizeof node_words / sizeof *node_words);
}

static bool is_label_word(const cafe_field *field) {
    return is_among(field, label_words, sizeof label_words / sizeof *label_words);
}

static bool is_word(const cafe_field *field, const char *word) {
    return is_among(field, &word, 1);
}

static bool is_integer(const cafe_field *field) {
    const uint8_t *p = field->begin;
    p += p < field->end && (*p == '-' || *p == '+');
    bool digits = p < field->end;
    for (; p < field->end; p++) digits = digits && *p >= '0' && *p <= '9';
    return digits;
}

/* Takes the next field, perhaps empty; false at the end. */
static bool next_field(const uint8_t **at, uint8_t separator, cafe_field *field) {
    const uint8_t *p = cafe_skip_padding(*at, separator);
    if (cafe_is_line_end(*p)) return false;
    cafe_field_fault fault = cafe_field_take(at, separator, field);
    if (fault != CAFE_FIELD_EMPTY) return fault == CAFE_FIELD_FINE;
    *field = (cafe_field){.begin = p, .end = p};
    p = cafe_skip_padding(*p == '"' ? p + 2 : p, separator); /* "" */
    *at = p + (*p == separator);
    return *p == separator || cafe_is_line_end(*p);
}

static int64_t count_fields(const uint8_t *at, uint8_t separator) {
    int64_t count = 0;
    for (cafe_field field; next_field(&at, separator, &field);) count++;
    return count;
}

static const char *shown(const cafe_field *field, char text[4 * SHOWN + 8]) {
    cafe_escape(field->begin, field->end - field->begin, SHOWN, text);
    return text;
}

static bool is_known(beginning *b, const uint8_t *at, uint8_t separator) {
    cafe_field field;
    cafe_rows *rows = b->rows;
    if (!next_field(&at, separator, &field)) return false;
    int64_t length = field.end - field.begin;
    if (length < 1 || length > 2 * CAFE_LONGEST_NAME) return false;
    rows->field[cafe_field_copy(&field, (uint8_t *)rows->field)] = 0;
    return cafe_graph_find(b->graph, rows->field) >= 0;
}

/* ---- the separator --------------------------------------------------------------------------- */

static cafe_status look(beginning *b) {
    bool more = true;
    cafe_rows *rows = b->rows;
    for (; b->lines < LINES; b->lines++) {
        CAFE_PASS(cafe_rows_next(rows, &more));
        if (!more) break;
        for (int c = 0; c < CANDIDATES; c++) {
            int64_t fields = count_fields(rows->line.at, candidates[c]);
            b->with[c] += cafe_field_has(rows->line.at, candidates[c]);
            b->known[c] += is_known(b, rows->line.at, candidates[c]);
            if (b->lines == 1) b->fields[c] = fields;
            if (b->lines > 1 && b->fields[c] != fields) b->fields[c] = -1;
        }
    }
    cafe_text_rewind(&rows->text);
    return cafe_rows_next(rows, &more);
}

static bool is_candidate(const beginning *b, int c) {
    return b->with[c] == b->lines;
}

/* The candidate, by its place, that the graph knows nodes of, or the first; -1: it is uncertain. */
static int choose(const beginning *b) {
    int chosen = -1, blanks = CANDIDATES - 1;
    bool integers = cafe_graph_node_names(b->graph)->kind != CAFE_NAMES_STRING, known = false;
    if (is_candidate(b, 1) && is_candidate(b, 2)) return -1;
    for (int c = 0; c < blanks; c++) { /* nodes are known by one that some lines lack */
        if (!is_candidate(b, c) && b->known[c] > 0 && b->with[c] > 0) return -1;
        if (!is_candidate(b, c) || (known && b->known[c] == 0)) continue;
        if (chosen < 0 || (!known && b->known[c] > 0)) chosen = c;
        known = b->known[chosen] > 0;
    }
    if (chosen < 0) return blanks;
    if (known || b->known[blanks] == 0) return chosen;
    return integers ? blanks : -1;
}

static cafe_status find_separator(beginning *b, int *chosen) {
    const cafe_rows *rows = b->rows;
    cafe_field blank;
    const uint8_t *at = rows->line.at;
    char text[4 * SHOWN + 8];
    *chosen = choose(b);
    if (*chosen >= 0) return CAFE_OK;
    if (is_candidate(b, 1) && is_candidate(b, 2))
        return cafe_fail_at(rows->context, &rows->line,
                            "one separator in all lines, not commas and semicolons (names and "
                            "labels that have them stand in quotes)");
    for (int c = 0; c + 1 < CANDIDATES; c++)
        if (!is_candidate(b, c) && b->known[c] > 0)
            return cafe_fail_at(rows->context, &rows->line,
                                "one separator in all lines (%s are in %lld of %lld)",
                                cafe_separator_name(candidates[c], (char[8]){0}),
                                (long long)b->with[c], (long long)b->lines);
    next_field(&at, ' ', &blank);
    return cafe_fail_at(rows->context, &rows->line,
                        "a separator that is certain: the node may be '%s', and commas part its "
                        "labels, or it may be a name with a blank that the graph does not have (a "
                        "tab behind the node makes it certain)",
                        shown(&blank, text));
}

/* ---- the heading ----------------------------------------------------------------------------- */

/* Does a later line have the label of the first one? Then that is no word of a heading. */
static cafe_status find_again(beginning *b, uint8_t separator, bool *again) {
    cafe_rows *rows = b->rows;
    cafe_field first, other;
    bool more = true;
    char label[4 * SHOWN + 8], found[4 * SHOWN + 8];
    const uint8_t *at = rows->line.at;
    *again = false;
    if (!next_field(&at, separator, &first) || !next_field(&at, separator, &first)) return CAFE_OK;
    shown(&first, label);
    for (int64_t i = 1; i < b->lines && !*again; i++) {
        CAFE_PASS(cafe_rows_next(rows, &more));
        at = rows->line.at;
        if (next_field(&at, separator, &other) && next_field(&at, separator, &other))
            *again = strcmp(shown(&other, found), label) == 0;
    }
    cafe_text_rewind(&rows->text);
    return cafe_rows_next(rows, &more);
}

/* Does the first line begin with a word that is none of the graph's nodes, and do its words make a
 * heading? */
static cafe_status find_heading(beginning *b, int c, cafe_label_layout *layout) {
    const cafe_rows *rows = b->rows;
    cafe_field first, second = {0};
    const uint8_t *at = rows->line.at;
    bool again;
    if (!next_field(&at, layout->separator, &first)) return CAFE_OK; /* the node is refused later */
    if (first.begin == first.end)
        return cafe_fail_at(rows->context, &rows->line,
                            "a node in the first column, or a heading that names it (pandas: "
                            "to_csv(..., index=False), R: row.names = FALSE)");
    bool two = next_field(&at, layout->separator, &second);
    bool words = is_node_word(&first) || (two && is_label_word(&second));
    bool both = is_node_word(&first) && two && is_label_word(&second);
    bool known = is_known(b, rows->line.at, layout->separator);
    bool integers = cafe_graph_node_names(b->graph)->kind != CAFE_NAMES_STRING;
    if (integers) {
        layout->heading = !known && (words || !is_integer(&first));
        return CAFE_OK;
    }
    CAFE_PASS(find_again(b, layout->separator, &again));
    if (again) return CAFE_OK;
    if (known && both)
        return cafe_fail_at(rows->context, &rows->line,
                            "a heading or a node, but the graph has a node of that name (if it is "
                            "the heading, begin it with #; if it is a node, put its line further "
                            "below)");
    layout->heading = words && !known;
    if (known || words || b->skips || b->known[c] == 0 || b->known[c] + 1 < b->lines)
        return CAFE_OK;
    return cafe_fail_at(rows->context, &rows->line,
                        "a node of the graph, or a heading whose first column is called node "
                        "(if it is the heading, begin it with #; if it is a node, put its line "
                        "further below)");
}

/* ---- the column ------------------------------------------------------------------------------ */

/* A column "label" beside an id (Gephi and others) is a title, unless it is the only other column.
 */
static cafe_status find_column(const beginning *b, cafe_label_layout *layout) {
    const cafe_rows *rows = b->rows;
    const uint8_t *at = rows->line.at;
    char text[4 * SHOWN + 8], other[4 * SHOWN + 8];
    cafe_field found = {0};
    bool id = false, titled = false;
    int64_t c = 0;
    for (cafe_field field; next_field(&at, layout->separator, &field); c++) {
        if (c == 0) id = is_word(&field, "id");
        bool title = id && is_word(&field, "label") && layout->columns > 2;
        titled = titled || title;
        if (c == 0 || title || !is_label_word(&field)) continue;
        if (layout->column > 0 && layout->columns > 2)
            return cafe_fail_at(rows->context, &rows->line,
                                "a heading with one column of labels, not '%s' and '%s' (leave the "
                                "node and its label)",
                                shown(&found, text), shown(&field, other));
        layout->column = c;
        found = field;
    }
    if (layout->columns <= 2) layout->column = 1;
    if (layout->column > 0) return CAFE_OK;
    return cafe_fail_at(rows->context, &rows->line,
                        "a heading with a column called label, class, category, group, community "
                        "or cluster%s",
                        titled ? " (beside an id, 'label' is a title)" : "");
}

/* Lines of the same number of fields, more than two, are a table, whose columns need names. */
static cafe_status check_table(const beginning *b, int c, const cafe_label_layout *layout) {
    int64_t fields = count_fields(b->rows->line.at, layout->separator);
    bool same = b->lines == 1 || b->fields[c] == fields;
    if (layout->separator == ' ' || fields <= 2 || !same) return CAFE_OK;
    return cafe_fail_at(b->rows->context, &b->rows->line,
                        "two columns, node and label, or a heading that names them, not %lld "
                        "columns (several labels stand behind a blank: node a,b)",
                        (long long)fields);
}

static void describe(const beginning *b, cafe_label_layout *layout) {
    const uint8_t *at = b->rows->line.at;
    char node[4 * SHOWN + 8] = "", label[4 * SHOWN + 8] = "", name[8];
    cafe_field field;
    for (int64_t c = 0; layout->heading && next_field(&at, layout->separator, &field); c++) {
        if (c == 0) shown(&field, node);
        if (c == layout->column) shown(&field, label);
    }
    const char *separator = cafe_separator_name(layout->separator, name);
    if (layout->heading)
        cafe_print(layout->text, sizeof layout->text,
                   "line %lld is a heading; node column 0 '%s', label column %lld '%s'; %s",
                   (long long)layout->line, node, (long long)layout->column, label, separator);
    else
        cafe_print(layout->text, sizeof layout->text, "%s", separator);
}

/* ---- the whole ------------------------------------------------------------------------------- */

cafe_status cafe_label_layout_find(cafe_rows *rows, const cafe_graph *graph, bool skips,
                                   cafe_label_layout *layout) {
    beginning b = {.rows = rows, .graph = graph, .skips = skips};
    int chosen;
    *layout = (cafe_label_layout){.separator = ' '};
    CAFE_PASS(look(&b));
    if (b.lines == 0) {
        cafe_text_rewind(&rows->text);
        return CAFE_OK;
    }
    layout->line = rows->line.line;
    CAFE_PASS(find_separator(&b, &chosen));
    layout->separator = candidates[chosen];
    layout->columns = count_fields(rows->line.at, layout->separator);
    CAFE_PASS(find_heading(&b, chosen, layout));
    CAFE_PASS(layout->heading ? find_column(&b, layout) : check_table(&b, chosen, layout));
    describe(&b, layout);
    cafe_text_rewind(&rows->text);
    return CAFE_OK;
}

cafe_status cafe_label_layout_begin(cafe_rows *rows, const cafe_label_layout *layout, bool *more) {
    CAFE_PASS(cafe_rows_next(rows, more));
    return layout->heading ? cafe_rows_next(rows, more) : CAFE_OK;
}

cafe_status cafe_label_layout_node(cafe_rows *rows, const cafe_label_layout *layout) {
    cafe_place begin = rows->line;
    rows->separator = layout->separator;
    CAFE_PASS(cafe_rows_field(rows, "a node"));
    bool other = layout->separator == ' ' && !rows->quoted && strpbrk(rows->field, ",;\t");
    if (!other) return CAFE_OK;
    return cafe_fail_at(rows->context, &begin,
                        "one separator in all lines (names with commas or semicolons stand in "
                        "quotes)");
}
