/* Handles: objects of libcafe behind external pointers, freed by R's collector.
 *
 * Errors of R leave functions by longjmp. So everything of libcafe belongs to a handle before
 * anything of R is allocated. */
#ifndef CAFE_R_HANDLE_H
#define CAFE_R_HANDLE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include <cafe/cafe.h>
#include <cafe/lab.h>

typedef struct handle {
    cafe_context *context;
    cafe_graph *graph;
    cafe_run *run;
    cafe_targets targets;
    cafe_prediction *prediction;
    cafe_explanation *explanation;
    cafe_overview *overview;
    cafe_labels *labels;
} handle;

/* A new external pointer, protected by the caller; `keep` lives as long as it. */
SEXP cafe_r_new(double seed, int threads, SEXP keep, handle **result);
/* The handle of an external pointer that has a graph. */
handle *cafe_r_graph(SEXP pointer);
/* The handle of one that has a run with vectors. */
handle *cafe_r_run_of(SEXP pointer);

/* Runs work(argument) in a thread of its own while R looks for interrupts; fails by an error of R
 * with the library's text. Returns 0, or 1 if the user interrupted. */
int cafe_r_call(handle *h, cafe_status (*work)(void *), void *argument);
/* Fails by an error of R unless the status is CAFE_OK. */
void cafe_r_check(const handle *h, cafe_status status);

#endif
