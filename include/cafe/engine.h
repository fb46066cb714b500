/* Engines: where the numbers of a run live and who computes on them.
 *
 * "processor" is always available: this machine's memory and the context's threads. Every other
 * engine is a shared library libcafe-NAME.so. It is searched for in the folder of libcafe itself
 * and in the folders of the environment variable CAFE_ENGINE_PATH (absolute paths, with a colon in
 * between), nowhere else. A library that other users may change is refused. Results are the same on
 * every engine (docs/engines.md).
 *
 * Sphere, softmax with rows of all columns and the spectral finish run on the context's engine. A
 * method that cannot run there fails with a message; everything around them (reading, sampling,
 * explaining, evaluating) is the processor's work on any engine.
 */
#ifndef CAFE_ENGINE_H
#define CAFE_ENGINE_H

#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the engine the one in use (NULL: the processor). CAFE_ERROR_SYSTEM, with the reason in
 * cafe_error(), where it is not found, is of another version of the interface, or finds no device;
 * the engine in use then stays. Objects made before keep the engine they were made on. */
CAFE_API cafe_status cafe_engine_open(cafe_context *context, const char *name);

/* How the rows of a graph are divided between processes, where the engine joins several: pieces of
 * consecutive nodes in turn, or by a partitioner that PETSc knows. */
typedef enum cafe_partitioner {
    CAFE_PARTITION_CONTIGUOUS = 0,
    CAFE_PARTITION_SCOTCH = 1,
    CAFE_PARTITION_PARMETIS = 2
} cafe_partitioner;

/* ---- several processes -----------------------------------------------------------------------
 *
 * An engine such as "petsc" joins the processes that were started together (mpirun): each makes the
 * same calls with the same arguments, and each gets the same results. Graphs, labels and numbers of
 * the report are whole in every process; rows of vectors stay with the process that computes them.
 * Files that the library writes are process 0's: in the others every output leads nowhere. */

/* This process's number and how many there are: 0 and 1 where the engine in use joins none. */
CAFE_API cafe_status cafe_engine_team(cafe_context *context, int32_t *rank, int32_t *ranks);

#ifdef __cplusplus
}
#endif
#endif
