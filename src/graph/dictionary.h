/* Texts numbered by first appearance: classes of labels, names of new nodes. */
#ifndef CAFE_GRAPH_DICTIONARY_H
#define CAFE_GRAPH_DICTIONARY_H

#include <stdint.h>

#include "base/context.h"

typedef struct cafe_dictionary {
    cafe_context *context;
    char *text; /* each ended by 0 */
    int64_t *start;
    int64_t count, used, room, start_room;
    int32_t *table; /* numbers by hash; -1: free */
    int64_t slots;
} cafe_dictionary;

/* The number of a text, or -1. */
int64_t cafe_dictionary_find(const cafe_dictionary *d, const char *text, int64_t length);
/* The same, added when it is not there. */
cafe_status cafe_dictionary_add(cafe_dictionary *d, const char *text, int64_t length,
                                int64_t *number);
void cafe_dictionary_free(cafe_dictionary *d);

static inline const char *cafe_dictionary_text(const cafe_dictionary *d, int64_t number) {
    return d->text + d->start[number];
}

#endif
