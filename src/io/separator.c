/* The separator of the columns of an edge list: comma, semicolon, tab, blanks, or the option's.
 *
 * The first line gives candidates; a line without a candidate excludes it. If more than one is
 * left, or commas may be decimal commas, the file is refused.
 */
#include "io/separator.h"

#include <string.h>

#include "base/print.h"
#include "io/scanners.h"

typedef struct looking {
    const cafe_input *input;
    const cafe_graph_options *options;
    const cafe_line_sample *sample;
    uint8_t decimal;
} looking;

const char *cafe_separator_name(uint8_t separator, char text[8]) {
    if (separator == ' ') return "blanks";
    if (separator == ',') return "commas";
    if (separator == ';') return "semicolons";
    if (separator == '\t') return "tabs";
    cafe_print(text, 8, "'%c'", separator);
    return text;
}

/* Returns the separator of the option: a word or, as its check ensures, one character. */
static uint8_t given_separator(const char *given) {
    static const struct {
        const char *word;
        uint8_t c;
    } words[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '}, {"blank", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(given, words[i].word) == 0) return words[i].c;
    return (uint8_t)given[0];
}

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
static bool may_be_blanks(const looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int64_t integer;
    bool blanks = false;
    for (const uint8_t *line = k->sample->text; line; line = cafe_sample_next(k->sample, line)) {
        int32_t count = cafe_sample_split(line, ' ', cells);
        blanks |= count != cafe_sample_split(line, '\t', NULL);
        if (count < 3 || cafe_cell_kind(&cells[2], k->decimal, &integer) == CAFE_CELL_WORD)
            return false;
    }
    return blanks;
}

/* "a b 0,5": may the commas be decimal commas? */
static bool may_be_decimals(const looking *k) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    int64_t integer;
    for (const uint8_t *line = k->sample->text; line; line = cafe_sample_next(k->sample, line))
        if (cafe_sample_split(line, ' ', cells) < 3 ||
            cafe_cell_kind(&cells[2], '.', &integer) != CAFE_CELL_WORD ||
            cafe_cell_kind(&cells[2], ',', &integer) == CAFE_CELL_WORD)
            return false;
    return true;
}

static cafe_status refuse_separators(const looking *k, const uint8_t *found) {
    char first[8], second[8];
    bool commas = found[0] == ',';
    return cafe_fail(k->input->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: "
                     "expected columns with one separator, found %s and %s: give " CAFE_OPT(
                         "delimiter=%s") " or " CAFE_OPT("delimiter=%s") "%s",
                     k->input->name, (long long)k->sample->first,
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
static int candidates(const looking *k, uint8_t *found) {
    static const char all[] = ",;\t";
    const uint8_t *line = k->sample->text;
    int count = 0, kept = 0;
    for (const char *c = all; *c; c++) {
        if (*c == ',' && k->decimal == ',') continue;
        if (*c == '\t' && is_padding(line)) continue;
        if (cafe_sample_split(line, (uint8_t)*c, NULL) >= 2) found[count++] = (uint8_t)*c;
    }
    if (count < 2) return count;
    for (int i = 0; i < count; i++)
        if (cafe_sample_has(k->sample, found[i], 2)) found[kept++] = found[i];
    return kept > 0 ? kept : 1;
}

cafe_status cafe_separator_find(const cafe_input *input, const cafe_graph_options *options,
                                const cafe_line_sample *sample, uint8_t decimal,
                                uint8_t *separator) {
    const looking searched = {input, options, sample, decimal}, *k = &searched;
    uint8_t found[4] = {0};
    if (options->delimiter && options->delimiter[0]) {
        *separator = given_separator(options->delimiter);
        return CAFE_OK;
    }
    *separator = k->sample->stated ? k->sample->stated : cafe_field_separator(k->sample->text);
    if (k->sample->stated) return CAFE_OK;
    if (k->sample->ours) return CAFE_OK;
    int count = candidates(k, found);
    bool tabs = false;
    for (int i = 0; i < count; i++) tabs |= found[i] == '\t';
    if (tabs && is_tsv(k->input->name)) {
        *separator = '\t';
        return CAFE_OK;
    }
    if (count >= 2) return refuse_separators(k, found);
    *separator = count == 1 ? found[0] : ' ';
    if (*separator == '\t' && may_be_blanks(k))
        return refuse_separators(k, (const uint8_t[]){'\t', ' '});
    if (*separator == ',' && may_be_decimals(k))
        return refuse_separators(k, (const uint8_t[]){',', ' '});
    /* no other separator: the file would have one column */
    if (*separator == ' ' && cafe_sample_split(k->sample->text, ' ', NULL) == 1 &&
        cafe_sample_has(k->sample, '|', 2))
        *separator = '|';
    return CAFE_OK;
}
