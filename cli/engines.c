/* cafe engines: which engines there are, and why some cannot be used. The table is the result: it
 * goes to standard output. */
#include "command.h"
#include "run.h"

typedef struct engines_job {
    cli_run run;
    bool probe;
} engines_job;

static void put_engine(const cafe_engine_info *engine) {
    bool known = engine->summary[0] != 0;
    printf("%-12s %s%s%s\n", engine->name, known ? engine->summary : engine->path,
           engine->version[0] ? ", version " : "", engine->version);
    if (known && engine->path[0]) printf("%-12s %s\n", "", engine->path);
    if (engine->problem) printf("%-12s not usable: %s\n", "", engine->problem);
}

static int work(void *values) {
    const engines_job *job = values;
    cli_run *run = values;
    cafe_engine_list *list = NULL;
    CLI_TRY(cli_check(run, cafe_engine_list_make(run->context, job->probe, &list)));
    for (int64_t i = 0; i < cafe_engine_list_count(list); i++)
        put_engine(cafe_engine_list_get(list, i));
    cafe_engine_list_free(list);
    return CLI_OK;
}

static const cli_option options[] = {
    {"probe", 0, NULL, CLI_FLAG, offsetof(engines_job, probe), NULL, NULL,
     "load each library, which runs its code: what it is, its version, why it cannot be used"},
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END};

static const cli_group groups[] = {CLI_GROUP("Options", options), {0}};

const cli_command cli_engines = {
    .name = "engines",
    .arguments = "[options]",
    .summary = "list the engines that --engine can name",
    .description =
        "Lists the processor and every libcafe-NAME.so beside libcafe and in the folders of "
        "CAFE_ENGINE_PATH, and prints why one is refused. None is loaded, unless --probe asks for "
        "it.",
    CLI_JOB(engines_job, 0, 0),
};
