/* The result of a run of the eigensolver: orthonormal vectors with fixed signs, and their
 * residuals. */
#ifndef CAFE_SPECTRAL_EIGEN_RESULT_H
#define CAFE_SPECTRAL_EIGEN_RESULT_H

#include "spectral/eigen.h"

/* All of them work on the rows that this process has. V orthonormal in double precision, where it
 * was so in single precision. */
cafe_status cafe_outcome_settle(cafe_context *context, const cafe_owned *rows, cafe_eigen *found);

/* The sign of an eigenvector is free: its entry largest in size is made positive. */
cafe_status cafe_outcome_orient(cafe_context *context, const cafe_owned *rows, cafe_eigen *found);

/* Residuals by products; `refresh` also gets the values from them, v^T M v. */
cafe_status cafe_outcome_measure(cafe_context *context, const cafe_eigen_problem *problem,
                                 const cafe_owned *rows, bool refresh, cafe_eigen *found);

/* Bytes that settling, orienting and measuring take besides the result. */
int64_t cafe_outcome_bytes(int64_t n, int64_t count, int64_t threads);

#endif
