/* The processor's operations, by file: processor.c, processor_edges.c, processor_start.c,
 * processor_tall.c. */
#ifndef CAFE_ENGINE_PROCESSOR_H
#define CAFE_ENGINE_PROCESSOR_H

#include "engine/row_pieces.h"

/* Allocates a block without touching its pages: the tasks that fill it touch them, at least a huge
 * page at a time. */
cafe_status cafe_processor_room(cafe_context *context, int64_t n, int64_t columns,
                                cafe_block *block);
cafe_status cafe_processor_attach(cafe_context *context, const cafe_engine *engine,
                                  const cafe_operator *op, int64_t stride, void **held);
void cafe_processor_detach(cafe_context *context, const cafe_engine *engine, void *held);
/* Returns the operator with the data that the engine holds for it. */
cafe_operator cafe_processor_held(const cafe_operator *op, const void *held);
cafe_status cafe_processor_start(cafe_context *context, cafe_block *x, const cafe_start *how);
cafe_status cafe_processor_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                                const double *weights, bool single, double *gram);
/* The upper triangle of the sum over pieces of consecutive rows, starts[pieces + 1], as a sum
 * without order: parts may be added in any order. The lengths are at least those of the columns
 * over all rows of the final sum. */
cafe_status cafe_processor_gram_even(cafe_context *context, const cafe_block *a,
                                     const cafe_block *b, const double *weights, double *gram);
cafe_status cafe_processor_gram_pieces(cafe_context *context, const cafe_block *a,
                                       const cafe_block *b, const double *weights, bool single,
                                       int64_t pieces, const int64_t *starts, const double *lengths,
                                       double *gram);
cafe_status cafe_processor_transform(cafe_context *context, cafe_block *x, int64_t k,
                                     const double *m, const int64_t *kept, const double *shift);
cafe_status cafe_processor_scale(cafe_context *context, cafe_block *x, const double *factors);
cafe_status cafe_processor_norms(cafe_context *context, const cafe_block *x, const double *factors,
                                 double *norms);
cafe_status cafe_processor_totals(cafe_context *context, const cafe_block *x, const double *weights,
                                  double *totals);

#endif
