/* cafe plot: what was asked for, and the picture or the page, shared by its files. */
#ifndef CAFE_CLI_PLOT_H
#define CAFE_CLI_PLOT_H

#include <cafe-private/members.h>

#include "run.h"

enum { PLOT_AUTO, PLOT_COMMUNITY, PLOT_LABEL, PLOT_COLUMN, PLOT_CENTRALITY, PLOT_NONE };

/* plot_page.c: a page and what goes into it. */
typedef struct plot_page {
    float *map;
    cafe_labels *communities, *before;
    int32_t *part; /* of the communities; NULL: none were given */
    int32_t *part_before;
    const char **names_before;
    float *vectors_before, *map_before;
    cafe_facts *table;
    cafe_record *record;
    cafe_view_inputs inputs;
    cafe_view_found *found;
    cafe_view_report made;
} plot_page;

typedef struct plot_job {
    cli_run run;
    const char *map, *dimensions, *column, *labels_path, *communities, *title, *attributes,
        *report_path;
    const char *before;
    int32_t colour;
    bool terminal;
    int64_t columns;
    float *vectors, *xy;
    cafe_labels *labels;
    int32_t *kind;
    const char **names;
    double *value;
    char x_label[32], y_label[32], legend[32];
    cafe_map_options layout;
    double map_seconds;
    cafe_map_quality quality;
    cafe_plot_inputs inputs;
    cafe_plot_options options;
    cafe_view_options page_options;
    plot_page page;
    char *text; /* of --terminal */
} plot_job;

/* plot_colours.c: classes or values of the points, as --colour says. */
/* Refuses files and columns that the colours chosen do not tell of. */
int plot_check_colours(const plot_job *job);
int plot_find_colours(plot_job *job);

int plot_write_page(plot_job *job);
/* Reads --map FILE into the page's map. */
int plot_read_map(plot_job *job);
void plot_page_free(plot_page *page);

/* The number of a column; the first is 0. */
int plot_parse_columns(plot_job *job, const char *option, const char *text, int count,
                       int64_t *column);

#endif
