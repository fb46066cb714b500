/* Deflate data: the calls of Intel's ISA-L, or, in builds with CAFE_ZLIB, the same calls by zlib.
 *
 * zlib takes its memory from the object itself, so nothing is freed, and an object may be scratch
 * memory of a task. Bytes that are written differ between the two; bytes that are read do not.
 */
#ifndef CAFE_IO_FLATE_H
#define CAFE_IO_FLATE_H

#ifndef CAFE_ZLIB
#include <isa-l.h>

#define CAFE_FLATE_VERSION \
    "ISA-L " CAFE_FLATE_TEXT(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)
#define CAFE_FLATE_TEXT(a, b, c)  CAFE_FLATE_TEXT_(a, b, c)
#define CAFE_FLATE_TEXT_(a, b, c) #a "." #b "." #c
#else
#include <stdbool.h>
#include <stdint.h>

#include <zlib.h>

#define CAFE_FLATE_VERSION "zlib " ZLIB_VERSION

enum { ISAL_DEFLATE, ISAL_GZIP };               /* crc_flag: the frame around what is read */
enum { IGZIP_DEFLATE, IGZIP_GZIP, IGZIP_ZLIB }; /* gzip_flag: around what is written */
enum { ISAL_BLOCK_DATA, ISAL_BLOCK_FINISH };    /* block_state: its end is reached */
enum { COMP_OK, ISAL_NEED_DICT, NO_FLUSH = 0 }; /* results; flush */
enum { ISAL_DEF_LVL2_DEFAULT = 1, ISAL_DEF_LVL3_DEFAULT = 1 }; /* work space: zlib has its own */

struct inflate_state {
    uint8_t *next_in, *next_out;
    uint32_t avail_in, avail_out;
    int crc_flag, block_state;
    bool begun;
    z_stream z;
    uint32_t used; /* of the memory */
    _Alignas(16) uint8_t memory[1 << 16];
};

struct isal_zstream {
    uint8_t *next_in, *next_out;
    uint32_t avail_in, avail_out, level_buf_size;
    int64_t total_out;
    int level, gzip_flag, flush, end_of_stream;
    uint8_t *level_buf;
    bool begun;
    z_stream z;
    uint32_t used;
    _Alignas(16) uint8_t memory[1 << 19];
};

/* A program may have ISA-L too. */
#define isal_inflate_init  cafe_flate_inflate_init
#define isal_inflate_reset cafe_flate_inflate_reset
#define isal_inflate       cafe_flate_inflate
#define isal_deflate_init  cafe_flate_deflate_init
#define isal_deflate       cafe_flate_deflate
#define crc32_gzip_refl    cafe_flate_crc32
#define crc64_ecma_refl    cafe_flate_crc64
void isal_inflate_init(struct inflate_state *state);
void isal_inflate_reset(struct inflate_state *state);
int isal_inflate(struct inflate_state *state);
void isal_deflate_init(struct isal_zstream *stream);
int isal_deflate(struct isal_zstream *stream);
uint32_t crc32_gzip_refl(uint32_t seed, const uint8_t *bytes, uint64_t size);
uint64_t crc64_ecma_refl(uint64_t seed, const uint8_t *bytes, uint64_t size);
#endif

#endif
