/* cafe reduce: what was asked for, what came out, and the two reports on it. */
#ifndef CAFE_CLI_REDUCE_H
#define CAFE_CLI_REDUCE_H

#include "run.h"

enum reduce_phase { REDUCE_READ, REDUCE_SOLVE, REDUCE_WRITE, REDUCE_PHASES };

typedef struct reduce_job {
    cli_run run;
    const char *w;
    bool keep_empty;
    cafe_reduce_options options;
    cafe_table *table;
    cafe_reduction *reduction;
    cafe_reduction_report report;
    double seconds[REDUCE_PHASES];
} reduce_job;

/* Lines for people. */
void reduce_say_table(reduce_job *job);
void reduce_say_result(reduce_job *job);
void reduce_say_end(reduce_job *job);

void reduce_fill_report(cafe_report *report, const void *job);

#endif
