/* cafe-gather-cuda GRAPH.cafe COLUMNS: the memory limit of a sweep on the device, and sweeps beside
 * it.
 *
 * The gather reads the rows that the links of the graph name, in their order, and adds them up;
 * nothing else is read, nothing but a sum for every 256 links is written. The time of a sweep is
 * the difference between runs of 6 and of 2 sweeps.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cafe/cafe.h>

enum { THREADS = 256, PIECE = 256 };

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "cafe-gather-cuda: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void need(cafe_context *context, cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "cafe-gather-cuda: %s\n", context ? cafe_error(context) : "no context");
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the gather ------------------------------------------------------------------------------ */

/* A warp has 256 links; a lane four columns of 128 at a time. */
template <int AT_ONCE>
static __global__ void __launch_bounds__(THREADS)
    gather(const float *x, int columns, const int *targets, int64_t arcs, float *sums) {
    int64_t piece = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32, from = piece * PIECE;
    int64_t to = from + PIECE < arcs ? from + PIECE : arcs;
    for (int k = threadIdx.x % 32 * 4; k < columns && from < arcs; k += 128) {
        float4 sum = {0, 0, 0, 0};
        for (int64_t j = from; j < to; j += AT_ONCE) {
            float4 rows[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                int64_t at = j + i < to ? j + i : to - 1;
                rows[i] = *(const float4 *)(x + (int64_t)targets[at] * columns + k);
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                sum.x += rows[i].x, sum.y += rows[i].y, sum.z += rows[i].z, sum.w += rows[i].w;
        }
        *(float4 *)(sums + piece * columns + k) = sum;
    }
}

template <int AT_ONCE>
static double time_gather(const float *x, int columns, const int *targets, int64_t arcs,
                          float *sums) {
    int64_t pieces = (arcs + PIECE - 1) / PIECE,
            blocks = (pieces + THREADS / 32 - 1) / (THREADS / 32);
    double best = 1e30;
    for (int i = 0; i < 3; i++) {
        double start = seconds();
        gather<AT_ONCE><<<(unsigned)blocks, THREADS>>>(x, columns, targets, arcs, sums);
        check(cudaDeviceSynchronize());
        if (seconds() - start < best) best = seconds() - start;
    }
    return best;
}

static double measure_gather(const cafe_graph *graph, int columns) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(graph);
    float *x, *sums;
    int *there;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t arcs = offsets[n], pieces = (arcs + PIECE - 1) / PIECE;
    double bytes = (double)arcs * columns * sizeof *x;
    check(cudaMalloc(&x, (size_t)(n * columns) * sizeof *x));
    check(cudaMalloc(&sums, (size_t)(pieces * columns) * sizeof *sums));
    check(cudaMalloc(&there, (size_t)arcs * sizeof *there));
    check(cudaMemset(x, 0x3C, (size_t)(n * columns) * sizeof *x));
    check(cudaMemcpy(there, targets, (size_t)arcs * sizeof *there, cudaMemcpyHostToDevice));
    double four = time_gather<4>(x, columns, there, arcs, sums);
    double eight = time_gather<8>(x, columns, there, arcs, sums);
    double best = four < eight ? four : eight;
    double start = seconds(), size = (double)n * columns * sizeof *x / 2;
    for (int i = 0; i < 4; i++)
        check(cudaMemcpy(x, (char *)x + (size_t)size / 16 * 16, (size_t)size / 16 * 16,
                         cudaMemcpyDeviceToDevice));
    check(cudaDeviceSynchronize());
    printf("copy on the device: %.0f GB/s read and written\n",
           8 * size / (seconds() - start) / 1e9);
    printf(
        "gather of %.1f M rows of %d floats: %.4f s, %.0f GB/s (4 at once %.4f, 8 at once %.4f)\n",
        (double)arcs / 1e6, columns, best, bytes / best / 1e9, four, eight);
    check(cudaFree(x)), check(cudaFree(sums)), check(cudaFree(there));
    return best;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static double time_sphere(cafe_context *context, const cafe_operator *op, int columns, int sweeps) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = columns, o.sweeps = sweeps, o.tolerance = 0;
    double start = seconds();
    need(context, cafe_sphere(context, op, &o, NULL, &solution));
    cafe_solution_free(solution);
    return seconds() - start;
}

int main(int count, char **words) {
    cafe_context *context = NULL;
    cafe_context_options o;
    cafe_graph *graph = NULL;
    cafe_sample_options edges;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    if (count != 3) {
        fprintf(stderr, "usage: cafe-gather-cuda GRAPH.cafe COLUMNS\n");
        return 2;
    }
    int columns = atoi(words[2]) / 16 * 16;
    cafe_context_options_init(&o);
    o.engine = "cuda";
    need(NULL, cafe_context_create(&o, &context));
    need(context, cafe_graph_read(context, words[1], NULL, &graph));
    double limit = measure_gather(graph, columns);
    cafe_sample_options_init(&edges);
    edges.degree_exponent = 0.25; /* as sphere has it */
    need(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &edges, NULL, &sampled));
    need(context, cafe_operator_modularity(context, sampled, &op));
    double two = time_sphere(context, op, columns, 2), six = time_sphere(context, op, columns, 6),
           sweep = (six - two) / 4;
    printf("sweep: %.4f s, %.2f times the gather; all but sweeps: %.3f s\n", sweep, sweep / limit,
           two - 2 * sweep);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return 0;
}
