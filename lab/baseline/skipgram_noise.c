/* Noise by degree^power: one alias table for each block of nodes.
 *
 * The tables are those of the rows of a graph that lists, for each block, its nodes with their
 * shares as weights.
 */
#include <math.h>

#include "base/memory.h"
#include "baseline/skipgram.h"

/* Nodes and shares of each block. A block without edges gets equal shares, which are never drawn
 * since its mass is 0. */
static void list_blocks(const cafe_graph *graph, double power, cafe_noise *noise, float *share) {
    int64_t at = 0;
    double total = 0;
    for (int64_t b = 0; b < noise->blocks; b++) {
        noise->offsets[b] = at;
        noise->mass[b] = 0;
        for (int64_t u = b; u < graph->n; u += noise->blocks, at++) {
            /* the unit is a power of two, so that the shares are the same in all of them */
            double degree = ldexp(cafe_row_sum(graph->offsets, graph->scaled, u), -graph->top);
            noise->nodes[at] = (int32_t)u;
            share[at] = degree > 0 ? (float)pow(degree, power) : 0;
            noise->mass[b] += share[at];
        }
        for (int64_t i = noise->offsets[b]; i < at && noise->mass[b] == 0; i++) share[i] = 1;
        total += noise->mass[b];
    }
    noise->offsets[noise->blocks] = at;
    for (int64_t b = 0; b < noise->blocks && total > 0; b++) noise->mass[b] /= total;
}

cafe_status cafe_noise_new(cafe_context *context, const cafe_graph *graph, int64_t blocks,
                           double power, cafe_noise *noise) {
    cafe_status status = CAFE_ERROR_MEMORY;
    *noise = (cafe_noise){.blocks = blocks};
    float *share = cafe_mem(context, graph->n, sizeof *share);
    noise->offsets = cafe_mem(context, blocks + 1, sizeof *noise->offsets);
    noise->nodes = cafe_mem(context, graph->n, sizeof *noise->nodes);
    noise->mass = cafe_mem(context, blocks, sizeof *noise->mass);
    if (share && noise->offsets && noise->nodes && noise->mass) {
        list_blocks(graph, power, noise, share);
        cafe_graph rows = {.n = blocks, .arcs = graph->n, .offsets = noise->offsets};
        rows.targets = noise->nodes;
        rows.scaled = share;
        status = cafe_alias_new(context, &rows, &noise->alias);
    }
    cafe_mem_free(context, share);
    return status; /* the caller frees the noise in any case */
}

void cafe_noise_free(cafe_context *context, cafe_noise *noise) {
    cafe_mem_free_all(context, noise->offsets, noise->nodes, noise->mass);
    cafe_alias_free(context, &noise->alias);
    *noise = (cafe_noise){0};
}

int32_t cafe_noise_draw(const cafe_noise *noise, cafe_draws *draws) {
    double place = cafe_draw_uniform(draws);
    int64_t block = 0, last = 0;
    for (; block < noise->blocks; block++) {
        if (noise->mass[block] > 0) last = block;
        if (place < noise->mass[block]) break;
        place -= noise->mass[block];
    }
    return cafe_noise_in(noise, last, draws);
}
