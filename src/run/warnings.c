/* What a user should know of a run besides its results, one sentence each. */
#include <inttypes.h>
#include <stdarg.h>

#include "base/memory.h"
#include "base/print.h"
#include "method/method.h"
#include "run/run.h"

enum { LONGEST = 512 };

cafe_status cafe_run_warn(cafe_run *run, const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    char **all = cafe_mem(run->context, run->warning_count + 1, sizeof *all);
    if (!all) return CAFE_ERROR_MEMORY;
    va_start(arguments, format);
    cafe_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int64_t i = 0; i < run->warning_count; i++) all[i] = run->warnings[i];
    cafe_mem_free(run->context, run->warnings);
    run->warnings = all;
    all[run->warning_count] = cafe_mem_text(run->context, text);
    return all[run->warning_count] ? (run->warning_count++, CAFE_OK) : CAFE_ERROR_MEMORY;
}

const char *cafe_run_warning(const cafe_run *run, int64_t i) {
    return i >= 0 && i < run->warning_count ? run->warnings[i] : NULL;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* An isolated node is a component of its own and does not count here. */
cafe_status cafe_run_warn_graph(cafe_run *run) {
    const cafe_graph_counts *c = &run->counts;
    const double most = .95; /* of the nodes in one component: the others matter little */
    int64_t parts = c->components - c->isolated;
    bool scattered = parts > 1 && (double)c->largest < most * (double)(c->nodes - c->isolated);
    if (!scattered || run->purpose != CAFE_PURPOSE_VECTORS) return CAFE_OK;
    return cafe_run_warn(run,
                         "the graph is not connected: of %" PRId64
                         " components with edges the largest has %.1f%% of the nodes; part of the "
                         "columns goes to telling components apart",
                         parts, 100.0 * (double)c->largest / (double)c->nodes);
}

/* ---- the course ------------------------------------------------------------------------------ */

/* How long to sweep is a choice of the method; only callers who made it read about its limits. With
 * a residual asked for, the certificate says whether the columns converged. */
cafe_status cafe_run_warn_course(cafe_run *run) {
    const cafe_run_course *c = &run->course;
    const run_table *own = &run->tables[RUN_OWN];
    const cafe_option *option = cafe_table_find(own->table, "tolerance");
    bool chosen =
        cafe_run_is_given(run, RUN_OWN, "tolerance") || cafe_run_is_given(run, RUN_OWN, "sweeps");
    if (!option || !chosen || c->sweeps == 0 || c->converged || run->finish.residual > 0)
        return CAFE_OK;
    double tolerance = *(const double *)((const char *)own->values + option->offset);
    if (tolerance == 0) return CAFE_OK;
    return cafe_run_warn(run,
                         "after %" PRId64 " sweeps the gain is still above " CAFE_OPT(
                             "tolerance") " %g; more " CAFE_OPT("sweeps") " may help",
                         c->sweeps, tolerance);
}

/* ---- communities ----------------------------------------------------------------------------- */

/* Whole components stay as they are, and so does a community whose neighbours have no room. */
cafe_status cafe_run_warn_sizes(cafe_run *run) {
    const run_table *own = &run->tables[RUN_OWN];
    const cafe_option *option = cafe_table_find(own->table, "min-size");
    const cafe_clustering_info *found = cafe_clustering_get(run->clustering);
    int64_t small = 0, least = option ? (int64_t)cafe_options_number(option, own->values) : 0;
    if (least < 2) return CAFE_OK;
    int64_t *size = cafe_mem_zero(run->context, found->communities, sizeof *size);
    if (!size) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < found->nodes; u++) size[found->partition[u]]++;
    for (int64_t c = 0; c < found->communities; c++) small += size[c] < least;
    cafe_mem_free(run->context, size);
    if (small == 0) return CAFE_OK;
    return cafe_run_warn(run,
                         "%" PRId64 " of %" PRId64 " communities are smaller than " CAFE_OPT(
                             "min-size") " %" PRId64
                                         ": they have no neighbours that they could join",
                         small, found->communities, least);
}

/* ---- the vectors ----------------------------------------------------------------------------- */

/* Why there are fewer columns than were asked for. */
static const char *dropped_text(const cafe_run *run, const cafe_certificate *c) {
    if (c->asked >= run->counts.nodes)
        return "they are combinations of the others and carry no information (the graph has fewer "
               "nodes)";
    if (run->method->communities)
        return "those of a layer add up to a constant, and a coarse layer to sums of finer ones; "
               "more " CAFE_OPT("columns") " bring in finer layers, if there are any";
    if (run->finish.form == CAFE_FORM_AVERAGED) return "they are empty clusters";
    return "they are combinations of the others and carry no information";
}

static cafe_status warn_columns(cafe_run *run, const cafe_certificate *c) {
    if (c->columns == 0)
        return cafe_run_warn(run,
                             "no column carries information: the degrees alone explain what was "
                             "found of this graph");
    if (c->columns > c->certified) return CAFE_OK;
    /* rows of soft clusters add up to 1: such columns always depend on one another */
    if (c->certified > c->pairs && run->finish.form != CAFE_FORM_AVERAGED)
        return cafe_run_warn(run, "only %" PRId64 " of the %" PRId64 " columns are independent",
                             c->pairs, c->certified);
    if (c->asked > c->columns && c->columns < run->counts.nodes && cafe_run_chose_columns(run))
        return cafe_run_warn(run, "%" PRId64 " of %" PRId64 " columns dropped: %s",
                             c->asked - c->columns, c->asked, dropped_text(run, c));
    return CAFE_OK;
}

static cafe_status warn_residuals(cafe_run *run, const cafe_certificate *c) {
    if (c->tolerance == 0 || c->converged >= c->certified) return CAFE_OK;
    return cafe_run_warn(run,
                         "%" PRId64 " of %" PRId64
                         " columns did not reach the relative residual %g; more " CAFE_OPT(
                             "residual-steps") " may help",
                         c->certified - c->converged, c->certified, c->tolerance);
}

/* Behind the certified columns a value of 0 is that of a column that is 0. */
static cafe_status warn_empty(cafe_run *run, const cafe_certificate *c) {
    int64_t empty = 0;
    for (const cafe_group *g = c->groups; g < c->groups + c->group_count; g++)
        for (int64_t j = 0; j < g->columns && g->first >= c->certified; j++)
            empty += g->values[j] == 0;
    if (empty == 0) return CAFE_OK;
    return cafe_run_warn(run, "%" PRId64 " column%s 0 throughout: the graph has no more directions",
                         empty, empty == 1 ? " is" : "s are");
}

cafe_status cafe_run_warn_vectors(cafe_run *run) {
    const cafe_certificate *c = cafe_embedding_certificate(run->embedding);
    CAFE_PASS(warn_columns(run, c));
    CAFE_PASS(warn_residuals(run, c));
    return warn_empty(run, c);
}
