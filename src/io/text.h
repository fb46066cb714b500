/* Text in windows of whole lines, plain or gzip, and the windows in pieces for the threads.
 *
 * A window's last byte is '\n' (one is supplied when the file lacks it) and sixteen bytes behind it
 * may be read, which is what the scanners of scan.h rely on. How the text is cut depends on the
 * text alone, never on the threads.
 */
#ifndef CAFE_IO_TEXT_H
#define CAFE_IO_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/place.h"

/* The short texts of a fuzzer are cut into few pieces, which then hold several lines each. */
#ifdef CAFE_FUZZING
enum { CAFE_TEXT_PIECES = 4 };
#else
enum { CAFE_TEXT_PIECES = 64 };
#endif
enum { CAFE_TEXT_PADDING = 16 };

typedef struct cafe_text {
    cafe_context *context;
    const char *name;
    const uint8_t *bytes; /* the file */
    int64_t size;
    bool mapped; /* pages of `bytes` may be given back once parsed */
    int64_t window;

    /* the current window and the number of its first line; empty behind the last one */
    const uint8_t *begin, *end;
    int64_t line;
    int64_t lines; /* in the window, once counted: cafe_text_next() adds them to `line` */

    /* the rest belongs to text.c */
    int64_t at;    /* plain: where the next window starts */
    uint8_t *tail; /* plain: copy of the last lines, padded */
    cafe_gunzip *gunzip;
    struct cafe_text_buffer {
        uint8_t *bytes;
        int64_t capacity, used;
    } buffers[2]; /* gzip: the current window's and the next one's */
    int current;
    int64_t rest; /* gzip: bytes of the unfinished line behind the current window */
    bool filled;  /* gzip: the next buffer holds data already */
} cafe_text;

/* One piece of a window: whole lines. */
typedef struct cafe_piece {
    const uint8_t *begin, *end;
    int64_t lines;  /* in it */
    int64_t before; /* lines of the window before it */
} cafe_piece;

/* gzip data is recognised and decompressed on the way. The bytes outlive the text. window: bytes
 * per window, about. A line of more than 256 MiB is refused. */
cafe_status cafe_text_open(cafe_context *context, const char *name, const uint8_t *bytes,
                           int64_t size, int64_t window, cafe_text *text);
/* The same for all of an input, in the windows it asks for or of 32 MiB. */
cafe_status cafe_text_open_input(const cafe_input *input, cafe_text *text);
void cafe_text_close(cafe_text *text);
void cafe_text_rewind(cafe_text *text);

/* Moves to the next window; begin == end when there is none. */
cafe_status cafe_text_next(cafe_text *text);

/* The next line, taken off the window (which moves on when it is used up): from begin to end, '\n'
 * included, with `at` at its start; begin == end behind the last one. */
cafe_status cafe_text_line(cafe_text *text, cafe_place *line);

/* Cuts the window into pieces[CAFE_TEXT_PIECES], some of them empty, and counts their lines. */
cafe_status cafe_text_cut(cafe_text *text, cafe_piece *pieces);

/* Runs parse(argument, k, worker) for all pieces k; of gzip text one more task decompresses the
 * next window meanwhile. */
cafe_status cafe_text_parse(cafe_text *text, cafe_task *parse, void *argument);

/* Bytes of the file used up to the end of this window: for progress and for guessing sizes. */
int64_t cafe_text_used(const cafe_text *text);

/* The place of a byte in a piece. */
cafe_place cafe_text_place(const cafe_text *text, const cafe_piece *piece, const uint8_t *at);

#endif
