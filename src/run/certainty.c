/* Trials: the same search with other seeds, and on random graphs with the same degrees.
 *
 * Trial t has the seed of the run plus t. The communities of the run are those of the trial with
 * the largest modularity. A random graph is searched with the same seed and settings as its trial.
 * If the graph were one of the random graphs, the modularity of its first trial would have any rank
 * among theirs with the same probability.
 */
#include "run/certainty.h"

#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/processes.h"
#include "graph/edge_swaps.h"
#include "graph/graph.h"
#include "graph/pooling.h"
#include "method/method.h"
#include "report/report.h"
#include "run/run.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option trials_options[] = {
    {"trials", "N", CAFE_OPTION_INTEGER, offsetof(cafe_trials_options, trials), 0, 2, 10000, NULL,
     "search N times with other seeds, and on N random graphs with the same degrees: how often "
     "nodes stay in their community, and whether there are communities; 0: one search"},
    {"profile", "A:B[:N]", CAFE_OPTION_TEXT, offsetof(cafe_trials_options, profile), 0, 0, 0, NULL,
     "search at N resolutions from A to B in equal ratios (default 20), and say which have stable "
     "communities"},
};

CAFE_OPTION_TABLE(trials, "trials", "the same search with other seeds and resolutions",
                  trials_options)

/* Trials of a search that starts somewhere, or knows labels, would agree for that reason. */
cafe_status cafe_run_check_trials(cafe_run *run) {
    const cafe_run_inputs *g = &run->given;
    const char *name = g->partition || g->partition_path ? "start"
                       : g->labels || g->labels_path     ? "labels"
                                                         : NULL;
    const cafe_trials_options *o = &run->trials_options;
    if (o->trials == 0 && !o->profile) return CAFE_OK;
    if (name)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("%s") " does not go with " CAFE_OPT("%s"),
                         o->profile ? "profile" : "trials", name);
    if (o->trials > 0 && cafe_team_ranks(run->context) > 1)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("trials") " is for one process");
    return CAFE_OK;
}

/* ---- searches -------------------------------------------------------------------------------- */

static cafe_status search(cafe_run *run, const cafe_model *model, int64_t trial,
                          cafe_clustering **found) {
    cafe_context *context = run->context;
    uint64_t seed = context->seed;
    context->seed = seed + (uint64_t)trial;
    cafe_status status =
        cafe_model_cluster(context, model, run->method, &run->options, &run->inputs, found);
    context->seed = seed;
    return status;
}

/* The trial's partition and modularity; the better clustering stays with the run. */
static cafe_status keep(cafe_run *run, int64_t trial, cafe_clustering **found) {
    run_trials *t = &run->trials;
    const cafe_clustering_info *f = cafe_clustering_get(*found);
    t->part[trial] = cafe_mem(run->context, f->nodes, sizeof **t->part);
    if (!t->part[trial]) return CAFE_ERROR_MEMORY;
    memcpy(t->part[trial], f->partition, (size_t)f->nodes * sizeof **t->part);
    t->communities[trial] = f->communities;
    t->modularity[trial] = f->modularity;
    if (trial > 0 && !(f->modularity > t->modularity[t->report.best])) return CAFE_OK;
    cafe_clustering *held = run->clustering;
    t->report.best = trial;
    if (held == *found) return CAFE_OK;
    run->clustering = *found;
    *found = held;
    return CAFE_OK;
}

static cafe_status search_all(cafe_run *run) {
    CAFE_PASS(keep(run, 0, &run->clustering));
    for (int64_t i = 1; i < run->trials_options.trials; i++) {
        cafe_clustering *found = NULL;
        cafe_status status = search(run, run->model, i, &found);
        if (status == CAFE_OK) status = keep(run, i, &found);
        cafe_clustering_free(found);
        CAFE_PASS(status);
    }
    return CAFE_OK;
}

static cafe_status search_random(cafe_run *run, int64_t trial) {
    cafe_status status = CAFE_OK;
    cafe_graph *random = NULL;
    cafe_model *model = NULL;
    cafe_clustering *found = NULL;
    CAFE_TRY(cafe_graph_swap_edges(run->context, run->graph, (uint32_t)trial, &random));
    CAFE_TRY(
        cafe_model_create(run->context, random, run->method, &run->options, &run->inputs, &model));
    CAFE_TRY(search(run, model, trial, &found));
    run->trials.random[trial] = cafe_clustering_get(found)->modularity;
done:
    cafe_clustering_free(found);
    cafe_model_free(model);
    cafe_graph_free(random);
    return status;
}

/* ---- the test -------------------------------------------------------------------------------- */

static void describe(const double *value, int64_t count, double *mean, double *deviation) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < count; i++) sum += value[i];
    *mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) square += (value[i] - *mean) * (value[i] - *mean);
    *deviation = sqrt(square / (double)(count - 1));
}

/* Modularities closer than rounding are equal: all graphs with these degrees may be the same. */
static void test(run_trials *t) {
    static const double rounding = 1e-12;
    cafe_run_trials *r = &t->report;
    double n = (double)t->count;
    describe(t->modularity, t->count, &r->mean, &r->deviation);
    describe(t->random, t->count, &r->random_mean, &r->random_deviation);
    int64_t above = 0;
    for (int64_t i = 0; i < t->count; i++) above += t->random[i] > t->modularity[0] - rounding;
    r->p = (1 + (double)above) / (n + 1);
    r->p_error = sqrt(r->p * (1 - r->p) / (n + 1));
    r->z = r->z_error = NAN;
    if (!(r->random_deviation > rounding)) return;
    r->z = (t->modularity[0] - r->random_mean) / r->random_deviation;
    r->z_error = sqrt(1 / n + r->z * r->z / (2 * (n - 1)));
}

/* ---- merges ---------------------------------------------------------------------------------- */

static float merged_share(const run_trials *t, int64_t communities, int32_t a, int32_t b) {
    int64_t together = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const int32_t *counterpart = t->counterpart + i * communities;
        together += counterpart[a] == counterpart[b];
    }
    return (float)together / (float)t->count;
}

/* Pairs a < b of communities with an edge between them, in order of a, then of the first node of a
 * that has such an edge. If pair is NULL, they are counted. */
static int64_t list_pairs(const cafe_graph *g, const int32_t *part, const cafe_groups *sets,
                          int32_t *seen, int32_t *pair) {
    int64_t count = 0;
    for (int32_t c = 0; c < sets->count; c++) seen[c] = -1;
    for (int32_t c = 0; c < sets->count; c++)
        for (int64_t i = sets->start[c]; i < sets->start[c + 1]; i++)
            for (int64_t j = g->offsets[sets->member[i]]; j < g->offsets[sets->member[i] + 1];
                 j++) {
                int32_t d = part[g->targets[j]];
                if (d <= c || seen[d] == c) continue;
                seen[d] = c;
                if (pair) pair[2 * count] = c, pair[2 * count + 1] = d;
                count++;
            }
    return count;
}

static cafe_status find_merges(cafe_run *run, const cafe_clustering_info *f) {
    run_trials *t = &run->trials;
    cafe_context *context = run->context;
    cafe_status status = CAFE_OK;
    cafe_groups sets = {0};
    int32_t *seen = cafe_mem(context, f->communities, sizeof *seen);
    CAFE_TRY(cafe_mem_had(seen));
    CAFE_TRY(cafe_groups_new(context, f->nodes, f->partition, f->communities, &sets));
    t->report.pair_count = list_pairs(run->graph, f->partition, &sets, seen, NULL);
    t->pair = cafe_mem(context, 2 * t->report.pair_count, sizeof *t->pair);
    t->merged = cafe_mem(context, t->report.pair_count, sizeof *t->merged);
    CAFE_TRY(cafe_mem_had(t->pair, t->merged));
    list_pairs(run->graph, f->partition, &sets, seen, t->pair);
    for (int64_t i = 0; i < t->report.pair_count; i++)
        t->merged[i] = merged_share(t, f->communities, t->pair[2 * i], t->pair[2 * i + 1]);
done:
    cafe_groups_free(context, &sets);
    cafe_mem_free(context, seen);
    return status;
}

/* ---- how sure -------------------------------------------------------------------------------- */

/* Nodes without edges always stay: the mean leaves them out. */
static void average_stay(const cafe_graph *g, const cafe_clustering_info *f, run_trials *t,
                         int64_t *size) {
    double sum = 0, count = 0;
    t->report.stay_least = 1;
    memset(t->community_stay, 0, (size_t)f->communities * sizeof *t->community_stay);
    for (int64_t u = 0; u < f->nodes; u++) {
        bool counts = g->offsets[u + 1] > g->offsets[u];
        sum += counts ? t->stay[u] : 0;
        count += counts;
        t->community_stay[f->partition[u]] += t->stay[u];
        size[f->partition[u]]++;
        if (t->stay[u] < t->report.stay_least) t->report.stay_least = t->stay[u];
    }
    t->report.stay_mean = count > 0 ? sum / count : 1;
    for (int64_t c = 0; c < f->communities; c++) t->community_stay[c] /= (float)size[c];
}

static cafe_status compare(cafe_run *run) {
    run_trials *t = &run->trials;
    cafe_context *context = run->context;
    const cafe_clustering_info *f = cafe_clustering_get(run->clustering);
    cafe_partitions all = {f->nodes, t->count, t->part, t->communities};
    t->counterpart = cafe_mem(context, t->count * f->communities, sizeof *t->counterpart);
    t->consensus = cafe_mem(context, f->nodes, sizeof *t->consensus);
    t->stay = cafe_mem(context, f->nodes, sizeof *t->stay);
    t->community_stay = cafe_mem(context, f->communities, sizeof *t->community_stay);
    CAFE_PASS(cafe_mem_had(t->counterpart, t->consensus, t->stay, t->community_stay));
    CAFE_PASS(cafe_consensus_counterparts(context, &all, f->partition, f->communities,
                                          t->counterpart, t->stay));
    CAFE_PASS(find_merges(run, f));
    CAFE_PASS(cafe_consensus_find(context, &all, t->consensus, &t->report.consensus_communities));
    CAFE_PASS(cafe_model_modularity(context, cafe_model_sampled(run->model), t->consensus,
                                    t->report.consensus_communities, run->clustering->resolution,
                                    &t->report.consensus_modularity));
    int64_t *size = cafe_mem_zero(context, f->communities, sizeof *size);
    if (!size) return CAFE_ERROR_MEMORY;
    average_stay(run->graph, f, t, size);
    cafe_mem_free(context, size);
    return CAFE_OK;
}

cafe_status cafe_run_try(cafe_run *run) {
    run_trials *t = &run->trials;
    int64_t count = run->trials_options.trials;
    cafe_run_forget_trials(run); /* of a step that failed */
    if (count == 0) return CAFE_OK;
    t->count = count;
    t->part = cafe_mem_zero(run->context, count, sizeof *t->part);
    t->communities = cafe_mem(run->context, count, sizeof *t->communities);
    t->modularity = cafe_mem(run->context, count, sizeof *t->modularity);
    t->random = cafe_mem(run->context, count, sizeof *t->random);
    CAFE_PASS(cafe_mem_had(t->part, t->communities, t->modularity, t->random));
    CAFE_PASS(search_all(run));
    for (int64_t i = 0; i < count; i++) CAFE_PASS(search_random(run, i));
    test(t);
    CAFE_PASS(compare(run));
    cafe_run_trials *r = &t->report;
    r->count = count;
    r->modularity = t->modularity;
    r->random = t->random;
    r->stay = t->stay;
    r->community_stay = t->community_stay;
    r->pairs = t->pair;
    r->merged = t->merged;
    r->consensus = t->consensus;
    return CAFE_OK;
}

const cafe_run_trials *cafe_run_trials_of(const cafe_run *run) {
    return run->trials.report.count > 0 ? &run->trials.report : NULL;
}

void cafe_run_forget_trials(cafe_run *run) {
    run_trials *t = &run->trials;
    for (int64_t i = 0; t->part && i < t->count; i++) cafe_mem_free(run->context, t->part[i]);
    cafe_mem_free_all(run->context, t->part, t->communities, t->modularity, t->random,
                      t->counterpart, t->consensus, t->pair, t->stay, t->community_stay, t->merged);
    *t = (run_trials){0};
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_merges(const cafe_run_trials *t, cafe_report *report) {
    cafe_report_integer(report, "neighbouring_pairs", t->pair_count);
    cafe_report_open(report, "merged", '[');
    for (int64_t i = 0; i < t->pair_count; i++) {
        if (!(t->merged[i] > 0)) continue;
        cafe_report_open(report, NULL, '{');
        cafe_report_integer(report, "first", t->pairs[2 * i]);
        cafe_report_integer(report, "second", t->pairs[2 * i + 1]);
        cafe_report_real(report, "share", t->merged[i]);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

#define STRUCT cafe_run_trials
static const cafe_field trial_fields[] = {FIELD(count),     FIELD(best),      FIELD(mean),
                                          FIELD(deviation), FIELD(stay_mean), FIELD(stay_least)};
static const cafe_field consensus_fields[] = {AS("communities", consensus_communities),
                                              AS("modularity", consensus_modularity)};
static const cafe_field random_fields[] = {
    AS("mean", random_mean), AS("deviation", random_deviation), FIELD(z), FIELD(z_error), FIELD(p),
    FIELD(p_error)};
#undef STRUCT

static void put_object(cafe_report *report, const char *key, size_t count, const cafe_field *fields,
                       const cafe_run_trials *t) {
    cafe_report_open(report, key, '{');
    cafe_report_fields(report, count, fields, t, SIZE_MAX);
    cafe_report_close(report);
}

void cafe_run_report_trials(const cafe_run *run, cafe_report *report) {
    const cafe_run_trials *t = cafe_run_trials_of(run);
    if (!t) return;
    cafe_report_open(report, "trials", '{');
    CAFE_REPORT_FIELDS(report, trial_fields, t);
    cafe_report_open(report, "stay", '[');
    for (int64_t c = 0; c < cafe_clustering_get(run->clustering)->communities; c++)
        cafe_report_real(report, NULL, t->community_stay[c]);
    cafe_report_close(report);
    put_merges(t, report);
    put_object(report, "consensus", 2, consensus_fields, t);
    put_object(report, "random", 6, random_fields, t);
    cafe_report_close(report);
}
