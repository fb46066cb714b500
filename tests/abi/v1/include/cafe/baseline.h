/* The methods that others published, behind one interface: every one takes a graph and options of
 * its own table and leaves a cafe_solution, whose history is the method's own loss. cafe_finish()
 * in the raw form makes an embedding of it, certified for Q like any other.
 */
#ifndef CAFE_BASELINE_H
#define CAFE_BASELINE_H

#include <cafe/embedding.h>
#include <cafe/factorise.h>
#include <cafe/sdne.h>
#include <cafe/skipgram.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_baseline {
    const char *name; /* as after --method */
    const cafe_option_table *(*table)(void);
    /* options: the struct of the table; NULL: defaults */
    cafe_status (*solve)(cafe_context *context, const cafe_graph *graph, const void *options,
                         cafe_solution **solution);
} cafe_baseline;

/* All of them, `count` entries; and one by its name, or NULL. */
CAFE_API const cafe_baseline *cafe_baselines(size_t *count);
CAFE_API const cafe_baseline *cafe_baseline_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
