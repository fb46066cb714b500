/* The engine: start and end of MPI and PETSc, and the table that the library exports. */
#define _GNU_SOURCE
#include "petsc.h"

#include <dlfcn.h>
#include <malloc.h>
#include <time.h>

/* ---- errors ---------------------------------------------------------------------------------- */

cafe_status petsc_mpi(cafe_context *context, const petsc_state *state, int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return CAFE_OK;
    MPI_Error_string(code, text, &length);
    return state->host->fail(context, CAFE_ERROR_SYSTEM, "MPI: %s", text);
}

cafe_status petsc_check(cafe_context *context, const petsc_state *state, PetscErrorCode code) {
    const char *text = NULL;
    if (code == 0) return CAFE_OK;
    PetscErrorMessage(code, &text, NULL);
    return state->host->fail(context, CAFE_ERROR_SYSTEM, "PETSc: %s", text ? text : "an error");
}

bool petsc_idle(int count, MPI_Request *requests) {
    static const struct timespec moment = {.tv_nsec = 1000000};
    double until = MPI_Wtime() + 1;
    int done = 0, code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && !done && MPI_Wtime() < until) {
        code = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (!done) nanosleep(&moment, NULL);
    }
    return done != 0;
}

/* ---- begun and ended ------------------------------------------------------------------------- */

/* Runs once per process, because MPI cannot be started again. A normal end waits for the others; a
 * program that fails does not wait, because the others may be waiting for it. */
static void end_all(int status, void *unused) {
    PetscBool begun = PETSC_FALSE;
    int ended = 0, ranks = 1;
    (void)unused;
    MPI_Finalized(&ended);
    if (!ended) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (status != 0 && ranks > 1) MPI_Abort(MPI_COMM_WORLD, status);
    if (!ended) petsc_heart_end();
    PetscInitialized(&begun);
    if (begun) PetscFinalize();
    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
}

/* MPI's plug-ins look for symbols of MPI among those of the program. */
static void show_symbols(void) {
    Dl_info info;
    if (dladdr((const void *)MPI_Init_thread, &info))
        dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL);
}

/* SuperLU_DIST, a solver that PETSc is linked with, keeps freed memory in the process. Here freed
 * memory goes back to the system, so that the steps of a run do not add up to its peak. */
static void give_memory_back(void) {
    mallopt(M_MMAP_MAX, 1 << 16);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

static cafe_status begin_all(cafe_context *context, const petsc_state *state) {
    int begun = 0, level;
    PetscBool petsc = PETSC_FALSE;
    PetscInitialized(&petsc);
    if (petsc) return CAFE_OK;
    show_symbols();
    give_memory_back();
    CAFE_PASS(petsc_mpi(context, state, MPI_Initialized(&begun)));
    if (!begun) {
        petsc_heart_begin();
        CAFE_PASS(
            petsc_mpi(context, state, MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level)));
        on_exit(end_all, NULL);
    }
    PetscOptionsSetValue(NULL, "-no_signal_handler", "true"); /* signals are the caller's */
    CAFE_PASS(petsc_check(context, state, PetscInitializeNoArguments()));
    CAFE_PASS(petsc_check(context, state, PetscPushErrorHandler(PetscReturnErrorHandler, NULL)));
    if (!begun) petsc_heart_meet();
    return CAFE_OK;
}

static cafe_status open_engine(cafe_context *context, const cafe_engine_host *host, void **state) {
    petsc_state *s = host->allocate(context, 1, sizeof *s);
    cafe_status status = CAFE_OK;
    int rank, ranks;
    *state = NULL;
    if (!s) return CAFE_ERROR_MEMORY;
    *s = (petsc_state){.host = host};
    CAFE_TRY(begin_all(context, s));
    CAFE_TRY(petsc_mpi(context, s, MPI_Comm_dup(MPI_COMM_WORLD, &s->comm)));
    CAFE_TRY(petsc_mpi(context, s, MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN)));
    CAFE_TRY(petsc_mpi(context, s, MPI_Comm_rank(s->comm, &rank)));
    CAFE_TRY(petsc_mpi(context, s, MPI_Comm_size(s->comm, &ranks)));
    s->rank = rank, s->ranks = ranks;
    CAFE_TRY(petsc_listen(context, s));
    *state = s;
    return CAFE_OK;
done:
    host->release(context, s);
    return status;
}

static void close_engine(cafe_context *context, void *state) {
    petsc_state *s = state;
    int ended = 0;
    MPI_Finalized(&ended);
    petsc_forget(context, s);
    if (!ended) petsc_hush(s);
    if (!ended) MPI_Comm_free(&s->comm);
    s->host->release(context, s);
}

static const cafe_engine_ops operations = {
    .make = petsc_make,
    .drop = petsc_drop,
    .copy_in = petsc_copy_in,
    .copy_out = petsc_copy_out,
    .copy = petsc_copy,
    .select = petsc_select,
    .start = petsc_start,
    .attach = petsc_attach,
    .detach = petsc_detach,
    .product = petsc_product,
    .project = petsc_project,
    .sweep_open = petsc_sweep_open,
    .sweep_run = petsc_sweep_run,
    .sweep_sums = petsc_sweep_sums,
    .sweep_chunks = petsc_sweep_chunks,
    .sweep_close = petsc_sweep_close,
    .gram = petsc_gram,
    .transform = petsc_transform,
    .scale = petsc_scale,
    .norms = petsc_norms,
    .totals = petsc_totals,
    .sums = petsc_sums,
    .team = petsc_team,
    .mine = petsc_mine,
    .rows = petsc_rows,
    .eight = petsc_eight,
    .add = petsc_add,
    .agree = petsc_agree,
    .write = petsc_write,
    .exchange = petsc_exchange,
    .reach = petsc_reach,
    .abandoned = petsc_abandoned,
    .abandon = petsc_abandon,
    .divide = petsc_divide,
    .traffic = petsc_traffic,
};

#define QUOTED(x) #x
#define TEXT(x)   QUOTED(x)

const cafe_engine_library cafe_engine_entry = {
    .interface = CAFE_ENGINE_INTERFACE,
    .table_size = sizeof(cafe_engine_ops),
    .name = "petsc",
    .summary = "several processes by MPI, with PETSc " TEXT(PETSC_VERSION_MAJOR) "." TEXT(
        PETSC_VERSION_MINOR),
    .version = "1",
    .ops = &operations,
    .open = open_engine,
    .close = close_engine, /* no `about`: MPI is started for runs only */
};
