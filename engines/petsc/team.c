/* What the processes say to one another: the worst status, rows for a file, the end. */
#include <string.h>

#include "petsc.h"

void petsc_team(const cafe_engine *engine, int32_t *rank, int32_t *ranks) {
    const petsc_state *state = engine->state;
    *rank = state->rank, *ranks = state->ranks;
}

cafe_status petsc_agree(cafe_context *context, const cafe_engine *engine, cafe_status status) {
    const petsc_state *state = engine->state;
    int mine = (int)status, worst = 0;
    if (MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, state->comm) != MPI_SUCCESS)
        return state->host->fail(context, CAFE_ERROR_SYSTEM, "MPI: no agreement");
    if (status != CAFE_OK || worst == 0) return status;
    return state->host->fail(context, (cafe_status)worst, "another process failed");
}

cafe_status petsc_write(cafe_context *context, const cafe_block *x, const char *path,
                        int64_t offset) {
    (void)x, (void)offset;
    return petsc_of(x)->host->fail(context, CAFE_ERROR_SYSTEM, "%s: cannot be written", path);
}

void petsc_abandon(const cafe_engine *engine, int code, bool told) {
    (void)told;
    MPI_Abort(((const petsc_state *)engine->state)->comm, code);
}
