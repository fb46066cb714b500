/* Several processes, one command. */
#define _GNU_SOURCE
#include "team.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/team.h>
#include <cafe-private/text.h>

#include "command.h"
#include "graph_text.h"
#include "os/os.h"
#include "output.h"

static int32_t own_rank, all_ranks = 1;
static char *kept_line;          /* the first one that was not said */
static int standard_output = -1; /* while nothing goes there */

/* ---- who this process is --------------------------------------------------------------------- */

/* The number in an environment variable; `none` without it. */
static int32_t number_in(const char *name, int32_t none) {
    const char *value = getenv(name);
    return value && *value ? (int32_t)atoi(value) : none;
}

/* Slurm's variables count only in a step that srun started. A shell of salloc and the script of
 * sbatch have the number of tasks of the job too, but are one process. */
static bool in_step(void) {
    return number_in("SLURM_STEP_NUM_TASKS", 1) > 1;
}

/* By the variables that Open MPI, MPICH and Intel's MPI, PMIx and Slurm set; 0 without them. */
static int32_t started_rank(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_in(names[i], -1) >= 0) return number_in(names[i], -1);
    return in_step() ? number_in("SLURM_PROCID", 0) : 0;
}

/* How many processes were started together, as far as the variables say; PMIx gives a number alone,
 * and from 1 on there are others. */
static int32_t started_ranks(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    int32_t ranks = started_rank() + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_in(names[i], 1) > ranks) ranks = number_in(names[i], 1);
    return ranks;
}

/* What is printed goes nowhere, or there again. */
static void hush(bool quiet) {
    fflush(stdout);
    if (quiet && standard_output < 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        standard_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
        if (nowhere >= 0) close(nowhere);
    } else if (!quiet && standard_output >= 0) {
        dup2(standard_output, STDOUT_FILENO);
        close(standard_output);
        standard_output = -1;
    }
}

static void become(int32_t rank, int32_t ranks) {
    own_rank = rank;
    all_ranks = ranks;
    hush(rank > 0);
}

void cli_team_guess(int argc, char **argv) {
    bool named = false;
    for (int i = 1; i < argc; i++) named |= strncmp(argv[i], "--engine", 8) == 0;
    int32_t rank = named ? started_rank() : 0;
    become(rank, rank + 1);
}

int32_t cli_team_rank(void) {
    return own_rank;
}

bool cli_team_speaks(void) {
    return own_rank == 0;
}

bool cli_team_several(void) {
    return all_ranks > 1;
}

static bool writes_file(const cli_run *run, const cli_command *command) {
    bool writes = command->most > command->inputs && command->inputs > 0;
    for (size_t i = 0; i < run->arguments->entries.count; i++) {
        const cli_option *own = run->arguments->entries.at[i].own;
        writes |= own && (own->kind == CLI_WRITES || own->kind == CLI_KEEPS);
    }
    return writes;
}

static void wait_turn(double seconds);

/* Processes that were started together and do not know one another would all do the whole work, and
 * write the same files. The first of them reports it. */
static int refuse_alone(const cli_run *run, const cli_command *command) {
    bool engine = false;
    if (started_ranks() == 1 || !writes_file(run, command)) return CLI_OK;
    for (size_t i = 0; i < run->arguments->entries.count; i++)
        engine |= strcmp(run->arguments->entries.at[i].name, "engine") == 0;
    if (started_rank() > 0) wait_turn(2);
    if (started_rank() > 0) return CLI_USAGE;
    return cli_usage_error(
        run->command, "this is one of %" PRId32 " processes that mpirun or srun started, and %s",
        started_ranks(),
        engine ? "each would do the whole work: --engine petsc joins them"
               : "this command runs in one process: start it without them");
}

int cli_team_join(cli_run *run, const cli_command *command) {
    int32_t rank, ranks;
    CLI_TRY(cli_check(run, cafe_engine_team(run->context, &rank, &ranks)));
    become(rank, ranks);
    if (ranks == 1) CLI_TRY(refuse_alone(run, command));
    if (ranks == 1 && cli_given(run->arguments, "partition"))
        return cli_usage_error(run->command,
                               "--partition divides the nodes among several processes, and there "
                               "is one: mpirun starts them, --engine petsc joins them");
    if (ranks > 1 && cli_reads_standard(run, command->inputs) > 0)
        return cli_usage_error(run->command,
                               "standard input reaches one process only: give a file");
    return ranks > 1 ? cli_team_same(run, command) : CLI_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

void cli_team_keep(char *line) {
    if (kept_line)
        free(line);
    else
        kept_line = line;
}

/* So that the first process can speak before all end; a signal says that it has. */
static void wait_turn(double seconds) {
    seconds += 0.2 * own_rank;
    if (seconds > 10) seconds = 10;
    cafe_os_sleep((int64_t)(1e9 * seconds));
}

/* By a signal from outside; that of a file which grew too large is a failure like others. */
static bool is_stopped(void) {
    return cli_signal() != 0 && cli_signal() != SIGXFSZ;
}

static void say_kept(void) {
    if (kept_line) fprintf(stderr, "%s\n", kept_line);
    free(kept_line);
    kept_line = NULL;
}

int cli_team_end(int code) {
    if (code != CLI_OK && own_rank > 0) {
        wait_turn(2); /* mpirun takes its time with processes that have not met yet */
        say_kept();
    }
    return code;
}

/* A failure that all agreed on is the first process's to tell, and so is a signal. Another is
 * reported by whom it befell, once the first process is known to wait, and not to have seen the
 * same. */
static void take_turn(const cli_run *run, int code) {
    bool stopped = is_stopped(), agreed = cafe_engine_agreed(run->context);
    if (!stopped && !agreed) cafe_engine_reach(run->context, 10);
    wait_turn(agreed ? 10 : 0.5);
    if (is_stopped() && !stopped) _exit(code);
    if (!stopped && !agreed) say_kept();
}

void cli_team_fail(const cli_run *run, int code) {
    if (all_ranks <= 1 || !run->context) return;
    if (own_rank > 0) take_turn(run, code);
    fflush(stderr);
    cafe_engine_abandon(run->context, code);
}

int cli_team_wait(const cli_run *run) {
    return cli_check(run, cafe_engine_agree(run->context, CAFE_OK));
}

/* ---- the division ---------------------------------------------------------------------------- */

static const char *partition_name(const cli_run *run) {
    static const char *const names[] = {"contiguous", "scotch", "parmetis"};
    return names[run->common.partition];
}

void cli_team_say(const cli_run *run, const cafe_run_division *division) {
    char bytes[CAFE_BYTES_TEXT], rows[CLI_COUNT_TEXT];
    if (all_ranks == 1) return;
    if (division->whole) {
        cli_say(run, "processes %" PRId32 ": each has the whole graph, and %s", all_ranks,
                division->shared ? "they share the search for moves" : "does all of it");
        return;
    }
    bool swept = division->sweeps > 0;
    cli_say(run, "processes %" PRId32 ", %s: %.1f%% of the edges cut, %s ghost rows%s%s%s%s",
            all_ranks, partition_name(run), 100 * division->cut,
            cli_count_text(division->ghost_rows, rows), swept ? ", " : "",
            swept ? cafe_bytes_text(division->bytes_per_sweep, bytes) : "",
            swept ? " sent in a sweep" : "",
            division->sampled ? "; each has the whole sampled graph" : "");
}
