/* From the options of a command to a run of the library, and its steps on the terminal. */
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>

#include <cafe-private/inputs.h>

#include "graph_text.h"
#include "start.h"
#include "vectors.h"

/* ---- options --------------------------------------------------------------------------------- */

const cli_option cli_job_sampling[] = {
    CLI_ROWS_SAMPLING_AT(cli_job, method.sampling),
    CLI_ROW_END,
};

static cafe_run_inputs inputs_of(const cli_job *job) {
    cafe_run_inputs inputs = cli_sampling_inputs(&job->method.sampling);
    inputs.labels_path = job->labels_path;
    inputs.features_path = job->features_path;
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

static int read_features(cli_job *job, cafe_run_inputs *inputs) {
    cli_run *run = &job->run;
    if (!job->features_path) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_feature_file_read(run->context, run->graph, job->features_path,
                                                  &job->feature_file)));
    inputs->features = cafe_feature_file_inputs(job->feature_file);
    inputs->features_reading = cafe_feature_file_reading(job->feature_file);
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
    CLI_TRY(read_features(job, &inputs));
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

static void say_features(cli_job *job) {
    const cafe_feature_report *f = cafe_run_get(job->of)->features;
    char columns[CLI_COUNT_TEXT], entries[CLI_COUNT_TEXT];
    if (!f) return;
    cli_told_table(&job->run, job->features_path);
    cli_say(&job->run, "features  %s: %s columns, %s entries, %s; %s", job->features_path,
            cli_count_text(f->columns, columns), cli_count_text(f->entries, entries),
            f->words ? "taken as words" : "columns standardised",
            cafe_feature_file_reading(job->feature_file));
    cli_say(&job->run,
            "          %" PRId64
            " directions, %.1f%% of the variance; correlation of neighbours "
            "%.3f, weight %.3g",
            f->directions, 100 * f->variance, f->correlation, f->weight);
}

static void say_signs(cli_job *job) {
    const cafe_graph *against = cafe_graph_negative(job->run.graph);
    char edges[CLI_COUNT_TEXT];
    if (!against) return;
    double up = job->run.counts.total_weight, down = cafe_graph_get_counts(against)->total_weight;
    cli_say(&job->run, "signs     %s edges of negative weight, %.1f%% of all weight",
            cli_count_text(cafe_graph_get_counts(against)->edges, edges), 100 * down / (up + down));
}

void cli_job_say_sample(cli_job *job) {
    say_signs(job);
    say_features(job);
    if (cli_method_samples(&job->method))
        cli_sampling_say(&job->run, cafe_run_get(job->of)->sampled);
}

/* ---- the end --------------------------------------------------------------------------------- */

void cli_job_say_end(cli_job *job) {
    static const char *const names[] = {"read", "sample", "solve", "finish", "write"};
    double seconds[sizeof names / sizeof *names];
    for (int i = 0; i <= CAFE_STEP_WRITE; i++) seconds[i] = cafe_run_get(job->of)->seconds[i];
    cli_team_say(&job->run, cafe_run_get(job->of)->division);
    cli_say_phases(&job->run, CAFE_STEP_WRITE + 1, names, seconds);
}

void cli_job_release(void *argument) {
    cli_job *job = argument;
    cafe_run_free(job->of);
    cafe_labels_free(job->labels);
    cafe_feature_file_free(job->feature_file);
    free(job->start);
    cli_sampling_free(&job->run, &job->method.sampling);
}
