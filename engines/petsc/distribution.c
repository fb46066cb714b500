/* The distribution of pieces to processes: in turn, or by a partitioner that keeps few edges
 * between processes. */
#include <string.h>

#include <petscmat.h>

#include "petsc.h"

/* The graph of pieces: this process provides rows first .. last - 1, each with its edges to other
 * pieces. */
typedef struct quotient {
    int64_t first, last;
    PetscInt *offsets, *targets, *counts, *sizes; /* PETSc frees the first three with its matrix */
} quotient;

static void free_quotient(quotient *q) {
    PetscFree(q->offsets);
    PetscFree(q->targets);
    PetscFree(q->counts);
    PetscFree(q->sizes);
}

/* Counts the edges from piece i to each piece, into links[]. */
static void count_links(const cafe_operator_parts *q, const petsc_layout *l, int64_t i,
                        int64_t *links) {
    int64_t first = i * l->piece, last = first + petsc_piece_size(l, i);
    memset(links, 0, (size_t)l->pieces * sizeof *links);
    for (int64_t j = q->offsets[first]; j < q->offsets[last]; j++)
        links[q->targets[j] / l->piece]++;
}

static PetscInt capped(int64_t count) {
    return (PetscInt)(count < PETSC_MAX_INT ? count : PETSC_MAX_INT);
}

/* Twice over the edges: to count, then to put them down. */
static cafe_status fill_quotient(cafe_context *context, const petsc_state *state,
                                 const cafe_operator_parts *q, const petsc_layout *l,
                                 int64_t *links, quotient *of) {
    cafe_status status = CAFE_OK;
    int64_t rows = of->last - of->first, at = 0;
    CAFE_TRY(petsc_check(context, state, PetscCalloc1((size_t)rows + 1, &of->offsets)));
    CAFE_TRY(petsc_check(context, state, PetscCalloc1((size_t)rows + 1, &of->sizes)));
    for (int64_t i = 0; i < rows; i++) {
        count_links(q, l, of->first + i, links);
        for (int64_t j = 0; j < l->pieces; j++) at += j != of->first + i && links[j] > 0;
        of->offsets[i + 1] = (PetscInt)at;
    }
    CAFE_TRY(petsc_check(context, state, PetscMalloc1((size_t)at + 1, &of->targets)));
    CAFE_TRY(petsc_check(context, state, PetscMalloc1((size_t)at + 1, &of->counts)));
    at = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t all = 1;
        count_links(q, l, of->first + i, links);
        for (int64_t j = 0; j < l->pieces; j++) {
            all += links[j];
            if (j == of->first + i || links[j] == 0) continue;
            of->targets[at] = (PetscInt)j, of->counts[at++] = capped(links[j]);
        }
        of->sizes[i] = capped(all);
    }
done:
    return status;
}

/* The parts of this process's rows, from PETSc. The matrix takes the arrays over. */
static cafe_status run_partitioner(cafe_context *context, const petsc_state *state, quotient *q,
                                   int64_t pieces, const char *type, PetscInt *parts) {
    Mat matrix = NULL;
    MatPartitioning run = NULL;
    IS found = NULL;
    const PetscInt *indices = NULL;
    PetscInt rows = (PetscInt)(q->last - q->first);
    cafe_status status = CAFE_OK;
#define TRY(call) CAFE_TRY(petsc_check(context, state, call))
    TRY(MatCreateMPIAdj(state->comm, rows, (PetscInt)pieces, q->offsets, q->targets, q->counts,
                        &matrix));
    q->offsets = q->targets = q->counts = NULL;
    TRY(MatPartitioningCreate(state->comm, &run));
    TRY(MatPartitioningSetAdjacency(run, matrix));
    if (MatPartitioningSetType(run, type) != 0)
        CAFE_TRY(state->host->fail(context, CAFE_ERROR_SYSTEM,
                                   "this PETSc was built without the partitioner %s", type));
    TRY(MatPartitioningSetNParts(run, state->ranks));
    TRY(MatPartitioningSetUseEdgeWeights(run, PETSC_TRUE));
    TRY(MatPartitioningSetVertexWeights(run, q->sizes));
    q->sizes = NULL; /* taken over too */
    TRY(MatPartitioningApply(run, &found));
    TRY(ISGetIndices(found, &indices));
    memcpy(parts, indices, (size_t)rows * sizeof *parts);
    TRY(ISRestoreIndices(found, &indices));
#undef TRY
done:
    ISDestroy(&found);
    MatPartitioningDestroy(&run);
    MatDestroy(&matrix);
    return status;
}

/* Everybody's parts, in the order of pieces. */
static cafe_status share_parts(cafe_context *context, const petsc_state *state, const quotient *q,
                               int64_t pieces, const PetscInt *parts, int32_t *owner) {
    cafe_status status = CAFE_OK;
    memset(owner, 0, (size_t)pieces * sizeof *owner);
    for (int64_t i = q->first; i < q->last; i++) owner[i] = (int32_t)parts[i - q->first];
    PETSC_MPI(MPI_Allreduce(MPI_IN_PLACE, owner, (int)pieces, MPI_INT32_T, MPI_SUM, state->comm));
done:
    return status;
}

/* The share of edges between processes. */
static cafe_status find_cut(cafe_context *context, const petsc_state *state, const quotient *q,
                            const int32_t *owner, int64_t arcs, double *cut) {
    cafe_status status = CAFE_OK;
    int64_t between = 0;
    for (int64_t i = q->first; i < q->last; i++)
        for (PetscInt j = q->offsets[i - q->first]; j < q->offsets[i - q->first + 1]; j++)
            if (owner[i] != owner[q->targets[j]]) between += q->counts[j];
    PETSC_MPI(MPI_Allreduce(MPI_IN_PLACE, &between, 1, MPI_INT64_T, MPI_SUM, state->comm));
    *cut = arcs > 0 ? (double)between / (double)arcs : 0;
done:
    return status;
}

static cafe_status divide(cafe_context *context, petsc_state *state, const cafe_operator *op,
                          const char *type, const petsc_layout *l, double *cut) {
    const cafe_engine_host *host = state->host;
    cafe_status status = CAFE_ERROR_MEMORY;
    quotient q = {.first = l->pieces * state->rank / state->ranks};
    q.last = l->pieces * (state->rank + 1) / state->ranks;
    int64_t *links = host->allocate(context, l->pieces, sizeof *links);
    int32_t *owner = host->allocate(context, l->pieces, sizeof *owner);
    PetscInt *parts = host->allocate(context, q.last - q.first, sizeof *parts);
    if (!links || !owner || !parts) goto done;
    CAFE_TRY(fill_quotient(context, state, &op->parts, l, links, &q));
    if (type) {
        CAFE_TRY(run_partitioner(context, state, &q, l->pieces, type, parts));
        CAFE_TRY(share_parts(context, state, &q, l->pieces, parts, owner));
        CAFE_TRY(petsc_lay_out(context, state, op->n, owner));
        CAFE_TRY(fill_quotient(context, state, &op->parts, l, links, &q));
    }
    CAFE_TRY(find_cut(context, state, &q, type ? owner : l->owner, op->parts.offsets[op->n], cut));
done:
    free_quotient(&q);
    host->release(context, links);
    host->release(context, owner);
    host->release(context, parts);
    return status;
}

cafe_status petsc_divide(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                         cafe_partitioner partitioner, double *cut) {
    static const char *const types[] = {NULL, MATPARTITIONINGPTSCOTCH, MATPARTITIONINGPARMETIS};
    petsc_state *state = engine->state;
    const petsc_layout *l = NULL;
    *cut = 0;
    CAFE_PASS(petsc_lay(context, state, op->n, &l));
    cafe_status status = CAFE_OK;
    if (state->ranks > 1) status = divide(context, state, op, types[partitioner], l, cut);
    petsc_leave(context, state, l);
    return status;
}
