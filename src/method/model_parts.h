/* The operator of a model, layer by layer. */
#ifndef CAFE_METHOD_MODEL_PARTS_H
#define CAFE_METHOD_MODEL_PARTS_H

#include "method/method.h"
#include "operator/operator.h"

/* A layer of Q = sum of weight_l Q_l / unit_l. */
typedef struct cafe_model_part {
    const char *name; /* the model's or the graph's memory */
    const cafe_operator *op;
    double weight, unit; /* the weight is negative for negative edges */
} cafe_model_part;

/* The layers of the model's operator; one for a plain graph. The caller frees the list. */
cafe_status cafe_model_parts(cafe_context *context, const cafe_model *model,
                             cafe_model_part **parts, int64_t *count);

/* model.c: the two parts of a signed graph. */
void cafe_model_signs(const cafe_model *model, cafe_model_part parts[2]);

#endif
