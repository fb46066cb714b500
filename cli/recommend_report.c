/* What cafe recommend writes: lists, the table of an evaluation, the report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "recommend.h"

const char *const recommend_scores[] = {"product", "covariance", "common", "popularity"};

/* ---- names ----------------------------------------------------------------------------------- */

/* Room for any name of the graph; NULL: out of memory. */
static char *name_room(const recommend_job *job, size_t *capacity) {
    *capacity = 1;
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        size_t length = cafe_graph_name(job->graph, u, &(char){0}, 1);
        if (length + 1 > *capacity) *capacity = length + 1;
    }
    return malloc(*capacity);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int put_lists(recommend_job *job, FILE *file) {
    size_t capacity;
    int64_t k = job->options.count;
    char *name = name_room(job, &capacity);
    if (!name) return cli_error(&job->run, CLI_FAILED, "out of memory: names");
    fputs("node\tplace\trecommended\tscore\n", file);
    for (int64_t i = 0; i < job->queries && !cli_signal(); i++)
        for (int64_t j = 0; j < k && job->node[i * k + j] >= 0; j++) {
            cafe_graph_name(job->graph, job->query[i], name, capacity);
            cli_put_cell(file, name);
            fprintf(file, "\t%" PRId64 "\t", j + 1);
            cafe_graph_name(job->graph, job->node[i * k + j], name, capacity);
            cli_put_cell(file, name);
            fprintf(file, "\t%.9g\n", job->score[i * k + j]);
        }
    free(name);
    return CLI_OK;
}

static void put_table(const recommend_job *job, FILE *file) {
    int64_t k = job->options.count;
    fprintf(file, "score\trecall@%" PRId64 "\thit@%" PRId64 "\tMRR\tAUC\tnodes\n", k, k);
    for (int i = 0; i < job->rows; i++) {
        const cafe_quality *q = &job->quality[i];
        fprintf(file, "%s\t%.6f\t%.6f\t%.6f\t%.6f\t%" PRId64 "\n",
                recommend_scores[job->compared[i]], q->recall, q->hit, q->mrr, q->auc, q->nodes);
    }
}

int recommend_write(recommend_job *job) {
    const recommend_values *v = job->values;
    cli_output output;
    if (!v->output && v->json && strcmp(v->json, "-") == 0) return CLI_OK;
    int code = cli_output_open(&job->run, v->output ? v->output : "-", &output);
    if (code != CLI_OK) return code;
    cli_progress_hide(job->run.bar);
    if (job->share > 0)
        put_table(job, output.file);
    else
        code = put_lists(job, output.file);
    fflush(stdout);
    cli_progress_show(job->run.bar);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_list(cli_json *json, const recommend_job *job, int64_t i, char *name,
                     size_t capacity) {
    int64_t k = job->options.count;
    cli_json_open(json, NULL, '{');
    cafe_graph_name(job->graph, job->query[i], name, capacity);
    cli_json_text(json, "node", name);
    cli_json_open(json, "list", '[');
    for (int64_t j = 0; j < k && job->node[i * k + j] >= 0; j++) {
        cafe_graph_name(job->graph, job->node[i * k + j], name, capacity);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "node", name);
        cli_json_real(json, "score", job->score[i * k + j]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static bool put_json_lists(cli_json *json, const recommend_job *job) {
    size_t capacity;
    char *name = name_room(job, &capacity);
    if (!name) return false;
    cli_json_open(json, "recommendations", '[');
    for (int64_t i = 0; i < job->queries; i++) put_list(json, job, i, name, capacity);
    cli_json_close(json, ']');
    free(name);
    return true;
}

static void put_json_quality(cli_json *json, const recommend_job *job) {
    cli_json_real(json, "share", job->share);
    cli_json_integer(json, "hidden", job->split.hidden);
    cli_json_open(json, "evaluation", '[');
    for (int i = 0; i < job->rows; i++) {
        const cafe_quality *q = &job->quality[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "score", recommend_scores[job->compared[i]]);
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
    cli_json_integer(json, "columns", job->values->columns);
    cli_json_options(json, cafe_decoder_option_table(), &job->values->decoder);
    cli_json_options(json, cafe_graph_option_table(), &job->values->graph);
    cli_json_close(json, '}');
}

static bool put_report(FILE *file, const recommend_job *job) {
    cli_json json = {.file = file};
    bool whole = true;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/recommend/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_text(&json, "sampling", "edge");
    put_json_options(&json, job);
    cli_json_bool(&json, "bipartite", job->bipartite != 0);
    cli_json_integer(&json, "vector_columns", job->columns);
    if (job->share > 0)
        put_json_quality(&json, job);
    else
        whole = put_json_lists(&json, job);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return whole;
}

int recommend_write_report(recommend_job *job) {
    cli_output output;
    if (!job->values->json) return CLI_OK;
    int code = cli_output_open(&job->run, job->values->json, &output);
    if (code != CLI_OK) return code;
    if (!put_report(output.file, job)) code = cli_error(&job->run, CLI_FAILED, "out of memory");
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}
