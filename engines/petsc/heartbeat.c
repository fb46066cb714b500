/* Detects lost processes. A thread of each process sends an empty message to the next process every
 * second, and expects one from the process before, whatever the processes compute or wait for. If
 * none came for a minute, the process before is stopped or unreachable. MPI calls that wait for it
 * would not return, so this thread reports it and ends all processes.
 *
 * The thread counts its own seconds, so processes that were all suspended and continue miss
 * nothing. MPI must allow calls from several threads at once; otherwise there is no such thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "petsc.h"

enum { SILENCE = 60, MEETING = 600, LAST = 10 }; /* seconds */

/* MPI is begun once a process, and so is this. */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ending;
    bool runs, ends;
    atomic_bool met; /* all processes have begun MPI */
    MPI_Comm comm;
    int rank, ranks;
    PetscInt silence;
    MPI_Request sent, heard;
} heart = {.lock = PTHREAD_MUTEX_INITIALIZER, .ending = PTHREAD_COND_INITIALIZER};

/* ---- the end of all -------------------------------------------------------------------------- */

static void *leave(void *unused) {
    sleep(LAST);
    _exit(1);
    return unused;
}

/* Also ends the process if MPI cannot end the others any more. */
static void end_silence(void) {
    pthread_t last;
    PetscFPrintf(PETSC_COMM_SELF, stderr,
                 "cafe: rank %d has not been heard of for %d seconds: it is stopped, or its "
                 "connection is lost; all end\n",
                 (heart.rank + heart.ranks - 1) % heart.ranks, (int)heart.silence);
    if (pthread_create(&last, NULL, leave, NULL) != 0) _exit(1);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* Before MPI has begun, no other process can be ended. */
static void end_meeting(void) {
    static const char text[] = "cafe: not all processes have come in time: this one ends\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(1);
}

/* ---- every second ---------------------------------------------------------------------------- */

/* false: the heart is to stop. */
static bool wait_second(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_mutex_lock(&heart.lock);
    if (!heart.ends) pthread_cond_clockwait(&heart.ending, &heart.lock, CLOCK_MONOTONIC, &until);
    bool goes_on = !heart.ends;
    pthread_mutex_unlock(&heart.lock);
    return goes_on;
}

static void listen_again(void) {
    int before = (heart.rank + heart.ranks - 1) % heart.ranks;
    MPI_Irecv(NULL, 0, MPI_BYTE, before, 0, heart.comm, &heart.heard);
}

/* Did the process before say something since? */
static bool has_spoken(void) {
    bool spoken = false;
    int done = 1;
    while (MPI_Test(&heart.heard, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
        spoken = true;
        listen_again();
    }
    return spoken;
}

static void speak(void) {
    int done = 0;
    if (MPI_Test(&heart.sent, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done)
        MPI_Isend(NULL, 0, MPI_BYTE, (heart.rank + 1) % heart.ranks, 0, heart.comm, &heart.sent);
}

static void *beat(void *unused) {
    for (int64_t waited = 0; wait_second();) {
        bool met = atomic_load(&heart.met);
        waited = met && has_spoken() ? 0 : waited + 1;
        if (met) speak();
        if (met && waited > heart.silence) end_silence();
        if (!met && waited > MEETING) end_meeting();
    }
    return unused;
}

/* ---- begun and ended ------------------------------------------------------------------------- */

/* Signals are for the program's own threads. */
void petsc_heart_begin(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    heart.runs = pthread_create(&heart.thread, NULL, beat, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void petsc_heart_meet(void) {
    int level = MPI_THREAD_SINGLE;
    PetscBool set;
    MPI_Query_thread(&level);
    MPI_Comm_rank(MPI_COMM_WORLD, &heart.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &heart.ranks);
    heart.silence = SILENCE;
    PetscOptionsGetInt(NULL, NULL, "-cafe_silence", &heart.silence, &set);
    if (!heart.runs) return;
    if (level < MPI_THREAD_MULTIPLE || heart.ranks == 1) {
        petsc_heart_end();
        return;
    }
    if (MPI_Comm_dup(MPI_COMM_WORLD, &heart.comm) != MPI_SUCCESS) return;
    MPI_Comm_set_errhandler(heart.comm, MPI_ERRORS_RETURN);
    heart.sent = MPI_REQUEST_NULL;
    listen_again();
    atomic_store(&heart.met, true);
}

/* All have to come to their end before one stops to speak. */
static void wait_for_all(void) {
    static const struct timespec moment = {.tv_nsec = 5000000};
    MPI_Request all;
    int done = 0, code = MPI_Ibarrier(heart.comm, &all);
    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(&all, &done, MPI_STATUS_IGNORE);
        if (!done) nanosleep(&moment, NULL);
    }
}

void petsc_heart_end(void) {
    if (!heart.runs) return;
    bool met = atomic_load(&heart.met);
    if (met) wait_for_all();
    pthread_mutex_lock(&heart.lock);
    heart.ends = true;
    pthread_cond_signal(&heart.ending);
    pthread_mutex_unlock(&heart.lock);
    pthread_join(heart.thread, NULL);
    heart.runs = false;
    if (!met) return;
    MPI_Cancel(&heart.heard);
    MPI_Request_free(&heart.heard);
    if (heart.sent != MPI_REQUEST_NULL) MPI_Request_free(&heart.sent);
}
