/* Several processes of the tool: agreement on inputs and failures, and how all of them end.
 */
#ifndef CAFE_PRIVATE_TEAM_H
#define CAFE_PRIVATE_TEAM_H

#include <cafe-private/private.h>
#include <cafe/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The worst status of all processes, with its text, in each of them; all of them have to call it.
 * With one process: `status`. */
CAFE_PRIVATE cafe_status cafe_engine_agree(cafe_context *context, cafe_status status);
/* An input of a run: what it is for ("--labels"), and its path here. */
typedef struct cafe_engine_file {
    const char *name, *path;
} cafe_engine_file;
/* Compares the lines of `text`, which says what a run was given, and the bytes of its files among
 * all processes; all of them have to call it. CAFE_ERROR_ARGUMENT, in each, where they differ: the
 * error text has the first difference from process 0. */
CAFE_PRIVATE cafe_status cafe_engine_same(cafe_context *context, const char *text, int64_t count,
                                          const cafe_engine_file *files);
/* 1 when the context's error is one that they agreed on: process 0 has it too. */
CAFE_PRIVATE int32_t cafe_engine_agreed(const cafe_context *context);
/* Of a process that fails alone: tells process 0 that this one will say why all of them end.
 * Returns 1 if that was heard within so many seconds. Process 0 waits then, and has not failed
 * itself. */
CAFE_PRIVATE int32_t cafe_engine_reach(cafe_context *context, double seconds);
/* 1 in process 0 once it has heard so. With `look` 0 it may be called in the handler of a signal.
 */
CAFE_PRIVATE int32_t cafe_engine_abandoned(const cafe_context *context, int32_t look);
/* Ends all of them with this exit code. Returns only if one process runs. */
CAFE_PRIVATE void cafe_engine_abandon(cafe_context *context, int32_t code);

/* ---- the list --------------------------------------------------------------------------------
 *
 * The engines that there are, and why some cannot be used. To load a library runs its code: the
 * list only names the files, unless `probe` is not 0; then each is loaded and opened. */
typedef struct cafe_engine_info {
    const char *name;
    const char *summary; /* one line; "" where the library was not loaded */
    const char *version; /* of the engine; "" likewise */
    const char *path;    /* of the library; "" for the processor */
    const char *problem; /* why it cannot be used; NULL: it can */
} cafe_engine_info;

typedef struct cafe_engine_list cafe_engine_list;

CAFE_PRIVATE cafe_status cafe_engine_list_make(cafe_context *context, int32_t probe,
                                               cafe_engine_list **list);
CAFE_PRIVATE int64_t cafe_engine_list_count(const cafe_engine_list *list);
CAFE_PRIVATE const cafe_engine_info *cafe_engine_list_get(const cafe_engine_list *list, int64_t i);
CAFE_PRIVATE void cafe_engine_list_free(cafe_engine_list *list);

#ifdef __cplusplus
}
#endif
#endif
