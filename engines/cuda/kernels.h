/* The bodies of all kernels, compiled by the device's compiler or as plain C. */
#ifndef CAFE_CUDA_KERNELS_H
#define CAFE_CUDA_KERNELS_H

#include <math.h>

#include "device.h"
#include "threads.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#include "base/random.h"
#include "graph/edge_weight.h"

/* of engine/engine.h, which a device's compiler does not read */
enum { START_UNIT = 0, START_SIMPLEX = 1, START_LINKS = 3 };

#include "chunks_body.h"
#include "neighbours_body.h"

#include "degrees_body.h" /* reads edges */
#include "rows_body.h"
#include "sums_body.h"
#include "sweep_body.h"
#include "tall_body.h"

#endif
