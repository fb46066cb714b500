/* cafe embed: what was asked for, what came out, and the two reports on it. */
#ifndef CAFE_CLI_EMBED_H
#define CAFE_CLI_EMBED_H

#include "checkpoint.h"
#include "method.h"
#include "team.h"

enum embed_phase { PHASE_READ, PHASE_SAMPLE, PHASE_SOLVE, PHASE_FINISH, PHASE_WRITE, PHASES };

/* One embedding from file to file. */
typedef struct embed_job {
    cli_run run;
    const char *start_path, *labels_path, *predicted;
    cli_method method;
    cli_checkpoint checkpoint;
    bool dry_run;
    int64_t memory;      /* the limit asked for; 0: none */
    const char *scratch; /* where files lie that do not fit; NULL: beside the output */
    cafe_plan plan;      /* what the run takes within it; plan.files > 0: it has files */
    cafe_disk disk;
    cafe_ranks_options ranks; /* with a dry run: on how many processes, if asked for */
    const char *size;       /* "NODES,EDGES" of a graph that is not there yet; NULL: there is one */
    cafe_ranks_plan spread; /* what each of the processes takes */
    int64_t columns;        /* asked of the method: labels and start vectors may set them */
    int64_t solved;         /* of them the solver's; the others are of the hub part */
    float *start;
    int64_t start_columns;
    cafe_labels *labels;
    int32_t *label; /* of each node, -1 without one; NULL: none were given */
    cafe_model *model;
    cafe_solution *solution;
    int64_t communities; /* of methods that find some, else 0 */
    int64_t drawn;       /* walks of a method that drew its matrix, else 0 */
    double modularity;
    cafe_embedding *embedding;
    cafe_certificate certificate;
    double *objective; /* sweeps + 1 values, or the method's own loss */
    double diagonal;   /* the part of each that is the diagonal of Q */
    int64_t sweeps;
    bool converged;
    int64_t needed, available; /* bytes */
    int64_t device;            /* bytes left of the engine's own memory; 0: it has none */
    double seconds[PHASES];
    cli_division division; /* of the nodes among processes */
} embed_job;

/* The folder of files that do not fit into the memory. */
enum { EMBED_FOLDER = 4096 };
const char *embed_folder(const embed_job *job, char folder[EMBED_FOLDER]);

/* Does the run fit: into the memory, or with files into limit and disk, and into the device's? */
bool embed_fits(const embed_job *job);
bool embed_fits_device(const embed_job *job);
/* Columns that fit into the device's memory; 0: not even the graph. */
int64_t embed_device_columns(const embed_job *job);

/* Lines for people, as the phases end. */
void embed_warn_graph(embed_job *job);
void embed_say_solution(embed_job *job);
void embed_say_certificate(embed_job *job);
void embed_say_end(embed_job *job);
void embed_print_plan(embed_job *job);

/* embed_ranks.c: a dry run of several processes. _wanted: is one asked for? _check refuses what
 * does not go together, _make plans (with --graph-size also the number of nodes), _print tells
 * people, _put programs. */
bool embed_ranks_wanted(const embed_job *job);
int embed_ranks_check(const embed_job *job);
int embed_ranks_make(embed_job *job);
void embed_ranks_print(const embed_job *job);
void embed_ranks_put(cafe_report *report, const embed_job *job);
/* Does a process fit into --memory-limit? Without it nobody knows what the others' machines have.
 */
bool embed_ranks_fit(const embed_job *job);

/* The JSON report, of a finished run or of a dry one. */
void embed_fill_report(cafe_report *report, const void *job);

#endif
