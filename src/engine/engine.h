/* Engines: the owners of blocks of n x K numbers, and the arithmetic on them.
 *
 * Solvers and the spectral finish are written once, against the table of operations below. They
 * never read the floats of a block. Small results (K x K matrices, sums, norms) are returned; large
 * ones go through copy_in and copy_out. The processor, with its threads and memory, is one engine.
 * Others are shared libraries found at run time (engine/engine_library.c). They see this header,
 * the headers without functions that it includes, and nothing else of the library.
 *
 * Claim: rows after any sweep have the same bits on every engine, because every sum has a fixed
 * shape. The comment of an operation gives the shape; docs/engines.md has the whole contract.
 */
#ifndef CAFE_ENGINE_ENGINE_H
#define CAFE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe/engine.h>
#include <cafe/sample.h>

#include "base/context.h"
#include "kernels/row_kernels.h"
#include "operator/chunk_move.h"

typedef struct cafe_engine cafe_engine;

/* n x columns numbers: the columns from `first` on of rows `stride` floats apart, stride =
 * cafe_stride(of the columns it was made with). Floats after the last column are 0. */
typedef struct cafe_block {
    int64_t n, stride, columns;
    union {
        float *x;           /* the engine's own; rows in memory on the processor alone */
        const float *given; /* rows in memory that are only read */
    };
    const cafe_engine *engine; /* NULL: the processor */
    int64_t first;
} cafe_block;

/* Rows in memory, `stride` floats apart, as a block of the processor. */
static inline cafe_block cafe_block_rows(int64_t n, int64_t stride, int64_t columns, float *x) {
    return (cafe_block){n, stride, columns, {x}, NULL, 0};
}

/* The same of rows that no operation on the block may change. */
static inline cafe_block cafe_block_given(int64_t n, int64_t columns, const float *x) {
    return (cafe_block){.n = n, .stride = columns, .columns = columns, .given = x};
}

/* Columns first .. first + columns - 1 of a block, where they stand. */
static inline cafe_block cafe_block_columns(const cafe_block *x, int64_t first, int64_t columns) {
    return (cafe_block){x->n, x->stride, columns, {x->x}, x->engine, x->first + first};
}

/* Rows row .. row + rows - 1 of the columns column .. column + columns - 1. */
typedef struct cafe_part {
    int64_t row, rows, column, columns;
} cafe_part;

/* The first rows of a block. Random numbers are Philox's by (seed, stream, index): base/random.h.
 *
 *   unit     rows of length 1. Drawn: with d = ceil(K / 8) draws a row, column 8 i + j of row u is
 *            (16 bits + 1/2) / 2^15 - 1 of draw u d + i, word j / 2, lower half first.
 *   simplex  rows of sum 1. Drawn: with d = ceil(K / 4), column 4 i + j of row u is -log of the
 *            number of draw u d + i, word j. A labelled row is 1 in the column of its label. If
 *            there are labels but no given rows, all other rows are 1 / K in every column.
 *   normal   columns from `from` on of draws u K + k, the first of cafe_normal4()'s four; 0 if
 *            weights[u] is 0. Columns before `from` stay.
 *   links    A S scaled to rows of length 1. A is the adjacency matrix of the operator, and S has
 * one number in each row: 1 in column marks[w], or -1 in column ~marks[w] if marks[w] < 0. Edges
 * are added in the order of the row, in single precision. The row is multiplied by the reciprocal
 * of its length, the root of its dot product in single precision. A row of length 0 is drawn as for
 * `unit`.
 *
 * Lengths and sums are added in double precision from the first column to the last, and divide each
 * number. Given rows are used as they are, except that a row of length (sum) 0 is drawn.
 */
typedef enum cafe_start_kind {
    CAFE_START_UNIT = 0,
    CAFE_START_SIMPLEX = 1,
    CAFE_START_NORMAL = 2,
    CAFE_START_LINKS = 3
} cafe_start_kind;

typedef struct cafe_start {
    cafe_start_kind kind;
    bool given;
    uint64_t seed, stream;
    const int32_t *labels; /* one a row, -1: none; NULL: none at all */
    int64_t from;
    const double *weights;
    const cafe_operator *op; /* operator of `links`, and the data that the engine holds for it */
    void *held;
    const int32_t *marks; /* one a node, read at random; NULL: they are bytes, */
    const int8_t *small;  /* of up to CAFE_SMALL_MARKS columns */
    const int32_t
        *numbers; /* of the rows, where they are some of a larger block; NULL: 0, 1, ... */
} cafe_start;

enum { CAFE_SMALL_MARKS = 128 };

static inline int32_t cafe_mark(const cafe_start *start, int64_t w) {
    return start->small ? start->small[w] : start->marks[w];
}

/* What processes sent to one another, all together. */
typedef struct cafe_traffic {
    int64_t sweeps;     /* over all nodes */
    int64_t bytes;      /* sent in them */
    int64_t ghost_rows; /* copies of others' rows that the processes hold */
} cafe_traffic;

/* Every operation returns a status and, on failure, leaves a text in the context. All blocks of a
 * call belong to the engine that is called. Arrays of n numbers (weights, factors) belong to the
 * caller; NULL stands for ones.
 *
 * An engine may join several processes. Each process makes the same calls and holds some rows of
 * every block. Inputs are the same in all processes, and so are results: copy_out returns all rows
 * that the caller asks for, and sums run over all rows.
 */
typedef struct cafe_engine_ops {
    /* Room for n x columns numbers, which may be anything. */
    cafe_status (*make)(cafe_context *context, const cafe_engine *engine, int64_t n,
                        int64_t columns, cafe_block *block);
    void (*drop)(cafe_context *context, cafe_block *block); /* accepts one of no memory */
    /* Bytes left of the memory that blocks lie in, and all; NULL: it is this machine's. */
    void (*memory)(const cafe_engine *engine, int64_t *left, int64_t *all);

    /* Copies from and to floats of the caller, rows `step` apart. An operation that writes the last
     * column of a block sets the floats after it to 0. */
    cafe_status (*copy_in)(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                           int64_t step);
    cafe_status (*copy_out)(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                            int64_t step);
    /* Columns of `from` into the columns of `to` from `place` on. */
    cafe_status (*copy)(cafe_context *context, const cafe_block *from, cafe_block *to,
                        int64_t place);
    /* X <- X[:, kept], kept ascending, in the stride of the new number of columns. */
    cafe_status (*select)(cafe_context *context, cafe_block *x, int64_t count, const int64_t *kept);

    cafe_status (*start)(cafe_context *context, cafe_block *x, const cafe_start *start);

    /* Makes the data that the engine needs for an operator, when the engine first meets it, and
     * frees them with the operator. They are a copy of the parts on a device, the weights of the
     * edges. Blocks will have about `stride` floats a row; 0: unknown. The operator of later calls
     * may be the negative of the attached one, which has the same arrays. NULL: no data (and `held`
     * is NULL). */
    cafe_status (*attach)(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                          int64_t stride, void **held);
    /* The operations below also work without these data. Then only the operator's own context uses
     * them; other contexts, which may use the operator at the same time, pass NULL. */
    bool spares_held;
    void (*detach)(cafe_context *context, const cafe_engine *engine, void *held);
    /* degrees_u = sum over the edges of row u, for an operator that was attached before its p was
     * known (NULL): one edge after the other, in double precision. NULL: the processor adds them.
     */
    cafe_status (*degrees)(cafe_context *context, const cafe_engine *engine, void *held,
                           double *degrees);

    /* Y = a M X + b X + c Y with M = Q or D^-1 Q of the operator. Y gets the columns of X and is
     * not read if c = 0. The sum over the edges of a row is in single precision: pieces of 256
     * edges in the order of the row, then the pieces. */
    cafe_status (*product)(cafe_context *context, const cafe_operator *op, void *held,
                           cafe_side side, float a, const cafe_block *x, float b, float c,
                           cafe_block *y);
    /* Y = M X in the rows with weights[u] != 0; other rows are undefined. NULL: the engine cannot
     * leave rows out. */
    cafe_status (*product_where)(cafe_context *context, const cafe_operator *op, void *held,
                                 cafe_side side, const cafe_block *x, const double *weights,
                                 cafe_block *y);
    /* S = F^T X, L x stride; of a graph sum over w of p_w x_w: pieces of cafe_piece_rows(n) rows
     * (kernels/sum_shapes.h), each from its first row to its last in double precision; then the
     * pieces.
     */
    cafe_status (*project)(cafe_context *context, const cafe_operator *op, void *held,
                           const cafe_block *x, double *s);

    /* Sweeps over all nodes of the operator by a rule (operator/chunk_move.h), in `chunks` chunks
     * (0: chosen by size), without the nodes with fixed[u] != 0 (NULL: none). A call of run moves
     * the nodes of every chunk, one chunk after the other, and returns the growth of the objective.
     * For a graph, this growth is a sum without order (kernels/sum_shapes.h) in each chunk, then
     * over the chunks in their order. */
    cafe_status (*sweep_open)(cafe_context *context, const cafe_operator *op, void *held,
                              const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                              cafe_block *h, void **sweep);
    cafe_status (*sweep_run)(cafe_context *context, void *sweep, double *gain);
    /* The state of a sweep besides H: S, L x stride, as the chunks left it, copied out or, with
     * `put`, in. The second function returns the chunks of the sweep. */
    cafe_status (*sweep_sums)(cafe_context *context, void *sweep, bool put, double *s);
    const cafe_chunks *(*sweep_chunks)(const void *sweep);
    void (*sweep_close)(cafe_context *context, void *sweep); /* accepts NULL */

    /* Gram matrix of the columns of a (and b, when not NULL, set side by side: [a b]) in the inner
     * product with row weights: k x k, both triangles; k = a.columns + b.columns. `single` allows
     * products and short sums in single precision. */
    cafe_status (*gram)(cafe_context *context, const cafe_block *a, const cafe_block *b,
                        const double *weights, bool single, double *gram);
    /* The same in double precision for blocks a and b of equal width, if the symmetric part of a^T
     * b is enough. NULL: use gram. */
    cafe_status (*gram_even)(cafe_context *context, const cafe_block *a, const cafe_block *b,
                             const double *weights, double *gram);
    /* X <- X M in place, M columns x k with k <= columns; or, with kept[k], X <- X[:, kept] M with
     * M k x k and upper triangular. Every row is reduced by shift[k] (NULL: 0) before it is
     * rounded. The columns after k become 0. */
    cafe_status (*transform)(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                             const int64_t *kept, const double *shift);
    /* Row u times (float)factors[u]. */
    cafe_status (*scale)(cafe_context *context, cafe_block *x, const double *factors);
    /* norms_j = length of column j of diag(factors) X, (f f x) x added up. Norms, totals and sums
     * are of pieces as in project. */
    cafe_status (*norms)(cafe_context *context, const cafe_block *x, const double *factors,
                         double *norms);
    /* totals_j = sum over u of weights_u x_uj. */
    cafe_status (*totals)(cafe_context *context, const cafe_block *x, const double *weights,
                          double *totals);
    /* *cross = sum over u of weights_u <x_u, y_u> and *own = sum over u of own_weights_u ||x_u||^2.
     * The last `negative` columns count with the opposite sign. */
    cafe_status (*sums)(cafe_context *context, const cafe_block *x, const cafe_block *y,
                        const double *weights, const double *own_weights, int64_t negative,
                        double *cross, double *own);

    /* Of engines that join several processes; all NULL: there is one. */
    /* This process's number, and how many there are. */
    void (*team)(const cafe_engine *engine, int32_t *rank, int32_t *ranks);
    /* The next rows from `row` on, of a piece at most, that this process holds of blocks of n rows;
     * false: no more. */
    bool (*mine)(const cafe_engine *engine, int64_t n, int64_t row, int64_t *first, int64_t *last);
    /* This process's rows of a block, from the row that `mine` gave on, `stride` floats apart. */
    float *(*rows)(const cafe_block *x, int64_t row);
    /* Y = Q X for eight columns: this process's rows of floats (`single`) or doubles, one after the
     * other as `mine` gives them. Sums are doubles; sums over all rows are as in project; the
     * result is rounded. `add` sums numbers without order (kernels/sum_shapes.h) over all
     * processes, in place. */
    cafe_status (*eight)(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                         void *held, bool single, const void *x, void *y);
    cafe_status (*add)(cafe_context *context, const cafe_engine *engine, int64_t count,
                       double *sums);
    /* Returns the worst status of all processes to each of them, with the text of the first process
     * that has it. Sets the context's `agreed`. */
    cafe_status (*agree)(cafe_context *context, const cafe_engine *engine, cafe_status status);
    /* Sends sizes[r] bytes to process r; the bytes for 0, 1, ... follow each other in `give`. *got,
     * host memory that the caller releases, has the bytes from 0, 1, ...: got_sizes[r] bytes of
     * each. A failure of one process is a failure of all. */
    cafe_status (*exchange)(cafe_context *context, const cafe_engine *engine, const void *give,
                            const int64_t *sizes, void **got, int64_t *got_sizes);
    /* The columns of every row, `columns` floats a row, from byte `offset` of a file on: each
     * process writes its own rows. The file is there; its path and the offset are process 0's. */
    cafe_status (*write)(cafe_context *context, const cafe_block *x, const char *path,
                         int64_t offset);
    /* Announces to process 0 that this process will report why it ends all of them. Returns true if
     * process 0 received this within `seconds`; it does if it waits for others and has not failed
     * itself. */
    bool (*reach)(const cafe_engine *engine, double seconds);
    /* Returns whether a process has announced its end. Without `look` the call is safe in a signal
     * handler, and may not know yet. */
    bool (*abandoned)(const cafe_engine *engine, bool look);
    /* Ends all processes with this code, and does not return. */
    void (*abandon)(const cafe_engine *engine, int code);
    /* Chooses the rows that each process holds of blocks with this operator's rows, before the
     * first block: in turn, or by a partitioner. *cut gets the share of edges between processes. */
    cafe_status (*divide)(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                          cafe_partitioner partitioner, double *cut);
    /* Returns the bytes that all processes together have sent to each other. */
    cafe_status (*traffic)(cafe_context *context, const cafe_engine *engine, cafe_traffic *traffic);
} cafe_engine_ops;

struct cafe_engine {
    const cafe_engine_ops *ops;
    const char *name;
    void *state; /* the engine's own */
};

CAFE_LAB extern const cafe_engine cafe_processor;

/* ---- shared libraries ------------------------------------------------------------------------ */

/* Changes whenever this header, or a struct in it, does. */
enum { CAFE_ENGINE_INTERFACE = 16 };

/* Functions of the library that an engine may call. */
typedef struct cafe_engine_host {
    /* Leaves a text with the context (printf style) and returns the status. */
    cafe_status (*fail)(cafe_context *context, cafe_status status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Returns CAFE_ERROR_CANCELLED after the caller asked to stop; an engine calls it between long
     * pieces of work. */
    cafe_status (*check_cancel)(cafe_context *context);
    /* Memory of this machine; NULL, with a text, when there is none. */
    void *(*allocate)(cafe_context *context, int64_t count, size_t size);
    void (*release)(cafe_context *context, const void *memory);
    /* The chunks of a sweep over all nodes (list NULL), operator/chunks.h. */
    cafe_status (*chunks)(cafe_context *context, const cafe_operator *op, const int32_t *list,
                          int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks);
    /* The same without the edges and masses inside the chunks. */
    cafe_status (*lay_out)(cafe_context *context, const cafe_operator *op, int64_t wanted,
                           int64_t stride, cafe_chunks **chunks);
    void (*chunks_free)(cafe_chunks *chunks);
    /* The context's threads, for copies and lists: tasks over ranges of `block` of n items. */
    cafe_status (*ranges)(cafe_context *context, int64_t n, int64_t block,
                          void (*task)(void *argument, int64_t first, int64_t last),
                          void *argument);
    /* Tasks 0 .. count - 1 by workers 0 .. threads - 1. */
    cafe_status (*parallel)(cafe_context *context, int64_t count,
                            void (*task)(void *argument, int64_t task, int32_t worker),
                            void *argument);
    int32_t (*threads)(const cafe_context *context);
    /* For engines whose rows lie in this machine's memory: the processor's operations on them, its
     * kernels, sums of neighbours (operator/operator.h), the rows of a product, and the move of a
     * row (operator/row_move.h). An operator that is handed over needs no more than parts and
     * kernels; its nodes may have numbers of the engine's own. */
    const cafe_engine *processor;
    const cafe_kernels *(*kernels)(void);
    void (*stream_rows)(const cafe_operator *op, int64_t stride, const float *x, cafe_range range,
                        const uint8_t *skip, bool own, float *out, int64_t out_step,
                        cafe_row_done *done, void *argument);
    cafe_status (*gram_pieces)(cafe_context *context, const cafe_block *a, const cafe_block *b,
                               const double *weights, bool single, int64_t pieces,
                               const int64_t *starts, const double *lengths, double *gram);
    cafe_status (*product_rows)(cafe_context *context, const cafe_operator *op, cafe_side side,
                                cafe_range rows, int64_t stride, const float *x, const double *s,
                                float a, float b, float c, int64_t step, float *y);
    cafe_status (*eight_rows)(cafe_context *context, const cafe_operator_parts *q, bool single,
                              cafe_range rows, const double *s, const void *x, void *y);
    cafe_moving (*moving)(const cafe_kernels *kernels, const cafe_operator_parts *q,
                          const cafe_rule *rule, int64_t stride, const float *s);
    cafe_moved (*move_row)(const cafe_moving *by, int64_t u, double shift, const float *h,
                           float *row);
} cafe_engine_host;

/* The table that a library libcafe-NAME.so exports under the name cafe_engine_entry. */
typedef struct cafe_engine_library {
    int32_t interface; /* CAFE_ENGINE_INTERFACE */
    size_t table_size; /* sizeof(cafe_engine_ops) */
    const char *name, *summary, *version;
    const cafe_engine_ops *ops;
    /* Opens the device and all further resources; `state` goes to the engine. */
    cafe_status (*open)(cafe_context *context, const cafe_engine_host *host, void **state);
    void (*close)(cafe_context *context, void *state);
    /* One line about the opened device: name, memory, driver. NULL: the summary is enough, and a
     * list of engines does not open this one. */
    const char *(*about)(const void *state);
} cafe_engine_library;

CAFE_API extern const cafe_engine_library cafe_engine_entry;

/* ---- for solvers and the finish -------------------------------------------------------------- */

/* The operations of the engine that the block lives on. */
static inline const cafe_engine_ops *cafe_ops(const cafe_block *x) {
    return x->engine ? x->engine->ops : cafe_processor.ops;
}

/* Returns the engine in use, and opens it if only its name was known. */
cafe_status cafe_engine_in_use(cafe_context *context, const cafe_engine **engine);

/* Room for n x columns numbers on the engine in use. */
CAFE_LAB cafe_status cafe_block_make(cafe_context *context, int64_t n, int64_t columns,
                                     cafe_block *block);
static inline void cafe_block_drop(cafe_context *context, cafe_block *block) {
    cafe_ops(block)->drop(context, block);
}

/* Returns the data of the block's engine for the operator, for operations that use them. */
cafe_status cafe_engine_hold(cafe_context *context, const cafe_block *x, const cafe_operator *op,
                             void **held);

/* cafe_sample() with the degrees added up by the engine in use, which keeps the rows. */
cafe_status cafe_engine_sample(cafe_context *context, const cafe_graph *graph,
                               cafe_sampling sampling, const cafe_sample_options *options,
                               const cafe_sample_inputs *inputs, cafe_sampled **sampled);

/* Y = a M X + b X + c Y on the engine of X. */
cafe_status cafe_block_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                               float a, const cafe_block *x, float b, float c, cafe_block *y);
/* Y = M X for callers that read only the rows with weights[u] != 0 (NULL: all rows). */
cafe_status cafe_block_product_where(cafe_context *context, const cafe_operator *op, cafe_side side,
                                     const cafe_block *x, const double *weights, cafe_block *y);

/* Fails, by the method's name, where the context's engine is not the processor. */
cafe_status cafe_engine_need_processor(cafe_context *context, const char *method);

/* The same for work that every process may do alone if the engine joins several processes. */
cafe_status cafe_engine_need_rows(cafe_context *context, const char *method);

/* Moves a block into the processor's memory, where it may be read as rows: whole, in every process.
 */
cafe_status cafe_block_fetch(cafe_context *context, cafe_block *block);

/* ---- several processes (engine/process_group.c) ---------------------------------------------- */

/* Does the engine join more than one process? NULL, the processor, does not. */
bool cafe_engine_joins(const cafe_engine *engine);

/* Keeps the rows of a result in the processes that hold them, or copies them as cafe_block_fetch().
 * Returns CAFE_ERROR_NUMERIC in every process if a number is not finite. */
cafe_status cafe_block_keep(cafe_context *context, const char *what, cafe_block *block);
/* The engine of blocks that are to stay so. */
cafe_status cafe_engine_keeps(cafe_context *context, const cafe_engine **engine);
/* Row u of a block that was kept; NULL: another process holds it. */
float *cafe_block_row(const cafe_block *block, int64_t u);

/* cafe_model_divide() of an operator. */
/* All processes have to call it; all 0 with one process. */
cafe_status cafe_engine_traffic(cafe_context *context, cafe_traffic *traffic);
cafe_status cafe_engine_divide(cafe_context *context, const cafe_operator *op,
                               cafe_partitioner partitioner, double *cut);

/* Bytes left of the memory of the engine in use, and all of it; both 0 where it is this machine's.
 * The engine is opened where it was only asked for by its name so far. */
cafe_status cafe_engine_memory(cafe_context *context, int64_t *left, int64_t *all);

/* The engine in use, or the one asked for when the context was made. */
const char *cafe_engine_name(const cafe_context *context);

#endif
