/* What cafe evaluate reports: a table for people on standard output, everything in JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/results.h>
#include <cafe-private/run.h>

#include "evaluate.h"
#include "output.h"
#include "report.h"

static const char *const classifier_names[] = {"xgboost", "logistic", "none"};
static const char *const phase_names[] = {"embed", "evaluate"};

/* ---- for people ------------------------------------------------------------------------------ */

void evaluate_put_figure(FILE *file, const cafe_figure *f) {
    if (isnan(f->mean))
        fprintf(file, "  %-15s", "N/A");
    else if (isnan(f->std))
        fprintf(file, "  %-15.4f", f->mean);
    else
        fprintf(file, "  %.4f ± %.4f", f->mean, f->std);
}

void evaluate_put_share(FILE *file, double train) {
    if (train < 1)
        fprintf(file, "%5.3g%%", 100 * train);
    else
        fprintf(file, "%6.0f", train);
}

static void put_share(FILE *file, const cafe_evaluation *e, int64_t share) {
    evaluate_put_share(file, cafe_evaluation_share(e, share)->train);
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++) {
        cafe_figure f;
        cafe_evaluation_figure(e, share, i, &f);
        evaluate_put_figure(file, &f);
    }
    fprintf(file, "\n");
}

/* Components stay connected, so a tree has no edge to hide. */
static void warn_hidden(const evaluate_job *job) {
    for (int64_t i = 0; i < cafe_evaluation_shares(job->evaluation); i++) {
        cafe_share s = *cafe_evaluation_share(job->evaluation, i);
        if (s.hidden < s.wanted)
            cli_warn(job->run,
                     "share %g: only %" PRId64 " of %" PRId64
                     " edges could be hidden without cutting a component",
                     s.train, s.hidden, s.wanted);
    }
}

static void put_figures(FILE *file, const cafe_evaluation *e) {
    fprintf(file, " train");
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++)
        fprintf(file, "  %-15s", cafe_evaluation_metric_name(e, i));
    fprintf(file, "\n");
    for (int64_t i = 0; i < cafe_evaluation_shares(e); i++) put_share(file, e, i);
}

int evaluate_put(FILE *file, const void *argument) {
    const evaluate_job *job = argument;
    if (job->methods)
        evaluate_put_methods(file, job);
    else
        put_figures(file, job->evaluation);
    return CLI_OK;
}

/* How often the setting was chosen in a share. */
static int64_t times_chosen(const cafe_evaluation *e, int64_t choice, int64_t share) {
    int64_t count = 0;
    for (int64_t i = 0; i < cafe_evaluation_repeats(e); i++)
        count += cafe_evaluation_choice(e, share, i) == choice;
    return count;
}

static void say_choices(const evaluate_job *job) {
    const cafe_evaluation *e = job->evaluation;
    for (int64_t i = 0; i < job->choice_count; i++) {
        char line[256] = "";
        size_t at = 0;
        for (int64_t s = 0; s < cafe_evaluation_shares(e) && at < sizeof line; s++)
            at +=
                (size_t)snprintf(line + at, sizeof line - at, " %5" PRId64, times_chosen(e, i, s));
        cli_say(job->run, "chosen   %s times, by share: %s", line, job->choices[i].text);
    }
}

void evaluate_say_end(const evaluate_job *job) {
    if (cli_is_standard(job->own.common.json)) return; /* the report has it */
    if (job->methods) {
        evaluate_say_methods(job);
        return;
    }
    warn_hidden(job);
    say_choices(job);
    int64_t repeats = cafe_evaluation_repeats(job->evaluation);
    cli_say(job->run, "%" PRId64 " repeat%s a share; %.1f seconds", repeats, cli_plural(repeats),
            cafe_evaluation_seconds(job->evaluation));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_options(cafe_report *report, const evaluate_job *job) {
    bool classify = strcmp(job->task, "classify") == 0;
    cafe_report_open(report, "options", '{');
    if (job->embedding)
        cafe_report_string(report, "embedding", job->embedding);
    else if (job->methods)
        cafe_report_string(report, "methods", job->methods);
    else
        cafe_run_report_options(job->source.of, report);
    if (classify) {
        cafe_report_string(report, "labels", job->labels_path);
        cafe_report_truth(report, "supervised", job->supervised);
        cafe_report_truth(report, "full_label", job->full_label);
        if (job->choose) cafe_report_string(report, "choose", job->choose);
        cafe_report_options(report, cafe_classify_option_table(), &job->classify);
    } else {
        cafe_report_options(report, cafe_link_option_table(), &job->link);
    }
    cafe_report_string(report, "classifier", classifier_names[job->classifier_kind]);
    if (job->classifier_kind == EVALUATE_XGBOOST)
        cafe_report_options(report, cafe_xgboost_option_table(), &job->xgboost);
    if (job->classifier_kind == EVALUATE_LOGISTIC)
        cafe_report_options(report, cafe_logistic_option_table(), &job->logistic);
    cafe_report_context(report);
    cafe_report_options(report, cafe_graph_option_table(), &job->own.common.reading);
    cafe_report_close(report);
}

static void put_choices(cafe_report *report, const evaluate_job *job) {
    cafe_report_open(report, "choices", '[');
    for (int64_t i = 0; i < job->choice_count; i++) {
        double chosen[EVALUATE_MOST_SHARES];
        int64_t shares = cafe_evaluation_shares(job->evaluation);
        for (int64_t s = 0; s < shares; s++)
            chosen[s] = (double)times_chosen(job->evaluation, i, s);
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "setting", job->choices[i].text);
        cafe_report_reals(report, "chosen", shares, chosen);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

void evaluate_fill_report(cafe_report *report, const void *argument) {
    const evaluate_job *job = argument;
    cafe_report_string(report, "task", job->task);
    cafe_report_graph(report, job->path, job->graph);
    put_options(report, job);
    if (job->labels) {
        cafe_report_string(report, "labels_reading", cafe_labels_reading(job->labels));
        cafe_report_integer(report, "classes", cafe_labels_classes(job->labels));
        cafe_report_integer(report, "labelled", cafe_labels_labelled(job->labels));
    }
    if (job->methods) {
        evaluate_report_methods(report, job);
        cli_report_seconds(report, job->run);
        return;
    }
    cafe_report_evaluation(report, job->evaluation);
    if (job->choice_count > 0) put_choices(report, job);
    const double seconds[] = {job->embed_seconds, cafe_evaluation_seconds(job->evaluation)};
    cli_report_phases(report, job->run, 2, phase_names, seconds);
}
