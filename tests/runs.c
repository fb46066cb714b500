/* The runs of a list, one after the other, by the library: runs LIST FOLDER.
 *
 * FOLDER has the graphs and their other files. Of every run it gets NAME.c.json, the report, and
 * NAME.c.npy or NAME.c.tsv; of a refused one NAME.c.refusal: the status, then the reason with the
 * neutral names of options. python/tests/test_same.py compares them with the tool's and Python's.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
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
    cafe_labels *labels;
    int32_t *label, *seeds;
    const char **names;
    float *start, *attributes;
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

static cafe_status open_run(job *j, const line *l) {
    cafe_context_options options;
    cafe_context_options_init(&options);
    options.threads = (int32_t)number_in(l, "threads", 1);
    options.seed = (uint64_t)number_in(l, "seed", 1);
    TRY(cafe_context_create(&options, &j->context));
    cafe_lab_add(j->context);
    bool vectors = strcmp(l->purpose, "vectors") == 0;
    return cafe_run_create(j->context, vectors ? CAFE_PURPOSE_VECTORS : CAFE_PURPOSE_COMMUNITIES,
                           l->method, &j->run);
}

static cafe_status take_words(job *j, const line *l) {
    char words[LONGEST], *kept = NULL;
    snprintf(words, sizeof words, "%s", l->words);
    for (char *w = strtok_r(words, " ", &kept); w; w = strtok_r(NULL, " ", &kept)) {
        char *value = strchr(w, '=');
        if (!value) {
            TRY(read_input(j, l, w));
            continue;
        }
        *value++ = 0;
        if (strcmp(w, "limit") == 0)
            TRY(cafe_run_limit(j->run, atol(value), l->folder));
        else if (strcmp(w, "threads") != 0 && strcmp(w, "seed") != 0)
            TRY(cafe_run_set(j->run, w, value));
    }
    return CAFE_OK;
}

static cafe_status write_report(job *j, const line *l) {
    char path[PATH];
    cafe_report *report = NULL;
    bool vectors = strcmp(l->purpose, "vectors") == 0;
    TRY(cafe_report_new(j->context, vectors ? "cafe/embed/1" : "cafe/cluster/1", &report));
    cafe_run_report(j->run, 0, report);
    cafe_status status = cafe_report_write(report, file_of(l, l->name, "c.json", path), 1);
    cafe_report_free(report);
    return status;
}

static cafe_status go(job *j, const line *l) {
    char path[PATH];
    bool vectors = strcmp(l->purpose, "vectors") == 0;
    cafe_run_inputs_init(&j->inputs);
    TRY(open_run(j, l));
    TRY(cafe_graph_read(j->context, file_of(l, l->graph, "txt", j->path), NULL, &j->graph));
    TRY(take_words(j, l));
    TRY(cafe_run_graph(j->run, j->graph, j->path, NULL));
    TRY(cafe_run_give(j->run, &j->inputs));
    TRY(cafe_run_output(j->run, file_of(l, l->name, vectors ? "c.npy" : "c.tsv", path), 1));
    TRY(cafe_run_go(j->run));
    return write_report(j, l);
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
    cafe_status status = go(&j, l);
    if (status != CAFE_OK) write_refusal(&j, l, status);
    cafe_run_free(j.run);
    cafe_labels_free(j.labels);
    cafe_block_free(j.context, j.start);
    cafe_block_free(j.context, j.attributes);
    cafe_nodes_free(j.context, j.seeds);
    cafe_graph_free(j.graph);
    cafe_context_free(j.context);
    free(j.label);
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
