/* cafe recommend: read, choose the nodes, embed, search or evaluate, write. */
#include "recommend.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* ---- before the work ------------------------------------------------------------------------- */

static int parse_share(const char *text, double *share) {
    char *end;
    if (!text) return CLI_OK;
    *share = strtod(text, &end);
    if (*end == 0 && *share > 0 && *share < 1) return CLI_OK;
    return cli_usage_error("recommend", "--evaluate takes a share above 0 and below 1, not '%s'",
                           text);
}

/* Whom to recommend to: names, a file, or all. */
static int check_nodes(const recommend_job *job) {
    const recommend_values *v = job->values;
    int ways = (job->names_count > 0) + (v->nodes_file != NULL) + v->all;
    if (ways > 1)
        return cli_usage_error("recommend",
                               "give names of nodes, or --nodes-file, or --all: one of them");
    if (ways == 0 && job->share == 0)
        return cli_usage_error("recommend", "to whom? give --node NAME ..., --nodes-file or --all");
    return CLI_OK;
}

static int check_files(const recommend_job *job) {
    const recommend_values *v = job->values;
    if (is_standard(job->path) && is_standard(v->nodes_file))
        return cli_usage_error("recommend", "only one of the inputs can be standard input");
    if (v->output && v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("recommend", "lists and report cannot both go to %s", v->output);
    if (v->embedding && (job->share > 0 || v->score != CAFE_SCORE_PRODUCT))
        return cli_usage_error("recommend", "%s",
                               job->share > 0
                                   ? "--evaluate embeds what is left of the graph: vectors of the "
                                     "whole graph (--embedding) have seen the hidden links"
                                   : "--embedding goes with --score product");
    int code = cli_output_check("recommend", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("recommend", &v->common, v->json);
}

static int check_values(recommend_job *job) {
    int code = parse_share(job->values->evaluate, &job->share);
    if (code == CLI_OK && (job->values->count < 1 || job->values->columns < 1))
        code = cli_usage_error("recommend", "-k and --columns are at least 1");
    if (code == CLI_OK) code = check_nodes(job);
    if (code == CLI_OK) code = check_files(job);
    return code;
}

/* ---- the nodes ------------------------------------------------------------------------------- */

static int query_names(recommend_job *job) {
    for (int i = 0; i < job->names_count; i++) {
        int64_t u = cafe_graph_find(job->graph, job->names[i]);
        if (u < 0)
            return cli_error(&job->run, CLI_FAILED, "the graph has no node '%s'", job->names[i]);
        job->query[job->queries++] = (int32_t)u;
    }
    return CLI_OK;
}

static void query_members(recommend_job *job, const uint8_t *member) {
    for (int64_t u = 0; u < job->counts.nodes; u++)
        if (member[u]) job->query[job->queries++] = (int32_t)u;
}

/* Without a choice an evaluation asks about the first side of a bipartite graph, else about all. */
static int find_sides(recommend_job *job, uint8_t *member) {
    int8_t *side = malloc((size_t)job->counts.nodes + 1);
    if (!side) return cli_error(&job->run, CLI_FAILED, "out of memory");
    cafe_status status = cafe_graph_sides(job->run.context, job->graph, side, &job->bipartite);
    for (int64_t u = 0; u < job->counts.nodes && status == CAFE_OK; u++) {
        if (side[u] >= 0) job->side_nodes[side[u]]++;
        member[u] = !job->bipartite || job->values->sides != 0 || side[u] == 0;
    }
    free(side);
    if (status == CAFE_OK && job->bipartite)
        cli_say(&job->run, "sides     bipartite: %" PRId64 " and %" PRId64 " nodes%s",
                job->side_nodes[0], job->side_nodes[1],
                job->values->sides == 0 ? "; only the other side is recommended" : "");
    return cli_check(&job->run, status);
}

static int find_queries(recommend_job *job) {
    const recommend_values *v = job->values;
    int64_t n = job->counts.nodes, count = 0;
    size_t room = (size_t)(n > job->names_count ? n : job->names_count) + 1;
    uint8_t *member = malloc((size_t)n + 1);
    job->query = malloc(room * sizeof *job->query);
    int code = member && job->query ? find_sides(job, member)
                                    : cli_error(&job->run, CLI_FAILED, "out of memory");
    if (code == CLI_OK && v->nodes_file)
        code = cli_check(
            &job->run, cafe_set_read(job->run.context, job->graph, v->nodes_file, member, &count));
    if (code == CLI_OK && v->all) memset(member, 1, (size_t)n);
    if (code == CLI_OK && job->names_count > 0)
        code = query_names(job);
    else if (code == CLI_OK)
        query_members(job, member);
    free(member);
    return code;
}

/* ---- the work -------------------------------------------------------------------------------- */

static int read_embedding(recommend_job *job) {
    int64_t rows = 0;
    const char *path = job->values->embedding;
    int code = cli_check(
        &job->run, cafe_block_read(job->run.context, path, &rows, &job->columns, &job->vectors));
    if (code != CLI_OK || rows == job->counts.nodes) return code;
    return cli_error(&job->run, CLI_INPUT, "%s: expected %" PRId64 " rows, found %" PRId64, path,
                     job->counts.nodes, rows);
}

static int embed(recommend_job *job) {
    const recommend_values *v = job->values;
    const cafe_graph *graph = job->share > 0 ? job->split.training : job->graph;
    cafe_sphere_options sphere;
    if (v->score != CAFE_SCORE_PRODUCT) return CLI_OK;
    if (v->embedding) return read_embedding(job);
    cafe_sphere_options_init(&sphere);
    sphere.columns = v->columns;
    double began = cli_seconds();
    int code =
        cli_check(&job->run, cafe_decoder_vectors(job->run.context, graph, &sphere, &v->decoder,
                                                  &job->columns, &job->vectors));
    if (code == CLI_OK)
        cli_say(&job->run, "embed     %" PRId64 " columns in %.2f s", job->columns,
                cli_seconds() - began);
    return code;
}

static int search(recommend_job *job) {
    size_t room = (size_t)job->queries * (size_t)job->options.count + 1;
    cafe_recommend_input input = {job->graph, job->vectors, job->columns};
    job->node = malloc(room * sizeof *job->node);
    job->score = malloc(room * sizeof *job->score);
    if (!job->node || !job->score)
        return cli_error(&job->run, CLI_FAILED, "out of memory: %" PRId64 " lists of %" PRId64,
                         job->queries, job->options.count);
    double began = cli_seconds();
    int code =
        cli_check(&job->run, cafe_recommend(job->run.context, &input, &job->options, job->queries,
                                            job->query, job->node, job->score));
    if (code == CLI_OK)
        cli_say(&job->run, "search    %" PRId64 " nodes in %.2f s", job->queries,
                cli_seconds() - began);
    return code;
}

/* The score asked for beside the two that every recommender has to beat. */
static int evaluate(recommend_job *job) {
    static const int32_t baselines[] = {CAFE_SCORE_POPULARITY, CAFE_SCORE_COMMON};
    cafe_recommend_input input = {job->split.training, job->vectors, job->columns};
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
    int code = cli_check(&job->run,
                         cafe_split_make(job->run.context, job->graph, job->share, &job->split));
    if (code != CLI_OK) return code;
    cli_say(&job->run, "hidden    %" PRId64 " of %" PRId64 " links", job->split.hidden,
            job->counts.edges);
    if (job->split.hidden > 0) return CLI_OK;
    return cli_error(&job->run, CLI_FAILED,
                     "no link can be hidden: without it the graph would fall apart, or the share "
                     "is less than a link");
}

static int work(recommend_job *job) {
    int code = cli_check(
        &job->run, cafe_graph_read(job->run.context, job->path, &job->values->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    if ((code = find_queries(job)) != CLI_OK) return code;
    if ((code = hide_links(job)) != CLI_OK) return code;
    if ((code = embed(job)) != CLI_OK) return code;
    if ((code = job->share > 0 ? evaluate(job) : search(job)) != CLI_OK) return code;
    if ((code = recommend_write(job)) != CLI_OK) return code;
    return recommend_write_report(job);
}

/* --node and the words after the graph are the names. */
static void take_names(recommend_job *job, const cli_arguments *arguments) {
    job->names = arguments->words; /* the graph's place is free for the first name */
    job->path = arguments->words[0];
    if (job->values->node) job->names[job->names_count++] = job->values->node;
    for (int i = 1; i < arguments->count; i++) job->names[job->names_count++] = arguments->words[i];
}

static void take_options(recommend_job *job) {
    const recommend_values *v = job->values;
    cafe_recommend_options_init(&job->options);
    job->options.count = v->count;
    job->options.score = v->score;
    job->options.new_only = v->new_only || job->share > 0;
    job->options.sides = v->sides == 0;
}

static int run_recommend(const void *values, const cli_arguments *arguments) {
    recommend_job job = {.values = values};
    take_names(&job, arguments);
    int code = check_values(&job);
    if (code != CLI_OK) return code;
    take_options(&job);
    code = cli_begin(&job.run, "recommend", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    if (job.run.context) {
        cafe_block_free(job.run.context, job.vectors);
        cafe_split_free(job.run.context, &job.split);
    }
    cafe_graph_free(job.graph);
    free(job.query);
    free(job.node);
    free(job.score);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"node", 0, "NAME", CLI_TEXT, offsetof(recommend_values, node), NULL, NULL,
     "recommend to this node; further names may follow"},
    {"nodes-file", 0, "FILE", CLI_TEXT, offsetof(recommend_values, nodes_file), NULL, NULL,
     "recommend to the nodes of this file, one name per line; - is standard input"},
    {"all", 0, NULL, CLI_FLAG, offsetof(recommend_values, all), NULL, NULL,
     "recommend to every node"},
    {"count", 'k', "K", CLI_COUNT, offsetof(recommend_values, count), "10", NULL,
     "nodes to recommend to each"},
    {"score", 0, "NAME", CLI_CHOICE, offsetof(recommend_values, score), "product",
     "product|covariance|common|popularity",
     "what is largest: inner product of the vectors, covariance q(u,w), common neighbours (across "
     "the sides of a bipartite graph paths of three edges), or p_w"},
    {"new-only", 0, NULL, CLI_FLAG, offsetof(recommend_values, new_only), NULL, NULL,
     "leave out nodes that are linked already"},
    {"sides", 0, "NAME", CLI_CHOICE, offsetof(recommend_values, sides), "auto", "auto|any",
     "auto recommends only nodes of the other side when the graph is bipartite; any does not look"},
    {"evaluate", 0, "SHARE", CLI_TEXT, offsetof(recommend_values, evaluate), NULL, NULL,
     "hide this share of the links by the seed, embed the rest, and print how well the hidden ones "
     "are found, beside popularity and common neighbours"},
    {"output", 'o', "FILE", CLI_TEXT, offsetof(recommend_values, output), NULL, NULL,
     "the lists, separated by tabs, into a file instead of standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(recommend_values, json), NULL, NULL,
     "the lists and every figure as JSON; - prints it instead of the lists"},
    CLI_ROW_FORCE,
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_option vector_options[] = {
    {"embedding", 0, "FILE", CLI_TEXT, offsetof(recommend_values, embedding), NULL, NULL,
     "vectors to multiply as they are (.npy, a row per node) instead of embedding the graph"},
    {"columns", 0, "C", CLI_COUNT, offsetof(recommend_values, columns), "64", NULL,
     "columns of the embedding"},
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"--score product", vector_options, cafe_decoder_option_table,
     offsetof(recommend_values, decoder)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(recommend_values, graph)},
    {0},
};

const cli_command cli_recommend = {
    .name = "recommend",
    .arguments = "GRAPH --node NAME ... [options]",
    .summary = "list the nodes that suit a node best",
    .description =
        "Prints for each node asked about the nodes whose score with it is largest, best first. "
        "In a bipartite graph (users and items) they are of the other side. --evaluate says how "
        "good that is.",
    .groups = groups,
    .size = sizeof(recommend_values),
    .least = 1,
    .most = INT_MAX,
    .run = run_recommend,
};
