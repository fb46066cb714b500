/* From the first lines of an edge list to its layout: separator, heading, columns.
 *
 * Each step takes the option if given, else the only possible reading. If two readings are
 * possible, the file is refused with both and the option that chooses. The order of the steps
 * matters: columns have names only under a separator, and a column's role is known only after the
 * heading is.
 */
#include "io/column_layout.h"

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/heading.h"
#include "io/line_sample.h"
#include "io/separator.h"
#include "io/text_position.h"

enum { SHOWN = 30, TEXT = 4 * SHOWN + 8, FEW_ROWS = 3, SOME_ROWS = 10, FIRST_EDGES = 3 };

typedef struct looking {
    const cafe_input *input;
    const cafe_graph_options *options;
    cafe_layout *l;
    cafe_line_sample sample;
    cafe_field head[CAFE_SAMPLE_COLUMNS]; /* cells of the first line, or of the comment above it */
    int32_t heads;
    cafe_field row[CAFE_SAMPLE_COLUMNS]; /* room for the cells of another */
    bool above;                          /* the heading is the comment */
    cafe_column columns[CAFE_SAMPLE_COLUMNS];
    int32_t rows, least, most; /* lines but the first, and their numbers of cells */
} looking;

/* ---- refusals -------------------------------------------------------------------------------- */

#define REFUSE(k, ...) refuse(k, (k)->sample.first, __VA_ARGS__)
static cafe_status refuse(const looking *k, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static cafe_status refuse(const looking *k, int64_t line, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    cafe_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    return cafe_fail(k->input->context, CAFE_ERROR_FORMAT, "%s:%lld:1: %s", k->input->name,
                     (long long)line, text);
}

static const char *show(const cafe_field *cell, char text[TEXT]) {
    text[0] = '\'';
    cafe_escape(cell->begin, cell->end - cell->begin, SHOWN, text + 1);
    strcat(text, "'");
    return text;
}

/* ---- columns that options name --------------------------------------------------------------- */

/* -1: not given, or not a number. */
static cafe_status given_number(const looking *k, const char *option, const char *text,
                                int32_t *column) {
    *column = -1;
    if (!text || text[0] == 0 || text[strspn(text, "0123456789")] != 0) return CAFE_OK;
    int32_t value = 0;
    for (const char *p = text; *p && value < CAFE_SAMPLE_COLUMNS; p++)
        value = 10 * value + (*p - '0');
    int32_t columns = cafe_sample_split(k->sample.text, k->l->separator, NULL);
    if (k->least < INT32_MAX && k->most > columns) columns = k->most;
    if (value >= CAFE_SAMPLE_COLUMNS || (columns > 0 && value >= columns))
        return REFUSE(k, "expected column %s, as the option %s says, found columns 0 to %d", text,
                      option, columns - 1);
    *column = value;
    return CAFE_OK;
}

/* The columns of the heading in words, for messages: 'a', 'b', 'c'. */
static const char *list_heads(const looking *k, char *text, size_t capacity) {
    char one[TEXT];
    size_t used = 0;
    text[0] = 0;
    for (int32_t c = 0; c < k->heads && c < CAFE_SAMPLE_COLUMNS && used + TEXT < capacity; c++)
        used += (size_t)cafe_print(text + used, capacity - used, "%s%s", c ? ", " : "",
                                   show(&k->head[c], one));
    return text;
}

static bool is_name(const char *given) {
    return given && given[strspn(given, "0123456789")] != 0;
}

static int32_t find_name(const looking *k, const char *name) {
    for (int32_t c = 0; c < k->heads && c < CAFE_SAMPLE_COLUMNS; c++) {
        size_t length = (size_t)(k->head[c].end - k->head[c].begin);
        if (strlen(name) == length && memcmp(k->head[c].begin, name, length) == 0) return c;
    }
    return -1;
}

static cafe_status name_columns(looking *k) {
    const cafe_graph_options *o = k->options;
    const char *names[] = {o->source, o->target, o->weight};
    static const char *const words[] = {"source", "target", "weight"};
    int32_t *columns[] = {&k->l->source, &k->l->target, &k->l->weight};
    char heads[400];
    for (int i = 0; i < 3; i++) {
        CAFE_PASS(given_number(k, words[i], names[i], columns[i]));
        if (!is_name(names[i])) continue;
        bool named = k->l->heading || k->above;
        *columns[i] = named ? find_name(k, names[i]) : -1;
        if (*columns[i] < 0)
            return REFUSE(
                k, "expected a column '%s' in the heading, as the option %s says, found %s",
                names[i], words[i], named ? list_heads(k, heads, sizeof heads) : "no heading");
    }
    return CAFE_OK;
}

/* ---- the heading ----------------------------------------------------------------------------- */

static bool all_numbers(const looking *k, int32_t c) {
    return c < CAFE_SAMPLE_COLUMNS && k->columns[c].cells > 0 &&
           k->columns[c].numbers == k->columns[c].cells;
}

static cafe_cell head_kind(const looking *k, int32_t c) {
    int64_t integer;
    return c < k->heads ? cafe_cell_kind(&k->head[c], k->l->decimal, &integer) : CAFE_CELL_EMPTY;
}

static bool is_text(const cafe_field *cell) {
    return cafe_bad_utf8(cell->begin, cell->end) == cell->end;
}

static cafe_status refuse_heading(const looking *k, int32_t source, int32_t target,
                                  const char *why) {
    char first[TEXT], second[TEXT];
    const cafe_field *u = &k->head[source], *w = &k->head[target];
    if (!is_text(u) || !is_text(w)) /* neither reading would do */
        return REFUSE(k, "expected UTF-8 text in a node id, found %s",
                      show(is_text(u) ? w : u, first));
    return REFUSE(
        k,
        "expected a first line that is clearly a heading or an edge, found %s and %s, %s: "
        "give " CAFE_OPT("header=yes") " if they name columns, " CAFE_OPT(
            "header=no") " if they are an edge",
        show(u, first), show(w, second), why);
}

static bool only_words(const cafe_column *column) {
    return column->cells > 0 && column->numbers == 0;
}

/* Do most names in the rows look like those of the first line, except for digits? */
static bool looks_alike(const looking *k, int32_t source, int32_t target) {
    return 2 * k->columns[source].alike >= k->rows && 2 * k->columns[target].alike >= k->rows;
}

/* Do the rows show whether the first line is a heading? CAFE_HEADER_AUTO: they do not. A word above
 * numbers is a heading, unless the word is a node of other lines too. */
static cafe_header judge_kinds(const looking *k, int32_t source, int32_t target) {
    cafe_cell u = head_kind(k, source), w = head_kind(k, target);
    bool digits = u != CAFE_CELL_WORD || w != CAFE_CELL_WORD, changes = false;
    bool below = all_numbers(k, source) || all_numbers(k, target);
    bool words = only_words(&k->columns[source]) && only_words(&k->columns[target]);
    for (int32_t c = 0; c < k->heads && c < CAFE_SAMPLE_COLUMNS; c++) {
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
static bool comment_names(looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int32_t source, target, columns = k->heads;
    bool certain;
    if (!k->sample.comment) return false;
    int32_t count = cafe_sample_split(k->sample.comment, k->l->separator, cells);
    if (count != columns || count > CAFE_SAMPLE_COLUMNS) return false;
    bool pair = cafe_heading_pair(cells, count, &source, &target, &certain);
    if (!pair && (count < 3 || k->l->separator == ' ')) return false; /* a sentence, it may be */
    memcpy(k->head, cells, (size_t)count * sizeof *cells);
    return true;
}

static cafe_status find_heading(looking *k, int32_t source, int32_t target) {
    const cafe_graph_options *o = k->options;
    int32_t u, w;
    bool certain = false, *heading = &k->l->heading;
    *heading = false;
    if (k->sample.ours || o->header == CAFE_HEADER_NO) return CAFE_OK;
    if (o->header == CAFE_HEADER_YES || is_name(o->source) || is_name(o->target) ||
        is_name(o->weight)) {
        *heading = true;
        return CAFE_OK;
    }
    if (k->heads > CAFE_SAMPLE_COLUMNS) return CAFE_OK;
    bool pair = cafe_heading_pair(k->head, k->heads, &u, &w, &certain);
    bool nameless = k->heads >= 3 && head_kind(k, 0) == CAFE_CELL_EMPTY && k->columns[0].cells > 0;
    *heading = (pair && certain) || nameless;
    if (*heading || k->rows == 0 || source >= k->heads || target >= k->heads) return CAFE_OK;
    cafe_header kinds = judge_kinds(k, source, target);
    bool again = k->columns[source].again || k->columns[target].again;
    *heading = kinds == CAFE_HEADER_YES;
    if (kinds != CAFE_HEADER_AUTO) return CAFE_OK;
    bool words = head_kind(k, source) == CAFE_CELL_WORD && head_kind(k, target) == CAFE_CELL_WORD;
    if (pair && again)
        return refuse_heading(k, source, target, "which are nodes of other lines too");
    *heading = pair && words;
    if (*heading || (words && (again || looks_alike(k, source, target)))) return CAFE_OK;
    if (words && !k->sample.whole)
        CAFE_PASS(cafe_sample_again(k->input, &k->sample, k->l->separator, source, target, &again));
    if (again) return CAFE_OK;
    return refuse_heading(k, source, target,
                          words ? "which no other line has" : "above lines of another kind");
}

/* ---- the roles of columns -------------------------------------------------------------------- */

static bool counts_rows(const looking *k, int32_t c) {
    return k->columns[c].counts && k->columns[c].cells == k->rows && k->rows >= FEW_ROWS;
}

static cafe_status refuse_columns(const looking *k, const char *why) {
    char heads[400];
    return REFUSE(
        k,
        "expected columns that are clearly two nodes and a weight, found %s%s: give the "
        "nodes by " CAFE_OPT("source=COLUMN") " " CAFE_OPT("target=COLUMN") " (a name, or a number from 0), the weight "
        "by " CAFE_OPT("weight=COLUMN") ", or " CAFE_OPT("weights=no") " if there is none",
        list_heads(k, heads, sizeof heads), why);
}

/* A weight that could be several columns. If the caller named the columns of the nodes, the edges
 * have no weight, with a warning; else the file is refused. */
static cafe_status unclear_weight(looking *k, const char *why) {
    k->l->weight_unclear = k->options->source != NULL;
    return k->l->weight_unclear ? CAFE_OK : refuse_columns(k, why);
}

/* ",a,b" above "a,0,1": column names equal row names. */
static bool is_matrix(const looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int32_t row = 0;
    if (head_kind(k, 0) != CAFE_CELL_EMPTY) return false;
    for (const uint8_t *line = k->sample.text; (line = cafe_sample_next(&k->sample, line));) {
        int32_t count = cafe_sample_split(line, k->l->separator, cells);
        if (count < 1 || ++row >= k->heads) return false;
        const cafe_field *name = &k->head[row];
        if (!cafe_field_same(&cells[0], name)) return false;
    }
    return row == k->heads - 1;
}

/* How many columns have the role; the first ones into left[2]. An index without a name has none. */
static int32_t columns_of(const looking *k, cafe_role role, int32_t left[2]) {
    int32_t count = 0;
    for (int32_t c = 0; c < k->heads; c++) {
        if (k->head[c].begin == k->head[c].end || cafe_heading_role(&k->head[c]) != role) continue;
        if (count < 2) left[count] = c;
        count++;
    }
    return count;
}

/* Takes the columns with usual names, else the two columns without another role. */
static cafe_status nodes_by_heading(looking *k) {
    bool certain;
    int32_t left[2] = {0, 1};
    if (is_matrix(k))
        return refuse_columns(k,
                              ", the same names as those of the rows (an adjacency matrix? "
                              "edge lists have a line per edge)");
    if (cafe_heading_pair(k->head, k->heads, &k->l->source, &k->l->target, &certain))
        return CAFE_OK;
    int32_t count = k->heads == 2 ? 2 : columns_of(k, CAFE_ROLE_UNKNOWN, left);
    if (count == 0) count = columns_of(k, CAFE_ROLE_OTHER, left); /* user_id,item_id,weight */
    if (count != 2) return refuse_columns(k, "");
    k->l->source = left[0];
    k->l->target = left[1];
    return CAFE_OK;
}

static cafe_status weight_by_heading(looking *k) {
    int32_t named = -1, weights = 0, exact = -1, unknown = 0;
    for (int32_t c = 0; c < k->heads; c++) {
        if (c == k->l->source || c == k->l->target) continue;
        cafe_role role = cafe_heading_role(&k->head[c]);
        if (role == CAFE_ROLE_WEIGHT) {
            weights++;
            named = c;
            if (cafe_heading_is_weight(&k->head[c])) exact = c;
        }
        unknown += role == CAFE_ROLE_UNKNOWN && all_numbers(k, c) && !counts_rows(k, c);
    }
    if (exact >= 0) named = exact;
    if (weights > 1 && exact < 0) return unclear_weight(k, ", several of which may be the weight");
    if (weights == 0 && unknown > 0) return unclear_weight(k, ", one of which may be the weight");
    k->l->weight = named;
    return CAFE_OK;
}

/* Are there as many lines as columns, and is the matrix symmetric or of 0 and 1? */
static cafe_status look_for_matrix(looking *k, int32_t n, bool *matrix) {
    bool symmetric = true, bits = true;
    int32_t row = 0;
    *matrix = false;
    if (!k->sample.whole || k->rows + 1 != n || k->least != n || k->most != n) return CAFE_OK;
    cafe_field *cells = cafe_mem(k->input->context, (int64_t)n * n, sizeof *cells);
    if (!cells) return CAFE_ERROR_MEMORY;
    for (const uint8_t *p = k->sample.text; p && row < n; p = cafe_sample_next(&k->sample, p)) {
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

/* Without a heading: two nodes, then the weight, unless it looks otherwise. */
static cafe_status roles_by_place(looking *k) {
    const cafe_column *third = &k->columns[2];
    bool commas = k->l->separator != ' ';
    int32_t columns = k->heads, integers = 0;
    k->l->source = 0;
    k->l->target = 1;
    k->l->weight = k->options->weights && columns >= 3 ? 2 : -1;
    if (columns < 3 || columns > CAFE_SAMPLE_COLUMNS || k->sample.ours) return CAFE_OK;
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
    if (k->l->weight < 0 || k->options->weight) return CAFE_OK;
    int64_t value = 0;
    if (head_kind(k, 2) == CAFE_CELL_WORD && third->numbers == 0)
        return refuse_columns(k, cafe_cell_kind(&k->head[2], ',', &value) == CAFE_CELL_WORD
                                     ? ""
                                     : " (decimal commas? " CAFE_OPT("decimal=,") ")");
    cafe_cell_kind(&k->head[2], k->l->decimal, &value);
    bool years = third->year && value >= 1900 && value < 2100 && k->rows >= SOME_ROWS;
    if (years || (third->time && value >= 300000000))
        return refuse_columns(k, ", where the third column looks like times");
    return CAFE_OK;
}

static cafe_status find_weight(looking *k) {
    if (k->l->weight >= 0 || !k->options->weights) return CAFE_OK;
    if (k->l->heading || k->above) return weight_by_heading(k);
    for (int32_t c = 0; c < k->heads && c < CAFE_SAMPLE_COLUMNS; c++) {
        bool node = c == k->l->source || c == k->l->target;
        if (!node && head_kind(k, c) != CAFE_CELL_WORD && !k->columns[c].counts &&
            k->columns[c].numbers == k->columns[c].cells)
            return unclear_weight(k, ", one of which may be the weight");
    }
    return CAFE_OK;
}

static cafe_status find_roles(looking *k) {
    const cafe_graph_options *o = k->options;
    bool named = k->l->heading || k->above;
    if (!o->weights && o->weight)
        return cafe_fail(k->input->context, CAFE_ERROR_ARGUMENT,
                         "give " CAFE_OPT("weight=%s") " or " CAFE_OPT("weights=no") ", not both",
                         o->weight);
    if (!o->source != !o->target)
        return cafe_fail(k->input->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("source") " and " CAFE_OPT("target") ": expected both or none");
    if (k->heads > CAFE_SAMPLE_COLUMNS && named)
        return REFUSE(k, "expected at most %d columns, found %d", CAFE_SAMPLE_COLUMNS, k->heads);
    if (k->l->heading && k->rows > 0 && k->least == k->most && k->least > k->heads && !o->source)
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

static cafe_status check_roles(const looking *k) {
    const cafe_layout *l = k->l;
    if (l->source != l->target && l->weight != l->source && l->weight != l->target) return CAFE_OK;
    return REFUSE(k, "expected different columns, found source %d, target %d, weight %d", l->source,
                  l->target, l->weight);
}

/* ---- what was understood --------------------------------------------------------------------- */

static void say_column(const looking *k, const char *role, int32_t c, size_t *used) {
    char name[TEXT] = "", *said = k->l->said;
    size_t room = sizeof k->l->said - *used;
    if (c < 0 || room < TEXT + 64) return;
    if ((k->l->heading || k->above) && c < k->heads) show(&k->head[c], name);
    *used += (size_t)cafe_print(said + *used, room, "%s%s column %d%s%s", *used ? ", " : "", role,
                                c, name[0] ? " " : "", name);
}

static void say(looking *k) {
    cafe_layout *l = k->l;
    char name[8];
    size_t used = 0;
    say_column(k, "source", l->source, &used);
    say_column(k, "target", l->target, &used);
    say_column(k, "weight", l->weight, &used);
    for (int32_t c = 0; c < l->columns && c < CAFE_SAMPLE_COLUMNS; c++)
        if (c != l->source && c != l->target && c != l->weight) say_column(k, "ignored", c, &used);
    static const char *const ids[] = {"", "; ids are text", "; ids are numbers"};
    cafe_print(l->said + used, sizeof l->said - used, "; %s; %s%s",
               l->heading ? "a heading"
               : k->above ? "a heading in a comment"
                          : "no heading",
               cafe_separator_name(l->separator, name), ids[k->options->ids]);
}

/* The first edges as they stand there; a tab in a cell is shown. */
static void note_edges(looking *k) {
    cafe_layout *l = k->l;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->sample.text;
    size_t used = 0;
    if (l->heading) line = cafe_sample_next(&k->sample, line);
    for (int i = 0; i < FIRST_EDGES && line; line = cafe_sample_next(&k->sample, line)) {
        int32_t count = cafe_sample_split(line, l->separator, cells);
        const int32_t columns[] = {l->source, l->target, l->weight};
        if (count <= l->source || count <= l->target || count <= l->weight) continue;
        for (int j = 0; j < 3; j++) {
            char text[4 * SHOWN + 8];
            if (columns[j] < 0 || columns[j] >= CAFE_SAMPLE_COLUMNS) continue;
            const cafe_field *cell = &cells[columns[j]];
            cafe_escape(cell->begin, cell->end - cell->begin, SHOWN, text);
            used += (size_t)cafe_print(l->edges + used, sizeof l->edges - used, "%s%s",
                                       j ? "\t" : "", text);
        }
        used += (size_t)cafe_print(l->edges + used, sizeof l->edges - used, "\n");
        i++;
    }
}

static void measure(looking *k, int32_t source, int32_t target) {
    k->heads = cafe_sample_split(k->sample.text, k->l->separator, k->head);
    k->rows = cafe_sample_columns(&k->sample, k->l->separator, k->l->decimal, source, target,
                                  k->columns, &k->least, &k->most);
}

static void settle(looking *k) {
    cafe_layout *l = k->l;
    const uint8_t *edge = k->sample.text;
    if (l->heading) edge = cafe_sample_next(&k->sample, edge);
    l->columns = edge ? cafe_sample_split(edge, l->separator, k->row) : 0;
    bool quoted = l->weight >= 0 && l->weight < l->columns && k->row[l->weight].quoted;
    if (l->heading && k->heads > l->columns) l->columns = k->heads;
    l->plain = l->source == 0 && l->target == 1 && (l->weight == 2 || l->weight < 0) &&
               l->decimal == '.' && strchr(" \t,;", l->separator) && !k->options->source && !quoted;
    say(k);
    note_edges(k);
}

static cafe_status look(looking *k) {
    int32_t source = 0, target = 1;
    CAFE_PASS(
        cafe_separator_find(k->input, k->options, &k->sample, k->l->decimal, &k->l->separator));
    k->least = INT32_MAX;
    measure(k, 0, 1);
    CAFE_PASS(given_number(k, "source", k->options->source, &source));
    CAFE_PASS(given_number(k, "target", k->options->target, &target));
    if (source < 0) source = 0;
    if (target < 0) target = 1;
    if (source != 0 || target != 1) measure(k, source, target);
    k->above = k->options->header == CAFE_HEADER_AUTO && comment_names(k);
    if (!k->above) CAFE_PASS(find_heading(k, source, target));
    k->l->heading &= !k->above;
    CAFE_PASS(name_columns(k));
    if (k->heads < 2) return CAFE_OK; /* malformed: the parser reports it */
    CAFE_PASS(find_roles(k));
    return check_roles(k);
}

cafe_status cafe_layout_find(const cafe_input *input, const cafe_graph_options *options,
                             cafe_layout *layout) {
    cafe_status status = CAFE_ERROR_MEMORY;
    *layout = (cafe_layout){.separator = ' ', .source = 0, .target = 1, .weight = -1};
    layout->decimal = options->decimal == CAFE_DECIMAL_COMMA ? ',' : '.';
    layout->plain = true;
    looking *k = cafe_mem_zero(input->context, 1, sizeof *k);
    if (!k) return status;
    k->input = input;
    k->options = options;
    k->l = layout;
    k->sample.context = input->context;
    CAFE_TRY(cafe_sample_take(input, &k->sample));
    layout->declared = k->sample.declared;
    if (k->sample.lines == 0) goto done;
    CAFE_TRY(look(k));
    if (layout->source < 0 || layout->target < 0) {
        layout->source = 0;
        layout->target = 1;
    }
    settle(k);
done:
    cafe_sample_free(&k->sample);
    cafe_mem_free(input->context, k);
    return status;
}
