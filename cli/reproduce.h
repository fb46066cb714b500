/* cafe reproduce: the paper's tables, ours beside the published figures.
 *
 * Every row of a table is a command line of cafe evaluate (or of a small experiment of its own), so
 * that a reader can run it alone. What was published, and what we run, is in cafe/paper.h.
 */
#ifndef CAFE_CLI_REPRODUCE_H
#define CAFE_CLI_REPRODUCE_H

#include <cafe/paper.h>

#include "run.h"

enum { REPRODUCE_CELLS = 9 };

/* Where its files are: the folder's name, and that of the graph of a row. */
const char *reproduce_folder(const char *set);
const char *reproduce_graph(const cafe_paper_recipe *recipe, const char *set);

/* ---- results --------------------------------------------------------------------------------- */

/* NaN: not defined, or not published. */
typedef struct reproduce_cell {
    double ours, spread;
    double published, published_spread;
} reproduce_cell;

typedef enum reproduce_mark {
    REPRODUCE_NO_MARK, /* nothing to compare with */
    REPRODUCE_AHEAD,
    REPRODUCE_EQUAL, /* within one published standard deviation */
    REPRODUCE_BEHIND
} reproduce_mark;

reproduce_mark reproduce_compare(const reproduce_cell *cell);

typedef struct reproduce_result {
    const char *table, *set, *method, *note;
    char *command; /* what was run */
    int64_t cells;
    reproduce_cell cell[REPRODUCE_CELLS];
    int64_t repeats,
        width;            /* splits behind the cells; columns the classifier saw: 0 when unknown */
    double *values;       /* repeats x cells, what the means are of; NULL: one value a cell */
    double embed_seconds; /* to make the vectors once; NaN: made for every split */
    double seconds;
    bool open;     /* nothing of it is kept, and nothing was to be run */
    bool missing;  /* the set is not there */
    char *refused; /* why the method did not run; NULL: it did */
} reproduce_result;

typedef struct reproduce_job {
    cli_run run;
    const char *data; /* the folder of the sets */
    const char *set, *method;
    const char *keep; /* the folder of finished repeats; NULL: none */
    uint64_t build;   /* digest of this tool, when rows are kept */
    int32_t repeats;
    reproduce_result *results;
    int64_t count, room;
    int64_t told; /* of the results: what was missing among them has been said */
} reproduce_job;

/* Adds an empty result; NULL without memory. */
reproduce_result *reproduce_add(reproduce_job *job, const char *table, const char *set,
                                const char *method);
/* DIR/SET/NAME, or the same with .gz, when there is such a file: to be freed. NULL: there is none.
 */
char *reproduce_path(const reproduce_job *job, const char *set, const char *name);

/* Names the sets that were missing up to here, and their sources. Call it once a set is there:
 * another message reports a folder that has none of them. */
void reproduce_say_missing(reproduce_job *job);

/* Repeats that are finished, a file a row: a run that was stopped, or asks for more, goes on.
 *
 * A row is known by what was run (its command line, the seed) and on what (digests of its files).
 * The folder is made by reproduce_keep_begin() if it does not exist. Values, repeats and times of a
 * kept row are filled in by reproduce_keep_read(); *same says whether this very tool wrote it. */
typedef struct reproduce_key {
    char *path;          /* of the row's file */
    const char *command; /* without the number of repeats */
    char data[40];       /* digests of graph and labels */
} reproduce_key;

int reproduce_keep_begin(reproduce_job *job);
int reproduce_keep_key(const reproduce_job *job, const reproduce_result *result,
                       const char *command, const char *graph, const char *labels,
                       reproduce_key *key);
int reproduce_keep_read(const reproduce_job *job, const reproduce_key *key,
                        reproduce_result *result, bool *same);
int reproduce_keep_write(reproduce_job *job, const reproduce_key *key,
                         const reproduce_result *result);

/* A table of cafe evaluate. */
int reproduce_evaluate(reproduce_job *job, const char *table);

/* The differences a - b of a cell, split by split, over the repeats that both have. */
cafe_paired reproduce_difference(const reproduce_result *a, const reproduce_result *b,
                                 int64_t cell);
/* Where the first method of a ranked table is first, level or behind, and the mean ranks. */
void reproduce_put_ranks(FILE *file, const reproduce_job *job, const cafe_paper_table *table);
void reproduce_report_ranks(cafe_report *report, const reproduce_job *job);

/* Differences between the semi-supervised row and those that see the same labels, split by split.
 */
void reproduce_put_pairs(FILE *file, const reproduce_job *job, const cafe_paper_table *table);
int reproduce_markdown(FILE *file, const void *job);
void reproduce_fill(cafe_report *report, const void *job);

#endif
