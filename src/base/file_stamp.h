/* Size and time of a file: a reader compares them at the end to notice a change. */
#ifndef CAFE_BASE_FILE_STAMP_H
#define CAFE_BASE_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe/context.h>

typedef struct cafe_stamp {
    int64_t size, seconds, nanoseconds;
} cafe_stamp;

/* Reads the stamp of an open file; false: errno has the reason. */
bool cafe_stamp_take(int file, cafe_stamp *stamp);
/* Returns CAFE_ERROR_IO if the file has another stamp now. */
cafe_status cafe_stamp_check(cafe_context *context, const char *name, int file,
                             const cafe_stamp *stamp);

#endif
