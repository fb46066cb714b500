/* The engine of several processes: the owners of rows, and functions that its files share.
 *
 * A block of n rows is cut into pieces of cafe_piece_rows(n) rows. A process owns whole pieces, and
 * one process owns all pieces of a small block (operator/chunks.h). A process stores the rows of
 * its pieces in their order, followed by room for ghosts: copies of rows of other processes to
 * which its edges lead. The room is address space; only rows that are written take memory.
 */
#ifndef CAFE_PETSC_H
#define CAFE_PETSC_H

#include <petscsf.h>

#include "engine/engine.h"
#include "processes.h"

/* How the rows of blocks of n rows are divided. */
typedef struct petsc_layout {
    struct petsc_layout *next;
    int64_t n, piece, pieces; /* rows; rows of a piece; pieces */
    int32_t *owner;           /* of each piece */
    int32_t sole;             /* the process that owns all of them; -1: there are several */
    int64_t *base;            /* of each piece: the place of its first row among its owner's */
    int64_t own;              /* rows of this process */
    int32_t *number;          /* of each of them */
    int64_t count, *mine;     /* pieces of this process */
    int64_t users;            /* blocks and graphs that have it */
    bool kept;                /* requested by the caller: stays if no block uses it */
} petsc_layout;

typedef struct petsc_state {
    const cafe_engine_host *host;
    MPI_Comm comm;
    int32_t rank, ranks;
    petsc_layout *layouts;
    petsc_voice voice;
    int64_t swept;        /* sweeps */
    int64_t sent, ghosts; /* bytes sent in sweeps; copies of rows that this process holds */
} petsc_state;

static inline petsc_state *petsc_of(const cafe_block *x) {
    return x->engine->state;
}

/* A status for a code of MPI or PETSc, with its text. */
cafe_status petsc_mpi(cafe_context *context, const petsc_state *state, int code);
cafe_status petsc_check(cafe_context *context, const petsc_state *state, PetscErrorCode code);
#define PETSC_MPI(call) CAFE_TRY(petsc_mpi(context, state, call))

/* Are these requests done, now or within a second? After a failed or cancelled run, others may
 * never answer. Memory that MPI reads or writes for a pending request must not be released. */
bool petsc_idle(int count, MPI_Request *requests);

static inline int64_t petsc_blocks(int64_t n, int64_t block) {
    return (n + block - 1) / block;
}

/* ---- row_blocks.c ------------------------------------------------------------------------------
 */

/* Takes the layout of blocks of n rows for one more user: pieces in turn, unless petsc_lay_out()
 * set owners. */
cafe_status petsc_lay(cafe_context *context, petsc_state *state, int64_t n,
                      const petsc_layout **layout);
/* One user less. */
void petsc_leave(cafe_context *context, petsc_state *state, const petsc_layout *layout);
/* Sets the owners of the pieces for blocks of n rows; no such block may exist yet. */
cafe_status petsc_lay_out(cafe_context *context, petsc_state *state, int64_t n,
                          const int32_t *owner);
void petsc_forget(cafe_context *context, petsc_state *state);
/* Of a block that is there. */
const petsc_layout *petsc_layout_of(const cafe_block *x);

/* Rows of piece i, which is whole but for the last one. */
static inline int64_t petsc_piece_size(const petsc_layout *l, int64_t i) {
    int64_t left = l->n - i * l->piece;
    return left < l->piece ? left : l->piece;
}
static inline bool petsc_is_mine(const petsc_state *state, const petsc_layout *l, int64_t u) {
    return l->owner[u / l->piece] == state->rank;
}
/* The place of row u among its owner's. */
static inline int64_t petsc_place(const petsc_layout *l, int64_t u) {
    return l->base[u / l->piece] + u % l->piece;
}

/* This process's rows as a block of the processor; the rows of one of its pieces. */
cafe_block petsc_local(const cafe_block *x);
cafe_block petsc_piece(const cafe_block *x, int64_t piece);

/* ---- sums.c ---------------------------------------------------------------------------------- */

/* Adds the contributions of the pieces, `width` numbers each in `sums` (pieces x width; a process
 * has those of its own pieces). `total` gets the sums in the order of the pieces, the same in every
 * process. */
cafe_status petsc_add_pieces(cafe_context *context, petsc_state *state, const petsc_layout *l,
                             int64_t width, double *sums, double *total);

/* ---- graph.c --------------------------------------------------------------------------------- */

/* Ghosts of a block on their way, round by round. */
typedef struct petsc_trip {
    int64_t rows, round, rounds; /* rows of each neighbour in a round; rounds */
    float *in, *out;
    MPI_Request *requests;
    int count;
} petsc_trip;

/* The data of this process for an operator: the edges of its rows, with targets as places, own rows
 * first, then ghosts in the order of their ids. */
typedef struct petsc_graph {
    const petsc_layout *layout;
    cafe_operator local;
    bool whole; /* all rows are this process's: local is the operator itself */
    int64_t ghosts;
    int32_t *ghost; /* number of each */
    int64_t *offsets;
    int32_t *targets;
    float *weights, *factor, *loops;
    void *held; /* by the processor, of the whole: the weights of its edges */
    double *p;
    int32_t *inner, *border; /* places of the rows without ghosts, and of the others */
    int64_t inners, borders;
    petsc_trip trip;
    cafe_block eight;   /* rows of eight columns of floats or doubles, and their ghosts */
    const float *swept; /* rows that an open sweep works on: it keeps their ghosts */
    PetscSF sf;         /* roots: own rows; leaves: ghosts */
    /* Of the star forest, by neighbours: own rows that they copy, ghosts that they give. */
    PetscInt senders, receivers; /* processes that give ghosts; that copy rows */
    const PetscMPIInt *from, *to;
    const PetscInt *from_offsets, *from_leaves, *to_offsets, *to_roots;
} petsc_graph;

/* The local operator with the sign and kappa of `op`, which may be the negative. */
cafe_operator petsc_local_operator(const petsc_graph *g, const cafe_operator *op);

/* The rows of all ghosts of a block, at once or with other work in between; and their memory given
 * back. */
cafe_status petsc_ghosts(cafe_context *context, petsc_graph *g, const cafe_block *x);
cafe_status petsc_ghosts_begin(cafe_context *context, petsc_graph *g, const cafe_block *x);
cafe_status petsc_ghosts_end(cafe_context *context, petsc_graph *g, const cafe_block *x);
void petsc_ghosts_leave(const petsc_graph *g, const cafe_block *x);
void petsc_trip_free(cafe_context *context, const cafe_engine_host *host, petsc_trip *trip);

cafe_status petsc_attach(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                         int64_t stride, void **held);
void petsc_detach(cafe_context *context, const cafe_engine *engine, void *held);
cafe_status petsc_product(cafe_context *context, const cafe_operator *op, void *held,
                          cafe_side side, float a, const cafe_block *x, float b, float c,
                          cafe_block *y);
cafe_status petsc_project(cafe_context *context, const cafe_operator *op, void *held,
                          const cafe_block *x, double *s);

/* ---- the other operations, by file ----------------------------------------------------------- */

/* row_blocks.c */
cafe_status petsc_make(cafe_context *context, const cafe_engine *engine, int64_t n, int64_t columns,
                       cafe_block *block);
void petsc_drop(cafe_context *context, cafe_block *block);
cafe_status petsc_copy_in(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                          int64_t step);
cafe_status petsc_copy_out(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                           int64_t step);
cafe_status petsc_copy(cafe_context *context, const cafe_block *from, cafe_block *to,
                       int64_t place);
cafe_status petsc_select(cafe_context *context, cafe_block *x, int64_t count, const int64_t *kept);
cafe_status petsc_start(cafe_context *context, cafe_block *x, const cafe_start *start);
cafe_status petsc_transform(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                            const int64_t *kept, const double *shift);
cafe_status petsc_scale(cafe_context *context, cafe_block *x, const double *factors);
bool petsc_mine(const cafe_engine *engine, int64_t n, int64_t row, int64_t *first, int64_t *last);
float *petsc_rows(const cafe_block *x, int64_t row);

/* sums.c */
cafe_status petsc_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                       const double *weights, bool single, double *gram);
cafe_status petsc_norms(cafe_context *context, const cafe_block *x, const double *factors,
                        double *norms);
cafe_status petsc_totals(cafe_context *context, const cafe_block *x, const double *weights,
                         double *totals);
cafe_status petsc_sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                       const double *weights, const double *own_weights, int64_t negative,
                       double *cross, double *own);

cafe_status petsc_add(cafe_context *context, const cafe_engine *engine, int64_t count,
                      double *sums);

/* eight_columns.c */
cafe_status petsc_eight(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                        void *held, bool single, const void *x, void *y);

/* sweep.c */
cafe_status petsc_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                             cafe_block *h, void **sweep);
cafe_status petsc_sweep_run(cafe_context *context, void *sweep, double *gain);
cafe_status petsc_sweep_sums(cafe_context *context, void *sweep, bool put, double *s);
const cafe_chunks *petsc_sweep_chunks(const void *sweep);
void petsc_sweep_close(cafe_context *context, void *sweep);

/* distribution.c */
cafe_status petsc_divide(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                         cafe_partitioner partitioner, double *cut);

/* processes.c */
void petsc_team(const cafe_engine *engine, int32_t *rank, int32_t *ranks);
cafe_status petsc_agree(cafe_context *context, const cafe_engine *engine, cafe_status status);
bool petsc_reach(const cafe_engine *engine, double seconds);
bool petsc_abandoned(const cafe_engine *engine, bool look);
void petsc_abandon(const cafe_engine *engine, int code);
cafe_status petsc_traffic(cafe_context *context, const cafe_engine *engine, cafe_traffic *traffic);
/* Process 0 listens to one that will end all, from the beginning on until the engine is closed. */
cafe_status petsc_listen(cafe_context *context, petsc_state *state);
void petsc_hush(petsc_state *state);

/* heartbeat.c: detects lost processes. Once per process: begun before MPI, met after its start; its
 * end waits for the others. */
void petsc_heart_begin(void);
void petsc_heart_meet(void);
void petsc_heart_end(void);

/* shared_output.c */
cafe_status petsc_write(cafe_context *context, const cafe_block *x, const char *path,
                        int64_t offset);

/* byte_exchange.c */
cafe_status petsc_exchange(cafe_context *context, const cafe_engine *engine, const void *give,
                           const int64_t *sizes, void **got, int64_t *got_sizes);

#endif
