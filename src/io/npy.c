/* The .npy header: magic, version, length, and a Python dictionary of three entries.
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (34, 16), }
 *
 * The dictionary is parsed for what NumPy writes: these three keys, each once, in any order.
 */
#include "io/npy.h"

#include <stdio.h>

typedef struct cursor {
    const uint8_t *p, *end;
    bool bad;
} cursor;

static void blanks(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n')) c->p++;
}

static bool next_is(cursor *c, char wanted) {
    blanks(c);
    if (c->p == c->end || *c->p != (uint8_t)wanted) return false;
    c->p++;
    return true;
}

static void expect(cursor *c, char wanted) {
    if (!next_is(c, wanted)) c->bad = true;
}

/* A quoted text of at most 31 bytes. */
static void take_text(cursor *c, char text[32]) {
    int length = 0;
    text[0] = 0;
    blanks(c);
    uint8_t quote = c->p < c->end ? *c->p : 0;
    if (quote != '\'' && quote != '"') {
        c->bad = true;
        return;
    }
    for (c->p++; c->p < c->end && *c->p != quote && length < 31; c->p++)
        text[length++] = (char)*c->p;
    text[length] = 0;
    expect(c, (char)quote);
}

static int64_t take_count(cursor *c) {
    int64_t value = 0;
    blanks(c);
    if (c->p == c->end || *c->p < '0' || *c->p > '9') c->bad = true;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        if (value <= (INT64_MAX - 9) / 10)
            value = 10 * value + (*c->p - '0');
        else
            c->bad = true;
    }
    return value;
}

static bool take_word(cursor *c, const char *word) {
    size_t length = strlen(word);
    blanks(c);
    if ((size_t)(c->end - c->p) < length || memcmp(c->p, word, length) != 0) return false;
    c->p += length;
    return true;
}

static void take_shape(cursor *c, cafe_npy *a) {
    expect(c, '(');
    a->dimensions = 0;
    a->count = 1;
    while (!c->bad && !next_is(c, ')')) {
        if (a->dimensions == 2) {
            c->bad = true;
            return;
        }
        int64_t extent = take_count(c);
        a->shape[a->dimensions++] = extent;
        if (__builtin_mul_overflow(a->count, extent, &a->count)) c->bad = true;
        if (!next_is(c, ',')) {
            expect(c, ')');
            break;
        }
    }
}

/* '<f8': byte order, kind, size. Only the order of this machine, which is little-endian. */
static void take_descr(cursor *c, cafe_npy *a) {
    char text[32];
    take_text(c, text);
    if (c->bad || text[0] == 0 || text[1] == 0) {
        c->bad = true;
        return;
    }
    cursor digits = {(const uint8_t *)text + 2, (const uint8_t *)text + strlen(text), false};
    a->kind = text[1];
    a->size = take_count(&digits);
    bool sized = strchr("biuf", a->kind)
                     ? a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8
                     : (a->kind == 'S' || a->kind == 'U') && a->size < 64;
    if (a->kind == 'b') sized = a->size == 1;
    if (a->kind == 'f') sized = a->size == 4 || a->size == 8;
    if (a->kind == 'U' && sized) a->size *= 4;
    bool order =
        text[0] == '<' || text[0] == '=' || (text[0] == '|' && (a->size == 1 || a->kind == 'S'));
    if (digits.bad || digits.p != digits.end || !sized || !order) c->bad = true;
}

static bool take_dictionary(cursor *c, cafe_npy *a) {
    char key[32];
    int seen = 0;
    expect(c, '{');
    while (!c->bad && !next_is(c, '}')) {
        take_text(c, key);
        expect(c, ':');
        if (strcmp(key, "descr") == 0 && !(seen & 1)) {
            seen |= 1;
            take_descr(c, a);
        } else if (strcmp(key, "fortran_order") == 0 && !(seen & 2)) {
            seen |= 2;
            a->fortran = take_word(c, "True");
            if (!a->fortran && !take_word(c, "False")) c->bad = true;
        } else if (strcmp(key, "shape") == 0 && !(seen & 4)) {
            seen |= 4;
            take_shape(c, a);
        } else {
            c->bad = true;
        }
        if (!next_is(c, ',')) {
            expect(c, '}');
            break;
        }
    }
    blanks(c);
    return !c->bad && seen == 7 && c->p == c->end;
}

static cafe_status fail_npy(cafe_context *context, const char *name, const char *what) {
    return cafe_fail(context, CAFE_ERROR_FORMAT, "%s: expected %s", name, what);
}

cafe_status cafe_npy_open(cafe_context *context, const char *name, const uint8_t *bytes,
                          int64_t size, cafe_npy *array) {
    *array = (cafe_npy){.name = name};
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return fail_npy(context, name, "a .npy array, found other data");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return fail_npy(context, name, ".npy version 1.0, 2.0 or 3.0, found another one");
    int64_t start = bytes[6] == 1 ? 10 : 12, length = bytes[8] + 256 * (int64_t)bytes[9];
    if (start == 12 && size >= 12)
        length += ((int64_t)bytes[10] << 16) + ((int64_t)bytes[11] << 24);
    if (size < start || length > size - start)
        return fail_npy(context, name, "a whole .npy header, found the end of the data");
    cursor c = {bytes + start, bytes + start + length, false};
    if (!take_dictionary(&c, array))
        return fail_npy(context, name,
                        "a .npy header of a little-endian array of at most two dimensions, found "
                        "another one");
    int64_t total;
    if (__builtin_mul_overflow(array->count, array->size, &total) || total != size - start - length)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected %lld elements of %lld bytes, found %lld bytes of data", name,
                         (long long)array->count, (long long)array->size,
                         (long long)(size - start - length));
    array->data = bytes + start + length;
    return CAFE_OK;
}

int cafe_npy_header(const char *type, int dimensions, const int64_t *shape,
                    char header[CAFE_NPY_HEADER]) {
    char extents[48] = "";
    if (dimensions > 0)
        snprintf(extents, sizeof extents, dimensions == 1 ? "%lld," : "%lld, %lld",
                 (long long)shape[0], (long long)shape[dimensions - 1]);
    int length =
        snprintf(header + 10, CAFE_NPY_HEADER - 10,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, extents);
    int total = (10 + length + 1 + 63) / 64 * 64;
    memset(header + 10 + length, ' ', (size_t)(total - 10 - length - 1));
    header[total - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    return total;
}

int64_t cafe_npy_integer(const cafe_npy *array, int64_t i) {
    const uint8_t *p = array->data + i * array->size;
    uint64_t v = 0;
    memcpy(&v, p, (size_t)array->size);
    if (array->kind == 'b') return v != 0;
    if (array->kind == 'u') return v > INT64_MAX ? INT64_MAX : (int64_t)v;
    int shift = (int)(64 - 8 * array->size);
    return (int64_t)(v << shift) >> shift;
}

double cafe_npy_real(const cafe_npy *array, int64_t i) {
    const uint8_t *p = array->data + i * array->size;
    if (array->kind == 'f' && array->size == 4) {
        float v;
        memcpy(&v, p, sizeof v);
        return v;
    }
    if (array->kind == 'f') {
        double v;
        memcpy(&v, p, sizeof v);
        return v;
    }
    return (double)cafe_npy_integer(array, i);
}
