/* Several processes as one: the number of this process, agreement on a status, and the end of all.
 */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "petsc.h"

void petsc_team(const cafe_engine *engine, int32_t *rank, int32_t *ranks) {
    const petsc_state *state = engine->state;
    *rank = state->rank, *ranks = state->ranks;
}

/* ---- agreeing -------------------------------------------------------------------------------- */

/* A failure is worse than a run that was stopped, and that than none. */
static int badness(int32_t status) {
    return status == CAFE_OK ? 0 : status == CAFE_ERROR_CANCELLED ? 1 : 2;
}

/* The first process whose status is the worst. */
static int find_worst(const int32_t *status, int ranks) {
    int worst = 0;
    for (int r = 1; r < ranks; r++)
        if (badness(status[r]) > badness(status[worst])) worst = r;
    return worst;
}

/* Its text, in every process. */
static cafe_status take_text(cafe_context *context, const petsc_state *state, int from,
                             cafe_status status) {
    char text[sizeof context->error];
    memcpy(text, context->error, sizeof text);
    int code = MPI_Bcast(text, sizeof text, MPI_CHAR, from, state->comm);
    if (code != MPI_SUCCESS) return petsc_mpi(context, state, code);
    if (from == state->rank || !text[0]) return status;
    return from == 0 ? state->host->fail(context, status, "%s", text)
                     : state->host->fail(context, status, "%s (process %d)", text, from);
}

cafe_status petsc_agree(cafe_context *context, const cafe_engine *engine, cafe_status status) {
    const petsc_state *state = engine->state;
    int32_t own = status, *all = state->host->allocate(context, state->ranks, sizeof *all);
    /* without room for the others' statuses this process cannot take part, and must not leave them
     * waiting */
    if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
    int code = MPI_Allgather(&own, 1, MPI_INT32_T, all, 1, MPI_INT32_T, state->comm);
    int worst = code == MPI_SUCCESS ? find_worst(all, state->ranks) : 0;
    own = code == MPI_SUCCESS ? all[worst] : CAFE_ERROR_SYSTEM;
    state->host->release(context, all);
    if (code != MPI_SUCCESS) return petsc_mpi(context, state, code);
    if (own == CAFE_OK) return CAFE_OK;
    status = take_text(context, state, worst, (cafe_status)own);
    context->agreed = true;
    return status;
}

/* ---- ending ---------------------------------------------------------------------------------- */

cafe_status petsc_listen(cafe_context *context, petsc_state *state) {
    petsc_voice *v = &state->voice;
    cafe_status status = CAFE_OK;
    v->request = MPI_REQUEST_NULL;
    PETSC_MPI(MPI_Comm_dup(state->comm, &v->comm));
    if (state->rank == 0)
        PETSC_MPI(MPI_Irecv(&v->heard, 1, MPI_INT32_T, MPI_ANY_SOURCE, 0, v->comm, &v->request));
done:
    return status;
}

void petsc_hush(petsc_state *state) {
    petsc_voice *v = &state->voice;
    if (v->request != MPI_REQUEST_NULL) {
        MPI_Cancel(&v->request);
        MPI_Wait(&v->request, MPI_STATUS_IGNORE);
    }
    if (v->comm != MPI_COMM_NULL) MPI_Comm_free(&v->comm);
}

bool petsc_abandoned(const cafe_engine *engine, bool look) {
    petsc_state *state = engine->state;
    petsc_voice *v = &state->voice;
    int done;
    if (look && v->request != MPI_REQUEST_NULL) MPI_Test(&v->request, &done, MPI_STATUS_IGNORE);
    return *(const volatile int32_t *)&v->heard != 0;
}

/* Process 0 receives this if it waits for others, and then has not failed itself. A process that
 * computes or has ended does not. */
bool petsc_reach(const cafe_engine *engine, double seconds) {
    petsc_state *state = engine->state;
    static const struct timespec moment = {.tv_nsec = 10000000};
    int32_t number = state->rank + 1;
    int done = 0, code = MPI_SUCCESS;
    double until = MPI_Wtime() + seconds;
    MPI_Request request;
    if (state->rank == 0) return true;
    if (MPI_Issend(&number, 1, MPI_INT32_T, 0, 0, state->voice.comm, &request) != MPI_SUCCESS)
        return false;
    while (code == MPI_SUCCESS && !done && MPI_Wtime() < until) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && nanosleep(&moment, NULL) != 0) break; /* a signal */
    }
    if (!done) MPI_Request_free(&request);
    return done != 0;
}

void petsc_abandon(const cafe_engine *engine, int code) {
    (void)engine;
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* ---- figures --------------------------------------------------------------------------------- */

cafe_status petsc_traffic(cafe_context *context, const cafe_engine *engine, cafe_traffic *traffic) {
    const petsc_state *state = engine->state;
    int64_t own[2] = {state->sent, state->ghosts}, all[2];
    int code = MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, state->comm);
    if (code != MPI_SUCCESS) return petsc_mpi(context, state, code);
    *traffic = (cafe_traffic){.sweeps = state->swept, .bytes = all[0], .ghost_rows = all[1]};
    return CAFE_OK;
}
