/* The file of a checkpoint, in numbers of this machine's order of bytes:
 *
 *     head     magic, size of all, size of the head, nodes, bytes of the text, ends, checksum
 *              the text of the run, NULs up to a multiple of 8
 *              of each end its sizes, the objective after each sweep, the trace, S
 *     tables   a checksum for each piece of the graph; for each piece of rows of each end
 *     rows     of each end, n x columns floats, from a multiple of 64 bytes on
 *
 * It is written under another name, synced, and renamed: there is always one whole file. What it
 * says of itself is compared with its size before anything is taken from it. Of several processes
 * each writes and reads the pieces it holds, all of them the head; the first has it written, and
 * renames.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "io/gzip.h"
#include "io/temporary_file.h"
#include "os/os.h"
#include "solve/checkpoint.h"

enum { ALIGN = 64, BUFFER = 4 << 20 };

/* "cafekeep" where the first byte is the lowest. */
static const uint64_t magic = UINT64_C(0x7065656b65666163);

typedef struct first_part {
    uint64_t magic;
    int64_t size, head, nodes, text, ends;
    uint64_t checksum; /* of the head, with 0 in its place */
} first_part;

/* ---- one process, or several ----------------------------------------------------------------- */

static bool is_first(const cafe_context *context) {
    return !context->team || context->team->rank == 0;
}

bool cafe_kept_holds(const cafe_engine *engine, int64_t nodes, int64_t row) {
    int64_t first, last;
    if (!engine || !engine->ops->mine) return true;
    return engine->ops->mine(engine, nodes, row, &first, &last) && first <= row;
}

/* Rows that this process holds, `columns` floats apart. */
static cafe_status take_rows(cafe_context *context, const cafe_block *h, cafe_part part,
                             float *to) {
    size_t bytes = (size_t)part.columns * sizeof *to;
    if (!context->team) return cafe_ops(h)->copy_out(context, h, part, to, part.columns);
    for (int64_t i = 0; i < part.rows; i++)
        memcpy(to + i * part.columns, cafe_ops(h)->rows(h, part.row + i), bytes);
    return CAFE_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Pieces of the rows: each has a checksum of its part of the graph and of its rows. */
static int64_t pieces_of(const cafe_kept_file *file) {
    return cafe_blocks(file->nodes, cafe_piece_rows(file->nodes));
}

/* The bytes of the text with at least one final NUL, up to a multiple of 8. */
static int64_t text_bytes(const char *text) {
    return (int64_t)(strlen(text) / 8 + 1) * 8;
}

/* Numbers of an end in the head, behind its sizes. */
static int64_t numbers_of(const cafe_kept_sizes *s) {
    return s->sweeps + 1 + s->trace + s->sums;
}

/* Where what lies, by sizes alone. */
static void lay_out(cafe_kept_file *file) {
    int64_t at = (int64_t)sizeof(first_part) + text_bytes(file->text);
    for (int64_t e = 0; e < file->ends; e++)
        at += (int64_t)sizeof(cafe_kept_sizes) + 8 * numbers_of(&file->kept[e].sizes);
    file->head_bytes = file->tables = at;
    at += 8 * pieces_of(file) * (1 + file->ends);
    for (int64_t e = 0; e < file->ends; e++) {
        file->rows[e] = at = cafe_blocks(at, ALIGN) * ALIGN;
        at += 4 * file->nodes * file->kept[e].sizes.columns;
    }
    file->size = at;
}

/* Table 0 is that of the graph, table 1 + e that of the rows of end e. */
static int64_t entry_at(const cafe_kept_file *file, int64_t table, int64_t piece) {
    return file->tables + 8 * (table * pieces_of(file) + piece);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writer {
    cafe_context *context;
    const cafe_kept_names *names;
    const cafe_kept_file *file;
    const cafe_engine *engine;
    char *temporary; /* the first process's; NULL: there is none yet */
    int fd;
    float *buffer;
    uint64_t *sums; /* of an end's pieces */
} writer;

static cafe_status fail_write(const writer *w) {
    return cafe_fail_file(w->context, w->names->path, "the checkpoint cannot be written", errno);
}

static cafe_status put(const writer *w, const void *bytes, int64_t size, int64_t at) {
    const char *p = bytes;
    while (size > 0) {
        ssize_t sent = pwrite(w->fd, p, (size_t)size, (off_t)at);
        if (sent < 0 && errno == EINTR) {
            CAFE_PASS(cafe_check_cancel(w->context));
            continue;
        }
        if (sent <= 0) return fail_write(w);
        p += sent, at += sent, size -= sent;
    }
    return CAFE_OK;
}

static int64_t rows_at_once(int64_t columns) {
    int64_t rows = BUFFER / (4 * columns);
    return rows > 0 ? rows : 1;
}

static cafe_status put_piece(const writer *w, int64_t end, int64_t piece, const cafe_block *h) {
    int64_t k = h->columns, size = cafe_piece_rows(h->n), step = rows_at_once(k);
    int64_t last = cafe_block_end(h->n, size, piece);
    uint64_t sum = 0;
    for (int64_t row = piece * size; row < last; row += step) {
        cafe_part part = {row, last - row < step ? last - row : step, 0, k};
        CAFE_PASS(cafe_check_cancel(w->context));
        CAFE_PASS(take_rows(w->context, h, part, w->buffer));
        sum = cafe_crc64(sum, w->buffer, 4 * part.rows * k);
        CAFE_PASS(put(w, w->buffer, 4 * part.rows * k, w->file->rows[end] + 4 * row * k));
    }
    return put(w, &sum, 8, entry_at(w->file, 1 + end, piece));
}

static cafe_status put_pieces(const writer *w, cafe_solution *const *solutions) {
    const cafe_kept_file *file = w->file;
    int64_t piece = cafe_piece_rows(file->nodes);
    for (int64_t p = 0; p < pieces_of(file); p++) {
        if (!cafe_kept_holds(w->engine, file->nodes, p * piece)) continue;
        CAFE_PASS(put(w, &file->links[p], 8, entry_at(file, 0, p)));
        for (int64_t e = 0; e < file->ends; e++) CAFE_PASS(put_piece(w, e, p, &solutions[e]->h));
    }
    return CAFE_OK;
}

static char *add(char *to, const void *from, int64_t bytes) {
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return to + bytes;
}

static cafe_status put_head(const writer *w) {
    const cafe_kept_file *f = w->file;
    first_part first = {magic, f->size, f->head_bytes, f->nodes, text_bytes(f->text), f->ends, 0};
    char *head = cafe_mem_zero(w->context, f->head_bytes, 1), *at = head;
    CAFE_PASS(cafe_mem_had(head));
    at = add(at, &first, sizeof first);
    add(at, f->text, (int64_t)strlen(f->text));
    at += first.text;
    for (int64_t e = 0; e < f->ends; e++) {
        const cafe_kept *k = &f->kept[e];
        at = add(at, &k->sizes, sizeof k->sizes);
        at = add(at, k->objective, 8 * (k->sizes.sweeps + 1));
        at = add(at, k->trace, 8 * k->sizes.trace);
        at = add(at, k->s, 8 * k->sizes.sums);
    }
    first.checksum = cafe_crc64(0, head, f->head_bytes);
    add(head, &first, sizeof first);
    cafe_status status = put(w, head, f->head_bytes, 0);
    cafe_mem_free(w->context, head);
    return status;
}

static cafe_status make_file(writer *w) {
    cafe_temporaries_sweep(w->names->folder); /* what dead runs left */
    w->fd = cafe_temporary_open(w->context, w->names->folder, &w->temporary);
    if (w->fd < 0 && !w->temporary && !errno) return CAFE_ERROR_MEMORY;
    return w->fd >= 0 && ftruncate(w->fd, (off_t)w->file->size) == 0 ? CAFE_OK : fail_write(w);
}

/* The others learn the name from the first. */
static cafe_status join_file(writer *w) {
    void *name = NULL;
    int64_t bytes = w->temporary ? (int64_t)strlen(w->temporary) + 1 : 0;
    if (!w->context->team) return CAFE_OK;
    CAFE_PASS(cafe_team_gather(w->context, w->temporary, bytes, &name, NULL));
    if (!is_first(w->context)) w->fd = open(name, O_WRONLY | O_CLOEXEC);
    cafe_status status = w->fd >= 0 ? CAFE_OK : fail_write(w);
    cafe_mem_free(w->context, name);
    return status;
}

static cafe_status name_file(const writer *w) {
    if (rename(w->temporary, w->names->target) != 0) return fail_write(w);
    return cafe_folder_sync(w->context, w->names->folder);
}

static cafe_status write_file(writer *w, cafe_solution *const *solutions) {
    cafe_context *context = w->context;
    bool first = is_first(w->context);
    CAFE_PASS(cafe_team_agree(context, first ? make_file(w) : CAFE_OK));
    cafe_status status = join_file(w);
    if (status == CAFE_OK) status = put_pieces(w, solutions);
    if (status == CAFE_OK && first) status = put_head(w);
    if (status == CAFE_OK && fsync(w->fd) != 0) status = fail_write(w);
    CAFE_PASS(cafe_team_agree(context, status));
    return cafe_team_agree(context, first ? name_file(w) : CAFE_OK);
}

cafe_status cafe_kept_write(cafe_context *context, const cafe_kept_names *names,
                            cafe_kept_file *file, cafe_solution *const *solutions) {
    cafe_status status = CAFE_OK;
    writer w = {.context = context, .names = names, .file = file, .fd = -1};
    int64_t columns = 1;
    lay_out(file);
    for (int64_t e = 0; e < file->ends; e++)
        if (file->kept[e].sizes.columns > columns) columns = file->kept[e].sizes.columns;
    CAFE_TRY(cafe_engine_in_use(context, &w.engine));
    w.buffer = cafe_mem(context, columns + BUFFER / 4, sizeof *w.buffer);
    w.sums = cafe_mem(context, pieces_of(file), sizeof *w.sums);
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(w.buffer, w.sums)));
    CAFE_TRY(write_file(&w, solutions));
done:
    if (w.temporary && status != CAFE_OK) unlink(w.temporary);
    if (w.fd >= 0) close(w.fd);
    cafe_mem_free_all(context, w.buffer, w.sums, w.temporary);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static cafe_status fail_damaged(cafe_context *context, const char *path, const char *what) {
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: the checkpoint is damaged (%s); without the file the run begins anew",
                     path, what);
}

static cafe_status get(cafe_context *context, const char *path, int fd, void *bytes, int64_t size,
                       int64_t at) {
    char *p = bytes;
    while (size > 0) {
        ssize_t got = pread(fd, p, (size_t)size, (off_t)at);
        if (got < 0 && errno == EINTR) {
            CAFE_PASS(cafe_check_cancel(context));
            continue;
        }
        if (got < 0) return cafe_fail_file(context, path, "the checkpoint cannot be read", errno);
        if (got == 0) return fail_damaged(context, path, "it is cut short");
        p += got, at += got, size -= got;
    }
    return CAFE_OK;
}

/* Sizes that a file of so many bytes can have. */
static bool fits(const cafe_kept_sizes *s, int64_t nodes, int64_t left) {
    int64_t most = left / 8;
    return s->columns >= 1 && s->columns <= INT32_MAX && s->sweeps >= 0 && s->sweeps < most &&
           (s->trace == 0 || s->trace == s->sweeps + 1) && s->sums >= 0 && s->sums <= most &&
           numbers_of(s) <= most && (s->converged == 0 || s->converged == 1) &&
           nodes <= left / 4 / s->columns;
}

/* The parts of the head, which has its checksum. */
static bool take_parts(int64_t size, const first_part *first, cafe_kept_file *file) {
    char *at = file->head + sizeof *first, *end = file->head + first->head;
    file->nodes = first->nodes, file->ends = first->ends, file->text = at;
    if (first->text < 8 || first->text > end - at || at[first->text - 1] != 0) return false;
    if (text_bytes(at) != first->text) return false;
    at += first->text;
    for (int64_t e = 0; e < file->ends; e++) {
        cafe_kept *k = &file->kept[e];
        if (end - at < (ptrdiff_t)sizeof k->sizes) return false;
        memcpy(&k->sizes, at, sizeof k->sizes);
        at += sizeof k->sizes;
        if (!fits(&k->sizes, file->nodes, size) || numbers_of(&k->sizes) > (end - at) / 8)
            return false;
        k->objective = (const double *)at;
        k->trace = k->objective + k->sizes.sweeps + 1;
        k->s = k->trace + k->sizes.trace;
        at += 8 * numbers_of(&k->sizes);
    }
    lay_out(file);
    return at == end && file->size == size;
}

static cafe_status read_head(cafe_context *context, const char *path, int64_t size,
                             cafe_kept_file *file) {
    first_part first;
    if (size < (int64_t)sizeof first)
        return cafe_fail(context, CAFE_ERROR_FORMAT, "%s: is no checkpoint", path);
    CAFE_PASS(get(context, path, file->fd, &first, sizeof first, 0));
    if (first.magic != magic)
        return cafe_fail(context, CAFE_ERROR_FORMAT, "%s: is no checkpoint", path);
    if (first.size != size) return fail_damaged(context, path, "its size is not what it says");
    if (first.head < (int64_t)sizeof first || first.head > size || first.nodes < 1 ||
        first.ends < 1 || first.ends > CAFE_KEPT_ENDS)
        return fail_damaged(context, path, "its head");
    file->head = cafe_mem(context, first.head, 1);
    CAFE_PASS(cafe_mem_had(file->head));
    CAFE_PASS(get(context, path, file->fd, file->head, first.head, 0));
    memset(file->head + offsetof(first_part, checksum), 0, sizeof first.checksum);
    if (cafe_crc64(0, file->head, first.head) != first.checksum || !take_parts(size, &first, file))
        return fail_damaged(context, path, "its head");
    return CAFE_OK;
}

cafe_status cafe_kept_read(cafe_context *context, const char *path, cafe_kept_file *file) {
    struct stat about;
    cafe_status status = CAFE_OK;
    *file = (cafe_kept_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0 && errno == ENOENT) return CAFE_OK;
    if (file->fd < 0 || fstat(file->fd, &about) != 0)
        status = cafe_fail_file(context, path, "the checkpoint cannot be read", errno);
    else if (!S_ISREG(about.st_mode))
        status =
            cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s: is no file to keep a checkpoint in", path);
    else
        status = read_head(context, path, about.st_size, file);
    if (status != CAFE_OK) cafe_kept_close(context, file);
    return status;
}

void cafe_kept_close(cafe_context *context, cafe_kept_file *file) {
    if (file->fd >= 0) close(file->fd);
    cafe_mem_free(context, file->head);
    *file = (cafe_kept_file){.fd = -1};
}

cafe_status cafe_kept_same_links(cafe_context *context, const char *path,
                                 const cafe_kept_file *file, const cafe_engine *engine,
                                 const uint64_t *links) {
    int64_t piece = cafe_piece_rows(file->nodes);
    for (int64_t p = 0; p < pieces_of(file); p++) {
        uint64_t there = 0;
        if (!cafe_kept_holds(engine, file->nodes, p * piece)) continue;
        CAFE_PASS(get(context, path, file->fd, &there, 8, entry_at(file, 0, p)));
        if (there != links[p])
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "%s: is the checkpoint of another run: the graph, or how it is "
                             "sampled, is not the same; give another file, or remove this one",
                             path);
    }
    return CAFE_OK;
}

static cafe_status get_piece(cafe_context *context, const char *path, const cafe_kept_file *file,
                             int64_t end, int64_t piece, float *buffer, cafe_block *h) {
    int64_t k = h->columns, size = cafe_piece_rows(h->n), step = rows_at_once(k);
    int64_t last = cafe_block_end(h->n, size, piece);
    uint64_t sum = 0, there = 0;
    for (int64_t row = piece * size; row < last; row += step) {
        cafe_part part = {row, last - row < step ? last - row : step, 0, k};
        int64_t bytes = 4 * part.rows * k;
        CAFE_PASS(cafe_check_cancel(context));
        CAFE_PASS(get(context, path, file->fd, buffer, bytes, file->rows[end] + 4 * row * k));
        sum = cafe_crc64(sum, buffer, bytes);
        CAFE_PASS(cafe_ops(h)->copy_in(context, h, part, buffer, k));
    }
    CAFE_PASS(get(context, path, file->fd, &there, 8, entry_at(file, 1 + end, piece)));
    return sum == there ? CAFE_OK : fail_damaged(context, path, "its rows");
}

cafe_status cafe_kept_rows(cafe_context *context, const char *path, const cafe_kept_file *file,
                           int64_t end, cafe_block *h) {
    cafe_status status = CAFE_OK;
    int64_t piece = cafe_piece_rows(h->n);
    float *buffer = cafe_mem(context, h->columns * rows_at_once(h->columns), sizeof *buffer);
    CAFE_TRY(cafe_mem_had(buffer));
    for (int64_t p = 0; p < pieces_of(file); p++)
        if (cafe_kept_holds(h->engine, h->n, p * piece))
            CAFE_TRY(get_piece(context, path, file, end, p, buffer, h));
done:
    cafe_mem_free(context, buffer);
    return status;
}
