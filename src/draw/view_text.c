/* JSON for the inside of a page.
 *
 * A script element ends at the first "</script", wherever it stands, also within a string. So <, >
 * and & never appear in a string: they are written as \u003c, \u003e and \u0026, which JSON reads
 * back as the same characters.
 */
#include "draw/view_text.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/digits.h"

void cafe_view_text_free(cafe_view_text *text) {
    cafe_mem_free(text->context, text->bytes);
    text->bytes = NULL;
}

static bool make_room(cafe_view_text *text, int64_t size) {
    if (text->failed) return false;
    if (text->size + size <= text->capacity) return true;
    int64_t capacity = 2 * (text->size + size) + 4096;
    char *bytes = cafe_mem_resize(text->context, text->bytes, capacity, 1);
    text->failed = !bytes;
    if (!bytes) return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void cafe_view_put(cafe_view_text *text, const char *bytes, int64_t size) {
    if (!make_room(text, size)) return;
    memcpy(text->bytes + text->size, bytes, (size_t)size);
    text->size += size;
}

static void put(cafe_view_text *text, const char *word) {
    cafe_view_put(text, word, (int64_t)strlen(word));
}

void cafe_view_put_html(cafe_view_text *text, const char *value) {
    for (; *value; value++) {
        if (*value == '&')
            put(text, "&amp;");
        else if (*value == '<')
            put(text, "&lt;");
        else if (*value == '>')
            put(text, "&gt;");
        else
            cafe_view_put(text, value, 1);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_escaped(cafe_view_text *text, const char *value) {
    static const char digits[] = "0123456789abcdef";
    put(text, "\"");
    for (; *value; value++) {
        uint8_t c = (uint8_t)*value;
        bool plain = c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
        char escape[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        cafe_view_put(text, plain ? value : escape, plain ? 1 : (int64_t)sizeof escape);
    }
    put(text, "\"");
}

static void begin_value(cafe_view_text *text, const char *key) {
    if (text->comma) put(text, ",");
    text->comma = true;
    if (!key) return;
    put_escaped(text, key);
    put(text, ":");
}

void cafe_view_open(cafe_view_text *text, const char *key, char bracket) {
    begin_value(text, key);
    cafe_view_put(text, &bracket, 1);
    text->comma = false;
}

void cafe_view_close(cafe_view_text *text, char bracket) {
    cafe_view_put(text, &bracket, 1);
    text->comma = true;
}

void cafe_view_string(cafe_view_text *text, const char *key, const char *value) {
    begin_value(text, key);
    put_escaped(text, value);
}

void cafe_view_integer(cafe_view_text *text, const char *key, int64_t value) {
    char digits[CAFE_INTEGER_TEXT];
    begin_value(text, key);
    cafe_view_put(text, digits, cafe_put_integer(digits, value) - digits);
}

void cafe_view_real(cafe_view_text *text, const char *key, double value) {
    char digits[CAFE_FLOAT_TEXT];
    begin_value(text, key);
    if (isfinite((float)value))
        cafe_view_put(text, digits, cafe_put_float(digits, (float)value) - digits);
    else
        put(text, "null");
}

void cafe_view_reals(cafe_view_text *text, const char *key, int64_t count, const double *values) {
    cafe_view_open(text, key, '[');
    for (int64_t i = 0; i < count; i++) cafe_view_real(text, NULL, values[i]);
    cafe_view_close(text, ']');
}
