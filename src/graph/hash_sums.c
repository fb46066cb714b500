/* The tables of hash_sums.h: made, freed, and opened for rows of any length. */
#include "graph/hash_sums.h"

#include <string.h>

#include "base/memory.h"

enum {
    LEAST_BITS = 9, /* 512 places are 8 KiB */
    ROOMY_KEYS =
        1 << 14, /* up to this number of keys a table has four places per key, above it two */
};

/* Returns the bits of a table for this number of keys: most keys stand at their first place. */
static int bits_for(int64_t most) {
    int64_t places = most <= ROOMY_KEYS ? 4 * most : 2 * most;
    return places <= 1 << LEAST_BITS ? LEAST_BITS : 64 - __builtin_clzll((uint64_t)places - 1);
}

static int64_t places_for(int64_t most, int64_t range) {
    int bits = bits_for(most);
    return bits > 31 || (int64_t)1 << bits >= range ? range : (int64_t)1 << bits;
}

cafe_bins *cafe_bins_new(cafe_context *context, int32_t workers, int64_t most, int64_t range) {
    cafe_bins *bins = cafe_mem_zero(context, workers, sizeof *bins);
    if (!bins) return NULL;
    if (most > range) most = range;
    for (int32_t i = 0; i < workers; i++) {
        bins[i].range = range;
        bins[i].bin = cafe_mem(context, places_for(most, range), sizeof *bins->bin);
        bins[i].met = cafe_mem(context, most + 1, sizeof *bins->met);
        if (bins[i].bin && bins[i].met) continue;
        cafe_bins_free(context, bins, workers);
        return NULL;
    }
    return bins;
}

void cafe_bins_free(cafe_context *context, cafe_bins *bins, int32_t workers) {
    if (!bins) return;
    for (int32_t i = 0; i < workers; i++) cafe_mem_free_all(context, bins[i].bin, bins[i].met);
    cafe_mem_free(context, bins);
}

/* Memory of a table that was never opened so large has never been touched, either. */
void cafe_bins_open(cafe_bins *bins, int64_t most) {
    if (most > bins->range) most = bins->range;
    int bits = bits_for(most);
    int64_t places = places_for(most, bins->range);
    bool hashed = places < bins->range;
    bins->factor = hashed ? 2654435769U : 1; /* 2^32 / golden ratio */
    bins->shift = hashed ? 32 - bits : 0;
    bins->count = 0;
    if (places <= bins->cleared) return;
    memset(bins->bin + bins->cleared, 0, (size_t)(places - bins->cleared) * sizeof *bins->bin);
    bins->cleared = places;
}
