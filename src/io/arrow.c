/* The Arrow C stream interface: one batch of columns.
 *
 * A consumer may move the columns out of their batch and release them one by one, in any thread,
 * long after the context was freed. So stream, schemas, batch and columns lie in one block of the
 * context's allocator, which counts its users. A consumer may request the schema again, so a schema
 * is a separate block with its own count.
 */
#include <cafe/arrow.h>

#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "base/option.h"

enum { MOST_BUFFERS = 3 }; /* validity, offsets, bytes */

/* A column: its buffers and the structs that describe it. */
typedef struct column {
    const char *title, *format;
    const void *buffers[MOST_BUFFERS];
    int64_t count; /* of the buffers */
    struct ArrowArray array;
} column;

/* The block begins with this. */
typedef struct table {
    cafe_allocator allocator;
    atomic_int users;
    bool read; /* the batch was handed out */
    int64_t rows, columns;
    const void *nothing[1]; /* buffers of the batch: no validity */
    column *column;
    struct ArrowArray **arrays;
} table;

typedef struct schema {
    table *of;
    atomic_int users;
    struct ArrowSchema **pointers; /* behind the columns */
    struct ArrowSchema column[];
} schema;

static void leave(table *t) {
    cafe_allocator allocator = t->allocator;
    if (atomic_fetch_sub(&t->users, 1) == 1) allocator.release(allocator.user, t);
}

static void *enter(table *t) {
    atomic_fetch_add(&t->users, 1);
    return t;
}

/* ---- what consumers call --------------------------------------------------------------------- */

static void release_array(struct ArrowArray *array) {
    for (int64_t j = 0; j < array->n_children; j++)
        if (array->children[j]->release) array->children[j]->release(array->children[j]);
    array->release = NULL;
    leave(array->private_data);
}

static void release_schema(struct ArrowSchema *told) {
    schema *s = told->private_data;
    table *t = s->of;
    for (int64_t j = 0; j < told->n_children; j++)
        if (told->children[j]->release) told->children[j]->release(told->children[j]);
    told->release = NULL;
    if (atomic_fetch_sub(&s->users, 1) != 1) return;
    t->allocator.release(t->allocator.user, s);
    leave(t);
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
    leave(stream->private_data);
}

static const char *last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    table *t = stream->private_data;
    size_t each = sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *);
    schema *s = t->allocator.allocate(t->allocator.user, sizeof *s + (size_t)t->columns * each);
    if (!s) return ENOMEM;
    s->of = enter(t);
    s->pointers = (struct ArrowSchema **)(s->column + t->columns);
    atomic_init(&s->users, (int)t->columns + 1);
    *out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = t->columns};
    for (int64_t j = 0; j < t->columns; j++) {
        const column *c = &t->column[j];
        s->column[j] = (struct ArrowSchema){.format = c->format, .name = c->title};
        s->column[j].release = release_schema;
        s->column[j].private_data = s;
        s->pointers[j] = &s->column[j];
    }
    out->children = s->pointers;
    out->release = release_schema;
    out->private_data = s;
    return 0;
}

/* After the only batch comes one that is released: the end. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    table *t = stream->private_data;
    *out = (struct ArrowArray){0};
    if (t->read) return 0;
    t->read = true;
    for (int64_t j = 0; j < t->columns; j++) {
        column *c = &t->column[j];
        c->array = (struct ArrowArray){.length = t->rows, .n_buffers = c->count};
        c->array.buffers = c->buffers;
        c->array.release = release_array;
        c->array.private_data = enter(t);
    }
    *out = (struct ArrowArray){.length = t->rows,
                               .n_buffers = 1,
                               .n_children = t->columns,
                               .buffers = t->nothing,
                               .children = t->arrays,
                               .release = release_array,
                               .private_data = enter(t)};
    return 0;
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Memory handed out piece by piece, each on a cache line; base NULL: pieces are only counted. */
typedef struct room {
    char *base;
    size_t used;
} room;

static void *take(room *r, size_t bytes) {
    void *at = r->base ? r->base + r->used : NULL;
    r->used += (bytes + 63) / 64 * 64;
    return at;
}

static const char *take_text(room *r, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *at = take(r, bytes);
    return at ? memcpy(at, text, bytes) : NULL;
}

static void fill_numbers(room *r, const cafe_arrow_inputs *in, column *c) {
    size_t bytes = (size_t)in->rows * sizeof *in->numbers;
    int64_t *at = take(r, bytes);
    if (!at) return;
    memcpy(at, in->numbers, bytes);
    c->format = "l";
    c->buffers[1] = at;
    c->count = 2;
}

/* Writes names one after the other, and their offsets: "large" strings, of any total size. */
static void fill_texts(room *r, const cafe_arrow_inputs *in, column *c) {
    size_t bytes = 0;
    int64_t *offsets = take(r, ((size_t)in->rows + 1) * sizeof *offsets);
    for (int64_t i = 0; i < in->rows; i++) bytes += strlen(in->texts[i]);
    char *text = take(r, bytes + 1);
    if (!text) return;
    offsets[0] = 0;
    for (int64_t i = 0; i < in->rows; i++) {
        size_t length = strlen(in->texts[i]);
        memcpy(text + offsets[i], in->texts[i], length);
        offsets[i + 1] = offsets[i] + (int64_t)length;
    }
    c->format = "U";
    c->buffers[1] = offsets;
    c->buffers[2] = text;
    c->count = 3;
}

static void fill_values(room *r, const cafe_arrow_inputs *in, int64_t j, column *c) {
    float *at = take(r, (size_t)in->rows * sizeof *at);
    if (!at) return;
    for (int64_t i = 0; i < in->rows; i++) at[i] = in->values[i * in->columns + j];
    c->format = "f";
    c->buffers[1] = at;
    c->count = 2;
}

/* The whole table at the room's base; without one, only how much it takes. */
static table *lay_out(room *r, const cafe_arrow_inputs *in) {
    int64_t first = in->key != NULL, columns = first + in->columns;
    column unused;
    table *t = take(r, sizeof *t);
    column *all = take(r, (size_t)columns * sizeof *all);
    struct ArrowArray **arrays = take(r, (size_t)columns * sizeof(void *));
    for (int64_t j = 0; j < columns; j++) {
        column *c = all ? &all[j] : &unused;
        *c = (column){.title = take_text(r, j < first ? in->key : in->titles[j - first])};
        if (j >= first)
            fill_values(r, in, j - first, c);
        else if (in->texts)
            fill_texts(r, in, c);
        else
            fill_numbers(r, in, c);
        if (arrays) arrays[j] = &c->array;
    }
    if (t) *t = (table){.rows = in->rows, .columns = columns, .column = all, .arrays = arrays};
    return t;
}

cafe_status cafe_arrow_stream(cafe_context *context, const cafe_arrow_inputs *inputs,
                              struct ArrowArrayStream *stream) {
    cafe_arrow_inputs in;
    room r = {NULL, 0};
    *stream = (struct ArrowArrayStream){0};
    CAFE_PASS(cafe_inputs_take(context, "a table", inputs, &in, sizeof in));
    if (in.rows < 0 || in.columns < 0 || (in.key && !in.numbers == !in.texts))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a table: expected rows with numbers or with names");
    lay_out(&r, &in);
    r = (room){context->allocator.allocate(context->allocator.user, r.used), 0};
    if (!r.base) return cafe_fail_memory(context, "a table for Arrow");
    table *t = lay_out(&r, &in);
    t->allocator = context->allocator;
    atomic_init(&t->users, 1);
    *stream = (struct ArrowArrayStream){get_schema, get_next, last_error, release_stream, t};
    return CAFE_OK;
}
