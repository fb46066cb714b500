/* cafe convert: a graph file into another format, by their names or contents; into
 * .cafe, GraphML, GEXF, GML and JSON with what is known of the nodes.
 */
#include <string.h>

#include <cafe-private/inputs.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

enum { NAME = 128 };

typedef struct convert_job {
    cli_run run;
    bool largest;
    const char *vectors_path, *communities_path, *attributes_path;
    float *vectors, *values;
    cafe_labels *labels;
    cafe_table *table;
    int64_t count;
    cafe_attribute *attributes;
} convert_job;

static int check(void *argument) {
    convert_job *job = argument;
    cli_run *run = &job->run;
    const char *output = run->words[1];
    bool given = job->vectors_path || job->communities_path || job->attributes_path;
    CLI_TRY(cli_check_ending(run->command, output, CLI_GRAPHS " -"));
    if (given) CLI_TRY(cli_check_ending(run->command, output, " .cafe .graphml .gml .gexf .json"));
    CLI_TRY(cli_check_in_place(run, &cli_convert, "output", output));
    if (job->largest && run->common.engine)
        return cli_error(run, CLI_USAGE,
                         "--largest-component is for one process, without --engine");
    return cli_output_check(run->command, &run->common, output);
}

/* ---- the largest component ------------------------------------------------------------------- */

/* The run's graph becomes its largest component. */
static int take_largest(convert_job *job) {
    cli_run *run = &job->run;
    cafe_graph *part = NULL;
    if (!job->largest || run->counts.components <= 1) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_graph_largest_component(run->context, run->graph, &part)));
    cli_say(run, "component %lld of %lld nodes, the largest of %lld components",
            (long long)cafe_graph_nodes(part), (long long)run->counts.nodes,
            (long long)run->counts.components);
    cafe_graph_free(run->graph);
    run->graph = part;
    return CLI_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Room for `more` further attributes. */
static int make_room(convert_job *job, int64_t more) {
    cafe_attribute *larger = cli_new(&job->run, job->count + more, sizeof *larger);
    if (!larger) return CLI_RESOURCES;
    if (job->count > 0) memcpy(larger, job->attributes, (size_t)job->count * sizeof *larger);
    job->attributes = larger;
    return CLI_OK;
}

static int add_reals(convert_job *job, char *name, const float *values, int64_t stride) {
    job->attributes[job->count++] =
        (cafe_attribute){.name = name, .reals = values, .stride = stride};
    return CLI_OK;
}

/* Columns v0, v1, ... */
static int take_vectors(convert_job *job) {
    cli_run *run = &job->run;
    int64_t columns = 0;
    if (!job->vectors_path) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_vectors_read(run->context, run->graph, job->vectors_path, &columns,
                                             &job->vectors, NULL)));
    CLI_TRY(make_room(job, columns));
    for (int64_t c = 0; c < columns; c++) {
        char *name = cli_new(run, NAME, 1);
        if (!name) return CLI_RESOURCES;
        snprintf(name, NAME, "v%lld", (long long)c);
        add_reals(job, name, job->vectors + c, columns);
    }
    return CLI_OK;
}

/* A node's labels with commas between them; "" when it has none. */
static char *labels_text(convert_job *job, int64_t node) {
    const int32_t *classes;
    int64_t count = cafe_labels_of(job->labels, node, &classes);
    size_t length = 1;
    for (int64_t i = 0; i < count; i++)
        length += strlen(cafe_labels_class_name(job->labels, classes[i])) + 1;
    char *text = cli_new(&job->run, (int64_t)length, 1);
    for (int64_t i = 0; text && i < count; i++) {
        if (i > 0) strcat(text, ",");
        strcat(text, cafe_labels_class_name(job->labels, classes[i]));
    }
    return text;
}

static int take_communities(convert_job *job) {
    cli_run *run = &job->run;
    int64_t n = cafe_graph_nodes(run->graph);
    if (!job->communities_path) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_labels_read(run->context, run->graph, job->communities_path, NULL,
                                            NULL, &job->labels)));
    const char **texts = cli_new(run, n, sizeof *texts);
    if (!texts) return CLI_RESOURCES;
    for (int64_t u = 0; u < n; u++)
        if (!(texts[u] = labels_text(job, u))) return CLI_RESOURCES;
    CLI_TRY(make_room(job, 1));
    job->attributes[job->count++] = (cafe_attribute){.name = "community", .texts = texts};
    return CLI_OK;
}

/* A table without a heading: columns a0, a1, ... */
static int take_numbers(convert_job *job) {
    cli_run *run = &job->run;
    int64_t columns = cafe_table_columns(job->table), n = cafe_graph_nodes(run->graph);
    job->values = cli_new(run, n * columns, sizeof *job->values);
    if (!job->values) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_table_place(run->context, job->table, run->graph, job->values)));
    CLI_TRY(make_room(job, columns));
    for (int64_t c = 0; c < columns; c++) {
        char *name = cli_new(run, NAME, 1);
        if (!name) return CLI_RESOURCES;
        snprintf(name, NAME, "a%lld", (long long)c);
        add_reals(job, name, job->values + c, columns);
    }
    return CLI_OK;
}

/* Columns by the names of the table's heading become attributes of the graph. */
static int take_columns(convert_job *job) {
    cli_run *run = &job->run;
    const cafe_label_columns columns = {.nodes = 1};
    int64_t added;
    CLI_TRY(cli_check(run, cafe_graph_add_labelled(run->context, job->attributes_path, &columns,
                                                   &run->graph, &added)));
    if (added == 0) return CLI_OK;
    return cli_error(run, CLI_INPUT,
                     "%s: expected nodes of the graph, found %lld that it does not have "
                     "(--nodes-from adds them)",
                     job->attributes_path, (long long)added);
}

static int take_attributes(convert_job *job) {
    cli_run *run = &job->run;
    if (!job->attributes_path) return CLI_OK;
    cafe_status status =
        cafe_table_read_nodes(run->context, job->attributes_path, run->graph, &job->table);
    bool text = !cli_ends_in(job->attributes_path, ".npy") && status == CAFE_ERROR_FORMAT;
    if (status != CAFE_OK && !text) return cli_check(run, status);
    bool headed = text || cafe_table_has_heading(job->table);
    return headed ? take_columns(job) : take_numbers(job);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int work(void *argument) {
    convert_job *job = argument;
    cli_run *run = &job->run;
    const char *output = run->words[1];
    CLI_TRY(cli_try_output(run, output));
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(take_largest(job));
    CLI_TRY(take_vectors(job));
    CLI_TRY(take_communities(job));
    CLI_TRY(take_attributes(job));
    CLI_TRY(cli_check(
        run, cafe_graph_write_attributes(run->context, run->graph, job->count, job->attributes,
                                         output, CAFE_FORMAT_AUTO, run->common.force)));
    if (!cli_is_standard(output)) cli_say(run, "written   %s", output);
    return CLI_OK;
}

static void release(void *argument) {
    convert_job *job = argument;
    cafe_block_free(job->run.context, job->vectors);
    cafe_labels_free(job->labels);
    cafe_table_free(job->table);
}

static const cli_option options[] = {
    CLI_ROW_FLAG(convert_job, largest, "largest-component",
                 "write only the connected component with the most nodes"),
    CLI_ROW_READS(convert_job, vectors_path, "vectors",
                  "of the nodes (.npy, .tsv, .csv, .txt): their columns become attributes v0, v1, "
                  "... of the nodes (.cafe, .graphml, .gexf, .gml, .json)"),
    CLI_ROW_READS(convert_job, communities_path, "communities",
                  "'node label' per line, as cluster writes them: the attribute community"),
    CLI_ROW_READS(convert_job, attributes_path, "attributes",
                  "a table with a row per node, such as the list of rank: an attribute per column, "
                  "by the names of its heading"),
    CLI_ROW_ENGINE,
    CLI_ROWS_PLAIN,
};
static const cli_group groups[] = {CLI_GROUP("Options", options), CLI_GROUP_READING, {0}};

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN... OUT [options]",
    .many = true,
    .summary = "write a graph in another format",
    .description =
        "The content decides the format of IN (- is standard input), the ending that "
        "of OUT:" CLI_GRAPHS
        ", text also with .gz behind it; - writes an edge list to standard output. A .cafe file is "
        "copied rather than parsed: the fastest to load. It takes what is known of the "
        "nodes along, as do GraphML, GEXF, GML and JSON, for Gephi, Cytoscape and others.",
    CLI_JOB(convert_job, 2, 1),
    .check = check,
    .release = release,
};
