/* The embedding's inside: vectors and what is proved about them. */
#ifndef CAFE_SPECTRAL_EMBEDDING_H
#define CAFE_SPECTRAL_EMBEDDING_H

#include <cafe/embedding.h>

#include "spectral/ritz.h"

struct cafe_embedding {
    cafe_context *context;
    cafe_block vectors; /* on the processor, whatever the context's engine */
    cafe_ritz ritz;
    double *shares;
    cafe_certificate certificate;
};

#endif
