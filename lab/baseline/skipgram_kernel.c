/* The loops of skip-gram training, compiled for each instruction set from skipgram_body.h.
 *
 * They differ from kernels/row_kernels.h in that everything is float, as in the programs they
 * follow: a step of gradient descent is noise far above the last bit.
 */
#include "baseline/skipgram_kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

enum { WIDTH = 16 }; /* lanes of a sum */

#define TARGET
#define V              v4
#define WORD           "plain"
#define NAME(function) plain_##function
#include "baseline/skipgram_body.h"

#if defined __x86_64__
#define TARGET         __attribute__((target("avx2")))
#define V              v8
#define WORD           "avx2"
#define NAME(function) avx2_##function
#include "baseline/skipgram_body.h"
#define TARGET         __attribute__((target("avx512f,avx512vl")))
#define V              v16
#define WORD           "avx512"
#define NAME(function) avx512_##function
#include "baseline/skipgram_body.h"
#endif

/* Threads that race read rows half changed: harmless for the method (Niu et al.: Hogwild!, NIPS
 * 2011), asked for by name, and not what the thread sanitizer is to report. Its builds leave these
 * loops, and no others, uninstrumented, so that a race in the reproducible scheme is still found.
 */
#if defined __SANITIZE_THREAD__
#define RACING
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define RACING
#endif
#endif
#if defined RACING
#define TARGET         __attribute__((no_sanitize("thread")))
#define V              v4
#define WORD           "racing"
#define NAME(function) racing_##function
#include "baseline/skipgram_body.h"
#endif

const cafe_skip_kernels *cafe_skip_kernels_named(const char *name) {
    if (strcmp(name, "plain") == 0) return &plain_kernels;
#if defined __x86_64__
    if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return &avx2_kernels;
    if (strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl"))
        return &avx512_kernels;
#endif
    return NULL;
}

const cafe_skip_kernels *cafe_skip_kernels_best(void) {
    const cafe_skip_kernels *best = cafe_skip_kernels_named("avx512");
    if (!best) best = cafe_skip_kernels_named("avx2");
    return best ? best : &plain_kernels;
}

const cafe_skip_kernels *cafe_skip_kernels_racing(void) {
#if defined RACING
    return &racing_kernels;
#else
    return cafe_skip_kernels_best();
#endif
}

void cafe_sigma_init(cafe_sigma *sigma) {
    const int last = 2 * CAFE_SIGMA_REACH * CAFE_SIGMA_STEPS;
    for (int i = 0; i <= last; i++) {
        double x = (double)i / CAFE_SIGMA_STEPS - CAFE_SIGMA_REACH;
        sigma->value[i] = (float)(1 / (1 + exp(-x)));
    }
    sigma->value[last + 1] = sigma->value[last];
}
