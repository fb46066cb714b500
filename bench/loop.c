/* The yardstick: four products with the row-normalised adjacency, as Cleora makes vectors.
 *
 *     cafe-loop EDGES.txt OUT.npy [K 128] [threads 2] [products 4]
 *
 *     X <- random; four times: X <- D^-1 A X, every row scaled to length 1
 *
 * Plain C for a list of integer ids from 0 and nothing else: what a run costs that does no more
 * than this. Standard error gets the seconds of reading (with the sort into rows), of the products
 * and of writing.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Zeros, on huge pages where the system has them. */
static void *room(int64_t count, size_t size) {
    size_t bytes = ((size_t)count * size | 0x1fffff) + 1;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit((perror("cafe-loop"), 1));
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

/* -1 .. 1, by the mixer of SplitMix64. */
static float random_at(uint64_t i) {
    uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (float)((z ^ (z >> 31)) >> 40) / (1 << 23) - 1;
}

/* The ids of the list, two an edge, and the number of nodes; lines with # in front are skipped. */
static int32_t *read_ids(const char *path, int64_t *count, int32_t *n) {
    FILE *file = fopen(path, "rb");
    if (!file || fseeko(file, 0, SEEK_END) != 0) exit((perror(path), 1));
    int64_t size = ftello(file);
    char *text = room(size + 1, 1), *p = text;
    rewind(file);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) exit((perror(path), 1));
    fclose(file);
    int32_t *ids = room(size / 2 + 1, sizeof *ids);
    for (*count = *n = 0; *p;) {
        if (*p == '#')
            while (*p && *p != '\n') p++;
        int32_t id = 0;
        char *first = p;
        for (; *p >= '0' && *p <= '9'; p++) id = 10 * id + (*p - '0');
        if (p > first)
            ids[(*count)++] = id, *n = id >= *n ? id + 1 : *n;
        else
            p += *p != 0;
    }
    return ids;
}

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void
multiply(int64_t u, const int64_t *start, const int32_t *to, int K, const float *x,
         float *restrict y) {
    float length = 0;
    for (int k = 0; k < K; k++) y[k] = 0;
    for (int64_t a = start[u]; a < start[u + 1]; a++)
        for (int k = 0; k < K; k++) y[k] += x[(int64_t)to[a] * K + k];
    for (int k = 0; k < K; k++) length += y[k] * y[k];
    length = length > 0 ? 1 / sqrtf(length) : 0; /* the scaling by 1/degree cancels */
    for (int k = 0; k < K; k++) y[k] *= length;
}

int main(int words, char **word) {
    if (words < 3)
        return fprintf(stderr, "usage: cafe-loop EDGES.txt OUT.npy [K] [threads] [products]\n"), 2;
    int K = words > 3 ? atoi(word[3]) : 128, threads = words > 4 ? atoi(word[4]) : 2;
    int products = words > 5 ? atoi(word[5]) : 4;
    int64_t count;
    int32_t n;
    double t0 = now();
    int32_t *ids = read_ids(word[1], &count, &n);
    int64_t *start = room(n + 2, sizeof *start);
    int32_t *to = room(count, sizeof *to);
    for (int64_t i = 0; i < count; i++) start[ids[i] + 2]++;
    for (int64_t u = 0; u < n; u++) start[u + 2] += start[u + 1];
    for (int64_t i = 0; i < count; i++) to[start[ids[i] + 1]++] = ids[i ^ 1];
    double t1 = now();
    float *x = room((int64_t)n * K, sizeof *x), *y = room((int64_t)n * K, sizeof *y);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < (int64_t)n * K; i++) x[i] = random_at((uint64_t)i);
    for (int t = 0; t < products; t++) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
        for (int64_t u = 0; u < n; u++) multiply(u, start, to, K, x, y + u * K);
        float *other = x;
        x = y, y = other;
    }
    double t2 = now();
    FILE *file = fopen(word[2], "wb");
    if (!file) return perror(word[2]), 1;
    char shape[118];
    snprintf(shape, sizeof shape, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }",
             n, K);
    fprintf(file, "\x93NUMPY\x01%c%c%c%-117s\n", 0, 118, 0, shape);
    size_t written = fwrite(x, sizeof *x * (size_t)K, (size_t)n, file);
    if (fclose(file) != 0 || written != (size_t)n) return perror(word[2]), 1;
    fprintf(stderr, "read %.2f products %.2f write %.2f all %.2f\n", t1 - t0, t2 - t1, now() - t2,
            now() - t0);
    return 0;
}
