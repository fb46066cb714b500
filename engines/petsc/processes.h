/* The announcement that a process sends to process 0 before it ends all processes. */
#ifndef CAFE_PETSC_PROCESSES_H
#define CAFE_PETSC_PROCESSES_H

#include <mpi.h>
#include <stdint.h>

/* Process 0 always has a receive open. MPI completes it during any other wait, so a signal handler
 * finds the announcement without a call of MPI, which would not be allowed there. */
typedef struct petsc_voice {
    MPI_Comm comm;
    MPI_Request request;
    int32_t heard; /* 1 + the number of the process that announced its end; 0: none */
} petsc_voice;

#endif
