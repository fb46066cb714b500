/* The .npy format: the header, strictly read and written, and elements as numbers. */
#ifndef CAFE_IO_NPY_H
#define CAFE_IO_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
    char made[CAFE_VECTORS_MADE]; /* what the vectors were made with; empty: not known */
} cafe_npy;

/* Reads the header and checks that the data is exactly as long as it says. */
cafe_status cafe_npy_open(cafe_context *context, const char *name, const uint8_t *bytes,
                          int64_t size, cafe_npy *array);

enum { CAFE_NPY_HEADER = 192 };

/* The header of an array in C order of up to two dimensions, 64-byte aligned; returns its length.
 * type: as in NumPy, "<f4". digest (NULL: none) of the names beside it and made (empty: not known)
 * go into a comment behind the dictionary, which Python allows there and NumPy passes over. */
int cafe_npy_header(const char *type, int dimensions, const int64_t *shape, const uint64_t *digest,
                    const char *made, char header[CAFE_NPY_HEADER]);

/* Element i of a 'b', 'i' or 'u' array. An unsigned 64-bit number too large is INT64_MAX. */
int64_t cafe_npy_integer(const cafe_npy *array, int64_t i);

/* Element i of an array of numbers. */
double cafe_npy_real(const cafe_npy *array, int64_t i);

#endif
