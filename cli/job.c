/* From the options of a command to a run of the library, and its steps on the terminal. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "predicted.h"
#include "start.h"
#include "vectors.h"

/* ---- options --------------------------------------------------------------------------------- */

static cafe_run_inputs inputs_of(const cli_job *job) {
    cafe_run_inputs inputs = cli_sampling_inputs(&job->method.sampling);
    inputs.labels_path = job->labels_path;
    inputs.start_path = job->start_path;
    inputs.partition_path = job->start_from.communities;
    inputs.keep_path = job->start_from.keep;
    return inputs;
}

int cli_job_open(cli_job *job, cafe_purpose purpose, bool dry) {
    cli_run *run = &job->run;
    cafe_run_inputs inputs = inputs_of(job);
    CLI_TRY(cli_open_run(run, job->method.row->name, purpose, run->arguments, &inputs, &job->of));
    CLI_TRY(cli_check(run, cafe_run_output(job->of, run->common.output, run->common.force)));
    if (dry) return CLI_OK;
    CLI_TRY(cli_checkpoint_begin(run, &job->checkpoint, job->of));
    return cli_refuse(run, cafe_run_check(job->of));
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static int read_labels(cli_job *job, cafe_run_inputs *inputs) {
    cli_run *run = &job->run;
    int32_t *label;
    if (!job->labels_path) return CLI_OK;
    CLI_TRY(cli_read_classes(run, run->graph, job->labels_path, &job->labels, &label));
    cli_say_labels(run, job->labels_path, run->graph, job->labels);
    inputs->labels = label;
    inputs->labels_reading = cafe_labels_reading(job->labels);
    inputs->classes = cafe_labels_classes(job->labels);
    const char **names = cli_new(run, inputs->classes, sizeof *names);
    if (!names) return CLI_RESOURCES;
    for (int64_t c = 0; c < inputs->classes; c++) names[c] = cafe_labels_class_name(job->labels, c);
    inputs->class_names = names;
    return CLI_OK;
}

int cli_job_read(cli_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_read_graph(run, job->labels_path));
    CLI_TRY(cli_sampling_read(run, &job->method.sampling, run->graph));
    cafe_run_inputs inputs = inputs_of(job);
    if (job->start_path)
        CLI_TRY(
            cli_read_start(run, job->start_path, run->graph, &inputs.start_columns, &job->start));
    inputs.start = job->start;
    CLI_TRY(cli_read_communities(run, &job->start_from, &inputs));
    CLI_TRY(read_labels(job, &inputs));
    CLI_TRY(
        cli_check(run, cafe_run_graph(job->of, run->graph, run->words[0], &run->common.reading)));
    CLI_TRY(cli_check(run, cafe_run_give(job->of, &inputs)));
    cli_job_warn(job);
    return CLI_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void cli_job_warn(cli_job *job) {
    for (const char *text; (text = cafe_run_warning(job->of, job->warned)); job->warned++)
        cli_warn(&job->run, "%s", text);
}

int cli_job_after(cli_job *job, cafe_status status) {
    cli_run *run = &job->run;
    cli_job_warn(job);
    return status == CAFE_OK ? CLI_OK : cli_checkpoint_left(run, job->of, cli_check(run, status));
}

void cli_job_say_sample(cli_job *job) {
    if (cli_method_samples(&job->method))
        cli_sampling_say(&job->run, cafe_run_get(job->of)->sampled);
}

int cli_job_predict(cli_job *job) {
    return job->predicted ? cli_predict(&job->run, job->of, job->labels, job->predicted) : CLI_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

void cli_job_say_end(cli_job *job) {
    static const char *const names[] = {"read", "sample", "solve", "finish", "write"};
    double seconds[sizeof names / sizeof *names];
    for (int i = 0; i <= CAFE_STEP_WRITE; i++) seconds[i] = cafe_run_get(job->of)->seconds[i];
    cli_team_say(&job->run, cafe_run_get(job->of)->division);
    cli_say_phases(&job->run, CAFE_STEP_WRITE + 1, names, seconds);
}

void cli_job_release(cli_job *job) {
    cafe_run_free(job->of);
    cafe_labels_free(job->labels);
    free(job->start);
    cli_sampling_free(&job->run, &job->method.sampling);
}
