/* Files that appear whole or not at all.
 */
#ifndef CAFE_PRIVATE_OUTPUT_H
#define CAFE_PRIVATE_OUTPUT_H

#include <cafe-private/private.h>
#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file written under a temporary name; "-" is standard output. An existing file is
 * CAFE_ERROR_EXISTS unless `overwrite`; the new one then has its permissions, and a symbolic link
 * is followed. It ends with commit, which gives it its name, or discard. Temporary files of runs
 * that were killed are removed by the next output in their folder.
 */
typedef struct cafe_output cafe_output;

CAFE_PRIVATE cafe_status cafe_output_create(cafe_context *context, const char *path,
                                            int32_t overwrite, cafe_output **output);
CAFE_PRIVATE cafe_status cafe_output_write(cafe_output *output, const void *bytes, int64_t size);
/* Both free the output, and commit sets it NULL, whatever comes of it; discard accepts NULL. */
CAFE_PRIVATE cafe_status cafe_output_commit(cafe_output **output);
CAFE_PRIVATE void cafe_output_discard(cafe_output *output);

/* Files that belong together, by whatever calls on this context they are written. Between begin and
 * end, files that are complete keep their temporary names. The end gives all of them their names
 * or, with a status other than CAFE_OK, which it returns, none. A process that is killed among the
 * renames leaves an empty file .cafe-unfinished.NAME beside each, and readers refuse these files
 * until they are written again. Groups may be nested: the outermost counts. */
CAFE_PRIVATE cafe_status cafe_outputs_begin(cafe_context *context);
CAFE_PRIVATE cafe_status cafe_outputs_end(cafe_context *context, cafe_status status);

#ifdef __cplusplus
}
#endif
#endif
