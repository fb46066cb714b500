/* The inside of an update: changes resolved to numbers, and the steps from them to new rows. */
#ifndef CAFE_UPDATE_UPDATE_H
#define CAFE_UPDATE_UPDATE_H

#include <cafe/labels.h>
#include <cafe/update.h>

#include "graph/dictionary.h"
#include "graph/node_names.h"
#include "operator/operator.h"

/* ---- names: nodes of a graph, then new ones by first appearance ------------------------------ */

typedef struct cafe_newcomers {
    const cafe_graph *graph;
    cafe_dictionary names;             /* of the new nodes, numbered from 0 */
    const cafe_label_columns *columns; /* of a file of labels; NULL: as found */
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
    bool weighted; /* some line has a weight */
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
    cafe_graph *graph; /* the new one */
    int64_t old_nodes;
    int32_t *origin;        /* of each new node the old one, or -1 */
    cafe_changed_arc *arcs; /* by u, then v: both directions */
    int64_t arc_count;
    cafe_changes_report counts;
};

/* The new graph's nodes: how many, their names, and where old ones and newcomers went. `place` has
 * old nodes + newcomers entries. */
cafe_status cafe_changes_number(cafe_changes *changes, const cafe_graph *old,
                                const cafe_newcomers *names, int64_t newcomers, int32_t *place);

/* Resolves the lines (in their order) to changed arcs. `path` is for errors; may be NULL. */
cafe_status cafe_changes_resolve(cafe_changes *changes, const cafe_graph *old,
                                 cafe_link_lines *lines, const int32_t *place, const char *path);

/* The weight of the arc (u,w) of a graph; 0: there is none. */
float cafe_changes_weight(const cafe_graph *graph, int64_t u, int64_t w);

/* ---- the sweep over active nodes ------------------------------------------------------------- */

typedef struct cafe_active cafe_active;

/* h: padded rows, changed in place. Pressure of a node: by how much, at most, its pull can have
 * changed since it was last swept; nodes above `spread` are active. */
cafe_status cafe_active_new(cafe_context *context, const cafe_operator *op, int64_t stride,
                            float *h, double spread, cafe_active **active);
void cafe_active_free(cafe_active *active);
void cafe_active_press(cafe_active *active, int64_t u, double pressure);
/* Collects the active nodes; returns how many. */
int64_t cafe_active_collect(cafe_active *active);
/* Sweeps the collected nodes; *gain gets the growth of the objective. */
cafe_status cafe_active_sweep(cafe_active *active, double *gain);
/* Was the node ever swept? */
bool cafe_active_swept(const cafe_active *active, int64_t u);
void cafe_active_work(const cafe_active *active, int64_t *summed, int64_t *marked);

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
