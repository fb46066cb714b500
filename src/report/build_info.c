/* What the library is made of: versions of what is compiled in or linked, for reports of faults. */
#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <isa-l.h>
#ifdef CAFE_EXPAT
#include <expat.h>
#endif
#ifdef CAFE_LZMA
#include <lzma.h>
#endif
#ifdef CAFE_ZSTD
#include <zstd.h>
#endif

#include <cafe/context.h>

#include "base/print.h"
#include "engine/lapack.h"
#include "kernels/row_kernels.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

#define ABSENT "not built in"

static const char *expat_version(void) {
#ifdef CAFE_EXPAT
    return XML_ExpatVersion();
#else
    return ABSENT;
#endif
}

static const char *zstd_version(void) {
#ifdef CAFE_ZSTD
    return ZSTD_versionString();
#else
    return ABSENT;
#endif
}

static const char *lzma_version(void) {
#ifdef CAFE_LZMA
    return lzma_version_string();
#else
    return ABSENT;
#endif
}

size_t cafe_build_line(int32_t i, char *text, size_t capacity) {
    int32_t major = 0, minor = 0, patch = 0;
    int length = 0;
    cafe_lapack_ilaver(&major, &minor, &patch);
    switch (i) {
        case 0:
            length = cafe_print(text, capacity, "library\t%s, interface %d", cafe_version(),
                                (int)cafe_abi_version());
            break;
        case 1: length = cafe_print(text, capacity, "build\t" CAFE_BUILD); break;
        case 2: length = cafe_print(text, capacity, "compiler\t" COMPILER); break;
        case 3:
            length = cafe_print(text, capacity, "kernels\t%s", cafe_kernels_best()->name);
            break;
        case 4:
            length = cafe_print(text, capacity, "C library\tglibc %s", gnu_get_libc_version());
            break;
        case 5:
            length = cafe_print(text, capacity, "ISA-L\t%d.%d.%d", ISAL_MAJOR_VERSION,
                                ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
            break;
        case 6: length = cafe_print(text, capacity, "expat\t%s", expat_version()); break;
        case 7: length = cafe_print(text, capacity, "zstd\t%s", zstd_version()); break;
        case 8: length = cafe_print(text, capacity, "xz\t%s", lzma_version()); break;
        case 9:
            length = cafe_print(text, capacity, "LAPACK\t%d.%d.%d, reference", major, minor, patch);
            break;
        default: break;
    }
    return length > 0 ? (size_t)length : 0;
}
