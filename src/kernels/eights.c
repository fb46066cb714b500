/* Blocks of eight columns, compiled once per instruction set (CAFE_ISA names it) from one body. */
#include "kernels/eights.h"

#include <stddef.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define INLINE      static inline __attribute__((always_inline))

/* Bytes of a register: compilers put vectors that are wider on the stack. */
#if defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

enum {
    EIGHT = CAFE_EIGHT,
    SEGMENT = CAFE_EIGHTS_SEGMENT,
    AHEAD = 32,                           /* rows that are asked for before their turn */
    LINE = 64,                            /* bytes that memory gives at a time */
    LANES = BYTES / sizeof(double),       /* of sums */
    SUMS = EIGHT * sizeof(double) / BYTES /* registers of a row of sums */
};
typedef double wide __attribute__((vector_size(BYTES), aligned(8), may_alias));

/* REGISTER of numbers as they are stored, PIECE: as many of them as a register of sums has.
 * AT_ONCE: rows whose sums are in registers together; PART: columns of A whose sums are. */
#define T          float
#define NAME(name) name##_single
typedef float register_single __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef float piece_single __attribute__((vector_size(BYTES / 2), aligned(4), may_alias));
enum { AT_ONCE_single = 4, PART_single = 8 };
#include "kernels/eights_body.h"
#undef T
#undef NAME
#define T          double
#define NAME(name) name##_double
typedef double register_double __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef double piece_double __attribute__((vector_size(BYTES), aligned(8), may_alias));
enum { AT_ONCE_double = 2, PART_double = 4 };
#include "kernels/eights_body.h"

extern const cafe_eights JOIN(cafe_eights_single_, CAFE_ISA), JOIN(cafe_eights_double_, CAFE_ISA);
const cafe_eights JOIN(cafe_eights_single_, CAFE_ISA) = {
    sizeof(float), cross_single, combine_single, gather_single, weigh_single};
const cafe_eights JOIN(cafe_eights_double_, CAFE_ISA) = {
    sizeof(double), cross_double, combine_double, gather_double, weigh_double};
