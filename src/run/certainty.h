/* What trials leave in a run. */
#ifndef CAFE_RUN_CERTAINTY_H
#define CAFE_RUN_CERTAINTY_H

#include <cafe/run.h>

#include "explain/consensus.h"

typedef struct run_trials {
    int64_t count; /* trials done; 0: none were asked for */
    int32_t **part;
    int64_t *communities;
    double *modularity, *random;
    int32_t *counterpart, *consensus, *pair;
    float *stay, *community_stay, *merged;
    cafe_run_trials report;
} run_trials;

#endif
