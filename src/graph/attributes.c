/* Attributes of nodes, from single values to columns.
 *
 * While a file is read, a column numbers its different texts, so that a class or a city takes four
 * bytes per node. A column whose texts are all numbers becomes an array of doubles.
 */
#include "graph/attributes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/graph.h"

/* ---- values as they are read ----------------------------------------------------------------- */

bool cafe_attribute_is_text(const char *text, int64_t length) {
    const uint8_t *p = (const uint8_t *)text;
    while (length > 0) {
        int bytes = cafe_utf8_length(p, length);
        if (bytes == 0 || (*p < ' ' && !memchr("\t\n\r", *p, 3))) return false;
        p += bytes;
        length -= bytes;
    }
    return true;
}

/* The place of the name; c->count: it is new. Values come in the same order for most nodes. */
static int64_t place_of(const cafe_columns *c, const char *name) {
    if (c->last + 1 < c->count && strcmp(c->columns[c->last + 1].name, name) == 0)
        return c->last + 1;
    for (int64_t i = 0; i < c->count; i++)
        if (strcmp(c->columns[i].name, name) == 0) return i;
    return c->count;
}

static cafe_status add_column(cafe_columns *c, const char *name) {
    CAFE_PASS(cafe_mem_grow(c->context, &c->columns, &c->room, c->count + 1, sizeof *c->columns));
    cafe_text_column *column = &c->columns[c->count];
    *column = (cafe_text_column){.values = {.context = c->context}};
    column->name = cafe_mem_text(c->context, name);
    if (!column->name) return CAFE_ERROR_MEMORY;
    c->count++;
    return CAFE_OK;
}

cafe_status cafe_columns_put(cafe_columns *c, const char *name, int64_t node, const char *text) {
    int64_t length = (int64_t)strlen(text), number;
    if (length == 0) return CAFE_OK;
    if (!cafe_attribute_is_text(text, length) ||
        !cafe_attribute_is_text(name, (int64_t)strlen(name))) {
        c->broken++;
        return CAFE_OK;
    }
    int64_t i = place_of(c, name);
    if (i == CAFE_MOST_COLUMNS) {
        c->full = true;
        return CAFE_OK;
    }
    if (i == c->count) CAFE_PASS(add_column(c, name));
    cafe_text_column *column = &c->columns[i];
    c->last = i;
    CAFE_PASS(cafe_dictionary_add(&column->values, text, length, &number));
    CAFE_PASS(
        cafe_mem_grow(c->context, &column->codes, &column->room, node + 1, sizeof *column->codes));
    while (column->nodes <= node) column->codes[column->nodes++] = -1;
    c->changed += column->codes[node] >= 0 && column->codes[node] != number;
    column->codes[node] = (int32_t)number;
    return CAFE_OK;
}

const cafe_text_column *cafe_columns_find(const cafe_columns *c, const char *name) {
    int64_t i = place_of(c, name);
    return i < c->count ? &c->columns[i] : NULL;
}

const char *cafe_columns_text(const cafe_text_column *column, int64_t node) {
    int32_t code = column && node < column->nodes ? column->codes[node] : -1;
    return code < 0 ? NULL : cafe_dictionary_text(&column->values, code);
}

static void free_column(cafe_context *context, cafe_text_column *column) {
    cafe_dictionary_free(&column->values);
    cafe_mem_free_all(context, column->name, column->codes);
}

void cafe_columns_drop(cafe_columns *c, const cafe_text_column *column) {
    cafe_text_column *place = &c->columns[column - c->columns];
    free_column(c->context, place);
    c->count--;
    memmove(place, place + 1, (size_t)(&c->columns[c->count] - place) * sizeof *place);
}

void cafe_columns_free(cafe_columns *c) {
    for (int64_t i = 0; i < c->count; i++) free_column(c->context, &c->columns[i]);
    cafe_mem_free(c->context, c->columns);
    *c = (cafe_columns){.context = c->context};
}

/* ---- the columns of a graph ------------------------------------------------------------------ */

/* A finite number that fills its text. 007 is a text: as a number it would lose its zeros. */
static bool is_number(const char *text, double *number) {
    const char *end, *digits = text + (*text == '-');
    *number = cafe_parse_number(text, &end);
    return *end == 0 && isfinite(*number) && !(digits[0] == '0' && digits[1] && digits[1] != '.');
}

/* The numbers of the different texts; NULL without *failed: they are texts. */
static double *value_numbers(const cafe_dictionary *values, bool *failed) {
    double *numbers = cafe_mem(values->context, values->count, sizeof *numbers);
    *failed = !numbers;
    for (int64_t i = 0; numbers && i < values->count; i++)
        if (!is_number(cafe_dictionary_text(values, i), &numbers[i])) {
            cafe_mem_free(values->context, numbers);
            return NULL;
        }
    return numbers;
}

static cafe_status give_numbers(const cafe_text_column *column, int64_t n, const double *values,
                                cafe_attribute *a) {
    double *numbers = cafe_mem(column->values.context, n, sizeof *numbers);
    if (!numbers) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        int32_t code = u < column->nodes ? column->codes[u] : -1;
        numbers[u] = code < 0 ? NAN : values[code];
    }
    a->numbers = numbers;
    return CAFE_OK;
}

/* The texts in one block, which starts with the first, and the codes of all n nodes. */
static cafe_status give_texts(const cafe_text_column *column, int64_t n, cafe_attribute *a) {
    const cafe_dictionary *d = &column->values;
    cafe_context *context = d->context;
    int32_t *codes = cafe_mem(context, n, sizeof *codes);
    const char **texts = cafe_mem(context, d->count, sizeof *texts);
    char *block = cafe_mem(context, d->used, 1);
    if (!codes || !texts || !block) {
        cafe_mem_free_all(context, codes, texts, block);
        return CAFE_ERROR_MEMORY;
    }
    memcpy(block, d->text, (size_t)d->used);
    for (int64_t i = 0; i < d->count; i++) texts[i] = block + d->start[i];
    for (int64_t u = 0; u < n; u++) codes[u] = u < column->nodes ? column->codes[u] : -1;
    a->integers = codes;
    a->texts = texts;
    a->values = d->count;
    return CAFE_OK;
}

/* The values are freed, so that few of them are in memory twice. */
static cafe_status give_column(cafe_text_column *column, int64_t n, cafe_attribute *a) {
    bool failed;
    double *values = value_numbers(&column->values, &failed);
    if (failed) return CAFE_ERROR_MEMORY;
    cafe_status status = values ? give_numbers(column, n, values, a) : give_texts(column, n, a);
    cafe_mem_free(column->values.context, values);
    if (status != CAFE_OK) return status;
    a->name = column->name;
    column->name = NULL;
    cafe_dictionary_free(&column->values);
    column->values = (cafe_dictionary){.context = column->values.context};
    return CAFE_OK;
}

cafe_status cafe_columns_give(cafe_columns *c, cafe_graph *graph) {
    if (c->count == 0) return CAFE_OK;
    cafe_attribute *attributes = cafe_mem_zero(c->context, c->count, sizeof *attributes);
    if (!attributes) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < c->count; i++) {
        cafe_status status = give_column(&c->columns[i], graph->n, &attributes[i]);
        if (status == CAFE_OK) continue;
        cafe_attributes_free(c->context, i, attributes);
        return status;
    }
    graph->reading.attributes = attributes;
    graph->reading.attribute_count = c->count;
    return CAFE_OK;
}

void cafe_attributes_free(cafe_context *context, int64_t count, const cafe_attribute *attributes) {
    for (int64_t i = 0; i < count; i++) {
        const cafe_attribute *a = &attributes[i];
        if (a->texts) cafe_mem_free(context, a->texts[0]);
        cafe_mem_free_all(context, a->name, a->numbers, a->integers, a->texts);
    }
    cafe_mem_free(context, attributes);
}

const char *cafe_attribute_text(const cafe_attribute *a, int64_t node, char *digits) {
    if (a->numbers) {
        if (isnan(a->numbers[node])) return NULL;
        for (int precision = 15; precision <= 17; precision += 2) {
            const char *end;
            cafe_print(digits, CAFE_ATTRIBUTE_DIGITS, "%.*g", precision, a->numbers[node]);
            if (cafe_parse_number(digits, &end) == a->numbers[node]) break;
        }
        return digits;
    }
    if (!a->integers) return a->texts[node];
    return a->integers[node] < 0 ? NULL : a->texts[a->integers[node]];
}

/* ---- a part of the graph --------------------------------------------------------------------- */

cafe_status cafe_attributes_part(const cafe_graph *graph, const int32_t *nodes, cafe_graph *part) {
    char digits[CAFE_ATTRIBUTE_DIGITS];
    cafe_columns columns = {.context = part->context};
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < graph->reading.attribute_count; i++) {
        const cafe_attribute *a = &graph->reading.attributes[i];
        for (int64_t u = 0; u < part->n; u++) {
            const char *text = nodes[u] < 0 ? NULL : cafe_attribute_text(a, nodes[u], digits);
            if (text) CAFE_TRY(cafe_columns_put(&columns, a->name, u, text));
        }
    }
    status = cafe_columns_give(&columns, part);
done:
    cafe_columns_free(&columns);
    return status;
}
