/* The hash of a text: of every table of names. */
#ifndef CAFE_GRAPH_TEXT_HASH_H
#define CAFE_GRAPH_TEXT_HASH_H

#include <stdint.h>
#include <string.h>

/* 63 bits, each of which depends on the whole text: eight bytes a step. */
static inline uint64_t cafe_hash_text(const char *text, int64_t length) {
    uint64_t h = (uint64_t)length * 0x9E3779B97F4A7C15u, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        h = (h ^ word) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, (size_t)length);
    h = (h ^ word) * 0xD6E8FEB86659FD93u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return (h ^ h >> 32) >> 1;
}

#endif
