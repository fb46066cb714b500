/* Checkpoints of sweeps: what a run goes on from after it was killed.
 *
 * A solver opens a keeper for its run. A text (method, options, seed, sizes, a line each) and a
 * checksum of every piece of the graph describe the run. Its sweeps ask the keeper for what an
 * earlier run left (rows, S, the course of the objective), and hand it what they have reached. The
 * bottom end of the spectrum comes after the top: its files hold the rows of both.
 */
#ifndef CAFE_SOLVE_CHECKPOINT_H
#define CAFE_SOLVE_CHECKPOINT_H

#include <cafe/option.h>
#include <cafe/run.h>

#include "solve/sweep.h"

enum { CAFE_KEPT_ENDS = 2 };

/* ---- what is kept ---------------------------------------------------------------------------- */

/* A file of checkpoints (cafe_run_checkpoint()). The solvers go on from it and write it while it is
 * the context's. */
cafe_status cafe_checkpoint_open(cafe_context *context, const char *path, int64_t every,
                                 struct cafe_checkpoint **checkpoint);
void cafe_checkpoint_free(cafe_context *context, struct cafe_checkpoint *c); /* accepts NULL */
const cafe_checkpoint_info *cafe_checkpoint_get(const struct cafe_checkpoint *c);
/* The run is done: the file goes, together with the outputs that get their names, or at once. */
cafe_status cafe_checkpoint_remove(cafe_context *context, const struct cafe_checkpoint *c);

/* ---- a run ----------------------------------------------------------------------------------- */

/* What the result depends on besides the operator, the seed and the options. */
typedef struct cafe_keeper_inputs {
    const float *start; /* n x width; NULL: none */
    int64_t width;
    const int32_t *labels;
} cafe_keeper_inputs;

/* *keeper is NULL where the context keeps no checkpoints. A file of another run is refused. */
cafe_status cafe_keeper_open(cafe_context *context, const cafe_operator *op,
                             const cafe_option_table *table, const void *options,
                             cafe_keeper_inputs inputs, cafe_keeper **keeper);
void cafe_keeper_close(cafe_keeper *keeper); /* accepts NULL */

/* Is there something of these passes to go on from? Their rows then need no start. */
bool cafe_keeper_has(const cafe_passes *passes);
/* The rows, the course so far, and what the passes remember. */
cafe_status cafe_keeper_restore(cafe_context *context, cafe_passes *passes,
                                cafe_solution *solution);
/* The sums of the sweep that was opened for these rows. */
cafe_status cafe_keeper_put_sums(cafe_context *context, const cafe_passes *passes,
                                 const cafe_solution *solution, void *sweep);
/* After a sweep: a new file if it is time for one. `last`: no other sweep follows. */
cafe_status cafe_keeper_note(cafe_context *context, const cafe_passes *passes,
                             cafe_solution *solution, void *sweep, bool last);

/* No checkpoints until they are resumed: of sweeps that only find a start. */
struct cafe_checkpoint *cafe_checkpoint_pause(cafe_context *context);
void cafe_checkpoint_resume(cafe_context *context, struct cafe_checkpoint *checkpoint);

/* ---- the file -------------------------------------------------------------------------------- */

/* Of one end. The numbers stand in the file as they do here. */
typedef struct cafe_kept_sizes {
    int64_t columns, sweeps, converged;
    int64_t chunks, block, step; /* how the sweeps were cut (operator/chunks.h) */
    int64_t trace, sums;         /* numbers of the trace; of S, 0 where the sweeps are over */
    double level, memory[CAFE_PASS_MEMORY];
} cafe_kept_sizes;

typedef struct cafe_kept {
    cafe_kept_sizes sizes;
    const double *objective, *trace, *s;
} cafe_kept;

/* A file: head, tables of checksums, rows. Pieces are cafe_piece_rows(nodes) rows each. */
typedef struct cafe_kept_file {
    int64_t nodes, ends;
    const char *text;      /* the run */
    const uint64_t *links; /* a checksum a piece; NULL: they are in the file */
    cafe_kept kept[CAFE_KEPT_ENDS];
    char *head; /* of a file that was read: what the others point to; NULL: there is none */
    int fd;
    int64_t head_bytes, tables, rows[CAFE_KEPT_ENDS], size; /* places */
} cafe_kept_file;

/* Where files are written: the name as given, and in full; its folder. */
typedef struct cafe_kept_names {
    const char *path, *target, *folder;
} cafe_kept_names;

/* Replaces the file by one with these rows, whole or not at all. */
cafe_status cafe_kept_write(cafe_context *context, const cafe_kept_names *names,
                            cafe_kept_file *file, cafe_solution *const *solutions);
/* file->head is NULL where there is no file. */
cafe_status cafe_kept_read(cafe_context *context, const char *path, cafe_kept_file *file);
void cafe_kept_close(cafe_context *context, cafe_kept_file *file);
/* The pieces of the graph that this process holds are those of the file? */
cafe_status cafe_kept_same_links(cafe_context *context, const char *path,
                                 const cafe_kept_file *file, const cafe_engine *engine,
                                 const uint64_t *links);
/* Does this process hold the piece that begins with this row? With one process it holds all. */
bool cafe_kept_holds(const cafe_engine *engine, int64_t nodes, int64_t row);
/* The rows of an end. */
cafe_status cafe_kept_rows(cafe_context *context, const char *path, const cafe_kept_file *file,
                           int64_t end, cafe_block *h);

/* ---- what a run is --------------------------------------------------------------------------- */

/* The text of a run, and the first line in which two of them differ: "name", what `there` has and
 * what `here` has; false: they are alike. */
cafe_status cafe_run_text(cafe_context *context, const cafe_operator *op,
                          const cafe_option_table *table, const void *options,
                          cafe_keeper_inputs inputs, char **text);
typedef struct cafe_run_difference {
    char name[64], there[64], here[64];
} cafe_run_difference;
bool cafe_run_differs(const char *there, const char *here, cafe_run_difference *difference);

/* A checksum of every piece of the operator's rows that this process holds. */
cafe_status cafe_run_links(cafe_context *context, const cafe_operator *op,
                           const cafe_engine *engine, uint64_t **links);

#endif
