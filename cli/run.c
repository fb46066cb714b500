/* A command at work: context, messages, signals.
 *
 * The first SIGINT or SIGTERM cancels the context: the call in flight returns within a second and
 * removes what it had begun to write. The second one has its default effect: the process ends at
 * once, and a temporary file (never the output itself) can be left behind.
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* A signal handler can only reach what is static. */
static _Atomic(cafe_context *) cancelled_context;
static volatile sig_atomic_t caught_signal;

static void on_signal(int number) {
    int saved = errno;
    if (caught_signal != 0) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    caught_signal = number;
    cafe_context *context = atomic_load(&cancelled_context);
    if (context) cafe_cancel(context);
    errno = saved;
}

/* Without SA_RESTART: a read that waits for standard input is woken. An ignored SIGINT (a job in
 * the background of a script) stays ignored. */
static void catch_signals(cafe_context *context) {
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigemptyset(&action.sa_mask);
    atomic_store(&cancelled_context, context);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

int cli_signal(void) {
    return caught_signal;
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void print_line(cli_run *run, const char *before, const char *format, va_list arguments) {
    cli_progress_hide(run->bar);
    fputs(before, stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    cli_progress_show(run->bar);
}

void cli_say(cli_run *run, const char *format, ...) {
    va_list arguments;
    if (run->common->quiet) return;
    va_start(arguments, format);
    print_line(run, "", format, arguments);
    va_end(arguments);
}

void cli_warn(cli_run *run, const char *format, ...) {
    va_list arguments;
    if (run->common->quiet) return;
    va_start(arguments, format);
    print_line(run, "warning: ", format, arguments);
    va_end(arguments);
}

int cli_error(cli_run *run, int code, const char *format, ...) {
    va_list arguments;
    char before[64];
    snprintf(before, sizeof before, "cafe %s: ", run->command);
    va_start(arguments, format);
    print_line(run, before, format, arguments);
    va_end(arguments);
    return code;
}

/* Nobody reads any more ("cafe ... | head"): no reason for a message. */
static bool is_broken_pipe(const char *text) {
    return strstr(text, strerror(EPIPE)) != NULL;
}

int cli_check(cli_run *run, cafe_status status) {
    const char *text = run->context ? cafe_error(run->context) : "";
    if (status == CAFE_OK) return CLI_OK;
    if (caught_signal != 0) return cli_error(run, 128 + caught_signal, "interrupted");
    if (status == CAFE_ERROR_IO && is_broken_pipe(text)) return CLI_FAILED;
    return cli_error(run, status == CAFE_ERROR_FORMAT ? CLI_INPUT : CLI_FAILED, "%s",
                     text[0] ? text : cafe_status_message(status));
}

/* ---- beginning and end ----------------------------------------------------------------------- */

int cli_begin(cli_run *run, const char *command, const cli_common *common) {
    cafe_context_options options;
    *run = (cli_run){.command = command, .common = common, .began = cli_seconds()};
    cafe_context_options_init(&options);
    options.threads = common->threads;
    options.seed = common->seed;
    cafe_status status = cafe_context_create(&options, &run->context);
    if (status != CAFE_OK) return cli_check(run, status);
    catch_signals(run->context);
    if (!common->quiet) run->bar = cli_progress_start(run->context);
    return CLI_OK;
}

static int finish_output(cli_run *run, int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno != EPIPE && errno != 0)
        return cli_error(run, CLI_FAILED, "standard output: %s", strerror(errno));
    return CLI_FAILED;
}

int cli_end(cli_run *run, int code) {
    cli_progress_stop(run->bar);
    run->bar = NULL;
    atomic_store(&cancelled_context, NULL);
    code = code == CLI_OK ? finish_output(run, code) : code;
    cafe_context_free(run->context);
    run->context = NULL;
    return code;
}
