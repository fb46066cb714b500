/* A sweep of several processes: its plan, made once, and its state. */
#ifndef CAFE_PETSC_SWEEP_H
#define CAFE_PETSC_SWEEP_H

#include "petsc.h"

/* An edge inside a chunk from an own node to a ghost that comes later in it. */
typedef struct petsc_cross {
    int32_t kept;  /* where the own node's move is kept */
    int32_t place; /* of the ghost among the rows that arrive */
    float weight;
} petsc_cross;

typedef struct petsc_plan {
    int32_t *list;   /* places of own nodes in the order of chunks: inner ones first in each */
    int64_t *inners; /* how many of each chunk are inner */
    int64_t most;    /* nodes of the largest chunk */
    /* Edges inside chunks between own nodes, by list; targets are numbers in the chunk. NULL: none.
     */
    int64_t *offsets;
    int32_t *targets;
    float *weights;
    /* Edges inside chunks to ghosts, by chunks. */
    int64_t *cross_starts;
    petsc_cross *cross;
    int32_t *kept; /* by list: where the node's move is kept, -1: nowhere; NULL: no move is */
    float *moves;
    /* Rows that travel, by chunks and in each by neighbours: places of own rows, and of ghosts. */
    int64_t *send_starts, *receive_starts; /* chunks x neighbours + 1 */
    int32_t *send, *receive;
    float *outgoing, *incoming; /* rows of a chunk */
    MPI_Request *requests;
    int count; /* of them at work */
} petsc_plan;

typedef struct petsc_sweep {
    petsc_state *state;
    petsc_graph *graph;
    cafe_operator local;
    cafe_block *h;
    cafe_moving by;
    uint8_t *fixed;
    cafe_chunks *chunks; /* of all nodes, as laid out */
    cafe_chunks view;    /* the same with starts, mass and inner of this process's list */
    petsc_plan plan;
    int64_t chunk;     /* the one at work */
    float *rows;       /* its sums of neighbours, then its new rows */
    double *s;         /* S */
    double *change;    /* of a chunk, of all processes */
    double *sent;      /* this process's part of it */
    float *single;     /* S as the rule reads it */
    double *shift;     /* a row for each worker */
    cafe_gains *part;  /* of each worker */
    cafe_gains *gains; /* of each chunk */
    double *squares;   /* of the changes of S, of each chunk */
    MPI_Request reduce;
    int64_t reduced, sender; /* the chunk whose change, whose rows are on their way; -1: none */
    /* If one process has all rows: the processor's sweep, and empty in the others. */
    cafe_block here;
    void *alone;
} petsc_sweep;

/* sweep_plan.c */
cafe_status petsc_plan_make(cafe_context *context, const cafe_operator *op, petsc_sweep *s);
void petsc_plan_free(cafe_context *context, petsc_sweep *s);

/* row_exchange.c: sends the rows of the current chunk that others copy, receives the rows of the
 * chunk sent before, and weighs the edges to them. */
cafe_status petsc_send(cafe_context *context, petsc_sweep *s);
cafe_status petsc_receive(cafe_context *context, petsc_sweep *s);

#endif
