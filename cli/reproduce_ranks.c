/* Tables that rank: mean ranks of the methods, and where the first of them is not the best.
 *
 * All rows of a set are on the same splits, so "within one standard error" is asked of the
 * differences. With b the best method of a set and a the first of the table, a is level with b when
 *
 *     mean (b - a) <= s / sqrt(R),   s^2 = sum (b_i - a_i - mean)^2 / (R - 1).
 *
 * Not every method runs on every set, so there are two mean ranks. One is over the sets of the
 * method, among the methods that ran there. The other is over the sets that all methods have.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "report.h"
#include "reproduce.h"

/* Of a share. */
static int64_t metrics_of(const cafe_paper_table *table) {
    int64_t count = 0;
    while (count < 4 && table->metrics[count]) count++;
    return count;
}

static int64_t shares_of(const cafe_paper_table *table) {
    int64_t cells = 0;
    while (cells < REPRODUCE_CELLS && table->columns[cells]) cells++;
    return cells / metrics_of(table);
}

/* The cell of a share that counts. */
static int64_t cell_of(const cafe_paper_table *table, int64_t share) {
    return share * metrics_of(table);
}

/* The share as the heading of its first column has it: "10 %". */
static void put_share(FILE *file, const cafe_paper_table *table, int64_t share, const char *before,
                      const char *behind) {
    const char *heading = table->columns[cell_of(table, share)];
    fprintf(file, "%s%.*s%s", before, (int)strcspn(heading, "%") + 1, heading, behind);
}

/* Does the row have figures, and of this table? */
static bool counts(const reproduce_result *r, const char *table) {
    return strcmp(r->table, table) == 0 && !r->missing && !r->refused && !r->open && r->values;
}

/* ---- sets and methods, each by its first row ------------------------------------------------- */

static bool is_first(const reproduce_job *job, int64_t result, const char *table, bool by_set) {
    const reproduce_result *r = &job->results[result];
    if (!counts(r, table)) return false;
    for (int64_t i = 0; i < result; i++) {
        const reproduce_result *o = &job->results[i];
        if (counts(o, table) &&
            strcmp(by_set ? o->set : o->method, by_set ? r->set : r->method) == 0)
            return false;
    }
    return true;
}

static int64_t count_first(const reproduce_job *job, const char *table, bool by_set) {
    int64_t count = 0;
    for (int64_t i = 0; i < job->count; i++) count += is_first(job, i, table, by_set);
    return count;
}

static int64_t methods_on(const reproduce_job *job, const char *table, const char *set) {
    int64_t count = 0;
    for (int64_t i = 0; i < job->count; i++)
        count += counts(&job->results[i], table) && strcmp(job->results[i].set, set) == 0;
    return count;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* 1 + how many methods score more on the same set, ties counted half. */
static double rank_of(const reproduce_job *job, const reproduce_result *r, int64_t cell) {
    double rank = 1;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *o = &job->results[i];
        if (o == r || !counts(o, r->table) || strcmp(o->set, r->set) != 0) continue;
        rank += cli_before(o->cell[cell].ours, r->cell[cell].ours);
    }
    return rank;
}

/* Of one method: over the sets it has, and over those that all have. */
typedef struct standing {
    const char *method;
    int64_t sets, common;
    double rank[REPRODUCE_CELLS], common_rank[REPRODUCE_CELLS], mean[REPRODUCE_CELLS];
    double seconds;
} standing;

static void add_row(const reproduce_job *job, const cafe_paper_table *table,
                    const reproduce_result *r, bool common, standing *s) {
    s->sets++;
    s->common += common;
    if (!isnan(r->embed_seconds)) s->seconds += r->embed_seconds;
    for (int64_t i = 0; i < shares_of(table); i++) {
        double rank = rank_of(job, r, cell_of(table, i));
        s->rank[i] += rank;
        if (common) s->common_rank[i] += rank;
        if (common) s->mean[i] += r->cell[cell_of(table, i)].ours;
    }
}

static standing standing_of(const reproduce_job *job, const cafe_paper_table *table,
                            const char *method) {
    int64_t methods = count_first(job, table->name, false);
    standing s = {.method = method};
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (counts(r, table->name) && strcmp(r->method, method) == 0)
            add_row(job, table, r, methods_on(job, table->name, r->set) == methods, &s);
    }
    for (int64_t i = 0; i < shares_of(table); i++) {
        s.rank[i] /= (double)s.sets;
        s.common_rank[i] /= (double)s.common; /* NaN: no set has all */
        s.mean[i] /= (double)s.common;
    }
    return s;
}

static void put_number(FILE *file, const char *format, double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    fprintf(file, " %s |", isnan(value) ? "–" : text);
}

static void put_standing(FILE *file, const cafe_paper_table *table, const standing *s) {
    fprintf(file, "| %s | %" PRId64 " |", s->method, s->sets);
    for (int64_t i = 0; i < shares_of(table); i++) put_number(file, "%.2f", s->rank[i]);
    for (int64_t i = 0; i < shares_of(table); i++) put_number(file, "%.2f", s->common_rank[i]);
    for (int64_t i = 0; i < shares_of(table); i++) put_number(file, "%.3f", s->mean[i]);
    fprintf(file, " %.1f |\n", s->seconds);
}

static int64_t common_sets(const reproduce_job *job, const cafe_paper_table *table) {
    int64_t methods = count_first(job, table->name, false), count = 0;
    for (int64_t i = 0; i < job->count; i++)
        count += is_first(job, i, table->name, true) &&
                 methods_on(job, table->name, job->results[i].set) == methods;
    return count;
}

static void put_standings(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    static const char *const groups[] = {" rank |", " rank, common sets |", " mean, common sets |"};
    fprintf(file,
            "Mean ranks by micro F1 (1 is the best of a set) over the sets that a method has, "
            "among the methods that ran there. Common sets: ranks and means of micro F1 over the "
            "%" PRId64
            " sets that all methods have. Seconds are those of making the vectors, all "
            "sets together.\n\n| method | sets |",
            common_sets(job, table));
    for (int g = 0; g < 3; g++)
        for (int64_t i = 0; i < shares_of(table); i++) put_share(file, table, i, " ", groups[g]);
    fprintf(file, " seconds |\n|---|---|");
    for (int64_t i = 0; i <= 3 * shares_of(table); i++) fprintf(file, "---|");
    fprintf(file, "\n");
    for (int64_t i = 0; i < job->count; i++)
        if (is_first(job, i, table->name, false)) {
            standing s = standing_of(job, table, job->results[i].method);
            put_standing(file, table, &s);
        }
    fprintf(file, "\n");
}

/* ---- the first method against the best of every set ------------------------------------------ */

typedef enum place { FIRST, LEVEL, BEHIND, PLACES } place;

static const char *const place_names[] = {"first", "level", "behind"};

static const reproduce_result *best_of(const reproduce_job *job, const reproduce_result *r,
                                       int64_t cell) {
    const reproduce_result *best = r;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *o = &job->results[i];
        if (counts(o, r->table) && strcmp(o->set, r->set) == 0 &&
            cli_before(o->cell[cell].ours, best->cell[cell].ours) == 1)
            best = o;
    }
    return best;
}

/* d: the best less this one. */
static place place_of(const reproduce_job *job, const reproduce_result *r, int64_t cell,
                      const reproduce_result **best, cafe_paired *d) {
    *best = best_of(job, r, cell);
    *d = reproduce_difference(*best, r, cell);
    if (*best == r) return FIRST;
    return d->mean <= d->error * (1 + 1e-9) ? LEVEL : BEHIND;
}

static void put_place(FILE *file, const reproduce_job *job, const reproduce_result *r, int64_t cell,
                      int64_t *count) {
    const reproduce_result *best;
    cafe_paired d;
    place p = place_of(job, r, cell, &best, &d);
    count[p]++;
    if (p == FIRST)
        fprintf(file, " %.3f first |", r->cell[cell].ours);
    else
        fprintf(file, " %.3f %s %s, %.4f ± %.4f |", r->cell[cell].ours,
                p == LEVEL ? "level with" : "behind", best->method, d.mean, d.error);
}

static const char *first_method(const char *table) {
    int64_t i = 0;
    while (strcmp(cafe_paper_recipe_at(i)->table, table) != 0) i++;
    return cafe_paper_recipe_at(i)->method;
}

static void put_account(FILE *file, const cafe_paper_table *table, const char *method,
                        int64_t (*count)[PLACES]) {
    fprintf(file, "\n%s by sets:", method);
    for (int64_t i = 0; i < shares_of(table); i++) {
        put_share(file, table, i, " With ", "");
        fprintf(file, " first on %" PRId64 ", level on %" PRId64 ", behind on %" PRId64 ".",
                count[i][FIRST], count[i][LEVEL], count[i][BEHIND]);
    }
    fprintf(file, "\n\n");
}

static void put_places_heading(FILE *file, const cafe_paper_table *table, const char *method) {
    fprintf(file,
            "%s against the best method of every set. Level: its mean is below the best's by no "
            "more than one standard error of their difference, split by split; beside the best's "
            "name stands that difference.\n\n| set | methods |",
            method);
    for (int64_t i = 0; i < shares_of(table); i++) put_share(file, table, i, " ", " |");
    fprintf(file, "\n|---|---|");
    for (int64_t i = 0; i < shares_of(table); i++) fprintf(file, "---|");
    fprintf(file, "\n");
}

static void put_places(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    const char *method = first_method(table->name);
    int64_t count[REPRODUCE_CELLS][PLACES] = {{0}};
    bool begun = false;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (!counts(r, table->name) || strcmp(r->method, method) != 0) continue;
        if (!begun) put_places_heading(file, table, method);
        begun = true;
        fprintf(file, "| %s | %" PRId64 " |", r->set, methods_on(job, table->name, r->set));
        for (int64_t s = 0; s < shares_of(table); s++)
            put_place(file, job, r, cell_of(table, s), count[s]);
        fprintf(file, "\n");
    }
    if (begun) put_account(file, table, method, count);
}

void reproduce_put_ranks(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    if (!table->ranked || count_first(job, table->name, false) < 2) return;
    put_standings(file, job, table);
    put_places(file, job, table);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void report_standing(cafe_report *report, const cafe_paper_table *table, const standing *s) {
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "table", table->name);
    cafe_report_string(report, "method", s->method);
    cafe_report_integer(report, "sets", s->sets);
    cafe_report_integer(report, "common_sets", s->common);
    cafe_report_reals(report, "ranks", shares_of(table), s->rank);
    cafe_report_reals(report, "common_ranks", shares_of(table), s->common_rank);
    cafe_report_reals(report, "common_means", shares_of(table), s->mean);
    cafe_report_real(report, "embed_seconds", s->seconds);
    cafe_report_close(report);
}

static void report_place(cafe_report *report, const reproduce_job *job,
                         const cafe_paper_table *table, const reproduce_result *r, int64_t share) {
    const reproduce_result *best;
    cafe_paired d;
    place p = place_of(job, r, cell_of(table, share), &best, &d);
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "table", table->name);
    cafe_report_string(report, "set", r->set);
    cafe_report_string(report, "column", table->columns[cell_of(table, share)]);
    cafe_report_string(report, "place", place_names[p]);
    cafe_report_string(report, "best", best->method);
    cafe_report_real(report, "difference", d.mean);
    cafe_report_real(report, "standard_error", d.error);
    cafe_report_close(report);
}

static void report_table(cafe_report *report, const reproduce_job *job,
                         const cafe_paper_table *table, bool places) {
    const char *method = first_method(table->name);
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (!places && is_first(job, i, table->name, false)) {
            standing s = standing_of(job, table, r->method);
            report_standing(report, table, &s);
        }
        if (!places || !counts(r, table->name) || strcmp(r->method, method) != 0) continue;
        for (int64_t s = 0; s < shares_of(table); s++) report_place(report, job, table, r, s);
    }
}

void reproduce_report_ranks(cafe_report *report, const reproduce_job *job) {
    const cafe_paper_table *t;
    for (int places = 0; places < 2; places++) {
        cafe_report_open(report, places ? "places" : "standings", '[');
        for (int64_t j = 0; (t = cafe_paper_table_at(j)); j++)
            if (t->ranked) report_table(report, job, t, places);
        cafe_report_close(report);
    }
}
