/* cafe plot: what was asked for and what is drawn, shared by its files. */
#ifndef CAFE_CLI_PLOT_H
#define CAFE_CLI_PLOT_H

#include "run.h"

enum { PLOT_AUTO, PLOT_COMMUNITY, PLOT_LABEL, PLOT_COLUMN, PLOT_CENTRALITY, PLOT_NONE };
enum { PLOT_COLOR_AUTO, PLOT_COLOR_ALWAYS, PLOT_COLOR_NEVER };

typedef struct plot_job {
    cli_run run;
    const char *map, *x, *y, *column, *labels_path, *communities, *title, *size, *links, *radius,
        *named;
    int32_t colour, color, width;
    bool dark, light, terminal;
    int64_t columns;
    float *vectors, *xy;
    cafe_labels *labels;
    int32_t *kind;
    const char **names;
    double *value;
    char x_label[32], y_label[32], legend[32];
    cafe_plot_inputs inputs;
    cafe_plot_options options;
    char *text; /* of --terminal */
} plot_job;

/* plot_colours.c: classes or values of the points, as --colour says. */
/* Refuses files and columns that the colours chosen do not tell of. */
int plot_check_colours(const plot_job *job);
int plot_find_colours(plot_job *job);

/* The number of a column; the first is 0. */
int plot_parse_column(plot_job *job, const char *option, const char *text, int64_t *column);

#endif
