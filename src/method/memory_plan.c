/* What a run takes: memory, and within a limit to it files, groups of columns, bytes to and from
 * the disk. */
#include "method/memory_plan.h"

#include <cafe-private/run.h>

#include "base/memory_limit.h"
#include "base/option.h"
#include "graph/graph.h"
#include "method/hubs.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"

/* ---- memory ---------------------------------------------------------------------------------- */

double cafe_plan_number(const cafe_option_table *table, const char *name, const void *own) {
    const cafe_option *option = cafe_table_find(table, name);
    return option ? cafe_options_number(option, own) : 0;
}

/* Solvers hold two blocks of their columns, as sphere does; where a method lets the caller choose
 * what the columns come from, the words mean the same. */
static void size_of(const cafe_option_table *table, const void *own, cafe_sphere_options *size) {
    cafe_sphere_options_init(size);
    size->columns = cafe_method_columns(table, own);
    size->columns_from = (int32_t)cafe_plan_number(table, "columns-from", own);
}

/* With r columns of the solver there, K - r are found in two blocks that are wider by the guards.
 * They have 2 (K + guards) - r columns, at most two blocks of K + guards. And the node weights, a
 * first column, the weights of the edges. */
static double add_hub_bytes(const cafe_graph_counts *counts, cafe_sphere_options *size) {
    if (size->columns_from < CAFE_FROM_AUTO) return 0;
    size->columns += CAFE_HUB_GUARDS;
    return 24.0 * (double)counts->nodes + (counts->weighted ? 8.0 * (double)counts->edges : 0);
}

const cafe_option_table *cafe_plan_table(const cafe_method *method) {
    return method->vectors ? method->vectors() : method->communities();
}

void cafe_planned_take(const cafe_method *method, const cafe_method_options *options,
                       cafe_planned *planned) {
    cafe_method_options_init(&planned->options);
    cafe_struct_take(options, &planned->options, sizeof planned->options);
    planned->method = cafe_method_or_first(method, false);
    if (planned->options.own) return;
    const cafe_option_table *table = cafe_plan_table(planned->method);
    cafe_options_init(table, planned->own, table->struct_size);
    planned->options.own = planned->own;
}

double cafe_plan_size(const cafe_method *method, const cafe_method_options *options,
                      const cafe_graph_counts *counts, cafe_sphere_options *size,
                      cafe_finish_options *finish) {
    size_of(cafe_plan_table(method), options->own, size);
    double hubs = add_hub_bytes(counts, size);
    if (size->columns > counts->nodes) size->columns = counts->nodes;
    cafe_finish_options_init(finish);
    finish->form = method->form;
    if (options->finish) *finish = *options->finish;
    return hubs;
}

static int64_t count_bytes(const cafe_method *method, const cafe_method_options *options,
                           const cafe_graph_counts *counts, int32_t threads) {
    cafe_finish_options finish;
    cafe_sphere_options size;
    int64_t hubs = (int64_t)cafe_plan_size(method, options, counts, &size, &finish);
    int64_t entries =
        cafe_sample_entries((cafe_sampling)options->sampling, options->sample, counts);
    bool plain = entries == 2 * counts->edges;
    int64_t bytes = hubs + cafe_embed_bytes(counts->nodes, entries / 2, counts->weighted || !plain,
                                            &size, &finish, threads);
    if (method->code->bytes) bytes += (int64_t)method->code->bytes(options->own, counts, threads);
    if (options->propagate)
        bytes += (int64_t)cafe_propagate_bytes(counts->nodes, size.columns, threads);
    return bytes;
}

int64_t cafe_method_bytes(const cafe_method *method, const cafe_method_options *options,
                          const cafe_graph_counts *counts, int32_t threads) {
    cafe_planned planned;
    cafe_planned_take(method, options, &planned);
    return count_bytes(planned.method, &planned.options, counts, threads);
}

/* ---- within a limit -------------------------------------------------------------------------- */

/* Passes over an n x K block that a run makes besides its sweeps: measured. */
enum { RUN_READS = 12, RUN_WRITES = 7 };

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Bytes of edges in memory: none of a graph in a file, all of a sampled one. */
static double links_of(const cafe_graph *graph, int64_t entries) {
    double arcs = (double)graph->arcs;
    if (entries != graph->arcs) return 8.0 * (double)entries + arcs * (graph->weights ? 8 : 4);
    bool in_file = cafe_is_mapped(graph->context, graph->targets);
    double targets = in_file ? 0 : 4 * arcs;
    return targets + (graph->scaled_copy || (graph->scaled && !in_file) ? 4 * arcs : 0);
}

/* The least limit. An eighth of it is for pages of files. The program and the edges need memory,
 * and every node 64 bytes. To this comes the largest of three: a group of the fewest columns, the
 * columns by which the noise is found, the Gram matrices of the finish. */
static double least_of(double nodes, double links, double columns, int32_t threads) {
    const double program = 16 << 20, lanes = 64 * nodes, noise = 136 * nodes;
    double gram = 64 * 8 * 4 * columns * columns + 256.0 * 8 * 2 * columns * threads;
    if (gram > 64e6) gram = larger(16 * 8 * 4 * columns * columns, 64e6);
    return 8.0 / 7 * (program + links + 64 * nodes + larger(lanes, larger(noise, gram)));
}

/* A sweep over groups of columns reads H once a group and once more, and writes it, in every chunk.
 * The sums of its chunks are written and read once a group. The edges are read once a group and
 * chunk. */
static void count_sweep(double h, double graph, cafe_plan *plan) {
    double chunks = (double)plan->chunks, groups = (double)plan->groups;
    if (plan->groups == 1) return;
    plan->sweep_reads = (int64_t)(chunks * ((groups + 1) * h + groups * graph) + groups * h);
    plan->sweep_writes = (int64_t)((chunks + groups) * h);
}

static bool lies_in_files(const cafe_method *method, const cafe_method_options *options) {
    return method->code->files && !options->propagate;
}

static void plan_files(const cafe_method *method, const cafe_method_options *options,
                       const cafe_graph *graph, int32_t threads, cafe_plan *plan) {
    const cafe_graph_counts *counts = &graph->counts;
    const cafe_option_table *table = cafe_plan_table(method);
    cafe_finish_options finish;
    cafe_sphere_options size;
    int64_t n = counts->nodes, columns = cafe_method_columns(table, options->own);
    int64_t stride = cafe_stride(columns < n ? columns : n);
    int64_t entries =
        cafe_sample_entries((cafe_sampling)options->sampling, options->sample, counts);
    double hubs = cafe_plan_size(method, options, counts, &size, &finish);
    double h = 4.0 * (double)n * (double)stride,
           sweeps = cafe_plan_number(table, "sweeps", options->own);
    double links = links_of(graph, entries);
    int64_t floats = cafe_limit_floats(plan->limit, n, (int64_t)links);
    plan->files = (int64_t)cafe_embed_blocks(n, &size, &finish) + graph->context->file_bytes;
    plan->least = (int64_t)(least_of((double)n, links, (double)size.columns, threads) + hubs);
    plan->groups = cafe_column_groups(stride, floats);
    plan->chunks = (int64_t)cafe_plan_number(table, "chunks", options->own);
    if (plan->groups > 1 && plan->chunks == 0) plan->chunks = cafe_grouped_chunks(plan->groups);
    if (plan->groups > 1) /* rows and edges of a chunk */
        plan->files += (int64_t)((h + 4.0 * (double)entries) / (double)plan->chunks);
    count_sweep(h, (counts->weighted ? 8.0 : 4.0) * (double)graph->arcs, plan);
    plan->reads = (int64_t)(RUN_READS * h + sweeps * (double)plan->sweep_reads);
    plan->writes = (int64_t)(RUN_WRITES * h + sweeps * (double)plan->sweep_writes);
}

/* Edges, with a degree exponent their weights too, 64 bytes a node, the blocks, and one in 32 of a
 * block for the rows of a chunk. */
static void plan_device(const cafe_method *method, const cafe_method_options *options,
                        const cafe_graph_counts *counts, cafe_plan *plan) {
    const double base = 256e6, n = (double)counts->nodes;
    cafe_finish_options finish;
    cafe_sphere_options size;
    int64_t entries =
        cafe_sample_entries((cafe_sampling)options->sampling, options->sample, counts);
    bool exponent = !options->sample || options->sample->degree_exponent != 0;
    bool weighted = counts->weighted || exponent || entries != 2 * counts->edges;
    cafe_plan_size(method, options, counts, &size, &finish);
    double blocks = cafe_embed_blocks(counts->nodes, &size, &finish);
    plan->device_links = (int64_t)(base + (weighted ? 8 : 4) * (double)entries + 64 * n);
    plan->device = plan->device_links + (int64_t)(blocks * 33 / 32);
}

void cafe_method_plan(const cafe_method *method, const cafe_method_options *options,
                      const cafe_graph *graph, int32_t threads, int64_t limit, cafe_plan *plan) {
    cafe_planned planned;
    cafe_planned_take(method, options, &planned);
    const cafe_method *m = planned.method;
    const cafe_method_options *o = &planned.options;
    *plan = (cafe_plan){.limit = limit, .groups = 1};
    plan->needed = plan->least = count_bytes(m, o, &graph->counts, threads);
    plan_device(m, o, &graph->counts, plan);
    if (limit > 0 && plan->needed > limit && lies_in_files(m, o))
        plan_files(m, o, graph, threads, plan);
}
