/* Deflate by ISA-L, at the level that packs best: what is written once is read often. */
#include "io/deflate.h"

#include "base/memory.h"
#include "io/flate.h"

enum { LEVEL = 3 };

cafe_status cafe_deflate(cafe_context *context, cafe_deflate_frame frame, const uint8_t *bytes,
                         int64_t size, uint8_t *out, int64_t *packed) {
    struct isal_zstream *stream = cafe_mem(context, 1, sizeof *stream);
    uint8_t *work = cafe_mem(context, ISAL_DEF_LVL3_DEFAULT, 1);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!stream || !work) goto done;
    isal_deflate_init(stream);
    stream->level = LEVEL;
    stream->level_buf = work;
    stream->level_buf_size = ISAL_DEF_LVL3_DEFAULT;
    stream->end_of_stream = 1;
    stream->flush = NO_FLUSH;
    stream->gzip_flag = frame == CAFE_DEFLATE_ZLIB ? IGZIP_ZLIB : IGZIP_DEFLATE;
    stream->next_in = cafe_isal_input(bytes);
    stream->avail_in = (uint32_t)size;
    stream->next_out = out;
    stream->avail_out = (uint32_t)cafe_deflate_bound(size);
    int result = isal_deflate(stream);
    *packed = stream->total_out;
    status = result == COMP_OK && stream->avail_in == 0
                 ? CAFE_OK
                 : cafe_fail(context, CAFE_ERROR_NUMERIC, "deflate failed");
done:
    cafe_mem_free_all(context, stream, work);
    return status;
}
