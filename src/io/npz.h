/* Members of a file of scipy.sparse.save_npz, for the readers of graphs and of features. */
#ifndef CAFE_IO_NPZ_H
#define CAFE_IO_NPZ_H

#include "io/npy.h"
#include "io/zip.h"

enum {
    CAFE_NPZ_FORMAT,
    CAFE_NPZ_SHAPE,
    CAFE_NPZ_FIRST,
    CAFE_NPZ_SECOND,
    CAFE_NPZ_DATA,
    CAFE_NPZ_MEMBERS
};

typedef struct cafe_npz {
    cafe_context *context;
    const char *name;
    cafe_zip zip;                       /* opened and unpacked by the caller */
    char labels[CAFE_NPZ_MEMBERS][512]; /* "file: member" for the errors of each array */
} cafe_npz;

/* A list of integers, of `count` elements unless count is negative; and one of real numbers. */
cafe_status cafe_npz_integers(cafe_npz *z, int slot, const char *name, int64_t count,
                              cafe_npy *array);
cafe_status cafe_npz_reals(cafe_npz *z, int64_t count, cafe_npy *array);
/* "csr", "csc" or "coo"; other formats are refused. */
cafe_status cafe_npz_format(cafe_npz *z, char format[4]);

#endif
