/* The device itself: memory, transfers and launches by the CUDA runtime, in one stream. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels.h"

struct device {
    int processors;
    cudaStream_t stream;
    void *slots[SLOTS];
    cudaEvent_t events[SLOTS]; /* of the last transfer of each */
};

static int describe(char *text, size_t size) {
    cudaDeviceProp about;
    int driver = 0, number = 0, error = cudaGetDevice(&number);
    if (!error) error = cudaGetDeviceProperties(&about, number);
    if (!error) error = cudaDriverGetVersion(&driver);
    if (!error)
        snprintf(text, size, "%s, %.1f GiB, compute capability %d.%d, driver for CUDA %d.%d",
                 about.name, (double)about.totalGlobalMem / (1 << 30), about.major, about.minor,
                 driver / 1000, driver % 1000 / 10);
    return error;
}

int device_open(device **made, char *text, size_t size) {
    device *d = (device *)calloc(1, sizeof *d);
    int count = 0, error = d ? cudaGetDeviceCount(&count) : cudaErrorMemoryAllocation;
    *made = NULL;
    if (!error && count == 0) error = cudaErrorNoDevice;
    if (!error) error = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking);
    for (int i = 0; i < SLOTS && !error; i++)
        error = cudaEventCreateWithFlags(&d->events[i], cudaEventDisableTiming);
    if (!error) error = describe(text, size);
    if (!error) error = cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, 0);
    if (error)
        device_close(d);
    else
        *made = d;
    cudaGetLastError(); /* clears the error that was returned */
    return error;
}

/* Without a driver the runtime speaks of an old one. */
const char *device_error(int error) {
    int driver = 0;
    if (error == cudaErrorInsufficientDriver && !cudaDriverGetVersion(&driver) && driver == 0)
        return "this machine has no NVIDIA driver";
    return cudaGetErrorString((cudaError_t)error);
}

void device_close(device *d) {
    if (!d) return;
    if (d->stream) cudaStreamSynchronize(d->stream);
    for (int i = 0; i < SLOTS; i++) {
        if (d->slots[i]) cudaFreeHost(d->slots[i]);
        if (d->events[i]) cudaEventDestroy(d->events[i]);
    }
    if (d->stream) cudaStreamDestroy(d->stream);
    free(d);
    cudaGetLastError();
}

void *device_allocate(device *d, int64_t bytes) {
    void *memory = NULL;
    (void)d;
    if (cudaMalloc(&memory, (size_t)(bytes > 0 ? bytes : 1)) == cudaSuccess) return memory;
    cudaGetLastError();
    return NULL;
}

/* cudaFree() waits for the kernels that may still read it. */
void device_release(device *d, void *memory) {
    (void)d;
    if (memory) cudaFree(memory);
}

void device_memory(device *d, int64_t *left, int64_t *all) {
    size_t here = 0, total = 0;
    (void)d;
    cudaMemGetInfo(&here, &total);
    *left = (int64_t)here, *all = (int64_t)total;
}

int device_processors(device *d) {
    return d->processors;
}

int device_zero(device *d, void *to, int64_t bytes) {
    return cudaMemsetAsync(to, 0, (size_t)bytes, d->stream);
}

int device_copy(device *d, void *to, const void *from, int64_t bytes) {
    return cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, d->stream);
}

void *device_slot(device *d, int slot) {
    if (!d->slots[slot]) cudaMallocHost(&d->slots[slot], TRANSFER);
    if (!d->slots[slot]) cudaGetLastError();
    return d->slots[slot];
}

static int transfer(device *d, int slot, void *to, const void *from, int64_t bytes,
                    enum cudaMemcpyKind way) {
    int error = cudaMemcpyAsync(to, from, (size_t)bytes, way, d->stream);
    return error ? error : cudaEventRecord(d->events[slot], d->stream);
}

int device_up(device *d, int slot, void *to, int64_t bytes) {
    return transfer(d, slot, to, d->slots[slot], bytes, cudaMemcpyHostToDevice);
}

int device_down(device *d, int slot, const void *from, int64_t bytes) {
    return transfer(d, slot, d->slots[slot], from, bytes, cudaMemcpyDeviceToHost);
}

int device_wait(device *d, int slot) {
    return cudaEventSynchronize(d->events[slot]);
}

int device_finish(device *d) {
    return cudaStreamSynchronize(d->stream);
}

/* Blocks that a multiprocessor can hold at all; no kernel asks for more. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900)
#define MOST_RESIDENT 32
#else
#define MOST_RESIDENT 16
#endif

#define DEFINE(name, threads, resident)                                                                     \
    static __global__ void __launch_bounds__(threads, resident < MOST_RESIDENT ? resident : MOST_RESIDENT) name##_kernel(const name##_args a) { \
        name##_body(&a, blockIdx.x);                                                               \
    }                                                                                              \
    int launch_##name(device *d, int64_t blocks, const name##_args *a) {                           \
        if (blocks > 0) name##_kernel<<<(unsigned)blocks, threads, 0, d->stream>>>(*a);              \
        return blocks > 0 ? (int)cudaGetLastError() : 0;                                           \
    }
KERNELS(DEFINE)
