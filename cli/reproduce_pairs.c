/* Paired differences: two rows of a table on the same splits.
 *
 * Repeat i of every row is the same cut into training and test, so the difference of two rows has a
 * far smaller deviation than either of them. With d_i the differences of R repeats,
 *
 *     mean d ± s / sqrt(R),   s^2 = sum (d_i - mean d)^2 / (R - 1),
 *
 * the standard error being that of the mean over splits of this one graph.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

static const char ours[] = "CAFE-GCN (semi-supervised)";
static const char *const others[] = {"Label propagation", "Label spreading"};
enum { OTHERS = 2 };

/* Two errors of either sign are called a difference. */
#define CLEAR 2.0

cafe_paired reproduce_difference(const reproduce_result *a, const reproduce_result *b,
                                 int64_t cell) {
    int64_t repeats = a->repeats < b->repeats ? a->repeats : b->repeats;
    cafe_paired found = {0, NAN, NAN, NAN, NAN, NAN};
    double *values = malloc((size_t)(2 * repeats) * sizeof *values + 1);
    for (int64_t i = 0; values && i < repeats; i++) {
        values[i] = a->values[i * a->cells + cell];
        values[repeats + i] = b->values[i * b->cells + cell];
    }
    if (values) cafe_paired_test(repeats, values, values + repeats, 0, &found);
    free(values);
    return found;
}

static const reproduce_result *find_row(const reproduce_job *job, const char *table,
                                        const char *set, const char *method) {
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (r->values && strcmp(r->table, table) == 0 && strcmp(r->set, set) == 0 &&
            strcmp(r->method, method) == 0)
            return r;
    }
    return NULL;
}

static void put_heading(FILE *file, const cafe_paper_table *table, int64_t cells) {
    fprintf(file,
            "%s less the rows that see the same labels, split by split: mean difference ± its "
            "standard error over the repeats. ▲ more than two errors above 0, ▽ more than two "
            "below, = neither.\n\n| set | less |",
            ours);
    for (int64_t i = 0; i < cells; i++) fprintf(file, " %s |", table->columns[i]);
    fprintf(file, "\n|---|---|");
    for (int64_t i = 0; i < cells; i++) fprintf(file, "---|");
    fprintf(file, "\n");
}

static void put_pair(FILE *file, const reproduce_result *a, const reproduce_result *b) {
    fprintf(file, "| %s | %s |", a->set, b->method);
    for (int64_t i = 0; i < a->cells; i++) {
        cafe_paired d = reproduce_difference(a, b, i);
        const char *sign = d.mean > CLEAR * d.error ? "▲" : d.mean < -CLEAR * d.error ? "▽" : "=";
        if (isnan(d.error))
            fprintf(file, " N/A |");
        else
            fprintf(file, " %+.4f ± %.4f %s |", d.mean, d.error, sign);
    }
    fprintf(file, "\n");
}

void reproduce_put_pairs(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    bool begun = false;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *a = &job->results[i];
        if (!a->values || strcmp(a->table, table->name) != 0 || strcmp(a->method, ours) != 0)
            continue;
        for (int k = 0; k < OTHERS; k++) {
            const reproduce_result *b = find_row(job, table->name, a->set, others[k]);
            if (!b || b->cells != a->cells) continue;
            if (!begun) put_heading(file, table, a->cells);
            begun = true;
            put_pair(file, a, b);
        }
    }
    if (begun) fprintf(file, "\n");
}
