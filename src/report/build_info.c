/* What the library is made of: versions of what is compiled in or linked, for reports of faults. */
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
#include "io/flate.h"
#include "kernels/row_kernels.h"
#include "os/os.h"

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
    char name[64];
    int length = 0;
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
            length =
                cafe_print(text, capacity, "C library\t%s", cafe_os_c_library(name, sizeof name));
            break;
        case 5: length = cafe_print(text, capacity, "gzip\t" CAFE_FLATE_VERSION); break;
        case 6: length = cafe_print(text, capacity, "expat\t%s", expat_version()); break;
        case 7: length = cafe_print(text, capacity, "zstd\t%s", zstd_version()); break;
        case 8: length = cafe_print(text, capacity, "xz\t%s", lzma_version()); break;
        default: break;
    }
    return length > 0 ? (size_t)length : 0;
}
