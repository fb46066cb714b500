/* The embedding's inside: vectors and what is proved about them. */
#ifndef CAFE_SPECTRAL_EMBEDDING_H
#define CAFE_SPECTRAL_EMBEDDING_H

#include <cafe-private/output.h>
#include <cafe/embedding.h>
#include <cafe/files.h>

#include "spectral/ritz.h"

struct cafe_embedding {
    cafe_context *context;
    cafe_block vectors; /* on the processor, or on an engine that joins several processes */
    cafe_ritz ritz;
    double *shares;
    cafe_certificate certificate;
    cafe_group *groups;         /* of the certificate */
    int64_t room;               /* for so many of them */
    double *values, *residuals; /* of the columns behind the certified ones; NULL: there are none */
    char made[CAFE_VECTORS_MADE]; /* for the file (cafe/files.h) */
    cafe_output **begun; /* the file that the vectors are on their way to, until it is taken; NULL:
                            there is none */
    const cafe_graph *begun_for; /* of which they are */
};

/* Where the vectors are to go, and of how many columns at least. */
typedef struct cafe_destination {
    const cafe_graph *graph;
    const char *path;
    int32_t overwrite;
    int64_t width;
    char made[CAFE_VECTORS_MADE]; /* what the file says they were made with */
} cafe_destination;

/* cafe_finish() for vectors that are written next: where they are final long before they are
 * certified, that is begun in between. NULL: nobody knows where they go. */
cafe_status cafe_finish_to(cafe_context *context, const cafe_operator *op, cafe_solution **solution,
                           const cafe_finish_options *options, const cafe_destination *to,
                           cafe_embedding **embedding);

/* One more group, behind the others: its first column and the certificate's count are set. */
cafe_status cafe_embedding_add(cafe_context *context, cafe_group group, cafe_embedding *embedding);

/* Begins to write v, which does not change any more and becomes the embedding's. */
cafe_status cafe_embedding_begin(cafe_context *context, const cafe_block *v,
                                 const cafe_destination *to, cafe_embedding *embedding);

/* Bytes of the n x K blocks of a run at its peak. */
double cafe_embed_blocks(int64_t nodes, const cafe_sphere_options *sphere,
                         const cafe_finish_options *finish);

/* Bytes that a run with these columns (graph, solver, finish) holds at its peak. */
int64_t cafe_embed_bytes(int64_t nodes, int64_t edges, int32_t weighted,
                         const cafe_sphere_options *sphere, const cafe_finish_options *finish,
                         int32_t threads);

#endif
