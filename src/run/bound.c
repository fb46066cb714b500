/* The bound of a partition in the report: how far it is from the best one.
 *
 * Unasked, it costs less than a tenth of the run: a pass over the edges, and the optimum of up to
 * 12 nodes. After a search of high effort or of some seconds, also inequalities.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/output.h>
#include <cafe/explain.h>

#include "base/memory.h"
#include "base/print.h"
#include "explain/clique_bound.h"
#include "run/run.h"
#include "solve/layers_effort.h"

enum { LINE = 1 << 12, UNASKED_NODES = 12 };

/* Seconds of one processor, about, for the inequalities: if the bound is asked for; else a tenth of
 * the search. At high effort it takes seconds_of_arc for each arc at least, high_visits times, but
 * high_arcs are enough; with a limit of time late_visits as much, unless the time ends first. */
static const double asked_work = 20, unasked_share = 0.1, seconds_of_arc = 5e-8, high_visits = 500,
                    high_arcs = 1 << 22, late_visits = 20;

cafe_status cafe_run_set_bound(cafe_run *run, const char *name, const char *text) {
    if (strcmp(name, "bound-file") == 0) {
        cafe_mem_free(run->context, run->bound_file);
        run->bound_file = cafe_mem_text(run->context, text);
        run->bound_asked = true;
        return run->bound_file ? CAFE_OK : CAFE_ERROR_MEMORY;
    }
    run->bound_asked = strcmp(text, "yes") == 0;
    return CAFE_OK;
}

/* ---- the multipliers ------------------------------------------------------------------------- */

static cafe_status put_node(cafe_output *output, const cafe_graph *graph, char *line,
                            int32_t node) {
    size_t length = node < 0 ? 0 : cafe_graph_field(graph, node, line, LINE);
    if (length + 1 >= LINE) return CAFE_ERROR_LIMIT;
    line[length] = '\t';
    return cafe_output_write(output, line, (int64_t)length + 1);
}

/* A line: case, centre, leaves (absent ones are empty), multiplier; or a pair of the case. */
static cafe_status put_row(cafe_output *output, const cafe_graph *graph, char *line,
                           const cafe_clique_multiplier *row) {
    int length = cafe_print(line, LINE, "%lld\t", (long long)row->number);
    CAFE_PASS(cafe_output_write(output, line, length));
    for (int i = 0; i <= CAFE_CLIQUE_LEAVES; i++)
        CAFE_PASS(put_node(output, graph, line, row->node[i]));
    length = row->forced ? cafe_print(line, LINE, row->forced > 0 ? "together\n" : "apart\n")
                         : cafe_print(line, LINE, "%.17g\n", row->multiplier);
    return cafe_output_write(output, line, length);
}

static cafe_status write_multipliers(cafe_run *run, const cafe_clique_multipliers *rows) {
    static const char heading[] = "case\tcentre\tleaf1\tleaf2\tleaf3\tleaf4\tmultiplier\n";
    cafe_context *context = run->context;
    cafe_status status = CAFE_OK;
    cafe_output *output = NULL;
    char *line = cafe_mem(context, LINE, 1);
    CAFE_TRY(cafe_mem_had(line));
    CAFE_TRY(cafe_output_create(context, run->bound_file, run->overwrite, &output));
    if (!context->no_headings)
        CAFE_TRY(cafe_output_write(output, heading, (int64_t)strlen(heading)));
    for (int64_t r = 0; r < rows->count; r++)
        CAFE_TRY(put_row(output, run->graph, line, &rows->at[r]));
    CAFE_TRY(cafe_output_commit(&output));
done:
    cafe_output_discard(output);
    cafe_mem_free(context, line);
    return status;
}

/* ---- the bound ------------------------------------------------------------------------------- */

static cafe_status take_eigenvalues(cafe_run *run, const cafe_operator *op, const int32_t *part) {
    cafe_ceiling_options options;
    cafe_ceiling c;
    cafe_ceiling_options_init(&options);
    options.work = 0;
    CAFE_PASS(cafe_ceiling_find(run->context, op, part, &options, &c));
    if (c.bound < run->bound.bound) run->bound.bound = c.bound;
    return CAFE_OK;
}

static void add_findings(cafe_run *run) {
    cafe_finding *next = run->findings + run->course.finding_count;
    run->has_bound = true;
    *next++ = (cafe_finding){"bound", run->bound.bound};
    *next = (cafe_finding){"proved", run->bound.proved};
    run->course.finding_count += 2;
}

static double choose_work(const cafe_run *run, const cafe_operator *op) {
    const cafe_layers_options *layers = run->tables[RUN_OWN].values;
    double limit, arcs = high_visits * (double)op->parts.offsets[op->n];
    if (run->bound_asked || op->n <= UNASKED_NODES) return asked_work;
    if (run->tables[RUN_OWN].table != cafe_layers_option_table()) return 0;
    double seconds = seconds_of_arc * fmin(arcs, high_arcs);
    switch (cafe_effort_take(layers->effort, &limit)) {
        case CAFE_EFFORT_HIGH: return unasked_share * seconds;
        case CAFE_EFFORT_SECONDS: return unasked_share * fmin(limit, late_visits * seconds);
        default: return 0;
    }
}

/* Every process has the whole graph and finds the same bound. */
cafe_status cafe_run_find_bound(cafe_run *run) {
    const cafe_operator *op = cafe_model_operator(run->model);
    const cafe_clustering_info *found = cafe_clustering_get(run->clustering);
    double resolution = run->clustering->resolution;
    cafe_clique_multipliers rows = {.context = run->context};
    if (!op->parts.offsets || (run->inputs.features && op->parts.f && !run->bound_asked))
        return CAFE_OK; /* with features it is far away, unless inequalities are looked for */
    if (op->parts.f && run->bound_file)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("bound-file") " is for one graph under the configuration model");
    cafe_status status = cafe_partition_bound_find(run->context, op, resolution, found->modularity,
                                                   choose_work(run, op),
                                                   run->bound_file ? &rows : NULL, &run->bound);
    if (status == CAFE_OK && run->bound_asked && !run->bound.proved && resolution == 1 &&
        !op->parts.f)
        status = take_eigenvalues(run, op, found->partition);
    if (status == CAFE_OK && run->bound_file) status = write_multipliers(run, &rows);
    if (status == CAFE_OK) add_findings(run);
    cafe_clique_multipliers_free(&rows);
    return status;
}

void cafe_run_report_bound(const cafe_run *run, cafe_report *report) {
    double found = cafe_clustering_get(run->clustering)->modularity;
    if (!run->has_bound) return;
    cafe_report_real(report, "bound", run->bound.bound);
    cafe_report_real(report, "gap", fmax(run->bound.bound - found, 0));
    cafe_report_truth(report, "proved", run->bound.proved);
}
