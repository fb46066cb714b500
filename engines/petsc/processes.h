/* What a process tells the first one before it ends all of them. */
#ifndef CAFE_PETSC_PROCESSES_H
#define CAFE_PETSC_PROCESSES_H

#include <mpi.h>
#include <stdint.h>

/* Process 0 has a receive open all the time. MPI fills it in while it waits for anything else, so
 * that the handler of a signal finds there what no call of MPI is allowed to fetch. */
typedef struct petsc_voice {
    MPI_Comm comm;
    MPI_Request request;
    volatile int32_t heard; /* 1 + the number of the process that says why it ends; 0: none */
} petsc_voice;

#endif
