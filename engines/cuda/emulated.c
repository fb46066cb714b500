/* The device in plain C: its memory is this machine's, its kernels are loops over blocks. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels.h"

struct device {
    int64_t limit, used; /* bytes; no limit where the environment has none */
    void *slots[SLOTS];
};

enum { BEFORE = 64 }; /* bytes of an allocation that hold its size */

int device_open(device **made, char *text, size_t size) {
    static const char words[] = "kernels for CUDA in plain loops, for tests";
    const char *limit = secure_getenv("CAFE_EMULATED_MEMORY");
    *made = calloc(1, sizeof **made);
    if (*made) (*made)->limit = limit ? strtoll(limit, NULL, 10) : (int64_t)1 << 50;
    if (size >= sizeof words) memcpy(text, words, sizeof words);
    return *made ? 0 : 1;
}

void device_close(device *d) {
    if (!d) return;
    for (int i = 0; i < SLOTS; i++) free(d->slots[i]);
    free(d);
}

const char *device_error(int error) {
    (void)error;
    return "out of memory";
}

void *device_allocate(device *d, int64_t bytes) {
    if (bytes > d->limit - d->used) return NULL;
    char *memory = aligned_alloc(64, (size_t)(BEFORE + bytes + 63) / 64 * 64);
    if (!memory) return NULL;
    d->used += bytes;
    memcpy(memory, &bytes, sizeof bytes);
    return memory + BEFORE;
}

void device_release(device *d, void *memory) {
    int64_t bytes;
    if (!memory) return;
    memcpy(&bytes, (char *)memory - BEFORE, sizeof bytes);
    d->used -= bytes;
    free((char *)memory - BEFORE);
}

void device_memory(device *d, int64_t *left, int64_t *all) {
    *left = d->limit - d->used, *all = d->limit;
}

int device_processors(device *d) {
    (void)d;
    return 2;
}

int device_zero(device *d, void *to, int64_t bytes) {
    (void)d;
    memset(to, 0, (size_t)bytes);
    return 0;
}

int device_copy(device *d, void *to, const void *from, int64_t bytes) {
    (void)d;
    memcpy(to, from, (size_t)bytes);
    return 0;
}

void *device_slot(device *d, int slot) {
    if (!d->slots[slot]) d->slots[slot] = malloc(TRANSFER);
    return d->slots[slot];
}

int device_up(device *d, int slot, void *to, int64_t bytes) {
    return device_copy(d, to, d->slots[slot], bytes);
}

int device_down(device *d, int slot, const void *from, int64_t bytes) {
    return device_copy(d, d->slots[slot], from, bytes);
}

int device_wait(device *d, int slot) {
    (void)d, (void)slot;
    return 0;
}

int device_finish(device *d) {
    (void)d;
    return 0;
}

#define DEFINE(name, threads, resident)                                         \
    int launch_##name(device *d, int64_t blocks, const name##_args *a) {        \
        (void)d;                                                                \
        for (int64_t block = 0; block < blocks; block++) name##_body(a, block); \
        return 0;                                                               \
    }
KERNELS(DEFINE)
