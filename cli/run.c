/* A command at work: context, messages, signals.
 *
 * The first SIGINT, SIGTERM, SIGHUP or SIGXFSZ cancels the context: the call in flight returns
 * within a second and removes what it had begun to write. One that does not, because another
 * library computes (XGBoost), is not waited for: the process ends, and no output
 * suffers, since files get their names together at the end. The second signal has its default
 * effect: the process ends at once. In both cases a temporary file (never the output itself) can be
 * left behind, until the next run in that folder.
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/output.h>
#include <cafe-private/team.h>

#include "command.h"
#include "os/os.h"
#include "output.h"
#include "team.h"
#include "tell.h"

/* A signal handler can only reach what is static. */
static _Atomic(cafe_context *) cancelled_context;
static volatile sig_atomic_t caught_signal;

/* Those that mpirun started are killed a second after they were asked to end. */
enum { PATIENCE = 900000, LITTLE_PATIENCE = 200000 }; /* microseconds */

/* Of several processes the first one says it, unless another has said more. */
static bool is_silent(bool look) {
    const cafe_context *context = atomic_load(&cancelled_context);
    return !cli_team_speaks() || (context && cafe_engine_abandoned(context, look));
}

static void on_signal(int number) {
    int saved = errno;
    if (caught_signal != 0 && number != SIGXFSZ) { /* which comes with every write */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    caught_signal = number;
    cafe_context *context = atomic_load(&cancelled_context);
    if (context) {
        cafe_cancel(context);
        if (!cli_team_several())
            cafe_os_alarm(PATIENCE);
        else if (number != SIGXFSZ) /* the write returns, and all of them have to hear of it */
            cafe_os_alarm(LITTLE_PATIENCE);
    }
    errno = saved;
}

/* The end of our patience, or an alarm from elsewhere. */
static void on_alarm(int number) {
    if (caught_signal == 0) {
        on_signal(number);
        return;
    }
    if (!is_silent(false)) cli_log_write_prepared(); /* the call does not return */
    _exit(CLI_INTERRUPTED + caught_signal);
}

/* Without SA_RESTART: a read that waits for standard input is woken. An ignored SIGINT (a job in
 * the background of a script) or SIGHUP (nohup) stays ignored. */
static void catch_signals(const char *command, cafe_context *context) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
    struct sigaction action = {.sa_handler = on_signal}, before;
    struct sigaction alarm = {.sa_handler = on_alarm};
    cli_log_prepare(command, "interrupted");
    sigemptyset(&action.sa_mask);
    sigemptyset(&alarm.sa_mask);
    sigaction(SIGALRM, &alarm, NULL);
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
    return cafe_os_seconds();
}

/* ---- messages -------------------------------------------------------------------------------- */

static void print_line(const cli_run *run, cli_level level, int code, const char *format,
                       va_list arguments) {
    cli_progress_hide(run->bar);
    cli_vtell(level, run->command, code, format, arguments);
    cli_progress_show(run->bar);
}

void cli_say(const cli_run *run, const char *format, ...) {
    va_list arguments;
    if (run->common.quiet || !cli_team_speaks()) return;
    va_start(arguments, format);
    print_line(run, CLI_INFO, 0, format, arguments);
    va_end(arguments);
}

void cli_warn(const cli_run *run, const char *format, ...) {
    va_list arguments;
    if (run->common.quiet || !cli_team_speaks()) return;
    va_start(arguments, format);
    print_line(run, CLI_WARNING, 0, format, arguments);
    va_end(arguments);
}

int cli_error(const cli_run *run, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(run, CLI_ERROR, code, format, arguments);
    va_end(arguments);
    return code;
}

/* Nobody reads any more ("cafe ... | head"): no reason for a message. */
static bool is_broken_pipe(const cli_run *run) {
    return run->context && cafe_error_number(run->context) == EPIPE;
}

int cli_check(const cli_run *run, cafe_status status) {
    const char *text = run->context ? cafe_error(run->context) : "";
    if (status == CAFE_OK) return CLI_OK;
    if (caught_signal != 0 && caught_signal != SIGXFSZ && is_silent(true))
        return CLI_INTERRUPTED + caught_signal;
    if (caught_signal == SIGXFSZ)
        return cli_error(run, CLI_INTERRUPTED + SIGXFSZ,
                         "interrupted: a file would exceed the limit (ulimit -f)");
    if (caught_signal != 0) return cli_error(run, CLI_INTERRUPTED + caught_signal, "interrupted");
    if (status == CAFE_ERROR_IO && is_broken_pipe(run)) return CLI_FAILED;
    return cli_error(run, cli_exit_of(status, run->context ? cafe_error_number(run->context) : 0),
                     "%s", text[0] ? text : cafe_status_message(status));
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

struct cli_memory {
    block *blocks;
    char *text;
    size_t room;
    bool lost;
};

void *cli_new(cli_run *run, int64_t count, size_t size) {
    size_t most = (SIZE_MAX - sizeof(block)) / (size + 1);
    block *new = (uint64_t)count < most ? calloc(1, sizeof *new + (size_t)count *size + 1) : NULL;
    if (!new) {
        cli_error(run, CLI_RESOURCES, "out of memory");
        return NULL;
    }
    new->next = run->memory->blocks;
    run->memory->blocks = new;
    return new->data;
}

char *cli_text_room(const cli_run *run, size_t length) {
    static char none[1];
    struct cli_memory *memory = run->memory;
    if (length < memory->room) return memory->text;
    char *more = realloc(memory->text, length + 64);
    memory->lost |= !more;
    if (!more) return none;
    memory->text = more;
    memory->room = length + 64;
    return more;
}

bool cli_text_lost(const cli_run *run) {
    return run->memory && run->memory->lost;
}

const char *cli_name(const cli_run *run, const cafe_graph *graph, int64_t node) {
    size_t length = cafe_graph_name(graph, node, &(char){0}, 1);
    char *text = cli_text_room(run, length);
    if (!cli_text_lost(run)) cafe_graph_name(graph, node, text, length + 1);
    return text;
}

static void free_memory(cli_run *run) {
    struct cli_memory *memory = run->memory;
    if (!memory) return;
    for (block *at = memory->blocks, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free(memory->text);
    free(memory);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Makes the context, lets Ctrl-C cancel it and starts the progress bar (when standard error is a
 * terminal). */
static int begin(const cli_command *command, cli_run *run) {
    cafe_context_options options;
    run->began = cli_seconds();
    cafe_context_options_init(&options);
    options.threads = run->common.threads;
    options.seed = run->common.seed;
    options.no_headings = run->common.no_heading;
    run->memory = calloc(1, sizeof *run->memory);
    cafe_status status =
        run->memory ? cafe_context_create(&options, &run->context) : CAFE_ERROR_MEMORY;
    if (status != CAFE_OK) return cli_check(run, status);
    cafe_lab_add(run->context);
    cli_log_of(run->arguments, run->context);
    CLI_TRY(cli_check(run, cafe_engine_open(run->context, run->common.engine)));
    CLI_TRY(cli_team_join(run, command));
    catch_signals(run->command, run->context);
    if (!command->one_by_one) {
        CLI_TRY(cli_check(run, cafe_outputs_begin(run->context)));
        run->grouped = true;
    }
    CLI_TRY(cli_try_outputs(run));
    if (!run->common.quiet && cli_team_speaks()) run->bar = cli_progress_start(run);
    return CLI_OK;
}

static int output_problem;   /* errno of the first write to standard output that failed */
static bool output_finished; /* before the files get their names: nothing is to fail behind that */

void cli_flush_output(void) {
    errno = 0;
    if (fflush(stdout) != 0 && output_problem == 0) output_problem = errno;
}

void cli_open_streams(void) {
    output_problem = 0;
    output_finished = false;
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR);
}

/* "cafe ... | head": no reason for a message. */
static bool has_no_reader(void) {
    int problem = errno;
    bool gone = problem == EPIPE || cafe_os_has_no_reader(STDOUT_FILENO);
    errno = problem;
    return gone;
}

/* Some file systems tell only when a file is closed; the stream itself stays open for whoever calls
 * main() again. */
static int finish_output(const char *command) {
    errno = 0;
    output_finished = true;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    int copy = failed ? -1 : dup(STDOUT_FILENO);
    if (copy >= 0) failed = close(copy) != 0;
    if (!failed) return CLI_OK;
    if (errno == 0) errno = output_problem;
    const char *why = errno ? strerror(errno) : "cannot be written";
    int code = cli_exit_of(CAFE_ERROR_IO, errno);
    if (!has_no_reader()) cli_tell(CLI_ERROR, command, code, "standard output: %s", why);
    return code;
}

int cli_close_streams(int code) {
    return code == CLI_OK && !output_finished ? finish_output(NULL) : code;
}

/* All files get their names, or none: when the run, or standard output, failed. */
static int name_files(cli_run *run, int code) {
    if (!run->grouped) return code;
    bool keep = code == CLI_OK || run->kept;
    cafe_status status = cafe_outputs_end(run->context, keep ? CAFE_OK : CAFE_ERROR_CANCELLED);
    if (!keep) return code;
    int named = cli_check(run, status);
    return code == CLI_OK ? named : code;
}

bool cli_next_table(const char **lines, cli_table *table) {
    size_t length = strcspn(*lines, "\n");
    if (length == 0 || length >= sizeof table->text) return false;
    memcpy(table->text, *lines, length);
    table->text[length] = 0;
    size_t file = strcspn(table->text, "\t");
    table->file = table->text;
    table->reading = table->text + file + (table->text[file] == '\t');
    table->text[file] = 0;
    *lines += length + 1;
    return true;
}

void cli_told_table(cli_run *run, const char *path) {
    size_t most = sizeof run->told / sizeof *run->told, i = 0;
    while (i < most && run->told[i]) i++;
    /* a copy: cafe reproduce has a path for each of its sets */
    char *own = i < most ? cli_new(run, (int64_t)strlen(path) + 1, 1) : NULL;
    if (own) run->told[i] = strcpy(own, path);
}

static bool was_told(const cli_run *run, const char *path) {
    for (size_t i = 0; i < sizeof run->told / sizeof *run->told; i++)
        if (run->told[i] && strcmp(run->told[i], path) == 0) return true;
    return false;
}

/* How tables were read, on -v, and by the commands that do not have it. */
static void say_tables(const cli_run *run) {
    const char *lines = cafe_tables_read(run->context);
    cli_table table;
    if (!run->common.verbose && cli_find_entry(&run->arguments->entries, "verbose", 7)) return;
    while (cli_next_table(&lines, &table))
        if (!was_told(run, table.file)) cli_say(run, "read as   %s: %s", table.file, table.reading);
}

/* `code`, or another one when an output could not be written. */
static int end(cli_run *run, int code) {
    cli_progress_stop(run->bar);
    run->bar = NULL;
    if (code == CLI_OK) code = finish_output(run->command);
    if (code == CLI_OK && run->context) code = cli_team_wait(run);
    if (run->context) code = name_files(run, code);
    if (code == CLI_OK && run->context) code = cli_team_wait(run);
    cafe_os_alarm(0);
    if (code != CLI_OK) cli_team_fail(run, code);
    if (code == CLI_OK) say_tables(run);
    if (code == CLI_OK) cli_say_written(run);
    atomic_store(&cancelled_context, NULL);
    cli_log_of(run->arguments, NULL);
    cafe_graph_free(run->graph);
    cafe_context_free(run->context);
    run->context = NULL;
    free_memory(run);
    return code;
}

/* ---- the frame of every command -------------------------------------------------------------- */

/* Does the command read a graph as a sum of operators: signs, kinds of edges, slices? */
static bool takes_sums(const cli_command *command) {
    return strcmp(command->name, "embed") == 0 || strcmp(command->name, "cluster") == 0 ||
           strcmp(command->name, "explain") == 0;
}

/* The command line, taken apart and checked. */
static int parse(const cli_command *command, int argc, char **argv, cli_run *run,
                 cli_arguments *arguments) {
    CLI_TRY(cli_parse(command, argc, argv, run, arguments));
    run->command = command->name;
    run->arguments = arguments;
    run->words = arguments->words;
    cli_log_as((cli_log_form)run->common.log);
    cli_log_of(arguments, NULL);
    if (arguments->further > 0) {
        run->common.reading.more = run->words + command->most;
        run->common.reading.more_count = arguments->further;
        if (command->inputs > 1)
            CLI_TRY(cli_check_ending(command->name, run->words[1], CLI_VECTORS " -"));
    }
    if (run->common.reading.with_signs && !takes_sums(command))
        return cli_usage_error(command->name, "--signed goes with embed, cluster and explain");
    const cafe_graph_options *reading = &run->common.reading;
    if ((reading->layer || reading->layer_weight || reading->time) && !takes_sums(command))
        return cli_usage_error(command->name,
                               "--layer, --layer-weight and --time go with embed, "
                               "cluster and explain");
    return run->common.help ? CLI_OK : cli_check_files(run, command);
}

int cli_run_command(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    cli_run *run = calloc(1, command->size);
    if (!run) {
        cli_tell(CLI_ERROR, NULL, CLI_RESOURCES, "out of memory");
        return CLI_RESOURCES;
    }
    int code = parse(command, argc, argv, run, &arguments);
    if (code == CLI_OK && run->common.help) {
        cli_print_help(command, run->common.help == CLI_BRIEF);
    } else if (code == CLI_OK) {
        code = begin(command, run);
        bool begun = code == CLI_OK;
        if (begun) code = command->work(run);
        if (code == CLI_OK && run->graph)
            code = cli_check(run, cafe_graph_unchanged(run->context, run->graph));
        if (begun && command->release) command->release(run);
        code = end(run, code);
    }
    cli_log_of(NULL, NULL);
    cli_arguments_free(&arguments);
    free(run);
    return code;
}
