/* The paper's tables: what it published, and how each row of them, and of one more table that
 * compares all methods, is run again. docs/results.md has what comes out.
 */
#ifndef CAFE_PAPER_H
#define CAFE_PAPER_H

#include <cafe/context.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table. Lists are ended by NULL. */
typedef struct cafe_paper_table {
    const char *name, *title;
    const char *const *columns; /* headings */
    const char *const *metrics; /* of an evaluation, for every share; none: no such table */
    const char *const *sets;    /* that its rows are of */
    const char *text;           /* said above the table */
    int32_t ranked; /* 1: by the first metric of every share, the first method against the others */
} cafe_paper_table;

/* A set, and where it can be had. Its files are FOLDER/GRAPH, labels.txt, points.txt. */
typedef struct cafe_paper_set {
    const char *name, *title, *source;
    const char *folder, *graph; /* NULL: its name; edges.txt */
} cafe_paper_set;

/* How a row is run: options of "cafe evaluate classify", in the table "link" of "cafe evaluate
 * link". */
typedef struct cafe_paper_recipe {
    const char *table,
        *set;            /* sets, separated by spaces; NULL: all that have no recipe of their own */
    const char *method;  /* the name of the row */
    const char *options; /* NULL: the method is left out of these sets */
    const char *note;    /* what a reader must know; NULL: nothing */
    const char *graph;   /* the graph's file; NULL: that of the set */
} cafe_paper_recipe;

/* Means and standard deviations in turn; a mean of 0 stands for N/A, but in the reduction. */
typedef struct cafe_paper_published {
    const char *table, *set, *method;
    int64_t count; /* of the means */
    const double *figures;
} cafe_paper_published;

/* By place, 0, 1, ...; NULL behind the last. */
CAFE_API const cafe_paper_table *cafe_paper_table_at(int64_t i);
CAFE_API const cafe_paper_set *cafe_paper_set_at(int64_t i);
CAFE_API const cafe_paper_recipe *cafe_paper_recipe_at(int64_t i);
CAFE_API const cafe_paper_published *cafe_paper_published_at(int64_t i);

/* By name; NULL: there is none. */
CAFE_API const cafe_paper_table *cafe_paper_table_find(const char *name);
CAFE_API const cafe_paper_set *cafe_paper_set_find(const char *name);
CAFE_API const cafe_paper_published *cafe_paper_published_find(const char *table, const char *set,
                                                               const char *method);
/* 1: the recipe is the one of its table and row for this set. */
CAFE_API int32_t cafe_paper_recipe_is_for(const cafe_paper_recipe *recipe, const char *set);
/* DATA/FOLDER/NAME of a set, or the same with .gz, when there is such a file: into path (never
 * longer than capacity, always ended by 0). Returns its full length; 0: there is none. */
CAFE_API size_t cafe_paper_path(const char *data, const char *set, const char *name, char *path,
                                size_t capacity);

/* ---- experiments ----------------------------------------------------------------------------- */

/* The tables without metrics are no evaluations: "reduction" has point clouds that are reduced,
 * "eigenvectors" softmax clustering with K = 2 against the dominant eigenvector. A row of them is
 * an experiment. */
typedef struct cafe_experiment cafe_experiment;

/* A cell; NaN: not defined, not published. */
typedef struct cafe_experiment_cell {
    double ours;
    double published, published_spread; /* equal: not further from it than the spread */
} cafe_experiment_cell;

typedef struct cafe_experiment_report {
    const char *table, *set, *method;  /* method: the name of the row */
    int32_t missing;                   /* 1: the files of the set are not there, nothing was run */
    int64_t count;                     /* of the cells, one per column of the table */
    const cafe_experiment_cell *cells; /* belong to the experiment */
} cafe_experiment_report;

/* Runs the experiment of a set. `data` is the folder of the sets; NULL: none, and only those that
 * are generated (circles, sbm, ba) are there. Another table, or a set that it does not have, is
 * CAFE_ERROR_ARGUMENT. Random starts from the context's seed; the same bits for any number of
 * threads. */
CAFE_API cafe_status cafe_experiment_run(cafe_context *context, const char *table, const char *set,
                                         const char *data, cafe_experiment **experiment);
CAFE_API void cafe_experiment_free(cafe_experiment *experiment);
CAFE_API const cafe_experiment_report *cafe_experiment_get(const cafe_experiment *experiment);

#ifdef __cplusplus
}
#endif
#endif
