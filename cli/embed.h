/* cafe embed: what was asked for, what came out, and the two reports on it. */
#ifndef CAFE_CLI_EMBED_H
#define CAFE_CLI_EMBED_H

#include "job.h"

/* One embedding from file to file. */
typedef struct embed_job {
    cli_job shared;
    bool dry_run;
    int64_t memory;      /* the limit asked for; 0: none */
    const char *scratch; /* where files lie that do not fit; NULL: beside the output */
    cafe_run_forecast forecast;
    cafe_ranks_options ranks; /* with a dry run: on how many processes, if asked for */
    const char *size;         /* "NODES,EDGES" of a graph that is not there; NULL: there is one */
} embed_job;

/* Lines for people, as the phases end. */
void embed_say_solution(embed_job *job);
void embed_say_certificate(embed_job *job);
void embed_say_end(embed_job *job);
void embed_print_plan(embed_job *job);

/* embed_ranks.c: a dry run of several processes, or of a graph that is not there. _check refuses
 * what does not go together, _take_size gives the run the size, _print shows the forecast. */
int embed_ranks_check(const embed_job *job);
int embed_take_size(embed_job *job);
void embed_ranks_print(const embed_job *job);

/* The JSON report, of a finished run or of a dry one. */
void embed_fill_report(cafe_report *report, const void *job);

#endif
