/* The memory limit: how long it takes to read so many random rows, and nothing else. */
#ifndef CAFE_BENCH_GATHER_H
#define CAFE_BENCH_GATHER_H

#include "base/context.h"

double bench_seconds(void);

/* Seconds to read `rows` rows of `columns` floats at uniformly random places of an n x columns
 * block on huge pages. All threads of the context work, with the best of several prefetch
 * distances; the least of `repeats` tries counts. Negative when memory is out. */
double bench_gather(cafe_context *context, int64_t n, int64_t columns, int64_t rows, int repeats);

/* The same as seconds of all processors and of the clock, each the least there was. */
typedef struct bench_time {
    double cpu, seconds;
} bench_time;
bench_time bench_now(void);
bench_time bench_since(bench_time begin);
bench_time bench_gather_time(cafe_context *context, int64_t n, int64_t columns, int64_t rows,
                             int repeats);

#endif
