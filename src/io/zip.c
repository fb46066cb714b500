/* Zip archives, read from the directory at their end (APPNOTE 6.3, sections 4.3 and 4.4).
 *
 * Nothing in the archive is trusted: a record must lie within the bytes, and a member may not claim
 * to grow by more than deflate can. So a small file cannot request much memory.
 */
#include "io/zip.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/gzip.h"

enum { END_BYTES = 22, LOCATOR_BYTES = 20, END64_BYTES = 56, ENTRY_BYTES = 46, LOCAL_BYTES = 30 };
enum { MOST_COMMENT = 65535, MOST_GROWTH = 1032 };

typedef struct archive {
    cafe_zip *zip;
    const uint8_t *bytes;
    int64_t size;
} archive;

static uint64_t number(const uint8_t *p, int bytes) {
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes);
    return v;
}

static cafe_status fail_zip(archive *a, const char *what) {
    return cafe_fail(a->zip->context, CAFE_ERROR_FORMAT, "%s: expected %s", a->zip->name, what);
}

static bool within(const archive *a, uint64_t at, uint64_t length) {
    return at <= (uint64_t)a->size && length <= (uint64_t)a->size - at;
}

static bool signed_as(const archive *a, uint64_t at, uint64_t length, const char *signature) {
    return within(a, at, length) && memcmp(a->bytes + at, signature, 4) == 0;
}

/* The directory: where it starts and how many entries it has. */
static cafe_status find_directory(archive *a, uint64_t *start, uint64_t *entries) {
    int64_t lowest = a->size - END_BYTES - MOST_COMMENT, at = a->size - END_BYTES;
    while (at >= 0 && at >= lowest && !signed_as(a, (uint64_t)at, END_BYTES, "PK\5\6")) at--;
    if (at < 0 || at < lowest)
        return fail_zip(a, "the directory of a zip archive, found none (is the file truncated?)");
    *entries = number(a->bytes + at + 10, 2);
    *start = number(a->bytes + at + 16, 4);
    if (at < LOCATOR_BYTES || !signed_as(a, (uint64_t)at - LOCATOR_BYTES, LOCATOR_BYTES, "PK\6\7"))
        return CAFE_OK;
    uint64_t end64 = number(a->bytes + at - LOCATOR_BYTES + 8, 8);
    if (!signed_as(a, end64, END64_BYTES, "PK\6\6"))
        return fail_zip(a, "a zip64 directory, found none");
    *entries = number(a->bytes + end64 + 32, 8);
    *start = number(a->bytes + end64 + 48, 8);
    return CAFE_OK;
}

/* Sizes and offset that do not fit 32 bits stand in an extra field, in this order. */
static bool take_zip64(const uint8_t *extra, uint64_t length, uint64_t *fields[3]) {
    while (length >= 4) {
        uint64_t id = number(extra, 2), bytes = number(extra + 2, 2);
        if (bytes > length - 4) return false;
        if (id == 1) {
            const uint8_t *p = extra + 4;
            for (int i = 0; i < 3; i++) {
                if (*fields[i] != 0xffffffffu) continue;
                if (bytes < 8) return false;
                *fields[i] = number(p, 8);
                p += 8, bytes -= 8;
            }
            return true;
        }
        extra += 4 + bytes, length -= 4 + bytes;
    }
    return true;
}

/* The member's data follows its local header, whose own extra field may differ. */
static bool find_data(const archive *a, uint64_t local, uint64_t packed, cafe_zip_member *m) {
    if (!signed_as(a, local, LOCAL_BYTES, "PK\3\4")) return false;
    const uint8_t *p = a->bytes + local;
    uint64_t start = local + LOCAL_BYTES + number(p + 26, 2) + number(p + 28, 2);
    if (!within(a, start, packed)) return false;
    m->packed = a->bytes + start;
    return true;
}

static bool plausible(const cafe_zip_member *m, int flags) {
    if (flags & 1) return false; /* encrypted */
    if (m->method == 0) return m->size == m->packed_size;
    return m->method == 8 && m->size / MOST_GROWTH <= m->packed_size;
}

/* Reads the entry at *at and moves after it. */
static cafe_status take_entry(archive *a, uint64_t *at) {
    cafe_zip *zip = a->zip;
    if (!signed_as(a, *at, ENTRY_BYTES, "PK\1\2"))
        return fail_zip(a, "an entry of the zip directory, found other data");
    const uint8_t *p = a->bytes + *at;
    uint64_t name = number(p + 28, 2), extra = number(p + 30, 2), comment = number(p + 32, 2);
    uint64_t packed = number(p + 20, 4), size = number(p + 24, 4), local = number(p + 42, 4);
    if (!within(a, *at + ENTRY_BYTES, name + extra + comment))
        return fail_zip(a, "a whole entry of the zip directory, found the end of the file");
    *at += ENTRY_BYTES + name + extra + comment;
    cafe_zip_member m = {.method = (int)number(p + 10, 2), .crc = (uint32_t)number(p + 16, 4)};
    if (name >= sizeof m.name || zip->count == CAFE_ZIP_MEMBERS) return CAFE_OK;
    memcpy(m.name, p + ENTRY_BYTES, (size_t)name);
    uint64_t *fields[3] = {&size, &packed, &local};
    if (!take_zip64(p + ENTRY_BYTES + name, extra, fields) || size > INT64_MAX / 2 ||
        !find_data(a, local, packed, &m))
        return fail_zip(a, "a zip member within the file, found one beyond its end");
    m.size = (int64_t)size;
    m.packed_size = (int64_t)packed;
    if (!plausible(&m, (int)number(p + 8, 2)))
        return fail_zip(a, "stored or deflated zip members, found others");
    zip->members[zip->count++] = m;
    return CAFE_OK;
}

cafe_status cafe_zip_open(cafe_context *context, const char *name, const uint8_t *bytes,
                          int64_t size, cafe_zip *zip) {
    archive a = {zip, bytes, size};
    uint64_t at = 0, entries = 0;
    *zip = (cafe_zip){.context = context, .name = name};
    cafe_status status = find_directory(&a, &at, &entries);
    for (uint64_t i = 0; i < entries && status == CAFE_OK; i++) status = take_entry(&a, &at);
    return status;
}

typedef struct unpacking {
    cafe_zip *zip;
    uint8_t *states; /* scratch of the inflater, one per member up to the last packed */
    bool good[CAFE_ZIP_MEMBERS];
} unpacking;

static void unpack_member(void *argument, int64_t task) {
    unpacking *u = argument;
    cafe_zip_member *m = &u->zip->members[task];
    u->good[task] = m->method == 0 || cafe_inflate(u->states + (size_t)task * cafe_inflate_bytes(),
                                                   m->packed, m->packed_size, m->owned, m->size);
    m->bytes = m->method == 0 ? m->packed : m->owned;
    if (u->good[task]) u->good[task] = cafe_crc32(m->bytes, m->size) == m->crc;
}

cafe_status cafe_zip_unpack(cafe_zip *zip) {
    unpacking u = {.zip = zip};
    cafe_status status = CAFE_ERROR_MEMORY;
    int packed = 0;
    for (int i = 0; i < zip->count; i++) {
        cafe_zip_member *m = &zip->members[i];
        if (m->method == 0) continue;
        if (!(m->owned = cafe_mem(zip->context, m->size, 1))) goto done;
        packed = i + 1;
    }
    u.states = cafe_mem(zip->context, packed, cafe_inflate_bytes());
    if (!u.states) goto done;
    CAFE_TRY(cafe_each(zip->context, zip->count, unpack_member, &u));
    for (int i = 0; i < zip->count && status == CAFE_OK; i++)
        if (!u.good[i])
            status = cafe_fail(zip->context, CAFE_ERROR_FORMAT,
                               "%s: %s: expected sound data, found a wrong length or CRC",
                               zip->name, zip->members[i].name);
done:
    cafe_mem_free(zip->context, u.states);
    return status;
}

void cafe_zip_close(cafe_zip *zip) {
    for (int i = 0; i < zip->count; i++) cafe_mem_free(zip->context, zip->members[i].owned);
    zip->count = 0;
}

cafe_zip_member *cafe_zip_find(cafe_zip *zip, const char *name) {
    for (int i = 0; i < zip->count; i++)
        if (strcmp(zip->members[i].name, name) == 0) return &zip->members[i];
    return NULL;
}
