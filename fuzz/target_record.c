/* Reports that are read again. */
#include <cafe-private/members.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    cafe_record *record = NULL;
    int64_t bytes = cafe_bytes(context), count = 0;
    cafe_status status = cafe_record_read(context, fuzz_file(data, size), &record);
    if (record && !cafe_record_objective(record, &count)) abort();
    cafe_record_free(record);
    fuzz_check(status, bytes);
    return 0;
}
