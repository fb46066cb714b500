/* The separator of a table: comma, semicolon, tab, blanks, bar, or the option's.
 *
 * Of edges: the first line gives candidates, and a line without a candidate excludes it. If more
 * than one is left, or commas may be decimal commas, the file is refused. Of nodes: of the
 * separators that all first lines contain, the one whose first cells are nodes of the graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "io/heading.h"
#include "io/layout_search.h"
#include "io/scanners.h"

const char *cafe_separator_name(uint8_t separator, char text[8]) {
    if (separator == ' ') return "blanks";
    if (separator == ',') return "commas";
    if (separator == ';') return "semicolons";
    if (separator == '\t') return "tabs";
    cafe_print(text, 8, "'%c'", separator);
    return text;
}

/* A word or, as the option's check ensures, one character. */
uint8_t cafe_separator_given(const char *given) {
    static const struct {
        const char *word;
        uint8_t c;
    } words[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '}, {"blank", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    for (size_t i = 0; given && i < sizeof words / sizeof *words; i++)
        if (strcmp(given, words[i].word) == 0) return words[i].c;
    return given ? (uint8_t)given[0] : 0;
}

/* ---- tables of edges ------------------------------------------------------------------------- */

/* A tab beside a comma is a blank. */
static bool is_padding(const uint8_t *line) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int32_t count = cafe_sample_split(line, '\t', cells);
    for (int32_t c = 0; c < count && c < CAFE_SAMPLE_COLUMNS; c++) {
        const cafe_field *cell = &cells[c];
        if (cell->quoted || cell->begin == cell->end) continue;
        if (cafe_is_comma(*cell->begin) || cafe_is_comma(cell->end[-1])) return true;
    }
    return false;
}

/* ".tsv", plain or packed: tabs are meant. */
static bool is_tsv(const char *name) {
    const char *dot = strstr(name, ".tsv"), *next;
    while (dot && (next = strstr(dot + 1, ".tsv")) != NULL) dot = next;
    return dot && (dot[4] == 0 || dot[4] == '.');
}

/* Names with blanks between tabs, or two names and a number with blanks and tabs between them? */
static bool may_be_blanks(const cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int64_t integer;
    bool blanks = false;
    for (const uint8_t *line = k->l->sample.text; line; line = cafe_search_next(k, line)) {
        int32_t count = cafe_sample_split(line, ' ', cells);
        blanks |= count != cafe_sample_split(line, '\t', NULL);
        if (count < 3 || cafe_cell_kind(&cells[2], k->l->decimal, &integer) == CAFE_CELL_WORD)
            return false;
    }
    return blanks;
}

/* "a b 0,5": may the commas be decimal commas? */
static bool may_be_decimals(const cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int64_t integer;
    for (const uint8_t *line = k->l->sample.text; line; line = cafe_search_next(k, line))
        if (cafe_sample_split(line, ' ', cells) < 3 ||
            cafe_cell_kind(&cells[2], '.', &integer) != CAFE_CELL_WORD ||
            cafe_cell_kind(&cells[2], ',', &integer) == CAFE_CELL_WORD)
            return false;
    return true;
}

static cafe_status refuse_separators(const cafe_search *k, const uint8_t *found) {
    char first[8], second[8];
    bool commas = found[0] == ',';
    return cafe_search_refuse(
        k,
        "expected columns with one separator, found %s and %s: give " CAFE_OPT(
            "delimiter=%s") " or " CAFE_OPT("delimiter=%s") "%s",
        cafe_separator_name(found[0], first), cafe_separator_name(found[1], second),
        commas            ? ","
        : found[0] == ';' ? "';'"
                          : "tab",
        found[1] == ';'   ? "';'"
        : found[1] == ' ' ? "space"
                          : "tab",
        commas ? ", and " CAFE_OPT("decimal=,") " if commas are decimal marks" : "");
}

/* Finds the comma, semicolon and tab of the first line that all other lines have too. */
static int found_in_all(const cafe_search *k, uint8_t *found) {
    static const char all[] = ",;\t";
    const uint8_t *line = k->l->sample.text;
    int count = 0, kept = 0;
    for (const char *c = all; *c; c++) {
        if (*c == ',' && k->l->decimal == ',') continue;
        if (*c == '\t' && is_padding(line)) continue;
        bool outside = cafe_field_has(line, (uint8_t)*c); /* quotes */
        if (outside && cafe_sample_split(line, (uint8_t)*c, NULL) >= 2)
            found[count++] = (uint8_t)*c;
    }
    if (count < 2) return count;
    for (int i = 0; i < count; i++)
        if (cafe_sample_has(&k->l->sample, found[i], 2)) found[kept++] = found[i];
    return kept > 0 ? kept : 1;
}

/* A file of bars: no other separator gives columns. */
static bool has_bars(const cafe_search *k) {
    return cafe_sample_split(k->l->sample.text, ' ', NULL) == 1 &&
           cafe_sample_has(&k->l->sample, '|', 2);
}

static cafe_status find_of_edges(cafe_search *k) {
    const uint8_t *line = k->l->sample.text;
    uint8_t found[4] = {0}, *separator = &k->l->separator;
    *separator = cafe_field_separator(line);
    if (k->l->sample.ours) return CAFE_OK;
    int count = found_in_all(k, found);
    bool tabs = false;
    for (int i = 0; i < count; i++) tabs |= found[i] == '\t';
    if (tabs && is_tsv(k->input->name)) {
        *separator = '\t';
        return CAFE_OK;
    }
    if (count >= 2) return refuse_separators(k, found);
    bool lists = k->request->graph || cafe_sample_split(line, ' ', NULL) < 2;
    if (count == 0 && lists && k->l->decimal == ',' && cafe_field_has(line, ',')) {
        k->l->decimal = '.'; /* the tables beside it have decimal commas, this one has not */
        found[count++] = ',';
    }
    *separator = count == 1 ? found[0] : ' ';
    if (*separator == '\t' && may_be_blanks(k))
        return refuse_separators(k, (const uint8_t[]){'\t', ' '});
    if (*separator == ',' && may_be_decimals(k))
        return refuse_separators(k, (const uint8_t[]){',', ' '});
    if (*separator == ' ' && has_bars(k)) *separator = '|';
    return CAFE_OK;
}

/* ---- tables of nodes ------------------------------------------------------------------------- */

enum { BLANKS = 3, BARS = 4, GIVEN = 5, CANDIDATES = 6 };

typedef struct counting {
    const cafe_search *search;
    uint8_t candidates[CANDIDATES]; /* the last one is the option's; 0: none */
    int64_t with[CANDIDATES];       /* lines that have it */
    int64_t known[CANDIDATES];      /* lines whose node is one of the graph, in the best column */
    int32_t best[CANDIDATES];       /* that column */
} counting;

/* The cells of the first line. R writes one name fewer than columns, because the names of the rows
 * have none: then the first is empty. */
int32_t cafe_search_split_head(const cafe_search *k, uint8_t separator, cafe_field *head) {
    const uint8_t *text = k->l->sample.text, *line = text;
    int32_t heads = cafe_sample_split(text, separator, head);
    bool words = false,
         shorter = heads > 0 && heads < CAFE_SAMPLE_COLUMNS && cafe_search_next(k, line);
    for (int32_t c = 0; shorter && c < heads; c++)
        words |= cafe_heading_is_node(&head[c]) || cafe_heading_is_label(&head[c]);
    shorter = shorter && words && !cafe_search_known(k, &head[0]);
    while (shorter && (line = cafe_search_next(k, line)) != NULL)
        shorter = cafe_sample_split(line, separator, NULL) == heads + 1;
    if (!shorter) return heads;
    memmove(head + 1, head, (size_t)heads * sizeof *head);
    head[0] = (cafe_field){.begin = text, .end = text};
    return heads + 1;
}

/* May the column have the nodes? The given one; else the first, and those with usual names: not an
 * index, and not a title unless the graph has strings for names. */
static bool may_be_id(const counting *k, const cafe_field *head, int32_t c) {
    const char *id = k->search->request->id;
    if (id && cafe_column_is_number(id)) return c == strtol(id, NULL, 10);
    if (id) return cafe_field_is(&head[c], id, strlen(id));
    return c == 0 || cafe_heading_is_node(&head[c]) ||
           (!k->search->integers && cafe_heading_is_title(&head[c]));
}

/* Counts the nodes of the graph in each column that may have them. The best is the first one with a
 * usual name that has any, else the first column. */
static void look_for_nodes(counting *k, int candidate) {
    cafe_field head[CAFE_SAMPLE_COLUMNS], cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = k->search->l->sample.text;
    int64_t known[CAFE_SAMPLE_COLUMNS] = {0};
    int32_t may[CAFE_SAMPLE_COLUMNS], count = 0;
    int32_t heads = cafe_search_split_head(k->search, k->candidates[candidate], head);
    for (int32_t c = 0; c < heads && c < CAFE_SAMPLE_COLUMNS; c++)
        if (may_be_id(k, head, c)) may[count++] = c;
    for (; line; line = cafe_search_next(k->search, line)) {
        int32_t cell = cafe_sample_split(line, k->candidates[candidate], cells);
        for (int32_t i = 0; i < count; i++)
            known[i] += may[i] < cell && cafe_search_known(k->search, &cells[may[i]]);
    }
    int32_t best = 0;
    for (int pass = 0; pass < 2; pass++) /* titles only where no better name has any */
        for (int32_t i = count - 1; i >= 0; i--) {
            bool named = i > 0 || cafe_heading_is_node(&head[may[i]]);
            if (!named || known[i] == 0 || (cafe_heading_is_title(&head[may[i]]) != (pass == 0)))
                continue;
            if (pass == 1 || known[0] == 0) best = i;
        }
    k->best[candidate] = count > 0 ? may[best] : 0;
    k->known[candidate] = count > 0 ? known[best] : 0;
}

static bool ends_with_tab(const uint8_t *line) {
    while (!cafe_is_line_end(*line)) line++;
    return line[-1] == '\t';
}

/* Counts the lines that have the separator; a tab at the end separates if another line has one. */
static void count_lines(counting *k, int c) {
    int64_t last = 0;
    for (const uint8_t *line = k->search->l->sample.text; line;
         line = cafe_search_next(k->search, line)) {
        bool inside = cafe_field_has(line, k->candidates[c]);
        k->with[c] += inside;
        last += !inside && k->candidates[c] == '\t' && ends_with_tab(line);
    }
    if (k->with[c] > 0) k->with[c] += last;
}

static void look(counting *k) {
    for (int c = 0; c < CANDIDATES; c++) {
        if (k->candidates[c] == 0) continue;
        count_lines(k, c);
        if (c == BARS ? has_bars(k->search) : k->with[c] > 0 || c == BLANKS) look_for_nodes(k, c);
    }
}

static bool is_candidate(const counting *k, int c) {
    return k->with[c] == k->search->l->sample.lines;
}

/* Is there a separator in all lines that the graph knows as many nodes by? */
static bool has_better(const counting *k, int other) {
    for (int c = 0; c < BLANKS; c++)
        if (is_candidate(k, c) && k->known[c] >= k->known[other]) return true;
    return false;
}

/* The candidate that the graph knows nodes of, or the first; -1: it is uncertain. */
static int choose(const counting *k) {
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
    return k->search->integers ? BLANKS : -1;
}

static cafe_status refuse_uncertain(const counting *k) {
    const cafe_search *s = k->search;
    cafe_field cells[CAFE_SAMPLE_COLUMNS] = {{0}};
    char text[CAFE_SHOWN_TEXT];
    if (is_candidate(k, 1) && is_candidate(k, 2))
        return cafe_fail_at(s->input->context, &s->first,
                            "one separator in all lines, not commas and semicolons (names and "
                            "labels that have them stand in quotes)");
    for (int c = 0; c < BLANKS; c++)
        if (!is_candidate(k, c) && k->known[c] > 0)
            return cafe_fail_at(s->input->context, &s->first,
                                "one separator in all lines (%s are in %lld of %lld)",
                                cafe_separator_name(k->candidates[c], (char[8]){0}),
                                (long long)k->with[c], (long long)s->l->sample.lines);
    cafe_sample_split(s->l->sample.text, ' ', cells);
    return cafe_fail_at(s->input->context, &s->first,
                        "a separator that is certain: the node may be '%s', with commas between "
                        "its labels, or a name with a blank (a tab behind the node is certain)",
                        cafe_search_show(&cells[0], text));
}

/* Are there decimal commas between semicolons, and no decimal points? Spreadsheets use semicolons
 * where the comma is the decimal mark. */
static bool has_decimals(const cafe_search *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int64_t integer;
    bool commas = false;
    for (const uint8_t *line = k->l->sample.text; line; line = cafe_search_next(k, line)) {
        int32_t count = cafe_sample_split(line, ';', cells);
        for (int32_t c = 0; c < count && c < CAFE_SAMPLE_COLUMNS; c++) {
            size_t length = (size_t)(cells[c].end - cells[c].begin);
            if (cafe_cell_kind(&cells[c], ',', &integer) != CAFE_CELL_NUMBER) continue;
            if (memchr(cells[c].begin, '.', length)) return false;
            commas |= memchr(cells[c].begin, ',', length) != NULL;
        }
    }
    return commas;
}

/* The separator whose first cells are nodes of the graph; comma, semicolon and tab before blanks.
 */
static cafe_status find_of_nodes(cafe_search *s, uint8_t given) {
    counting counted = {.search = s, .candidates = {'\t', ',', ';', ' ', '|', given}},
             *k = &counted;
    uint8_t stated = s->l->sample.stated;
    look(k);
    if (s->l->decimal == ',' && (is_candidate(k, 0) || is_candidate(k, 2))) k->with[1] = 0;
    const uint8_t *found = stated ? memchr(k->candidates, stated, CANDIDATES) : NULL;
    int chosen = found ? (int)(found - k->candidates) : choose(k);
    bool unknown = chosen < 0 || k->known[chosen] == 0;
    if (!found && given && is_candidate(k, GIVEN) && (unknown || k->known[GIVEN] > 0))
        chosen = GIVEN;
    if (chosen < 0) return refuse_uncertain(k);
    if (chosen == BLANKS && has_bars(s)) chosen = BARS;
    s->l->separator = k->candidates[chosen];
    if (s->l->separator == ';' && has_decimals(s)) s->l->decimal = ',';
    s->l->id = k->best[chosen];
    s->known = k->known[chosen];
    return CAFE_OK;
}

/* ---- any table ------------------------------------------------------------------------------- */

/* The option holds for an edge list; beside a graph it holds if the first line has it. */
static bool holds(const cafe_search *k, uint8_t given) {
    return given &&
           (!k->request->graph || given == ' ' || cafe_field_has(k->l->sample.text, given));
}

cafe_status cafe_search_separator(cafe_search *k) {
    const char *given = k->given ? k->given->delimiter : NULL;
    uint8_t separator = cafe_separator_given(given);
    if (!k->request->edges) return find_of_nodes(k, separator);
    if (holds(k, separator))
        k->l->separator = separator;
    else if (k->l->sample.stated)
        k->l->separator = k->l->sample.stated;
    else
        return find_of_edges(k);
    return CAFE_OK;
}
