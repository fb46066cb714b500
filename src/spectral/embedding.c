/* Reading an embedding, and the memory a run will take. */
#include "spectral/embedding.h"

#include <cafe-private/output.h>
#include <cafe-private/run.h>

#include "base/memory.h"
#include "kernels/row_kernels.h"
#include "spectral/certificate.h"
#include "spectral/subspace_iteration.h"

void cafe_embedding_free(cafe_embedding *embedding) {
    if (!embedding) return;
    if (embedding->begun) cafe_output_discard(*embedding->begun);
    cafe_block_drop(embedding->context, &embedding->vectors);
    cafe_ritz_free(embedding->context, &embedding->ritz);
    cafe_mem_free_all(embedding->context, embedding->begun, embedding->shares, embedding->groups,
                      embedding->values, embedding->residuals, embedding);
}

cafe_status cafe_embedding_add(cafe_context *context, cafe_group group, cafe_embedding *embedding) {
    cafe_certificate *c = &embedding->certificate;
    CAFE_PASS(cafe_mem_grow(context, &embedding->groups, &embedding->room, c->group_count + 1,
                            sizeof *embedding->groups));
    group.first = c->columns;
    c->columns += group.columns;
    embedding->groups[c->group_count++] = group;
    c->groups = embedding->groups;
    return CAFE_OK;
}

const cafe_certificate *cafe_embedding_certificate(const cafe_embedding *embedding) {
    return &embedding->certificate;
}

int64_t cafe_embedding_stride(const cafe_embedding *embedding) {
    return embedding->vectors.stride;
}

const float *cafe_embedding_row(const cafe_embedding *embedding, int64_t u) {
    return cafe_block_row(&embedding->vectors, u);
}

cafe_status cafe_embedding_copy(const cafe_embedding *embedding, float *vectors) {
    const cafe_block *v = &embedding->vectors;
    cafe_part all = {0, v->n, 0, v->columns};
    return cafe_ops(v)->copy_out(embedding->context, v, all, vectors, v->columns);
}

/* Bytes of an n x columns block. */
static double block_bytes(int64_t nodes, int64_t columns) {
    return 4.0 * (double)nodes * (double)cafe_stride(columns);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Blocks at the peak of refining: H's block is gone, Y is widened, and the filter needs two. With
 * both ends the bottom's columns wait while the top is refined, the top's while the bottom is, and
 * at the end both are copied into one block. */
static double refine_bytes(int64_t nodes, int64_t solved, int64_t top, int64_t bottom) {
    double before = block_bytes(nodes, solved);
    double wide = block_bytes(nodes, cafe_refine_columns(nodes, top));
    if (bottom == 0) return wide + larger(wide, before);
    double waits = block_bytes(nodes, bottom), joint = block_bytes(nodes, top + bottom);
    double other = block_bytes(nodes, cafe_refine_columns(nodes, bottom));
    return larger(larger(waits + wide + larger(wide, before), wide + other + larger(other, waits)),
                  wide + other + joint);
}

/* Two n x K blocks (three for the raw form), or the peak of refining, whichever is larger. With the
 * columns of both ends still to choose, K is 3/2 of the final number. */
double cafe_embed_blocks(int64_t nodes, const cafe_sphere_options *sphere,
                         const cafe_finish_options *finish) {
    const int64_t asked = sphere->columns, half = (asked + 1) / 2;
    const bool largest = sphere->columns_from == CAFE_FROM_LARGEST;
    const bool both = sphere->columns_from == CAFE_FROM_BOTH;
    const int64_t solved = largest ? asked + half : asked;
    double blocks = (finish->form == CAFE_FORM_RAW ? 3 : 2) * block_bytes(nodes, solved);
    if (!(finish->residual > 0)) return blocks;
    return larger(blocks,
                  refine_bytes(nodes, solved, both ? half : asked, both || largest ? half : 0));
}

/* The certificate's: eight columns of doubles and their image; of a small block all of its columns.
 * Those of a refined one lie where the filter's blocks were. */
static double exact_bytes(int64_t nodes, const cafe_sphere_options *sphere,
                          const cafe_finish_options *finish) {
    cafe_block v = {.n = nodes, .columns = sphere->columns};
    double eight = 2.0 * 8 * 8 * (double)nodes;
    if (cafe_certificate_is_exact(&v)) return eight + 2.0 * 8 * (double)(v.n * v.columns);
    return finish->residual > 0 && sphere->columns < 32 ? eight : 0;
}

/* Reading holds the listed edges beside the rows made of them. Solving and finishing hold the rows
 * and two n x K blocks; refining and the raw form need a third block for a moment. A few numbers
 * per node come on top, most while the noise of the product is computed (two blocks of one column).
 */
int64_t cafe_embed_bytes(int64_t nodes, int64_t edges, int32_t weighted,
                         const cafe_sphere_options *sphere, const cafe_finish_options *finish,
                         int32_t threads) {
    const double link = weighted ? 12 : 8, base = 32e6;
    double arcs = 2.0 * (double)edges, n = (double)nodes;
    double graph = arcs * (weighted ? 8 : 4) + 8 * n;
    double blocks = cafe_embed_blocks(nodes, sphere, finish);
    double k = (double)sphere->columns, small = 64 * 8 * 4 * k * k;
    if (small > 64e6) small = larger(16 * 8 * 4 * k * k, 64e6);
    double pieces = 256.0 * 8 * 2 * k * threads + 16.0 * k * k * 8;
    blocks += exact_bytes(nodes, sphere, finish);
    double run = graph + 40 * n + blocks + small + pieces, read = graph + link * (double)edges;
    return (int64_t)(base + larger(run, read));
}
