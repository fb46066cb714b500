/* Blocks of threads, for a device's compiler and for plain C.
 *
 * A kernel's body is written once, as phases with barriers in between:
 *
 *     SHARED(float, sums, 64);            seen by the whole block
 *     OWN(double, total, 16);             of each thread, kept from phase to phase
 *     THREADS(t) { ... MINE(total, t)[0] ... }
 *     SYNC();
 *     THREADS(t) { ... }
 *
 * On a device every thread runs a phase once; in plain C a loop runs it for all threads of the
 * block, one after the other. `continue` leaves a phase. What a phase writes, another thread may
 * read after a barrier: SYNC() for the block, SYNC_ROW() for the threads that share a row, which
 * never straddle a warp. FROM_LANE() is what the thread `lane` of those that share a row holds in
 * `mine`, which is `other` written out: all of them ask at once. ADD() adds a double to one that
 * other blocks add to at the same time: only for sums that are exact in any order (kernels/sum_shapes.h).
 *
 * Rows are the work of blocks of one warp, whose phases are WARP_THREADS(t): such a block goes on
 * with the next work that nobody has taken, until there is none. TAKEN() is the number that NEXT()
 * asked for. COUNT() adds 1 to a number
 * that other blocks count as well, and is what it was before; what they wrote before they counted,
 * behind PUBLISH(), is read by load_fresh().
 */
#ifndef CAFE_CUDA_THREADS_H
#define CAFE_CUDA_THREADS_H

#ifdef __CUDACC__
#define BODY                                static __device__
#define INLINE_BODY                         static __device__ __forceinline__
#define SHARED(type, name, size)            __shared__ __align__(16) type name[size]
#define OWN(type, name, size)               type name[size]
#define MINE(name, t)                       name
#define THREADS(t)                          for (int t = (int)threadIdx.x, t##_on = 1 | t; t##_on; t##_on = 0)
#define WARP_THREADS(t)                     THREADS(t)
#define SYNC()                              __syncthreads()
#define SYNC_ROW()                          __syncwarp()
#define FROM_LANE(mine, lane, group, other) __shfl_sync(group_mask(group), mine, lane, group)
#define ADD(sum, x)                         atomicAdd(sum, x)
#define NEXT(counter)                       next_of(counter)
#define TAKEN(next)                         __shfl_sync(~0u, next, 0)
#define COUNT(counter)                      atomicAdd(counter, 1)
#define PUBLISH()                           __threadfence()
#define UNROLL                              _Pragma("unroll")
#define UNROLL_BY_16                        _Pragma("unroll 16")
#else
#define BODY                                static
#define INLINE_BODY                         static inline
#define SHARED(type, name, size)            _Alignas(16) type name[size]
#define OWN(type, name, size)               type name[BLOCK][size]
#define MINE(name, t)                       name[t]
#define THREADS(t)                          for (int t = 0; t < BLOCK; t++)
#define WARP_THREADS(t)                     for (int t = 0; t < WARP; t++)
#define SYNC()                              ((void)0)
#define SYNC_ROW()                          ((void)0)
#define FROM_LANE(mine, lane, group, other) ((void)(mine), (void)(group), (other))
#define ADD(sum, x)                         (*(sum) += (x))
#define NEXT(counter)                       ((*(counter))++)
#define TAKEN(next)                         (next)
#define COUNT(counter)                      ((*(counter))++)
#define PUBLISH()                           ((void)0)
#define UNROLL
#define UNROLL_BY_16
#endif

#ifdef __CUDACC__
/* The threads of the warp that share this one's row: `group` of them, a power of two. */
static __device__ unsigned group_mask(int group) {
    unsigned first = threadIdx.x % 32 / group * group;
    return group == 32 ? ~0u : ((1u << group) - 1) << first;
}

static __device__ __forceinline__ int next_of(int32_t *counter) {
    return threadIdx.x % 32 == 0 ? atomicAdd(counter, 1) : 0;
}
#endif

#endif
