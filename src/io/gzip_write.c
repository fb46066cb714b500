/* Deflate by ISA-L, as one stream from the first byte of a file to its last. */
#include "io/gzip_write.h"

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/deflate.h"
#include "io/flate.h"

enum { LEVEL = 2, ROOM = 1 << 18, SLICE = 1 << 30 };

struct cafe_gzip_writer {
    cafe_context *context;
    struct isal_zstream stream;
    uint8_t work[ISAL_DEF_LVL2_DEFAULT];
    uint8_t out[ROOM];
};

bool cafe_is_gzip_name(const char *path) {
    size_t length = strlen(path);
    return length > 3 && cafe_same_word(path + length - 3, ".gz", 3);
}

cafe_gzip_writer *cafe_gzip_writer_create(cafe_context *context) {
    cafe_gzip_writer *w = cafe_mem(context, 1, sizeof *w);
    if (!w) return NULL;
    w->context = context;
    isal_deflate_init(&w->stream);
    w->stream.level = LEVEL;
    w->stream.level_buf = w->work;
    w->stream.level_buf_size = sizeof w->work;
    w->stream.gzip_flag = IGZIP_GZIP;
    w->stream.flush = NO_FLUSH;
    return w;
}

void cafe_gzip_writer_free(cafe_context *context, cafe_gzip_writer *writer) {
    cafe_mem_free(context, writer);
}

static cafe_status put_slice(cafe_gzip_writer *w, const char *bytes, int64_t size, bool end,
                             cafe_gzip_send *send, void *target) {
    w->stream.next_in = cafe_isal_input(bytes);
    w->stream.avail_in = (uint32_t)size;
    w->stream.end_of_stream = end;
    do {
        w->stream.next_out = w->out;
        w->stream.avail_out = ROOM;
        if (isal_deflate(&w->stream) != COMP_OK)
            return cafe_fail(w->context, CAFE_ERROR_NUMERIC, "deflate failed");
        CAFE_PASS(send(target, (const char *)w->out, ROOM - (int64_t)w->stream.avail_out));
    } while (w->stream.avail_out == 0 || w->stream.avail_in > 0);
    return CAFE_OK;
}

cafe_status cafe_gzip_writer_put(cafe_gzip_writer *w, const char *bytes, int64_t size, bool end,
                                 cafe_gzip_send *send, void *target) {
    do {
        int64_t count = size < SLICE ? size : SLICE;
        CAFE_PASS(put_slice(w, bytes, count, end && count == size, send, target));
        bytes += count;
        size -= count;
    } while (size > 0);
    return CAFE_OK;
}
