/* Co-citation and bibliographic coupling: B = A A^T + A^T A without its diagonal.
 *
 *     b(u,w) = sum over x of a(u,x) a(w,x) + a(x,u) a(x,w)
 *
 * Row u of A A^T adds the rows x of A^T over all x with an edge from u. Row u of A^T A adds the
 * rows x of A over all x with an edge to u (Gustavson, ACM TOMS 4, 1978). The entries b(u,w) and
 * b(w,u) add the same products in the same order, x ascending, so B is symmetric to the bit.
 *
 * Hubs make B large: a node with d incoming edges gives d^2 entries. One pass over A bounds the
 * size of B before memory is allocated.
 */
#include <float.h>

#include "graph/array_sums.h"
#include "graph/builder.h"
#include "graph/directed.h"
#include "graph/graph.h"
#include "os/os.h"

enum { ROWS = 64 };

typedef struct product {
    cafe_context *context;
    const cafe_rows *out;
    cafe_rows into, made; /* A^T, B */
    cafe_tally *tallies;  /* one a worker */
    atomic_int outside;   /* some entry is no normal float */
} product;

/* tally += scale * row x of m, but for entry u. */
static void add_row(const cafe_rows *m, int64_t x, double scale, int64_t u, cafe_tally *tally) {
    for (int64_t i = m->offsets[x]; i < m->offsets[x + 1]; i++)
        if (m->targets[i] != u) cafe_tally_add(tally, m->targets[i], scale * m->weights[i]);
}

static void multiply_row(const product *p, int64_t u, cafe_tally *tally) {
    const cafe_rows *out = p->out, *into = &p->into;
    for (int64_t i = out->offsets[u]; i < out->offsets[u + 1]; i++)
        add_row(into, out->targets[i], out->weights[i], u, tally);
    for (int64_t i = into->offsets[u]; i < into->offsets[u + 1]; i++)
        add_row(out, into->targets[i], into->weights[i], u, tally);
}

static void multiply_rows(void *argument, int64_t task, int32_t worker) {
    product *p = argument;
    const cafe_rows *made = &p->made;
    cafe_tally *tally = &p->tallies[worker];
    for (int64_t u = task * ROWS; u < cafe_block_end(made->n, ROWS, task); u++) {
        int64_t first = cafe_row_begin(made, u), at = first;
        if (atomic_load(&p->context->cancelled)) return;
        multiply_row(p, u, tally);
        for (int64_t i = 0; i < tally->count; i++) {
            double weight = tally->sum[tally->keys[i]];
            if (!(weight >= FLT_MIN && weight <= FLT_MAX)) atomic_store(&p->outside, 1);
            cafe_row_put(made, &at, tally->keys[i], (float)weight);
        }
        if (made->targets)
            cafe_sort_row((uint32_t *)made->targets + first, made->weights + first, at - first);
        cafe_row_end(made, u, at);
        cafe_tally_clear(tally);
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
    double half = (double)cafe_os_memory_installed() / 2;
    if (bytes <= half || half == 0) return CAFE_OK;
    return cafe_fail(
        p->context, CAFE_ERROR_LIMIT,
        "co-citation would need up to %.1f GiB, more than half of this machine's "
        "memory (%.1f GiB): some nodes have too many edges; the rules sum and flow need less",
        bytes / 0x1p30, 2 * half / 0x1p30);
}

/* The graph keeps the rows themselves. */
static cafe_status take_rows(cafe_context *context, cafe_rows *rows, cafe_graph **graph) {
    cafe_status status = cafe_graph_from_csr(context, rows->n, rows->offsets, rows->targets,
                                             rows->weights, 1, NULL, graph);
    cafe_graph *g = *graph;
    if (status != CAFE_OK || g->offsets != rows->offsets) return status;
    g->owns_rows = true;
    if (g->weights) rows->weights = NULL;
    rows->offsets = NULL;
    rows->targets = NULL;
    return CAFE_OK;
}

cafe_status cafe_graph_cocitation(cafe_context *context, const cafe_rows *arcs,
                                  cafe_graph **graph) {
    product p = {.context = context, .out = arcs};
    cafe_status status;
    cafe_phase(context, "cocitation", 0);
    CAFE_TRY(cafe_rows_transpose(context, arcs, &p.into));
    CAFE_TRY(check_size(&p));
    p.tallies = cafe_tallies_new(context, context->threads, arcs->n);
    CAFE_TRY(p.tallies ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_rows_make(context, arcs->n, ROWS, multiply_rows, &p, &p.made));
    if (atomic_load(&p.outside))
        CAFE_TRY(
            cafe_fail(context, CAFE_ERROR_ARGUMENT,
                      "co-citation multiplies weights, and these products are outside of 1.2e-38 "
                      "to 3.4e38: weights of another unit, nearer to 1, will do"));
    status = take_rows(context, &p.made, graph);
done:
    cafe_rows_free(context, &p.into);
    cafe_rows_free(context, &p.made);
    cafe_tallies_free(context, p.tallies, context->threads);
    return status;
}
