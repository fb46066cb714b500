/* gzip, zstd and xz around text.
 *
 * Data that starts as one of these does is the file itself. Otherwise the first byte says how the
 * text behind it is packed. By which of the three, in one stream or two, with one byte of the
 * result changed or with bytes behind it. Packed text that is not damaged gives what the text
 * gives.
 */
#include "fuzz.h"
#include "io/gzip_write.h"
#include "io/zstd_xz.h"

#ifdef CAFE_ZSTD
#include <zstd.h>
#endif
#ifdef CAFE_LZMA
#include <lzma.h>
#endif

enum { KINDS = 3, SPLIT = 1, DAMAGE = 2, TRAIL = 4, GUESS = 8, ROOM = 1 << 16 };

typedef struct packed {
    size_t size;
    uint8_t bytes[ROOM];
} packed;

static cafe_status take(void *target, const char *bytes, int64_t size) {
    packed *p = target;
    if (p->size + (size_t)size > ROOM) abort();
    memcpy(p->bytes + p->size, bytes, (size_t)size);
    p->size += (size_t)size;
    return CAFE_OK;
}

static void pack_gzip(packed *p, const uint8_t *text, size_t size) {
    cafe_context *context = fuzz_context();
    cafe_gzip_writer *writer = cafe_gzip_writer_create(context);
    if (!writer ||
        cafe_gzip_writer_put(writer, (const char *)text, (int64_t)size, true, take, p) != CAFE_OK)
        abort();
    cafe_gzip_writer_free(context, writer);
}

static void pack_zstd(packed *p, const uint8_t *text, size_t size) {
#ifdef CAFE_ZSTD
    static ZSTD_CCtx *packer;
    if (!packer && !(packer = ZSTD_createCCtx())) abort();
    size_t written = ZSTD_compressCCtx(packer, p->bytes + p->size, ROOM - p->size, text, size, 1);
    if (ZSTD_isError(written)) abort();
    p->size += written;
#else
    pack_gzip(p, text, size);
#endif
}

static void pack_xz(packed *p, const uint8_t *text, size_t size) {
#ifdef CAFE_LZMA
    lzma_options_lzma how;
    if (lzma_lzma_preset(&how, 0)) abort();
    how.dict_size = LZMA_DICT_SIZE_MIN;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &how}, {LZMA_VLI_UNKNOWN, NULL}};
    if (lzma_stream_buffer_encode(filters, size % 2 ? LZMA_CHECK_CRC32 : LZMA_CHECK_CRC64, NULL,
                                  text, size, p->bytes, &p->size, ROOM) != LZMA_OK)
        abort();
#else
    pack_gzip(p, text, size);
#endif
}

static void pack(packed *p, uint8_t how, const uint8_t *text, size_t size) {
    static void (*const packers[KINDS])(packed *, const uint8_t *, size_t) = {pack_gzip, pack_zstd,
                                                                              pack_xz};
    size_t first = how / KINDS & SPLIT ? size / 2 : size;
    p->size = 0;
    packers[how % KINDS](p, text, first);
    if (first < size) packers[how % KINDS](p, text + first, size - first);
}

/* One byte of it, chosen by the text's last two, is another. */
static void damage(packed *p, const uint8_t *text, size_t size) {
    if (size < 2) return;
    p->bytes[(text[size - 2] * 256u + text[size - 1]) % p->size] ^= text[size - 2] | 1;
}

static void compare(const cafe_graph *a, const cafe_graph *b) {
    if (!a != !b) abort();
    if (a && (cafe_graph_nodes(a) != cafe_graph_nodes(b) ||
              cafe_graph_get_counts(a)->edges != cafe_graph_get_counts(b)->edges))
        abort();
}

static void read_packed(uint8_t how, const uint8_t *text, size_t size) {
    static packed p;
    uint8_t with = how / KINDS;
    cafe_format format = with & GUESS ? CAFE_FORMAT_AUTO : CAFE_FORMAT_EDGES;
    cafe_graph *graph, *plain;
    pack(&p, how, text, size);
    if (with & DAMAGE) damage(&p, text, size);
    if (with & TRAIL) p.bytes[p.size++] = how;
    int64_t bytes = cafe_bytes(fuzz_context());
    uint8_t *file = malloc(p.size); /* its end is the end of what may be read */
    if (!file) return;
    memcpy(file, p.bytes, p.size);
    cafe_status status = fuzz_read_graph("x", format, text, size, file, p.size, &graph);
    if (!(with & (DAMAGE | TRAIL | GUESS)) && cafe_packing_of(text, (int64_t)size) == 0 &&
        !cafe_packing_other(text, (int64_t)size)) {
        fuzz_read_graph("x", format, text, size, text, size, &plain);
        compare(graph, plain);
        cafe_graph_free(plain);
    }
    cafe_graph_free(graph);
    fuzz_check(status, bytes);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > ROOM / 4) return 0;
    if (strchr("\x1f\x28\xfd", data[0]) && data[0])
        fuzz_read("x.gz", CAFE_FORMAT_AUTO, data, size);
    else
        read_packed(data[0], data + 1, size - 1);
    return 0;
}
