/* The .npy header: magic, version, length, and a Python dictionary. It must have the three keys
 * that NumPy writes, each once, in any order. */
#include "io/npy.h"

#include "base/print.h"
#include "io/name_format.h"

enum { LONGEST = 4096 }; /* bytes of a header */

/* Returns the text after 'key':, NULL unless the dictionary has the key once. */
static const char *value_of(const char *header, const char *key) {
    char quoted[32];
    int length = cafe_print(quoted, sizeof quoted, "'%s'", key);
    const char *at = strstr(header, quoted);
    if (!at || strstr(at + length, quoted)) return NULL;
    at += length + strspn(at + length, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* Reads a number of 1 to `most` digits; returns the place after it, NULL without digits. */
static const char *take_digits(const char *at, int most, int64_t *number) {
    const char *begin = at;
    *number = 0;
    while (*at >= '0' && *at <= '9' && at - begin < most) *number = *number * 10 + (*at++ - '0');
    return at > begin ? at : NULL;
}

/* '<f8': byte order, kind, size. Only the order of this machine, which is little-endian. */
static bool take_descr(const char *at, cafe_npy *a) {
    if (!at || at[0] != '\'' || !at[1] || !at[2]) return false;
    char order = at[1];
    a->kind = at[2];
    at = take_digits(at + 3, 2, &a->size);
    if (!at || *at != '\'') return false;
    bool sized = a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8;
    switch (a->kind) {
        case 'b': sized = a->size == 1; break;
        case 'i':
        case 'u': break;
        case 'f': sized = a->size == 4 || a->size == 8; break;
        case 'S': sized = a->size < 64; break;
        case 'U': sized = a->size < 64, a->size *= 4; break;
        default: return false;
    }
    return sized &&
           (order == '<' || order == '=' || (order == '|' && (a->size == 1 || a->kind == 'S')));
}

static bool take_order(const char *at, cafe_npy *a) {
    a->fortran = at && strncmp(at, "True", 4) == 0;
    return a->fortran || (at && strncmp(at, "False", 5) == 0);
}

/* (), (n,) or (n, m) */
static bool take_shape(const char *at, cafe_npy *a) {
    a->count = 1;
    if (!at || *at++ != '(') return false;
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
        int64_t extent;
        if (a->dimensions == 2 || !(at = take_digits(at, 18, &extent))) return false;
        a->shape[a->dimensions++] = extent;
        at += strspn(at, " ");
        if (__builtin_mul_overflow(a->count, extent, &a->count) || (*at != ',' && *at != ')'))
            return false;
        at += *at == ',';
    }
    return true;
}

/* Reads "edge 0.25": only text of this kind that fits is kept. */
static void take_made(const char *at, char made[CAFE_VECTORS_MADE]) {
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    if (length == 0 || at[length] != ' ') return;
    size_t number = strspn(at + length + 1, "0123456789.e-");
    if (number == 0 || length + 1 + number >= CAFE_VECTORS_MADE) return;
    memcpy(made, at, length + 1 + number);
    made[length + 1 + number] = 0;
}

/* Reads "# names 0123456789abcdef # made edge 0.25", both parts or one, after the dictionary. */
static void take_comments(const char *header, cafe_npy *a) {
    static const char names[] = " # names ", made[] = " # made ";
    const char *at = strrchr(header, '}');
    if (!at) return;
    at++;
    if (strncmp(at, names, strlen(names)) == 0) {
        a->named = cafe_names_digest(at + strlen(names), &a->digest);
        at += strlen(names) + (a->named ? 16 : 0);
    }
    if (strncmp(at, made, strlen(made)) == 0) take_made(at + strlen(made), a->made);
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (34, 16), } */
static bool take_dictionary(const uint8_t *bytes, int64_t length, char *header, cafe_npy *a) {
    memcpy(header, bytes, (size_t)length);
    header[length] = 0;
    take_comments(header, a);
    return header[0] == '{' && take_descr(value_of(header, "descr"), a) &&
           take_order(value_of(header, "fortran_order"), a) &&
           take_shape(value_of(header, "shape"), a);
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
    char header[LONGEST];
    if (length >= LONGEST || !take_dictionary(bytes + start, length, header, array))
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

int cafe_npy_header(const char *type, int dimensions, const int64_t *shape, const uint64_t *digest,
                    const char *made, char header[CAFE_NPY_HEADER]) {
    char extents[48] = "";
    if (dimensions > 0)
        cafe_print(extents, sizeof extents, dimensions == 1 ? "%lld," : "%lld, %lld",
                   (long long)shape[0], (long long)shape[dimensions - 1]);
    int length =
        cafe_print(header + 10, CAFE_NPY_HEADER - 10,
                   "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, extents);
    if (digest)
        length += cafe_print(header + 10 + length, (size_t)(CAFE_NPY_HEADER - 10 - length),
                             " # names %016llx", (unsigned long long)*digest);
    if (made[0])
        length += cafe_print(header + 10 + length, (size_t)(CAFE_NPY_HEADER - 10 - length),
                             " # made %s", made);
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
