/* Zip archives for .npz files: stored or deflated members, zip64. */
#ifndef CAFE_IO_ZIP_H
#define CAFE_IO_ZIP_H

#include <stdint.h>

#include "base/context.h"

typedef struct cafe_zip_member {
    char name[32]; /* longer names are not ours: left out */
    int method;    /* 0 stored, 8 deflated */
    uint32_t crc;
    const uint8_t *packed; /* within the archive */
    int64_t packed_size, size;
    const uint8_t *bytes; /* the contents, after cafe_zip_unpack() */
    uint8_t *owned;       /* memory of the context, or NULL when they lie in the archive */
} cafe_zip_member;

enum { CAFE_ZIP_MEMBERS = 16 };

typedef struct cafe_zip {
    cafe_context *context;
    const char *name;
    int count;
    cafe_zip_member members[CAFE_ZIP_MEMBERS];
} cafe_zip;

/* Reads the directory; every offset and length in it is checked. */
cafe_status cafe_zip_open(cafe_context *context, const char *name, const uint8_t *bytes,
                          int64_t size, cafe_zip *zip);

/* Unpacks all members, in parallel, and checks their CRCs. */
cafe_status cafe_zip_unpack(cafe_zip *zip);
void cafe_zip_close(cafe_zip *zip);

cafe_zip_member *cafe_zip_find(cafe_zip *zip, const char *name); /* NULL when there is none */

#endif
