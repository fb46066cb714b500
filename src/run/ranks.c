/* Several processes: what each of them would take, how the nodes are divided among them, and what
 * they sent to each other.
 */
#include <string.h>

#include <cafe-private/members.h>
#include <cafe-private/run.h>

#include "engine/engine.h"
#include "method/method.h"
#include "report/report.h"
#include "run/run.h"

static const char *const partitioners[] = {"contiguous", "scotch", "parmetis"};
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

cafe_status cafe_run_set_partition(cafe_run *run, const char *text) {
    for (int32_t i = 0; i < PARTITIONERS; i++) {
        if (strcmp(partitioners[i], text) != 0) continue;
        run->partitioner = i;
        return CAFE_OK;
    }
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("partition") " takes contiguous, scotch or parmetis, not '%s'", text);
}

/* ---- the forecast ---------------------------------------------------------------------------- */

/* A forecast of processes is one that was asked for, or one of a graph that is not there. */
cafe_status cafe_run_plan_ranks(cafe_run *run) {
    cafe_run_forecast *f = &run->forecast;
    if (run->graph && !cafe_run_is_given(run, RUN_RANKS, "ranks")) return CAFE_OK;
    CAFE_PASS(cafe_method_ranks(run->context, run->method, &run->options, run->graph, &run->counts,
                                &run->ranks, &f->ranks));
    f->rank_fits = run->limit == 0 || f->ranks.memory <= run->limit;
    return CAFE_OK;
}

static void put_seconds(cafe_report *report, const cafe_ranks_plan *p) {
    if (p->network > 0) cafe_report_real(report, "network_rate", p->network);
    if (p->memory_bandwidth > 0) cafe_report_real(report, "memory_rate", p->memory_bandwidth);
    if (p->memory_bandwidth > 0) cafe_report_real(report, "work_seconds", p->work_seconds);
    if (p->network > 0) cafe_report_real(report, "ghost_seconds", p->ghost_seconds);
    if (p->network > 0) cafe_report_real(report, "wait_seconds", p->wait_seconds);
    if (!(p->sweep_seconds > 0)) return;
    cafe_report_real(report, "sweep_seconds", p->sweep_seconds);
    cafe_report_real(report, "run_seconds", p->run_seconds);
}

#define STRUCT cafe_ranks_plan
static const cafe_field plan_fields[] = {FIELD(ranks),      AS("rank_threads", threads),
                                         FIELD(counted),    AS("piece_rows", piece),
                                         FIELD(cut),        FIELD(inner),
                                         FIELD(ghost_rows), FIELD(bytes_per_sweep)};
static const cafe_field rank_fields[] = {
    FIELD(rank_rows),         FIELD(rank_links),  FIELD(rank_ghosts), FIELD(rank_sends),
    AS("rank_bytes", memory), FIELD(whole_bytes), FIELD(link_bytes),  FIELD(block_bytes),
    FIELD(ghost_bytes),       FIELD(work_bytes),  FIELD(mapped_bytes)};
#undef STRUCT

static void put_plan(const cafe_run *run, cafe_report *report) {
    const cafe_ranks_plan *p = &run->forecast.ranks;
    cafe_report_open(report, "distributed", '{');
    cafe_report_open(report, "options", '{');
    cafe_report_options(report, run->tables[RUN_RANKS].table, &run->ranks);
    cafe_report_close(report);
    CAFE_REPORT_FIELDS(report, plan_fields, p);
    cafe_report_integer(report, "sums_per_sweep", p->ranks > 1 ? p->chunks : 0);
    CAFE_REPORT_FIELDS(report, rank_fields, p);
    if (run->limit > 0) cafe_report_truth(report, "rank_fits", run->forecast.rank_fits);
    put_seconds(report, p);
    cafe_report_close(report);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Layers and memberships in sparse rows are not divided. */
static bool divides_rows(const cafe_run *run) {
    const run_table *own = &run->tables[RUN_OWN];
    return run->purpose == CAFE_PURPOSE_VECTORS || cafe_method_columns(own->table, own->values) > 0;
}

cafe_status cafe_run_divide(cafe_run *run) {
    cafe_run_division *d = &run->division;
    int32_t rank;
    CAFE_PASS(cafe_engine_team(run->context, &rank, &d->ranks));
    if (d->ranks == 1 && run->partitioner == CAFE_PARTITION_CONTIGUOUS) return CAFE_OK;
    d->sampled = run->options.sampling != CAFE_SAMPLING_EDGE;
    if (!divides_rows(run)) return CAFE_OK;
    return cafe_model_divide(run->context, run->model, run->partitioner, &d->cut);
}

cafe_status cafe_run_measure_division(cafe_run *run) {
    cafe_run_division *d = &run->division;
    cafe_traffic traffic;
    if (d->ranks == 1) return CAFE_OK;
    CAFE_PASS(cafe_engine_traffic(run->context, &traffic));
    d->ghost_rows = traffic.ghost_rows;
    d->sweeps = traffic.sweeps;
    d->bytes_per_sweep = traffic.sweeps > 0 ? traffic.bytes / traffic.sweeps : 0;
    if (run->embedding) {
        const cafe_certificate *c = cafe_embedding_certificate(run->embedding);
        d->hubs = c->columns > c->certified; /* the finish added columns, whole in each rank */
    }
    if (!run->clustering) return CAFE_OK;
    const cafe_clustering_info *found = cafe_clustering_get(run->clustering);
    d->whole = !found->objective || found->sparse;
    d->shared = !found->objective;
    return CAFE_OK;
}

void cafe_run_report_ranks(const cafe_run *run, int32_t dry, cafe_report *report) {
    const cafe_run_division *d = &run->division;
    if (dry && run->forecast.ranks.ranks > 0) put_plan(run, report);
    if (dry || d->ranks == 1) return;
    cafe_report_open(report, "distributed", '{');
    cafe_report_integer(report, "ranks", d->ranks);
    cafe_report_open(report, "whole", '[');
    if (d->sampled) cafe_report_string(report, NULL, "sampling");
    if (d->whole) cafe_report_string(report, NULL, "solver");
    if (d->hubs) cafe_report_string(report, NULL, "hubs");
    cafe_report_close(report);
    cafe_report_string(report, "partition", partitioners[run->partitioner]);
    cafe_report_real(report, "cut", d->cut);
    cafe_report_integer(report, "ghost_rows", d->ghost_rows);
    cafe_report_integer(report, "bytes_per_sweep", d->bytes_per_sweep);
    cafe_report_close(report);
}
