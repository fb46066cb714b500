/* Writes sparse matrices for scipy.sparse.load_npz: a zip archive of .npy arrays (format, shape,
 * indptr, indices, data), not compressed, so the disk limits the speed.
 *
 * Every member has the zip64 fields, as in NumPy's archives: one layout for matrices of any size
 * (APPNOTE 6.3, sections 4.3.7 to 4.3.16 and 4.5.3).
 */
#include <stdatomic.h>
#include <string.h>

#include <cafe-private/writers.h>

#include "base/finite.h"
#include "base/thread_pool.h"
#include "io/flate.h"
#include "io/npy.h"
#include "io/output_file.h"

enum { MEMBERS = 5, BLOCK = 1 << 16, RECORD = 256 };
enum { VERSION = 45, STORED = 0, DATE = 0x21 /* the first day of 1980 */ };

typedef struct member {
    const char *name;
    char header[CAFE_NPY_HEADER]; /* of the .npy array */
    int header_size;
    const void *data;
    int64_t data_size;
    uint32_t crc;
    uint64_t at; /* of its local record in the archive */
} member;

/* A record put together field by field, little-endian as the machine is. */
typedef struct record {
    char bytes[RECORD];
    int size;
} record;

static void put(record *r, uint64_t value, int size) {
    memcpy(r->bytes + r->size, &value, (size_t)size);
    r->size += size;
}

static void put_text(record *r, const char *text, size_t size) {
    memcpy(r->bytes + r->size, text, size);
    r->size += (int)size;
}

/* ---- members --------------------------------------------------------------------------------- */

static void set_member(member *m, const char *name, const char *type, int dimensions, int64_t count,
                       const void *data, int64_t element) {
    *m = (member){.name = name, .data = data, .data_size = count * element};
    m->header_size = cafe_npy_header(type, dimensions, &count, NULL, "", m->header);
}

static uint64_t size_of(const member *m) {
    return (uint64_t)m->header_size + (uint64_t)m->data_size;
}

/* ---- the archive ----------------------------------------------------------------------------- */

static void put_local(record *r, const member *m) {
    put_text(r, "PK\3\4", 4);
    put(r, VERSION, 2);
    put(r, 0, 2);
    put(r, STORED, 2);
    put(r, 0, 2); /* time */
    put(r, DATE, 2);
    put(r, m->crc, 4);
    put(r, 0xffffffff, 4);
    put(r, 0xffffffff, 4);
    put(r, strlen(m->name), 2);
    put(r, 20, 2);
    put_text(r, m->name, strlen(m->name));
    put(r, 1, 2); /* zip64: size, packed size */
    put(r, 16, 2);
    put(r, size_of(m), 8);
    put(r, size_of(m), 8);
}

static void put_entry(record *r, const member *m) {
    put_text(r, "PK\1\2", 4);
    put(r, VERSION, 2);
    put(r, VERSION, 2);
    put(r, 0, 2);
    put(r, STORED, 2);
    put(r, 0, 2);
    put(r, DATE, 2);
    put(r, m->crc, 4);
    put(r, 0xffffffff, 4);
    put(r, 0xffffffff, 4);
    put(r, strlen(m->name), 2);
    put(r, 28, 2);
    put(r, 0, 8); /* comment, disk, attributes inside */
    put(r, 0, 2);
    put(r, 0xffffffff, 4);
    put_text(r, m->name, strlen(m->name));
    put(r, 1, 2); /* zip64: size, packed size, offset */
    put(r, 24, 2);
    put(r, size_of(m), 8);
    put(r, size_of(m), 8);
    put(r, m->at, 8);
}

/* The ends of the directory: zip64's own, its locator, and the plain one that refers to it. */
static void put_end(record *r, uint64_t start, uint64_t size) {
    put_text(r, "PK\6\6", 4);
    put(r, 44, 8);
    put(r, VERSION, 2);
    put(r, VERSION, 2);
    put(r, 0, 8); /* disks */
    put(r, MEMBERS, 8);
    put(r, MEMBERS, 8);
    put(r, size, 8);
    put(r, start, 8);
    put_text(r, "PK\6\7", 4);
    put(r, 0, 4);
    put(r, start + size, 8);
    put(r, 1, 4);
    put_text(r, "PK\5\6", 4);
    put(r, 0, 4); /* disks */
    put(r, MEMBERS, 2);
    put(r, MEMBERS, 2);
    put(r, 0xffffffff, 4);
    put(r, 0xffffffff, 4);
    put(r, 0, 2);
}

static cafe_status write_member(cafe_output *output, member *m, uint64_t *at) {
    record local = {.size = 0};
    m->at = *at;
    put_local(&local, m);
    CAFE_PASS(cafe_output_write(output, local.bytes, local.size));
    CAFE_PASS(cafe_output_write(output, m->header, m->header_size));
    CAFE_PASS(cafe_output_write(output, m->data, m->data_size));
    *at += (uint64_t)local.size + size_of(m);
    return CAFE_OK;
}

static cafe_status write_archive(cafe_output *output, member *members) {
    uint64_t at = 0, start = 0;
    for (int i = 0; i < MEMBERS; i++) {
        CAFE_PASS(write_member(output, &members[i], &at));
        cafe_step(output->context, i + 1, 0);
    }
    start = at;
    for (int i = 0; i < MEMBERS; i++) {
        record entry = {.size = 0};
        put_entry(&entry, &members[i]);
        CAFE_PASS(cafe_output_write(output, entry.bytes, entry.size));
        at += (uint64_t)entry.size;
    }
    record end = {.size = 0};
    put_end(&end, start, at - start);
    return cafe_output_write(output, end.bytes, end.size);
}

/* ---- checks and checksums -------------------------------------------------------------------- */

typedef struct checking {
    const int32_t *indices;
    int64_t count, columns;
    atomic_bool bad;
} checking;

static void check_block(void *argument, int64_t first, int64_t last) {
    checking *c = argument;
    bool bad = false;
    for (int64_t i = first; i < last; i++) bad |= c->indices[i] < 0 || c->indices[i] >= c->columns;
    if (bad) atomic_store(&c->bad, true);
}

static cafe_status check_matrix(cafe_context *context, int64_t rows, int64_t columns,
                                const int64_t *offsets, const int32_t *columns_of) {
    bool good = rows >= 0 && columns >= 0 && offsets[0] == 0;
    for (int64_t i = 0; i < rows && good; i++) good = offsets[i] <= offsets[i + 1];
    if (!good)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a matrix in compressed rows needs offsets that ascend from 0");
    checking c = {columns_of, offsets[rows], columns, false};
    cafe_status status = cafe_ranges(context, c.count, BLOCK, check_block, &c);
    if (status == CAFE_OK && atomic_load(&c.bad))
        status =
            cafe_fail(context, CAFE_ERROR_ARGUMENT,
                      "an entry of the matrix is outside of its %lld columns", (long long)columns);
    return status;
}

/* The CRC of header and data: that of the data goes on from the header's. */
static void sum_member(void *argument, int64_t task) {
    member *m = (member *)argument + task;
    m->crc = crc32_gzip_refl(0, (const uint8_t *)m->header, (uint64_t)m->header_size);
    m->crc = crc32_gzip_refl(m->crc, m->data, (uint64_t)m->data_size);
}

cafe_status cafe_npz_write_csr(cafe_context *context, const char *path, int64_t rows,
                               int64_t columns, const int64_t *offsets, const int32_t *columns_of,
                               const float *values, int32_t overwrite) {
    cafe_status status = CAFE_OK;
    cafe_output *output = NULL;
    member members[MEMBERS];
    const int64_t shape[2] = {rows, columns};
    CAFE_TRY(check_matrix(context, rows, columns, offsets, columns_of));
    CAFE_TRY(cafe_check_finite(context, "the values of the matrix", offsets[rows], 1, 1, values));
    set_member(&members[0], "indices.npy", "<i4", 1, offsets[rows], columns_of, sizeof *columns_of);
    set_member(&members[1], "indptr.npy", "<i8", 1, rows + 1, offsets, sizeof *offsets);
    set_member(&members[2], "format.npy", "|S3", 0, 1, "csr", 3);
    set_member(&members[3], "shape.npy", "<i8", 1, 2, shape, sizeof *shape);
    set_member(&members[4], "data.npy", "<f4", 1, offsets[rows], values, sizeof *values);
    CAFE_TRY(cafe_output_create(context, path, overwrite, &output));
    cafe_phase(context, "write", MEMBERS);
    CAFE_TRY(cafe_each(context, MEMBERS, sum_member, members));
    CAFE_TRY(write_archive(output, members));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(output);
    cafe_phase(context, "", 0);
    return status;
}
