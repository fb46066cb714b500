/* Products of matrices, compiled once for each instruction set (CAFE_ISA) from one body.
 *
 * As in Goto and van de Geijn (ACM TOMS 34, 2008): a block of A and a panel of B are copied in the
 * order in which the innermost loop reads them. That loop keeps a tile of C in registers. Each
 * entry of C is in one lane of one register, so the shape of the tile changes no bits.
 */
#include "kernels/products.h"

#include <string.h>

#include "kernels/row_kernels.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
/* Builds with the thread sanitizer watch the copies of A and B, but not the innermost loops, which
 * would become about a hundred times slower. */
#define UNWATCHED __attribute__((no_sanitize("thread")))
#define INLINE    static inline __attribute__((always_inline)) UNWATCHED

/* Rows of a tile and bytes of a register. A tile has two registers a row; these, two of B, one of A
 * and one product fit into 16 registers. Processors that split 64-byte operations in two (Zen 4)
 * are faster with smaller registers. */
#if defined(__AVX__)
enum { TILE = 6, BYTES = 32 };
#else
enum { TILE = 4, BYTES = 16 };
#endif

enum {
    SEGMENT = CAFE_PRODUCT_SEGMENT,
    BLOCK = 36,  /* rows of a block of A: enough to repay the copy of B, few enough for a stack of
                    128 KB */
    AHEAD = 192, /* rows of A between a prefetch and its use, if rows are adjacent */
};

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#define T              double
#define V              vd
#define NAME(function) function##_double
typedef double vd __attribute__((vector_size(BYTES), aligned(8), may_alias));
#include "kernels/products_body.h"
#undef T
#undef V
#undef NAME
#define T              float
#define V              vs
#define NAME(function) function##_single
typedef float vs __attribute__((vector_size(BYTES), aligned(4), may_alias));
#include "kernels/products_body.h"

extern const cafe_products JOIN(cafe_products_, CAFE_ISA);
const cafe_products JOIN(cafe_products_, CAFE_ISA) = {product_double, product_single};
