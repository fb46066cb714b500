/* cafe update: old graph, changes and old vectors into new vectors, with what moved and how far;
 * and old communities into new ones, with the vectors or alone. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/writers.h>

#include <cafe-private/changes.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "report.h"
#include "start.h"
#include "vectors.h"

typedef struct update_job {
    cli_run run; /* its graph is the old one */
    const char *since, *from, *graph_out, *drift, *communities_path, *communities_out;
    bool full;
    cafe_update_options options;
    cafe_transition_options transition_options;
    int64_t nodes;   /* of the new graph */
    cafe_graph *now; /* the whole new graph of --since */
    cafe_labels *labels;
    cafe_changes *changes;
    cafe_changes_report changed;
    float *rows;
    int64_t columns;
    cafe_updated *updated;
    cafe_update_report report;
    cafe_regrouped *regrouped;
    const cafe_regrouped_report *moves;
    cafe_transition *transition;
    cafe_transition_report communities;
    double full_objective, full_seconds; /* of the run from scratch that --full asks for */
    int64_t full_sweeps;
    double update_seconds;
} update_job;

/* ---- the phases ------------------------------------------------------------------------------ */

/* The graph of the run is the old one: the first word, or the file of --since. */
static int read_graphs(update_job *job) {
    cli_run *run = &job->run;
    if (!job->since) return cli_read_graph(run, NULL);
    CLI_TRY(cli_read_labelled(run, job->since, &run->common.reading, NULL, &run->graph));
    run->counts = *cafe_graph_get_counts(run->graph);
    return cli_read_labelled(run, run->words[0], &run->common.reading, NULL, &job->now);
}

static int read_changes(update_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(
        run, job->now
                 ? cafe_changes_between(run->context, run->graph, job->now, NULL, &job->changes)
                 : cafe_changes_read(run->context, run->graph, run->words[1], &job->changes)));
    job->changed = *cafe_changes_get(job->changes);
    job->nodes = run->counts.nodes + job->changed.new_nodes - job->changed.lost_nodes;
    return CLI_OK;
}

/* Names are 0 .. n-1 in the new graph. */
static bool names_are_indices(const update_job *job) {
    if (job->now) return cafe_graph_names_are_indices(job->now);
    return job->changed.new_nodes == 0 && cafe_graph_names_are_indices(job->run.graph);
}

static int read_vectors(update_job *job) {
    cli_run *run = &job->run;
    char made[CAFE_VECTORS_MADE];
    if (!job->from) return CLI_OK;
    CLI_TRY(cli_read_vectors(run, job->from, NULL, &run->graph, &job->columns, &job->rows, made));
    return cli_made_with(run, job->from, made, CAFE_SAMPLING_EDGE, job->options.degree_exponent,
                         &job->options.degree_exponent);
}

static int read_input(update_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(read_graphs(job));
    CLI_TRY(read_vectors(job));
    CLI_TRY(read_changes(job));
    if (job->communities_path)
        CLI_TRY(cli_read_labels(run, run->graph, job->communities_path, &job->labels));
    if (names_are_indices(job)) return CLI_OK;
    return cli_check_names_file(run, run->common.output);
}

static int update(update_job *job) {
    if (!job->from) return CLI_OK;
    double began = cli_seconds();
    CLI_TRY(cli_check(&job->run, cafe_update(job->run.context, job->changes, job->columns,
                                             job->rows, &job->options, &job->updated)));
    job->update_seconds = cli_seconds() - began;
    job->report = *cafe_updated_get(job->updated);
    return CLI_OK;
}

/* The run from scratch with the same tolerance and as many sweeps at most. */
static cafe_status solve_full(update_job *job, const cafe_operator *op) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = job->columns;
    o.sweeps = job->options.sweeps;
    o.tolerance = job->options.tolerance;
    double began = cli_seconds();
    cafe_status status = cafe_sphere(job->run.context, op, &o, NULL, &solution);
    if (status != CAFE_OK) return status;
    job->full_seconds = cli_seconds() - began;
    job->full_sweeps = cafe_solution_get(solution)->sweeps;
    job->full_objective = cafe_solution_get(solution)->objective[job->full_sweeps];
    cafe_solution_free(solution);
    return CAFE_OK;
}

/* A full run as the vectors have it. */
static int compare_full(update_job *job) {
    cafe_context *context = job->run.context;
    cafe_sample_options o;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    if (!job->full) return CLI_OK;
    cafe_sample_options_init(&o);
    o.degree_exponent = job->options.degree_exponent;
    cafe_status status = cafe_sample(context, cafe_changes_graph(job->changes), CAFE_SAMPLING_EDGE,
                                     &o, NULL, &sampled);
    if (status == CAFE_OK) status = cafe_operator_modularity(context, sampled, &op);
    if (status == CAFE_OK) status = solve_full(job, op);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return cli_check(&job->run, status);
}

/* The old communities, in the order of the new nodes: their indices, and their numbers. */
static int carry_communities(update_job *job, int32_t *before, int32_t *start) {
    cli_run *run = &job->run;
    const int32_t *origin = cafe_changes_get(job->changes)->origin;
    int32_t *old = cli_new(run, run->counts.nodes, sizeof *old);
    if (!old) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_labels_single(run->context, job->labels, old)));
    for (int64_t u = 0; u < job->nodes; u++)
        before[u] = start[u] = origin[u] < 0 ? -1 : old[origin[u]];
    cli_community_numbers(job->labels, job->nodes, start);
    return CLI_OK;
}

/* Against the new ones, which start from them. */
static int compare_communities(update_job *job) {
    cli_run *run = &job->run;
    int64_t n = job->nodes;
    if (!job->labels) return CLI_OK;
    int32_t *before = cli_new(run, n, sizeof *before), *start = cli_new(run, n, sizeof *start);
    if (!before || !start) return CLI_RESOURCES;
    CLI_TRY(carry_communities(job, before, start));
    CLI_TRY(cli_check(run,
                      cafe_communities_update(run->context, job->changes, start, &job->regrouped)));
    job->moves = cafe_regrouped_get(job->regrouped);
    CLI_TRY(cli_check(
        run, cafe_transition_find(run->context, n, before, job->moves->after, job->report.drift,
                                  &job->transition_options, &job->transition)));
    job->communities = *cafe_transition_get(job->transition);
    return CLI_OK;
}

/* ---- for people ------------------------------------------------------------------------------ */

static double objective(const update_job *job) {
    return job->report.objective[job->report.rounds];
}

/* Arcs visited, of sums and of messages, in full sweeps of the new graph. */
static double full_sweeps(const update_job *job) {
    const cafe_update_report *r = &job->report;
    return r->arcs > 0 ? (double)(r->arcs_summed + r->arcs_marked) / (double)r->arcs : 0;
}

static void say_changes(update_job *job) {
    const cafe_changes_report *c = &job->changed;
    cli_say(&job->run,
            "changes   %" PRId64 " edge%s added, %" PRId64 " removed, %" PRId64
            " of another weight; %" PRId64 " new node%s; %" PRId64 " node%s touched",
            c->added, cli_plural(c->added), c->removed, c->reweighted, c->new_nodes,
            cli_plural(c->new_nodes), c->touched, cli_plural(c->touched));
    if (c->lost_nodes > 0)
        cli_say(&job->run, "          %" PRId64 " node%s that the new graph does not have",
                c->lost_nodes, cli_plural(c->lost_nodes));
    if (*c->reading) cli_say(&job->run, "          %s", c->reading);
    if (!job->since) cli_told_table(&job->run, job->run.words[1]);
    if (c->repeated + c->loops > 0)
        cli_say(&job->run,
                "          left out: %" PRId64 " added edge%s that the graph had, %" PRId64
                " self-loop%s",
                c->repeated, cli_plural(c->repeated), c->loops, cli_plural(c->loops));
}

static void say_vectors(update_job *job) {
    const cafe_update_report *r = &job->report;
    cli_say(&job->run,
            "update    %" PRId64 " round%s over %" PRId64 " of %" PRId64
            " nodes: objective %.4g -> %.4g%s",
            r->rounds, cli_plural(r->rounds), r->swept, r->nodes, r->objective[0], objective(job),
            r->converged ? ", converged to the tolerance" : "");
    cli_say(&job->run, "work      %.3f of a full sweep", full_sweeps(job));
    if (job->full)
        cli_say(&job->run,
                "full run  %" PRId64
                " sweeps: objective %.4g (the update's is %+.3f%%), %.3f "
                "seconds against %.3f",
                job->full_sweeps, job->full_objective,
                100 * (objective(job) / job->full_objective - 1), job->full_seconds,
                job->update_seconds);
    cli_say(&job->run, "drift     mean %.4f, largest %.4f radians", r->drift_mean, r->drift_max);
    if (r->rotated)
        cli_say(&job->run, "          subspace angle %.4f, mean %.4f; rotation %.3g",
                r->subspace_angle, r->subspace_mean_angle, r->rotation_distance);
    else
        cli_say(&job->run, "          %" PRId64 " rows moved, and %" PRId64 " keep their bits",
                r->moved, r->nodes - r->new_nodes - r->moved);
    if (job->options.state)
        cli_say(&job->run, "state     %s",
                r->resumed         ? "used, and brought up to date"
                : r->foreign_state ? "made: the old one was of another graph or other vectors"
                                   : "made: the next update will use it");
}

static void say_communities(update_job *job) {
    const cafe_transition_report *t = &job->communities;
    cli_say(&job->run,
            "groups    %" PRId64 " before, %" PRId64 " now: %" PRId64 " born, %" PRId64
            " died, %" PRId64 " split, %" PRId64 " mergers; %" PRId64 " node%s moved",
            t->old_count, t->new_count, t->born, t->died, t->split, t->merged, job->moves->moved,
            cli_plural(job->moves->moved));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_full(cafe_report *report, const update_job *job) {
    if (!job->full) return;
    cafe_report_open(report, "full_run", '{');
    cafe_report_integer(report, "sweeps", job->full_sweeps);
    cafe_report_integer(report, "arcs_summed", job->full_sweeps * job->report.arcs);
    cafe_report_real(report, "objective", job->full_objective);
    cafe_report_real(report, "seconds", job->full_seconds);
    cafe_report_close(report);
}

static void put_report(cafe_report *report, const void *argument) {
    const update_job *job = argument;
    cafe_report_graph(report, job->since ? job->since : job->run.words[0], job->run.graph);
    cafe_report_changes(report, job->run.words[job->since ? 0 : 1], job->changes);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_update_option_table(), &job->options);
    cafe_report_close(report);
    if (job->updated) {
        cafe_report_updated(report, job->updated);
        cafe_report_real(report, "update_seconds", job->update_seconds);
    }
    put_full(report, job);
    if (job->transition) {
        cafe_report_integer(report, "nodes_kept", job->moves->kept);
        cafe_report_integer(report, "nodes_moved", job->moves->moved);
        cafe_report_truth(report, "searched_whole", job->moves->whole);
        cafe_report_transition(report, job->transition, job->labels, job->moves->number);
    }
    cli_report_seconds(report, &job->run);
    cli_report_memory(report, &job->run);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* node, tab, drift in radians; nan for a new node, so that the column stays one of numbers. */
static int put_drift(FILE *file, const void *argument) {
    const update_job *job = argument;
    cli_put_heading(file, &job->run, "node\tdrift");
    for (int64_t u = 0; u < job->nodes; u++) {
        cli_put_node(file, &job->run, cafe_changes_graph(job->changes), u);
        if (job->report.drift[u] < 0)
            fputs("\tnan\n", file);
        else
            fprintf(file, "\t%.9g\n", job->report.drift[u]);
    }
    return CLI_OK;
}

static int write_files(update_job *job) {
    cli_run *run = &job->run;
    const cli_common *c = &run->common;
    if (c->output)
        CLI_TRY(cli_check(run, cafe_updated_write(run->context, job->updated, job->changes,
                                                  c->output, c->force)));
    if (job->communities_out)
        CLI_TRY(cli_check(run, cafe_regrouped_write(run->context, job->regrouped, job->changes,
                                                    job->communities_out, c->force)));
    if (job->graph_out)
        CLI_TRY(cli_write_graph(run, cafe_changes_graph(job->changes), job->graph_out));
    CLI_TRY(cli_write_file(run, job->drift, put_drift, job));
    return cli_write_report(run, "cafe/update/1", put_report, job);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Is there an option that goes with vectors? */
static bool wants_vectors(const update_job *job) {
    const cafe_update_options *o = &job->options;
    cafe_update_options usual;
    cafe_update_options_init(&usual);
    return job->run.common.output || job->drift || job->full || o->state ||
           o->sweeps != usual.sweeps || o->tolerance != usual.tolerance ||
           o->spread != usual.spread || o->align != usual.align ||
           o->degree_exponent != usual.degree_exponent;
}

static int check(void *argument) {
    const update_job *job = argument;
    if (job->since && job->run.words[1])
        return cli_usage_error("update",
                               "--since OLD takes the whole new graph alone: cafe update "
                               "NEW-GRAPH --since OLD-GRAPH");
    if (!job->since && !job->run.words[1])
        return cli_usage_error("update",
                               "expected OLD-GRAPH CHANGES, or NEW-GRAPH --since OLD-GRAPH");
    if (job->communities_out && !job->communities_path)
        return cli_usage_error("update", "--communities-out needs --communities OLD.tsv");
    if (job->from || (job->communities_path && !wants_vectors(job))) return CLI_OK;
    return cli_usage_error("update",
                           "no old vectors: give --from OLD.npy, in their raw form (cafe embed "
                           "--output-form raw), or --communities OLD.tsv alone");
}

static int work(void *argument) {
    update_job *job = argument;
    CLI_TRY(read_input(job));
    say_changes(job);
    CLI_TRY(update(job));
    CLI_TRY(compare_communities(job));
    CLI_TRY(compare_full(job));
    if (job->updated) say_vectors(job);
    if (job->transition) say_communities(job);
    return write_files(job);
}

static void release(void *argument) {
    update_job *job = argument;
    cafe_transition_free(job->transition);
    cafe_regrouped_free(job->regrouped);
    cafe_updated_free(job->updated);
    cafe_changes_free(job->changes);
    cafe_graph_free(job->now);
    cafe_labels_free(job->labels);
    free(job->rows);
}

static const cli_option options[] = {
    CLI_ROW_READS(
        update_job, since, "since",
        "the old graph: the one word is then the whole new graph, and the changes are the "
        "difference of the two"),
    CLI_ROW_READS(update_job, from, "from",
                  "the old vectors as .npy, in their raw form (cafe embed --output-form raw)"),
    CLI_ROW_OUTPUT(CLI_VECTORS,
                   "the new vectors, raw form: .npy (float32; names in FILE.names.txt unless they "
                   "are 0 .. n-1), .tsv, .csv or .txt"),
    CLI_ROW_WRITES(update_job, graph_out, "graph-out", CLI_GRAPHS,
                   "the changed graph; a .cafe file keeps the order of the nodes and those without "
                   "edges"),
    CLI_ROW_WRITES(update_job, drift, "drift", CLI_TABLES,
                   "each node and the angle between its old and new vector, separated by a tab; - "
                   "is standard output"),
    CLI_ROW_READS(
        update_job, communities_path, "communities",
        "the old communities, as cafe cluster writes them: the new ones start from them and "
        "keep their numbers; reports births, deaths, splits, mergers and drift"),
    CLI_ROW_WRITES(update_job, communities_out, "communities-out", CLI_TABLES,
                   "the new communities, as cafe cluster writes them; - is standard output"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_FLAG(update_job, full, "full",
                 "also run from scratch, with the same tolerance, and report both side by side"),
    CLI_ROW_JSON("a report with every figure of the run; - is standard output"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Update", update_job, options, cafe_update_option_table),
    CLI_GROUP_TABLE("Communities", update_job, transition_options, cafe_transition_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_update = {
    .name = "update",
    .arguments = "OLD CHANGES | NEW --since OLD --from OLD.npy -o NEW.npy",
    .single = "the old graph is one file or a folder, and the changes are one file",
    .summary = "bring vectors up to date after edges came and went",
    .description =
        "Reads a graph, its changes, one per line (+ u v [weight] or u v adds an edge, - u "
        "v removes one), and the old vectors, or the old communities alone. Moves only the nodes "
        "that the changes reach, "
        "and rotates the result onto the old coordinates. Reports how far nodes and "
        "communities drifted.",
    .groups = groups,
    .size = sizeof(update_job),
    .least = 1,
    .most = 2,
    .inputs = 2,
    .work = work,
    .needs = "output|json|communities-out",
    .in_place = "output:from graph-out:1 communities-out:communities",
    .check = check,
    .release = release,
};
