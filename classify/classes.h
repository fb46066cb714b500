/* The classes that training rows have, numbered without gaps. */
#ifndef CAFE_CLASSIFY_CLASSES_H
#define CAFE_CLASSIFY_CLASSES_H

#include <cafe/evaluate.h>

typedef struct classes {
    int64_t count;
    int32_t *of;     /* their numbers in the task, ascending */
    int32_t *number; /* of each class of the task: its place in `of`, or -1 */
} classes;

/* CAFE_ERROR_MEMORY leaves nothing to free. */
cafe_status classes_find(cafe_context *context, const cafe_classifier_data *data, classes *present);
void classes_free(classes *present);

/* mark[train] = 1 for the rows that have the class, 0 for the others; returns how many have. */
int64_t classes_mark(const cafe_classifier_data *data, int32_t class, uint8_t *mark);

/* Sets one class's score in every test row. */
void classes_fill(const cafe_classifier_data *data, int32_t class, double score, double *scores);

#endif
