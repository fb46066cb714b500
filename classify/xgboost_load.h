/* The part of XGBoost's C interface that is used, as pointers. */
#ifndef CAFE_CLASSIFY_XGBOOST_LOAD_H
#define CAFE_CLASSIFY_XGBOOST_LOAD_H

#include <stdint.h>

/* name, result type, arguments: as in xgboost/c_api.h of 1.6 and later */
#define XGBOOST_FUNCTIONS(X)                                                                   \
    X(XGBGetLastError, const char *, (void))                                                   \
    X(XGDMatrixCreateFromDense, int, (const char *data, const char *config, void **matrix))    \
    X(XGDMatrixSetFloatInfo, int,                                                              \
      (void *matrix, const char *field, const float *values, uint64_t count))                  \
    X(XGDMatrixFree, int, (void *matrix))                                                      \
    X(XGBoosterCreate, int, (void *const matrices[], uint64_t count, void **booster))          \
    X(XGBoosterFree, int, (void *booster))                                                     \
    X(XGBoosterSetParam, int, (void *booster, const char *name, const char *value))            \
    X(XGBoosterUpdateOneIter, int, (void *booster, int iteration, void *matrix))               \
    X(XGBoosterPredictFromDMatrix, int,                                                        \
      (void *booster, void *matrix, const char *config, const uint64_t **shape, uint64_t *dim, \
       const float **result))

typedef struct xgboost {
#define XGBOOST_MEMBER(name, type, arguments) type(*name) arguments;
    XGBOOST_FUNCTIONS(XGBOOST_MEMBER)
#undef XGBOOST_MEMBER
} xgboost;

/* NULL when the library, or one of its functions, is not there. */
const xgboost *xgboost_load(void);
/* Why not. */
const char *xgboost_trouble(void);

#endif
