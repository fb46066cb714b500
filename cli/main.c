/* cafe: the command line tool. Of the library it sees the public headers and os/os.h. */
#include <stdbool.h>
#include <string.h>

#include "command.h"
#include "os/os.h"
#include "run.h"
#include "team.h"
#include "tell.h"

#define CLI_ADDRESS(name) &cli_##name,
const cli_command *const cli_commands[] = {CLI_COMMANDS(CLI_ADDRESS) NULL};

const cli_command *cli_find_command(const char *name) {
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

const cli_command *cli_task_at(size_t index) {
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *const *tasks = cli_commands[i]->tasks;
        if (!tasks && index-- == 0) return cli_commands[i];
        for (size_t t = 0; tasks && tasks[t]; t++)
            if (index-- == 0) return tasks[t];
    }
    return NULL;
}

const char *cli_task_word(const cli_command *task) {
    return strchr(task->name, ' ') + 1;
}

const cli_command *cli_find_task(const cli_command *command, const char *name) {
    for (size_t i = 0; command->tasks && command->tasks[i]; i++)
        if (strcmp(cli_task_word(command->tasks[i]), name) == 0) return command->tasks[i];
    return NULL;
}

static int unknown_command(const char *name) {
    const char *names[sizeof cli_commands / sizeof *cli_commands];
    size_t count = 0;
    while (cli_commands[count]) {
        names[count] = cli_commands[count]->name;
        count++;
    }
    const char *nearest = cli_nearest(name, names, count);
    if (nearest)
        return cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
    return cli_usage_error(NULL, "unknown command '%s'", name);
}

static bool asks_for_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_task(const cli_command *command, int argc, char **argv) {
    if (argc < 1)
        return cli_usage_error(command->name, "no task given; usage: cafe %s %s", command->name,
                               command->arguments);
    if (asks_for_help(argv[0])) {
        cli_print_help(command, false);
        return CLI_OK;
    }
    const cli_command *task = cli_find_task(command, argv[0]);
    if (task) return cli_run_command(task, argc - 1, argv + 1);
    return cli_usage_error(command->name, "unknown task '%s': cafe %s %s", argv[0], command->name,
                           command->arguments);
}

/* A stack that is too small ends in a signal, wherever it is full. Threads of the library have
 * stacks of their own size. */
static bool has_stack(void) {
    enum { NEEDED = 192 };
    int64_t kilobytes = cafe_os_stack() / 1024;
    if (kilobytes >= NEEDED) return true;
    cli_tell(CLI_ERROR, NULL, CLI_RESOURCES,
             "the stack is limited to %d KB; %d KB are needed (ulimit -s %d)", (int)kilobytes,
             NEEDED, NEEDED);
    return false;
}

static const cli_command *find_command(const char *name) {
    if (asks_for_help(name)) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    return cli_find_command(name);
}

static int no_command(int argc, char **argv) {
    if (argc < 2) return cli_usage_error(NULL, "no command given; usage: cafe COMMAND ...");
    if (argv[1][0] == '-') return cli_usage_error(NULL, "unknown option %s", argv[1]);
    return unknown_command(argv[1]);
}

int main(int argc, char **argv) {
    cafe_os_share_addresses();
    cli_open_streams();
    cli_log_guess(argc, argv);
    if (!has_stack()) return CLI_RESOURCES;
    cli_team_guess(argc, argv);
    const cli_command *command = argc < 2 ? NULL : find_command(argv[1]);
    int code = !command         ? no_command(argc, argv)
               : command->tasks ? run_task(command, argc - 2, argv + 2)
                                : cli_run_command(command, argc - 2, argv + 2);
    return cli_team_end(cli_close_streams(code));
}
