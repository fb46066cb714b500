/* Which classes occur in training, and which rows have one. A class that does not occur cannot be
 * learned and keeps the score 0. */
#include "classes.h"

#include <stdlib.h>

cafe_status classes_find(cafe_context *context, const cafe_classifier_data *data,
                         classes *present) {
    size_t room = (size_t)(data->classes > 0 ? data->classes : 1);
    *present = (classes){0, malloc(room * sizeof(int32_t)), malloc(room * sizeof(int32_t))};
    if (!present->of || !present->number) {
        classes_free(present);
        return cafe_evaluate_fail(context, CAFE_ERROR_MEMORY, "out of memory: classes");
    }
    for (int64_t c = 0; c < data->classes; c++) present->number[c] = -1;
    for (int64_t j = 0; j < data->offsets[data->train]; j++) present->number[data->value[j]] = 0;
    for (int32_t c = 0; c < data->classes; c++) {
        if (present->number[c] < 0) continue;
        present->number[c] = (int32_t)present->count;
        present->of[present->count++] = c;
    }
    return CAFE_OK;
}

void classes_free(classes *present) {
    free(present->of);
    free(present->number);
    *present = (classes){0, NULL, NULL};
}

int64_t classes_mark(const cafe_classifier_data *data, int32_t class, uint8_t *mark) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->train; i++) {
        mark[i] = 0;
        for (int64_t j = data->offsets[i]; j < data->offsets[i + 1]; j++)
            if (data->value[j] == class) mark[i] = 1;
        count += mark[i];
    }
    return count;
}

void classes_fill(const cafe_classifier_data *data, int32_t class, double score, double *scores) {
    for (int64_t i = 0; i < data->test; i++) scores[i * data->classes + class] = score;
}
