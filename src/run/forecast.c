/* What a run takes, and whether that is there: memory, the device's memory, disk. */

#include <cafe-private/run.h>

#include "base/memory_limit.h"
#include "base/print.h"
#include "engine/engine.h"
#include "graph/graph.h"
#include "graph/node_order.h"
#include "method/memory_plan.h"
#include "method/method.h"
#include "method/model_layers.h"
#include "method/node_features.h"
#include "run/run.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bytes that the caller holds already and that count as needed by the run: the graph's arrays,
 * unless they are pages of a file, and the vectors to start from. */
static int64_t held_bytes(const cafe_run *run) {
    const cafe_graph *g = run->graph;
    int64_t start = run->counts.nodes * run->inputs.start_columns * (int64_t)sizeof(float);
    if (!g || g->map.start) return start;
    return start + 8 * (run->counts.nodes + 1) + g->arcs * (g->weights ? 8 : 4);
}

/* Needed beside what cafe_method_plan() counts: the start vectors, and the graph in the order that
 * it keeps. */
static int64_t extra_bytes(const cafe_run *run) {
    int64_t nodes = run->counts.nodes;
    int64_t bytes = nodes * run->inputs.start_columns * (int64_t)sizeof(float);
    if (run->graph && cafe_graph_order(run->graph))
        bytes += run->counts.edges * (run->counts.weighted ? 16 : 8) + nodes * 40;
    if (run->graph)
        bytes += (int64_t)cafe_model_layers_bytes(run->graph, run->sample.null_model,
                                                  run->method == &cafe_layers_method);
    if (run->inputs.features)
        bytes += (int64_t)cafe_feature_bytes(nodes, run->inputs.features,
                                             run->method == &cafe_layers_method);
    return bytes;
}

/* Of several processes each holds its part of the rows. */
static cafe_status share(cafe_run *run, int64_t *needed) {
    cafe_ranks_options options;
    cafe_ranks_plan plan;
    int32_t rank, ranks;
    CAFE_PASS(cafe_engine_team(run->context, &rank, &ranks));
    if (ranks == 1) return CAFE_OK;
    cafe_ranks_options_init(&options);
    options.ranks = ranks;
    CAFE_PASS(cafe_method_ranks(run->context, run->method, &run->options, NULL, &run->counts,
                                &options, &plan));
    *needed = plan.memory;
    return CAFE_OK;
}

/* The blocks of a run lie on the device. Here are the vectors, and as much again where others are
 * joined to them. */
static int64_t blocks_elsewhere(const cafe_run *run) {
    const cafe_run_forecast *f = &run->forecast;
    double blocks = (double)(f->plan.device - f->plan.device_links) * 32 / 33;
    double here = 8.0 * (double)run->counts.nodes * (double)f->columns;
    return f->device_free > 0 && blocks > here ? (int64_t)(blocks - here) : 0;
}

static void plan_device(cafe_run_forecast *f) {
    double left = (double)(f->device_free - f->plan.device_links);
    double each = (double)(f->plan.device - f->plan.device_links) / (double)f->columns;
    f->device_needed = f->device_free > 0 ? f->plan.device : 0;
    f->device_columns = f->device_free > 0 && left > 0 ? (int64_t)(left / each) : 0;
}

static cafe_status plan_memory(cafe_run *run) {
    cafe_run_forecast *f = &run->forecast;
    int64_t extra = extra_bytes(run), all;
    int32_t threads = cafe_threads(run->context);
    CAFE_PASS(cafe_engine_memory(run->context, &f->device_free, &all));
    f->available = run->limit > 0 ? run->limit : cafe_memory_available() + held_bytes(run);
    if (run->graph)
        cafe_method_plan(run->method, &run->options, run->graph, threads, f->available - extra,
                         &f->plan);
    else
        f->plan.needed = cafe_method_bytes(run->method, &run->options, &run->counts, threads);
    CAFE_PASS(share(run, &f->plan.needed));
    f->needed = f->plan.needed + extra - blocks_elsewhere(run);
    f->plan.least += extra;
    plan_device(f);
    if (run->limit == 0 || f->plan.files == 0) return CAFE_OK;
    f->folder = run->folder;
    return cafe_disk_free(run->context, run->folder, &f->disk_free);
}

/* ---- whether it fits ------------------------------------------------------------------------- */

static bool in_files(const cafe_run *run) {
    const cafe_run_forecast *f = &run->forecast;
    return run->limit > 0 && f->plan.files > 0;
}

static bool fits_device(const cafe_run_forecast *f) {
    return f->device_free == 0 || f->device_needed <= f->device_free;
}

static bool fits(const cafe_run *run) {
    const cafe_run_forecast *f = &run->forecast;
    if (!fits_device(f)) return false;
    if (f->needed <= f->available) return true;
    return in_files(run) && f->plan.groups > 0 && f->plan.least <= run->limit &&
           f->plan.files <= f->disk_free;
}

/* Communities take a few numbers a node and edge; their memory is not forecast. */
static cafe_status plan(cafe_run *run) {
    CAFE_PASS(cafe_run_settle(run));
    if (run->planned) return CAFE_OK;
    int64_t columns = run->forecast.columns;
    run->forecast = (cafe_run_forecast){.columns = columns, .fits = 1, .plan.groups = 1};
    if (run->purpose == CAFE_PURPOSE_VECTORS) {
        CAFE_PASS(plan_memory(run));
        run->forecast.fits = fits(run);
        CAFE_PASS(cafe_run_plan_ranks(run));
    }
    run->planned = true;
    return CAFE_OK;
}

cafe_status cafe_run_plan_sized(cafe_run *run, cafe_run_forecast *forecast, size_t size) {
    CAFE_PASS(plan(run));
    cafe_struct_give(&run->forecast, sizeof run->forecast, forecast, size);
    return CAFE_OK;
}

cafe_status cafe_run_measure_disk(cafe_run *run) {
    cafe_disk disk;
    CAFE_PASS(plan(run));
    if (!run->forecast.folder) return CAFE_OK;
    CAFE_PASS(cafe_disk_measure(run->context, run->folder, &disk));
    run->forecast.disk_reads = disk.reads;
    run->forecast.disk_writes = disk.writes;
    return CAFE_OK;
}

/* ---- why not --------------------------------------------------------------------------------- */

static cafe_status refuse_device(cafe_run *run) {
    char needed[CAFE_BYTES_TEXT], left[CAFE_BYTES_TEXT];
    const cafe_run_forecast *f = &run->forecast;
    return cafe_fail(run->context, CAFE_ERROR_LIMIT,
                     "the run needs %s of the device's memory and %s is left: it does not fit; "
                     "%lld columns would",
                     cafe_bytes_text(f->device_needed, needed),
                     cafe_bytes_text(f->device_free, left), (long long)f->device_columns);
}

/* Within a limit, with vectors in files: the memory is too small, or the disk. */
static cafe_status refuse_files(cafe_run *run) {
    char needed[CAFE_BYTES_TEXT], least[CAFE_BYTES_TEXT], limit[CAFE_BYTES_TEXT];
    const cafe_run_forecast *f = &run->forecast;
    if (f->plan.least <= run->limit && f->plan.groups > 0)
        return cafe_fail(run->context, CAFE_ERROR_LIMIT,
                         "the run needs %s in files and %s has %s free: it does not fit; " CAFE_OPT(
                             "scratch") " names another folder",
                         cafe_bytes_text(f->plan.files, needed), run->folder,
                         cafe_bytes_text(f->disk_free, limit));
    return cafe_fail(run->context, CAFE_ERROR_LIMIT,
                     "the run needs %s of memory, with vectors in files %s at least, and %s is the "
                     "limit: it does not fit; fewer " CAFE_OPT("columns") " need less",
                     cafe_bytes_text(f->needed, needed), cafe_bytes_text(f->plan.least, least),
                     cafe_bytes_text(run->limit, limit));
}

static cafe_status refuse_rank(cafe_run *run) {
    char needed[CAFE_BYTES_TEXT], limit[CAFE_BYTES_TEXT];
    return cafe_fail(
        run->context, CAFE_ERROR_LIMIT,
        "a rank needs %s of memory and %s is the limit: it does not fit; more " CAFE_OPT(
            "ranks") " or fewer " CAFE_OPT("columns") " need less",
        cafe_bytes_text(run->forecast.ranks.memory, needed), cafe_bytes_text(run->limit, limit));
}

cafe_status cafe_run_fits(cafe_run *run) {
    char needed[CAFE_BYTES_TEXT], available[CAFE_BYTES_TEXT];
    const cafe_run_forecast *f = &run->forecast;
    CAFE_PASS(plan(run));
    if (f->ranks.ranks > 0) return f->rank_fits ? CAFE_OK : refuse_rank(run);
    if (f->fits) return CAFE_OK;
    if (!fits_device(f)) return refuse_device(run);
    if (in_files(run)) return refuse_files(run);
    bool files = f->plan.files > 0 && f->plan.least <= f->available;
    return cafe_fail(run->context, CAFE_ERROR_LIMIT,
                     "the run needs %s of memory and %s %s: it does not fit; fewer " CAFE_OPT(
                         "columns") " need less%s",
                     cafe_bytes_text(f->needed, needed), cafe_bytes_text(f->available, available),
                     run->limit > 0 ? "is the limit" : "is available",
                     files ? ", " CAFE_OPT("memory-limit") " keeps vectors in files" : "");
}
