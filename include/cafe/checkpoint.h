/* Checkpoints: a run that was killed goes on from its last whole sweep.
 *
 * The methods that sweep over rows of floats (sphere; cafe; softmax with dense rows) can leave
 * what they have reached in a file after every so many sweeps. Who makes the same call again, with
 * the same graph, options and seed, goes on from there: the bits that come out are those of a run
 * that was never stopped, for any number of threads and on any engine.
 */
#ifndef CAFE_CHECKPOINT_H
#define CAFE_CHECKPOINT_H

#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on runs of this context go on from the file, if it is there, and write it anew after
 * every `every`-th sweep (1 at least) and the last: in whole, beside the old one, which it then
 * replaces. path NULL: no more. A file that is no checkpoint or is damaged is refused here
 * (CAFE_ERROR_FORMAT), and so is a folder that nothing can be written to; one of another run is
 * refused by the run (CAFE_ERROR_ARGUMENT), which says what is different. A method that does not
 * sweep is refused too. */
CAFE_API cafe_status cafe_checkpoint_keep(cafe_context *context, const char *path, int64_t every);

typedef struct cafe_checkpoint_info {
    const char *path; /* NULL: none is kept; the text is the context's */
    int64_t every;    /* sweeps */
    int64_t sweeps;   /* that are in the file now; 0: there is none */
    int32_t ends;     /* of the spectrum in it: of 2, these are the sweeps of the second */
    int64_t resumed;  /* sweeps that a run went on after; 0: from the start */
    int64_t saved;    /* files written so far */
    int64_t bytes;    /* size of the last one */
} cafe_checkpoint_info;

/* What the context keeps. */
CAFE_API void cafe_checkpoint_get_sized(const cafe_context *context, cafe_checkpoint_info *info,
                                        size_t size);
static inline void cafe_checkpoint_get(const cafe_context *context, cafe_checkpoint_info *info) {
    cafe_checkpoint_get_sized(context, info, sizeof *info);
}

/* What the run was for is done: the file goes, together with the outputs that get their names
 * (cafe_outputs_begin()), or at once. Without one nothing happens. */
CAFE_API cafe_status cafe_checkpoint_remove(cafe_context *context);

#ifdef __cplusplus
}
#endif
#endif
