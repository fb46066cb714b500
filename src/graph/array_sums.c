/* The tallies of array_sums.h: made and freed. */
#include "graph/array_sums.h"

#include "base/memory.h"

cafe_tally *cafe_tallies_new(cafe_context *context, int32_t workers, int64_t keys) {
    cafe_tally *tallies = cafe_mem_zero(context, workers, sizeof *tallies);
    if (!tallies) return NULL;
    for (int32_t i = 0; i < workers; i++) {
        tallies[i].sum = cafe_mem_zero(context, keys, sizeof(double));
        tallies[i].keys = cafe_mem(context, keys + 1, sizeof(int32_t));
        if (tallies[i].sum && tallies[i].keys) continue;
        cafe_tallies_free(context, tallies, workers);
        return NULL;
    }
    return tallies;
}

void cafe_tallies_free(cafe_context *context, cafe_tally *tallies, int32_t workers) {
    if (!tallies) return;
    for (int32_t i = 0; i < workers; i++) {
        cafe_mem_free_all(context, tallies[i].sum, tallies[i].keys);
    }
    cafe_mem_free(context, tallies);
}
