/* cafe recommend: read, choose the nodes, embed, search or evaluate, write. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/results.h>
#include <cafe-private/text.h>

#include "command.h"
#include "graph_text.h"
#include "nodes.h"
#include "output.h"
#include "report.h"
#include "vectors.h"

enum { SCORES = 3 }; /* compared by --evaluate: the one asked for, and two to beat */

typedef struct recommend_job {
    cli_run run;
    const char *node, *nodes_file, *embedding, *evaluate;
    cafe_decoder_options decoder;
    double share; /* of the edges to hide; 0: no evaluation */
    cafe_recommend_options options;
    int32_t bipartite;
    int64_t side_nodes[2];
    int64_t queries;
    int32_t *query;
    cafe_split split;
    int64_t columns;
    float *vectors;   /* NULL unless the score is the product */
    int32_t *node_of; /* queries x count */
    double *score;
    double recall[CAFE_SCORE_AUTO]; /* of the scores that were compared */
    bool chosen;
    int rows; /* of the evaluation */
    int32_t compared[SCORES];
    cafe_quality quality[SCORES];
} recommend_job;

static const char *const score_names[] = {"product", "covariance", "common", "popularity"};

/* The score may be the product. */
static bool may_embed(const recommend_job *job) {
    return job->options.score == CAFE_SCORE_PRODUCT || job->options.score == CAFE_SCORE_AUTO;
}

/* ---- before the work ------------------------------------------------------------------------- */

static int parse_share(const char *text, double *share) {
    const char *end;
    if (!text) return CLI_OK;
    *share = cafe_parse_number(text, &end);
    if (*end == 0 && *share > 0 && *share < 1) return CLI_OK;
    return cli_usage_error("recommend", "--evaluate takes a share above 0 and below 1, not '%s'",
                           text);
}

static int check_nodes(const recommend_job *job) {
    if (job->node && job->nodes_file)
        return cli_usage_error("recommend", "give --node or --nodes-file, not both");
    return CLI_OK;
}

static int check_vectors(const recommend_job *job) {
    if (!job->embedding) return CLI_OK;
    CLI_TRY(cli_only_with("recommend", job->run.arguments, "columns|decode|residual",
                          "an embedding that is made here, not with --embedding"));
    if (job->share > 0)
        return cli_usage_error("recommend",
                               "--evaluate embeds what is left of the graph: vectors of the whole "
                               "graph (--embedding) have seen the hidden edges");
    if (may_embed(job)) return CLI_OK;
    return cli_usage_error("recommend", "--embedding goes with --score product");
}

static int check(void *argument) {
    recommend_job *job = argument;
    CLI_TRY(parse_share(job->evaluate, &job->share));
    CLI_TRY(check_nodes(job));
    if (!may_embed(job) && job->share == 0)
        CLI_TRY(cli_only_with("recommend", job->run.arguments, "columns|decode|residual",
                              "--score product"));
    return check_vectors(job);
}

/* ---- the nodes ------------------------------------------------------------------------------- */

static int query_names(recommend_job *job) {
    int64_t *nodes = NULL;
    CLI_TRY(cli_find_nodes(&job->run, job->node, &nodes, &job->queries));
    job->query = cli_new(&job->run, job->queries, sizeof *job->query);
    for (int64_t i = 0; job->query && i < job->queries; i++) job->query[i] = (int32_t)nodes[i];
    return job->query ? CLI_OK : CLI_RESOURCES;
}

static void query_members(recommend_job *job, const uint8_t *member) {
    for (int64_t u = 0; u < job->run.counts.nodes; u++)
        if (member[u]) job->query[job->queries++] = (int32_t)u;
}

/* Without a choice a list has every node; an evaluation asks about the first side of a bipartite
 * graph, else about all. */
static int find_sides(recommend_job *job, uint8_t *member) {
    cli_run *run = &job->run;
    int8_t *side = cli_new(run, run->counts.nodes, sizeof *side);
    if (!side) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_graph_sides(run->context, run->graph, side, &job->bipartite)));
    for (int64_t u = 0; u < run->counts.nodes; u++) {
        if (side[u] >= 0) job->side_nodes[side[u]]++;
        member[u] = job->share == 0 || !job->bipartite || !job->options.sides || side[u] == 0;
    }
    if (job->bipartite)
        cli_say(run, "sides     bipartite: %" PRId64 " and %" PRId64 " nodes%s", job->side_nodes[0],
                job->side_nodes[1],
                job->options.sides ? "; only the other side is recommended" : "");
    return CLI_OK;
}

static int find_queries(recommend_job *job) {
    cli_run *run = &job->run;
    int64_t n = run->counts.nodes, count = 0;
    uint8_t *member = cli_new(run, n, 1);
    job->query = cli_new(run, n, sizeof *job->query);
    if (!member || !job->query) return CLI_RESOURCES;
    CLI_TRY(find_sides(job, member));
    if (job->nodes_file)
        CLI_TRY(cli_check(
            run, cafe_set_read(run->context, run->graph, job->nodes_file, member, &count)));
    if (job->node) return query_names(job);
    query_members(job, member);
    return CLI_OK;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Given vectors are multiplied; else the score is compared with others on hidden edges. */
static int choose_score(recommend_job *job) {
    cli_run *run = &job->run;
    const cafe_graph *graph = job->share > 0 ? job->split.training : run->graph;
    if (job->options.score != CAFE_SCORE_AUTO) return CLI_OK;
    job->options.score = CAFE_SCORE_PRODUCT;
    if (job->embedding) return CLI_OK;
    CLI_TRY(cli_check(
        run, cafe_recommend_choose(run->context, graph, &job->decoder, &job->options, job->queries,
                                   job->query, job->recall, &job->options.score)));
    job->chosen = true;
    cli_say(run,
            "score     %s: recall@%" PRId64
            " %.3f; product %.3f, covariance %.3f, common %.3f, "
            "popularity %.3f of a hidden tenth",
            score_names[job->options.score], job->options.top, job->recall[job->options.score],
            job->recall[0], job->recall[1], job->recall[2], job->recall[3]);
    return CLI_OK;
}

static int embed(recommend_job *job) {
    cli_run *run = &job->run;
    const cafe_graph *graph = job->share > 0 ? job->split.training : run->graph;
    if (job->options.score != CAFE_SCORE_PRODUCT) return CLI_OK;
    if (job->embedding)
        return cli_read_vectors(run, job->embedding, NULL, &run->graph, &job->columns,
                                &job->vectors, NULL);
    double began = cli_seconds();
    CLI_TRY(cli_check(run, cafe_decoder_vectors(run->context, graph, NULL, &job->decoder,
                                                &job->columns, &job->vectors)));
    cli_say(run, "embed     %" PRId64 " column%s in %.2f s", job->columns, cli_plural(job->columns),
            cli_seconds() - began);
    return CLI_OK;
}

static int search(recommend_job *job) {
    cli_run *run = &job->run;
    int64_t room = job->queries * job->options.top;
    cafe_recommend_inputs input = {sizeof input, run->graph, job->vectors, job->columns};
    job->node_of = cli_new(run, room, sizeof *job->node_of);
    job->score = cli_new(run, room, sizeof *job->score);
    if (!job->node_of || !job->score) return CLI_RESOURCES;
    double began = cli_seconds();
    CLI_TRY(cli_check(run, cafe_recommend(run->context, &input, &job->options, job->queries,
                                          job->query, job->node_of, job->score)));
    cli_say(run, "search    %" PRId64 " node%s in %.2f s", job->queries, cli_plural(job->queries),
            cli_seconds() - began);
    return CLI_OK;
}

/* The score asked for beside the two that every recommender has to beat. */
static int evaluate(recommend_job *job) {
    static const int32_t baselines[] = {CAFE_SCORE_POPULARITY, CAFE_SCORE_COMMON};
    cafe_recommend_inputs input = {sizeof input, job->split.training, job->vectors, job->columns};
    cafe_recommend_options o = job->options;
    job->compared[job->rows++] = o.score;
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++)
        if (baselines[i] != job->options.score) job->compared[job->rows++] = baselines[i];
    for (int i = 0; i < job->rows; i++) {
        o.score = job->compared[i];
        int code = cli_check(&job->run,
                             cafe_recommend_quality(job->run.context, &input, &o, &job->split,
                                                    job->queries, job->query, &job->quality[i]));
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

static int hide_links(recommend_job *job) {
    if (job->share == 0) return CLI_OK;
    int code = cli_check(
        &job->run, cafe_split_make(job->run.context, job->run.graph, job->share, &job->split));
    if (code != CLI_OK) return code;
    cli_say(&job->run, "hidden    %" PRId64 " of %" PRId64 " edges", job->split.hidden,
            job->run.counts.edges);
    if (job->split.hidden > 0) return CLI_OK;
    return cli_error(&job->run, CLI_FAILED,
                     "no edge can be hidden: without it the graph would fall apart, or the share "
                     "is less than an edge");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_lists(const recommend_job *job, FILE *file) {
    int64_t k = job->options.top;
    cli_put_heading(file, &job->run, "node\tplace\trecommended\tscore");
    for (int64_t i = 0; i < job->queries && !cli_signal(); i++)
        for (int64_t j = 0; j < k && job->node_of[i * k + j] >= 0; j++) {
            cli_put_node(file, &job->run, job->run.graph, job->query[i]);
            fprintf(file, "\t%" PRId64 "\t", j + 1);
            cli_put_node(file, &job->run, job->run.graph, job->node_of[i * k + j]);
            fprintf(file, "\t%.9g\n", job->score[i * k + j]);
        }
}

static void put_table(const recommend_job *job, FILE *file) {
    int64_t k = job->options.top;
    char heading[128];
    snprintf(heading, sizeof heading, "score\trecall@%" PRId64 "\thit@%" PRId64 "\tMRR\tAUC\tnodes",
             k, k);
    cli_put_heading(file, &job->run, heading);
    for (int i = 0; i < job->rows; i++) {
        const cafe_quality *q = &job->quality[i];
        fprintf(file, "%s\t%.6f\t%.6f\t%.6f\t%.6f\t%" PRId64 "\n", score_names[job->compared[i]],
                q->recall, q->hit, q->mrr, q->auc, q->nodes);
    }
}

static int put_result(FILE *file, const void *argument) {
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
    cafe_report_options(report, cafe_decoder_option_table(), &job->decoder);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common.reading);
    cafe_report_close(report);
}

static void put_report(cafe_report *report, const void *argument) {
    const recommend_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_string(report, "sampling", "edge");
    put_options(report, job);
    cafe_report_truth(report, "bipartite", job->bipartite);
    cafe_report_integer(report, "vector_columns", job->columns);
    if (job->chosen) {
        cafe_report_open(report, "compared", '{');
        for (int i = 0; i < CAFE_SCORE_AUTO; i++)
            cafe_report_real(report, score_names[i], job->recall[i]);
        cafe_report_close(report);
    }
    if (job->share > 0)
        put_quality(report, job);
    else
        cafe_report_recommendations(report, job->run.graph, job->queries, job->query,
                                    job->options.top, job->node_of, job->score);
    cli_report_seconds(report, &job->run);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int work(void *argument) {
    recommend_job *job = argument;
    job->options.linked &= job->share == 0;
    CLI_TRY(cli_read_graph(&job->run, NULL));
    CLI_TRY(find_queries(job));
    CLI_TRY(hide_links(job));
    CLI_TRY(choose_score(job));
    CLI_TRY(embed(job));
    CLI_TRY(job->share > 0 ? evaluate(job) : search(job));
    CLI_TRY(cli_write_result(&job->run, put_result, job));
    return cli_write_report(&job->run, "cafe/recommend/1", put_report, job);
}

static void release(void *argument) {
    recommend_job *job = argument;
    if (job->embedding)
        free(job->vectors);
    else
        cafe_block_free(job->run.context, job->vectors);
    cafe_split_free(job->run.context, &job->split);
}

#define JOB recommend_job

static const cli_option options[] = {
    CLI_ROW_TEXT(JOB, node, "node", "NAME,...",
                 "recommend to these nodes" CLI_NODES_HELP "; without a choice to all"),
    CLI_ROW_READS(JOB, nodes_file, "nodes-file",
                  "recommend to the nodes of this file, one name per line; - is standard input"),
    CLI_ROW_TEXT(JOB, evaluate, "evaluate", "SHARE",
                 "hide this share of the edges by the seed, embed the rest, and print how well the "
                 "hidden ones are found, beside popularity and common neighbours"),
    CLI_ROW_OUTPUT(CLI_TABLES,
                   "the lists, separated by tabs, into a file instead of standard output"),
    CLI_ROW_JSON("the lists and every figure as JSON; - prints it instead of the lists"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_option vector_options[] = {
    CLI_ROW_READS(
        JOB, embedding, "embedding",
        "vectors to multiply as they are (.npy, .tsv, .csv or .txt) instead of embedding the "
        "graph"),
    CLI_ROW_END,
};
static const cli_group groups[] = {
    {"Options", options, cafe_recommend_option_table, offsetof(JOB, options)},
    {"--score product|auto", vector_options, cafe_decoder_option_table, offsetof(JOB, decoder)},
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_recommend = {
    .name = "recommend",
    .arguments = "GRAPH... --node NAME,... [options]",
    .many = true,
    .summary = "list the nodes that suit a node best",
    .description =
        "Prints for each node asked for the nodes that have the largest score with it, best first. "
        "In a bipartite graph (users and items) they are of the other side. --evaluate tells how "
        "good they are.",
    CLI_JOB(recommend_job, 1, 1),
    .check = check,
    .release = release,
};
