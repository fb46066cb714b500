/* How the numbers of H are stored while a solver sweeps (docs/algorithms/storage.md). */
#ifndef CAFE_STORAGE_H
#define CAFE_STORAGE_H

typedef enum cafe_storage {
    CAFE_STORAGE_FLOAT32 = 0,
    CAFE_STORAGE_FLOAT16 = 1, /* 11 bits, down to 6e-8 */
    CAFE_STORAGE_BFLOAT16 = 2 /* 8 bits, down to 1e-38 as float32 */
} cafe_storage;

#endif
