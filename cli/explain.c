/* cafe explain: reads a graph and its embedding and says, in numbers from Q, why it looks so. */
#define _GNU_SOURCE
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "vectors.h"

/* Spectrum and bound come unasked while they take about a second; this many columns are printed
 * unless --dimensions says which; names are compared for a suggestion up to so many. */
enum { CHEAP_NODES = 3000, CHEAP_EDGES = 30000, SHOWN = 8, NAMES_COMPARED = 200000 };

static int out_of_memory(explain_job *job) {
    return cli_error(&job->run, CLI_FAILED, "out of memory");
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef size_t copy_name(const explain_job *job, int64_t i, char *text, size_t room);

static const char *keep_name(explain_job *job, copy_name *copy, int64_t i) {
    size_t length = copy(job, i, job->name, job->name_room);
    if (length < job->name_room) return job->name;
    char *more = realloc(job->name, length + 64);
    if (!more) return "?";
    job->name = more;
    job->name_room = length + 64;
    copy(job, i, job->name, job->name_room);
    return job->name;
}

static size_t copy_node(const explain_job *job, int64_t u, char *text, size_t room) {
    char one[1];
    return cafe_graph_name(job->graph, u, room ? text : one, room ? room : 1);
}

static size_t copy_community(const explain_job *job, int64_t c, char *text, size_t room) {
    if (job->communities)
        return (size_t)snprintf(text, room, "%s", cafe_labels_class_name(job->communities, c));
    return (size_t)snprintf(text, room, "%" PRId64, c);
}

static size_t copy_feature(const explain_job *job, int64_t i, char *text, size_t room) {
    char one[1];
    return cafe_table_column_name(job->features, i, room ? text : one, room ? room : 1);
}

const char *explain_node_name(explain_job *job, int64_t u) {
    return keep_name(job, copy_node, u);
}
const char *explain_community_name(explain_job *job, int32_t c) {
    return keep_name(job, copy_community, c);
}
const char *explain_feature_name(explain_job *job, int64_t i) {
    return keep_name(job, copy_feature, i);
}

/* ---- --node ---------------------------------------------------------------------------------- */

/* The nearest name of a node, in memory the caller frees; NULL: none is near. */
static char *suggest(explain_job *job, const char *word) {
    size_t n = (size_t)job->counts.nodes, made = 0;
    char **names = n <= NAMES_COMPARED ? calloc(n + 1, sizeof *names) : NULL;
    const char *nearest = NULL;
    for (; names && made < n; made++)
        if (!(names[made] = strdup(explain_node_name(job, (int64_t)made)))) break;
    if (names) nearest = cli_nearest(word, (const char *const *)names, made);
    char *found = nearest ? strdup(nearest) : NULL;
    for (size_t i = 0; i < made; i++) free(names[i]);
    free(names);
    return found;
}

static int unknown_node(explain_job *job, const char *word) {
    char *near = suggest(job, word);
    int code = near
                   ? cli_error(&job->run, CLI_FAILED,
                               "--node: the graph has no node '%s'; did you mean '%s'?", word, near)
                   : cli_error(&job->run, CLI_FAILED, "--node: the graph has no node '%s'", word);
    free(near);
    return code;
}

static int add_node(explain_job *job, const char *word) {
    int64_t u = cafe_graph_find(job->graph, word);
    if (u < 0) return unknown_node(job, word);
    job->nodes[job->node_count++] = u;
    return CLI_OK;
}

/* One name, which may have commas in it, or a list of names. */
static int find_nodes(explain_job *job) {
    char *list = NULL, *rest = NULL;
    int code = CLI_OK;
    if (!job->values->nodes) return CLI_OK;
    list = strdup(job->values->nodes);
    job->nodes = calloc(strlen(job->values->nodes) + 1, sizeof *job->nodes);
    if (!list || !job->nodes) code = out_of_memory(job);
    if (code == CLI_OK && cafe_graph_find(job->graph, list) >= 0)
        code = add_node(job, list);
    else if (code == CLI_OK)
        for (char *word = strtok_r(list, ",", &rest); word && code == CLI_OK;
             word = strtok_r(NULL, ",", &rest))
            code = add_node(job, word);
    free(list);
    return code;
}

/* ---- --dimensions ---------------------------------------------------------------------------- */

static int bad_dimensions(explain_job *job) {
    return cli_error(&job->run, CLI_USAGE,
                     "--dimensions takes columns from 0 to %" PRId64 ", as 0,3,5-7, not '%s'",
                     job->columns - 1, job->values->dimensions);
}

static int choose_dimensions(explain_job *job) {
    const char *at = job->values->dimensions;
    job->shown = calloc((size_t)job->columns, sizeof *job->shown);
    if (!job->shown) return out_of_memory(job);
    if (!at)
        while (job->shown_count < job->columns && job->shown_count < SHOWN) {
            job->shown[job->shown_count] = job->shown_count;
            job->shown_count++;
        }
    while (at && *at) {
        char *end;
        int64_t first = strtoll(at, &end, 10), last = first;
        if (end == at) return bad_dimensions(job);
        if (*end == '-') {
            at = end + 1;
            last = strtoll(at, &end, 10);
            if (end == at) return bad_dimensions(job);
        }
        if (first < 0 || last < first || last >= job->columns || (*end && *end != ','))
            return bad_dimensions(job);
        for (; first <= last && job->shown_count < job->columns; first++)
            job->shown[job->shown_count++] = first;
        at = *end ? end + 1 : end;
    }
    return CLI_OK;
}

/* ---- input ----------------------------------------------------------------------------------- */

static int read_communities(explain_job *job) {
    cafe_context *context = job->run.context;
    if (!job->values->communities) return CLI_OK;
    job->part = malloc((size_t)(job->counts.nodes + 1) * sizeof *job->part);
    if (!job->part) return out_of_memory(job);
    int code = cli_check(&job->run, cafe_labels_read(context, job->graph, job->values->communities,
                                                     &job->communities));
    if (code != CLI_OK) return code;
    return cli_check(&job->run, cafe_labels_single(context, job->communities, job->part));
}

/* Rows of a table in the order of the nodes: by their names, or as they come. */
static int place_features(explain_job *job) {
    int64_t n = job->counts.nodes, width = cafe_table_columns(job->features);
    const float *values = cafe_table_values(job->features);
    const char *path = job->values->features;
    if (cafe_table_rows(job->features) != n)
        return cli_error(&job->run, CLI_INPUT,
                         "%s: expected a row for each of %" PRId64 " nodes, found %" PRId64, path,
                         n, cafe_table_rows(job->features));
    job->feature_rows = calloc((size_t)(n * width + 1), sizeof *job->feature_rows);
    if (!job->feature_rows) return out_of_memory(job);
    for (int64_t i = 0; i < n; i++) {
        int64_t u = i;
        if (cafe_table_has_row_names(job->features)) {
            char name[1024];
            cafe_table_row_name(job->features, i, name, sizeof name);
            u = cafe_graph_find(job->graph, name);
            if (u < 0)
                return cli_error(&job->run, CLI_INPUT, "%s: the graph has no node '%s'", path,
                                 name);
        }
        memcpy(job->feature_rows + u * width, values + i * width, (size_t)width * sizeof *values);
    }
    return CLI_OK;
}

static int read_features(explain_job *job) {
    if (!job->values->features) return CLI_OK;
    int code = cli_check(&job->run,
                         cafe_table_read(job->run.context, job->values->features, &job->features));
    return code == CLI_OK ? place_features(job) : code;
}

static int read_input(explain_job *job) {
    const explain_values *v = job->values;
    cafe_context *context = job->run.context;
    int code = cli_check(&job->run, cafe_graph_read(context, job->path, &v->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    code = find_nodes(job);
    if (code == CLI_OK)
        code = cli_read_vectors(&job->run, job->vectors_path, job->graph, &job->columns,
                                &job->vectors);
    if (code == CLI_OK) code = choose_dimensions(job);
    if (code == CLI_OK) code = read_communities(job);
    if (code == CLI_OK && v->labels)
        code = cli_read_known_labels(&job->run, job->graph, v->labels, &job->labels);
    if (code == CLI_OK) code = read_features(job);
    if (code == CLI_OK) code = cli_sample(&job->run, &v->sampling, job->graph, &job->sampled);
    return code;
}

/* ---- work ------------------------------------------------------------------------------------ */

static cafe_status associate(explain_job *job) {
    cafe_status status = CAFE_OK;
    cafe_context *context = job->run.context;
    if (job->labels) {
        job->with_labels = calloc((size_t)job->columns, sizeof *job->with_labels);
        if (!job->with_labels) return CAFE_ERROR_MEMORY;
        status = cafe_explain_labels(context, job->explanation, job->labels, job->with_labels);
    }
    if (status == CAFE_OK && job->features) {
        job->with_features = calloc((size_t)job->columns, sizeof *job->with_features);
        if (!job->with_features) return CAFE_ERROR_MEMORY;
        status =
            cafe_explain_attributes(context, job->explanation, cafe_table_columns(job->features),
                                    job->feature_rows, job->with_features);
    }
    return status;
}

static cafe_status explain(explain_job *job) {
    const explain_values *v = job->values;
    cafe_context *context = job->run.context;
    bool cheap = job->counts.nodes <= CHEAP_NODES && job->counts.edges <= CHEAP_EDGES;
    cafe_status status = cafe_operator_modularity(context, job->sampled, &job->op);
    if (status == CAFE_OK)
        status = cafe_explain(context, job->op, job->columns, job->vectors, job->part, &v->explain,
                              &job->explanation);
    if (status != CAFE_OK) return status;
    job->report = *cafe_explanation_get(job->explanation);
    status = associate(job);
    if (status == CAFE_OK && (v->spectrum || cheap))
        status = cafe_spectrum_find(context, job->explanation, &v->values, &job->spectrum);
    if (job->spectrum) job->spectrum_report = *cafe_spectrum_get(job->spectrum);
    if (status == CAFE_OK && (v->bound || cheap)) {
        status = cafe_ceiling_find(context, job->op, job->report.part, &v->ceiling, &job->ceiling);
        job->has_ceiling = status == CAFE_OK;
    }
    return status;
}

static int work(explain_job *job) {
    int code = read_input(job);
    if (code == CLI_OK) code = cli_check(&job->run, explain(job));
    if (code == CLI_OK && !(job->values->json && strcmp(job->values->json, "-") == 0))
        code = explain_print(job);
    if (code == CLI_OK) code = explain_write_json(job);
    return code;
}

static int check_values(explain_values *v, const cli_arguments *arguments) {
    int inputs = 0;
    const char *files[] = {arguments->words[0], arguments->words[1], v->communities, v->labels,
                           v->features};
    const char *e = cli_extension(arguments->words[1]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        inputs += files[i] && strcmp(files[i], "-") == 0;
    if (inputs > 1)
        return cli_usage_error("explain", "only one of the inputs can be standard input");
    if (strcmp(arguments->words[1], "-") != 0 && strcasecmp(e, ".npy") != 0 &&
        strcasecmp(e, ".tsv") != 0 && strcasecmp(e, ".txt") != 0)
        return cli_usage_error("explain",
                               "%s: the ending of an embedding tells its format: .npy .tsv .txt",
                               arguments->words[1]);
    int code = cli_sampling_check("explain", &v->sampling, arguments);
    return code != CLI_OK ? code : cli_output_check("explain", &v->common, v->json);
}

static void free_job(explain_job *job) {
    cafe_spectrum_free(job->spectrum);
    cafe_explanation_free(job->explanation);
    cafe_operator_free(job->op);
    cafe_sampled_free(job->sampled);
    cafe_labels_free(job->communities);
    cafe_labels_free(job->labels);
    cafe_table_free(job->features);
    cafe_graph_free(job->graph);
    void *blocks[] = {job->vectors, job->part,        job->feature_rows,  job->nodes,
                      job->shown,   job->with_labels, job->with_features, job->name};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

static int run_explain(const void *values, const cli_arguments *arguments) {
    explain_values v = *(const explain_values *)values;
    explain_job job = {
        .values = &v, .path = arguments->words[0], .vectors_path = arguments->words[1]};
    int code = check_values(&v, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "explain", &v.common);
    if (code == CLI_OK) code = work(&job);
    free_job(&job);
    return cli_end(&job.run, code);
}

/* ---- options --------------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"node", 0, "NAME,...", CLI_TEXT, offsetof(explain_values, nodes), NULL, NULL,
     "cards of these nodes: position, pulls and pushes, community and margin"},
    {"dimensions", 0, "LIST", CLI_TEXT, offsetof(explain_values, dimensions), NULL, NULL,
     "columns to print, as 0,3,5-7; without it the first eight; the report has all"},
    {"communities", 0, "FILE", CLI_TEXT, offsetof(explain_values, communities), NULL, NULL,
     "the partition, 'node community' a line; without it that of cafe cluster"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(explain_values, labels), NULL, NULL,
     "labels, 'node label[,label...]' a line: the one most associated with each column is named"},
    {"features", 0, "FILE", CLI_TEXT, offsetof(explain_values, features), NULL, NULL,
     "a row of numbers per node (.npy, CSV, TSV): the attribute most associated with each column "
     "is named"},
    {"spectrum", 0, NULL, CLI_FLAG, offsetof(explain_values, spectrum), NULL, NULL,
     "also the next eigenvalues, the sum of all positive ones and the elbow; up to 3,000 nodes and "
     "30,000 edges that comes unasked, a large graph takes minutes"},
    {"bound", 0, NULL, CLI_FLAG, offsetof(explain_values, bound), NULL, NULL,
     "also an upper bound on the modularity of any partition; likewise"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(explain_values, json), NULL, NULL,
     "every card as JSON; - prints it instead of the text"},
    CLI_ROWS_SAMPLING(explain_values),
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_SEED,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Lists", NULL, cafe_explain_option_table, offsetof(explain_values, explain)},
    {"--spectrum", NULL, cafe_spectrum_option_table, offsetof(explain_values, values)},
    {"--bound", NULL, cafe_ceiling_option_table, offsetof(explain_values, ceiling)},
    {"Sampling", NULL, cafe_sample_option_table, offsetof(explain_values, sampling.options)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(explain_values, graph)},
    {0},
};

const cli_command cli_explain = {
    .name = "explain",
    .arguments = "GRAPH EMBEDDING [options]",
    .summary = "say in numbers why an embedding looks as it does",
    .description =
        "Reads a graph and its embedding (.npy, .tsv or .txt, as cafe embed writes it) and prints "
        "cards of its columns, of nodes and of communities, how much of the spectrum it holds, and "
        "how far the partition is from the best one at most. Sampling options are those the "
        "embedding was made with.",
    .groups = groups,
    .size = sizeof(explain_values),
    .least = 2,
    .most = 2,
    .run = run_explain,
};
