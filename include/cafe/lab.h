/* libcafe-lab: methods that others published, evaluation, the paper's experiments, random graphs,
 * centralities, recommendation, maps, pages and pictures. Programs that use it link -lcafe-lab and
 * -lcafe; cafe.h has the headers of libcafe.
 */
#ifndef CAFE_LAB_H
#define CAFE_LAB_H

#include <cafe/cafe.h>
#include <cafe/evaluate.h>
#include <cafe/generate.h>
#include <cafe/lab_option.h>
#include <cafe/map.h>
#include <cafe/overview.h>
#include <cafe/paper.h>
#include <cafe/plot.h>
#include <cafe/points.h>
#include <cafe/predict.h>
#include <cafe/rank.h>
#include <cafe/recommend.h>
#include <cafe/similar.h>
#include <cafe/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All methods: those of libcafe, then those of this library. */
CAFE_API const cafe_method *const *cafe_lab_methods(size_t *count);
/* From here on the context knows them by their names. Called once, when the context is new. */
CAFE_API void cafe_lab_add(cafe_context *context);

#ifdef __cplusplus
}
#endif
#endif
