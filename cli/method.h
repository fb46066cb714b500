/* --method: how a graph becomes vectors or communities, the same for every command that needs some.
 * Which methods there are, what they are called and what they take is in the library's registry.
 */
#ifndef CAFE_CLI_METHOD_H
#define CAFE_CLI_METHOD_H

#include <cafe/cafe.h>

#include "report.h"
#include "run.h"
#include "sampling.h"

/* What was asked for; a field of the command's struct. */
typedef struct cli_method {
    const cafe_method *row;
    const cafe_option_table *table; /* of its options, for vectors or for communities */
    cli_sampling sampling;
    max_align_t own[32]; /* room for the options of any method */
    bool free_columns;   /* nobody asked for a number of them */
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

/* After parsing, for vectors or for communities: what the options leave open, and what contradicts
 * itself. CLI_OK or CLI_USAGE. */
int cli_method_check(const char *command, cli_method *m, cli_kind purpose,
                     const cli_arguments *arguments);
/* The options as the library takes them; they point into m. */
cafe_method_options cli_method_options(const cli_method *m);

/* ---- at work --------------------------------------------------------------------------------- */

/* Samples the graph with the files of the sampling and says what came out. */
int cli_model_make(cli_run *run, const cli_method *m, const cafe_graph *graph, cafe_model **model);
int64_t cli_method_columns(const cli_method *m);

/* The members of a report's "options" that belong to the method. */
void cli_report_method(cafe_report *report, const cli_method *m);

#endif
