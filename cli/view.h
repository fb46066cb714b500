/* cafe view: what its files share. */
#ifndef CAFE_CLI_VIEW_H
#define CAFE_CLI_VIEW_H

#include "run.h"

/* Lists of numbers out of a report of cafe embed; NULL when it has no such list. */
typedef struct view_report {
    double *objective, *ritz_values, *residuals, *column_values, *column_residuals;
    int64_t objectives, pairs, columns;
} view_report;

/* Reads the report; says what is wrong and returns an exit code. */
int view_report_read(cli_run *run, const char *path, view_report *report);
void view_report_free(view_report *report);

#endif
