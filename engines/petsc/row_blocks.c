/* The rows of a process; blocks, copies, starts, and operations on single rows. */
#define _GNU_SOURCE
#include "petsc.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* ---- who holds what -------------------------------------------------------------------------- */

static void free_layout(cafe_context *context, const petsc_state *state, petsc_layout *l) {
    if (!l) return;
    state->host->release(context, l->owner);
    state->host->release(context, l->base);
    state->host->release(context, l->mine);
    state->host->release(context, l->number);
    state->host->release(context, l);
}

/* Owners known: where each piece begins among its owner's rows, and which are this process's. */
static cafe_status place_pieces(cafe_context *context, const petsc_state *state, petsc_layout *l) {
    int64_t *rows = state->host->allocate(context, state->ranks, sizeof *rows);
    if (!rows) return CAFE_ERROR_MEMORY;
    memset(rows, 0, (size_t)state->ranks * sizeof *rows);
    l->sole = l->pieces > 0 ? l->owner[0] : 0;
    for (int64_t i = 0; i < l->pieces; i++) {
        if (l->owner[i] != l->sole) l->sole = -1;
        l->base[i] = rows[l->owner[i]];
        rows[l->owner[i]] += petsc_piece_size(l, i);
        if (l->owner[i] == state->rank) l->mine[l->count++] = i;
    }
    l->own = rows[state->rank];
    state->host->release(context, rows);
    l->number = state->host->allocate(context, l->own, sizeof *l->number);
    if (!l->number) return CAFE_ERROR_MEMORY;
    for (int64_t m = 0, at = 0; m < l->count; m++)
        for (int64_t i = 0; i < petsc_piece_size(l, l->mine[m]); i++)
            l->number[at++] = (int32_t)(l->mine[m] * l->piece + i);
    return CAFE_OK;
}

static cafe_status new_layout(cafe_context *context, petsc_state *state, int64_t n,
                              const int32_t *owner, petsc_layout **layout) {
    petsc_layout *l = state->host->allocate(context, 1, sizeof *l);
    cafe_status status = CAFE_ERROR_MEMORY;
    *layout = NULL;
    if (!l) return status;
    *l = (petsc_layout){.next = state->layouts, .n = n, .piece = cafe_piece_rows(n)};
    l->pieces = petsc_blocks(n, l->piece);
    l->owner = state->host->allocate(context, l->pieces, sizeof *l->owner);
    l->base = state->host->allocate(context, l->pieces, sizeof *l->base);
    l->mine = state->host->allocate(context, l->pieces, sizeof *l->mine);
    if (!l->owner || !l->base || !l->mine) goto done;
    for (int64_t i = 0; i < l->pieces; i++)
        l->owner[i] =
            owner ? owner[i] : (int32_t)(i * l->piece / cafe_together_rows(n) % state->ranks);
    CAFE_TRY(place_pieces(context, state, l));
    *layout = state->layouts = l;
    l = NULL;
done:
    free_layout(context, state, l);
    return status;
}

static petsc_layout *find_layout(const petsc_state *state, int64_t n) {
    petsc_layout *l = state->layouts;
    while (l && l->n != n) l = l->next;
    return l;
}

cafe_status petsc_lay(cafe_context *context, petsc_state *state, int64_t n,
                      const petsc_layout **layout) {
    petsc_layout *l = find_layout(state, n);
    cafe_status status = l ? CAFE_OK : new_layout(context, state, n, NULL, &l);
    if (l) l->users++;
    *layout = l;
    return status;
}

void petsc_leave(cafe_context *context, petsc_state *state, const petsc_layout *layout) {
    petsc_layout **at = &state->layouts;
    while (*at && *at != layout) at = &(*at)->next;
    petsc_layout *l = *at;
    if (!l || --l->users > 0 || l->kept) return;
    *at = l->next;
    free_layout(context, state, l);
}

/* The last call counts. */
cafe_status petsc_lay_out(cafe_context *context, petsc_state *state, int64_t n,
                          const int32_t *owner) {
    petsc_layout *l = NULL;
    cafe_status status = new_layout(context, state, n, owner, &l);
    if (l) l->kept = true;
    return status;
}

void petsc_forget(cafe_context *context, petsc_state *state) {
    for (petsc_layout *l = state->layouts, *next; l; l = next) {
        next = l->next;
        free_layout(context, state, l);
    }
    state->layouts = NULL;
}

const petsc_layout *petsc_layout_of(const cafe_block *x) {
    return find_layout(petsc_of(x), x->n);
}

bool petsc_mine(const cafe_engine *engine, int64_t n, int64_t row, int64_t *first, int64_t *last) {
    const petsc_state *state = engine->state;
    const petsc_layout *l = find_layout(state, n);
    int64_t i = l ? row / l->piece : 0;
    while (l && i < l->pieces && l->owner[i] != state->rank) i++;
    if (!l || i == l->pieces) return false;
    *first = row > i * l->piece ? row : i * l->piece;
    *last = i * l->piece + petsc_piece_size(l, i);
    return *first < *last;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { HEAD = 64 }; /* bytes before the rows, for the size */

static size_t block_bytes(const cafe_block *x) {
    return (size_t)(x->n > 0 ? x->n : 1) * (size_t)cafe_stride(x->columns) * sizeof *x->x;
}

/* Address space for all rows: own ones and ghosts are never more. */
cafe_status petsc_make(cafe_context *context, const cafe_engine *engine, int64_t n, int64_t columns,
                       cafe_block *block) {
    petsc_state *state = engine->state;
    const petsc_layout *layout = NULL;
    *block = (cafe_block){n, cafe_stride(columns), columns, {NULL}, engine, 0};
    CAFE_PASS(petsc_lay(context, state, n, &layout));
    size_t bytes = HEAD + block_bytes(block);
    char *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        petsc_leave(context, state, layout);
        return state->host->fail(context, CAFE_ERROR_MEMORY, "a block of %zu bytes: %s", bytes,
                                 strerror(errno));
    }
    madvise(room, bytes, MADV_HUGEPAGE); /* a wish */
    *(size_t *)room = bytes;             /* columns may be selected before it is dropped */
    block->x = (float *)(room + HEAD);
    return CAFE_OK;
}

void petsc_drop(cafe_context *context, cafe_block *block) {
    if (block->x) {
        char *room = (char *)block->x - HEAD;
        petsc_leave(context, petsc_of(block), petsc_layout_of(block));
        munmap(room, *(size_t *)room);
    }
    block->x = NULL;
}

cafe_block petsc_local(const cafe_block *x) {
    cafe_block local = *x;
    local.n = petsc_layout_of(x)->own;
    local.engine = petsc_of(x)->host->processor;
    return local;
}

cafe_block petsc_piece(const cafe_block *x, int64_t piece) {
    const petsc_layout *l = petsc_layout_of(x);
    cafe_block local = petsc_local(x);
    local.n = petsc_piece_size(l, piece);
    local.x += l->base[piece] * x->stride;
    return local;
}

float *petsc_rows(const cafe_block *x, int64_t row) {
    return x->x + petsc_place(petsc_layout_of(x), row) * x->stride + x->first;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The rows of piece i that a part of the block takes; none: last <= first. */
static void part_rows(const petsc_layout *l, cafe_part part, int64_t i, int64_t *first,
                      int64_t *last) {
    int64_t end = i * l->piece + petsc_piece_size(l, i);
    *first = part.row > i * l->piece ? part.row : i * l->piece;
    *last = part.row + part.rows < end ? part.row + part.rows : end;
}

cafe_status petsc_copy_in(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                          int64_t step) {
    const petsc_layout *l = petsc_layout_of(x);
    const cafe_engine_ops *processor = petsc_of(x)->host->processor->ops;
    cafe_block local = petsc_local(x);
    for (int64_t m = 0; m < l->count; m++) {
        int64_t first, last;
        part_rows(l, part, l->mine[m], &first, &last);
        cafe_part here = {petsc_place(l, first < l->n ? first : 0), last - first, part.column,
                          part.columns};
        if (last > first)
            CAFE_PASS(
                processor->copy_in(context, &local, here, from + (first - part.row) * step, step));
    }
    return CAFE_OK;
}

/* Pieces first .. last - 1, which all processes send round in a buffer. */
static cafe_status share_pieces(cafe_context *context, const cafe_block *x, cafe_part part,
                                int64_t from, int64_t end, float *buffer, float *to, int64_t step) {
    petsc_state *state = petsc_of(x);
    const petsc_layout *l = petsc_layout_of(x);
    cafe_status status = CAFE_OK;
    int64_t begin = part.row > from * l->piece ? part.row : from * l->piece, stop = begin;
    for (int64_t i = from; i < end; i++) {
        int64_t first, last;
        part_rows(l, part, i, &first, &last);
        stop = last;
        for (int64_t u = first; u < last; u++) {
            float *row = buffer + (u - begin) * part.columns;
            if (l->owner[i] == state->rank)
                memcpy(row, petsc_rows(x, u) + part.column, (size_t)part.columns * sizeof *row);
            else
                memset(row, 0, (size_t)part.columns * sizeof *row);
        }
    }
    /* every number is one process's, and bits of zero elsewhere */
    PETSC_MPI(MPI_Allreduce(MPI_IN_PLACE, buffer, (int)((stop - begin) * part.columns), MPI_INT32_T,
                            MPI_BOR, state->comm));
    for (int64_t u = begin; u < stop; u++)
        memcpy(to + (u - part.row) * step, buffer + (u - begin) * part.columns,
               (size_t)part.columns * sizeof *to);
done:
    return status;
}

cafe_status petsc_copy_out(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                           int64_t step) {
    enum { BUFFER = 1 << 22 }; /* floats of a transfer, at least a piece */
    const petsc_state *state = petsc_of(x);
    const petsc_layout *l = petsc_layout_of(x);
    if (part.rows <= 0 || part.columns <= 0) return CAFE_OK;
    int64_t at_once = BUFFER / (l->piece * part.columns);
    if (at_once < 1) at_once = 1;
    int64_t first = part.row / l->piece, end = (part.row + part.rows - 1) / l->piece + 1;
    if (at_once > end - first) at_once = end - first;
    float *buffer = state->host->allocate(context, at_once * l->piece * part.columns, sizeof *to);
    cafe_status status = buffer ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (; first < end && status == CAFE_OK; first += at_once)
        status = share_pieces(context, x, part, first,
                              first + at_once < end ? first + at_once : end, buffer, to, step);
    state->host->release(context, buffer);
    return status;
}

/* ---- row by row ------------------------------------------------------------------------------ */

cafe_status petsc_copy(cafe_context *context, const cafe_block *from, cafe_block *to,
                       int64_t place) {
    cafe_block here = petsc_local(from), there = petsc_local(to);
    return petsc_of(from)->host->processor->ops->copy(context, &here, &there, place);
}

cafe_status petsc_select(cafe_context *context, cafe_block *x, int64_t count, const int64_t *kept) {
    cafe_block local = petsc_local(x);
    cafe_status status = petsc_of(x)->host->processor->ops->select(context, &local, count, kept);
    x->columns = local.columns, x->stride = local.stride;
    return status;
}

cafe_status petsc_transform(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                            const int64_t *kept, const double *shift) {
    cafe_block local = petsc_local(x);
    cafe_status status =
        petsc_of(x)->host->processor->ops->transform(context, &local, k, m, kept, shift);
    x->columns = local.columns;
    return status;
}

cafe_status petsc_scale(cafe_context *context, cafe_block *x, const double *factors) {
    const petsc_layout *l = petsc_layout_of(x);
    cafe_status status = CAFE_OK;
    for (int64_t m = 0; m < l->count && status == CAFE_OK; m++) {
        cafe_block piece = petsc_piece(x, l->mine[m]);
        status = piece.engine->ops->scale(context, &piece, factors + l->mine[m] * l->piece);
    }
    return status;
}

/* Picks the entries of `from` for each own row, and for the ghosts of a graph. */
static cafe_status pick(cafe_context *context, const petsc_state *state, const petsc_layout *l,
                        const petsc_graph *g, size_t size, const void *from, void **picked) {
    int64_t ghosts = g ? g->ghosts : 0;
    char *to = from ? state->host->allocate(context, l->own + ghosts, size) : NULL;
    *picked = to;
    if (!to) return from ? CAFE_ERROR_MEMORY : CAFE_OK;
    for (int64_t i = 0; i < l->own; i++)
        memcpy(to + (size_t)i * size, (const char *)from + (size_t)l->number[i] * size, size);
    for (int64_t i = 0; i < ghosts; i++)
        memcpy(to + (size_t)(l->own + i) * size, (const char *)from + (size_t)g->ghost[i] * size,
               size);
    return CAFE_OK;
}

cafe_status petsc_start(cafe_context *context, cafe_block *x, const cafe_start *start) {
    const petsc_state *state = petsc_of(x);
    const petsc_layout *l = petsc_layout_of(x);
    const petsc_graph *g = start->held;
    cafe_status status = CAFE_OK;
    cafe_block local = petsc_local(x);
    cafe_start here = *start;
    cafe_operator op;
    void *labels = NULL, *weights = NULL, *marks = NULL, *small = NULL;
    here.numbers = l->number;
    if (start->kind == CAFE_START_LINKS) op = petsc_local_operator(g, start->op), here.op = &op;
    CAFE_TRY(pick(context, state, l, NULL, sizeof *start->labels, start->labels, &labels));
    CAFE_TRY(pick(context, state, l, NULL, sizeof *start->weights, start->weights, &weights));
    if (start->kind == CAFE_START_LINKS) {
        CAFE_TRY(pick(context, state, l, g, sizeof *start->marks, start->marks, &marks));
        CAFE_TRY(pick(context, state, l, g, sizeof *start->small, start->small, &small));
    }
    here.labels = labels, here.weights = weights, here.marks = marks, here.small = small;
    here.held = NULL;
    CAFE_TRY(local.engine->ops->start(context, &local, &here));
done:
    state->host->release(context, labels);
    state->host->release(context, weights);
    state->host->release(context, marks);
    state->host->release(context, small);
    return status;
}
