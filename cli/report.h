/* --json: the library makes the report, the tool says where it goes. */
#ifndef CAFE_CLI_REPORT_H
#define CAFE_CLI_REPORT_H

#include "run.h"

/* Adds to a report what `job` found. */
typedef void cli_fill(cafe_report *report, const void *job);

/* Writes the report that `fill` makes to the file of --json; without it there is nothing to do. */
int cli_write_report(cli_run *run, const char *schema, cli_fill *fill, const void *job);

/* "seconds": the time since the beginning of the run. */
void cli_report_seconds(cafe_report *report, const cli_run *run);
/* The same as an object: of each phase, and in total. Then as a line for people. */
void cli_report_phases(cafe_report *report, const cli_run *run, int count, const char *const *names,
                       const double *seconds);
void cli_say_phases(cli_run *run, int count, const char *const *names, const double *seconds);
/* One line: a name and the first of the values, each by the format. */
enum { CLI_FIRST_COLUMNS = 6 };
void cli_say_row(const cli_run *run, const char *name, const char *format, const double *values,
                 int64_t count);

/* What another mean adds to a rank: 1 when it is larger, half when it is the same, but for the
 * rounding of sums in another order. */
double cli_before(double other, double own);

/* "peak_bytes" of the process and "allocated_bytes" of the library. */
void cli_report_memory(cafe_report *report, const cli_run *run);

#endif
