/* cafe update: old graph, changes and old vectors into new vectors, with what moved and how far.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "graph_text.h"
#include "memory.h"
#include "output.h"

typedef struct update_values {
    cli_common common;
    const char *from, *output, *graph_out, *json, *drift, *communities;
    bool full;
    cafe_graph_options graph;
    cafe_update_options update;
    cafe_transition_options transition;
} update_values;

typedef struct update_job {
    cli_run run;
    const update_values *values;
    const char *path, *changes_path;
    cafe_graph *old;
    cafe_graph_counts old_counts, counts;
    cafe_labels *labels;
    cafe_changes *changes;
    cafe_change_counts changed;
    float *rows;
    int64_t columns;
    cafe_updated *updated;
    cafe_update_report report;
    cafe_transition *transition;
    cafe_transition_report communities;
    bool full; /* the run from scratch that --full asks for was made: */
    double full_objective, full_seconds;
    int64_t full_sweeps;
    double update_seconds;
} update_job;

static bool is_npy(const char *path) {
    return strcasecmp(cli_extension(path), ".npy") == 0;
}

/* ---- before the work --------------------------------------------------------------------------
 */

static int check_names(const update_values *v) {
    const char *paths[] = {v->output, v->graph_out, v->json, v->drift};
    enum { PATHS = sizeof paths / sizeof *paths };
    int code = CLI_OK;
    if (!v->from)
        return cli_usage_error("update",
                               "from what? give --from OLD.npy (the raw form of the old "
                               "vectors: cafe embed --output-form raw)");
    if (!v->output && !v->json)
        return cli_usage_error("update", "where to? give -o FILE (or --json)");
    if (v->output && !is_npy(v->output) && strcasecmp(cli_extension(v->output), ".tsv") != 0 &&
        strcasecmp(cli_extension(v->output), ".txt") != 0)
        return cli_usage_error(
            "update", "%s: the ending tells the format and is one of .npy .tsv .txt", v->output);
    if (v->graph_out && cli_graph_format(v->graph_out) == CAFE_FORMAT_AUTO)
        return cli_unknown_graph_format("update", v->graph_out);
    for (int i = 0; i < PATHS; i++)
        for (int j = 0; j < i; j++)
            if (paths[i] && paths[j] && strcmp(paths[i], paths[j]) == 0)
                return cli_usage_error("update", "two outputs cannot both go to %s", paths[i]);
    for (int i = 0; i < PATHS && code == CLI_OK; i++)
        code = cli_output_check("update", &v->common, paths[i]);
    return code;
}

/* A .npy file has no room for names: they go into a file beside it, which must be free too. */
static int check_names_file(update_job *job) {
    const char *output = job->values->output;
    char *path = NULL;
    if (!output || !is_npy(output) ||
        cafe_graph_names_are_indices(cafe_changes_graph(job->changes)))
        return CLI_OK;
    if (asprintf(&path, "%s.names.txt", output) < 0)
        return cli_error(&job->run, CLI_FAILED, "out of memory");
    int code = cli_output_check("update", &job->values->common, path);
    free(path);
    return code;
}

/* ---- the phases -------------------------------------------------------------------------------
 */

static int read_rows(update_job *job) {
    int64_t rows = 0;
    int code = cli_check(&job->run, cafe_block_read(job->run.context, job->values->from, &rows,
                                                    &job->columns, &job->rows));
    if (code != CLI_OK || rows == job->old_counts.nodes) return code;
    return cli_error(&job->run, CLI_INPUT,
                     "%s: expected vectors of %" PRId64 " nodes, found %" PRId64, job->values->from,
                     job->old_counts.nodes, rows);
}

static int read_input(update_job *job) {
    const update_values *v = job->values;
    cafe_context *context = job->run.context;
    int code = cli_check(&job->run, cafe_graph_read(context, job->path, &v->graph, &job->old));
    if (code != CLI_OK) return code;
    job->old_counts = *cafe_graph_get_counts(job->old);
    cli_say_graph(&job->run, job->path, job->old);
    if ((code = read_rows(job)) != CLI_OK) return code;
    code = cli_check(&job->run,
                     cafe_changes_read(context, job->old, job->changes_path, &job->changes));
    if (code != CLI_OK) return code;
    job->changed = *cafe_changes_get_counts(job->changes);
    job->counts = *cafe_graph_get_counts(cafe_changes_graph(job->changes));
    if (v->communities)
        code =
            cli_check(&job->run, cafe_labels_read(context, job->old, v->communities, &job->labels));
    return code == CLI_OK ? check_names_file(job) : code;
}

static int update(update_job *job) {
    double began = cli_seconds();
    int code = cli_check(&job->run, cafe_update(job->run.context, job->changes, job->columns,
                                                job->rows, &job->values->update, &job->updated));
    job->update_seconds = cli_seconds() - began;
    if (code == CLI_OK) job->report = *cafe_updated_get(job->updated);
    return code;
}

/* The run from scratch with the same tolerance and as many sweeps at most. */
static cafe_status solve_full(update_job *job, const cafe_operator *op) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = job->columns;
    o.sweeps = job->values->update.sweeps;
    o.tolerance = job->values->update.tolerance;
    double began = cli_seconds();
    cafe_status status = cafe_sphere(job->run.context, op, &o, NULL, &solution);
    if (status != CAFE_OK) return status;
    job->full = true;
    job->full_seconds = cli_seconds() - began;
    job->full_sweeps = cafe_solution_sweeps(solution);
    job->full_objective = cafe_solution_objective(solution)[job->full_sweeps];
    cafe_solution_free(solution);
    return CAFE_OK;
}

/* Old communities carried over to the new nodes' order, and the new ones found afresh. */
static cafe_status compare_communities(update_job *job, const cafe_operator *op) {
    cafe_context *context = job->run.context;
    const int32_t *origin = cafe_changes_origin(job->changes);
    int64_t n = job->counts.nodes;
    cafe_layers *layers = NULL;
    cafe_layer top;
    int32_t *old = malloc((size_t)(job->old_counts.nodes + 1) * sizeof *old);
    int32_t *before = malloc((size_t)(n + 1) * sizeof *before);
    cafe_status status = old && before ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_labels_single(context, job->labels, old);
    if (status == CAFE_OK) status = cafe_layers_find(context, op, NULL, &layers);
    if (status == CAFE_OK) {
        for (int64_t u = 0; u < n; u++) before[u] = origin[u] < 0 ? -1 : old[origin[u]];
        top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        status = cafe_transition_find(context, n, before, top.partition, job->report.drift,
                                      &job->values->transition, &job->transition);
    }
    if (status == CAFE_OK) job->communities = *cafe_transition_get(job->transition);
    cafe_layers_free(layers);
    free(old);
    free(before);
    return status;
}

/* What is asked for beside the update: both need the new graph's operator. */
static int compare(update_job *job) {
    cafe_context *context = job->run.context;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    if (!job->values->full && !job->labels) return CLI_OK;
    cafe_status status =
        cafe_sample(context, cafe_changes_graph(job->changes), CAFE_SAMPLING_EDGE, &sampled);
    if (status == CAFE_OK) status = cafe_operator_modularity(context, sampled, &op);
    if (status == CAFE_OK && job->labels) status = compare_communities(job, op);
    if (status == CAFE_OK && job->values->full) status = solve_full(job, op);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return cli_check(&job->run, status);
}

/* ---- for people -------------------------------------------------------------------------------
 */

static double objective(const update_job *job) {
    return job->report.objective[job->report.rounds];
}

/* Arcs visited, of sums and of messages, in full sweeps of the new graph. */
static double work(const update_job *job) {
    const cafe_update_report *r = &job->report;
    return r->arcs > 0 ? (double)(r->arcs_summed + r->arcs_marked) / (double)r->arcs : 0;
}

static void say_changes(update_job *job) {
    const cafe_change_counts *c = &job->changed;
    cli_say(&job->run,
            "changes   %" PRId64 " edges added, %" PRId64 " removed, %" PRId64
            " of another weight; %" PRId64 " new nodes; %" PRId64 " nodes touched",
            c->added, c->removed, c->reweighted, c->new_nodes, c->touched);
    if (c->repeated + c->loops > 0)
        cli_say(&job->run,
                "          %" PRId64 " added edges were there already, %" PRId64
                " self-loops dropped",
                c->repeated, c->loops);
}

static void say_update(update_job *job) {
    const cafe_update_report *r = &job->report;
    cli_say(&job->run,
            "update    %" PRId64 " round%s over %" PRId64 " of %" PRId64
            " nodes: objective %.6g -> %.6g%s",
            r->rounds, r->rounds == 1 ? "" : "s", r->swept, r->nodes, r->objective[0],
            objective(job), r->converged ? ", converged to the tolerance" : "");
    cli_say(&job->run, "work      %.3f of a full sweep (%" PRId64 " arcs summed, %" PRId64 " told)",
            work(job), r->arcs_summed, r->arcs_marked);
    if (job->full)
        cli_say(&job->run,
                "full run  %" PRId64
                " sweeps: objective %.6g (the update's is %+.3f%%), %.3f "
                "seconds against %.3f",
                job->full_sweeps, job->full_objective,
                100 * (objective(job) / job->full_objective - 1), job->full_seconds,
                job->update_seconds);
    cli_say(&job->run,
            "drift     mean %.4f, largest %.4f radians; subspace angle %.4f, mean %.4f; rotation "
            "%.3g",
            r->drift_mean, r->drift_max, r->subspace_angle, r->subspace_mean_angle,
            r->rotation_distance);
    if (!job->transition) return;
    const cafe_transition_report *t = &job->communities;
    cli_say(&job->run,
            "groups    %" PRId64 " before, %" PRId64 " now: %" PRId64 " born, %" PRId64
            " died, %" PRId64 " split, %" PRId64 " mergers",
            t->old_count, t->new_count, t->born, t->died, t->split, t->merged);
}

/* ---- for programs -----------------------------------------------------------------------------
 */

static void put_changes(cli_json *json, const update_job *job) {
    const cafe_change_counts *c = &job->changed;
    cli_json_open(json, "changes", '{');
    cli_json_text(json, "path", job->changes_path);
    cli_json_integer(json, "lines", c->lines);
    cli_json_integer(json, "added", c->added);
    cli_json_integer(json, "removed", c->removed);
    cli_json_integer(json, "reweighted", c->reweighted);
    cli_json_integer(json, "repeated", c->repeated);
    cli_json_integer(json, "loops", c->loops);
    cli_json_integer(json, "new_nodes", c->new_nodes);
    cli_json_integer(json, "touched", c->touched);
    cli_json_close(json, '}');
}

static void put_update(cli_json *json, const update_job *job) {
    const cafe_update_report *r = &job->report;
    cli_json_integer(json, "nodes", r->nodes);
    cli_json_integer(json, "edges", job->counts.edges);
    cli_json_integer(json, "columns", r->columns);
    cli_json_integer(json, "rounds", r->rounds);
    cli_json_bool(json, "converged", r->converged != 0);
    cli_json_reals(json, "objective", r->objective, r->rounds + 1);
    cli_json_real(json, "objective_before", r->objective[0]);
    cli_json_real(json, "objective_after", objective(job));
    cli_json_integer(json, "swept", r->swept);
    cli_json_real(json, "swept_share", r->nodes > 0 ? (double)r->swept / (double)r->nodes : 0);
    cli_json_integer(json, "updates", r->updates);
    cli_json_integer(json, "arcs", r->arcs);
    cli_json_integer(json, "arcs_summed", r->arcs_summed);
    cli_json_integer(json, "arcs_marked", r->arcs_marked);
    cli_json_real(json, "work", work(job));
    cli_json_real(json, "drift_mean", r->drift_mean);
    cli_json_real(json, "drift_max", r->drift_max);
    cli_json_integer(json, "moved", r->moved);
    cli_json_real(json, "subspace_angle", r->subspace_angle);
    cli_json_real(json, "subspace_mean_angle", r->subspace_mean_angle);
    cli_json_real(json, "rotation_distance", r->rotation_distance);
    cli_json_real(json, "update_seconds", job->update_seconds);
}

static void put_full(cli_json *json, const update_job *job) {
    if (!job->full) return;
    cli_json_open(json, "full_run", '{');
    cli_json_integer(json, "sweeps", job->full_sweeps);
    cli_json_integer(json, "arcs_summed", job->full_sweeps * job->report.arcs);
    cli_json_real(json, "objective", job->full_objective);
    cli_json_real(json, "seconds", job->full_seconds);
    cli_json_close(json, '}');
}

static void put_old(cli_json *json, const update_job *job, int64_t c) {
    const cafe_transition_report *t = &job->communities;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", cafe_labels_class_name(job->labels, c));
    cli_json_integer(json, "size", t->old_size[c]);
    cli_json_integer(json, "heir", t->heir[c]);
    cli_json_integer(json, "pieces", t->pieces[c]);
    cli_json_real(json, "drift_mean", t->old_drift[c]);
    cli_json_close(json, '}');
}

static void put_communities(cli_json *json, const update_job *job) {
    const cafe_transition_report *t = &job->communities;
    if (!job->transition) return;
    cli_json_open(json, "communities", '{');
    cli_json_integer(json, "before", t->old_count);
    cli_json_integer(json, "after", t->new_count);
    cli_json_integer(json, "born", t->born);
    cli_json_integer(json, "died", t->died);
    cli_json_integer(json, "split", t->split);
    cli_json_integer(json, "merged", t->merged);
    cli_json_open(json, "old", '[');
    for (int64_t c = 0; c < t->old_count; c++) put_old(json, job, c);
    cli_json_close(json, ']');
    cli_json_open(json, "new", '[');
    for (int64_t d = 0; d < t->new_count; d++) {
        cli_json_open(json, NULL, '{');
        cli_json_integer(json, "size", t->new_size[d]);
        cli_json_integer(json, "parent", t->parent[d]);
        cli_json_integer(json, "sources", t->sources[d]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static int put_report(FILE *file, const void *argument) {
    const update_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/update/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->old_counts);
    put_changes(&json, job);
    cli_json_open(&json, "options", '{');
    cli_json_unsigned(&json, "seed", cafe_seed(job->run.context));
    cli_json_integer(&json, "threads", cafe_threads(job->run.context));
    cli_json_options(&json, cafe_update_option_table(), &job->values->update);
    cli_json_close(&json, '}');
    put_update(&json, job);
    put_full(&json, job);
    put_communities(&json, job);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_integer(&json, "peak_bytes", cli_memory_peak());
    cli_json_close(&json, '}');
    return CLI_OK;
}

/* ---- files ------------------------------------------------------------------------------------
 */

static int write_report(update_job *job) {
    return cli_write_file(&job->run, job->values->json, put_report, job);
}

/* node, tab, drift in radians; a new node has none. */
static int put_drift(update_job *job, FILE *file) {
    const cafe_graph *graph = cafe_changes_graph(job->changes);
    size_t capacity = 1;
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        size_t length = cafe_graph_name(graph, u, &(char){0}, 1);
        if (length + 1 > capacity) capacity = length + 1;
    }
    char *name = malloc(capacity);
    if (!name) return cli_error(&job->run, CLI_FAILED, "out of memory: names");
    fputs("node\tdrift\n", file);
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        cafe_graph_name(graph, u, name, capacity);
        cli_put_cell(file, name);
        if (job->report.drift[u] < 0)
            fputs("\tnew\n", file);
        else
            fprintf(file, "\t%.9g\n", job->report.drift[u]);
    }
    free(name);
    return CLI_OK;
}

static int write_drift(update_job *job) {
    cli_output output;
    if (!job->values->drift) return CLI_OK;
    int code = cli_output_open(&job->run, job->values->drift, &output);
    if (code != CLI_OK) return code;
    code = put_drift(job, output.file);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

static int write_files(update_job *job) {
    const update_values *v = job->values;
    cafe_context *context = job->run.context;
    int code = CLI_OK;
    if (v->output)
        code = cli_check(&job->run, cafe_updated_write(context, job->updated, job->changes,
                                                       v->output, v->common.force));
    if (code == CLI_OK && v->graph_out)
        code =
            cli_check(&job->run, cafe_graph_write(context, cafe_changes_graph(job->changes),
                                                  v->graph_out, CAFE_FORMAT_AUTO, v->common.force));
    if (code == CLI_OK) code = write_drift(job);
    return code == CLI_OK ? write_report(job) : code;
}

/* ---- the command ------------------------------------------------------------------------------
 */

static int work_through(update_job *job) {
    int code = read_input(job);
    if (code != CLI_OK) return code;
    say_changes(job);
    if ((code = update(job)) != CLI_OK) return code;
    if ((code = compare(job)) != CLI_OK) return code;
    say_update(job);
    return write_files(job);
}

static int run_update(const void *values, const cli_arguments *arguments) {
    update_job job = {
        .values = values, .path = arguments->words[0], .changes_path = arguments->words[1]};
    int code = check_names(job.values);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "update", &job.values->common);
    if (code == CLI_OK) code = work_through(&job);
    cafe_transition_free(job.transition);
    cafe_updated_free(job.updated);
    if (job.rows) cafe_block_free(job.run.context, job.rows);
    cafe_changes_free(job.changes);
    cafe_labels_free(job.labels);
    cafe_graph_free(job.old);
    return cli_end(&job.run, code);
}

#define FIELD(name) offsetof(update_values, name)

static const cli_option options[] = {
    {"from", 0, "FILE", CLI_TEXT, FIELD(from), NULL, NULL,
     "the old vectors as .npy, in their raw form (cafe embed --output-form raw)"},
    {"output", 'o', "FILE", CLI_TEXT, FIELD(output), NULL, NULL,
     "the new vectors, raw form: .npy (float32; names in FILE.names.txt unless they are 0 .. n-1), "
     ".tsv or .txt"},
    {"graph-out", 0, "FILE", CLI_TEXT, FIELD(graph_out), NULL, NULL,
     "the changed graph; a .cafe file keeps the order of the nodes and those without edges"},
    {"drift", 0, "FILE", CLI_TEXT, FIELD(drift), NULL, NULL,
     "each node and the angle between its old and new vector, separated by a tab; - is standard "
     "output"},
    {"communities", 0, "FILE", CLI_TEXT, FIELD(communities), NULL, NULL,
     "the old communities, as cafe cluster writes them: reports births, deaths, splits, mergers "
     "and drift"},
    {"full", 0, NULL, CLI_FLAG, FIELD(full), NULL, NULL,
     "also run from scratch, with the same tolerance, and report both side by side"},
    {"json", 0, "FILE", CLI_TEXT, FIELD(json), NULL, NULL,
     "a report with every figure of the run; - is standard output"},
    CLI_ROW_FORCE,
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Update", NULL, cafe_update_option_table, FIELD(update)},
    {"Communities", NULL, cafe_transition_option_table, FIELD(transition)},
    {"Reading the graph", NULL, cafe_graph_option_table, FIELD(graph)},
    {0},
};

const cli_command cli_update = {
    .name = "update",
    .arguments = "OLD-GRAPH CHANGES --from OLD.npy -o NEW.npy [options]",
    .summary = "new vectors after edges came and went, from the old ones",
    .description =
        "Reads a graph, the edges that were added (+ u v [w]) and removed (- u v), and the old "
        "vectors; sweeps only the nodes that the changes reach, and rotates the result onto the "
        "old coordinates. Reports how far nodes and communities drifted.",
    .groups = groups,
    .size = sizeof(update_values),
    .least = 2,
    .most = 2,
    .run = run_update,
};
