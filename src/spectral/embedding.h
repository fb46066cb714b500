/* The embedding's inside: vectors and what is proved about them. */
#ifndef CAFE_SPECTRAL_EMBEDDING_H
#define CAFE_SPECTRAL_EMBEDDING_H

#include <cafe/embedding.h>

#include "spectral/ritz.h"

struct cafe_embedding {
    cafe_context *context;
    cafe_block vectors; /* on the processor, or on an engine that joins several processes */
    cafe_ritz ritz;
    double *shares;
    double *hub_values, *hub_residuals; /* NULL: there is no hub part */
    cafe_certificate certificate;
};

/* Bytes of the n x K blocks of a run at its peak. */
double cafe_embed_blocks(int64_t nodes, const cafe_sphere_options *sphere,
                         const cafe_finish_options *finish);

/* Bytes that a run with these columns (graph, solver, finish) holds at its peak. */
int64_t cafe_embed_bytes(int64_t nodes, int64_t edges, int32_t weighted,
                         const cafe_sphere_options *sphere, const cafe_finish_options *finish,
                         int32_t threads);

#endif
