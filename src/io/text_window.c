/* The text source: windows over bytes in memory, a file, or a stream of decompressed data.
 *
 * Windows point into bytes in memory. Only the last 64 KiB (or the last line) are copied, for the
 * padding, so a small text is one window. Files and gzip data alternate between two buffers. While
 * threads parse the lines of one, other tasks fill the other (gzip: one task decompresses),
 * beginning with the unfinished line at the end of the first.
 */
#include "io/text_window.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/scanners.h"

static const int64_t longest_line = (int64_t)1 << 28, usual_window = (int64_t)32 << 20;
static const int64_t small_rest = (int64_t)1 << 16;
static const int64_t least_slice = (int64_t)1 << 20; /* of a file, read by one task */
enum { EXPANSION = 1032 };                           /* of deflate data, at most */
enum { PACKED = 16 };                                /* more is seen where text repeats itself */

static void start(cafe_text *text) {
    text->at = 0;
    text->line = 1 + text->input->lines;
    text->lines = 0;
    text->begin = text->end = text->bytes;
    text->rest = text->given = 0;
    text->filled = text->cut = false;
    text->buffers[0].used = text->buffers[1].used = 0;
}

cafe_status cafe_text_take(cafe_text *text, const cafe_input *input) {
    text->name = input->name;
    text->input = input;
    text->bytes = input->bytes;
    text->size = input->size;
    text->gunzip = NULL;
    start(text);
    CAFE_PASS(cafe_input_check_packing(input));
    if (!cafe_input_is_gzip(input)) return CAFE_OK;
    text->gunzip = cafe_input_gunzip(input);
    return text->gunzip ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_text_open(const cafe_input *input, int64_t window, cafe_text *text) {
    *text = (cafe_text){.context = input->context, .first = input};
    text->window = input->window ? input->window : window;
    CAFE_PASS(cafe_text_take(text, input));
    text->first_gunzip = text->gunzip;
    return cafe_text_measure(text);
}

cafe_status cafe_text_open_input(const cafe_input *input, cafe_text *text) {
    cafe_status status = cafe_text_open(input, usual_window, text);
    cafe_phase(input->context, "read", text->total);
    return status;
}

void cafe_text_close(cafe_text *text) {
    cafe_text_unfollow(text);
    cafe_gunzip_free(text->context, text->gunzip);
    cafe_mem_free(text->context, text->tail);
    for (int i = 0; i < 2; i++) cafe_mem_free(text->context, text->buffers[i].bytes);
    text->gunzip = NULL;
    text->tail = NULL;
    memset(text->buffers, 0, sizeof text->buffers);
}

void cafe_text_rewind(cafe_text *text) {
    cafe_text_return(text);
    start(text);
    if (text->gunzip) cafe_gunzip_rewind(text->gunzip);
}

bool cafe_text_packed(const cafe_text *text) {
    return text->gunzip && text->given > PACKED * cafe_gunzip_used(text->gunzip);
}

int64_t cafe_text_at(const cafe_text *text) {
    return text->given - (text->end - text->begin);
}

int64_t cafe_text_used(const cafe_text *text) {
    return text->before + (text->gunzip ? cafe_gunzip_used(text->gunzip) : text->at);
}

static cafe_status fail_long_line(cafe_text *text) {
    return cafe_fail(text->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected lines of text, found a line of more than 256 MiB",
                     text->name, (long long)text->line);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bytes before this one may lie in a window that points into the text. */
static int64_t last_direct(const cafe_text *text) {
    return text->size - CAFE_TEXT_PADDING;
}

/* The last lines, ended by '\n' and padded. */
static cafe_status copy_tail(cafe_text *text) {
    int64_t length = text->size - text->at;
    if (length > longest_line) return fail_long_line(text);
    cafe_mem_free(text->context, text->tail);
    text->tail = cafe_mem_zero(text->context, length + 1 + CAFE_TEXT_PADDING, 1);
    if (!text->tail) return CAFE_ERROR_MEMORY;
    if (length > 0) memcpy(text->tail, text->bytes + text->at, (size_t)length);
    if (length > 0 && text->tail[length - 1] != '\n') text->tail[length++] = '\n';
    text->begin = text->tail;
    text->end = text->tail + length;
    text->at = text->size;
    return CAFE_OK;
}

/* The last '\n' of the bytes; NULL: none. */
static const uint8_t *last_newline(const uint8_t *bytes, int64_t count) {
    while (count > 0 && bytes[count - 1] != '\n') count--;
    return count > 0 ? bytes + count - 1 : NULL;
}

static cafe_status next_in_memory(cafe_text *text) {
    int64_t small = text->window < small_rest ? text->window : small_rest;
    if (text->size - text->at <= small) return copy_tail(text);
    int64_t limit = last_direct(text);
    const uint8_t *begin = text->bytes + text->at, *newline = NULL;
    if (limit - text->at > text->window) {
        /* up to the first line end after the window's size, or else to the last line end */
        const uint8_t *from = begin + text->window;
        newline = memchr(from, '\n', (size_t)(text->bytes + limit - from));
    }
    if (!newline && limit > text->at) newline = last_newline(begin, limit - text->at);
    if (!newline) return copy_tail(text);
    text->begin = begin;
    text->end = newline + 1;
    text->at = newline + 1 - text->bytes;
    return CAFE_OK;
}

/* ---- files and gzip data --------------------------------------------------------------------- */

static bool ended(const cafe_text *text) {
    return text->gunzip ? cafe_gunzip_ended(text->gunzip) : text->cut || text->at == text->size;
}

/* Returns the bytes of a full window; small texts have small buffers. */
static int64_t most_bytes(const cafe_text *text) {
    if (text->gunzip && cafe_gunzip_may_grow(text->gunzip)) return text->window;
    int64_t most = text->gunzip
                       ? EXPANSION * (text->size < usual_window ? text->size : usual_window)
                       : text->size - text->at;
    return most < text->window ? most : text->window;
}

static cafe_status reserve(cafe_text *text, struct cafe_text_buffer *buffer, int64_t bytes) {
    if (buffer->bytes && buffer->capacity >= bytes) return CAFE_OK;
    uint8_t *block =
        cafe_mem_resize(text->context, buffer->bytes, bytes + 1 + CAFE_TEXT_PADDING, 1);
    if (!block) return CAFE_ERROR_MEMORY;
    buffer->bytes = block;
    buffer->capacity = bytes;
    return CAFE_OK;
}

static struct cafe_text_buffer *next_buffer(cafe_text *text) {
    return &text->buffers[!text->current];
}

/* Plans the read for the next buffer: its size and the number of slices. */
static int64_t plan_fill(cafe_text *text) {
    const struct cafe_text_buffer *next = next_buffer(text);
    text->wanted = next->capacity - next->used;
    if (text->gunzip) return 1;
    if (text->wanted > text->size - text->at) text->wanted = text->size - text->at;
    int64_t slices = 1 + text->wanted / least_slice;
    text->slices = slices < CAFE_TEXT_SLICES ? slices : CAFE_TEXT_SLICES;
    return text->slices;
}

static int64_t slice_start(const cafe_text *text, int64_t k) {
    return text->wanted / text->slices * k + text->wanted % text->slices * k / text->slices;
}

static void fill_slice(void *argument, int64_t k) {
    cafe_text *text = argument;
    uint8_t *out = next_buffer(text)->bytes + next_buffer(text)->used;
    if (text->gunzip) {
        text->got[k] = cafe_gunzip_fill(text->gunzip, out, text->wanted);
        return;
    }
    int64_t from = slice_start(text, k), to = slice_start(text, k + 1);
    text->got[k] = cafe_input_read(text->input, text->at + from, out + from, to - from);
}

/* Adds the sizes that the slices got, up to the first incomplete one. */
static void end_fill(cafe_text *text) {
    int64_t got = text->got[0];
    if (!text->gunzip) {
        for (int64_t k = 1; k < text->slices && got == slice_start(text, k); k++)
            got += text->got[k];
        text->cut = got < text->wanted;
        text->at += got;
    }
    next_buffer(text)->used += got;
    text->filled = true;
}

/* Puts the unfinished line of the current buffer in front of the next one; returns the slices that
 * are to be filled. */
static int64_t begin_fill(cafe_text *text) {
    struct cafe_text_buffer *now = &text->buffers[text->current], *next = next_buffer(text);
    if ((text->bytes && !text->gunzip) || text->filled) return 0;
    if (text->rest > 0)
        memcpy(next->bytes, now->bytes + now->used - text->rest, (size_t)text->rest);
    next->used = text->rest;
    return plan_fill(text);
}

static cafe_status fill_now(cafe_text *text, int64_t slices) {
    if (slices == 0) return CAFE_OK;
    CAFE_PASS(cafe_each(text->context, slices, fill_slice, text));
    end_fill(text);
    return CAFE_OK;
}

static cafe_status fail_gzip(cafe_text *text, const struct cafe_text_buffer *buffer) {
    int64_t lines = cafe_count_lines(buffer->bytes, buffer->bytes + buffer->used), column = 1;
    while (column <= buffer->used && buffer->bytes[buffer->used - column] != '\n') column++;
    return cafe_fail(text->context, CAFE_ERROR_FORMAT, "%s:%lld:%lld: %s", text->name,
                     (long long)(text->line + lines), (long long)column,
                     cafe_gunzip_text(text->gunzip, (char[CAFE_GUNZIP_TEXT]){0}));
}

/* All was read, or nothing more can be: it must be the file that was opened. */
static cafe_status check_end(cafe_text *text, const struct cafe_text_buffer *buffer) {
    bool broken = text->gunzip && cafe_gunzip_state(text->gunzip) != CAFE_GUNZIP_FINE;
    if (!ended(text)) return CAFE_OK;
    CAFE_PASS(cafe_input_unchanged(text->input));
    if (text->cut)
        return cafe_fail(text->context, CAFE_ERROR_IO, "%s: cannot be read to its end", text->name);
    return broken ? fail_gzip(text, buffer) : CAFE_OK;
}

/* The window is the buffer up to its last line end; a line longer than the buffer makes it grow. */
static cafe_status next_in_buffer(cafe_text *text) {
    struct cafe_text_buffer *next = next_buffer(text);
    CAFE_PASS(reserve(text, next, text->rest + most_bytes(text)));
    CAFE_PASS(fill_now(text, begin_fill(text)));
    const uint8_t *newline = last_newline(next->bytes, next->used);
    while (!newline && !ended(text)) {
        CAFE_PASS(cafe_check_cancel(text->context));
        if (next->capacity > longest_line) return fail_long_line(text);
        CAFE_PASS(reserve(text, next, 2 * next->capacity + 1));
        CAFE_PASS(fill_now(text, plan_fill(text)));
        newline = last_newline(next->bytes, next->used);
    }
    CAFE_PASS(check_end(text, next));
    if (ended(text) && next->used > 0 && next->bytes[next->used - 1] != '\n') {
        next->bytes[next->used++] = '\n';
        newline = next->bytes + next->used - 1;
    }
    memset(next->bytes + next->used, 0, CAFE_TEXT_PADDING);
    text->current = !text->current;
    text->filled = false;
    text->begin = next->bytes;
    text->end = newline ? newline + 1 : next->bytes;
    text->rest = next->bytes + next->used - text->end;
    return reserve(text, next_buffer(text), text->rest + most_bytes(text));
}

/* Text in another encoding, by its mark or by the NUL that every ASCII character has there. */
static cafe_status check_encoding(const cafe_text *text, const uint8_t *p, int64_t length) {
    const char *kind = NULL, *found = "";
    bool wide =
        length >= 4 && (memcmp(p, "\xff\xfe\0\0", 4) == 0 || memcmp(p, "\0\0\xfe\xff", 4) == 0);
    if (length < 2) return CAFE_OK;
    if (wide)
        kind = "UTF-32";
    else if (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0)
        kind = "UTF-16";
    else if (!p[0] != !p[1])
        kind = p[0] ? "UTF-16LE" : "UTF-16BE", found = "NUL bytes, as ";
    if (!kind) return CAFE_OK;
    return cafe_fail(text->context, CAFE_ERROR_FORMAT,
                     "%s:1:1: expected UTF-8 text, found %s%s%s (iconv -f %s -t UTF-8 makes it)",
                     text->name, found, kind, *found ? " has them" : "", kind);
}

/* Names text of another kind instead of reporting malformed lines. */
static cafe_status check_kind(const cafe_text *text) {
    const uint8_t *p = text->begin, *newline = memchr(p, '\n', (size_t)(text->end - p));
    const uint8_t *end = newline ? newline : text->end;
    const uint8_t *mac = end > p ? memchr(p, '\r', (size_t)(end - p)) : NULL;
    CAFE_PASS(check_encoding(text, p, end - p));
    if (newline && newline + 2 < text->end && newline[1] == '\r' && newline[2] != '\n')
        return cafe_fail(
            text->context, CAFE_ERROR_FORMAT,
            "%s:2:1: expected lines that end with a line feed, found a carriage return "
            "behind it (tr -d '\r' takes it away)",
            text->name);
    if (!mac || mac + 1 >= end) return CAFE_OK;
    return cafe_fail(text->context, CAFE_ERROR_FORMAT,
                     "%s:1:%lld: expected lines that end with a line feed, found a lone carriage "
                     "return, as old Macs have them (tr '\\r' '\\n' makes them lines)",
                     text->name, (long long)(mac - p + 1));
}

/* Skips the byte order mark that some editors write, and the "sep=;" of spreadsheets. */
static void skip_marks(cafe_text *text) {
    if (text->end - text->begin >= 3 && memcmp(text->begin, "\xef\xbb\xbf", 3) == 0)
        text->begin += 3;
    const uint8_t *p = text->begin;
    bool states = text->end - p >= 6 && memcmp(p, "sep=", 4) == 0 && !cafe_is_line_end(p[4]);
    if (!states || !cafe_is_line_end(p[5])) return;
    text->stated = p[4];
    text->begin = cafe_skip_line(p, text->end);
    text->line++;
}

cafe_status cafe_text_next_of_file(cafe_text *text) {
    bool first = text->line == 1 && text->lines == 0 && text->input->start == 0;
    text->line += text->lines;
    text->lines = 0;
    cafe_status status = text->bytes && !text->gunzip ? next_in_memory(text) : next_in_buffer(text);
    if (status == CAFE_OK) text->given += text->end - text->begin;
    if (status != CAFE_OK || !first) return status;
    skip_marks(text);
    CAFE_PASS(check_kind(text));
    return text->begin == text->end && text->stated ? cafe_text_next_of_file(text) : CAFE_OK;
}

cafe_status cafe_text_next(cafe_text *text) {
    CAFE_PASS(cafe_text_next_of_file(text));
    return text->begin == text->end ? cafe_text_follow(text) : CAFE_OK;
}

cafe_status cafe_text_line(cafe_text *text, cafe_place *line) {
    if (text->begin == text->end) {
        CAFE_PASS(cafe_text_next(text));
    }
    *line = (cafe_place){text->name, text->line, text->begin, text->begin, text->begin};
    if (text->begin == text->end) return CAFE_OK;
    line->end = cafe_skip_line(text->begin, text->end);
    text->begin = line->end;
    text->line++;
    return CAFE_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct cutting {
    const cafe_text *text;
    cafe_piece *pieces;
} cutting;

/* Piece k starts with the first line that begins at or after k parts of the window. */
static const uint8_t *piece_start(const cafe_text *text, int64_t k) {
    int64_t bytes = text->end - text->begin;
    if (k == 0) return text->begin;
    if (k == CAFE_TEXT_PIECES) return text->end;
    const uint8_t *p = text->begin + bytes / CAFE_TEXT_PIECES * k;
    if (p == text->begin || p[-1] == '\n') return p;
    return (const uint8_t *)memchr(p, '\n', (size_t)(text->end - p)) + 1;
}

static void cut_piece(void *argument, int64_t task) {
    cutting *c = argument;
    cafe_piece *piece = &c->pieces[task];
    piece->begin = piece_start(c->text, task);
    piece->end = piece_start(c->text, task + 1);
    piece->lines = cafe_count_lines(piece->begin, piece->end);
}

cafe_status cafe_text_cut(cafe_text *text, cafe_piece *pieces) {
    cutting c = {text, pieces};
    CAFE_PASS(cafe_each(text->context, CAFE_TEXT_PIECES, cut_piece, &c));
    int64_t before = 0;
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        pieces[k].before = before;
        before += pieces[k].lines;
    }
    text->lines = before;
    return CAFE_OK;
}

typedef struct parsing {
    cafe_text *text;
    int64_t slices; /* of the next window, which are read first */
    cafe_task *parse;
    void *argument;
} parsing;

static void parse_task(void *argument, int64_t task, int32_t worker) {
    const parsing *p = argument;
    if (task < p->slices)
        fill_slice(p->text, task);
    else
        p->parse(p->argument, task - p->slices, worker);
}

cafe_status cafe_text_parse(cafe_text *text, cafe_task *parse, void *argument) {
    parsing p = {text, begin_fill(text), parse, argument};
    CAFE_PASS(cafe_parallel(text->context, p.slices + CAFE_TEXT_PIECES, parse_task, &p));
    if (p.slices > 0) end_fill(text);
    return CAFE_OK;
}

cafe_place cafe_text_place(const cafe_text *text, const cafe_piece *piece, const uint8_t *at) {
    return (cafe_place){text->name, text->line + piece->before, piece->begin, piece->end, at};
}
