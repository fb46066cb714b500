/* The identity of a run: everything that its bits depend on. A text has a line for each thing with
 * a name. The graph is known by checksums of pieces of rows, so that each of several processes
 * reads only its own rows. Threads, engine and the number of processes are no part of it.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "io/gzip.h"
#include "solve/checkpoint.h"

/* ---- the text -------------------------------------------------------------------------------- */

enum { LINE = 128, LINES_BEFORE = 10 };

typedef struct writing {
    char *text;
    size_t used, room;
} writing;

static void add_line(writing *w, const char *name, const char *value) {
    int length = cafe_print(w->text + w->used, w->room - w->used, "%.60s %.60s\n", name, value);
    w->used += (size_t)length;
}

static void add_integer(writing *w, const char *name, int64_t value) {
    char text[LINE];
    cafe_print(text, sizeof text, "%lld", (long long)value);
    add_line(w, name, text);
}

/* An array that was given, by its checksum. */
static void add_array(writing *w, const char *name, const void *array, int64_t bytes) {
    char text[LINE] = "none";
    if (array)
        cafe_print(text, sizeof text, "%016llx", (unsigned long long)cafe_crc64(0, array, bytes));
    add_line(w, name, text);
}

cafe_status cafe_run_text(cafe_context *context, const cafe_operator *op,
                          const cafe_option_table *table, const void *options,
                          cafe_keeper_inputs inputs, char **text) {
    const cafe_operator_parts *q = &op->parts;
    char value[LINE];
    writing w = {NULL, 0, (table->count + LINES_BEFORE) * LINE};
    *text = w.text = cafe_mem_zero(context, (int64_t)w.room, 1);
    CAFE_PASS(cafe_mem_had(w.text));
    add_line(&w, "version", cafe_version());
    add_line(&w, "method", table->name);
    add_integer(&w, "nodes", op->n);
    add_integer(&w, "links", q->offsets ? q->offsets[op->n] : 0);
    cafe_print(value, sizeof value, "%.17g", q->total);
    add_line(&w, "total-weight", value);
    add_array(&w, "degrees", q->p, op->n * (int64_t)sizeof *q->p);
    if (cafe_operator_is_sum(q))
        add_array(&w, "features", q->f, op->n * q->width * (int64_t)sizeof *q->f);
    cafe_print(value, sizeof value, "%llu", (unsigned long long)context->seed);
    add_line(&w, "seed", value);
    add_array(&w, "start", inputs.start, op->n * inputs.width * (int64_t)sizeof(float));
    add_array(&w, "labels", inputs.labels, op->n * (int64_t)sizeof(int32_t));
    for (size_t i = 0; i < table->count; i++) {
        cafe_options_text(&table->options[i], options, value, sizeof value);
        add_line(&w, table->options[i].name, value);
    }
    return CAFE_OK;
}

/* The name and the value of the line at `at`. */
static const char *take_line(const char *at, char name[64], char value[64]) {
    size_t length = strcspn(at, "\n"), word = strcspn(at, " \n");
    size_t rest = word < length ? length - word - 1 : 0;
    cafe_print(name, 64, "%.*s", (int)(word < 63 ? word : 63), at);
    cafe_print(value, 64, "%.*s", (int)(rest < 63 ? rest : 63), at + length - rest);
    return at + length + (at[length] == '\n');
}

bool cafe_run_differs(const char *there, const char *here, cafe_run_difference *d) {
    char other[64];
    while (*there || *here) {
        here = take_line(here, d->name, d->here);
        there = take_line(there, other, d->there);
        if (strcmp(d->name, other) != 0) cafe_print(d->there, sizeof d->there, "something else");
        if (strcmp(d->name, other) != 0 || strcmp(d->there, d->here) != 0) return true;
    }
    return false;
}

/* ---- the graph ------------------------------------------------------------------------------- */

typedef struct links_job {
    const cafe_operator_parts *q;
    const cafe_engine *engine;
    int64_t piece;
    uint64_t *links;
} links_job;

/* Elements first .. last - 1 of an array, which may be missing. */
static uint64_t add(uint64_t sum, const void *array, size_t size, int64_t first, int64_t last) {
    if (!array) return sum;
    const char *from = (const char *)array + (size_t)first * size;
    return cafe_crc64(sum, from, (last - first) * (int64_t)size);
}

static void sum_piece(void *argument, int64_t piece) {
    const links_job *job = argument;
    const cafe_operator_parts *q = job->q;
    int64_t first = piece * job->piece, last = cafe_block_end(q->n, job->piece, piece);
    if (!cafe_kept_holds(job->engine, q->n, first)) return;
    uint64_t sum = add(0, q->p, sizeof *q->p, first, last);
    sum = add(sum, q->factor, sizeof *q->factor, first, last);
    sum = add(sum, q->loops, sizeof *q->loops, first, last);
    sum = add(sum, q->f, sizeof *q->f * (size_t)q->width, first, last);
    if (q->offsets) {
        int64_t from = q->offsets[first], to = q->offsets[last];
        sum = add(sum, q->offsets, sizeof *q->offsets, first, last);
        sum = add(sum, q->targets, sizeof *q->targets, from, to);
        sum = add(sum, q->weights, sizeof *q->weights, from, to);
    }
    job->links[piece] = sum;
}

cafe_status cafe_run_links(cafe_context *context, const cafe_operator *op,
                           const cafe_engine *engine, uint64_t **links) {
    links_job job = {&op->parts, engine, cafe_piece_rows(op->n), NULL};
    int64_t pieces = cafe_blocks(op->n, job.piece);
    *links = job.links = cafe_mem_zero(context, pieces, sizeof *job.links);
    CAFE_PASS(cafe_mem_had(job.links));
    return cafe_each(context, pieces, sum_piece, &job);
}
