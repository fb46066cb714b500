/* Reports that are read again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    cafe_record *record = NULL;
    int64_t bytes = cafe_bytes(context), count = 0;
    char path[64];
    int file = memfd_create("record", 0); /* the reader takes a path */
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    cafe_status status = cafe_record_read(context, path, &record);
    if (record && !cafe_record_objective(record, &count)) abort();
    cafe_record_free(record);
    close(file);
    fuzz_check(status, bytes);
    return 0;
}
