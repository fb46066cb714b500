/* The JSON writer. Members stand on lines of their own, arrays of numbers on one line; numbers have
 * the digits that read back to the same bits.
 *
 * In a page a script element ends at the first "</script", wherever it stands, also within a
 * string. So <, > and & are written as \u003c, \u003e and \u0026, which read back the same.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/digits.h"
#include "report/report.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

char *cafe_report_room(cafe_report *r, int64_t size) {
    int64_t capacity = 2 * (r->size + size) + 4096;
    char *text = r->text;
    if (r->status != CAFE_OK) return NULL;
    if (r->size + size > r->capacity) {
        text = cafe_mem_resize(r->context, r->text, capacity, 1);
        if (!text) r->status = CAFE_ERROR_MEMORY;
        if (!text) return NULL;
        r->text = text;
        r->capacity = capacity;
    }
    return text + r->size;
}

void cafe_report_put(cafe_report *r, const char *bytes, int64_t size) {
    char *room = cafe_report_room(r, size);
    if (!room) return;
    memcpy(room, bytes, (size_t)size);
    r->size += size;
}

static void put(cafe_report *r, const char *word) {
    cafe_report_put(r, word, (int64_t)strlen(word));
}

static bool is_plain(const cafe_report *r, unsigned char c) {
    if (c < 0x20 || c == 0x7F || c == '"' || c == '\\') return false;
    return !r->page || (c != '<' && c != '>' && c != '&');
}

static void put_code(cafe_report *r, unsigned char c) {
    static const char digits[] = "0123456789abcdef";
    cafe_report_put(r, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

/* Bytes that are no UTF-8 (file names may hold any) become U+FFFD. */
static void put_quoted(cafe_report *r, const char *bytes, int64_t size) {
    cafe_report_put(r, "\"", 1);
    for (int64_t at = 0; at < size;) {
        unsigned char c = (unsigned char)bytes[at];
        int length = cafe_utf8_length((const uint8_t *)bytes + at, size - at);
        if (length == 0)
            put(r, "\\ufffd");
        else if (length == 2 && c == 0xC2 && (unsigned char)bytes[at + 1] < 0xA0) /* C1 */
            put_code(r, (unsigned char)bytes[at + 1]);
        else if (is_plain(r, c))
            cafe_report_put(r, bytes + at, length);
        else if (!r->page && (c == '"' || c == '\\'))
            cafe_report_put(r, (char[]){'\\', (char)c}, 2);
        else
            put_code(r, c);
        at += length > 0 ? length : 1;
    }
    cafe_report_put(r, "\"", 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_integer(cafe_report *r, int64_t value) {
    char digits[CAFE_INTEGER_TEXT];
    cafe_report_put(r, digits, cafe_put_integer(digits, value) - digits);
}

static void put_double(cafe_report *r, double value) {
    char text[64];
    cafe_print(text, sizeof text, "%.17g", value);
    put(r, text);
}

static void put_real(cafe_report *r, double value) {
    char digits[CAFE_FLOAT_TEXT];
    if (!isfinite(r->page ? (float)value : value))
        put(r, "null");
    else if (r->page)
        cafe_report_put(r, digits, cafe_put_float(digits, (float)value) - digits);
    else
        put_double(r, value);
}

/* ---- structure ------------------------------------------------------------------------------- */

static void new_line(cafe_report *r) {
    if (r->page) return;
    put(r, "\n");
    for (int i = 0; i < r->depth; i++) put(r, "  ");
}

static void begin_member(cafe_report *r, const char *key) {
    if (r->filled) put(r, ",");
    if (r->depth > 0) new_line(r);
    r->filled = true;
    if (!key) return;
    put_quoted(r, key, (int64_t)strlen(key));
    put(r, r->page ? ":" : ": ");
}

void cafe_report_open(cafe_report *r, const char *key, char bracket) {
    if (r->depth == CAFE_REPORT_DEPTH && r->status == CAFE_OK)
        r->status = cafe_fail(r->context, CAFE_ERROR_LIMIT, "a report of more than %d levels",
                              CAFE_REPORT_DEPTH);
    if (r->status != CAFE_OK) return;
    begin_member(r, key);
    cafe_report_put(r, &bracket, 1);
    r->close[r->depth++] = bracket == '{' ? '}' : ']';
    r->filled = false;
}

void cafe_report_close(cafe_report *r) {
    if (r->status != CAFE_OK || r->depth == 0) return;
    r->depth--;
    if (r->filled) new_line(r);
    cafe_report_put(r, &r->close[r->depth], 1);
    r->filled = true;
}

void cafe_report_raw(cafe_report *r, const char *key, const char *value) {
    begin_member(r, key);
    put(r, value);
}

void cafe_report_bytes(cafe_report *r, const char *key, const char *bytes, int64_t size) {
    begin_member(r, key);
    put_quoted(r, bytes, size);
}

void cafe_report_string(cafe_report *r, const char *key, const char *text) {
    cafe_report_bytes(r, key, text, (int64_t)strlen(text));
}

void cafe_report_integer(cafe_report *r, const char *key, int64_t value) {
    begin_member(r, key);
    put_integer(r, value);
}

void cafe_report_real(cafe_report *r, const char *key, double value) {
    begin_member(r, key);
    put_real(r, value);
}

void cafe_report_truth(cafe_report *r, const char *key, int32_t value) {
    cafe_report_raw(r, key, value ? "true" : "false");
}

static void put_separator(cafe_report *r, int64_t place) {
    if (place > 0) put(r, r->page ? "," : ", ");
}

void cafe_report_reals(cafe_report *r, const char *key, int64_t count, const double *values) {
    bool none = !values && !r->page; /* the page's script expects a list */
    cafe_report_raw(r, key, none ? "null" : "[");
    for (int64_t i = 0; values && i < count; i++) {
        put_separator(r, i);
        put_real(r, values[i]);
    }
    if (!none) put(r, "]");
}

void cafe_report_integers(cafe_report *r, const char *key, int64_t count, const int32_t *values) {
    cafe_report_raw(r, key, "[");
    for (int64_t i = 0; i < count; i++) {
        put_separator(r, i);
        put_integer(r, values[i]);
    }
    put(r, "]");
}

/* ---- structs --------------------------------------------------------------------------------- */

static void put_field(cafe_report *r, const cafe_field *f, const char *from) {
    const void *at = from + f->offset;
    switch (f->kind) {
        case CAFE_FIELD_INTEGER: cafe_report_integer(r, f->key, *(const int64_t *)at); break;
        case CAFE_FIELD_REAL: cafe_report_real(r, f->key, *(const double *)at); break;
        case CAFE_FIELD_TRUTH: cafe_report_truth(r, f->key, *(const int32_t *)at); break;
        case CAFE_FIELD_REALS:
            cafe_report_reals(r, f->key, *(const int64_t *)(from + f->count),
                              *(const double *const *)at);
            break;
    }
}

void cafe_report_fields(cafe_report *report, size_t count, const cafe_field *fields,
                        const void *from, size_t size) {
    for (size_t i = 0; i < count; i++)
        if (fields[i].offset < size) put_field(report, &fields[i], from);
}
