/* The immutable graph: symmetric adjacency in compressed rows, with node names and an account of
 * what was dropped or merged on the way in.
 */
#ifndef CAFE_GRAPH_H
#define CAFE_GRAPH_H

#include <cafe/context.h>
#include <cafe/option.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_graph cafe_graph;

typedef enum cafe_loops {
    CAFE_LOOPS_DROP = 0, /* left out, counted */
    CAFE_LOOPS_KEEP = 1  /* kept; a loop of weight w is a(u,u) = 2w, so degrees count both ends */
} cafe_loops;

typedef enum cafe_duplicates {
    CAFE_DUPLICATES_AUTO = 0, /* unweighted: one edge; weighted: weights are added, unless the list
                               * has each edge once in each direction, with one weight: then the
                               * two lines are one edge of that weight */
    CAFE_DUPLICATES_ONE = 1,  /* one edge; of several weights the largest */
    CAFE_DUPLICATES_SUM = 2   /* weights are added (unweighted lines count 1 each) */
} cafe_duplicates;

/* The new weight of an edge of weight w. */
typedef enum cafe_weight_transform {
    CAFE_TRANSFORM_NONE = 0,
    CAFE_TRANSFORM_LOG = 1,    /* ln(1 + w): above 0 for every weight */
    CAFE_TRANSFORM_SQRT = 2,   /* the square root of w */
    CAFE_TRANSFORM_INVERSE = 3 /* 1 / w: distances become similarities */
} cafe_weight_transform;

/* How directed edges, A = (a(u,w)) the weight of the edge from u to w, become a symmetric graph. */
typedef enum cafe_directed {
    CAFE_DIRECTED_NO = 0,         /* directions are ignored: u w and w u are the same edge */
    CAFE_DIRECTED_SUM = 1,        /* A + A^T: a pair linked in both directions weighs both */
    CAFE_DIRECTED_COCITATION = 2, /* A A^T + A^T A without its diagonal: what two nodes both link
                                   * to, and what links to both */
    CAFE_DIRECTED_FLOW = 3 /* pi_u P(u,w) + pi_w P(w,u): P = A with rows that sum to 1, pi the
                            * PageRank of teleportation 0.15 */
} cafe_directed;

/* An order of nodes for speed alone: vectors may be found in it, and come back in the graph's own.
 */
typedef enum cafe_reorder {
    CAFE_REORDER_NONE = 0,
    CAFE_REORDER_DEGREE = 1,      /* hubs first */
    CAFE_REORDER_COMMUNITIES = 2, /* nodes that are linked side by side */
    CAFE_REORDER_AUTO = 3         /* the order that a .cafe file keeps, if it has one */
} cafe_reorder;

/* Is the first line of an edge list the names of its columns? */
typedef enum cafe_header {
    CAFE_HEADER_AUTO = 0, /* by its words, or by lines of another kind below it; a line of
                           * which that is not certain is refused */
    CAFE_HEADER_YES = 1,
    CAFE_HEADER_NO = 2
} cafe_header;

/* Are the ids of an edge list numbers? */
typedef enum cafe_ids {
    CAFE_IDS_AUTO = 0,   /* if all are integers; a file in which 007 and 7 both occur is refused */
    CAFE_IDS_TEXT = 1,   /* no: 007 and 7 are two nodes */
    CAFE_IDS_NUMBERS = 2 /* yes, also in quotes: 007 is 7; a file with others is refused */
} cafe_ids;

typedef enum cafe_decimal { CAFE_DECIMAL_POINT = 0, CAFE_DECIMAL_COMMA = 1 } cafe_decimal;

typedef struct cafe_graph_options {
    size_t struct_size;
    int32_t self_loops; /* cafe_loops */
    int32_t duplicates; /* cafe_duplicates */
    int32_t weights;    /* 1: use the weight column; 0: every edge weighs 1 */
    int64_t nodes;      /* > 0: ids are 0 .. nodes-1, isolated nodes included */
    int32_t format;     /* cafe_format; CAFE_FORMAT_AUTO: by content, then by name */
    int32_t directed;   /* cafe_directed: what cafe_graph_read() makes of directions */
    int32_t trust;      /* 1: symmetry, components and names of a .cafe file are not checked */
    int32_t reorder;    /* cafe_reorder */
    /* of edge lists: */
    const char *source, *target; /* columns of the nodes, by the name in the heading or by number
                                  * from 0; NULL: as the heading says, or the first two */
    const char *weight;    /* column of the weight, likewise. NULL with source and target named: a
                            * weight that is not clear is no error, and edges have none */
    int32_t header;        /* cafe_header */
    const char *delimiter; /* between columns: a character, or "tab", "space"; NULL: as found */
    int32_t decimal;       /* cafe_decimal: in weights */
    const char *name; /* where nodes have attributes: the one that names them, or "id"; NULL: label
                       * or name, if they differ for half of the nodes, else the ids */
    int32_t ids;      /* cafe_ids */
    /* of the graph, after repeated edges were merged and directions became symmetric, in this
     * order: */
    double min_weight, max_weight; /* lighter and heavier edges are left out; max 0: no limit */
    int32_t weight_transform;      /* cafe_weight_transform */
    int64_t top_edges; /* an edge stays if it is among this many heaviest edges of one of its ends;
                        * of equally heavy ones that to the first node; 0: all stay */
    int32_t bipartite; /* 1: of edge lists: an id in the column of the source and the same id in
                        * that of the target are two nodes; the sources come first. If any id is in
                        * both columns, the names of all targets begin with "right:" */
    /* cafe_graph_read(): further edge lists, read as if they stood behind the first one in one
     * file. A first line that is the heading of the first file is left out. */
    const char *const *more;
    int64_t more_count;
    int32_t beside; /* 1: source, target, header, delimiter and decimal are also for tables that are
                     * read beside the graph, so they are no error if it is no edge list */
    int32_t with_signs; /* 1: weights may be negative, in edge lists and arrays. The edges of
                         * positive weight are the graph, the others cafe_graph_negative() */
    /* cafe_graph_read(): layers and slices, of edge lists. */
    const char *layer;        /* the column that names the layer of an edge: cafe_graph_join() */
    const char *layer_weight; /* weights of the layers: with `layer` "NAME=W,...", 1 for the others;
                               * without it "W,..." for several files, each of which is a layer */
    const char
        *time; /* the column with the time of an edge, a number or a date: cafe_graph_couple() */
    int64_t slices;  /* of equal length; 0: each different time is a slice */
    double coupling; /* weight of the edge between two copies of a node, in mean weights */
} cafe_graph_options;

CAFE_OPTIONS(graph)

/* The range of weights: 0 (no edge), or a normal float; the largest weight of an edge is at most
 * CAFE_WEIGHT_RATIO times the smallest. A graph with others is refused (CAFE_ERROR_ARGUMENT).
 * Within the range no computation overflows, and weights times any power of two give the same
 * vectors, communities and scores to the bit. */
#define CAFE_WEIGHT_LEAST 0x1p-126
#define CAFE_WEIGHT_RATIO 0x1p64

/* What was found and what became of it. `lines` are the edges or entries as listed. */
typedef struct cafe_graph_counts {
    int64_t nodes, edges;    /* of the graph; an edge counts once, a loop too */
    int64_t lines;           /* edges as listed in the input */
    int64_t self_loops;      /* of them loops (dropped unless kept) */
    int64_t duplicates;      /* of them the same edge again, same direction */
    int64_t reversed;        /* of them the same edge in the other direction */
    int64_t zero_weights;    /* of them of weight 0: dropped */
    int64_t isolated;        /* nodes without an edge to another node */
    int64_t components;      /* connected components, isolated nodes among them */
    int64_t largest;         /* nodes of the largest component */
    int32_t weighted;        /* 1: edges carry weights */
    int32_t self_loops_kept; /* 1: loops are in the graph */
    double total_weight;     /* 2m: sum of a(u,w) over ordered pairs */
    int64_t min_degree, max_degree;
    int32_t directed;   /* cafe_directed: the rule that symmetrised the edges */
    int32_t mirrored;   /* 1: every edge was listed once in each direction with one weight, and
                         * weighs that once (CAFE_DUPLICATES_AUTO) */
    int64_t outside;    /* edges left out by min_weight and max_weight */
    int64_t lighter;    /* edges left out by top_edges */
    int64_t left_nodes; /* with the option bipartite: nodes of the left side, which come first; else
                           0 */
} cafe_graph_counts;

/* From `count` edges in arrays; weights may be NULL; ids are 0 .. nodes-1. options->nodes is not
 * used here. Without a rule for directions (options->directed) (u,w) and (w,u) are the same edge.
 * With a rule, repeated edges, loops and weights are first treated as the options say, each
 * direction by itself. Then
 *
 *     sum          (u,w) and (w,u) are added; a loop of weight w is a(u,u) = 2w
 *     cocitation   kept loops count as edges of A; the result has none. CAFE_ERROR_LIMIT with the
 *                  needed size if the rows might take more than half of the machine's memory
 *     flow         nodes without an edge out teleport; teleportation itself links nobody
 *
 * The counts describe the edges as given. Pairs linked in both directions are `reversed`; for
 * cocitation it is 0. */
CAFE_API cafe_status cafe_graph_from_edges(cafe_context *context, int64_t nodes, int64_t count,
                                           const int32_t *source, const int32_t *target,
                                           const float *weights, const cafe_graph_options *options,
                                           cafe_graph **graph);

/* From compressed rows. A symmetric matrix with sorted rows, no repeated entries and no loops is
 * taken as it is. With `borrow` not even copied: the arrays then outlive the graph and stay as they
 * are (cafe_graph_unchanged() tells whether they did). Any other matrix M is symmetrised as M + M^T
 * (a symmetric one stays M). */
CAFE_API cafe_status cafe_graph_from_csr(cafe_context *context, int64_t nodes,
                                         const int64_t *offsets, const int32_t *targets,
                                         const float *weights, int32_t borrow,
                                         const cafe_graph_options *options, cafe_graph **graph);

/* ---- several layers ---- */

/* Kinds of edges between the same nodes as one graph. Nodes are the same where their names are. The
 * graph has the edges of all layers with the sums of their weights. Methods that take layers work
 * on the mean of the layers' modularity matrices by `weights` (NULL: all 1). names NULL: 0, 1, ...
 */
CAFE_API cafe_status cafe_graph_join(cafe_context *context, int64_t count,
                                     const cafe_graph *const *graphs, const char *const *names,
                                     const double *weights, cafe_graph **graph);

/* Slices of time as one graph, first to last. A node has a copy, named NODE@SLICE, in each slice in
 * which it has an edge. An edge joins each copy to the next one of its node; its weight is
 * `coupling` times the mean weight of the edges. Every slice has its own null model, and the edges
 * between copies have none. */
CAFE_API cafe_status cafe_graph_couple(cafe_context *context, int64_t count,
                                       const cafe_graph *const *graphs, const char *const *names,
                                       double coupling, cafe_graph **graph);

CAFE_API void cafe_graph_free(cafe_graph *graph);

CAFE_API int64_t cafe_graph_nodes(const cafe_graph *graph);
CAFE_API const cafe_graph_counts *cafe_graph_get_counts(const cafe_graph *graph);

/* A value per node: reals[u * stride], numbers[u] (NaN: none), integers[u] or texts[u] (NULL:
 * none). With integers and texts the value is texts[integers[u]], one of `values` different texts;
 * integers[u] < 0: none. */
typedef struct cafe_attribute {
    const char *name;
    const float *reals;
    int64_t stride;
    const int32_t *integers;
    const char *const *texts;
    const double *numbers;
    int64_t values;
} cafe_attribute;

/* How a file was understood. Columns count from 0. */
typedef struct cafe_graph_reading {
    int32_t format;         /* cafe_format; CAFE_FORMAT_AUTO: the graph is from no file */
    int32_t heading;        /* 1: the first line of an edge list names its columns */
    int64_t columns;        /* of its first edge; 0: it is no edge list */
    int64_t source, target; /* columns of the nodes */
    int64_t weight;         /* column of the weight; -1: none */
    const char *text;       /* what was taken for what, in a line; NULL or "": nothing to say */
    const char *edges;      /* the first three edges of an edge list as they stand there, a line
                             * "source tab target" or "source tab target tab weight" each */
    const char *warning; /* what the file may have meant otherwise, and the option that decides it;
                          * NULL or "": nothing */
    int64_t files;       /* that were read; 0: no file */
    int64_t attribute_count;          /* attributes of nodes that the file has: */
    const cafe_attribute *attributes; /* numbers, or integers with texts */
} cafe_graph_reading;

CAFE_API const cafe_graph_reading *cafe_graph_get_reading(const cafe_graph *graph);

/* The compressed rows: offsets[nodes+1], targets (ascending in each row), weights or NULL. */
CAFE_API void cafe_graph_csr(const cafe_graph *graph, const int64_t **offsets,
                             const int32_t **targets, const float **weights);

/* The name of a node into text (never longer than capacity, always ended by 0); returns its full
 * length, as snprintf does. */
CAFE_API size_t cafe_graph_name(const cafe_graph *graph, int64_t node, char *text, size_t capacity);
/* The node of that name, or -1. The first look-up of a string name builds an index. */
CAFE_API int64_t cafe_graph_find(const cafe_graph *graph, const char *name);

/* Gives the nodes of a graph whose names are 0 .. n-1 other names, names[nodes]: each one line of
 * UTF-8 of 1 to 65535 bytes, no two the same. */
CAFE_API cafe_status cafe_graph_set_names(cafe_context *context, cafe_graph *graph,
                                          const char *const *names);

/* The graph of the component with the most nodes, of equal ones that with the smallest node. Nodes
 * keep their names and their order. */
CAFE_API cafe_status cafe_graph_largest_component(cafe_context *context, const cafe_graph *graph,
                                                  cafe_graph **part);

/* Colours the nodes so that no edge joins two of a colour: side[u] = 0 or 1, the smallest node of
 * every component 0, nodes without edges -1. Edges of either sign count, and copies of a node in
 * slices have its colour. *bipartite gets 0 when there is no such colouring (an odd cycle, a loop,
 * or no edge at all); side is then -1 everywhere. */
CAFE_API cafe_status cafe_graph_sides(cafe_context *context, const cafe_graph *graph, int8_t *side,
                                      int32_t *bipartite);

/* What the counts do not tell. */
typedef struct cafe_graph_profile {
    double mean_degree;
    int64_t median_degree, high_degree; /* half, and 99 in 100 nodes, have no more */
    double least_weight, most_weight;   /* of an edge; 0 when there are none */
    const char *names;                  /* "indices" (0 .. n-1), "integers" or "strings" */
    int32_t bipartite;
    int64_t first_side,
        second_side;   /* nodes of each, when bipartite; isolated ones are on neither */
    int64_t row_bytes; /* the compressed rows */
} cafe_graph_profile;

CAFE_API cafe_status cafe_graph_describe_sized(cafe_context *context, const cafe_graph *graph,
                                               cafe_graph_profile *profile, size_t size);
static inline cafe_status cafe_graph_describe(cafe_context *context, const cafe_graph *graph,
                                              cafe_graph_profile *profile) {
    return cafe_graph_describe_sized(context, graph, profile, sizeof *profile);
}

/* The formats of graph files: constant, name, endings, what it is, whether it is written too, and
 * whether names then stand in FILE.names.txt beside it. A further one is a row here and a file of
 * src/io that defines cafe_graph_format_NAME. */
#define CAFE_GRAPH_FORMATS(X)                                         \
    X(EDGES, edges, ".txt .edges .tsv .csv .ncol", "edge list", 1, 0) \
    X(MTX, mtx, ".mtx", "Matrix Market", 1, 1)                        \
    X(METIS, metis, ".graph .metis", "METIS", 1, 1)                   \
    X(NPZ, npz, ".npz", "scipy npz", 0, 0)                            \
    X(CAFE, cafe, ".cafe", "binary", 1, 0)                            \
    X(GRAPHML, graphml, ".graphml", "GraphML", 1, 0)                  \
    X(GML, gml, ".gml", "GML", 1, 0)                                  \
    X(GEXF, gexf, ".gexf", "GEXF, of Gephi", 1, 0)                    \
    X(PAJEK, pajek, ".net .paj", "Pajek", 0, 0)                       \
    X(DIMACS, dimacs, ".dimacs .gr .col", "DIMACS", 0, 0)             \
    X(GDF, gdf, ".gdf", "GDF, of GUESS", 0, 0)                        \
    X(DL, dl, ".dl", "DL, of UCINET", 0, 0)                           \
    X(DOT, dot, ".dot .gv", "DOT, of Graphviz", 0, 0)                 \
    X(LGL, lgl, ".lgl", "LGL", 0, 0)                                  \
    X(JSON, json, ".json", "node-link JSON", 1, 0)                    \
    X(ADJACENCY, adjacency, ".adjlist", "adjacency list", 0, 0)

/* " .txt .edges ...": the endings of those that are written */
#define CAFE_GRAPH_ENDINGS CAFE_GRAPH_FORMATS(CAFE_GRAPH_ENDING)
#define CAFE_GRAPH_ENDING(constant, name, endings, title, writes, beside) \
    CAFE_ENDING_##writes(endings)
#define CAFE_ENDING_0(endings)
#define CAFE_ENDING_1(endings) " " endings

typedef enum cafe_format {
    CAFE_FORMAT_AUTO = 0, /* by content, then by name */
#define CAFE_FORMAT_CONSTANT(constant, name, endings, title, writes, beside) CAFE_FORMAT_##constant,
    CAFE_GRAPH_FORMATS(CAFE_FORMAT_CONSTANT)
#undef CAFE_FORMAT_CONSTANT
} cafe_format;

/* Reads a graph file; "-" is standard input. The files of a folder are read as one list of edges,
 * in the order of their names, without those that begin with . or _. A malformed file is
 * CAFE_ERROR_FORMAT with "file:line:column: expected ..., found ..." in the error text. */
CAFE_API cafe_status cafe_graph_read(cafe_context *context, const char *path,
                                     const cafe_graph_options *options, cafe_graph **graph);

/* Whether what a graph does not own is still what it was. Borrowed arrays: CAFE_ERROR_ARGUMENT when
 * they changed. The check passes over them; call it before a run, which trusts them, and after it.
 * A .cafe file that several processes map: CAFE_ERROR_IO when its size or time changed; results
 * computed meanwhile are wrong. Such a file is one that only its owner may write; others are
 * copied. The owner can still write into it. That changes the graph of a run and may end it by a
 * signal, as truncation does (SIGBUS). Replacing the file by renaming, as cafe_graph_write() does,
 * is harmless. CAFE_OK for all other graphs: they are in the process's own memory. */
CAFE_API cafe_status cafe_graph_unchanged(cafe_context *context, const cafe_graph *graph);

/* Writes a graph file (format AUTO: by the name's ending) under a temporary name and renames it. An
 * existing file is kept (CAFE_ERROR_EXISTS) unless `overwrite`. */
CAFE_API cafe_status cafe_graph_write(cafe_context *context, const cafe_graph *graph,
                                      const char *path, cafe_format format, int32_t overwrite);

#ifdef __cplusplus
}
#endif
#endif
