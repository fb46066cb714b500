/* How long the search for communities takes: the option `effort`. */
#ifndef CAFE_SOLVE_LAYERS_EFFORT_H
#define CAFE_SOLVE_LAYERS_EFFORT_H

#include "solve/layers_search.h"

typedef enum cafe_effort {
    CAFE_EFFORT_FAST,   /* one round */
    CAFE_EFFORT_NORMAL, /* one search */
    CAFE_EFFORT_HIGH,   /* results of several searches are combined */
    CAFE_EFFORT_SECONDS /* the same until the time is over */
} cafe_effort;

/* Reads the option's text (NULL: normal), which is valid; *seconds: for CAFE_EFFORT_SECONDS. */
cafe_effort cafe_effort_take(const char *text, double *seconds);

/* Runs searches and combines their results; the best is the one of `s` afterwards. s is as for
 * cafe_search_run(). seconds: 0 ends when nothing is gained. */
cafe_status cafe_search_combine(cafe_context *context, cafe_search *s, double seconds);

#endif
