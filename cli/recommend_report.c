/* What cafe recommend writes: lists, the table of an evaluation, the report. */
#include <inttypes.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "recommend.h"

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

static void put_list(cli_json *json, const recommend_job *job, int64_t i) {
    int64_t k = job->options.count;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "node", cli_name(&job->run, job->run.graph, job->query[i]));
    cli_json_open(json, "list", '[');
    for (int64_t j = 0; j < k && job->node_of[i * k + j] >= 0; j++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "node", cli_name(&job->run, job->run.graph, job->node_of[i * k + j]));
        cli_json_real(json, "score", job->score[i * k + j]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void put_json_lists(cli_json *json, const recommend_job *job) {
    cli_json_open(json, "recommendations", '[');
    for (int64_t i = 0; i < job->queries; i++) put_list(json, job, i);
    cli_json_close(json, ']');
}

static void put_json_quality(cli_json *json, const recommend_job *job) {
    cli_json_real(json, "share", job->share);
    cli_json_integer(json, "hidden", job->split.hidden);
    cli_json_open(json, "evaluation", '[');
    for (int i = 0; i < job->rows; i++) {
        const cafe_quality *q = &job->quality[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "score", score_names[job->compared[i]]);
        cli_json_integer(json, "nodes", q->nodes);
        cli_json_real(json, "recall", q->recall);
        cli_json_real(json, "hit", q->hit);
        cli_json_real(json, "mrr", q->mrr);
        cli_json_real(json, "auc", q->auc);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_json_options(cli_json *json, const recommend_job *job) {
    cli_json_open(json, "options", '{');
    cli_json_unsigned(json, "seed", cafe_seed(job->run.context));
    cli_json_integer(json, "threads", cafe_threads(job->run.context));
    cli_json_options(json, cafe_recommend_option_table(), &job->options);
    cli_json_integer(json, "columns", job->columns_asked);
    cli_json_options(json, cafe_decoder_option_table(), &job->decoder);
    cli_json_options(json, cafe_graph_option_table(), &job->run.common->reading);
    cli_json_close(json, '}');
}

int recommend_put_report(FILE *file, const void *argument) {
    const recommend_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/recommend/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->run.words[0], &job->run.counts);
    cli_json_text(&json, "sampling", "edge");
    put_json_options(&json, job);
    cli_json_bool(&json, "bipartite", job->bipartite != 0);
    cli_json_integer(&json, "vector_columns", job->columns);
    if (job->share > 0)
        put_json_quality(&json, job);
    else
        put_json_lists(&json, job);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return CLI_OK;
}
