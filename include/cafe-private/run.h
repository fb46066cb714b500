/* What the commands take from a run besides its results. */
#ifndef CAFE_PRIVATE_RUN_H
#define CAFE_PRIVATE_RUN_H

#include <cafe-private/private.h>
#include <cafe/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The members that are options of the sampling; or of the method, its sampling and the finish. For
 * reports of calls that work with the run. */
CAFE_PRIVATE void cafe_run_report_sampling(const cafe_run *run, cafe_report *report);
CAFE_PRIVATE void cafe_run_report_options(const cafe_run *run, cafe_report *report);

/* Measures the disk of the files, if the plan has some, with a file of 64 MB: for the forecast. */
CAFE_PRIVATE cafe_status cafe_run_measure_disk(cafe_run *run);
/* The columns in the options of a method's table; 0: the method has none to choose. */
CAFE_PRIVATE int64_t cafe_method_columns(const cafe_option_table *table, const void *own);

/* The run takes the sampled graph of `from`, or of a run that `from` shares with, if that run has
 * the same method, graph and sampling. Otherwise it samples the graph itself. Runs that are shared
 * with outlive it. */
CAFE_PRIVATE cafe_status cafe_run_share(cafe_run *run, const cafe_run *from);

/* Rows of an embedding are so many floats apart. */
CAFE_PRIVATE int64_t cafe_embedding_stride(const cafe_embedding *embedding);

#ifdef __cplusplus
}
#endif
#endif
