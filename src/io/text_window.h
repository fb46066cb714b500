/* Text in windows of whole lines, plain or gzip, from memory or from a file, and windows in pieces
 * for the threads.
 *
 * The last byte of a window is '\n' (added if the file lacks it), and sixteen bytes after it may be
 * read; the scanners rely on both (scanners.h). The cuts depend on the text alone, never on the
 * threads.
 */
#ifndef CAFE_IO_TEXT_WINDOW_H
#define CAFE_IO_TEXT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "io/gzip.h"
#include "io/input_file.h"
#include "io/text_position.h"

/* The short texts of a fuzzer are cut into few pieces, which then hold several lines each. */
#ifdef CAFE_FUZZING
enum { CAFE_TEXT_PIECES = 4 };
#else
enum { CAFE_TEXT_PIECES = 64 };
#endif
enum { CAFE_TEXT_PADDING = 16, CAFE_TEXT_SLICES = 8 };

typedef struct cafe_text {
    cafe_context *context;
    const char *name;
    const cafe_input *input;
    const uint8_t *bytes; /* all of it, or NULL: it is read window by window */
    int64_t size;
    int64_t window;

    /* the current window and the number of its first line; empty at the end */
    const uint8_t *begin, *end;
    int64_t line;
    int64_t lines;  /* in the window, once counted: cafe_text_next() adds them to `line` */
    uint8_t stated; /* the separator that a first line "sep=;" states, which is skipped; 0: none */
    int64_t total;  /* bytes of all files */

    /* following_files.c: files behind the first one */
    const cafe_input *first; /* the input that the text was opened with */
    cafe_gunzip *first_gunzip;
    cafe_input following; /* the file at hand, if it is not the first */
    int64_t file;         /* its number; 0: the first */
    int64_t before;       /* bytes of the files before it, */
    int64_t passed;       /* and their lines */
    char *heading;        /* of the first file, without its line end; NULL: it has none */
    uint8_t separator;    /* of its fields */

    /* the rest belongs to text_window.c */
    int64_t at;    /* memory: where the next window starts; a file: bytes read up to now */
    uint8_t *tail; /* memory: copy of the last lines, padded */
    cafe_gunzip *gunzip;
    struct cafe_text_buffer {
        uint8_t *bytes;
        int64_t capacity, used;
    } buffers[2]; /* files and gzip: the current window's and the next one's */
    int current;
    int64_t rest;                  /* bytes of the unfinished line after the current window */
    bool filled;                   /* the next buffer holds data already */
    int64_t given;                 /* bytes of all windows so far */
    bool cut;                      /* the file ended before its size */
    int64_t wanted, slices;        /* bytes to read into the next buffer, and the number of tasks */
    int64_t got[CAFE_TEXT_SLICES]; /* by each */
} cafe_text;

/* One piece of a window: whole lines. */
typedef struct cafe_piece {
    const uint8_t *begin, *end;
    int64_t lines;  /* in it */
    int64_t before; /* lines of the window before it */
} cafe_piece;

/* Opens a text. gzip data are recognised and decompressed. The input must outlive the text. window:
 * approximate bytes per window, unless the input sets others. Fails for a line of more than 256
 * MiB, and for a file that changed before its end was reached. */
cafe_status cafe_text_open(const cafe_input *input, int64_t window, cafe_text *text);
/* The same in windows of 32 MiB, with progress. */
cafe_status cafe_text_open_input(const cafe_input *input, cafe_text *text);
void cafe_text_close(cafe_text *text);
CAFE_LAB void cafe_text_rewind(cafe_text *text);

/* Moves to the next window, of the next file if there is one; begin == end behind the last. */
cafe_status cafe_text_next(cafe_text *text);

/* The next window of the file at hand. */
cafe_status cafe_text_next_of_file(cafe_text *text);
/* Makes another input the text's; its first window is the next one. */
cafe_status cafe_text_take(cafe_text *text, const cafe_input *input);

/* following_files.c: moves to the first window with lines of a following file, behind a heading
 * that is that of the first file. Moves back to the first file; memory of the files behind it. */
cafe_status cafe_text_follow(cafe_text *text);
void cafe_text_return(cafe_text *text);
void cafe_text_unfollow(cafe_text *text);
/* Keeps the line at `line`, the heading of the first file, for comparison. */
cafe_status cafe_text_keep_heading(cafe_text *text, const uint8_t *line, uint8_t separator);
/* Sets the bytes of all files. */
cafe_status cafe_text_measure(cafe_text *text);

/* Takes the next line off the window, which moves on at its end: from begin to end, '\n' included,
 * with `at` at its start; begin == end at the end. */
cafe_status cafe_text_line(cafe_text *text, cafe_place *line);

/* Cuts the window into pieces[CAFE_TEXT_PIECES], some of them empty, and counts their lines. */
cafe_status cafe_text_cut(cafe_text *text, cafe_piece *pieces);

/* Runs parse(argument, k, worker) for all pieces k; further tasks read or decompress the next
 * window. */
cafe_status cafe_text_parse(cafe_text *text, cafe_task *parse, void *argument);

/* So much text from so little gzip data (more than 16 bytes from one) that it repeats itself. */
bool cafe_text_packed(const cafe_text *text);

/* The place of the window's first byte in the text. */
int64_t cafe_text_at(const cafe_text *text);

/* Bytes of the file used up to the end of this window: for progress and for guessing sizes. */
int64_t cafe_text_used(const cafe_text *text);

/* The place of a byte in a piece. */
cafe_place cafe_text_place(const cafe_text *text, const cafe_piece *piece, const uint8_t *at);

#endif
