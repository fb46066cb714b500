/* The bound of a partition in the report: how far it is from the best one.
 *
 * Unasked, it costs less than a tenth of the run: a pass over the edges, and the optimum of up to
 * 12 nodes.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/output.h>
#include <cafe/explain.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "explain/clique_bound.h"
#include "run/run.h"

enum { LINE = 1 << 12, UNASKED_NODES = 12 };

/* Seconds of one processor, about, for the inequalities. */
static const double asked_work = 5;

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

/* A line: centre, leaves (absent ones are empty), multiplier. */
static cafe_status put_row(cafe_output *output, const cafe_graph *graph, char *line,
                           const cafe_clique_multiplier *row) {
    size_t at = 0;
    for (int i = 0; i <= CAFE_CLIQUE_LEAVES; i++) {
        if (row->node[i] >= 0) {
            size_t length = cafe_graph_field(graph, row->node[i], line, LINE);
            if (length >= LINE) return CAFE_ERROR_LIMIT;
            CAFE_PASS(cafe_output_write(output, line, (int64_t)length));
        }
        CAFE_PASS(cafe_output_write(output, "\t", 1));
    }
    at = (size_t)cafe_print(line, LINE, "%.17g\n", row->multiplier);
    return cafe_output_write(output, line, (int64_t)at);
}

static cafe_status write_multipliers(cafe_run *run, const cafe_clique_multipliers *rows) {
    static const char heading[] = "centre\tleaf1\tleaf2\tleaf3\tleaf4\tmultiplier\n";
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

cafe_status cafe_run_find_bound(cafe_run *run) {
    const cafe_operator *op = cafe_model_operator(run->model);
    const cafe_clustering_info *found = cafe_clustering_get(run->clustering);
    double resolution = run->clustering->resolution;
    cafe_clique_multipliers rows = {.context = run->context};
    if (!op->parts.offsets || op->parts.f || cafe_team_ranks(run->context) > 1) return CAFE_OK;
    double work = run->bound_asked || op->n <= UNASKED_NODES ? asked_work : 0;
    cafe_status status =
        cafe_partition_bound_find(run->context, op, resolution, found->modularity, work,
                                  run->bound_file ? &rows : NULL, &run->bound);
    if (status == CAFE_OK && run->bound_asked && !run->bound.proved && resolution == 1)
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
