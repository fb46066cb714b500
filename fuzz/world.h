/* A world of the library's objects that a few bytes build, use and destroy. Calls in any order,
 * with any options, values that are no numbers, an allocator that fails and cancellations in
 * between.
 *
 * The bytes are a program: one byte chooses the call, those behind it its arguments. For any bytes,
 * the world does what the headers ask of a caller: arrays have their lengths, an object is freed
 * before those that it uses. It checks what the headers promise: a status that exists, an error
 * text with every failure, finite results, indices in range, no memory left behind.
 */
#ifndef CAFE_FUZZ_WORLD_H
#define CAFE_FUZZ_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cafe/lab.h>

/* Larger graphs are not taken: the calls would be slow, not different. */
enum { FUZZ_NODES = 48, FUZZ_COLUMNS = 6, FUZZ_LINKS = 96, FUZZ_OBJECTS = 16, FUZZ_OPTIONS = 512 };

typedef enum fuzz_kind {
    FUZZ_NOTHING,
    FUZZ_GRAPH,
    FUZZ_SAMPLED,
    FUZZ_OPERATOR,
    FUZZ_MODEL,
    FUZZ_SOLUTION,
    FUZZ_EMBEDDING,
    FUZZ_EXPLANATION,
    FUZZ_LABELS,
    FUZZ_KINDS
} fuzz_kind;

typedef struct fuzz_object {
    fuzz_kind kind;
    void *it;
    struct fuzz_object *under; /* what has to outlive it */
    int users;                 /* objects that stand on it */
    int64_t nodes;
} fuzz_object;

typedef struct fuzz_world {
    const uint8_t *at, *end; /* the program */
    cafe_context *context;
    long fail_in,
        cancel_in; /* allocations until one fails, until the context is cancelled; < 0: never */
    bool failed, cancelled;
    bool trusted; /* a graph was not checked: results may be anything, as long as they are in bounds
                   */
    int64_t bytes; /* of the context before anything was made */
    fuzz_object objects[FUZZ_OBJECTS];
} fuzz_world;

/* The one world there is, ready for a program; and everything in it freed, in an order that the
 * rest of the program chooses. */
fuzz_world *fuzz_begin(const uint8_t *program, size_t size);
void fuzz_end(fuzz_world *w);
/* Runs the program to its end, or so many calls of it. */
void fuzz_run(fuzz_world *w, int most);

/* ---- what the program says ------------------------------------------------------------------- */

uint8_t fuzz_byte(fuzz_world *w); /* 0 behind its end */
int64_t fuzz_below(fuzz_world *w, int64_t bound);
bool fuzz_flip(fuzz_world *w);
/* Mostly small numbers; zeros, the largest, the smallest, infinities and NaN among them. */
float fuzz_number(fuzz_world *w);
void fuzz_numbers(fuzz_world *w, int64_t count, float *values);
/* Values of all options of a table, mostly in their ranges; loops are kept short. */
void *fuzz_options(fuzz_world *w, const cafe_option_table *table, void *options);
/* part[nodes] in -1 .. parts-1, or now and then outside. */
void fuzz_part(fuzz_world *w, int64_t nodes, int64_t parts, int32_t *part);

/* ---- objects --------------------------------------------------------------------------------- */

/* Takes an object into the world (freed at once when there is no room). NULL is no object. */
fuzz_object *fuzz_keep(fuzz_world *w, fuzz_kind kind, void *it, fuzz_object *under, int64_t nodes);
/* One of the kind, made when there is none; NULL: it cannot be made. */
fuzz_object *fuzz_need(fuzz_world *w, fuzz_kind kind);
/* Frees it if nothing stands on it. */
bool fuzz_free(fuzz_object *o);

/* ---- what is promised ------------------------------------------------------------------------ */

/* After every call: true when it succeeded; stops the program for a status that cannot be. */
bool fuzz_ok(fuzz_world *w, cafe_status status);
void fuzz_require(bool truth);
void fuzz_finite(int64_t count, const float *values);
void fuzz_finite_double(int64_t count, const double *values);
void fuzz_indices(int64_t count, const int32_t *index, int64_t least, int64_t bound);

/* ---- calls ----------------------------------------------------------------------------------- */

typedef void fuzz_call(fuzz_world *w);

#define FUZZ_CALLS(X)  \
    X(from_edges)      \
    X(from_csr)        \
    X(from_arcs)       \
    X(generate)        \
    X(from_points)     \
    X(from_similarity) \
    X(name_nodes)      \
    X(ask_graph)       \
    X(labels)          \
    X(sample)          \
    X(make_operator)   \
    X(ask_operator)    \
    X(sphere)          \
    X(softmax)         \
    X(softmax_sparse)  \
    X(layers)          \
    X(finish)          \
    X(certify)         \
    X(model)           \
    X(solve)           \
    X(embed)           \
    X(cluster)         \
    X(explain)         \
    X(cards)           \
    X(spectrum)        \
    X(ceiling)         \
    X(rank)            \
    X(sets)            \
    X(recommend)       \
    X(split)           \
    X(decoder)         \
    X(update)          \
    X(place)           \
    X(transition)      \
    X(map)             \
    X(plot)            \
    X(view)            \
    X(classify)        \
    X(link)            \
    X(partition)       \
    X(reduce)          \
    X(bounds)          \
    X(eigen)           \
    X(destroy)         \
    X(fail)            \
    X(cancel)

#define FUZZ_DECLARE(name) fuzz_call fuzz_do_##name;
FUZZ_CALLS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

#endif
