/* --checkpoint and --every: a run that was killed goes on from its last whole sweep. */
#ifndef CAFE_CLI_CHECKPOINT_H
#define CAFE_CLI_CHECKPOINT_H

#include "run.h"

/* What was asked for; a field of the command's struct. */
typedef struct cli_checkpoint {
    const char *path; /* NULL: none is kept */
    int32_t every;
} cli_checkpoint;

/* The rows of a command whose struct `type` has the field. */
#define CLI_ROWS_CHECKPOINT(type, field)                                                       \
    {"checkpoint",                                                                             \
     0,                                                                                        \
     "FILE",                                                                                   \
     CLI_KEEPS,                                                                                \
     offsetof(type, field.path),                                                               \
     NULL,                                                                                     \
     NULL,                                                                                     \
     "keep what the sweeps have reached in this file: the same command goes on from it after " \
     "the run was killed, and ends with the same bits; the file goes when the run is done"},   \
        CLI_ROW_NUMBER(type, field.every, "every", "N", CLI_POSITIVE, "1",                     \
                       "write the checkpoint after every N-th sweep, and the last")

/* After parsing: CLI_OK or CLI_USAGE. */
int cli_checkpoint_check(const char *command, const cli_checkpoint *checkpoint,
                         const cli_arguments *arguments);
/* Before the work: the run keeps the file; says where the run goes on, if it does. */
int cli_checkpoint_begin(cli_run *run, const cli_checkpoint *checkpoint, cafe_run *of);
/* After a failed run: says where the next one will go on. Returns `code`. */
int cli_checkpoint_left(const cli_run *run, cafe_run *of, int code);

#endif
