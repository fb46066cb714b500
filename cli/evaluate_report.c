/* What cafe evaluate reports: a table for people on standard output, everything in JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "evaluate.h"
#include "graph_text.h"
#include "output.h"

static const char *const classifier_names[] = {"xgboost", "logistic", "none"};

/* ---- for people ------------------------------------------------------------------------------ */

static void put_figure(const cafe_figure *f) {
    if (isnan(f->mean))
        printf("  %-15s", "N/A");
    else if (isnan(f->std))
        printf("  %-15.4f", f->mean);
    else
        printf("  %.4f ± %.4f", f->mean, f->std);
}

static void put_share(const cafe_evaluation *e, int64_t share) {
    cafe_share s = *cafe_evaluation_share(e, share);
    if (s.train < 1)
        printf("%5.3g%%", 100 * s.train);
    else
        printf("%6.0f", s.train);
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++) {
        cafe_figure f;
        cafe_evaluation_figure(e, share, i, &f);
        put_figure(&f);
    }
    printf("\n");
}

/* Components stay connected, so a tree has no link to hide. */
static void warn_hidden(const evaluate_job *job) {
    for (int64_t i = 0; i < cafe_evaluation_shares(job->evaluation); i++) {
        cafe_share s = *cafe_evaluation_share(job->evaluation, i);
        if (s.hidden < s.wanted)
            cli_warn(job->run,
                     "share %g: only %" PRId64 " of %" PRId64
                     " links could be hidden without cutting a component",
                     s.train, s.hidden, s.wanted);
    }
}

void evaluate_print(const evaluate_job *job) {
    const cafe_evaluation *e = job->evaluation;
    const char *json = job->values.json;
    if (json && strcmp(json, "-") == 0) return; /* one result on standard output */
    cli_progress_hide(job->run->bar);
    printf(" train");
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++)
        printf("  %-15s", cafe_evaluation_metric_name(e, i));
    printf("\n");
    for (int64_t i = 0; i < cafe_evaluation_shares(e); i++) put_share(e, i);
    fflush(stdout);
    cli_progress_show(job->run->bar);
    warn_hidden(job);
    cli_say(job->run, "%" PRId64 " repeats a share; %.1f seconds", cafe_evaluation_repeats(e),
            cafe_evaluation_seconds(e));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_result(cli_json *json, const cafe_evaluation *e, int64_t share) {
    cafe_share s = *cafe_evaluation_share(e, share);
    cli_json_open(json, NULL, '{');
    cli_json_real(json, "train", s.train);
    cli_json_integer(json, "train_count", s.train_count);
    cli_json_integer(json, "test_count", s.test_count);
    cli_json_integer(json, "columns", s.columns);
    if (s.wanted > 0) {
        cli_json_integer(json, "links_to_hide", s.wanted);
        cli_json_integer(json, "links_hidden", s.hidden);
    }
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++) {
        cafe_figure f;
        cafe_evaluation_figure(e, share, i, &f);
        cli_json_open(json, cafe_evaluation_metric_name(e, i), '{');
        cli_json_real(json, "mean", f.mean);
        cli_json_real(json, "std", f.std);
        cli_json_integer(json, "defined", f.defined);
        cli_json_close(json, '}');
    }
    cli_json_real(json, "feature_seconds", s.feature_seconds);
    cli_json_real(json, "classifier_seconds", s.classifier_seconds);
    cli_json_close(json, '}');
}

void evaluate_json_results(cli_json *json, const cafe_evaluation *evaluation) {
    cli_json_open(json, "results", '[');
    for (int64_t i = 0; i < cafe_evaluation_shares(evaluation); i++)
        put_result(json, evaluation, i);
    cli_json_close(json, ']');
}

static void put_options(cli_json *json, const evaluate_job *job) {
    const evaluate_values *v = &job->values;
    bool classify = strcmp(job->task, "classify") == 0;
    cli_json_open(json, "options", '{');
    if (v->embedding)
        cli_json_text(json, "embedding", v->embedding);
    else
        cli_json_method(json, &v->method);
    if (classify) {
        cli_json_text(json, "labels", v->labels);
        cli_json_bool(json, "supervised", v->supervised);
        cli_json_bool(json, "full_label", v->full_label);
        cli_json_options(json, cafe_classify_option_table(), &v->classify);
    } else {
        cli_json_options(json, cafe_link_option_table(), &v->link);
    }
    cli_json_text(json, "classifier", classifier_names[v->classifier]);
    if (v->classifier == EVALUATE_XGBOOST)
        cli_json_options(json, cafe_xgboost_option_table(), &v->xgboost);
    if (v->classifier == EVALUATE_LOGISTIC)
        cli_json_options(json, cafe_logistic_option_table(), &v->logistic);
    cli_json_unsigned(json, "seed", cafe_seed(job->run->context));
    cli_json_integer(json, "threads", cafe_threads(job->run->context));
    cli_json_options(json, cafe_graph_option_table(), &v->graph);
    cli_json_close(json, '}');
}

static int put_report(FILE *file, const void *argument) {
    const evaluate_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/evaluate/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_text(&json, "task", job->task);
    cli_json_graph(&json, job->path, &job->counts);
    put_options(&json, job);
    if (job->labels) cli_json_integer(&json, "classes", cafe_labels_classes(job->labels));
    if (job->labels) cli_json_integer(&json, "labelled", cafe_labels_labelled(job->labels));
    cli_json_integer(&json, "repeats", cafe_evaluation_repeats(job->evaluation));
    evaluate_json_results(&json, job->evaluation);
    cli_json_open(&json, "seconds", '{');
    cli_json_real(&json, "embed", job->embed_seconds);
    cli_json_real(&json, "evaluate", cafe_evaluation_seconds(job->evaluation));
    cli_json_real(&json, "total", cli_seconds() - job->run->began);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
    return CLI_OK;
}

int evaluate_write_report(evaluate_job *job) {
    return cli_write_file(job->run, job->values.json, put_report, job);
}
