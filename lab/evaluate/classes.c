/* Which classes occur in training, and which rows have one. A class that does not occur cannot be
 * learned and keeps the score 0. */
#include <cafe/evaluate.h>

#include "base/memory.h"

cafe_status cafe_classes_find(cafe_context *context, const cafe_classifier_data *data,
                              cafe_classes *present) {
    *present = (cafe_classes){0, cafe_mem(context, data->classes, sizeof *present->of),
                              cafe_mem(context, data->classes, sizeof *present->number)};
    if (!present->of || !present->number) {
        cafe_classes_free(context, present);
        return CAFE_ERROR_MEMORY;
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

void cafe_classes_free(cafe_context *context, cafe_classes *present) {
    cafe_mem_free_all(context, present->of, present->number);
    *present = (cafe_classes){0};
}

int64_t cafe_classes_mark(const cafe_classifier_data *data, int32_t class, uint8_t *mark) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->train; i++) {
        mark[i] = 0;
        for (int64_t j = data->offsets[i]; j < data->offsets[i + 1]; j++)
            if (data->value[j] == class) mark[i] = 1;
        count += mark[i];
    }
    return count;
}

void cafe_classes_fill(const cafe_classifier_data *data, int32_t class, double score,
                       double *scores) {
    for (int64_t i = 0; i < data->test; i++) scores[i * data->classes + class] = score;
}
