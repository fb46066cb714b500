/* Co-citation and bibliographic coupling: B = A A^T + A^T A without its diagonal.
 *
 * Row u of A A^T adds up, over all x that u links to, the rows x of A^T; row u of A^T A, over all x
 * that link to u, the rows x of A (Gustavson, ACM TOMS 4, 1978). b(u,w) and b(w,u) add the same
 * products in the same order, x ascending, so B is symmetric to the bit and taken as it is.
 *
 * Hubs make B large: a node with d links in gives d^2 entries. What B can have at most is found in
 * one pass over A before anything of that size is asked for.
 */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"
#include "graph/build.h"
#include "graph/directed.h"

enum { ROWS = 64 };

/* A thread's scratch: sums by node, who has one (mark[w] == u + 1), and the list of those. */
typedef struct heap {
    double *sums;
    int32_t *mark, *touched;
    int64_t count;
} heap;

typedef struct product {
    cafe_context *context;
    const cafe_arcs *out;
    cafe_arcs into;
    double *sums; /* threads x n each */
    int32_t *marks, *touched;
    int64_t *offsets;
    int32_t *targets; /* NULL while rows are counted */
    float *weights;
} product;

/* heap += scale * row x of m, but for entry u. */
static void add_row(const cafe_arcs *m, int64_t x, double scale, int64_t u, heap *h) {
    for (int64_t i = m->offsets[x]; i < m->offsets[x + 1]; i++) {
        int32_t w = m->targets[i];
        if (w == u) continue;
        if (h->mark[w] != u + 1) {
            h->mark[w] = (int32_t)(u + 1);
            h->sums[w] = 0;
            h->touched[h->count++] = w;
        }
        h->sums[w] += scale * m->weights[i];
    }
}

static void multiply_row(const product *p, int64_t u, heap *h) {
    const cafe_arcs *out = p->out, *into = &p->into;
    h->count = 0;
    for (int64_t i = out->offsets[u]; i < out->offsets[u + 1]; i++)
        add_row(into, out->targets[i], out->weights[i], u, h);
    for (int64_t i = into->offsets[u]; i < into->offsets[u + 1]; i++)
        add_row(out, into->targets[i], into->weights[i], u, h);
}

static void write_row(const product *p, int64_t u, const heap *h) {
    int32_t *targets = p->targets + p->offsets[u];
    float *weights = p->weights + p->offsets[u];
    for (int64_t i = 0; i < h->count; i++) {
        targets[i] = h->touched[i];
        weights[i] = (float)h->sums[h->touched[i]];
    }
    cafe_sort_row((uint32_t *)targets, weights, h->count);
}

static void multiply_rows(void *argument, int64_t task, int32_t worker) {
    product *p = argument;
    int64_t n = p->out->n, end = cafe_block_end(n, ROWS, task);
    heap h = {p->sums + worker * n, p->marks + worker * n, p->touched + worker * n, 0};
    for (int64_t u = task * ROWS; u < end; u++) {
        if (atomic_load(&p->context->cancelled)) return;
        multiply_row(p, u, &h);
        if (p->targets)
            write_row(p, u, &h);
        else
            p->offsets[u + 1] = h.count;
    }
}

/* Entries of B at most: row u has no more than the rows it adds up, and than n - 1. */
static double most_entries(const product *p) {
    const int64_t *out = p->out->offsets, *into = p->into.offsets;
    int64_t n = p->out->n;
    double total = 0;
    for (int64_t u = 0; u < n; u++) {
        int64_t row = 0;
        for (int64_t i = out[u]; i < out[u + 1]; i++)
            row += into[p->out->targets[i] + 1] - into[p->out->targets[i]] - 1;
        for (int64_t i = into[u]; i < into[u + 1]; i++)
            row += out[p->into.targets[i] + 1] - out[p->into.targets[i]] - 1;
        total += (double)(row < n - 1 ? row : n - 1);
    }
    return total;
}

static cafe_status check_size(const product *p) {
    double bytes = most_entries(p) * (double)(sizeof(int32_t) + sizeof(float));
    double half = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    if (bytes <= half) return CAFE_OK;
    return cafe_fail(p->context, CAFE_ERROR_LIMIT,
                     "co-citation would need up to %.1f GiB, more than half of this machine's "
                     "memory (%.1f GiB): some nodes have too many links; the rules sum and flow "
                     "need no more than the links themselves",
                     bytes / 0x1p30, 2 * half / 0x1p30);
}

/* Zeroes the marks, whose rows are numbered from 1 in each pass. */
static cafe_status run_pass(product *p) {
    int64_t n = p->out->n;
    memset(p->marks, 0, (size_t)(n * cafe_threads(p->context)) * sizeof *p->marks);
    cafe_status status = cafe_parallel(p->context, cafe_blocks(n, ROWS), multiply_rows, p);
    return status == CAFE_OK ? cafe_check_cancel(p->context) : status;
}

static cafe_status multiply(product *p) {
    cafe_context *context = p->context;
    int64_t n = p->out->n, room = n * cafe_threads(context);
    p->sums = cafe_mem(context, room, sizeof *p->sums);
    p->marks = cafe_mem(context, room, sizeof *p->marks);
    p->touched = cafe_mem(context, room, sizeof *p->touched);
    p->offsets = cafe_mem_zero(context, n + 1, sizeof *p->offsets);
    if (!p->sums || !p->marks || !p->touched || !p->offsets) return CAFE_ERROR_MEMORY;
    CAFE_PASS(run_pass(p));
    for (int64_t u = 0; u < n; u++) p->offsets[u + 1] += p->offsets[u];
    p->targets = cafe_mem(context, p->offsets[n], sizeof *p->targets);
    p->weights = cafe_mem(context, p->offsets[n], sizeof *p->weights);
    if (!p->targets || !p->weights) return CAFE_ERROR_MEMORY;
    return run_pass(p);
}

/* The graph keeps the rows themselves. */
static cafe_status take_rows(product *p, cafe_graph **graph) {
    cafe_status status = cafe_graph_from_csr(p->context, p->out->n, p->offsets, p->targets,
                                             p->weights, 1, NULL, graph);
    cafe_graph *g = *graph;
    if (status != CAFE_OK || g->offsets != p->offsets) return status;
    g->owns_rows = true;
    if (g->weights) p->weights = NULL;
    p->offsets = NULL;
    p->targets = NULL;
    return CAFE_OK;
}

cafe_status cafe_graph_cocitation(cafe_context *context, const cafe_arcs *arcs,
                                  cafe_graph **graph) {
    product p = {.context = context, .out = arcs};
    cafe_status status;
    cafe_phase(context, "cocitation", 0);
    CAFE_TRY(cafe_arcs_transpose(context, arcs, &p.into));
    CAFE_TRY(check_size(&p));
    CAFE_TRY(multiply(&p));
    status = take_rows(&p, graph);
done:
    cafe_arcs_free(context, &p.into);
    cafe_mem_free_all(context, p.sums, p.marks, p.touched, p.offsets, p.targets, p.weights);
    return status;
}
