/* The text source: windows over a mapped file or over a stream of decompressed data.
 *
 * Plain text is not copied: windows point into the file, but for its last 64 KiB (or last line),
 * which are copied so that they can be padded; a small file so is one window. gzip text alternates
 * between two buffers: while the threads parse the lines of one, one of them fills the other,
 * beginning with the unfinished line that the first ends with.
 */
#define _GNU_SOURCE
#include "io/text.h"

#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/scan.h"

static const int64_t longest_line = (int64_t)1 << 28, usual_window = (int64_t)32 << 20;
static const int64_t small_rest = (int64_t)1 << 16;
static const int64_t most_packed = 1032; /* bytes that a byte of deflate can hold */

cafe_status cafe_text_open(cafe_context *context, const char *name, const uint8_t *bytes,
                           int64_t size, int64_t window, cafe_text *text) {
    *text = (cafe_text){.context = context, .name = name, .bytes = bytes, .size = size};
    text->window = window;
    if (cafe_is_gzip(bytes, size)) {
        text->gunzip = cafe_gunzip_create(context, bytes, size);
        if (!text->gunzip) return CAFE_ERROR_MEMORY;
        if (size < window / most_packed) text->window = size * most_packed;
    }
    cafe_text_rewind(text);
    return CAFE_OK;
}

cafe_status cafe_text_open_input(const cafe_input *input, cafe_text *text) {
    cafe_phase(input->context, "read", input->size);
    cafe_status status = cafe_text_open(input->context, input->name, input->bytes, input->size,
                                        input->window ? input->window : usual_window, text);
    text->mapped = input->map != NULL;
    return status;
}

void cafe_text_close(cafe_text *text) {
    cafe_gunzip_free(text->context, text->gunzip);
    cafe_mem_free(text->context, text->tail);
    for (int i = 0; i < 2; i++) cafe_mem_free(text->context, text->buffers[i].bytes);
    text->gunzip = NULL;
    text->tail = NULL;
    memset(text->buffers, 0, sizeof text->buffers);
}

void cafe_text_rewind(cafe_text *text) {
    text->at = 0;
    text->line = 1;
    text->lines = 0;
    text->begin = text->end = text->bytes;
    text->rest = 0;
    text->filled = false;
    text->buffers[0].used = text->buffers[1].used = 0;
    if (text->gunzip) cafe_gunzip_rewind(text->gunzip);
}

int64_t cafe_text_used(const cafe_text *text) {
    return text->gunzip ? cafe_gunzip_used(text->gunzip) : text->at;
}

/* ---- plain ----------------------------------------------------------------------------------- */

/* Bytes before this one may lie in a window that points into the file. */
static int64_t last_direct(const cafe_text *text) {
    return text->size - CAFE_TEXT_PADDING;
}

/* Parsed pages are dropped from the process (not from the page cache). Where pages are larger the
 * call fails, which does no harm. */
static void drop_pages(const cafe_text *text) {
    const uintptr_t page = 4096;
    uintptr_t from = ((uintptr_t)text->begin + page - 1) & ~(page - 1);
    uintptr_t to = (uintptr_t)text->end & ~(page - 1);
    if (text->mapped && text->begin >= text->bytes && text->end <= text->bytes + text->size &&
        to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

static cafe_status fail_long_line(cafe_text *text) {
    return cafe_fail(text->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected lines of text, found a line of more than 256 MiB",
                     text->name, (long long)text->line);
}

/* The last lines, ended by '\n' and padded. */
static cafe_status copy_tail(cafe_text *text) {
    int64_t length = text->size - text->at;
    if (length > longest_line) return fail_long_line(text);
    cafe_mem_free(text->context, text->tail);
    text->tail = cafe_mem_zero(text->context, length + 1 + CAFE_TEXT_PADDING, 1);
    if (!text->tail) return CAFE_ERROR_MEMORY;
    memcpy(text->tail, text->bytes + text->at, (size_t)length);
    if (length > 0 && text->tail[length - 1] != '\n') text->tail[length++] = '\n';
    text->begin = text->tail;
    text->end = text->tail + length;
    text->at = text->size;
    return CAFE_OK;
}

static cafe_status next_plain(cafe_text *text) {
    drop_pages(text);
    int64_t small = text->window < small_rest ? text->window : small_rest;
    if (text->size - text->at <= small) return copy_tail(text);
    int64_t limit = last_direct(text);
    const uint8_t *begin = text->bytes + text->at, *newline = NULL;
    if (limit - text->at > text->window) {
        /* to the first line end behind the window's size, or else to the last one there is */
        const uint8_t *from = begin + text->window;
        newline = memchr(from, '\n', (size_t)(text->bytes + limit - from));
    }
    if (!newline && limit > text->at) newline = memrchr(begin, '\n', (size_t)(limit - text->at));
    if (!newline) return copy_tail(text);
    text->begin = begin;
    text->end = newline + 1;
    text->at = newline + 1 - text->bytes;
    return CAFE_OK;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static cafe_status reserve(cafe_text *text, struct cafe_text_buffer *buffer, int64_t bytes) {
    if (buffer->capacity >= bytes) return CAFE_OK;
    uint8_t *block =
        cafe_mem_resize(text->context, buffer->bytes, bytes + 1 + CAFE_TEXT_PADDING, 1);
    if (!block) return CAFE_ERROR_MEMORY;
    buffer->bytes = block;
    buffer->capacity = bytes;
    return CAFE_OK;
}

static void fill(cafe_text *text, struct cafe_text_buffer *buffer) {
    buffer->used += cafe_gunzip_fill(text->gunzip, buffer->bytes + buffer->used,
                                     buffer->capacity - buffer->used);
}

/* Puts the unfinished line of the current buffer in front and decompresses behind it. */
static void prefetch(cafe_text *text) {
    if (!text->gunzip || text->filled) return;
    struct cafe_text_buffer *now = &text->buffers[text->current];
    struct cafe_text_buffer *next = &text->buffers[!text->current];
    if (text->rest > 0)
        memcpy(next->bytes, now->bytes + now->used - text->rest, (size_t)text->rest);
    next->used = text->rest;
    fill(text, next);
    text->filled = true;
}

static cafe_status fail_gzip(cafe_text *text, const struct cafe_text_buffer *buffer) {
    int64_t lines = cafe_count_lines(buffer->bytes, buffer->bytes + buffer->used), column = 1;
    while (column <= buffer->used && buffer->bytes[buffer->used - column] != '\n') column++;
    return cafe_fail(text->context, CAFE_ERROR_FORMAT, "%s:%lld:%lld: %s", text->name,
                     (long long)(text->line + lines), (long long)column,
                     cafe_gunzip_text(cafe_gunzip_state(text->gunzip)));
}

/* The window is the buffer up to its last line end; a line longer than the buffer makes it grow. */
static cafe_status next_gzip(cafe_text *text) {
    struct cafe_text_buffer *next = &text->buffers[!text->current];
    CAFE_PASS(reserve(text, next, text->window));
    prefetch(text);
    const uint8_t *newline = memrchr(next->bytes, '\n', (size_t)next->used);
    while (!newline && !cafe_gunzip_ended(text->gunzip)) {
        CAFE_PASS(cafe_check_cancel(text->context));
        if (next->capacity > longest_line) return fail_long_line(text);
        CAFE_PASS(reserve(text, next, 2 * next->capacity));
        fill(text, next);
        newline = memrchr(next->bytes, '\n', (size_t)next->used);
    }
    if (cafe_gunzip_state(text->gunzip) != CAFE_GUNZIP_FINE) return fail_gzip(text, next);
    if (cafe_gunzip_ended(text->gunzip) && next->used > 0 && next->bytes[next->used - 1] != '\n') {
        next->bytes[next->used++] = '\n';
        newline = next->bytes + next->used - 1;
    }
    memset(next->bytes + next->used, 0, CAFE_TEXT_PADDING);
    text->current = !text->current;
    text->filled = false;
    text->begin = next->bytes;
    text->end = newline ? newline + 1 : next->bytes;
    text->rest = next->bytes + next->used - text->end;
    return reserve(text, &text->buffers[!text->current], text->rest + text->window);
}

cafe_status cafe_text_next(cafe_text *text) {
    bool first = text->line == 1 && text->lines == 0;
    text->line += text->lines;
    text->lines = 0;
    cafe_status status = text->gunzip ? next_gzip(text) : next_plain(text);
    if (status == CAFE_OK && first && text->end - text->begin >= 3 &&
        memcmp(text->begin, "\xef\xbb\xbf", 3) == 0)
        text->begin += 3; /* the byte order mark that some editors write */
    return status;
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

/* Piece k starts with the first line that begins at or behind k parts of the window. */
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
    cafe_task *parse;
    void *argument;
} parsing;

static void parse_task(void *argument, int64_t task, int32_t worker) {
    const parsing *p = argument;
    if (task == 0)
        prefetch(p->text);
    else
        p->parse(p->argument, task - 1, worker);
}

cafe_status cafe_text_parse(cafe_text *text, cafe_task *parse, void *argument) {
    parsing p = {text, parse, argument};
    return cafe_parallel(text->context, CAFE_TEXT_PIECES + 1, parse_task, &p);
}

cafe_place cafe_text_place(const cafe_text *text, const cafe_piece *piece, const uint8_t *at) {
    return (cafe_place){text->name, text->line + piece->before, piece->begin, piece->end, at};
}
