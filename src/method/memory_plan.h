/* What plans of a run are made from. */
#ifndef CAFE_METHOD_MEMORY_PLAN_H
#define CAFE_METHOD_MEMORY_PLAN_H

#include <stddef.h>

#include "method/method.h"

/* What a forecast is of: the first method if there is none, its defaults where it has none. */
typedef struct cafe_planned {
    const cafe_method *method;
    cafe_method_options options;
    max_align_t own[32]; /* room for the options of any method */
} cafe_planned;

void cafe_planned_take(const cafe_method *method, const cafe_method_options *options,
                       cafe_planned *planned);

/* The table of a method's options: for vectors, or where it has none, for communities. */
const cafe_option_table *cafe_plan_table(const cafe_method *method);

/* An option by its name; 0: the table has none of it. */
double cafe_plan_number(const cafe_option_table *table, const char *name, const void *own);

/* The columns of the blocks and the finish; returns the bytes that the hub part takes besides. */
double cafe_plan_size(const cafe_method *method, const cafe_method_options *options,
                      const cafe_graph_counts *counts, cafe_sphere_options *size,
                      cafe_finish_options *finish);

/* Bytes the whole run (graph, sampling, solver, finish) will hold at its peak, from sizes alone;
 * options->own as settled; NULL: the defaults. */
int64_t cafe_method_bytes(const cafe_method *method, const cafe_method_options *options,
                          const cafe_graph_counts *counts, int32_t threads);

#endif
