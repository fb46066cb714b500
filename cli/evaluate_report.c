/* What cafe evaluate reports: a table for people on standard output, everything in JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "evaluate.h"
#include "graph_text.h"
#include "report.h"

static const char *const classifier_names[] = {"xgboost", "logistic", "none"};
static const char *const phase_names[] = {"embed", "evaluate"};

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

static void put_options(cafe_report *report, const evaluate_job *job) {
    const evaluate_values *v = &job->values;
    bool classify = strcmp(job->task, "classify") == 0;
    cafe_report_open(report, "options", '{');
    if (v->embedding)
        cafe_report_string(report, "embedding", v->embedding);
    else
        cli_report_method(report, &v->method);
    if (classify) {
        cafe_report_string(report, "labels", v->labels);
        cafe_report_truth(report, "supervised", v->supervised);
        cafe_report_truth(report, "full_label", v->full_label);
        cafe_report_options(report, cafe_classify_option_table(), &v->classify);
    } else {
        cafe_report_options(report, cafe_link_option_table(), &v->link);
    }
    cafe_report_string(report, "classifier", classifier_names[v->classifier]);
    if (v->classifier == EVALUATE_XGBOOST)
        cafe_report_options(report, cafe_xgboost_option_table(), &v->xgboost);
    if (v->classifier == EVALUATE_LOGISTIC)
        cafe_report_options(report, cafe_logistic_option_table(), &v->logistic);
    cafe_report_context(report);
    cafe_report_options(report, cafe_graph_option_table(), &v->graph);
    cafe_report_close(report);
}

static void put_report(cafe_report *report, const void *argument) {
    const evaluate_job *job = argument;
    cafe_report_string(report, "task", job->task);
    cafe_report_graph(report, job->path, job->graph);
    put_options(report, job);
    if (job->labels) cafe_report_integer(report, "classes", cafe_labels_classes(job->labels));
    if (job->labels) cafe_report_integer(report, "labelled", cafe_labels_labelled(job->labels));
    cafe_report_evaluation(report, job->evaluation);
    const double seconds[] = {job->embed_seconds, cafe_evaluation_seconds(job->evaluation)};
    cli_report_phases(report, job->run, 2, phase_names, seconds);
}

int evaluate_write_report(evaluate_job *job) {
    return cli_write_report_to(job->run, job->values.json, "cafe/evaluate/1", put_report, job);
}
