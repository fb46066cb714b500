/* The inside of an update: changes resolved to numbers, and the steps from them to new rows. */
#ifndef CAFE_UPDATE_UPDATE_H
#define CAFE_UPDATE_UPDATE_H

#include <cafe/labels.h>
#include <cafe/update.h>

#include "graph/attributes.h"
#include "graph/dictionary.h"
#include "graph/node_names.h"
#include "operator/operator.h"

/* ---- names: nodes of a graph, then new ones by first appearance ------------------------------ */

typedef struct cafe_newcomers {
    const cafe_graph *graph;
    cafe_dictionary names;             /* of the new nodes, numbered from 0 */
    const cafe_label_columns *columns; /* of a file of labels; NULL: as found */
    cafe_columns *attributes; /* get the other columns of a table of nodes; NULL: nothing does */
    char reading[1024];       /* of that table: what was taken for what */
} cafe_newcomers;

/* The names of a graph whose n is set, as text: the nodes of `old`, then the newcomers; either may
 * be NULL. */
cafe_status cafe_newcomers_append(cafe_graph *graph, const cafe_graph *old,
                                  const cafe_newcomers *names);

/* Edge sampling with a degree exponent: the operator that vectors were made with. */
cafe_status cafe_update_sample(cafe_context *context, const cafe_graph *graph, double x,
                               cafe_sampled **sampled);

/* ---- lines of edges -------------------------------------------------------------------------- */

/* An edge as listed. Nodes of the graph are 0 .. n-1, newcomers n, n+1, ... */
typedef struct cafe_link_line {
    int32_t u, v;
    float weight; /* negative: removed */
    int64_t line; /* of the file, from 1; 0: there is none */
    int64_t column;
} cafe_link_line;

typedef struct cafe_link_lines {
    cafe_context *context;
    cafe_link_line *at;
    int64_t count, room;
    bool weighted;      /* some line has a weight */
    char reading[1024]; /* what was taken for what; empty: there is no file */
} cafe_link_lines;

cafe_status cafe_link_add(cafe_link_lines *lines, cafe_link_line line);
void cafe_link_lines_free(cafe_link_lines *lines);

/* Reads a file of changes (with signs), of new nodes' edges to known nodes, or of labels, of which
 * only nodes outside the graph count (lines may be NULL). */
typedef enum cafe_lines_kind {
    CAFE_LINES_CHANGES,
    CAFE_LINES_PLACED,
    CAFE_LINES_LABELS
} cafe_lines_kind;
cafe_status cafe_newcomers_read(cafe_newcomers *names, cafe_lines_kind kind, const char *path,
                                cafe_link_lines *lines);

/* Edges of new nodes to nodes of the graph, by new node. */
struct cafe_new_links {
    cafe_context *context;
    int64_t nodes; /* new ones */
    int64_t *offsets;
    int32_t *targets;
    float *weights;
    cafe_graph *names; /* without rows */
};

/* ---- the changed graph ----------------------------------------------------------------------- */

/* An arc of the new graph (or one that is gone) whose weight changed. */
typedef struct cafe_changed_arc {
    int32_t u, v;
    float before, after;
} cafe_changed_arc;

struct cafe_changes {
    cafe_context *context;
    const cafe_graph *old;
    const cafe_graph *graph; /* the new one */
    cafe_graph *own;         /* the same, if it belongs to the changes: nodes and names; its rows
                              * are made when asked for */
    bool made, weighted;
    int64_t old_nodes;
    int64_t nodes;          /* new ones, and behind them old ones that the new graph lacks */
    bool same_numbers;      /* all nodes are old ones, under their old numbers */
    int32_t *origin;        /* of each of `nodes` the old one, or -1 */
    int32_t *place;         /* of each old node, then of each newcomer, its new number */
    cafe_changed_arc *arcs; /* by u, then v: both directions */
    int64_t arc_count;
    cafe_changes_report counts;
    char reading[1024];
};

/* The new graph's nodes: how many, their names, and where old ones and newcomers went. */
cafe_status cafe_changes_number(cafe_changes *changes, const cafe_newcomers *names,
                                int64_t newcomers);

/* Resolves the lines (in their order) to changed arcs. `path` is for errors; may be NULL. */
cafe_status cafe_changes_resolve(cafe_changes *changes, cafe_link_lines *lines, const char *path);

/* The weight of the arc (u,w) of a graph; 0: there is none. */
float cafe_changes_weight(const cafe_graph *graph, int64_t u, int64_t w);

/* ---- alignment ------------------------------------------------------------------------------- */

typedef struct cafe_alignment {
    double largest, mean; /* principal angles between the spans */
    double distance;      /* ||R - I|| */
} cafe_alignment;

/* Rotates `now` (padded, n rows) onto `before` by the orthogonal R that minimises the sum of
 * weight_u ||now_u R - before_u||^2, unless `turn` is false. R goes to rotation[columns * columns].
 */
cafe_status cafe_align(cafe_context *context, int64_t n, int64_t columns, int64_t stride,
                       float *before, float *now, const double *weights, bool turn,
                       double *rotation, cafe_alignment *alignment);

#endif
