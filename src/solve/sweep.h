/* Passes over all nodes in chunks, and the course of the objective: what sphere and softmax share.
 * A chunk itself is in operator/chunk_move.h. */
#ifndef CAFE_SOLVE_SWEEP_H
#define CAFE_SOLVE_SWEEP_H

#include "operator/chunk_move.h"
#include "solve/solution.h"

typedef struct cafe_keeper cafe_keeper; /* of checkpoints: solve/checkpoint.h */

enum { CAFE_PASS_MEMORY = 2 };

/* The row of an options table, for a struct with a field `storage`. */
#define CAFE_STORAGE_OPTION(type)                                                                 \
    {                                                                                             \
        "storage", "WORD", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(type, storage),        \
            CAFE_STORAGE_FLOAT32, 0, 0, "float32|float16|bfloat16",                               \
            "how the numbers of dense rows are stored while they are swept: in 16 bits they are " \
            "read with half the bytes, and rounded; sums and vectors stay float32"                \
    }

typedef struct cafe_passes cafe_passes;
struct cafe_passes {
    cafe_rule rule;
    const uint8_t *fixed; /* nodes that keep their rows; NULL: none */
    int64_t chunks;       /* 0: by size */
    int64_t most;         /* passes at most */
    double tolerance;     /* until one gains less than this share of the objective; 0: never */
    double level;         /* the objective at the start as far as it matters for that */
    /* at the start and after every pass, solution->sweeps of them; NULL: nothing */
    cafe_status (*after)(cafe_context *context, const cafe_operator *op, cafe_passes *passes,
                         cafe_solution *solution);
    double memory[CAFE_PASS_MEMORY]; /* what `after` knows of the pass before */
    cafe_keeper *keeper;             /* NULL: no checkpoints */
    int64_t end;                     /* of the spectrum: 0, or 1 for the second of two */
};

/* solution->objective[i] is relative to the start until cafe_sweep_settle(). */
cafe_status cafe_sweep(cafe_context *context, const cafe_operator *op, cafe_passes *passes,
                       cafe_solution *solution);

/* Keeps Y = D^-1 Q H, which every spectral finish starts from, and with it the exact objective; the
 * earlier ones follow from it by their gains. */
cafe_status cafe_sweep_settle(cafe_context *context, const cafe_operator *op,
                              cafe_solution *solution);

#endif
