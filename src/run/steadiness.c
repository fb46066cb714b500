/* A run that starts from given communities. Their numbers are made dense for the method.
 * Communities found get the numbers of those at the start that they continue.
 */

#include <cafe-private/members.h>

#include "base/memory.h"
#include "report/report.h"
#include "run/run.h"
#include "update/community_numbers.h"

/* ---- before the method ----------------------------------------------------------------------- */

static cafe_status check_start(const cafe_run *run, int64_t n) {
    const cafe_run_inputs *in = &run->given;
    for (int64_t u = 0; u < n; u++)
        if (in->partition[u] < -1 || in->partition[u] > INT32_MAX - 1 - (int32_t)n)
            return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                             "node %lld starts in community %d: numbers from 0 to %d, or -1",
                             (long long)u, (int)in->partition[u], INT32_MAX - 1 - (int32_t)n);
    for (int64_t i = 0; i < in->keep_count; i++) {
        int32_t u = in->keep[i];
        if (u < 0 || u >= n)
            return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, "there is no node %d to keep",
                             (int)u);
        if (in->partition[u] >= 0) continue;
        char name[64];
        cafe_graph_name(run->graph, u, name, sizeof name);
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         "node %s is to keep its community, and " CAFE_OPT("start") " has none "
                                                                                    "of it",
                         name);
    }
    return CAFE_OK;
}

cafe_status cafe_run_take_start(cafe_run *run) {
    run_steady *s = &run->steady;
    const int32_t *part = run->given.partition;
    int64_t n = run->counts.nodes;
    cafe_run_forget_start(run); /* of a step that failed */
    if (!part) return CAFE_OK;
    CAFE_PASS(check_start(run, n));
    CAFE_PASS(cafe_communities_dense(run->context, n, part, &s->before, &s->count, &s->dense));
    run->inputs.partition = s->dense;
    return CAFE_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static cafe_status number_communities(cafe_run *run, const int32_t *part, int64_t count) {
    run_steady *s = &run->steady;
    s->continued = cafe_mem_zero(run->context, s->count, sizeof *s->continued);
    s->number = cafe_mem(run->context, count, sizeof *s->number);
    CAFE_PASS(cafe_mem_had(s->continued, s->number));
    cafe_numbering numbering = {.nodes = run->counts.nodes,
                                .start = s->dense,
                                .part = part,
                                .changes = cafe_transition_get(s->transition),
                                .before = s->before,
                                .keep = run->given.keep,
                                .keep_count = run->given.keep_count};
    return cafe_communities_number(run->context, &numbering, s->continued, s->number);
}

/* A community found that no old one went on as, and that is no part of an old one either. */
static bool is_born(const run_steady *s, int64_t d) {
    const cafe_transition_report *t = s->changes.communities;
    bool newly = s->count == 0 || s->number[d] > s->before[s->count - 1];
    return newly && t->parent[d] < 0 && t->sources[d] == 0;
}

/* An old community that does not go on, and no part of which does. */
static bool has_died(const run_steady *s, int64_t c) {
    const cafe_transition_report *t = s->changes.communities;
    return !s->continued[c] && t->heir[c] < 0 && t->pieces[c] == 0;
}

static void count_events(run_steady *s) {
    cafe_run_changes *c = &s->changes;
    for (int64_t d = 0; d < c->communities->new_count; d++) c->born += is_born(s, d);
    for (int64_t i = 0; i < s->count; i++) c->died += has_died(s, i);
}

/* partition[u] = number of its community; nodes counted by what became of them. */
static cafe_status number_nodes(cafe_run *run, const int32_t *part) {
    run_steady *s = &run->steady;
    const int32_t *start = run->given.partition;
    int64_t n = run->counts.nodes;
    s->partition = cafe_mem(run->context, n, sizeof *s->partition);
    CAFE_PASS(cafe_mem_had(s->partition));
    s->changes = (cafe_run_changes){.communities = cafe_transition_get(s->transition),
                                    .before = s->before,
                                    .number = s->number,
                                    .partition = s->partition};
    for (int64_t u = 0; u < n; u++) {
        s->partition[u] = s->number[part[u]];
        if (start[u] < 0)
            s->changes.added++;
        else if (start[u] == s->partition[u])
            s->changes.kept++;
        else
            s->changes.moved++;
    }
    count_events(s);
    return CAFE_OK;
}

cafe_status cafe_run_compare_start(cafe_run *run) {
    run_steady *s = &run->steady;
    const cafe_layers *layers = cafe_run_get(run)->layers;
    if (!s->dense || !layers) return CAFE_OK;
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    CAFE_PASS(cafe_transition_find(run->context, run->counts.nodes, s->dense, top->partition, NULL,
                                   NULL, &s->transition));
    CAFE_PASS(number_communities(run, top->partition, top->communities));
    return number_nodes(run, top->partition);
}

const cafe_run_changes *cafe_run_changes_of(const cafe_run *run) {
    return run->steady.changes.partition ? &run->steady.changes : NULL;
}

void cafe_run_forget_start(cafe_run *run) {
    run_steady *s = &run->steady;
    cafe_transition_free(s->transition);
    cafe_mem_free_all(run->context, s->before, s->dense, s->continued, s->number, s->partition);
    *s = (run_steady){0};
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Communities of one side of the change, and how to find their counterparts on the other. With
 * count[i] > 1 the event is i, its parts are the j with link[j] = i. */
typedef struct events {
    const char *key, *parts;
    int64_t count, others;
    const int32_t *pieces, *link, *number, *other;
} events;

static void put_event(cafe_report *report, const events *e, int64_t i, const cafe_groups *groups) {
    cafe_report_open(report, NULL, '{');
    cafe_report_integer(report, "community", e->number[i]);
    cafe_report_open(report, e->parts, '[');
    for (int64_t j = groups->start[i + 1]; j < groups->start[i + 2]; j++)
        cafe_report_integer(report, NULL, e->other[groups->member[j]]);
    cafe_report_close(report);
    cafe_report_close(report);
}

/* Groups of the others by their link: -1 is group 0. */
static cafe_status group_links(cafe_context *context, const events *e, cafe_groups *groups) {
    int32_t *group = cafe_mem(context, e->others, sizeof *group);
    if (!group) return CAFE_ERROR_MEMORY;
    for (int64_t j = 0; j < e->others; j++) group[j] = e->link[j] + 1;
    cafe_status status = cafe_groups_new(context, e->others, group, e->count + 1, groups);
    cafe_mem_free(context, group);
    return status;
}

static void put_events(const cafe_run *run, const events *e, cafe_report *report) {
    cafe_groups groups;
    cafe_status status = group_links(run->context, e, &groups);
    if (status != CAFE_OK) {
        report->status = report->status == CAFE_OK ? status : report->status;
        return;
    }
    cafe_report_open(report, e->key, '[');
    for (int64_t i = 0; i < e->count; i++)
        if (e->pieces[i] > 1) put_event(report, e, i, &groups);
    cafe_report_close(report);
    cafe_groups_free(run->context, &groups);
}

/* The numbers of communities that began or ended. */
static void put_lone(const cafe_run *run, cafe_report *report) {
    const run_steady *s = &run->steady;
    cafe_report_open(report, "born", '[');
    for (int64_t d = 0; d < s->changes.communities->new_count; d++)
        if (is_born(s, d)) cafe_report_integer(report, NULL, s->number[d]);
    cafe_report_close(report);
    cafe_report_open(report, "died", '[');
    for (int64_t c = 0; c < s->count; c++)
        if (has_died(s, c)) cafe_report_integer(report, NULL, s->before[c]);
    cafe_report_close(report);
}

void cafe_run_report_changes(const cafe_run *run, cafe_report *report) {
    const cafe_run_changes *c = cafe_run_changes_of(run);
    if (!c) return;
    const cafe_transition_report *t = c->communities;
    events split = {"split",   "into",    t->old_count, t->new_count,
                    t->pieces, t->parent, c->before,    c->number};
    events merged = {"merged",   "from",  t->new_count, t->old_count,
                     t->sources, t->heir, c->number,    c->before};
    cafe_report_open(report, "changes", '{');
    cafe_report_integer(report, "nodes_kept", c->kept);
    cafe_report_integer(report, "nodes_moved", c->moved);
    cafe_report_integer(report, "nodes_new", c->added);
    cafe_report_integer(report, "communities_before", t->old_count);
    put_lone(run, report);
    put_events(run, &split, report);
    put_events(run, &merged, report);
    cafe_report_close(report);
}
