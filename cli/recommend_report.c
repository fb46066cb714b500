/* What cafe recommend writes: lists, the table of an evaluation, the report. */
#include <inttypes.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "recommend.h"
#include "report.h"

static const char *const score_names[] = {"product", "covariance", "common", "popularity"};

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_lists(const recommend_job *job, FILE *file) {
    int64_t k = job->options.count;
    fputs("node\tplace\trecommended\tscore\n", file);
    for (int64_t i = 0; i < job->queries && !cli_signal(); i++)
        for (int64_t j = 0; j < k && job->node_of[i * k + j] >= 0; j++) {
            cli_put_node(file, &job->run, job->run.graph, job->query[i]);
            fprintf(file, "\t%" PRId64 "\t", j + 1);
            cli_put_node(file, &job->run, job->run.graph, job->node_of[i * k + j]);
            fprintf(file, "\t%.9g\n", job->score[i * k + j]);
        }
}

static void put_table(const recommend_job *job, FILE *file) {
    int64_t k = job->options.count;
    fprintf(file, "score\trecall@%" PRId64 "\thit@%" PRId64 "\tMRR\tAUC\tnodes\n", k, k);
    for (int i = 0; i < job->rows; i++) {
        const cafe_quality *q = &job->quality[i];
        fprintf(file, "%s\t%.6f\t%.6f\t%.6f\t%.6f\t%" PRId64 "\n", score_names[job->compared[i]],
                q->recall, q->hit, q->mrr, q->auc, q->nodes);
    }
}

int recommend_put(FILE *file, const void *argument) {
    const recommend_job *job = argument;
    if (job->share > 0)
        put_table(job, file);
    else
        put_lists(job, file);
    return CLI_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_quality(cafe_report *report, const recommend_job *job) {
    cafe_report_real(report, "share", job->share);
    cafe_report_integer(report, "hidden", job->split.hidden);
    cafe_report_open(report, "evaluation", '[');
    for (int i = 0; i < job->rows; i++)
        cafe_report_score(report, score_names[job->compared[i]], &job->quality[i]);
    cafe_report_close(report);
}

static void put_options(cafe_report *report, const recommend_job *job) {
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_recommend_option_table(), &job->options);
    cafe_report_integer(report, "columns", job->columns_asked);
    cafe_report_options(report, cafe_decoder_option_table(), &job->decoder);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common->reading);
    cafe_report_close(report);
}

void recommend_put_report(cafe_report *report, const void *argument) {
    const recommend_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_string(report, "sampling", "edge");
    put_options(report, job);
    cafe_report_truth(report, "bipartite", job->bipartite);
    cafe_report_integer(report, "vector_columns", job->columns);
    if (job->share > 0)
        put_quality(report, job);
    else
        cafe_report_recommendations(report, job->run.graph, job->queries, job->query,
                                    job->options.count, job->node_of, job->score);
    cli_report_seconds(report, &job->run);
}
