/* The object: created, filled in, freed. */
#include "run/run.h"

#include <string.h>

#include <cafe-private/run.h>

#include "base/memory.h"
#include "graph/node_names.h"
#include "os/os.h"
#include "solve/checkpoint.h"

/* ---- created and freed ----------------------------------------------------------------------- */

static cafe_status find_method(cafe_run *run, const char *name) {
    bool vectors = run->purpose == CAFE_PURPOSE_VECTORS;
    size_t count;
    const cafe_method *const *all = cafe_methods(run->context, &count);
    for (size_t i = 0; i < count && !run->method; i++)
        if ((vectors ? all[i]->vectors : all[i]->communities) &&
            (!name || strcmp(all[i]->name, name) == 0))
            run->method = all[i];
    if (run->method) return CAFE_OK;
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, "no method '%s' finds %s", name,
                     vectors ? "vectors" : "communities");
}

static void set_table(cafe_run *run, int i, const cafe_option_table *table, void *values) {
    run->tables[i].table = table;
    run->tables[i].values = values;
    cafe_options_init(table, values, table->struct_size);
}

/* Methods that see the graph itself have no sampling; communities have no finish. */
static cafe_status make_tables(cafe_run *run) {
    const cafe_method *m = run->method;
    bool vectors = run->purpose == CAFE_PURPOSE_VECTORS;
    const cafe_option_table *own = vectors ? m->vectors() : m->communities();
    void *values = cafe_mem(run->context, 1, own->struct_size);
    run->tables[RUN_OWN].values = values;
    run->settled = cafe_mem(run->context, 1, own->struct_size);
    CAFE_PASS(cafe_mem_had(values, run->settled));
    set_table(run, RUN_OWN, own, values);
    if (m->takes & CAFE_TAKES_SAMPLING)
        set_table(run, RUN_SAMPLE, cafe_sample_option_table(), &run->sample);
    if (!vectors) set_table(run, RUN_TRIALS, cafe_trials_option_table(), &run->trials_options);
    if (m->takes & CAFE_TAKES_FEATURES)
        set_table(run, RUN_FEATURES, cafe_feature_option_table(), &run->features);
    if (!vectors) return CAFE_OK;
    set_table(run, RUN_FINISH, cafe_finish_option_table(), &run->finish);
    set_table(run, RUN_PROPAGATE, cafe_propagate_option_table(), &run->propagation);
    set_table(run, RUN_RANKS, cafe_ranks_option_table(), &run->ranks);
    run->finish.form = m->form;
    return CAFE_OK;
}

cafe_status cafe_run_create(cafe_context *context, cafe_purpose purpose, const char *method,
                            cafe_run **run) {
    cafe_run *r = *run = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) return CAFE_ERROR_MEMORY;
    r->context = context;
    r->purpose = purpose;
    r->division.ranks = 1;
    r->began = cafe_os_seconds();
    cafe_method_options_init(&r->options);
    cafe_method_inputs_init(&r->inputs);
    cafe_sample_inputs_init(&r->sample_inputs);
    cafe_status status = find_method(r, method);
    if (status == CAFE_OK) status = make_tables(r);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_run_free(r);
    *run = NULL;
    return status;
}

void cafe_run_free(cafe_run *run) {
    if (!run) return;
    cafe_context *context = run->context;
    cafe_checkpoint_free(context, run->checkpoint);
    cafe_clustering_free(run->clustering);
    cafe_layers_free(run->layers);
    cafe_run_forget_start(run);
    cafe_run_forget_trials(run);
    cafe_embedding_free(run->embedding);
    cafe_solution_free(run->solution);
    if (!run->borrowed) cafe_model_free(run->model);
    for (int64_t i = 0; i < run->warning_count; i++) cafe_mem_free(context, run->warnings[i]);
    cafe_mem_free_all(context, run->warnings, run->objective, run->tables[RUN_OWN].values,
                      run->settled, run->profile, run->bound_file, run->path, run->output,
                      run->folder, run);
}

/* ---- filled in ------------------------------------------------------------------------------- */

/* Anything that is given anew makes the forecast and the settled options old. */
cafe_status cafe_run_change(cafe_run *run) {
    if (run->step != CAFE_STEP_NONE)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         "the run has begun: make another one for other options");
    run->is_settled = run->planned = false;
    return CAFE_OK;
}

static cafe_status keep_text(cafe_run *run, const char *text, char **kept) {
    cafe_mem_free(run->context, *kept);
    *kept = text ? cafe_mem_text(run->context, text) : NULL;
    return *kept || !text ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_run_graph(cafe_run *run, const cafe_graph *graph, const char *path,
                           const cafe_graph_options *reading) {
    CAFE_PASS(cafe_run_change(run));
    run->graph = graph;
    run->reading = reading ? reading : cafe_graph_tables(graph);
    run->counts = *cafe_graph_get_counts(graph);
    run->sized = true;
    run->seconds[CAFE_STEP_NONE] = cafe_os_seconds() - run->began;
    CAFE_PASS(keep_text(run, path, &run->path));
    return cafe_run_warn_graph(run);
}

cafe_status cafe_run_size(cafe_run *run, int64_t nodes, int64_t edges) {
    CAFE_PASS(cafe_run_change(run));
    run->graph = NULL;
    run->counts = (cafe_graph_counts){.nodes = nodes, .edges = edges};
    run->sized = true;
    return CAFE_OK;
}

cafe_status cafe_run_give(cafe_run *run, const cafe_run_inputs *inputs) {
    CAFE_PASS(cafe_run_change(run));
    CAFE_PASS(cafe_inputs_take(run->context, "a run", inputs, &run->given, sizeof run->given));
    const cafe_run_inputs *g = &run->given;
    run->inputs.labels = g->labels;
    run->inputs.classes = g->classes;
    run->inputs.start = g->start;
    run->inputs.start_columns = g->start_columns;
    run->inputs.partition = g->partition;
    run->inputs.keep = g->keep;
    run->inputs.keep_count = g->keep_count;
    run->inputs.features = g->features;
    run->sample_inputs.attributes = g->attributes;
    run->sample_inputs.width = g->attribute_columns;
    run->sample_inputs.seeds = g->seeds;
    run->sample_inputs.seed_count = g->seed_count;
    run->inputs.sample = g->attributes || g->seeds ? &run->sample_inputs : NULL;
    return CAFE_OK;
}

cafe_status cafe_run_share(cafe_run *run, const cafe_run *from) {
    CAFE_PASS(cafe_run_change(run));
    run->from = from;
    return CAFE_OK;
}

cafe_status cafe_run_output(cafe_run *run, const char *path, int32_t overwrite) {
    CAFE_PASS(cafe_run_change(run));
    run->overwrite = overwrite;
    return keep_text(run, path, &run->output);
}

/* The folder of the path, in its place. */
static void cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    else
        memcpy(path, ".", path[0] ? 2 : 1);
}

cafe_status cafe_run_limit(cafe_run *run, int64_t bytes, const char *folder) {
    CAFE_PASS(cafe_run_change(run));
    run->limit = bytes;
    CAFE_PASS(keep_text(run, folder ? folder : run->output ? run->output : ".", &run->folder));
    if (!folder) cut_name(run->folder);
    return cafe_limit_memory(run->context, bytes, run->folder);
}

cafe_status cafe_run_checkpoint(cafe_run *run, const char *path, int64_t every) {
    CAFE_PASS(cafe_run_change(run));
    cafe_checkpoint_free(run->context, run->checkpoint);
    run->checkpoint = NULL;
    return path ? cafe_checkpoint_open(run->context, path, every, &run->checkpoint) : CAFE_OK;
}

/* ---- looked at ------------------------------------------------------------------------------- */

static const cafe_layers *layers_of(const cafe_run *run) {
    return run->clustering ? cafe_clustering_get(run->clustering)->layers : run->layers;
}

const cafe_run_results *cafe_run_get(cafe_run *run) {
    run->results = (cafe_run_results){
        .method = run->method,
        .options = &run->options,
        .model = run->model,
        .sampled = run->model ? cafe_model_sampled(run->model) : NULL,
        .op = run->model ? cafe_model_operator(run->model) : NULL,
        .course = &run->course,
        .division = &run->division,
        .changes = cafe_run_changes_of(run),
        .layers = layers_of(run),
        .clustering = run->clustering,
        .embedding = run->embedding,
        .checkpoint = run->checkpoint ? cafe_checkpoint_get(run->checkpoint) : NULL,
        .seconds = run->seconds,
        .trials = cafe_run_trials_of(run),
        .profile_count = run->profile_count,
        .profile = run->profile,
        .features = run->model ? cafe_model_features(run->model) : NULL,
    };
    return &run->results;
}
