/* Sets of files that belong together: completed under temporary names, then renamed one after the
 * other. */
#ifndef CAFE_IO_OUTPUT_SET_H
#define CAFE_IO_OUTPUT_SET_H

#include "io/output_file.h"

/* Takes a complete and synced output (or a removal). It waits for the end of its group
 * (cafe_outputs_begin()), or is renamed at once. It is freed in any case. */
cafe_status cafe_outputs_add(cafe_context *context, cafe_output *output);

/* Removes temporary files of killed runs, before the first temporary file in a folder. */
cafe_status cafe_outputs_prepare(cafe_context *context, const char *folder);

#endif
