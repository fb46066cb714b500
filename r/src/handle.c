/* Handles, errors and interrupts. */
#include "handle.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void release(SEXP pointer) {
    handle *h = R_ExternalPtrAddr(pointer);
    if (!h) return;
    cafe_overview_free(h->overview);
    cafe_labels_free(h->labels);
    cafe_explanation_free(h->explanation);
    cafe_prediction_free(h->prediction);
    if (h->context) cafe_targets_free(h->context, &h->targets);
    cafe_run_free(h->run);
    cafe_graph_free(h->graph);
    cafe_context_free(h->context);
    R_Free(h);
    R_ClearExternalPtr(pointer);
}

SEXP cafe_r_new(double seed, int threads, SEXP keep, handle **result) {
    cafe_context_options options;
    handle *h = R_Calloc(1, handle);
    SEXP pointer = PROTECT(R_MakeExternalPtr(h, R_NilValue, keep));
    R_RegisterCFinalizerEx(pointer, release, TRUE);
    cafe_context_options_init(&options);
    options.seed = (uint64_t)seed;
    options.threads = threads;
    if (cafe_context_create(&options, &h->context) != CAFE_OK) Rf_error("out of memory");
    cafe_lab_add(h->context);
    *result = h;
    UNPROTECT(1);
    return pointer;
}

handle *cafe_r_graph(SEXP pointer) {
    handle *h = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (!h || !h->graph)
        Rf_error("this graph is of another R session: make it again with cafe_graph()");
    return h;
}

handle *cafe_r_run_of(SEXP pointer) {
    handle *h = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (!h || !h->run) Rf_error("these vectors are of another R session: make them again");
    return h;
}

void cafe_r_check(const handle *h, cafe_status status) {
    if (status == CAFE_OK) return;
    const char *text = cafe_error(h->context);
    Rf_error("%s", text[0] ? text : cafe_status_message(status));
}

/* ---- a call in a thread ---------------------------------------------------------------------- */

typedef struct job {
    cafe_status (*work)(void *);
    void *argument;
    cafe_status status;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
} job;

static void *run_job(void *argument) {
    job *j = argument;
    cafe_status status = j->work(j->argument);
    pthread_mutex_lock(&j->lock);
    j->status = status;
    j->done = 1;
    pthread_cond_signal(&j->changed);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static void look(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

/* Waits for a twentieth of a second; returns 1 if the job is done. */
static int wait_a_moment(job *j) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&j->lock);
    if (!j->done) pthread_cond_timedwait(&j->changed, &j->lock, &until);
    int done = j->done;
    pthread_mutex_unlock(&j->lock);
    return done;
}

int cafe_r_call(handle *h, cafe_status (*work)(void *), void *argument) {
    job j = {work, argument, CAFE_OK, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t thread;
    int interrupted = 0;
    if (pthread_create(&thread, NULL, run_job, &j) != 0) Rf_error("a thread could not begin");
    while (!wait_a_moment(&j)) {
        if (interrupted || R_ToplevelExec(look, NULL)) continue;
        interrupted = 1;
        cafe_cancel(h->context);
    }
    pthread_join(thread, NULL);
    cafe_reset_cancel(h->context);
    if (!interrupted) cafe_r_check(h, j.status);
    return interrupted;
}
