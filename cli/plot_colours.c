/* What the colours of a plot tell: communities, labels, a column or centralities. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/about.h>
#include <cafe-private/text.h>

#include "labels.h"
#include "method.h"
#include "plot.h"

/* LEGEND: bytes of a name in the legend; more communities than MOST_NAMED have numbers alone */
enum { CLASSES = 20, LEGEND = 160, MOST_NAMED = 20000 };

/* Whole numbers of a few values are classes; others are a scale. */
static bool is_scale(const cafe_attribute *a, int64_t nodes) {
    double seen[CLASSES];
    int count = 0;
    for (int64_t u = 0; a->numbers && u < nodes; u++) {
        int i = 0;
        if (isnan(a->numbers[u])) continue;
        if (a->numbers[u] != floor(a->numbers[u])) return true;
        while (i < count && seen[i] != a->numbers[u]) i++;
        if (i == CLASSES) return true;
        if (i == count) seen[count++] = a->numbers[u];
    }
    return false;
}

/* The attribute of that name, if it is a scale; else NULL. */
static const cafe_attribute *scale_of(const plot_job *job, const char *name) {
    const cafe_graph_reading *r = cafe_graph_get_reading(job->run.graph);
    for (int64_t i = 0; i < r->attribute_count; i++)
        if (strcmp(r->attributes[i].name, name) == 0)
            return is_scale(&r->attributes[i], job->run.counts.nodes) ? &r->attributes[i] : NULL;
    return NULL;
}

/* A node without a value gets the least one. */
static int use_scale(plot_job *job, const cafe_attribute *a) {
    double least = INFINITY;
    int64_t n = job->run.counts.nodes;
    job->value = cli_new(&job->run, n, sizeof *job->value);
    if (!job->value) return CLI_FAILED;
    for (int64_t u = 0; u < n; u++) least = fmin(least, a->numbers[u]); /* NaN does not count */
    for (int64_t u = 0; u < n; u++) job->value[u] = fmax(a->numbers[u], least);
    snprintf(job->legend, sizeof job->legend, "%.31s", a->name);
    return CLI_OK;
}

static cafe_status find_pagerank(plot_job *job, double *value) {
    cafe_context *context = job->run.context;
    cafe_sampled *sampled = NULL;
    cafe_status status =
        cafe_sample(context, job->run.graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled);
    if (status == CAFE_OK) status = cafe_rank_pagerank(context, sampled, NULL, NULL, value, NULL);
    cafe_sampled_free(sampled);
    return status;
}

/* The names of the communities with what they are about, as the page has them. */
static int name_communities(plot_job *job) {
    cli_run *run = &job->run;
    const cafe_graph *graph = run->graph;
    cafe_about_sources sources = {NULL, NULL, NULL};
    cafe_facts *facts = NULL;
    cafe_about *about = NULL;
    int64_t kinds = job->inputs.kinds, skipped = 0;
    if (kinds > MOST_NAMED) return CLI_OK;
    double *rank = cli_new(run, run->counts.nodes, sizeof *rank);
    char(*text)[LEGEND] = cli_new(run, kinds, sizeof *text);
    const char **names = cli_new(run, kinds, sizeof *names);
    if (!rank || !text || !names) return CLI_RESOURCES;
    cafe_status status = find_pagerank(job, rank);
    if (status == CAFE_OK && cafe_graph_get_reading(graph)->attribute_count > 0)
        status = cafe_facts_read(run->context, graph, NULL, &facts, &skipped);
    sources.facts = facts;
    sources.centrality = rank;
    if (status == CAFE_OK)
        status = cafe_about_find(run->context, graph, &sources, job->kind, kinds, &about);
    for (int64_t k = 0; status == CAFE_OK && k < kinds; k++) {
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, k);
        snprintf(text[k], sizeof text[k], "%s  %s", job->names ? job->names[k] : number,
                 cafe_about_text(about, k));
        names[k] = text[k];
    }
    cafe_about_free(about);
    cafe_facts_free(facts);
    job->inputs.names = names;
    return cli_check(run, status);
}

/* What the labels tell: the attribute, or the column of their file that --label names. */
static void name_legend(plot_job *job, const char *path) {
    const cafe_graph_reading *r = cafe_graph_get_reading(job->run.graph);
    const char *column = job->run.common.label_columns.label;
    for (int64_t i = 0; i < r->attribute_count; i++)
        if (strcmp(r->attributes[i].name, path) == 0) column = path;
    if (column && *column && column[strspn(column, "0123456789")])
        snprintf(job->legend, sizeof job->legend, "%.31s", column);
}

/* Of a node with several labels the first counts. */
static int use_labels(plot_job *job, const char *path) {
    const cafe_attribute *scale = scale_of(job, path);
    if (scale) return use_scale(job, scale);
    int code = cli_read_labels(&job->run, job->run.graph, path, &job->labels);
    if (code != CLI_OK) return code;
    int64_t classes = cafe_labels_classes(job->labels);
    job->kind = cli_new(&job->run, job->run.counts.nodes, sizeof *job->kind);
    job->names = cli_new(&job->run, classes, sizeof *job->names);
    if (!job->kind || !job->names) return CLI_RESOURCES;
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        const int32_t *first;
        job->kind[u] = cafe_labels_of(job->labels, u, &first) > 0 ? first[0] : -1;
    }
    for (int64_t i = 0; i < classes; i++) job->names[i] = cafe_labels_class_name(job->labels, i);
    job->inputs.kinds = classes;
    job->inputs.names = job->names;
    return CLI_OK;
}

/* The coarsest layer. A node without edges is in no community. */
static int find_communities(plot_job *job) {
    cli_run *run = &job->run;
    cafe_run *of = NULL;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    job->kind = cli_new(run, run->counts.nodes, sizeof *job->kind);
    if (!job->kind) return CLI_RESOURCES;
    cafe_graph_csr(run->graph, &offsets, &targets, &weights);
    int code = cli_find_communities(run, run->graph, NULL, NULL, &of);
    if (code == CLI_OK) {
        const cafe_clustering_info *found = cafe_clustering_get(cafe_run_get(of)->clustering);
        for (int64_t u = 0; u < run->counts.nodes; u++)
            job->kind[u] = offsets[u + 1] > offsets[u] ? found->partition[u] : -1;
        job->inputs.kinds = found->communities;
    }
    cafe_run_free(of);
    return code;
}

static int use_column(plot_job *job) {
    int64_t column = 0;
    CLI_TRY(plot_parse_columns(job, "column", job->column, 1, &column));
    job->value = cli_new(&job->run, job->run.counts.nodes, sizeof *job->value);
    if (!job->value) return CLI_RESOURCES;
    for (int64_t u = 0; u < job->run.counts.nodes; u++)
        job->value[u] = job->vectors[u * job->columns + column];
    snprintf(job->legend, sizeof job->legend, "column %" PRId64, column);
    return CLI_OK;
}

/* PageRank is spread over powers of ten: its logarithm is shown. */
static int find_centrality(plot_job *job) {
    job->value = cli_new(&job->run, job->run.counts.nodes, sizeof *job->value);
    if (!job->value) return CLI_RESOURCES;
    cafe_status status = find_pagerank(job, job->value);
    for (int64_t u = 0; u < job->run.counts.nodes && status == CAFE_OK; u++)
        job->value[u] = log10(fmax(job->value[u], 1e-300));
    return cli_check(&job->run, status);
}

static int chosen(const plot_job *job) {
    if (job->colour != PLOT_AUTO) return job->colour;
    return job->labels_path ? PLOT_LABEL : job->column ? PLOT_COLUMN : PLOT_COMMUNITY;
}

int plot_check_colours(const plot_job *job) {
    int colour = chosen(job);
    const cli_arguments *given = job->run.arguments;
    if (colour != PLOT_LABEL) CLI_TRY(cli_only_with("plot", given, "labels", "--colour label"));
    if (colour != PLOT_COLUMN) CLI_TRY(cli_only_with("plot", given, "column", "--colour column"));
    if (colour == PLOT_COMMUNITY) return CLI_OK;
    return cli_only_with("plot", given, "communities", "--colour community");
}

int plot_find_colours(plot_job *job) {
    int code = CLI_OK, colour = chosen(job);
    static const char *const legends[] = {[PLOT_COMMUNITY] = "community",
                                          [PLOT_LABEL] = "label",
                                          [PLOT_COLUMN] = "",
                                          [PLOT_CENTRALITY] = "log10 PageRank",
                                          [PLOT_NONE] = ""};
    snprintf(job->legend, sizeof job->legend, "%s", legends[colour]);
    if (colour == PLOT_LABEL) code = use_labels(job, job->labels_path);
    if (colour == PLOT_LABEL && code == CLI_OK && job->kind) name_legend(job, job->labels_path);
    if (colour == PLOT_COMMUNITY)
        code = job->communities ? use_labels(job, job->communities) : find_communities(job);
    if (colour == PLOT_COMMUNITY && code == CLI_OK && job->kind) code = name_communities(job);
    if (colour == PLOT_COLUMN) code = use_column(job);
    if (colour == PLOT_CENTRALITY) code = find_centrality(job);
    job->inputs.kind = job->kind;
    job->inputs.value = job->value;
    job->inputs.legend = job->legend;
    return code;
}
