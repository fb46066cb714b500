/* Chooses the instruction set at run time. */
#include <string.h>
#ifdef CAFE_X86
#include <cpuid.h>
#endif

#include "kernels/row_kernels.h"

extern const cafe_kernels cafe_kernels_plain;
#ifdef CAFE_X86
extern const cafe_kernels cafe_kernels_avx2, cafe_kernels_avx512;
#endif

#ifdef CAFE_X86
/* All known processors with AVX2 convert float16 too. */
static int converts(void) {
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

const cafe_kernels *cafe_kernels_named(const char *name) {
#ifdef CAFE_X86
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512dq")
                   ? &cafe_kernels_avx512
                   : NULL;
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && converts() ? &cafe_kernels_avx2 : NULL;
#endif
    return strcmp(name, "plain") == 0 ? &cafe_kernels_plain : NULL;
}

const cafe_kernels *cafe_kernels_best(void) {
    const cafe_kernels *best = cafe_kernels_named("avx512");
    if (!best) best = cafe_kernels_named("avx2");
    return best ? best : &cafe_kernels_plain;
}
