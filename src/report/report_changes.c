/* Changes of a graph, the update of its embedding, and what became of its communities. */
#include <math.h>

#include <cafe-private/members.h>
#include <cafe/report.h>

#include "base/print.h"
#include "report/report.h"

#define STRUCT cafe_changes_report
static const cafe_field change_fields[] = {FIELD(lines),      FIELD(added),    FIELD(removed),
                                           FIELD(reweighted), FIELD(repeated), FIELD(loops),
                                           FIELD(new_nodes),  FIELD(touched),  FIELD(lost_nodes)};
#undef STRUCT

void cafe_report_changes(cafe_report *report, const char *path, const cafe_changes *changes) {
    const cafe_changes_report *counts = cafe_changes_get(changes);
    cafe_report_open(report, "changes", '{');
    if (path) cafe_report_string(report, "path", path);
    CAFE_REPORT_FIELDS(report, change_fields, counts);
    if (*counts->reading) cafe_report_string(report, "reading", counts->reading);
    cafe_report_close(report);
}

#define STRUCT cafe_update_report
static const cafe_field work_fields[] = {FIELD(updates), FIELD(arcs), FIELD(arcs_summed),
                                         FIELD(arcs_marked)};
static const cafe_field drift_fields[] = {
    FIELD(drift_mean),     FIELD(drift_max),           FIELD(moved),
    FIELD(subspace_angle), FIELD(subspace_mean_angle), FIELD(rotation_distance)};
#undef STRUCT

/* a / b, 0 when there is nothing */
static double share(int64_t a, int64_t b) {
    return b > 0 ? (double)a / (double)b : 0;
}

void cafe_report_updated(cafe_report *report, const cafe_updated *updated) {
    const cafe_update_report *r = cafe_updated_get(updated);
    cafe_report_integer(report, "nodes", r->nodes);
    cafe_report_integer(report, "edges", r->edges);
    cafe_report_integer(report, "columns", r->columns);
    cafe_report_integer(report, "rounds", r->rounds);
    cafe_report_truth(report, "converged", r->converged);
    cafe_report_reals(report, "objective", r->rounds + 1, r->objective);
    cafe_report_real(report, "objective_before", r->objective[0]);
    cafe_report_real(report, "objective_after", r->objective[r->rounds]);
    cafe_report_integer(report, "swept", r->swept);
    cafe_report_real(report, "swept_share", share(r->swept, r->nodes));
    CAFE_REPORT_FIELDS(report, work_fields, r);
    cafe_report_real(report, "work", share(r->arcs_summed + r->arcs_marked, r->arcs));
    CAFE_REPORT_FIELDS(report, drift_fields, r);
    cafe_report_truth(report, "rotated", r->rotated);
    cafe_report_truth(report, "resumed", r->resumed);
}

#define STRUCT cafe_transition_report
static const cafe_field transition_fields[] = {AS("before", old_count),
                                               AS("after", new_count),
                                               FIELD(born),
                                               FIELD(died),
                                               FIELD(split),
                                               FIELD(merged)};
#undef STRUCT

/* The name of an old community; c -1: null. */
static void put_old(cafe_report *report, const char *key, const cafe_labels *old, int64_t c) {
    char text[24];
    cafe_print(text, sizeof text, "%lld", (long long)c);
    if (c < 0)
        cafe_report_real(report, key, NAN);
    else
        cafe_report_string(report, key, old ? cafe_labels_class_name(old, c) : text);
}

/* The number of a new community, as its file has it; d -1: null. */
static void put_new(cafe_report *report, const char *key, const int32_t *number, int64_t d) {
    if (d < 0)
        cafe_report_real(report, key, NAN);
    else
        cafe_report_integer(report, key, number ? number[d] : d);
}

void cafe_report_transition(cafe_report *report, const cafe_transition *transition,
                            const cafe_labels *old, const int32_t *number) {
    const cafe_transition_report *t = cafe_transition_get(transition);
    cafe_report_open(report, "communities", '{');
    CAFE_REPORT_FIELDS(report, transition_fields, t);
    cafe_report_open(report, "old", '[');
    for (int64_t c = 0; c < t->old_count; c++) {
        cafe_report_open(report, NULL, '{');
        put_old(report, "name", old, c);
        cafe_report_integer(report, "size", t->old_size[c]);
        put_new(report, "heir", number, t->heir[c]);
        cafe_report_integer(report, "pieces", t->pieces[c]);
        cafe_report_real(report, "drift_mean", t->old_drift ? t->old_drift[c] : NAN);
        cafe_report_close(report);
    }
    cafe_report_close(report);
    cafe_report_open(report, "new", '[');
    for (int64_t d = 0; d < t->new_count; d++) {
        cafe_report_open(report, NULL, '{');
        put_new(report, "community", number, d);
        cafe_report_integer(report, "size", t->new_size[d]);
        put_old(report, "parent", old, t->parent[d]);
        cafe_report_integer(report, "sources", t->sources[d]);
        cafe_report_close(report);
    }
    cafe_report_close(report);
    cafe_report_close(report);
}
