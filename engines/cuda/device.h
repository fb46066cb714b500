/* The device for the engine: memory, transfers and kernels, in the order of the calls.
 *
 * A call waits only if its comment has the word. A call that returns a number returns 0, or an
 * error for device_error(). The file device.cu is the real device; emulated.c runs the bodies of
 * the kernels in plain loops on the memory of this machine.
 */
#ifndef CAFE_CUDA_DEVICE_H
#define CAFE_CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define CAFE_INLINE static inline __host__ __device__
#endif
#include "arguments.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct device device;

enum { TRANSFER = 32 << 20, SLOTS = 2 }; /* bytes of a transfer; transfers on their way */

/* Describes the device in a line of text: "NVIDIA H200, 139.8 GiB, driver 13.0"; or the reason why
 * there is none. */
int device_open(device **made, char *text, size_t size);
void device_close(device *d); /* accepts NULL */
const char *device_error(int error);

/* Memory of the device; NULL if there is none. */
void *device_allocate(device *d, int64_t bytes);
void device_release(device *d, void *memory); /* accepts NULL */
void device_memory(device *d, int64_t *left, int64_t *all);
int device_processors(device *d); /* that blocks of threads run on */
int device_zero(device *d, void *to, int64_t bytes);
int device_copy(device *d, void *to, const void *from, int64_t bytes);

/* Returns pinned memory of this machine, TRANSFER bytes in each slot, allocated at its first use,
 * for transfers in both directions. A slot may be reused after device_wait(). */
void *device_slot(device *d, int slot);
int device_up(device *d, int slot, void *to, int64_t bytes);
int device_down(device *d, int slot, const void *from, int64_t bytes);
int device_wait(device *d, int slot);
int device_finish(device *d); /* waits for all */

#define DECLARE(name, threads, resident) \
    int launch_##name(device *d, int64_t blocks, const name##_args *a);
KERNELS(DECLARE)
#undef DECLARE

#ifdef __cplusplus
}
#endif

#endif
