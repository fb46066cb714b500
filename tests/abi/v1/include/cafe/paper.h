/* The paper's tables: what it published, and how each row of them, and of one more table that
 * compares all methods, is run again. docs/results.md has what comes out.
 */
#ifndef CAFE_PAPER_H
#define CAFE_PAPER_H

#include <cafe/status.h>
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

#ifdef __cplusplus
}
#endif
#endif
