/* Tables as text: CSV, TSV, or numbers between blanks; plain or gzip, parsed by all threads.
 *
 * The first two lines tell the layout:
 *   separator   the one that gives the most numbers
 *   heading     no cell of the first line is a number
 *   row names   the first cell of a row is no number; or the heading has an empty first cell, one
 *               cell less than the rows, or a usual name of nodes there (NumPy users, pandas, R)
 *   index       numbers under no name, before a column of names: it is left out
 * Each window is cut into pieces. One pass counts the rows and the bytes of their names, so that
 * all threads know where theirs go; the next one parses.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "io/field.h"
#include "io/heading.h"
#include "io/layout_search.h"
#include "io/scanners.h"
#include "io/table.h"
#include "io/text_window.h"

static const int64_t window_bytes = (int64_t)16 << 20;

static const char not_number[] = "a finite number";
static const char too_large[] = "a number below 3.4e38 in size";
static const char too_few[] = "another number (every row has as many as the first)";
static const char too_many[] = "the end of the line (no row has more numbers than the first)";
static const char lone_return[] = "a line that ends with \\n or \\r\\n";
static const char no_separator[] = "a separator behind the cell";
static const char unclosed[] = "a closing quote on the same line";
static const char bad_byte[] = "UTF-8 text in a name";

typedef struct layout {
    uint8_t separator, decimal; /* ',' for a decimal comma */
    bool doubtful; /* while it is looked for: "1,234" may have its comma between thousands */
    bool heading, named;
    bool indexed;     /* a column without a name stands before the names */
    bool exact, bare; /* names as they stand, no line is a comment; no quotes either */
    int64_t columns;
    int64_t stated; /* rows that the heading of word2vec text states; -1: none */
} layout;

/* ---- cells ----------------------------------------------------------------------------------- */

/* A lone '\r' ends no line: the text after it would be lost. */
static bool ends_line(const uint8_t *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static bool is_skipped(const layout *l, const uint8_t *line) {
    const uint8_t *p = cafe_skip_blanks(line);
    return !l->exact && (ends_line(p) || *p == '#');
}

/* A number that fills its cell. */
static cafe_scan scan_bare(const uint8_t **at, float *value) {
    const uint8_t *p = *at;
    bool minus = *p == '-';
    p += minus;
    if (minus && *p == '+') return CAFE_SCAN_NONE;
    cafe_scan scan = cafe_scan_weight(&p, value);
    if (scan == CAFE_SCAN_OK) {
        *at = p;
        if (minus) *value = -*value;
    }
    return scan;
}

/* "1,5" becomes "1.5"; false: it has a point, or its comma may stand between thousands. */
static bool take_comma(uint8_t *text, const layout *l) {
    uint8_t *comma = (uint8_t *)strchr((char *)text, ',');
    if (strchr((const char *)text, '.')) return false;
    if (!comma) return true;
    *comma = '.';
    size_t before = (size_t)(comma - text), behind = strspn((char *)comma + 1, "0123456789");
    bool thousands = before > 0 && text[0] != '0' && behind == 3 && comma[4] == '\n';
    return !(l->doubtful && thousands);
}

/* "1.5" with its quotes, 1,5 */
static cafe_scan scan_copied(const uint8_t **at, const layout *l, float *value) {
    uint8_t text[64 + CAFE_TEXT_PADDING] = {0};
    const uint8_t *p = *at, *q = text;
    cafe_field field;
    if (cafe_field_take(&p, l->separator, &field) != CAFE_FIELD_FINE ||
        field.end - field.begin > 62)
        return CAFE_SCAN_NONE;
    text[cafe_field_copy(&field, text)] = '\n';
    if (l->decimal == ',' && !take_comma(text, l)) return CAFE_SCAN_NONE;
    cafe_scan scan = scan_bare(&q, value);
    if (scan == CAFE_SCAN_OK && *q != '\n') scan = CAFE_SCAN_NONE;
    if (scan == CAFE_SCAN_OK) *at = field.end + (**at == '"');
    return scan;
}

/* The number at *at, which moves to the next cell or stays on the trouble. */
static const char *take_number(const uint8_t **at, const layout *l, float *value) {
    const uint8_t separator = l->separator, *p = *at = cafe_skip_padding(*at, separator);
    if (cafe_is_line_end(*p)) return too_few;
    bool copied = *p == '"' || l->decimal == ',' || !cafe_is_field_end(separator);
    cafe_scan scan = copied ? scan_copied(&p, l, value) : scan_bare(&p, value);
    if (scan == CAFE_SCAN_RANGE) return too_large;
    if (scan != CAFE_SCAN_OK) return not_number;
    *at = p = cafe_skip_padding(p, separator);
    if (separator == ' ' || cafe_is_line_end(*p)) return NULL;
    if (*p != separator) return no_separator;
    *at = cafe_skip_padding(p + 1, separator);
    return NULL;
}

/* A name as it stands, up to the separator. */
static void take_exact(const uint8_t **at, uint8_t separator, cafe_field *field) {
    const uint8_t *p = *at;
    while (*p != separator && !ends_line(p)) p++;
    field->end = p;
    *at = p + (*p == separator);
}

/* A name between blanks or in quotes, perhaps empty. */
static const char *take_cell(const uint8_t **at, uint8_t separator, cafe_field *field) {
    switch (cafe_field_take(at, separator, field)) {
        case CAFE_FIELD_FINE: break;
        case CAFE_FIELD_EMPTY:
            field->begin = field->end = *at;
            *at = cafe_skip_padding(*at, separator);
            if (**at == '"') *at += 2; /* "" */
            *at = cafe_skip_padding(*at, separator);
            if (**at == separator) *at = cafe_skip_padding(*at + 1, separator);
            break;
        case CAFE_FIELD_UNCLOSED: return unclosed;
        case CAFE_FIELD_BEHIND: return no_separator;
    }
    return NULL;
}

/* The name at *at, which moves to the next cell or stays on the trouble. */
static const char *take_name(const uint8_t **at, const layout *l, cafe_field *field) {
    const char *trouble = NULL;
    *field = (cafe_field){.begin = *at, .end = *at};
    if (l->exact && (l->bare || **at != '"'))
        take_exact(at, l->separator, field);
    else
        trouble = take_cell(at, l->separator, field);
    const uint8_t *bad = trouble ? field->end : cafe_bad_utf8(field->begin, field->end);
    if (bad == field->end) return trouble;
    *at = bad;
    return bad_byte;
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* The contents of a line. */
typedef struct outline {
    int64_t cells, numbers;
    bool exists, first_empty;
    bool number[2], names_rows[2]; /* of the first cells */
} outline;

/* Is it a usual name of the column of the nodes, or of rows as our writer calls them? */
static bool names_rows(const cafe_field *head) {
    return (cafe_heading_is_node(head) && !cafe_heading_is_title(head)) ||
           cafe_field_is_word(head, "row") || cafe_field_is_word(head, "column");
}

static void look_at_cells(const uint8_t *p, const layout *l, outline *o) {
    uint8_t separator = l->separator;
    o->exists = true;
    o->cells = o->numbers = 0;
    p = cafe_skip_padding(p, separator);
    while (!cafe_is_line_end(*p)) {
        const uint8_t *q = p;
        cafe_field field;
        float value;
        bool number = take_number(&q, l, &value) == NULL;
        if (!number) {
            q = p;
            if (take_name(&q, l, &field) != NULL) return; /* the parser will say it */
            if (o->cells == 0) o->first_empty = field.begin == field.end;
            if (o->cells < 2) o->names_rows[o->cells] = names_rows(&field);
        }
        if (o->cells < 2) o->number[o->cells] = number;
        o->cells++;
        o->numbers += number;
        p = q;
    }
}

/* Moves to the next line that is neither blank nor a comment; begin == end at the end. */
static cafe_status next_line(cafe_text *text, const layout *l, cafe_place *line) {
    do CAFE_PASS(cafe_text_line(text, line));
    while (line->begin < line->end && is_skipped(l, line->at));
    return CAFE_OK;
}

static void decide(const outline *first, const outline *second, layout *l) {
    l->heading =
        first->numbers == 0 && (first->cells > 1 || (second->exists && second->numbers > 0));
    const outline *row = l->heading ? second : first;
    bool shorter = l->heading && row->cells == first->cells + 1;
    bool nameless = l->heading && (first->first_empty || shorter);
    l->named = nameless || (!row->number[0] && row->numbers > 0) ||
               (l->heading && row->cells > 1 && first->names_rows[0]);
    l->indexed = nameless && row->number[0] && row->cells > 2 &&
                 (!row->number[1] || first->names_rows[shorter ? 0 : 1]);
    l->columns = row->cells - l->named - l->indexed;
}

/* The separator and the decimal mark that give the most numbers; false: none gives any. */
static bool choose(const uint8_t *line, const char *separators, bool comma, layout *l) {
    int64_t most = 0;
    layout best = *l;
    for (const char *c = separators; *c; c++) {
        if (*c != ' ' && !cafe_field_has(line, (uint8_t)*c)) continue;
        for (int marks = 0; marks < (*c == ',' ? 1 : 2); marks++) {
            outline o = {0};
            layout tried = *l;
            tried.separator = (uint8_t)*c;
            tried.decimal = marks || (comma && *c != ',') ? ',' : '.';
            tried.doubtful = !comma && *c != ';';
            look_at_cells(line, &tried, &o);
            if (o.numbers > most) best = tried, most = o.numbers;
        }
    }
    *l = best;
    l->doubtful = false;
    return most > 0;
}

/* The option's separator if the line has it, else the file's, else any; as choose(). */
static bool find_separator(const cafe_text *text, const cafe_graph_options *given,
                           const uint8_t *line, layout *l) {
    uint8_t option = given ? cafe_separator_given(given->delimiter) : 0;
    char one[2] = {(char)text->stated, 0};
    if (option && option != ' ' && cafe_field_has(line, option)) one[0] = (char)option;
    l->separator = one[0] ? (uint8_t)one[0] : cafe_field_separator(line);
    return choose(line, one[0] ? one : ";\t,| ", given && given->decimal == CAFE_DECIMAL_COMMA, l);
}

/* The first line with a number shows the separator; a heading may not have another. */
static cafe_status survey(cafe_text *text, const cafe_graph_options *given, layout *l) {
    cafe_place line;
    outline lines[2] = {{0}};
    CAFE_PASS(next_line(text, l, &line));
    if (line.begin == line.end) return cafe_fail_at(text->context, &line, "a row of numbers");
    uint8_t first = cafe_field_separator(line.at);
    if (!find_separator(text, given, line.at, l)) {
        bool has = false;
        CAFE_PASS(next_line(text, l, &line));
        if (line.begin < line.end) has = find_separator(text, given, line.at, l);
        if (!has && first != ' ') l->separator = first;
    }
    cafe_text_rewind(text);
    CAFE_PASS(next_line(text, l, &line));
    if (first != ' ' && !cafe_field_has(line.at, l->separator)) l->separator = first;
    look_at_cells(line.at, l, &lines[0]);
    CAFE_PASS(next_line(text, l, &line));
    if (line.begin < line.end) look_at_cells(line.at, l, &lines[1]);
    decide(&lines[0], &lines[1], l);
    if (l->heading && !lines[1].exists)
        return cafe_fail_at(text->context, &line, "a row of numbers behind the heading");
    else if (l->columns < 1)
        return cafe_fail_at(text->context, &line, "a row of numbers");
    return CAFE_OK;
}

/* "n K", the first line of word2vec text, taken off the text. */
static cafe_status take_sizes(cafe_text *text, layout *l, int64_t *columns) {
    cafe_place line;
    CAFE_PASS(cafe_text_line(text, &line));
    const uint8_t *p = line.at;
    bool right = line.begin < line.end && cafe_scan_integer(&p, &l->stated) == CAFE_SCAN_OK;
    p = right ? cafe_skip_blanks(p) : p;
    right = right && cafe_scan_integer(&p, columns) == CAFE_SCAN_OK;
    if (right && cafe_is_line_end(*cafe_skip_blanks(p)) && l->stated >= 0) return CAFE_OK;
    return cafe_fail_at(text->context, &line,
                        "the numbers of nodes and of columns (word2vec text)");
}

/* Is the first line a heading? Behind its name it has words, no number, and no nan or inf. */
static bool begins_with_heading(const uint8_t *line, const layout *l) {
    outline o = {0};
    cafe_field field;
    const uint8_t *at = line;
    look_at_cells(line, l, &o);
    if (l->bare || o.cells < 2 || o.numbers != o.number[0]) return false;
    take_name(&at, l, &field);
    at += *at == '-' || *at == '+';
    return !cafe_same_word((const char *)at, "nan", 3) &&
           !cafe_same_word((const char *)at, "inf", 3);
}

/* Lines of a name and values: the first of them gives the number of values. */
static cafe_status survey_named(cafe_text *text, layout *l) {
    cafe_place line;
    cafe_field field;
    const char *trouble = NULL;
    int64_t columns = -1;
    float value;
    if (l->bare) CAFE_PASS(take_sizes(text, l, &columns));
    CAFE_PASS(cafe_text_line(text, &line));
    l->heading = line.begin < line.end && begins_with_heading(line.at, l);
    if (l->heading) CAFE_PASS(cafe_text_line(text, &line));
    if (line.begin == line.end) trouble = "a name and numbers";
    if (!trouble) trouble = take_name(&line.at, l, &field);
    while (!trouble && !cafe_is_line_end(*line.at)) {
        trouble = take_number(&line.at, l, &value);
        l->columns++;
    }
    if (!trouble && l->columns == 0) trouble = "a name and numbers";
    if (!trouble && columns >= 0 && columns != l->columns) trouble = "as many numbers as stated";
    if (trouble) return cafe_fail_at(text->context, &line, "%s", trouble);
    return CAFE_OK;
}

/* ---- the heading ----------------------------------------------------------------------------- */

static cafe_status read_heading(cafe_text *text, const layout *l, cafe_table *table) {
    cafe_place line;
    cafe_field field;
    CAFE_PASS(next_line(text, l, &line));
    int64_t *start = cafe_mem_zero(text->context, l->columns + 1, sizeof *start);
    char *names = cafe_mem(text->context, line.end - line.begin, 1);
    table->column_names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = names};
    if (!start || !names) return CAFE_ERROR_MEMORY;
    outline o = {0};
    look_at_cells(line.at, l, &o);
    int64_t corner = o.cells - l->columns, at = 0;
    if (corner < 0 || corner > l->named + l->indexed)
        return cafe_fail_at(text->context, &line, "a name for each of %lld columns",
                            (long long)l->columns);
    line.at = cafe_skip_padding(line.at, l->separator);
    for (int64_t j = -corner; j < l->columns; j++) {
        const char *trouble = take_name(&line.at, l, &field);
        if (trouble) return cafe_fail_at(text->context, &line, "%s", trouble);
        if (j < 0) continue;
        at += cafe_field_copy(&field, (uint8_t *)names + at);
        start[j + 1] = at;
    }
    return CAFE_OK;
}

/* ---- the rows -------------------------------------------------------------------------------- */

typedef struct piece_state {
    int64_t rows, bytes;       /* in the piece: rows, and bytes of their names */
    int64_t first, first_byte; /* where they go */
    const uint8_t *at;         /* the trouble's place */
    const char *trouble;
} piece_state;

typedef struct parsing {
    cafe_text text;
    const layout *layout;
    cafe_table *table;
    int64_t *start; /* the table's names of rows: their places and their text */
    char *names;
    int64_t capacity, name_capacity; /* rows, bytes */
    int64_t bytes;                   /* of names, so far */
    cafe_piece pieces[CAFE_TEXT_PIECES];
    piece_state states[CAFE_TEXT_PIECES];
} parsing;

/* Moves behind the column without a name, if there is one. */
static const char *skip_index(const uint8_t **at, const layout *l) {
    cafe_field index;
    if (!l->indexed) return NULL;
    *at = cafe_skip_padding(*at, l->separator);
    return take_name(at, l, &index);
}

static void count_piece(void *argument, int64_t task) {
    parsing *p = argument;
    const cafe_piece *piece = &p->pieces[task];
    piece_state *s = &p->states[task];
    *s = (piece_state){0};
    for (const uint8_t *line = piece->begin; line < piece->end;
         line = cafe_skip_line(line, piece->end)) {
        if (is_skipped(p->layout, line)) continue;
        s->rows++;
        const uint8_t *at = line;
        cafe_field field;
        if (!p->layout->named || skip_index(&at, p->layout)) continue;
        if (take_name(&at, p->layout, &field) == NULL) s->bytes += field.end - field.begin;
    }
}

/* One row; *at is on its line, and on the trouble if there is one. */
static const char *parse_row(parsing *p, piece_state *s, const uint8_t **at) {
    const layout *l = p->layout;
    float *values = p->table->values + s->first * l->columns;
    const char *trouble = NULL;
    if (!l->exact) *at = cafe_skip_padding(*at, l->separator);
    if (l->named) {
        cafe_field field;
        trouble = skip_index(at, l);
        if (!trouble) trouble = take_name(at, l, &field);
        if (trouble) return trouble;
        s->first_byte += cafe_field_copy(&field, (uint8_t *)p->names + s->first_byte);
        p->start[s->first + 1] = s->first_byte;
    }
    for (int64_t j = 0; j < l->columns && !trouble; j++) trouble = take_number(at, l, &values[j]);
    if (!trouble && !ends_line(*at)) trouble = **at == '\r' ? lone_return : too_many;
    return trouble;
}

static void parse_piece(void *argument, int64_t task, int32_t worker) {
    parsing *p = argument;
    const cafe_piece *piece = &p->pieces[task];
    piece_state *s = &p->states[task];
    (void)worker;
    for (const uint8_t *line = piece->begin; line < piece->end && !s->trouble;
         line = cafe_skip_line(line, piece->end)) {
        if (is_skipped(p->layout, line)) continue;
        s->at = line;
        s->trouble = parse_row(p, s, &s->at);
        s->first++;
    }
}

/* Makes room for `rows` rows in all; the first time for an estimate of the whole file. */
static cafe_status reserve(parsing *p, int64_t rows, int64_t bytes) {
    cafe_table *t = p->table;
    cafe_context *context = t->context;
    if (rows > p->capacity) {
        double used = (double)cafe_text_used(&p->text), guess = (double)p->text.size / (used + 1);
        int64_t more = p->capacity == 0 && guess < 1000 ? (int64_t)((double)rows * guess * 1.02)
                                                        : rows + rows / 2;
        if (more < rows) more = rows;
        float *values = cafe_mem_resize(context, t->values, more * t->columns, sizeof *values);
        if (!values) return CAFE_ERROR_MEMORY;
        t->values = values;
        if (p->layout->named) {
            int64_t *start = cafe_mem_resize(context, p->start, more + 1, sizeof *start);
            if (!start) return CAFE_ERROR_MEMORY;
            start[0] = 0;
            t->row_names.start = p->start = start;
        }
        p->capacity = more;
    }
    if (p->layout->named && bytes >= p->name_capacity) {
        char *names = cafe_mem_resize(context, p->names, 2 * bytes + 1, 1);
        if (!names) return CAFE_ERROR_MEMORY;
        t->row_names.text = p->names = names;
        p->name_capacity = 2 * bytes + 1;
    }
    return CAFE_OK;
}

/* Sets where the rows and names of every piece go. A doubled quote makes a name shorter than
 * counted; close_gaps() then joins the names. */
static cafe_status place_pieces(parsing *p) {
    int64_t rows = p->table->rows, bytes = p->bytes;
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        piece_state *s = &p->states[k];
        s->first = rows;
        s->first_byte = bytes;
        rows += s->rows;
        bytes += s->bytes;
    }
    return reserve(p, rows, bytes);
}

/* Names of a piece start where the piece before it ended. */
static void close_gaps(parsing *p) {
    int64_t row = p->table->rows, bytes = p->bytes, planned = p->bytes;
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        const piece_state *s = &p->states[k];
        int64_t length = s->first_byte - planned, shift = planned - bytes;
        if (shift > 0 && length > 0) memmove(p->names + bytes, p->names + planned, (size_t)length);
        for (int64_t i = 0; i < s->rows; i++) p->start[row + i + 1] -= shift;
        row += s->rows;
        bytes += length;
        planned += s->bytes;
    }
    p->bytes = bytes;
}

static cafe_status read_window(parsing *p) {
    cafe_context *context = p->table->context;
    CAFE_PASS(cafe_text_cut(&p->text, p->pieces));
    CAFE_PASS(cafe_each(context, CAFE_TEXT_PIECES, count_piece, p));
    CAFE_PASS(place_pieces(p));
    CAFE_PASS(cafe_text_parse(&p->text, parse_piece, p));
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        const piece_state *s = &p->states[k];
        if (!s->trouble) continue;
        cafe_place place = cafe_text_place(&p->text, &p->pieces[k], s->at);
        return cafe_fail_at(context, &place, "%s", s->trouble);
    }
    if (p->layout->named) close_gaps(p);
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) p->table->rows += p->states[k].rows;
    cafe_step(context, cafe_text_used(&p->text), 0);
    return CAFE_OK;
}

static cafe_status read_rows(parsing *p) {
    cafe_text *text = &p->text;
    if (text->begin == text->end) CAFE_PASS(cafe_text_next(text));
    while (text->begin < text->end) {
        CAFE_PASS(read_window(p));
        CAFE_PASS(cafe_text_next(text));
    }
    return CAFE_OK;
}

static cafe_status check_stated(cafe_context *context, const layout *l, const cafe_table *table) {
    if (l->stated < 0 || l->stated == table->rows) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s:1: expected the number of rows that follow, %lld, found %lld", table->name,
                     (long long)table->rows, (long long)l->stated);
}

/* What was taken for what, in words. */
static void describe(const layout *l, cafe_table *table) {
    char separator[8];
    cafe_print(table->reading, sizeof table->reading, "%s; %s; %s%s",
               !l->named    ? "no names of rows"
               : l->indexed ? "names of rows in column 1, ignored column 0"
                            : "names of rows in column 0",
               l->heading ? "a heading" : "no heading",
               cafe_separator_name(l->separator, separator),
               l->decimal == ',' ? "; decimal commas" : "");
}

cafe_status cafe_table_read_text(const cafe_input *input, cafe_table_style style,
                                 const cafe_graph_options *given, cafe_table *table) {
    cafe_context *context = input->context;
    bool exact = style != CAFE_TABLE_LOOK, bare = style == CAFE_TABLE_WORD2VEC;
    uint8_t separator = bare ? ' ' : style == CAFE_TABLE_COMMAS ? ',' : '\t';
    layout l = {
        .separator = separator, .decimal = '.', .named = exact, .exact = exact, .bare = bare};
    cafe_status status = CAFE_OK;
    parsing *p = cafe_mem_zero(context, 1, sizeof *p);
    if (!p) return CAFE_ERROR_MEMORY;
    l.stated = -1;
    p->layout = &l;
    p->table = table;
    CAFE_TRY(cafe_text_open(input, window_bytes, &p->text));
    CAFE_TRY(exact ? survey_named(&p->text, &l) : survey(&p->text, given, &l));
    if (style == CAFE_TABLE_LOOK) {
        describe(&l, table);
        cafe_note_table(context, input->name, table->reading);
    }
    table->columns = l.columns;
    table->first_line = exact ? 1 + (bare || l.heading) : 0;
    if (l.named) table->row_names.kind = CAFE_NAMES_STRING;
    cafe_text_rewind(&p->text);
    if (l.heading) CAFE_TRY(read_heading(&p->text, &l, table));
    if (bare) CAFE_TRY(take_sizes(&p->text, &l, &(int64_t){0}));
    CAFE_TRY(read_rows(p));
    status = check_stated(context, &l, table);
done:
    if (p->text.context) cafe_text_close(&p->text);
    cafe_mem_free(context, p);
    return status;
}
