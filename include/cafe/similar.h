/* Vectors most like a given one: an index of rows, searched exactly or through a graph of near
 * rows.
 */
#ifndef CAFE_SIMILAR_H
#define CAFE_SIMILAR_H

#include <cafe/lab_option.h>
#include <cafe/points.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_likeness {
    CAFE_LIKENESS_COSINE = 0,  /* the cosine of the angle, largest first; with a row of zeros: 0 */
    CAFE_LIKENESS_PRODUCT = 1, /* the inner product, largest first */
    CAFE_LIKENESS_DISTANCE = 2 /* the Euclidean distance, smallest first */
} cafe_likeness;

enum { CAFE_SIMILAR_EXACT = 50000 };

typedef struct cafe_similar_options {
    size_t struct_size;
    int32_t measure;     /* cafe_likeness */
    int32_t approximate; /* cafe_approximate; auto: above CAFE_SIMILAR_EXACT rows */
    int64_t links;       /* near rows that the index keeps of each, for the approximate search */
    int64_t effort;      /* rows that such a search holds at a time: more find more */
} cafe_similar_options;

CAFE_LAB_OPTIONS(similar)

typedef struct cafe_similar cafe_similar;

/* An index of n rows, row-major n x columns, which are copied. Making the approximate one takes
 * time (random projection trees, then NN-descent by the context's seed), each search then looks at
 * a few thousand rows. Inner products, and up to 64 rows, are searched exactly in any case. A value
 * that is not finite or beyond 1e15 in size is CAFE_ERROR_ARGUMENT. Options may be NULL. */
CAFE_API cafe_status cafe_similar_create(cafe_context *context, int64_t n, int64_t columns,
                                         const float *rows, const cafe_similar_options *options,
                                         cafe_similar **index);
CAFE_API void cafe_similar_free(cafe_similar *index); /* accepts NULL */
CAFE_API int32_t cafe_similar_is_exact(const cafe_similar *index);

/* Finds the best `count` rows for each of `queries` vectors (row-major queries x columns), equal
 * ones by number. If there are no more, node[queries * count] is -1 and score[queries * count] 0.
 * The search starts from row self[queries] and leaves it out; -1, or self NULL: none. The same bits
 * for any number of threads; the exact search looks at every row. */
CAFE_API cafe_status cafe_similar_search(cafe_context *context, const cafe_similar *index,
                                         int64_t queries, const float *vectors, const int32_t *self,
                                         int64_t count, int32_t *node, double *score);

#ifdef __cplusplus
}
#endif
#endif
