/* The options of the methods others published. Outside the library they are set by name, through
 * the tables in the rows of the methods.
 *
 * Every method leaves a cafe_solution whose history is its own loss; methods of one step have no
 * sweeps and one value. Nodes without edges get zero rows unless it says otherwise. Results are the
 * same bits for any number of threads. docs/algorithms has formulas and references.
 */
#ifndef CAFE_BASELINE_BASELINE_H
#define CAFE_BASELINE_BASELINE_H

#include "method/method.h"

#define CAFE_OTHER_OPTIONS(name)                                                    \
    const cafe_option_table *cafe_##name##_option_table(void);                      \
    static inline void cafe_##name##_options_init(cafe_##name##_options *options) { \
        cafe_options_init(cafe_##name##_option_table(), options, sizeof *options);  \
    }

/* ---- DeepWalk, node2vec, LINE: history is the mean loss of a pair, on one fixed sample ------- */
/* Nodes without edges keep their start vector; `fast` gives up the same bits. */

typedef enum cafe_pair_loss {
    CAFE_LOSS_HIERARCHICAL = 0, /* softmax as decisions along a binary tree */
    CAFE_LOSS_NEGATIVE = 1      /* pairs told from pairs with a drawn context */
} cafe_pair_loss;

/* Perozzi, Al-Rfou, Skiena: DeepWalk (KDD 2014); Grover, Leskovec: node2vec (KDD 2016). */
typedef struct cafe_walks_options {
    size_t struct_size;
    int64_t columns;
    int64_t walks;    /* from each node */
    int64_t length;   /* nodes of a walk */
    int64_t window;   /* contexts are at most this many steps away */
    int32_t loss;     /* DeepWalk: cafe_pair_loss */
    int64_t negative; /* drawn contexts for each pair */
    int64_t epochs;   /* passes over the walks */
    double rate;      /* of learning at the start; it falls linearly */
    double p;         /* node2vec: a step back is taken 1/p times as often as one to a common */
    double q;         /* neighbour; a step away, 1/q times */
    int32_t fast;     /* 1: threads race, results differ from run to run */
} cafe_walks_options;

typedef cafe_walks_options cafe_deepwalk_options, cafe_node2vec_options;
CAFE_OTHER_OPTIONS(deepwalk)
CAFE_OTHER_OPTIONS(node2vec)

typedef enum cafe_line_order {
    CAFE_LINE_FIRST = 0,  /* linked nodes have near vectors */
    CAFE_LINE_SECOND = 1, /* nodes with the same neighbours have */
    CAFE_LINE_BOTH = 2    /* half of the columns each, halves of length 1 */
} cafe_line_order;

/* Tang et al.: LINE (WWW 2015). */
typedef struct cafe_line_options {
    size_t struct_size;
    int64_t columns;
    int32_t order;    /* cafe_line_order */
    int64_t samples;  /* edges to draw for each order; 0: a number proportional to the edges */
    int64_t negative; /* drawn contexts for each edge */
    double rate;
    int32_t fast;
} cafe_line_options;

CAFE_OTHER_OPTIONS(line)

/* ---- Graph Factorization (Ahmed et al. 2013) ------------------------------------------------- */

/* min 1/2 sum over edges (a(u,w) - <x_u, x_w>)^2 + regularisation / 2 sum over nodes |x_u|^2
 *
 * The solution's history is that loss at the start and after each epoch; it never rises. */
typedef struct cafe_gf_options {
    size_t struct_size;
    int64_t columns;
    int64_t epochs;        /* at most this many passes over the edges */
    double rate;           /* length of the first epoch's steps, then rate / sqrt(epoch) */
    double regularisation; /* lambda */
    double tolerance;      /* stop when an epoch lowers the loss by less than this share */
} cafe_gf_options;

CAFE_OTHER_OPTIONS(gf)

/* ---- HOPE with the Katz index (Ou et al. 2016) ----------------------------------------------- */

typedef enum cafe_hope_sides {
    CAFE_HOPE_BOTH = 0,  /* [U sqrt(Sigma), V sqrt(Sigma)], columns / 2 singular values */
    CAFE_HOPE_SOURCE = 1 /* U sqrt(Sigma) alone, as many singular values as columns */
} cafe_hope_sides;

typedef struct cafe_hope_options {
    size_t struct_size;
    int64_t columns; /* even for both sides */
    double beta;     /* of S = (I - beta A)^-1 beta A; 0: half of 1 / spectral radius */
    int32_t sides;   /* cafe_hope_sides */
} cafe_hope_options;

/* The loss is the error of the factor in the spectral norm, |S - U Sigma V^T|: the first singular
 * value left out. A beta at or above 1 / spectral radius, where the Katz sum has no limit, is
 * refused with the largest allowed one in the error text. */
CAFE_OTHER_OPTIONS(hope)

/* ---- GraRep (Cao et al. 2015) ---------------------------------------------------------------- */

typedef struct cafe_grarep_options {
    size_t struct_size;
    int64_t columns; /* of all steps together */
    int64_t steps;   /* powers 1 .. steps of the transition matrix; columns / steps of each */
    int64_t memory;  /* MiB the dense matrices may take; a larger graph is refused */
} cafe_grarep_options;

/* The loss is the sum over steps of |Y^k - U Sigma V^T|^2 in the Frobenius norm. A graph that needs
 * more memory than allowed is CAFE_ERROR_ARGUMENT with the bytes in the error text. */
CAFE_OTHER_OPTIONS(grarep)

/* ---- SDNE (Wang, Cui and Zhu 2016) ----------------------------------------------------------- */

typedef struct cafe_sdne_options {
    size_t struct_size;
    int64_t columns; /* K: units of the middle layer */
    int64_t hidden;  /* units of the layers before and after it; 0: chosen by size */
    double alpha;    /* weight of the first-order loss: linked nodes have like vectors */
    double beta;     /* an entry of the matrix that is not 0 counts beta^2 times */
    double nu;       /* weight of the squared weights */
    int64_t epochs;  /* passes over the nodes */
    int64_t batch;   /* nodes of one step at most */
    double rate;     /* of learning, as Adam has it */
} cafe_sdne_options;

/* Sweeps are epochs, the history is the loss of the whole graph after each of them. The entries of
 * the vectors lie in (0,1). A graph whose weights would take more than half of the machine's memory
 * is refused (CAFE_ERROR_LIMIT, with the memory needed in the error text). */
CAFE_OTHER_OPTIONS(sdne)

/* ---- label propagation (Zhu and Ghahramani 2002) and spreading (Zhou et al. 2004) ------------ */

typedef enum cafe_propagation {
    CAFE_PROPAGATION_HARD = 0,     /* propagation: given labels stay, all others are averages */
    CAFE_PROPAGATION_SOFT = 1,     /* spreading: given labels pull, and may be outvoted */
    CAFE_PROPAGATION_HARMONIC = 2, /* the limit of propagation, from its linear system */
    CAFE_PROPAGATION_ABSORBING = 3 /* where walks end that may end at every node */
} cafe_propagation;

/* Class-mass normalisation of propagation and of harmonic labels. */
typedef enum cafe_class_mass {
    CAFE_MASS_AUTO = 0, /* where fewer than a twentieth of the nodes have labels */
    CAFE_MASS_NO = 1,
    CAFE_MASS_YES = 2
} cafe_class_mass;

typedef struct cafe_label_propagation_options {
    size_t struct_size;
    int32_t kind;     /* cafe_propagation */
    double alpha;     /* spreading: the neighbours' part, in [0,1); the given label has the rest.
                       * absorbing: the chance that a walk leaves a node of mean degree */
    int64_t sweeps;   /* at most this many passes over the nodes; of each class's system */
    double tolerance; /* stop when no entry changed by more than this; when no relative residual of
                       * a system is above it */
    int32_t mass;     /* cafe_class_mass */
} cafe_label_propagation_options;

/* The solution has a column for every class. A row sums to 1, or is all zero if no given label came
 * to it in the sweeps: isolated nodes without a label, components without any. Its history is the
 * largest change of an entry in each sweep, or the largest relative residual of a class, after a
 * first value of 1. */
CAFE_OTHER_OPTIONS(label_propagation)
extern const cafe_method cafe_label_propagation_method;

#endif
