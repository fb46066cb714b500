/* Files that belong together: completed under temporary names, then named one after the other. */
#ifndef CAFE_IO_OUTPUT_SET_H
#define CAFE_IO_OUTPUT_SET_H

#include "io/output_file.h"

/* Takes a complete and synced output (or a removal): it waits for the end of what
 * cafe_outputs_begin() began, or is named at once. It is freed in any case. */
cafe_status cafe_outputs_add(cafe_context *context, cafe_output *output);

/* Before the first temporary file in a folder: removes those of dead runs. */
cafe_status cafe_outputs_prepare(cafe_context *context, const char *folder);

#endif
