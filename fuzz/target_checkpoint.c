/* Checkpoints: the head, and the rows behind it.
 *
 * The first byte says whether size and checksum of the head are made right first, so that the
 * checks behind them are reached; then comes the file.
 */
#include "fuzz.h"
#include "io/gzip.h"
#include "solve/checkpoint.h"

enum { LEAVE = 1, SIZE = 8, HEAD = 16, CHECKSUM = 48, FIRST = 56, MOST_ROWS = 1 << 16 };

static void seal(uint8_t *bytes, int64_t size) {
    int64_t head;
    uint64_t sum = 0;
    if (size < FIRST) return;
    memcpy(bytes + SIZE, &size, sizeof size);
    memcpy(&head, bytes + HEAD, sizeof head);
    if (head < FIRST || head > size) return;
    memcpy(bytes + CHECKSUM, &sum, sizeof sum);
    sum = cafe_crc64(0, bytes, head);
    memcpy(bytes + CHECKSUM, &sum, sizeof sum);
}

static cafe_status read_rows(cafe_context *context, const char *path, const cafe_kept_file *file) {
    cafe_status status = CAFE_OK;
    for (int64_t e = 0; e < file->ends && file->nodes < MOST_ROWS && status == CAFE_OK; e++) {
        cafe_block h = {0};
        int64_t columns = file->kept[e].sizes.columns;
        status = cafe_block_make(context, file->nodes, columns, &h);
        if (status == CAFE_OK) status = cafe_kept_rows(context, path, file, e, &h);
        cafe_block_drop(context, &h);
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context);
    cafe_kept_file file;
    cafe_run_difference difference;
    if (size < 1) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data + 1, size - 1);
    if (!(data[0] & LEAVE)) seal(copy, (int64_t)size - 1);
    const char *path = fuzz_file(copy, size - 1);
    cafe_status status = cafe_kept_read(context, path, &file);
    if (status == CAFE_OK) cafe_run_differs(file.text, "version 1\nmethod x\n", &difference);
    if (status == CAFE_OK) status = read_rows(context, path, &file);
    cafe_kept_close(context, &file);
    fuzz_check(status, bytes);
    free(copy);
    return 0;
}
