/* What a run takes on several processes, ranks, before there are any.
 *
 * Rows are owned in pieces of cafe_together_rows(n), dealt out to R ranks in turn. A rank holds its
 * own rows of every n x K block and its own edges. It holds a ghost of every foreign row that one
 * of its edges leads to, and a few arrays of all n nodes. In a sweep a row changes once, so each
 * ghost travels once:
 *
 *     bytes a sweep = ghosts x stride x 4
 *
 * Ghosts are counted in the graph (graph/rank_edges.c) if available. Otherwise let a
 * node have d edges, and c be the share of edges between ranks. An edge of a node leads to a given
 * other rank with the probability q = c / (R - 1), or 1 / R if nodes are placed at random. Then
 *
 *     ghosts = n (R - 1) (1 - (1 - q)^d) .
 *
 * 1 - (1 - q)^d is concave in d, so that this is no less than the mean over nodes of different
 * degrees: a graph with hubs has fewer ghosts.
 *
 * A method without sweeps (spectral) has memory of its own for its rows; nobody knows beforehand
 * how many products it takes.
 *
 * The sampled graph of walks, and the weights of twisted sampling, are made whole by every rank.
 *
 * Time: rows are read from memory as often as there are edges; ghosts travel; after each chunk the
 * ranks wait for one another.
 */
#include <math.h>
#include <stddef.h>

#include <cafe-private/inputs.h>
#include <cafe-private/run.h>
#include <cafe-private/text.h>

#include "base/option.h"
#include "base/rate.h"
#include "graph/graph.h"
#include "graph/rank_edges.h"
#include "method/memory_plan.h"
#include "operator/chunks.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"

static const cafe_option ranks_options[] = {
    {"ranks", "R", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_ranks_options, ranks), 1,
     1, 1 << 20, NULL,
     "with " CAFE_OPT("dry-run") ": forecast memory, bytes sent and time of a run on R processes "
                                 "(docs/algorithms/ranks.md), each with " CAFE_OPT(
                                     "threads") " threads"},
    {"network", "RATE", CAFE_OPTION_TEXT | CAFE_OPTION_TUNE, offsetof(cafe_ranks_options, network),
     0, 0, 0, NULL, "what a process can send and receive in a second, 25Gbit or 3GB; 25G are bits"},
    {"memory-bandwidth", "RATE", CAFE_OPTION_TEXT | CAFE_OPTION_TUNE,
     offsetof(cafe_ranks_options, memory_bandwidth), 0, 0, 0, NULL,
     "what the threads of a process together read from memory in a second, 100GB; 100G are bytes"},
    {"latency", "US", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_ranks_options, latency),
     20, 0, 1e6, NULL, "microseconds that a message takes however short it is"},
    {"cut", "SHARE", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_ranks_options, cut), -1, 0,
     1, NULL,
     "share of the edges that lie between processes; -1 counts them in the graph, or without one "
     "takes nodes placed at random"},
};

CAFE_OPTION_TABLE(ranks, "ranks", "a run on several processes: memory, bytes sent, time",
                  ranks_options)

/* Bytes of an entry of P where walks are drawn: one that is kept, and one on the way. */
enum { ENTRY = 8, DRAWN = 20 };

/* Bytes a node of arrays that every rank has whole: offsets, p, factors, reach, places. A ghost has
 * its row in two blocks, besides its number, its p and its places. And the libraries of MPI and
 * PETSc. */
enum { WHOLE = 48, GHOST_ROWS = 2, GHOST = 48, LIBRARIES = 24000000 };

/* A run besides its sweeps has products of whole blocks and passes over own rows. The speed of each
 * of its threads, per second: operations n K^2 of Gram matrices and transforms, and edges for the
 * sums of rows. Measured. */
enum { PRODUCTS = 3, PASSES = 20, SQUARES = 8 };
static const double square_rate = 5e10, link_rate = 1e8;

typedef struct plan_job {
    const cafe_graph *graph; /* NULL: none */
    cafe_ranks_options options;
    cafe_graph_counts counts;
    cafe_finish_options finish;
    cafe_sphere_options size; /* columns of the blocks */
    bool weighted;            /* edges of the operator have weights of their own */
    bool same;                /* they are the graph's */
    double sampled, drawing; /* bytes of the sampled graph, whole in every rank; while it is made */
    double hubs;             /* bytes of the hub part */
    const cafe_method_code *code;
    const void *own;        /* the method's options */
    int64_t stride, wanted; /* of H; chunks asked for */
} plan_job;

/* ---- rows and edges -------------------------------------------------------------------------- */

static int64_t whole(double value) {
    return value < 0x1p62 ? (int64_t)ceil(value) : INT64_MAX;
}

/* Ghosts of all ranks, as above. */
static double expected_ghosts(double nodes, double links, double ranks, double cut) {
    if (ranks < 2 || nodes < 1) return 0;
    double q = cut / (ranks - 1);
    return nodes * (ranks - 1) * (q < 1 ? -expm1(links / nodes * log1p(-q)) : links > 0);
}

static void expect_cut(const plan_job *job, cafe_ranks_plan *p) {
    double n = (double)p->nodes, links = (double)p->links, ranks = (double)p->ranks;
    int64_t pieces = (p->nodes + p->piece - 1) / p->piece;
    int64_t rows = (pieces + p->ranks - 1) / p->ranks * p->piece;
    p->cut = ranks < 2 ? 0 : job->options.cut >= 0 ? job->options.cut : 1 - 1 / ranks;
    p->inner = n > 0 ? pow(1 - p->cut, links / n) : 1;
    double ghosts = expected_ghosts(n, links, ranks, p->cut);
    p->rank_rows = rows < p->nodes ? rows : p->nodes;
    double share = n > 0 ? (double)p->rank_rows / n : 0; /* of the fullest rank */
    p->ghost_rows = whole(ghosts);
    p->rank_links = whole(links * share);
    double own = ghosts * (share > 1 / ranks ? share : 1 / ranks), others = n - n / ranks;
    p->rank_ghosts = whole(own < others ? own : others);
    p->rank_sends = p->rank_ghosts;
}

static cafe_status count_cut(cafe_context *context, const plan_job *job, cafe_ranks_plan *p) {
    cafe_cut cut;
    CAFE_PASS(cafe_graph_cut(context, job->graph, p->piece, p->ranks, &cut));
    p->counted = 1;
    p->cut = p->links > 0 ? (double)cut.arcs / (double)p->links : 0;
    p->inner = p->nodes > 0 ? (double)cut.inner / (double)p->nodes : 1;
    p->ghost_rows = cut.ghosts;
    p->rank_rows = cut.most_rows;
    p->rank_links = cut.most_arcs;
    p->rank_ghosts = cut.most_ghosts;
    p->rank_sends = cut.most_sent > cut.most_ghosts ? cut.most_sent : cut.most_ghosts;
    return CAFE_OK;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* What the method takes besides blocks, for so many rows. */
static double own_bytes(const plan_job *job, int64_t rows, int64_t threads) {
    cafe_graph_counts counts = job->counts;
    counts.nodes = rows;
    return job->code->bytes ? job->code->bytes(job->own, &counts, threads) : 0;
}

static void plan_bytes(const plan_job *job, cafe_ranks_plan *p) {
    double row = 4.0 * (double)job->stride, wide = 4.0 * (double)cafe_stride(job->size.columns);
    double arc = job->weighted ? 8 : 4, n = (double)p->nodes;
    bool copied = job->graph && job->graph->exposed;
    double link = job->counts.weighted ? 8 : 4;
    double rows = copied ? link * (double)job->graph->arcs + 8 * n : 0; /* and names */
    p->whole_bytes = whole(WHOLE * n + job->hubs + rows + job->sampled);
    p->link_bytes = whole(arc * (double)p->rank_links + 8.0 * (double)p->rank_rows);
    p->block_bytes = whole(cafe_embed_blocks(p->rank_rows, &job->size, &job->finish) +
                           own_bytes(job, p->rank_rows, (int64_t)p->threads));
    p->ghost_bytes = whole((GHOST_ROWS * wide + GHOST) * (double)p->rank_ghosts);
    p->work_bytes =
        LIBRARIES + cafe_embed_bytes(0, 0, 0, &job->size, &job->finish, (int32_t)p->threads);
    /* walks are drawn before there are blocks and ghosts */
    double room = (double)(p->link_bytes + p->block_bytes + p->ghost_bytes + p->work_bytes);
    if (LIBRARIES + job->drawing > job->sampled + room)
        p->work_bytes += whole(LIBRARIES + job->drawing - job->sampled - room);
    p->mapped_bytes = job->same && !copied ? whole(arc * (double)p->rank_links + 8 * n) : 0;
    p->memory = whole((double)p->whole_bytes + (double)p->link_bytes + (double)p->block_bytes +
                      (double)p->ghost_bytes + (double)p->work_bytes);
    p->bytes_per_sweep = p->chunks > 0 ? whole(row * (double)p->ghost_rows) : 0;
    p->rank_sends = p->chunks > 0 ? whole(row * (double)p->rank_sends) : 0;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A row is read for every edge, and read and written for its node. */
static double pass_seconds(const plan_job *job, const cafe_ranks_plan *p) {
    double row = 4.0 * (double)job->stride, arc = job->weighted ? 8 : 4;
    return ((double)p->rank_links * (row + arc) + 3 * (double)p->rank_rows * row) /
           p->memory_bandwidth;
}

/* After each chunk a message with ghosts, and sums that go through a tree of ranks and back. */
static double wait_seconds(const plan_job *job, const cafe_ranks_plan *p) {
    double steps = ceil(log2((double)p->ranks)), sums = 16.0 * (double)job->stride / p->network;
    return (double)p->chunks * (1e-6 * job->options.latency * (1 + steps) + sums);
}

/* Before and after the sweeps. */
static double other_seconds(const plan_job *job, const cafe_ranks_plan *p) {
    double rows = (double)p->rank_rows, k = (double)p->columns, threads = (double)p->threads;
    return PASSES * 4 * rows * (double)job->stride / p->memory_bandwidth +
           SQUARES * rows * k * k / (square_rate * threads) +
           (double)p->rank_links / (link_rate * threads);
}

/* What is unknown of the network does not matter to a single rank. */
static void plan_seconds(const plan_job *job, cafe_ranks_plan *p) {
    bool alone = p->ranks == 1;
    if (p->chunks == 0) return;
    if (p->memory_bandwidth > 0) p->work_seconds = pass_seconds(job, p);
    if (p->network > 0 && !alone) p->ghost_seconds = (double)p->rank_sends / p->network;
    if (p->network > 0 && !alone) p->wait_seconds = wait_seconds(job, p);
    if (!(p->memory_bandwidth > 0) || !(p->network > 0 || alone)) return;
    p->sweep_seconds = p->work_seconds + p->ghost_seconds + p->wait_seconds;
    p->run_seconds = p->sweeps * p->sweep_seconds +
                     PRODUCTS * (p->work_seconds + p->ghost_seconds) + other_seconds(job, p);
}

static const int64_t most_size = INT64_C(1) << 53; /* so far whole numbers are exact as doubles */

/* ---- the plan -------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, const cafe_method *method,
                         const cafe_method_options *options, const plan_job *job) {
    if (!method->code->ranks || options->propagate)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%s runs on one process alone; sphere, cafe and spectral run on several",
                         method->code->ranks ? "spectral propagation" : method->name);
    if (job->counts.nodes < 1 || job->counts.edges < 0 || job->counts.nodes > most_size ||
        job->counts.edges > most_size)
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            "no forecast of %lld nodes and %lld edges: it takes 1 node to 2^53, and as "
            "many edges",
            (long long)job->counts.nodes, (long long)job->counts.edges);
    return CAFE_OK;
}

static void open_job(const cafe_method *method, const cafe_method_options *options, plan_job *job,
                     cafe_ranks_plan *p) {
    const cafe_option_table *table = cafe_plan_table(method);
    const cafe_graph_counts *counts = &job->counts;
    int64_t entries =
        cafe_sample_entries((cafe_sampling)options->sampling, options->sample, counts);
    bool edges = options->sampling == CAFE_SAMPLING_EDGE;
    bool walks = cafe_sampler_has(cafe_sampler_of((cafe_sampling)options->sampling), "samples");
    job->same = !walks;
    job->weighted = counts->weighted || !edges;
    if (walks) job->sampled = ENTRY * ((double)entries + (double)counts->nodes);
    if (walks) job->drawing = DRAWN * (double)entries;
    if (!walks && !edges) job->sampled = 4.0 * (double)entries; /* its weights */
    job->hubs = cafe_plan_size(method, options, counts, &job->size, &job->finish);
    p->nodes = counts->nodes;
    p->links = job->graph && job->same ? job->graph->arcs : entries;
    p->columns = cafe_method_columns(table, options->own);
    if (p->columns > p->nodes) p->columns = p->nodes;
    job->stride = cafe_stride(p->columns);
    job->wanted = (int64_t)cafe_plan_number(table, "chunks", options->own);
    p->sweeps = (int32_t)cafe_plan_number(table, "sweeps", options->own);
    p->ranks = job->options.ranks;
    p->piece = cafe_together_rows(p->nodes);
    p->chunks = cafe_table_find(table, "sweeps")
                    ? cafe_chunks_count(p->nodes, job->wanted, job->stride, false)
                    : 0;
    job->code = method->code, job->own = options->own;
}

static cafe_status take_rates(cafe_context *context, const cafe_ranks_options *o,
                              cafe_ranks_plan *p) {
    CAFE_PASS(cafe_rate(context, "network", o->network, true, &p->network));
    return cafe_rate(context, "memory-bandwidth", o->memory_bandwidth, false, &p->memory_bandwidth);
}

cafe_status cafe_method_ranks(cafe_context *context, const cafe_method *method,
                              const cafe_method_options *options, const cafe_graph *graph,
                              const cafe_graph_counts *counts, const cafe_ranks_options *ranks,
                              cafe_ranks_plan *plan) {
    plan_job job = {.graph = graph};
    cafe_planned planned;
    *plan = (cafe_ranks_plan){.threads = cafe_threads(context)};
    job.counts = counts ? *counts : graph->counts;
    CAFE_PASS(cafe_options_take(context, &ranks_table, ranks, &job.options));
    CAFE_PASS(take_rates(context, &job.options, plan));
    cafe_planned_take(method, options, &planned);
    CAFE_PASS(check(context, planned.method, &planned.options, &job));
    open_job(planned.method, &planned.options, &job, plan);
    if (graph && job.same && job.options.cut < 0)
        CAFE_PASS(count_cut(context, &job, plan));
    else
        expect_cut(&job, plan);
    plan_bytes(&job, plan);
    plan_seconds(&job, plan);
    return CAFE_OK;
}
