/* Columns of texts of the Python package: names of nodes as numbers, for the ends of edges.
 */
#ifndef CAFE_PRIVATE_TEXTS_H
#define CAFE_PRIVATE_TEXTS_H

#include <cafe-private/private.h>
#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count` texts in `bytes`, one behind the other. With offsets[count + 1], text i begins at
 * offsets[i] and ends before offsets[i + 1]. Without them all have `width` bytes; width 0: a byte 0
 * stands between two texts, and none within one. */
typedef struct cafe_texts {
    int64_t count;
    int64_t size; /* of `bytes` */
    const char *bytes;
    const int64_t *offsets;
    int64_t width;
} cafe_texts;

/* Numbers the texts of two columns of one length by their first appearance, line by line.
 * left_numbers[i] and right_numbers[i] <- the number of the text. first[k] <- 2i or 2i + 1: text k
 * appears first in line i, left or right; `first` has room for all texts of both. *different <- how
 * many there are. Texts that do not fit their bytes are CAFE_ERROR_ARGUMENT. */
CAFE_PRIVATE cafe_status cafe_texts_number(cafe_context *context, const cafe_texts *left,
                                           const cafe_texts *right, int32_t *left_numbers,
                                           int32_t *right_numbers, int64_t *first,
                                           int64_t *different);

#ifdef __cplusplus
}
#endif
#endif
