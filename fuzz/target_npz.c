/* .npz files. Data that starts with 'P' is taken as the archive itself. Other data are the members
 * of one (name by number, 2 bytes of length, contents). They are wrapped with right CRCs, so that
 * the arrays inside are reached. */
#include "fuzz.h"

#include "io/gzip.h"

typedef struct archive {
    uint8_t *bytes, *directory;
    size_t size, directory_size;
    int count;
} archive;

static void put(uint8_t *bytes, size_t *size, const void *data, size_t count) {
    memcpy(bytes + *size, data, count);
    *size += count;
}

static void put_number(uint8_t *bytes, size_t *size, uint64_t value, size_t count) {
    put(bytes, size, &value, count);
}

/* The fields that local header and directory entry share: method, time, CRC, sizes, name length. */
static void put_common(uint8_t *bytes, size_t *size, uint32_t crc, size_t length, size_t name) {
    put_number(bytes, size, 0, 8);
    put_number(bytes, size, crc, 4);
    put_number(bytes, size, length, 4);
    put_number(bytes, size, length, 4);
    put_number(bytes, size, name, 2);
    put_number(bytes, size, 0, 2);
}

static void add(archive *a, const char *name, const uint8_t *data, size_t length) {
    uint32_t crc = cafe_crc32(data, (int64_t)length);
    size_t at = a->size, bytes = strlen(name);
    put(a->bytes, &a->size, "PK\3\4\24\0", 6);
    put_common(a->bytes, &a->size, crc, length, bytes);
    put(a->bytes, &a->size, name, bytes);
    put(a->bytes, &a->size, data, length);
    put(a->directory, &a->directory_size, "PK\1\2\24\0\24\0", 8);
    put_common(a->directory, &a->directory_size, crc, length, bytes);
    put_number(a->directory, &a->directory_size, 0, 8);
    put_number(a->directory, &a->directory_size, 0, 2);
    put_number(a->directory, &a->directory_size, at, 4);
    put(a->directory, &a->directory_size, name, bytes);
    a->count++;
}

static void wrap(archive *a, const uint8_t *data, size_t size) {
    static const char *const names[] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy",
                                        "data.npy",   "row.npy",   "col.npy"};
    size_t at = 0;
    while (at + 3 <= size && a->count < 8) {
        size_t length = data[at + 1] + 256 * (size_t)data[at + 2];
        if (length > size - at - 3) length = size - at - 3;
        add(a, names[data[at] % 7], data + at + 3, length);
        at += 3 + length;
    }
    size_t start = a->size;
    put(a->bytes, &a->size, a->directory, a->directory_size);
    put(a->bytes, &a->size, "PK\5\6\0\0\0\0", 8);
    put_number(a->bytes, &a->size, (uint64_t)a->count, 2);
    put_number(a->bytes, &a->size, (uint64_t)a->count, 2);
    put_number(a->bytes, &a->size, a->directory_size, 4);
    put_number(a->bytes, &a->size, start, 4);
    put_number(a->bytes, &a->size, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || data[0] == 'P') {
        fuzz_read("x.npz", CAFE_FORMAT_NPZ, data, size);
        return 0;
    }
    archive a = {.bytes = malloc(size + 4096), .directory = malloc(4096)};
    if (a.bytes && a.directory) {
        wrap(&a, data, size);
        fuzz_read("x.npz", CAFE_FORMAT_NPZ, a.bytes, a.size);
    }
    free(a.bytes);
    free(a.directory);
    return 0;
}
