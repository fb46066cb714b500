/* Large files are written past the page cache, in large aligned pieces.
 *
 * A run does not read its outputs, and a file must be on the disk before it gets its name. Through
 * the page cache, every 4 KiB need a page and a copy by one thread under the lock of the file,
 * followed by a wait for the disk. Direct writes go from memory to the disk while threads format
 * more. Small files, pipes and devices go through the cache, and so do systems and file systems
 * without direct writes.
 */
#include "io/output_blocks.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <cafe-private/output.h>
#include <cafe-private/text.h>

#include "base/background_task.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "os/os.h"

enum { ALIGN = 4096, PIECE = 4 << 20, LARGE = 16 << 20 };
static const int64_t largest_write = (int64_t)16 << 20;

static cafe_status fail_write(cafe_output *output) {
    return cafe_fail_file(output->context, output->path, "cannot be written", errno);
}

/* A first address that direct writes can take. */
static char *aligned(char *room) {
    return (char *)(((uintptr_t)room + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

/* write() or, with `at` >= 0, pwrite(). If a file system refuses a direct write, repeats it through
 * the cache. */
static ssize_t send(cafe_output *output, const char *p, int64_t size, int64_t at) {
    ssize_t sent;
    bool again;
    do {
        sent = at < 0 ? write(output->fd, p, (size_t)size)
                      : pwrite(output->fd, p, (size_t)size, (off_t)at);
        again = sent < 0 && errno == EINVAL && cafe_os_is_direct(output->fd);
        if (again) cafe_os_set_direct(output->fd, false);
    } while (again || (sent < 0 && errno == EINTR));
    return sent;
}

/* ---- one piece after the other --------------------------------------------------------------- */

static cafe_status send_all(cafe_output *output, const char *p, int64_t size) {
    while (size > 0) {
        CAFE_PASS(cafe_check_cancel(output->context));
        ssize_t sent = send(output, p, size < largest_write ? size : largest_write, -1);
        if (sent < 0) return fail_write(output);
        p += sent, size -= sent;
        output->sent += sent;
    }
    return CAFE_OK;
}

/* The first piece ends where the file's next one is aligned. */
static cafe_status begin(cafe_output *output) {
    output->memory = cafe_mem(output->context, PIECE + ALIGN, 1);
    if (!output->memory) return CAFE_ERROR_MEMORY;
    output->room = PIECE - output->sent % ALIGN;
    return CAFE_OK;
}

static cafe_status flush(cafe_output *output) {
    int64_t size = output->staged;
    output->staged = 0;
    output->room = PIECE;
    CAFE_PASS(send_all(output, aligned(output->memory), size));
    if (output->sent % ALIGN == 0) cafe_os_set_direct(output->fd, true);
    return CAFE_OK;
}

cafe_status cafe_pieces_write(cafe_output *output, const char *bytes, int64_t size) {
    if (!output->memory) {
        if (!output->temporary || output->sent + size < LARGE) return send_all(output, bytes, size);
        CAFE_PASS(begin(output));
    }
    while (size > 0) {
        int64_t left = output->room - output->staged, count = size < left ? size : left;
        memcpy(aligned(output->memory) + output->staged, bytes, (size_t)count);
        output->staged += count;
        bytes += count, size -= count;
        if (output->staged == output->room) CAFE_PASS(flush(output));
    }
    return CAFE_OK;
}

cafe_status cafe_pieces_end(cafe_output *output) {
    cafe_status status = CAFE_OK;
    if (output->memory) {
        cafe_os_set_direct(output->fd, false);
        status = send_all(output, aligned(output->memory), output->staged);
    }
    cafe_mem_free(output->context, output->memory);
    output->memory = NULL;
    output->staged = 0;
    return status;
}

/* ---- blocks of text: formatted while those before are written -------------------------------- */

enum { MOST_BLOCKS = 32 };

typedef struct round {
    cafe_output *output;
    int64_t first, width, capacity;
    cafe_output_format *format;
    const void *argument;
    int side;         /* the side that is formatted while the other is written */
    int64_t count[2]; /* blocks of a side */
    char *texts;      /* two sides of width texts */
    int64_t *lengths;
    cafe_status status; /* of writing */
} round;

static void write_side(round *r, int side) {
    for (int64_t i = side * r->width; i < side * r->width + r->count[side]; i++)
        if (r->status == CAFE_OK)
            r->status = cafe_output_write(r->output, r->texts + i * r->capacity, r->lengths[i]);
    r->count[side] = 0;
}

/* Task 0 writes; the others format a block each. */
static void format_or_write(void *argument, int64_t task) {
    round *r = argument;
    if (task == 0) {
        write_side(r, 1 - r->side);
        return;
    }
    int64_t place = r->side * r->width + task - 1;
    r->lengths[place] = r->format(r->argument, r->first + task - 1, r->texts + place * r->capacity);
}

static cafe_status run_rounds(cafe_context *context, round *r, int64_t count) {
    for (; r->first < count; r->first += r->width, r->side = 1 - r->side) {
        int64_t here = count - r->first < r->width ? count - r->first : r->width;
        CAFE_PASS(cafe_each(context, here + 1, format_or_write, r));
        CAFE_PASS(r->status);
        r->count[r->side] = here;
        cafe_step(context, r->first + here, 0);
    }
    write_side(r, 1 - r->side);
    return r->status;
}

cafe_status cafe_output_blocks(cafe_output *output, int64_t count, int64_t capacity,
                               cafe_output_format *format, const void *argument) {
    cafe_context *context = output->context;
    int64_t width = 2 * (int64_t)cafe_threads(context);
    if (width > MOST_BLOCKS) width = MOST_BLOCKS;
    if (width > count) width = count;
    round r = {.output = output, .width = width, .capacity = capacity, .format = format};
    cafe_status status = CAFE_ERROR_MEMORY;
    r.argument = argument;
    r.texts = cafe_mem(context, 2 * width, (size_t)capacity);
    r.lengths = r.texts ? cafe_mem(context, 2 * width, sizeof *r.lengths) : NULL;
    if (r.lengths) status = run_rounds(context, &r, count);
    cafe_mem_free_all(context, r.texts, r.lengths);
    return status;
}

/* ---- files of a known size: pieces at once --------------------------------------------------- */

typedef struct image {
    cafe_output *output;
    cafe_output_fill *fill;
    const void *argument;
    int64_t size;
    char *memory; /* a piece for every thread */
    bool beside;  /* other work runs meanwhile and reports progress */
    atomic_llong done;
    atomic_int problem; /* errno of the first write that failed */
} image;

static void put_piece(image *m, int64_t piece, char *bytes) {
    int64_t at = piece * PIECE, end = cafe_block_end(m->size, PIECE, piece);
    if (atomic_load(&m->problem)) return;
    m->fill(m->argument, at, end, bytes);
    while (at < end) {
        ssize_t sent = send(m->output, bytes, end - at, at);
        if (sent <= 0) {
            int none = 0;
            atomic_compare_exchange_strong(&m->problem, &none, sent < 0 ? errno : EIO);
            return;
        }
        bytes += sent, at += sent;
    }
    int64_t done = atomic_fetch_add(&m->done, 1) + 1;
    if (!m->beside) cafe_step(m->output->context, done, 0);
}

static void put_pieces(void *argument, int64_t task, int32_t worker) {
    image *m = argument;
    put_piece(m, task, aligned(m->memory) + (int64_t)worker * PIECE);
}

/* The last piece, which is seldom a whole number of pages, goes through the cache. */
static cafe_status put_file(cafe_context *context, image *m, int64_t pieces) {
    cafe_os_expect(m->output->fd, m->size);
    cafe_os_set_direct(m->output->fd, true);
    cafe_status status = cafe_parallel(context, pieces - 1, put_pieces, m);
    cafe_os_set_direct(m->output->fd, false);
    CAFE_PASS(status);
    put_piece(m, pieces - 1, aligned(m->memory));
    m->output->sent = m->size;
    errno = atomic_load(&m->problem);
    return errno ? fail_write(m->output) : CAFE_OK;
}

static cafe_status put_stream(image *m, int64_t pieces) {
    for (int64_t i = 0; i < pieces; i++) {
        int64_t at = i * PIECE, end = cafe_block_end(m->size, PIECE, i);
        m->fill(m->argument, at, end, m->memory);
        CAFE_PASS(cafe_output_write(m->output, m->memory, end - at));
    }
    return CAFE_OK;
}

cafe_status cafe_output_image(cafe_output *output, int64_t size, cafe_output_fill *fill,
                              const void *argument) {
    cafe_context *context = output->context;
    bool large = output->temporary && size >= LARGE;
    int64_t pieces = cafe_blocks(size, PIECE);
    int64_t bytes = large ? (int64_t)cafe_threads(context) * PIECE : size < PIECE ? size : PIECE;
    image m = {.output = output, .fill = fill, .argument = argument, .size = size};
    m.memory = cafe_mem(context, bytes + ALIGN, 1);
    if (!m.memory) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "write", pieces);
    cafe_status status = large ? put_file(context, &m, pieces) : put_stream(&m, pieces);
    cafe_mem_free(context, m.memory);
    return status;
}

/* ---- the same beside other work -------------------------------------------------------------- */

struct cafe_image {
    image m;
    cafe_beside beside;
    void *argument;
};

static void put_beside(void *argument) {
    image *m = argument;
    int64_t pieces = cafe_blocks(m->size, PIECE);
    cafe_os_set_direct(m->output->fd, true);
    for (int64_t i = 0; i < pieces && !atomic_load(&m->output->context->cancelled); i++) {
        if (i + 1 == pieces) cafe_os_set_direct(m->output->fd, false);
        put_piece(m, i, aligned(m->memory));
    }
}

void cafe_image_free(cafe_output *output) {
    struct cafe_image *i = output->image;
    if (!i) return;
    cafe_beside_end(&i->beside);
    cafe_mem_free_all(output->context, i->m.memory, i->argument, i);
    output->image = NULL;
}

cafe_status cafe_output_begin_image(cafe_output *output, int64_t size, cafe_output_fill *fill,
                                    void *argument) {
    cafe_context *context = output->context;
    bool large = output->temporary && size >= LARGE && cafe_threads(context) > 1;
    struct cafe_image *i = large ? cafe_mem_zero(context, 1, sizeof *i) : NULL;
    if (!i) {
        cafe_mem_free(context, argument);
        return large ? CAFE_ERROR_MEMORY : CAFE_OK;
    }
    output->image = i;
    i->argument = argument;
    i->m = (image){.output = output, .fill = fill, .argument = argument, .size = size};
    i->m.beside = true;
    i->m.memory = cafe_mem(context, PIECE + ALIGN, 1);
    CAFE_PASS(cafe_mem_had(i->m.memory));
    cafe_os_expect(output->fd, size);
    if (!cafe_beside_begin(&i->beside, put_beside, &i->m)) cafe_image_free(output);
    return CAFE_OK;
}

cafe_status cafe_output_end_image(cafe_output *output, const char *head, int64_t size) {
    struct cafe_image *i = output->image;
    cafe_beside_end(&i->beside);
    bool whole = atomic_load(&i->m.done) == cafe_blocks(i->m.size, PIECE);
    int problem = atomic_load(&i->m.problem);
    output->sent = i->m.size;
    cafe_image_free(output);
    CAFE_PASS(cafe_check_cancel(output->context));
    errno = problem ? problem : EINTR;
    if (!whole) return fail_write(output);
    return send(output, head, size, 0) == size ? CAFE_OK : fail_write(output);
}
