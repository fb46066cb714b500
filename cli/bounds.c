/* cafe bounds: softmax clustering with K = 2 against the dominant eigenvector (theorem 4).
 *
 * The table is the result: it goes to standard output, unless the vectors or the report go there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

typedef struct bounds_values {
    cli_common common;
    const char *output, *json;
    cafe_graph_options graph;
    cafe_bounds_options bounds;
} bounds_values;

typedef struct bounds_job {
    cli_run run;
    const bounds_values *values;
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_bounds *bounds;
    cafe_bounds_report report;
} bounds_job;

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* ---- for people ------------------------------------------------------------------------------ */

static const char *gap_text(const cafe_gap *gap) {
    if (gap->delta < 1) return "below 1: the theorem can apply";
    return isinf(gap->delta) ? "Q has no positive eigenvalue: the theorem does not apply"
                             : "not below 1: the theorem does not apply";
}

static void put_pair(const char *name, double plain, double centred) {
    printf("%-22s %17.9f %23.9f\n", name, plain, centred);
}

static void put_words(const char *name, const char *plain, const char *centred) {
    printf("%-22s %17s %23s\n", name, plain, centred);
}

/* A bound where there is one. */
static void put_bound(const char *name, const cafe_bound *p, double plain, const cafe_bound *c,
                      double centred) {
    char texts[2][32] = {"-", "-"};
    if (p->applies) snprintf(texts[0], sizeof texts[0], "%.9f", plain);
    if (c->applies) snprintf(texts[1], sizeof texts[1], "%.9f", centred);
    put_words(name, texts[0], texts[1]);
}

static const char *verdict(const cafe_bound *b) {
    return !b->applies ? "-" : b->holds ? "hold" : "VIOLATED";
}

static void put_comparison(const cafe_bound *p, const cafe_bound *c, double delta) {
    put_words("x =", "h_1 / |h_1|", "(h_1-h_2) / |h_1-h_2|");
    printf("%-22s %17.9g %23.9g\n", "x'Qx", p->rayleigh, c->rayleigh);
    put_pair("epsilon", p->epsilon, c->epsilon);
    put_pair("1 - delta", 1 - delta, 1 - delta);
    put_words("epsilon <= 1 - delta", p->applies ? "yes" : "no", c->applies ? "yes" : "no");
    put_pair("cos(v1, x)", p->cosine_x, c->cosine_x);
    put_bound("  at least", p, p->first, c, c->first);
    put_pair("cos(v1, Qx)", p->cosine_qx, c->cosine_qx);
    put_bound("  at least", p, p->second, c, c->second);
    put_bound("  at least (published)", p, p->second_published, c, c->second_published);
    put_words("bounds", verdict(p), verdict(c));
}

static void print_table(const bounds_job *job) {
    const cafe_bounds_report *r = &job->report;
    cli_progress_hide(job->run.bar);
    printf("eigenvalues  lambda_1 %.9g, lambda_2 %.9g, lambda_n %.9g\n", r->gap.first,
           r->gap.second, r->gap.last);
    printf("delta        %.9g, %s\n", r->gap.delta, gap_text(&r->gap));
    printf("softmax      K = 2, best of %" PRId64 " starts is number %" PRId64
           ", objective %.9g\n\n",
           job->values->bounds.restarts, r->best, r->objective);
    put_comparison(&r->plain, &r->centred, r->gap.delta);
    fflush(stdout);
    cli_progress_show(job->run.bar);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_json_bound(cli_json *json, const char *key, const cafe_bound *b) {
    cli_json_open(json, key, '{');
    cli_json_real(json, "rayleigh", b->rayleigh);
    cli_json_real(json, "epsilon", b->epsilon);
    cli_json_real(json, "cosine_x", b->cosine_x);
    cli_json_real(json, "cosine_qx", b->cosine_qx);
    cli_json_bool(json, "applies", b->applies != 0);
    cli_json_real(json, "bound_x", b->applies ? b->first : NAN);
    cli_json_real(json, "bound_qx", b->applies ? b->second : NAN);
    cli_json_real(json, "bound_qx_published", b->applies ? b->second_published : NAN);
    cli_json_bool(json, "holds", b->holds != 0);
    cli_json_close(json, '}');
}

static int put_report(FILE *file, const void *argument) {
    const bounds_job *job = argument;
    const cafe_bounds_report *r = &job->report;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/bounds/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_open(&json, "options", '{');
    cli_json_unsigned(&json, "seed", cafe_seed(job->run.context));
    cli_json_integer(&json, "threads", cafe_threads(job->run.context));
    cli_json_options(&json, cafe_bounds_option_table(), &job->values->bounds);
    cli_json_options(&json, cafe_graph_option_table(), &job->values->graph);
    cli_json_close(&json, '}');
    cli_json_real(&json, "lambda_1", r->gap.first);
    cli_json_real(&json, "lambda_2", r->gap.second);
    cli_json_real(&json, "lambda_n", r->gap.last);
    cli_json_real(&json, "delta", r->gap.delta);
    cli_json_real(&json, "objective", r->objective);
    cli_json_integer(&json, "best_start", r->best);
    cli_json_integer(&json, "starts_converged", r->converged);
    put_json_bound(&json, "plain", &r->plain);
    put_json_bound(&json, "centred", &r->centred);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return CLI_OK;
}

static int write_report(bounds_job *job) {
    return cli_write_file(&job->run, job->values->json, put_report, job);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static int write_rows(bounds_job *job, FILE *file) {
    const cafe_bounds_report *r = &job->report;
    size_t capacity = 1;
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        size_t length = cafe_graph_name(job->graph, u, &(char){0}, 1);
        if (length + 1 > capacity) capacity = length + 1;
    }
    char *name = malloc(capacity);
    if (!name) return cli_error(&job->run, CLI_FAILED, "out of memory: names");
    fputs("node\tx\tqx\tv1\tx_centred\n", file);
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        cafe_graph_name(job->graph, u, name, capacity);
        cli_put_cell(file, name);
        fprintf(file, "\t%.17g\t%.17g\t%.17g\t%.17g\n", r->x[u], r->qx[u], r->first[u], r->xc[u]);
    }
    free(name);
    return CLI_OK;
}

static int write_vectors(bounds_job *job) {
    cli_output output;
    if (!job->values->output) return CLI_OK;
    int code = cli_output_open(&job->run, job->values->output, &output);
    if (code != CLI_OK) return code;
    code = write_rows(job, output.file);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int find_bounds(bounds_job *job) {
    cafe_context *context = job->run.context;
    int code =
        cli_check(&job->run, cafe_graph_read(context, job->path, &job->values->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    cafe_status status = cafe_sample(context, job->graph, CAFE_SAMPLING_EDGE, &job->sampled);
    if (status == CAFE_OK) status = cafe_operator_modularity(context, job->sampled, &job->op);
    if (status == CAFE_OK)
        status = cafe_bounds_find(context, job->op, &job->values->bounds, &job->bounds);
    if (status == CAFE_OK) job->report = *cafe_bounds_get(job->bounds);
    return cli_check(&job->run, status);
}

static int work(bounds_job *job) {
    const bounds_values *v = job->values;
    int code = find_bounds(job);
    if (code == CLI_OK && !is_standard(v->json) && !is_standard(v->output)) print_table(job);
    if (code == CLI_OK) code = write_vectors(job);
    if (code == CLI_OK) code = write_report(job);
    return code;
}

static int check_names(const bounds_values *v) {
    if (v->output && v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("bounds", "vectors and report cannot both go to %s", v->output);
    int code = cli_output_check("bounds", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("bounds", &v->common, v->json);
}

static int run_bounds(const void *values, const cli_arguments *arguments) {
    bounds_job job = {.values = values, .path = arguments->words[0]};
    int code = check_names(job.values);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "bounds", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    cafe_bounds_free(job.bounds);
    cafe_operator_free(job.op);
    cafe_sampled_free(job.sampled);
    cafe_graph_free(job.graph);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(bounds_values, output), NULL, NULL,
     "a line per node, separated by tabs: name, x, Qx, v1, centred x; - is standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(bounds_values, json), NULL, NULL,
     "every figure as JSON; - prints it instead of the table"},
    CLI_ROW_FORCE,
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Softmax clustering", NULL, cafe_bounds_option_table, offsetof(bounds_values, bounds)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(bounds_values, graph)},
    {0},
};

const cli_command cli_bounds = {
    .name = "bounds",
    .arguments = "GRAPH [options]",
    .summary = "compare two communities with the dominant eigenvector",
    .description =
        "Runs softmax clustering with K = 2 from several random starts, takes x from the best, "
        "and compares x and Qx with the dominant eigenvector v1 of the modularity matrix Q: "
        "cosines, the bounds of theorem 4, and whether its condition holds.",
    .groups = groups,
    .size = sizeof(bounds_values),
    .least = 1,
    .most = 1,
    .run = run_bounds,
};
