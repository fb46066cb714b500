/* --method: how a graph becomes vectors or communities, the same for every command that needs some.
 * Which methods there are, what they are called and what they take is in the library's registry.
 */
#ifndef CAFE_CLI_METHOD_H
#define CAFE_CLI_METHOD_H

#include <cafe/lab.h>

#include "report.h"
#include "run.h"
#include "sampling.h"

/* What was asked for; a field of the command's struct. */
typedef struct cli_method {
    const cafe_method *row;
    cli_sampling sampling;
    max_align_t own[32]; /* room for the options of any method */
    cafe_finish_options finish;
    bool propagate;
    cafe_propagate_options propagation;
} cli_method;

/* The row of --method itself, of a command whose struct `type` has the field. */
#define CLI_ROW_METHOD(type, field, purpose, initial, help) \
    { "method", 0, "NAME", purpose, offsetof(type, field.row), initial, NULL, help }
#define CLI_ROW_PROPAGATE(type, field)                                                        \
    {                                                                                         \
        "propagate", 0, NULL, CLI_FLAG, offsetof(type, field.propagate), NULL, NULL,          \
            "as a last step, spread the vectors over the graph by a band-pass filter (ProNE)" \
    }

/* The groups of all methods for vectors. sampling_rows: the command's array of
 * CLI_ROWS_SAMPLING_AT(type, field.sampling). */
#define CLI_METHOD_GROUPS(type, field, sampling_rows)                                            \
    {"--method", NULL, cli_vectors_methods, offsetof(type, field.own)},                          \
        {"Sampling (--method *)", sampling_rows, cafe_sample_option_table,                       \
         offsetof(type, field.sampling.options)},                                                \
        {"Spectral finish", NULL, cafe_finish_option_table, offsetof(type, field.finish)}, {     \
        "With --propagate", NULL, cafe_propagate_option_table, offsetof(type, field.propagation) \
    }

/* ---- what a method is ------------------------------------------------------------------------ */

const char *cli_method_name(const cli_method *m);
bool cli_method_samples(const cli_method *m); /* works on the sampled graph */

/* ---- a run of the library -------------------------------------------------------------------- */

/* Makes a run of a method with those of its options that were given, and with the inputs. What
 * contradicts itself is refused: CLI_USAGE. */
int cli_open_run(cli_run *run, const char *method, cafe_purpose purpose, const cli_arguments *given,
                 const cafe_run_inputs *inputs, cafe_run **of);
/* The same of a command that samples a graph, and perhaps finds its communities by layers. Then
 * its first step, which samples run->graph. */
int cli_open_sampling(cli_run *run, const cli_sampling *s, cafe_run **of);
int cli_sample(cli_run *run, cli_sampling *s, cafe_run *of);
/* A run that has found the communities of a graph by layers, with the defaults. It begins with the
 * communities `start`, NULL: none, and writes the partition to `output`, NULL: nowhere. Both may be
 * NULL. */
int cli_find_communities(cli_run *run, const cafe_graph *graph, const int32_t *start,
                         const char *output, cafe_run **of);
/* CLI_OK, or the status as a message: CLI_USAGE if the options are wrong. */
int cli_refuse(const cli_run *run, cafe_status status);

#endif
