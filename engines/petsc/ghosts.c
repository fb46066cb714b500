/* Fetches the rows of all ghosts of a block from their owners, in rounds of bounded size. A round
 * has a bounded number of rows of each neighbour, in both directions. */
#define _GNU_SOURCE
#include "petsc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    TAG = 9,
    FLOATS =
        1 << 24 /* that a process sends in a round, and that it gets, at most; a row at least */
};

/* ---- a round --------------------------------------------------------------------------------- */

/* Returns the room for the rows of neighbour i in a buffer, after those of earlier neighbours. */
static int64_t room_of(const petsc_trip *t, const PetscInt *offsets, PetscInt i) {
    int64_t all = offsets[i + 1] - offsets[i];
    return all < t->rows ? all : t->rows;
}

static int64_t room_of_all(const petsc_trip *t, PetscInt neighbours, const PetscInt *offsets) {
    int64_t room = 0;
    for (PetscInt i = 0; i < neighbours; i++) room += room_of(t, offsets, i);
    return room;
}

/* Rows of neighbour i in the round at work: items first .. last - 1 of its list. */
static void slice(const petsc_trip *t, const PetscInt *offsets, PetscInt i, int64_t *first,
                  int64_t *last) {
    *first = offsets[i] + t->round * t->rows;
    *last = *first + t->rows < offsets[i + 1] ? *first + t->rows : offsets[i + 1];
}

static cafe_status post_round(cafe_context *context, petsc_graph *g, const cafe_block *x) {
    const petsc_state *state = petsc_of(x);
    petsc_trip *t = &g->trip;
    int64_t stride = x->stride, first, last;
    float *in = t->in, *out = t->out;
    cafe_status status = CAFE_OK;
    t->count = 0;
    for (PetscInt i = 0; i < g->senders; in += room_of(t, g->from_offsets, i++) * stride) {
        slice(t, g->from_offsets, i, &first, &last);
        if (first < last)
            PETSC_MPI(MPI_Irecv(in, (int)((last - first) * stride), MPI_FLOAT, (int)g->from[i], TAG,
                                state->comm, &t->requests[t->count++]));
    }
    for (PetscInt i = 0; i < g->receivers; out += room_of(t, g->to_offsets, i++) * stride) {
        slice(t, g->to_offsets, i, &first, &last);
        for (int64_t j = first; j < last; j++)
            memcpy(out + (j - first) * stride, x->x + (int64_t)g->to_roots[j] * stride,
                   (size_t)stride * sizeof *out);
        if (first < last)
            PETSC_MPI(MPI_Isend(out, (int)((last - first) * stride), MPI_FLOAT, (int)g->to[i], TAG,
                                state->comm, &t->requests[t->count++]));
    }
done:
    return status;
}

static cafe_status end_round(cafe_context *context, petsc_graph *g, const cafe_block *x) {
    const petsc_state *state = petsc_of(x);
    petsc_trip *t = &g->trip;
    int64_t stride = x->stride, first, last;
    float *ghosts = x->x + g->layout->own * stride, *in = t->in;
    cafe_status status = CAFE_OK;
    PETSC_MPI(MPI_Waitall(t->count, t->requests, MPI_STATUSES_IGNORE));
    for (PetscInt i = 0; i < g->senders; in += room_of(t, g->from_offsets, i++) * stride) {
        slice(t, g->from_offsets, i, &first, &last);
        for (int64_t j = first; j < last; j++)
            memcpy(ghosts + (int64_t)g->from_leaves[j] * stride, in + (j - first) * stride,
                   (size_t)stride * sizeof *ghosts);
    }
done:
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Rounds until the last row of the neighbour with most. */
static int64_t count_rounds(const petsc_trip *t, PetscInt neighbours, const PetscInt *offsets) {
    int64_t most = 0;
    for (PetscInt i = 0; i < neighbours; i++)
        if (offsets[i + 1] - offsets[i] > most) most = offsets[i + 1] - offsets[i];
    return petsc_blocks(most, t->rows);
}

cafe_status petsc_ghosts_begin(cafe_context *context, petsc_graph *g, const cafe_block *x) {
    const petsc_state *state = petsc_of(x);
    petsc_trip *t = &g->trip;
    const cafe_engine_host *host = state->host;
    petsc_trip_free(context, host, t); /* of one that failed half-way */
    *t = (petsc_trip){.rows = FLOATS / (x->stride * state->ranks)};
    if (t->rows < 1) t->rows = 1; /* the same on every process: lists end in the same rounds */
    int64_t in = count_rounds(t, g->senders, g->from_offsets);
    int64_t out = count_rounds(t, g->receivers, g->to_offsets);
    t->rounds = in > out ? in : out;
    t->in = host->allocate(context, room_of_all(t, g->senders, g->from_offsets) * x->stride,
                           sizeof *t->in);
    t->out = host->allocate(context, room_of_all(t, g->receivers, g->to_offsets) * x->stride,
                            sizeof *t->out);
    t->requests = host->allocate(context, g->senders + g->receivers, sizeof *t->requests);
    if (!t->in || !t->out || !t->requests) return CAFE_ERROR_MEMORY;
    return post_round(context, g, x);
}

cafe_status petsc_ghosts_end(cafe_context *context, petsc_graph *g, const cafe_block *x) {
    const cafe_engine_host *host = petsc_of(x)->host;
    petsc_trip *t = &g->trip;
    cafe_status status = end_round(context, g, x);
    for (t->round = 1; t->round < t->rounds && status == CAFE_OK; t->round++) {
        status = post_round(context, g, x);
        if (status == CAFE_OK) status = end_round(context, g, x);
    }
    petsc_trip_free(context, host, t);
    return status;
}

void petsc_trip_free(cafe_context *context, const cafe_engine_host *host, petsc_trip *t) {
    if (!petsc_idle(t->count, t->requests)) t->in = t->out = NULL, t->requests = NULL;
    host->release(context, t->in);
    host->release(context, t->out);
    host->release(context, t->requests);
    *t = (petsc_trip){0};
}

cafe_status petsc_ghosts(cafe_context *context, petsc_graph *g, const cafe_block *x) {
    CAFE_PASS(petsc_ghosts_begin(context, g, x));
    return petsc_ghosts_end(context, g, x);
}

/* Releases whole pages after the block's own rows. */
void petsc_ghosts_leave(const petsc_graph *g, const cafe_block *x) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)(x->x + g->layout->own * x->stride);
    uintptr_t last = first + (uintptr_t)(g->ghosts * x->stride) * sizeof *x->x;
    first = (first + page - 1) / page * page;
    if (first < last) madvise((void *)first, last - first, MADV_DONTNEED);
}
