/* cafe explain --eigenvector: softmax clustering with K = 2 against the dominant eigenvector
 * (theorem 4 of the paper).
 *
 * The table is the result: it goes to standard output, unless the vectors or the report go there.
 */
#include <inttypes.h>
#include <math.h>

#include <cafe-private/members.h>

#include "explain.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"

/* ---- for people ------------------------------------------------------------------------------ */

static const char *gap_text(const cafe_gap *gap) {
    if (gap->delta < 1) return "below 1: the theorem can apply";
    return isinf(gap->delta) ? "Q has no positive eigenvalue: the theorem does not apply"
                             : "not below 1: the theorem does not apply";
}

static void put_pair(FILE *file, const char *name, double plain, double centred) {
    fprintf(file, "%-22s %17.9f %23.9f\n", name, plain, centred);
}

static void put_words(FILE *file, const char *name, const char *plain, const char *centred) {
    fprintf(file, "%-22s %17s %23s\n", name, plain, centred);
}

/* A bound, if available. */
static void put_bound(FILE *file, const char *name, const cafe_bound *p, double plain,
                      const cafe_bound *c, double centred) {
    char texts[2][32] = {"-", "-"};
    if (p->applies) snprintf(texts[0], sizeof texts[0], "%.9f", plain);
    if (c->applies) snprintf(texts[1], sizeof texts[1], "%.9f", centred);
    put_words(file, name, texts[0], texts[1]);
}

static const char *verdict(const cafe_bound *b) {
    return !b->applies ? "-" : b->holds ? "hold" : "VIOLATED";
}

static void put_comparison(FILE *file, const cafe_bound *p, const cafe_bound *c, double delta) {
    put_words(file, "x =", "h_1 / |h_1|", "(h_1-h_2) / |h_1-h_2|");
    fprintf(file, "%-22s %17.9g %23.9g\n", "x'Qx", p->rayleigh, c->rayleigh);
    put_pair(file, "epsilon", p->epsilon, c->epsilon);
    put_pair(file, "1 - delta", 1 - delta, 1 - delta);
    put_words(file, "epsilon <= 1 - delta", p->applies ? "yes" : "no", c->applies ? "yes" : "no");
    put_pair(file, "cos(v1, x)", p->cosine_x, c->cosine_x);
    put_bound(file, "  at least", p, p->first, c, c->first);
    put_pair(file, "cos(v1, Qx)", p->cosine_qx, c->cosine_qx);
    put_bound(file, "  at least", p, p->second, c, c->second);
    put_bound(file, "  at least (published)", p, p->second_published, c, c->second_published);
    put_words(file, "bounds", verdict(p), verdict(c));
}

static int put_table(FILE *file, const void *argument) {
    const explain_job *job = argument;
    const cafe_bounds_report *r = cafe_bounds_get(job->bounds);
    double largest = fmax(fabs(r->gap.first), fabs(r->gap.last));
    fprintf(file, "eigenvalues  lambda_1 %.9g, lambda_2 %.9g, lambda_n %.9g\n",
            cli_above_rounding(r->gap.first, largest), cli_above_rounding(r->gap.second, largest),
            cli_above_rounding(r->gap.last, largest));
    fprintf(file, "delta        %.9g, %s\n", r->gap.delta, gap_text(&r->gap));
    fprintf(file,
            "softmax      K = 2, best of %" PRId64 " starts is number %" PRId64
            ", objective %.9g\n\n",
            job->bounds_options.restarts, r->best, r->objective);
    put_comparison(file, &r->plain, &r->centred, r->gap.delta);
    return CLI_OK;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_report(cafe_report *report, const void *argument) {
    const explain_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_bounds_option_table(), &job->bounds_options);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common.reading);
    cafe_report_close(report);
    cafe_report_bounds(report, job->bounds);
    cli_report_seconds(report, &job->run);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static int put_vectors(FILE *file, const void *argument) {
    const explain_job *job = argument;
    const cafe_bounds_report *r = cafe_bounds_get(job->bounds);
    cli_put_heading(file, &job->run, "node\tx\tqx\tv1\tx_centred");
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        cli_put_node(file, &job->run, job->run.graph, u);
        fprintf(file, "\t%.17g\t%.17g\t%.17g\t%.17g\n", r->x[u], r->qx[u], r->first[u], r->xc[u]);
    }
    return CLI_OK;
}

/* ---- at work --------------------------------------------------------------------------------- */

static cafe_status find_bounds(explain_job *job) {
    cafe_context *context = job->run.context;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_status status =
        cafe_sample(context, job->run.graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled);
    if (status == CAFE_OK) status = cafe_operator_modularity(context, sampled, &op);
    if (status == CAFE_OK)
        status = cafe_bounds_find(context, op, &job->bounds_options, &job->bounds);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return status;
}

int explain_theorem(explain_job *job) {
    cli_run *run = &job->run;
    const cli_common *c = &run->common;
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_check(run, find_bounds(job)));
    if (!cli_is_standard(c->json) && !cli_is_standard(c->output))
        CLI_TRY(cli_write_file(run, "-", put_table, job));
    CLI_TRY(cli_write_file(run, c->output, put_vectors, job));
    return cli_write_report(run, "cafe/bounds/1", put_report, job);
}
