/* cafe engines: which engines there are, and why some cannot be used. The table is the result: it
 * goes to standard output. */
#include "command.h"
#include "run.h"

typedef struct engines_job {
    cli_run run;
} engines_job;

static void put_engine(const cafe_engine_info *engine) {
    printf("%-12s %s%s%s\n", engine->name, engine->summary, engine->version[0] ? ", version " : "",
           engine->version);
    if (engine->path[0]) printf("%-12s %s\n", "", engine->path);
    if (engine->problem) printf("%-12s not usable: %s\n", "", engine->problem);
}

static int work(void *values) {
    cli_run *run = values;
    cafe_engine_list *list = NULL;
    CLI_TRY(cli_check(run, cafe_engine_list_make(run->context, &list)));
    for (int64_t i = 0; i < cafe_engine_list_count(list); i++)
        put_engine(cafe_engine_list_get(list, i));
    cafe_engine_list_free(list);
    return CLI_OK;
}

static const cli_option options[] = {CLI_ROW_QUIET, CLI_ROW_HELP, CLI_ROW_END};

static const cli_group groups[] = {CLI_GROUP("Options", options), {0}};

const cli_command cli_engines = {
    .name = "engines",
    .arguments = "[options]",
    .summary = "list the engines that --engine can name",
    .description =
        "Lists the processor and every libcafe-NAME.so beside libcafe and in the folders of "
        "CAFE_ENGINE_PATH, and says of each that cannot be used why.",
    CLI_JOB(engines_job, 0, 0),
};
