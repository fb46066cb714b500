/* The list of methods: one line each, and a wrapper that gives the options their type again.
 *
 * A function that takes `const cafe_gf_options *` may not be called through a pointer to one that
 * takes `const void *`, so every method has a wrapper of its own.
 */
#include <cafe/baseline.h>

#include <string.h>

/* In the order of the paper's tables; spectral, which is exact, comes last. */
#define METHODS(X) X(gf) X(deepwalk) X(node2vec) X(line) X(hope) X(grarep) X(sdne) X(spectral)

#define SOLVE(method)                                                                  \
    static cafe_status solve_##method(cafe_context *context, const cafe_graph *graph,  \
                                      const void *options, cafe_solution **solution) { \
        const cafe_##method##_options *typed = options;                                \
        return cafe_##method(context, graph, typed, solution);                         \
    }
METHODS(SOLVE)

#define ENTRY(method) {#method, cafe_##method##_option_table, solve_##method},
static const cafe_baseline baselines[] = {METHODS(ENTRY)};

const cafe_baseline *cafe_baselines(size_t *count) {
    *count = sizeof baselines / sizeof *baselines;
    return baselines;
}

const cafe_baseline *cafe_baseline_find(const char *name) {
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++)
        if (strcmp(baselines[i].name, name) == 0) return &baselines[i];
    return NULL;
}
