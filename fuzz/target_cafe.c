/* .cafe files. The checksums are made right first, where there is a header, so that the checks of
 * the structure behind them are reached; the last byte can ask to leave them as they are. */
#include "fuzz.h"

#include "io/binary.h"

static void seal(uint8_t *bytes, size_t size) {
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const uint8_t *parts[CAFE_BINARY_SECTIONS];
    uint64_t total;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    if (cafe_binary_layout(&header, sections, &total) && total == size) {
        for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) parts[i] = bytes + sections[i].start;
        header.file_bytes = total;
        cafe_binary_checksum(fuzz_context(), sections, parts, &header.body);
    }
    header.header = cafe_binary_header_checksum(&header);
    memcpy(bytes, &header, sizeof header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    if (size > 0 && data[size - 1] != 0xff) seal(bytes, size);
    fuzz_read("x.cafe", CAFE_FORMAT_CAFE, bytes, size);
    free(bytes);
    return 0;
}
