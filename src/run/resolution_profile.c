/* A profile of resolutions: which of them have a stable partition.
 *
 * The run's method searches at N resolutions from A to B in equal ratios, several times each, with
 * the seeds of the run and after. A resolution is stable if searches with other seeds find nearly
 * the same partition; a plateau is a row of stable resolutions with nearly the same partitions.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "explain/consensus.h"
#include "method/method.h"
#include "report/report.h"
#include "run/run.h"

enum { SEEDS = 4, RESOLUTIONS = 20, MOST_RESOLUTIONS = 1000 };

/* Similarities from here on are stable. */
static const double stable = 0.95;

typedef struct sweep {
    double from, to;
    int64_t count;
} sweep;

/* ---- the option ------------------------------------------------------------------------------ */

/* A:B or A:B:N; whether it is. */
static bool parse(const char *text, sweep *s) {
    const char *end;
    double count = RESOLUTIONS;
    s->from = cafe_parse_number(text, &end);
    if (end == text || *end != ':') return false;
    s->to = cafe_parse_number(text = end + 1, &end);
    if (end == text) return false;
    if (*end == ':') {
        count = cafe_parse_number(text = end + 1, &end);
        if (end == text) return false;
    }
    s->count = count >= 2 && count <= MOST_RESOLUTIONS ? (int64_t)count : 0;
    return *end == 0 && s->from > 0 && s->to > s->from && s->to <= 1e12 &&
           (double)s->count == count;
}

cafe_status cafe_run_check_profile(cafe_run *run) {
    const char *text = run->trials_options.profile;
    sweep s;
    if (!text || !*text) return CAFE_OK;
    if (!parse(text, &s))
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("profile") " takes two resolutions above 0, the smaller first, and "
                                             "how many from 2 to %d, as 0.1:10:20, not '%s'",
                         MOST_RESOLUTIONS, text);
    if (!cafe_table_find(run->tables[RUN_OWN].table, "resolution"))
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("profile") " does not go with " CAFE_OPT("method=%s"),
                         run->method->name);
    return CAFE_OK;
}

/* ---- one resolution -------------------------------------------------------------------------- */

/* The searches of a resolution. */
typedef struct results {
    cafe_clustering *found[SEEDS];
    int best;
} results;

static void forget(results *r) {
    for (int i = 0; i < SEEDS; i++) cafe_clustering_free(r->found[i]);
    *r = (results){0};
}

static const cafe_clustering_info *best_of(const results *r) {
    return cafe_clustering_get(r->found[r->best]);
}

static cafe_status search(cafe_run *run, const void *own, results *r) {
    cafe_context *context = run->context;
    cafe_method_options options = run->options;
    uint64_t seed = context->seed;
    cafe_status status = CAFE_OK;
    options.own = own;
    for (int i = 0; i < SEEDS && status == CAFE_OK; i++) {
        context->seed = seed + (uint64_t)i;
        status = cafe_model_cluster(context, run->model, run->method, &options, &run->inputs,
                                    &r->found[i]);
        if (status == CAFE_OK &&
            cafe_clustering_get(r->found[i])->modularity > best_of(r)->modularity)
            r->best = i;
    }
    context->seed = seed;
    return status;
}

static cafe_status compare(cafe_run *run, const cafe_clustering_info *a,
                           const cafe_clustering_info *b, double *similarity) {
    return cafe_partitions_compare(run->context, a->nodes, a->partition, a->communities,
                                   b->partition, b->communities, similarity);
}

/* The mean over all pairs of seeds. */
static cafe_status compare_seeds(cafe_run *run, const results *r, double *mean) {
    double sum = 0, similarity;
    for (int i = 0; i < SEEDS; i++)
        for (int j = 0; j < i; j++) {
            CAFE_PASS(compare(run, cafe_clustering_get(r->found[i]),
                              cafe_clustering_get(r->found[j]), &similarity));
            sum += similarity;
        }
    *mean = sum / (SEEDS * (SEEDS - 1) / 2);
    return CAFE_OK;
}

static cafe_status profile_one(cafe_run *run, const void *own, const results *before, results *now,
                               cafe_run_resolution *row) {
    CAFE_PASS(search(run, own, now));
    const cafe_clustering_info *best = best_of(now);
    row->communities = best->communities;
    row->modularity = best->modularity;
    row->next = NAN;
    CAFE_PASS(compare_seeds(run, now, &row->seeds));
    return before->found[0] ? compare(run, best_of(before), best, &row[-1].next) : CAFE_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A plateau has two resolutions at least. */
static void number_plateaus(int64_t count, cafe_run_resolution *row) {
    int32_t plateaus = 0;
    for (int64_t i = 0; i + 1 < count; i++) {
        if (row[i].seeds < stable || row[i + 1].seeds < stable || row[i].next < stable) continue;
        if (row[i].plateau == 0) row[i].plateau = ++plateaus;
        row[i + 1].plateau = row[i].plateau;
    }
}

cafe_status cafe_run_profile(cafe_run *run) {
    const run_table *table = &run->tables[RUN_OWN];
    const char *text = run->trials_options.profile;
    cafe_status status = CAFE_OK;
    results kept[2] = {{.best = 0}};
    char *own = NULL;
    sweep s;
    cafe_mem_free(run->context, run->profile); /* of a step that failed */
    run->profile = NULL;
    run->profile_count = 0;
    if (!text || !*text || !parse(text, &s)) return CAFE_OK;
    own = cafe_mem(run->context, 1, table->table->struct_size);
    run->profile = cafe_mem_zero(run->context, s.count, sizeof *run->profile);
    CAFE_TRY(cafe_mem_had(own, run->profile));
    memcpy(own, run->options.own, table->table->struct_size);
    double *resolution = (double *)(own + cafe_table_find(table->table, "resolution")->offset);
    for (int64_t i = 0; i < s.count; i++) {
        results *now = &kept[i % 2];
        *resolution = s.from * pow(s.to / s.from, (double)i / (double)(s.count - 1));
        run->profile[i].resolution = *resolution;
        forget(now);
        CAFE_TRY(profile_one(run, own, &kept[(i + 1) % 2], now, &run->profile[i]));
    }
    number_plateaus(s.count, run->profile);
    run->profile_count = s.count;
done:
    forget(&kept[0]);
    forget(&kept[1]);
    cafe_mem_free(run->context, own);
    return status;
}

void cafe_run_report_profile(const cafe_run *run, cafe_report *report) {
    if (run->profile_count == 0) return;
    cafe_report_open(report, "profile", '[');
    for (int64_t i = 0; i < run->profile_count; i++) {
        const cafe_run_resolution *row = &run->profile[i];
        cafe_report_open(report, NULL, '{');
        cafe_report_real(report, "resolution", row->resolution);
        cafe_report_integer(report, "communities", row->communities);
        cafe_report_real(report, "modularity", row->modularity);
        cafe_report_real(report, "seeds", row->seeds);
        cafe_report_real(report, "next", row->next);
        cafe_report_integer(report, "plateau", row->plateau);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}
