/* The .npy format: the header, strictly read and written, and elements as numbers. */
#ifndef CAFE_IO_NPY_H
#define CAFE_IO_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe/files.h>

#include "base/context.h"

typedef struct cafe_npy {
    const char *name;    /* for errors: "file" or "file: member" */
    const uint8_t *data; /* the first element, at any alignment */
    char kind;           /* 'b', 'i', 'u', 'f', 'S' or 'U', as in NumPy */
    int64_t size;        /* bytes of an element */
    bool fortran;
    int dimensions; /* 0, 1 or 2 */
    int64_t shape[2];
    int64_t count;                /* elements */
    bool named;                   /* written together with a file of names: */
    uint64_t digest;              /* crc64 of it */
    char made[CAFE_VECTORS_MADE]; /* how the vectors were made; empty: unknown */
} cafe_npy;

/* Reads the header and checks that the length of the data is exactly the stated one. */
cafe_status cafe_npy_open(cafe_context *context, const char *name, const uint8_t *bytes,
                          int64_t size, cafe_npy *array);

enum { CAFE_NPY_HEADER = 192 };

/* Writes the header of an array in C order of up to two dimensions, 64-byte aligned; returns its
 * length. type: as in NumPy, "<f4". The digest of the names (NULL: none) and `made` (empty:
 * unknown) go into a comment after the dictionary, which NumPy ignores. */
int cafe_npy_header(const char *type, int dimensions, const int64_t *shape, const uint64_t *digest,
                    const char *made, char header[CAFE_NPY_HEADER]);

/* Element i of a 'b', 'i' or 'u' array. An unsigned 64-bit number too large is INT64_MAX. */
int64_t cafe_npy_integer(const cafe_npy *array, int64_t i);

/* Element i of an array of numbers. */
double cafe_npy_real(const cafe_npy *array, int64_t i);

#endif
