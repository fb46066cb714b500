/* The progress bar: a thread that polls the context ten times a second and draws one line, which
 * never fills the terminal's width, so that it does not wrap.
 *
 *     sweep 12/30   40 % [############------------------] 0.95123  4.1 s, 6 s left
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "run.h"

enum { WIDEST = 30, NARROWEST = 5, INTERVAL_MS = 100, LONGEST_LINE = 256, LOG_SECONDS = 10 };

struct cli_progress_bar {
    const cafe_context *context;
    const char *command;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what is on the terminal, and the two flags */
    pthread_cond_t wake;
    bool stop;
    int hidden;
    double began;
    /* of the phase that is shown: */
    char phase[32];
    int64_t step; /* the last one seen */
    double phase_began;
    double logged; /* when; with --log json */
};

static void clear_line(void) {
    if (cli_log_is_json()) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static int terminal_width(void) {
    int32_t columns = cafe_os_terminal_columns(STDERR_FILENO);
    return columns > 0 ? columns : 80;
}

/* A phase begins where its name changes, or where its steps are counted from the first again. */
static void note_phase(cli_progress_bar *bar, const cafe_progress *p) {
    if (strncmp(bar->phase, p->phase, sizeof bar->phase - 1) != 0 || p->step < bar->step) {
        snprintf(bar->phase, sizeof bar->phase, "%s", p->phase);
        bar->phase_began = cli_seconds();
    }
    bar->step = p->step;
}

/* ", 6 s left": as long for a step to come as for one that is done. "" before the first is. */
static void put_left(const cli_progress_bar *bar, int64_t step, int64_t steps, char text[32]) {
    double spent = cli_seconds() - bar->phase_began;
    double left = step > 0 ? spent / (double)step * (double)(steps - step) : 0;
    text[0] = 0;
    if (left < 1) return;
    if (left < 100)
        snprintf(text, 32, ", %.0f s left", left);
    else
        snprintf(text, 32, ", %.0f min left", left / 60);
}

static void draw_bar(char *text, int width, double share) {
    int filled = (int)(share * width);
    text[0] = '[';
    memset(text + 1, '-', (size_t)width);
    memset(text + 1, '#', (size_t)filled);
    strcpy(text + 1 + width, "] ");
}

/* The parts of the line but the bar, and the bar in the room that they leave. */
static void draw_line(const cli_progress_bar *bar, const cafe_progress *p, char *line) {
    char before[64], after[96], value[32] = "", left[32] = "", drawn[WIDEST + 4] = "";
    int64_t step = p->step < p->steps ? p->step : p->steps;
    double share = p->steps > 0 && step > 0 ? (double)step / (double)p->steps : 0;
    int at = snprintf(before, sizeof before, "%.20s ", p->phase);
    if (p->steps > 0) {
        snprintf(before + at, sizeof before - (size_t)at, "%" PRId64 "/%" PRId64 " %3.0f %% ", step,
                 p->steps, 100 * share);
        put_left(bar, step, p->steps, left);
    }
    if (p->value != 0) snprintf(value, sizeof value, "%.6g  ", p->value);
    snprintf(after, sizeof after, "%s%.1f s%s", value, cli_seconds() - bar->began, left);
    int room = terminal_width() - 1, rest = room - (int)(strlen(before) + strlen(after)) - 3;
    if (p->steps > 0 && rest >= NARROWEST) draw_bar(drawn, rest < WIDEST ? rest : WIDEST, share);
    snprintf(line, LONGEST_LINE, "%s%s%s", before, drawn, after);
    if (room < LONGEST_LINE) line[room > 0 ? room : 0] = 0;
}

/* A line when a phase begins, and once in a while in a long one. */
static void log_phase(cli_progress_bar *bar, const cafe_progress *p) {
    bool begins = bar->logged < bar->phase_began;
    if (!begins && cli_seconds() - bar->logged < LOG_SECONDS) return;
    bar->logged = cli_seconds();
    cli_log_progress(bar->command, p);
}

static void draw(cli_progress_bar *bar) {
    cafe_progress p;
    char line[LONGEST_LINE];
    cafe_get_progress(bar->context, &p);
    if (!p.phase || !p.phase[0]) return;
    note_phase(bar, &p);
    if (cli_log_is_json()) {
        log_phase(bar, &p);
        return;
    }
    draw_line(bar, &p, line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

static void *poll_progress(void *argument) {
    cli_progress_bar *bar = argument;
    pthread_mutex_lock(&bar->mutex);
    while (!bar->stop) {
        cafe_os_wait(&bar->wake, &bar->mutex, INTERVAL_MS * 1000000LL);
        if (!bar->stop && !bar->hidden) draw(bar);
    }
    pthread_mutex_unlock(&bar->mutex);
    return NULL;
}

static bool is_shown(void) {
    const char *terminal = getenv("TERM");
    if (cli_log_is_json()) return true;
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static void init_locks(cli_progress_bar *bar) {
    cafe_os_condition(&bar->wake);
    pthread_mutex_init(&bar->mutex, NULL);
}

static void destroy(cli_progress_bar *bar) {
    pthread_cond_destroy(&bar->wake);
    pthread_mutex_destroy(&bar->mutex);
    free(bar);
}

cli_progress_bar *cli_progress_start(const cli_run *run) {
    cli_progress_bar *bar = is_shown() ? calloc(1, sizeof *bar) : NULL;
    if (!bar) return NULL;
    bar->context = run->context;
    bar->command = run->command;
    bar->began = cli_seconds();
    init_locks(bar);
    if (cafe_os_thread(&bar->thread, poll_progress, bar)) return bar;
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
