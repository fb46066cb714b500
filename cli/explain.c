/* cafe explain: reads a graph and its embedding and says, in numbers from Q, why it looks so. */
#define _GNU_SOURCE
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/run.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "nodes.h"
#include "output.h"
#include "report.h"
#include "tell.h"
#include "vectors.h"

/* Spectrum and bound come unasked while they take about a second; this many columns are printed
 * unless --dimensions says which. */
enum { CHEAP_NODES = 3000, CHEAP_EDGES = 30000, UNASKED_WORK = 1, SHOWN = 8 };

/* ---- names ----------------------------------------------------------------------------------- */

const char *explain_node_name(const explain_job *job, int64_t u) {
    return cli_name(&job->run, job->run.graph, u);
}

const char *explain_community_name(const explain_job *job, int32_t c) {
    if (job->communities) return cafe_labels_class_name(job->communities, c);
    char *text = cli_text_room(&job->run, 16);
    if (!cli_text_lost(&job->run)) snprintf(text, 16, "%" PRId32, c);
    return text;
}

const char *explain_feature_name(const explain_job *job, int64_t i) {
    size_t length = cafe_table_column_name(job->features, i, &(char){0}, 1);
    char *text = cli_text_room(&job->run, length);
    if (!cli_text_lost(&job->run)) cafe_table_column_name(job->features, i, text, length + 1);
    return text;
}

/* ---- --dimensions ---------------------------------------------------------------------------- */

static int bad_dimensions(explain_job *job) {
    return cli_error(&job->run, CLI_USAGE,
                     "--dimensions takes columns from 0 to %" PRId64 ", as 0,3,5-7, not '%s'",
                     job->columns - 1, job->dimensions);
}

static int choose_dimensions(explain_job *job) {
    const char *at = job->dimensions;
    job->shown = cli_new(&job->run, job->columns, sizeof *job->shown);
    if (!job->shown) return CLI_RESOURCES;
    if (!at)
        while (job->shown_count < job->columns && job->shown_count < SHOWN) {
            job->shown[job->shown_count] = job->shown_count;
            job->shown_count++;
        }
    while (at && *at) {
        const char *end;
        uint64_t most = (uint64_t)job->columns - 1, first, last;
        if (!cli_whole(at, most, &first, &end)) return bad_dimensions(job);
        last = first;
        if (*end == '-' && !cli_whole(end + 1, most, &last, &end)) return bad_dimensions(job);
        if (last < first || (*end && *end != ',')) return bad_dimensions(job);
        for (; first <= last && job->shown_count < job->columns; first++)
            job->shown[job->shown_count++] = (int64_t)first;
        at = *end ? end + 1 : end;
    }
    return CLI_OK;
}

/* ---- input ----------------------------------------------------------------------------------- */

static int read_communities(explain_job *job) {
    if (!job->communities_path) return CLI_OK;
    CLI_TRY(cli_read_classes(&job->run, job->run.graph, job->communities_path, &job->communities,
                             &job->part));
    cli_say_partial(&job->run, job->communities_path, job->run.graph, job->communities);
    return CLI_OK;
}

/* A sparse matrix has no names: it is a layer of Q, and goes with no column. */
static int read_features(explain_job *job) {
    cli_run *run = &job->run;
    if (!job->features_path) return CLI_OK;
    if (job->sampling.features_path) {
        CLI_TRY(cli_check(run, cafe_feature_file_read(run->context, run->graph, job->features_path,
                                                      &job->feature_file)));
        job->sampling.features = cafe_feature_file_inputs(job->feature_file);
        if (job->sampling.features->offsets) return CLI_OK;
    }
    CLI_TRY(cli_check(
        run, cafe_table_read_nodes(run->context, job->features_path, run->graph, &job->features)));
    int64_t width = cafe_table_columns(job->features);
    job->feature_rows = cli_new(run, run->counts.nodes * width, sizeof *job->feature_rows);
    if (!job->feature_rows) return CLI_RESOURCES;
    return cli_check(run,
                     cafe_table_place(run->context, job->features, run->graph, job->feature_rows));
}

/* The degree exponent is that of the vectors, unless the user has set another. */
static int take_exponent(explain_job *job) {
    char text[32];
    cli_run *run = &job->run;
    double *exponent = &job->sampling.options.degree_exponent;
    CLI_TRY(cli_made_with(run, run->words[1], job->made, job->sampling.kind, 0, exponent));
    snprintf(text, sizeof text, "%.17g", *exponent);
    if (!(*exponent > 0)) return CLI_OK;
    return cli_check(run, cafe_run_set(job->of, "degree-exponent", text));
}

static int read_input(explain_job *job) {
    cli_run *run = &job->run;
    if (cli_given(run->arguments, "feature-weight"))
        job->sampling.features_path = job->features_path;
    CLI_TRY(cli_open_sampling(run, &job->sampling, &job->of));
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], job->labels_path, &run->graph, &job->columns,
                             &job->vectors, job->made));
    CLI_TRY(take_exponent(job));
    CLI_TRY(cli_find_nodes(&job->run, job->nodes_asked, &job->nodes, &job->node_count));
    CLI_TRY(choose_dimensions(job));
    CLI_TRY(read_communities(job));
    if (job->labels_path) CLI_TRY(cli_read_labels(run, run->graph, job->labels_path, &job->labels));
    if (job->labels) cli_say_labels(run, job->labels_path, run->graph, job->labels);
    CLI_TRY(read_features(job));
    return cli_sample(run, &job->sampling, job->of);
}

/* ---- work ------------------------------------------------------------------------------------ */

static int associate(explain_job *job) {
    cli_run *run = &job->run;
    if (job->labels) {
        job->with_labels = cli_new(run, job->columns, sizeof *job->with_labels);
        if (!job->with_labels) return CLI_RESOURCES;
        CLI_TRY(cli_check(run, cafe_explain_labels(run->context, job->explanation, job->labels,
                                                   job->with_labels)));
    }
    if (!job->features) return CLI_OK;
    job->with_features = cli_new(run, job->columns, sizeof *job->with_features);
    if (!job->with_features) return CLI_RESOURCES;
    int64_t width = cafe_table_columns(job->features);
    CLI_TRY(cli_check(run, cafe_explain_attributes(run->context, job->explanation, width,
                                                   job->feature_rows, job->with_features)));
    if (job->report.communities == 0) return CLI_OK;
    job->community_features =
        cli_new(run, job->report.communities * job->explain.top, sizeof *job->community_features);
    if (!job->community_features) return CLI_RESOURCES;
    return cli_check(run, cafe_explain_features(run->context, job->explanation, width,
                                                job->feature_rows, job->community_features));
}

static int find_layers(explain_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(
        run, cafe_explain_layers(run->context, job->explanation, cafe_run_get(job->of)->model,
                                 &job->layer_count, &job->layers)));
    if (job->layer_count < 2) job->layers = NULL;
    return CLI_OK;
}

static int explain(explain_job *job) {
    cli_run *run = &job->run;
    cafe_context *context = run->context;
    bool cheap = run->counts.nodes <= CHEAP_NODES && run->counts.edges <= CHEAP_EDGES;
    if (!job->wants_spectrum && !cheap)
        CLI_TRY(cli_only_with("explain", run->arguments, "next|value-tolerance|probes|probe-steps",
                              "--spectrum"));
    if (!job->wants_bound && !cheap)
        CLI_TRY(cli_only_with("explain", run->arguments,
                              "bound-columns|bound-sweeps|bound-tolerance|bound-residual|"
                              "bound-passes|bound-work",
                              "--bound"));
    job->op = cafe_run_get(job->of)->op;
    CLI_TRY(cli_check(run, cafe_explain(context, job->op, job->columns, job->vectors, job->part,
                                        &job->explain, &job->explanation)));
    job->report = *cafe_explanation_get(job->explanation);
    CLI_TRY(find_layers(job));
    CLI_TRY(associate(job));
    if (job->wants_spectrum || cheap) {
        CLI_TRY(cli_check(run, cafe_spectrum_find(context, job->explanation, &job->spectrum_options,
                                                  &job->spectrum)));
        job->spectrum_report = *cafe_spectrum_get(job->spectrum);
    }
    job->has_ceiling = job->wants_bound || (cheap && !job->layers);
    if (!job->has_ceiling) return CLI_OK;
    if (!job->wants_bound && !cli_given(run->arguments, "bound-work"))
        job->ceiling_options.work = UNASKED_WORK;
    return cli_check(run, cafe_ceiling_find(context, job->op, job->report.part,
                                            &job->ceiling_options, &job->ceiling));
}

static void put_report(cafe_report *report, const void *argument) {
    const explain_job *job = argument;
    cafe_explanation_inputs with = {
        .struct_size = sizeof with,
        .graph = job->run.graph,
        .communities = job->communities,
        .labels = job->labels,
        .with_labels = job->with_labels,
        .attributes = job->features,
        .with_attributes = job->with_features,
        .community_attribute_count = job->explain.top,
        .community_attributes = job->community_features,
        .spectrum = job->spectrum,
        .ceiling = job->has_ceiling ? &job->ceiling : NULL,
        .node_count = job->node_count,
        .nodes = job->nodes,
        .layer_count = job->layers ? job->layer_count : 0,
        .layers = job->layers,
        .vectors_path = job->run.words[1],
        .communities_path = job->communities_path,
    };
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_run_report_sampling(job->of, report);
    cafe_report_sampled(report, cafe_run_get(job->of)->sampled);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_explain_option_table(), &job->explain);
    if (job->spectrum)
        cafe_report_options(report, cafe_spectrum_option_table(), &job->spectrum_options);
    if (job->has_ceiling)
        cafe_report_options(report, cafe_ceiling_option_table(), &job->ceiling_options);
    cafe_report_close(report);
    cafe_report_explanation(report, job->explanation, &with);
    cli_report_seconds(report, &job->run);
}

static int work(void *argument) {
    explain_job *job = argument;
    if (job->eigenvector) return explain_theorem(job);
    CLI_TRY(read_input(job));
    CLI_TRY(explain(job));
    CLI_TRY(cli_write_result(&job->run, explain_put, job));
    return cli_write_report(&job->run, "cafe/explain/1", put_report, job);
}

/* Options of the other of the two ways would do nothing. */
static int check_given(const explain_job *job) {
    const cli_arguments *a = job->run.arguments;
    for (size_t i = 0; i < a->entries.count; i++) {
        const cli_entry *e = &a->entries.at[i];
        const cafe_option_table *table = e->shared ? e->group->table() : NULL;
        bool both = e->own ? e->own->offset < sizeof(cli_common) || e->own->kind == CLI_TUNE
                           : table == cafe_graph_option_table();
        bool theorem = table == cafe_bounds_option_table() || strcmp(e->name, "eigenvector") == 0;
        if (a->given[i] && !both && theorem != job->eigenvector)
            return cli_usage_error("explain", CLI_OPT("%s") " goes with %s", e->name,
                                   theorem ? "--eigenvector" : "an EMBEDDING");
    }
    return CLI_OK;
}

static int check(void *argument) {
    const explain_job *job = argument;
    const cli_run *run = &job->run;
    CLI_TRY(check_given(job));
    if (job->eigenvector && run->words[1])
        return cli_usage_error("explain", "--eigenvector goes without an EMBEDDING");
    if (cli_given(run->arguments, "feature-weight") && !job->features_path)
        return cli_usage_error("explain", "--feature-weight goes with --features");
    if (job->eigenvector) return CLI_OK;
    if (!run->words[1])
        return cli_usage_error("explain",
                               "missing argument; usage: cafe explain GRAPH... EMBEDDING");
    return cli_check_ending("explain", run->words[1], CLI_VECTORS " -");
}

static void release(void *argument) {
    explain_job *job = argument;
    cafe_bounds_free(job->bounds);
    cafe_spectrum_free(job->spectrum);
    cafe_explanation_free(job->explanation);
    cafe_run_free(job->of);
    cli_sampling_free(&job->run, &job->sampling);
    cafe_labels_free(job->communities);
    cafe_labels_free(job->labels);
    cafe_table_free(job->features);
    cafe_feature_file_free(job->feature_file);
    free(job->vectors);
}

/* ---- options --------------------------------------------------------------------------------- */

#define JOB explain_job

static const cli_option options[] = {
    CLI_ROW_TEXT(
        JOB, nodes_asked, "node", "NAME,...",
        "these nodes in sentences: the community and why, what would change it, the nearest nodes, "
        "unusual columns; -v adds figures; a name with a comma stands in double quotes"),
    CLI_ROW_TEXT(JOB, dimensions, "dimensions", "LIST",
                 "columns to print, as 0,3,5-7; without it the first eight; the report has all"),
    CLI_ROW_READS(JOB, communities_path, "communities",
                  "the partition, one 'node community' per line; without it that of cafe cluster"),
    CLI_ROW_READS(JOB, labels_path, "labels",
                  "labels, one 'node label[,label...]' per line: the one most associated with each "
                  "column is named"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_READS(JOB, features_path, "features",
                  "a row of numbers per node (.npy, CSV, TSV): the attribute most associated with "
                  "each column is named; with --feature-weight the features are a layer of Q"),
    CLI_ROW_FLAG(
        JOB, wants_spectrum, "spectrum",
        "also print the next eigenvalues, the sum of the positive ones and the elbow, where they "
        "fall most; default up to 3,000 nodes and 30,000 edges; slow on large graphs"),
    CLI_ROW_FLAG(JOB, wants_bound, "bound",
                 "also print an upper bound on the modularity of any partition; unasked for the "
                 "same graphs"),
    CLI_ROW_FLAG(JOB, eigenvector, "eigenvector",
                 "instead of an EMBEDDING: compare the best two communities of softmax clustering "
                 "with the dominant eigenvector, with the bounds of theorem 4 of the paper"),
    CLI_ROW_OUTPUT(NULL,
                   "the text into a file; with --eigenvector a line per node: name, x, Qx, v1, "
                   "centred x"),
    CLI_ROW_JSON("every figure as JSON; - prints it instead of the text"),
    CLI_ROWS_SAMPLING(JOB),
    CLI_ROW_VERBOSE,
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Lists", JOB, explain, cafe_explain_option_table),
    CLI_GROUP_TABLE("--spectrum", JOB, spectrum_options, cafe_spectrum_option_table),
    CLI_GROUP_TABLE("--bound", JOB, ceiling_options, cafe_ceiling_option_table),
    CLI_GROUP_TABLE("--eigenvector", JOB, bounds_options, cafe_bounds_option_table),
    CLI_GROUP_TABLE("With --features", JOB, feature_options, cafe_feature_option_table),
    CLI_GROUP_TABLE("Sampling", JOB, sampling.options, cafe_sample_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_explain = {
    .name = "explain",
    .arguments = "GRAPH... [EMBEDDING] [options]",
    .many = true,
    .summary = "say in numbers why an embedding looks as it does",
    .description =
        "Reads a graph and its embedding (.npy, .tsv, .csv or .txt, as cafe embed writes "
        "it). Prints cards of its columns, of nodes and of communities. Prints its part of "
        "the spectrum (the eigenvalues of the modularity matrix Q), and a bound on the "
        "distance of the partition from the best one. The value of a column is the eigenvalue it "
        "stands for, the residual its error. For a community q(S,S) is the share of edges "
        "inside of S less the share that degrees alone would give. Sampling options are "
        "those the embedding was made with. With --eigenvector and no embedding it prints "
        "how well theorem 4 of the paper holds. 'man cafe-explain' has the formulas.",
    .groups = groups,
    .size = sizeof(explain_job),
    .least = 1,
    .most = 2,
    .inputs = 2,
    .work = work,
    .check = check,
    .release = release,
};
