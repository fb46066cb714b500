/* --method: how a graph becomes vectors, the same for every command that needs some.
 *
 * Three methods are the paper's (sphere, cafe, layers) and work on the sampled graph; one spreads
 * known labels; the others are those of cafe_baselines(), which work on the graph itself.
 */
#ifndef CAFE_CLI_METHOD_H
#define CAFE_CLI_METHOD_H

#include <cafe/cafe.h>

#include "report.h"
#include "run.h"
#include "sampling.h"

#define CLI_METHODS                                                                    \
    "sphere|cafe|layers|label-propagation|gf|deepwalk|node2vec|line|hope|grarep|sdne|" \
    "spectral"
#define CLI_METHODS_SAMPLED "sphere|cafe|layers"

enum { CLI_SPHERE, CLI_CAFE, CLI_LAYERS, CLI_LABEL_PROPAGATION, CLI_FIRST_BASELINE };

/* What was asked for; a field of the command's struct. */
typedef struct cli_method {
    int32_t kind; /* its place in CLI_METHODS */
    cli_sampling sampling;
    cafe_sphere_options sphere;
    cafe_softmax_options softmax;
    cafe_layers_options layers;
    int32_t layers_columns;
    cafe_label_propagation_options spread;
    union { /* of the one that is asked for */
        cafe_gf_options gf;
        cafe_deepwalk_options deepwalk;
        cafe_node2vec_options node2vec;
        cafe_line_options line;
        cafe_hope_options hope;
        cafe_grarep_options grarep;
        cafe_sdne_options sdne;
        cafe_spectral_options spectral;
    } baseline;
    cafe_finish_options finish;
    bool propagate;
    cafe_propagate_options propagation;
} cli_method;

/* The row of --method itself, of a command whose struct `type` has the field `method`. */
#define CLI_ROW_METHOD(type)                                                                       \
    {                                                                                              \
        "method", 0, "NAME", CLI_CHOICE, offsetof(type, method.kind), "sphere", CLI_METHODS,       \
            "rows on the sphere, softmax clusters as columns, the communities of all layers side " \
            "by side, known labels spread, or one of the methods others published"                 \
    }
#define CLI_ROW_PROPAGATE(type)                                                               \
    {                                                                                         \
        "propagate", 0, NULL, CLI_FLAG, offsetof(type, method.propagate), NULL, NULL,         \
            "as a last step, spread the vectors over the graph by a band-pass filter (ProNE)" \
    }
#define CLI_ROW_LAYERS_COLUMNS(type)                                                        \
    {                                                                                       \
        "columns", 'k', "K", CLI_COUNT, offsetof(type, method.layers_columns), "256", NULL, \
            "columns of the embedding at most; layers of more communities are mixed down"   \
    }

/* The groups of all methods. sampling_rows, layers_rows: the command's arrays of
 * CLI_ROWS_SAMPLING(type, method.sampling) and CLI_ROW_LAYERS_COLUMNS(type). */
#define CLI_METHOD_GROUPS(type, sampling_rows, layers_rows)                                        \
    {"--method sphere", NULL, cafe_sphere_option_table, offsetof(type, method.sphere)},            \
        {"--method cafe", NULL, cafe_softmax_option_table, offsetof(type, method.softmax)},        \
        {"--method layers", layers_rows, cafe_layers_option_table, offsetof(type, method.layers)}, \
        {"--method label-propagation", NULL, cafe_label_propagation_option_table,                  \
         offsetof(type, method.spread)},                                                           \
        {"--method gf", NULL, cafe_gf_option_table, offsetof(type, method.baseline)},              \
        {"--method deepwalk", NULL, cafe_deepwalk_option_table, offsetof(type, method.baseline)},  \
        {"--method node2vec", NULL, cafe_node2vec_option_table, offsetof(type, method.baseline)},  \
        {"--method line", NULL, cafe_line_option_table, offsetof(type, method.baseline)},          \
        {"--method hope", NULL, cafe_hope_option_table, offsetof(type, method.baseline)},          \
        {"--method grarep", NULL, cafe_grarep_option_table, offsetof(type, method.baseline)},      \
        {"--method sdne", NULL, cafe_sdne_option_table, offsetof(type, method.baseline)},          \
        {"--method spectral", NULL, cafe_spectral_option_table, offsetof(type, method.baseline)},  \
        {"Sampling (--method " CLI_METHODS_SAMPLED ")", sampling_rows, cafe_sample_option_table,   \
         offsetof(type, method.sampling.options)},                                                 \
        {"Spectral finish", NULL, cafe_finish_option_table, offsetof(type, method.finish)}, {      \
        "With --propagate", NULL, cafe_propagate_option_table, offsetof(type, method.propagation)  \
    }

/* ---- what a method is ------------------------------------------------------------------------ */

const char *cli_method_name(const cli_method *m);
/* Its options: their table, and their struct inside m. */
const cafe_option_table *cli_method_table(const cli_method *m);
const void *cli_method_options(const cli_method *m);
/* K. Methods that spread labels have a column a class: 0. */
int64_t cli_method_columns(const cli_method *m);
void cli_method_set_columns(cli_method *m, int64_t columns);
bool cli_method_samples(const cli_method *m); /* works on the sampled graph */
bool cli_method_labels(const cli_method *m);  /* can use known labels */

/* After parsing: what the options leave open, and what contradicts itself. CLI_OK or CLI_USAGE. */
int cli_method_check(const char *command, cli_method *m, const cli_arguments *arguments);

/* ---- at work --------------------------------------------------------------------------------- */

/* The sampled graph and its operators; it may be shared by threads with contexts of their own. */
typedef struct cli_model {
    const cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_sampled *edges;    /* for the operator below */
    cafe_operator *certify; /* NULL, or the exact P of drawn walks, applied without rows */
} cli_model;

int cli_model_make(cli_run *run, const cli_method *m, const cafe_graph *graph, cli_model *model);
/* The same in a task's own context and in silence, without files of attributes and seeds. */
cafe_status cli_model_plain(cafe_context *context, const cli_method *m, const cafe_graph *graph,
                            cli_model *model);
void cli_model_free(cli_model *model);

/* Known labels: a class per node or -1; NULL: none. */
typedef struct cli_known {
    const int32_t *label;
    int64_t classes;
} cli_known;

/* What a solver leaves: cafe and layers also have communities. */
typedef struct cli_solved {
    cafe_solution *solution;
    int64_t communities;
    double modularity;
} cli_solved;

/* start: NULL or nodes x columns vectors. */
cafe_status cli_method_solve(cafe_context *context, const cli_method *m, const cli_model *model,
                             const float *start, cli_known known, cli_solved *solved);
/* Consumes the solution, as cafe_finish() does. */
cafe_status cli_method_finish(cafe_context *context, const cli_method *m, const cli_model *model,
                              cafe_solution **solution, cafe_embedding **embedding);
/* Both at once. */
cafe_status cli_method_embed(cafe_context *context, const cli_method *m, const cli_model *model,
                             cli_known known, cafe_embedding **embedding);

/* The members of a report's "options" that belong to the method. */
void cli_report_method(cafe_report *report, const cli_method *m);

#endif
