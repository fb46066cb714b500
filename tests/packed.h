/* Deflate data for tests, by what the build has for it. */
#ifndef CAFE_TESTS_PACKED_H
#define CAFE_TESTS_PACKED_H

#include <stddef.h>

#include "io/deflate.h"
#include "io/flate.h"

/* Packs a text into out[room]; frame: IGZIP_DEFLATE or IGZIP_GZIP. Returns the bytes used; 0: there
 * is no room. */
static inline size_t test_pack(int frame, const void *text, size_t size, uint8_t *out,
                               size_t room) {
    static struct isal_zstream stream; /* half a megabyte by zlib */
    isal_deflate_init(&stream);
    stream.gzip_flag = (uint16_t)frame;
    stream.end_of_stream = 1;
    stream.flush = NO_FLUSH;
    stream.next_in = cafe_isal_input(text);
    stream.avail_in = (uint32_t)size;
    stream.next_out = out;
    stream.avail_out = (uint32_t)room;
    return isal_deflate(&stream) == COMP_OK && stream.avail_in == 0 ? (size_t)stream.total_out : 0;
}

#endif
