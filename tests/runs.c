/* The runs of a list, one after the other, by the library: runs LIST FOLDER.
 *
 * FOLDER has the graphs and their other files. Of every run it gets NAME.c.json, the report, and
 * the result: NAME.c.npy (vectors), NAME.c.tsv (communities) or NAME.c.bytes (probabilities,
 * float32). Of a refused run it gets NAME.c.refusal: the status, then the reason with the neutral
 * names of options. python/tests/test_same.py compares them with the tool's and Python's.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/results.h>
#include <cafe-private/text.h>
#include <cafe/lab.h>

enum { LONGEST = 1024, PATH = 512 };

typedef struct line {
    const char *folder;
    char *name, *purpose, *method, *graph, *words;
} line;

/* All that a run is made from; paths are those of the graph's files. */
typedef struct job {
    cafe_context *context;
    cafe_graph *graph;
    cafe_run *run;
    cafe_run_inputs inputs;
    cafe_graph_options reading;
    cafe_predict_options predict;
    cafe_targets known;
    cafe_prediction *predicted;
    cafe_labels *labels;
    cafe_labels *communities;
    int32_t *label, *seeds, *keep, *partition;
    const char **names;
    float *start, *attributes;
    cafe_feature_file *features;
    char path[PATH];
} job;

static const char *file_of(const line *l, const char *name, const char *ending, char path[PATH]) {
    snprintf(path, PATH, "%s/%s.%s", l->folder, name, ending);
    return path;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

#define TRY(call)                               \
    do {                                        \
        cafe_status status_ = (call);           \
        if (status_ != CAFE_OK) return status_; \
    } while (0)

static cafe_status read_labels(job *j, const char *path) {
    TRY(cafe_labels_read(j->context, j->graph, path, NULL, NULL, &j->labels));
    int64_t classes = cafe_labels_classes(j->labels);
    j->label = malloc((size_t)cafe_graph_nodes(j->graph) * sizeof *j->label);
    j->names = malloc((size_t)classes * sizeof *j->names);
    if (!j->label || !j->names) return CAFE_ERROR_MEMORY;
    TRY(cafe_labels_single(j->context, j->labels, j->label));
    for (int64_t c = 0; c < classes; c++) j->names[c] = cafe_labels_class_name(j->labels, c);
    j->inputs.labels = j->label;
    j->inputs.classes = classes;
    j->inputs.class_names = j->names;
    return CAFE_OK;
}

static cafe_status read_partition(job *j, const char *path) {
    TRY(cafe_labels_read(j->context, j->graph, path, NULL, NULL, &j->communities));
    j->partition = malloc((size_t)cafe_graph_nodes(j->graph) * sizeof *j->partition);
    if (!j->partition) return CAFE_ERROR_MEMORY;
    j->inputs.partition = j->partition;
    return cafe_labels_single(j->context, j->communities, j->partition);
}

static cafe_status read_input(job *j, const line *l, const char *what) {
    char path[PATH];
    cafe_run_inputs *in = &j->inputs;
    if (strcmp(what, "labels") == 0)
        return read_labels(j, file_of(l, l->graph, "labels.txt", path));
    if (strcmp(what, "start") == 0) {
        TRY(cafe_vectors_read(j->context, j->graph, file_of(l, l->graph, "start.npy", path),
                              &in->start_columns, &j->start, NULL));
        in->start = j->start;
    } else if (strcmp(what, "attributes") == 0) {
        TRY(cafe_attributes_read(j->context, j->graph, file_of(l, l->graph, "attributes.npy", path),
                                 &in->attribute_columns, &j->attributes));
        in->attributes = j->attributes;
    } else if (strcmp(what, "features") == 0) {
        TRY(cafe_feature_file_read(j->context, j->graph, file_of(l, l->graph, "features.npy", path),
                                   &j->features));
        in->features = cafe_feature_file_inputs(j->features);
        in->features_reading = cafe_feature_file_reading(j->features);
    } else if (strcmp(what, "partition") == 0) {
        TRY(read_partition(j, file_of(l, l->graph, "partition.txt", path)));
    } else if (strcmp(what, "keep") == 0) {
        TRY(cafe_nodes_read(j->context, j->graph, file_of(l, l->graph, "keep.txt", path),
                            &in->keep_count, &j->keep));
        in->keep = j->keep;
    } else {
        TRY(cafe_nodes_read(j->context, j->graph, file_of(l, l->graph, "seeds.txt", path),
                            &in->seed_count, &j->seeds));
        in->seeds = j->seeds;
    }
    return CAFE_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The value of a word NAME=VALUE of the list, else `otherwise`. */
static long number_in(const line *l, const char *name, long otherwise) {
    char text[64];
    snprintf(text, sizeof text, " %s=", name);
    const char *at = strstr(l->words, text);
    return at ? atol(at + strlen(text)) : otherwise;
}

static bool is(const line *l, const char *purpose) {
    return strcmp(l->purpose, purpose) == 0;
}

static cafe_status open_run(job *j, const line *l) {
    cafe_context_options options;
    cafe_context_options_init(&options);
    options.threads = (int32_t)number_in(l, "threads", 1);
    options.seed = (uint64_t)number_in(l, "seed", 1);
    TRY(cafe_context_create(&options, &j->context));
    cafe_lab_add(j->context);
    if (is(l, "prediction")) return CAFE_OK;
    return cafe_run_create(j->context,
                           is(l, "vectors") ? CAFE_PURPOSE_VECTORS : CAFE_PURPOSE_COMMUNITIES,
                           l->method, &j->run);
}

static bool has(const cafe_option_table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return true;
    return false;
}

static cafe_status take_option(job *j, const line *l, const char *name, const char *value) {
    const cafe_option_table *predict = cafe_predict_option_table();
    if (strcmp(name, "threads") == 0 || strcmp(name, "seed") == 0) return CAFE_OK;
    if (strcmp(name, "limit") == 0) return cafe_run_limit(j->run, atol(value), l->folder);
    if (is(l, "prediction")) return cafe_options_set(j->context, predict, &j->predict, name, value);
    return cafe_run_set(j->run, name, value);
}

/* Options of the reading come first: `reading` says whether this call takes those, or all else. The
 * texts of options stay in `words`. */
static cafe_status take_words(job *j, const line *l, bool reading, char words[LONGEST]) {
    const cafe_option_table *table = cafe_graph_option_table();
    char *kept = NULL;
    snprintf(words, LONGEST, "%s", l->words);
    for (char *w = strtok_r(words, " ", &kept); w; w = strtok_r(NULL, " ", &kept)) {
        char *value = strchr(w, '=');
        if (value) *value++ = 0;
        if (reading != (value && has(table, w))) continue;
        if (reading)
            TRY(cafe_options_set(j->context, table, &j->reading, w, value));
        else
            TRY(value ? take_option(j, l, w, value) : read_input(j, l, w));
    }
    return CAFE_OK;
}

static cafe_status write_report(job *j, const line *l, const char *schema) {
    char path[PATH];
    cafe_report *report = NULL;
    TRY(cafe_report_new(j->context, schema, &report));
    if (j->run) cafe_run_report(j->run, 0, report);
    if (j->predicted) cafe_report_prediction(report, j->predicted);
    cafe_status status = cafe_report_write(report, file_of(l, l->name, "c.json", path), 1);
    cafe_report_free(report);
    return status;
}

static cafe_status go(job *j, const line *l) {
    char path[PATH];
    bool vectors = is(l, "vectors");
    TRY(cafe_run_graph(j->run, j->graph, j->path, &j->reading));
    TRY(cafe_run_give(j->run, &j->inputs));
    TRY(cafe_run_output(j->run, file_of(l, l->name, vectors ? "c.npy" : "c.tsv", path), 1));
    TRY(cafe_run_go(j->run));
    return write_report(j, l, vectors ? "cafe/embed/1" : "cafe/cluster/1");
}

static cafe_status predict(job *j, const line *l) {
    char path[PATH];
    cafe_predict_inputs inputs;
    int64_t nodes = cafe_graph_nodes(j->graph);
    cafe_predict_inputs_init(&inputs);
    inputs.graph = j->graph, inputs.known = &j->known, inputs.features = j->inputs.features;
    TRY(cafe_targets_from_labels(j->context, nodes, j->labels, &j->known));
    TRY(cafe_predict(j->context, &inputs, &j->predict, &j->predicted));
    FILE *file = fopen(file_of(l, l->name, "c.bytes", path), "wb");
    if (!file) return CAFE_ERROR_IO;
    fwrite(cafe_prediction_probabilities(j->predicted), sizeof(float),
           (size_t)(nodes * j->known.classes), file);
    fclose(file);
    return write_report(j, l, "cafe/predict/1");
}

static cafe_status work(job *j, const line *l) {
    char reading[LONGEST], words[LONGEST];
    cafe_run_inputs_init(&j->inputs);
    cafe_graph_options_init(&j->reading);
    cafe_predict_options_init(&j->predict);
    TRY(open_run(j, l));
    TRY(take_words(j, l, true, reading));
    TRY(cafe_graph_read(j->context, file_of(l, l->graph, "txt", j->path), &j->reading, &j->graph));
    TRY(take_words(j, l, false, words));
    return is(l, "prediction") ? predict(j, l) : go(j, l);
}

static void write_refusal(const job *j, const line *l, cafe_status status) {
    char path[PATH];
    FILE *file = fopen(file_of(l, l->name, "c.refusal", path), "w");
    if (!file) exit(1);
    fprintf(file, "%s\n%s\n", cafe_status_name(status), cafe_error(j->context));
    fclose(file);
}

static void run_line(const line *l) {
    job j = {0};
    cafe_status status = work(&j, l);
    if (status != CAFE_OK) write_refusal(&j, l, status);
    cafe_run_free(j.run);
    cafe_prediction_free(j.predicted);
    if (j.context) cafe_targets_free(j.context, &j.known);
    cafe_labels_free(j.labels);
    cafe_labels_free(j.communities);
    cafe_block_free(j.context, j.start);
    cafe_block_free(j.context, j.attributes);
    cafe_feature_file_free(j.features);
    cafe_nodes_free(j.context, j.seeds);
    cafe_nodes_free(j.context, j.keep);
    cafe_graph_free(j.graph);
    cafe_context_free(j.context);
    free(j.label);
    free(j.partition);
    free(j.names);
}

int main(int argc, char **argv) {
    char text[LONGEST];
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!list) return 2;
    while (fgets(text, sizeof text, list)) {
        char *kept = NULL;
        line l = {.folder = argv[2]};
        text[strcspn(text, "\n")] = 0;
        if (!text[0] || text[0] == '#') continue;
        l.name = strtok_r(text, " ", &kept);
        l.purpose = strtok_r(NULL, " ", &kept);
        l.method = strtok_r(NULL, " ", &kept);
        l.graph = strtok_r(NULL, " ", &kept);
        if (!l.graph) return 2;
        char words[LONGEST];
        snprintf(words, sizeof words, " %s", kept);
        l.words = words;
        run_line(&l);
    }
    fclose(list);
    return 0;
}
