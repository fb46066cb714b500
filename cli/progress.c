/* The progress bar: a thread that polls the context ten times a second and draws one line.
 *
 *     sweep      12/30  [############------------------]  0.95123  4.1 s
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

enum { WIDTH = 30, INTERVAL_MS = 100, LONGEST_LINE = 160 };

struct cli_progress_bar {
    cafe_context *context;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what is on the terminal, and the two flags */
    pthread_cond_t wake;
    bool stop;
    int hidden;
    double began;
};

static void clear_line(void) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static int put_bar(char *text, size_t capacity, const cafe_progress *p) {
    char bar[WIDTH + 1];
    int64_t step = p->step < p->steps ? p->step : p->steps;
    int filled = (int)((double)step / (double)p->steps * WIDTH);
    memset(bar, '-', WIDTH);
    memset(bar, '#', (size_t)(filled > 0 ? filled : 0));
    bar[WIDTH] = 0;
    return snprintf(text, capacity, "%6" PRId64 "/%-6" PRId64 " [%s]  ", step, p->steps, bar);
}

static void draw(const cli_progress_bar *bar) {
    cafe_progress p;
    char line[LONGEST_LINE];
    cafe_get_progress(bar->context, &p);
    if (!p.phase || !p.phase[0]) return;
    int at = snprintf(line, sizeof line, "%-10.20s", p.phase);
    if (p.steps > 0) at += put_bar(line + at, sizeof line - (size_t)at, &p);
    if (p.value != 0) at += snprintf(line + at, sizeof line - (size_t)at, "%-9.6g ", p.value);
    snprintf(line + at, sizeof line - (size_t)at, "%.1f s", cli_seconds() - bar->began);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

static void wait_a_moment(cli_progress_bar *bar) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += INTERVAL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&bar->wake, &bar->mutex, &until);
}

static void *poll_progress(void *argument) {
    cli_progress_bar *bar = argument;
    pthread_mutex_lock(&bar->mutex);
    while (!bar->stop) {
        wait_a_moment(bar);
        if (!bar->stop && !bar->hidden) draw(bar);
    }
    pthread_mutex_unlock(&bar->mutex);
    return NULL;
}

static bool can_draw(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static void init_locks(cli_progress_bar *bar) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&bar->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&bar->mutex, NULL);
}

static void destroy(cli_progress_bar *bar) {
    pthread_cond_destroy(&bar->wake);
    pthread_mutex_destroy(&bar->mutex);
    free(bar);
}

cli_progress_bar *cli_progress_start(cafe_context *context) {
    cli_progress_bar *bar = can_draw() ? calloc(1, sizeof *bar) : NULL;
    if (!bar) return NULL;
    bar->context = context;
    bar->began = cli_seconds();
    init_locks(bar);
    if (pthread_create(&bar->thread, NULL, poll_progress, bar) == 0) return bar;
    destroy(bar);
    return NULL; /* a run without a bar is still a run */
}

void cli_progress_stop(cli_progress_bar *bar) {
    if (!bar) return;
    pthread_mutex_lock(&bar->mutex);
    bar->stop = true;
    pthread_cond_signal(&bar->wake);
    pthread_mutex_unlock(&bar->mutex);
    pthread_join(bar->thread, NULL);
    clear_line();
    destroy(bar);
}

void cli_progress_hide(cli_progress_bar *bar) {
    if (!bar) return;
    pthread_mutex_lock(&bar->mutex);
    bar->hidden++;
    clear_line();
    pthread_mutex_unlock(&bar->mutex);
}

void cli_progress_show(cli_progress_bar *bar) {
    if (!bar) return;
    pthread_mutex_lock(&bar->mutex);
    bar->hidden--;
    pthread_mutex_unlock(&bar->mutex);
}
