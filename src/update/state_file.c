/* The file of an update's sums, in numbers of this machine's order of bytes:
 *
 *     head      magic, version, sizes, sums, checksums of the graph and of the rows they belong to
 *     s         columns doubles
 *     strength  nodes doubles
 *     factor    nodes floats; none if X is 0
 *
 * The file spares work and holds nothing else: one that does not belong to the graph and the rows
 * is found anew. Only a file that is no state at all is an error, because it would be overwritten.
 */
#include <stddef.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "io/gzip.h"
#include "io/input_file.h"
#include "os/os.h"
#include "update/update_state.h"

enum { ROWS = 4096, BYTES = 1 << 20, VERSION = 1 };

/* "cafedays" where the first byte is the lowest. */
static const uint64_t magic = UINT64_C(0x7379616465666163);

typedef struct head {
    uint64_t magic;
    int64_t version, nodes, columns, swept;
    double exponent, unit, total, energy;
    uint64_t graph, rows, body; /* checksums of the graph, the rows, and all behind the head */
    uint64_t checksum;          /* of the head up to here */
} head;

/* ---- checksums ------------------------------------------------------------------------------- */

typedef struct digesting {
    const uint8_t *bytes;
    int64_t size;
    cafe_row_get *get;
    const void *source;
    int64_t rows, columns;
    uint64_t *sums; /* of the blocks */
} digesting;

static void digest_bytes(void *argument, int64_t block) {
    const digesting *d = argument;
    int64_t from = block * BYTES;
    d->sums[block] = cafe_crc64(0, d->bytes + from, cafe_block_end(d->size, BYTES, block) - from);
}

static void digest_rows(void *argument, int64_t block) {
    const digesting *d = argument;
    uint64_t sum = 0;
    for (int64_t u = block * ROWS; u < cafe_block_end(d->rows, ROWS, block); u++)
        sum = cafe_crc64(sum, d->get(d->source, u), 4 * d->columns);
    d->sums[block] = sum;
}

/* *sum <- the checksum of the checksums of the blocks, continued. */
static cafe_status digest(cafe_context *context, digesting *d, uint64_t *sum) {
    int64_t blocks = d->bytes ? cafe_blocks(d->size, BYTES) : cafe_blocks(d->rows, ROWS);
    d->sums = cafe_mem_zero(context, blocks, sizeof *d->sums);
    CAFE_PASS(cafe_mem_had(d->sums));
    cafe_status status = cafe_each(context, blocks, d->bytes ? digest_bytes : digest_rows, d);
    *sum = cafe_crc64(*sum, d->sums, 8 * blocks);
    cafe_mem_free(context, d->sums);
    return status;
}

static cafe_status digest_graph(cafe_context *context, const cafe_graph *g, uint64_t *sum) {
    const void *parts[] = {g->offsets, g->targets, g->weights};
    int64_t bytes[] = {8 * (g->n + 1), 4 * g->arcs, 4 * g->arcs};
    *sum = (uint64_t)g->n;
    for (int i = 0; i < 3; i++) {
        digesting d = {.bytes = parts[i], .size = bytes[i]};
        if (parts[i] && bytes[i] > 0) CAFE_PASS(digest(context, &d, sum));
    }
    return CAFE_OK;
}

static cafe_status digest_matrix(cafe_context *context, int64_t rows, int64_t columns,
                                 cafe_row_get *get, const void *source, uint64_t *sum) {
    digesting d = {.get = get, .source = source, .rows = rows, .columns = columns};
    *sum = (uint64_t)columns;
    return digest(context, &d, sum);
}

static uint64_t head_sum(const head *h) {
    return cafe_crc64(0, h, offsetof(head, checksum));
}

static uint64_t body_sum(const cafe_update_state *s) {
    uint64_t sum = cafe_crc64(0, s->s, 8 * s->columns);
    sum = cafe_crc64(sum, s->strength, 8 * s->nodes);
    return s->factor ? cafe_crc64(sum, s->factor, 4 * s->nodes) : sum;
}

/* ---- in -------------------------------------------------------------------------------------- */

typedef struct plain_rows {
    const float *rows;
    int64_t columns;
} plain_rows;

static const float *plain_row(const void *source, int64_t u) {
    const plain_rows *p = source;
    return p->rows + u * p->columns;
}

/* Does the head belong to this graph and these rows? */
static cafe_status compare(cafe_context *context, const head *h, const cafe_graph *graph,
                           int64_t columns, const float *rows, double exponent, bool *fits) {
    plain_rows plain = {rows, columns};
    uint64_t sum;
    *fits = h->checksum == head_sum(h) && h->version == VERSION && h->nodes == graph->n &&
            h->columns == columns && h->exponent == exponent;
    if (*fits) CAFE_PASS(digest_graph(context, graph, &sum));
    *fits = *fits && sum == h->graph;
    if (*fits) CAFE_PASS(digest_matrix(context, graph->n, columns, plain_row, &plain, &sum));
    *fits = *fits && sum == h->rows;
    return CAFE_OK;
}

/* The arrays behind the head; *fits: they are all there, and sound. */
static cafe_status read_arrays(const cafe_input *input, const head *h, cafe_update_state *s,
                               bool *fits) {
    cafe_context *context = s->context;
    int64_t n = s->nodes, k = s->columns, at = (int64_t)sizeof *h;
    s->s = cafe_mem(context, k, sizeof *s->s);
    s->strength = cafe_mem(context, n, sizeof *s->strength);
    CAFE_PASS(cafe_mem_had(s->s, s->strength));
    if (s->exponent > 0) CAFE_PASS(cafe_mem_had(s->factor = cafe_mem(context, n, sizeof(float))));
    *fits = cafe_input_read(input, at, (uint8_t *)s->s, 8 * k) == 8 * k;
    at += 8 * k;
    *fits = *fits && cafe_input_read(input, at, (uint8_t *)s->strength, 8 * n) == 8 * n;
    at += 8 * n;
    if (s->factor)
        *fits = *fits && cafe_input_read(input, at, (uint8_t *)s->factor, 4 * n) == 4 * n;
    *fits = *fits && body_sum(s) == h->body;
    return CAFE_OK;
}

static cafe_status read_state(cafe_context *context, const cafe_input *input,
                              const cafe_graph *graph, int64_t columns, const float *rows,
                              double exponent, cafe_update_state *s, bool *fits) {
    head h = {0};
    int64_t got = cafe_input_read(input, 0, (uint8_t *)&h, sizeof h);
    if (got < (int64_t)sizeof h || h.magic != magic)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected a state that cafe update wrote, found other data",
                         input->name);
    CAFE_PASS(compare(context, &h, graph, columns, rows, exponent, fits));
    if (!*fits) return CAFE_OK;
    *s = (cafe_update_state){.context = context,
                             .nodes = graph->n,
                             .columns = columns,
                             .swept = h.swept,
                             .exponent = exponent,
                             .unit = h.unit,
                             .total = h.total,
                             .energy = h.energy};
    return read_arrays(input, &h, s, fits);
}

cafe_status cafe_state_read(cafe_context *context, const char *path, const cafe_graph *graph,
                            int64_t columns, const float *rows, double exponent,
                            cafe_update_state *s, bool *fits, bool *foreign) {
    cafe_input input;
    *s = (cafe_update_state){0};
    *fits = *foreign = false;
    if (access(path, F_OK) != 0) return CAFE_OK;
    CAFE_PASS(cafe_input_open(context, path, &input));
    cafe_status status = read_state(context, &input, graph, columns, rows, exponent, s, fits);
    cafe_input_close(&input);
    *foreign = !*fits;
    if (status != CAFE_OK || !*fits) cafe_state_free(s);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------- */

cafe_status cafe_state_write(cafe_context *context, const char *path, const cafe_graph *graph,
                             cafe_row_get *get, const void *source, const cafe_update_state *s) {
    cafe_status status = CAFE_OK;
    cafe_output *output = NULL;
    cafe_update_state own = *s; /* without nodes that the new graph lacks */
    own.nodes = graph->n;
    head h = {.magic = magic,
              .version = VERSION,
              .nodes = own.nodes,
              .columns = s->columns,
              .swept = s->swept,
              .exponent = s->exponent,
              .unit = s->unit,
              .total = s->total,
              .energy = s->energy,
              .body = body_sum(&own)};
    CAFE_TRY(digest_graph(context, graph, &h.graph));
    CAFE_TRY(digest_matrix(context, graph->n, s->columns, get, source, &h.rows));
    h.checksum = head_sum(&h);
    CAFE_TRY(cafe_output_create(context, path, 1, &output));
    CAFE_TRY(cafe_output_write(output, &h, sizeof h));
    CAFE_TRY(cafe_output_write(output, s->s, 8 * s->columns));
    CAFE_TRY(cafe_output_write(output, s->strength, 8 * own.nodes));
    if (s->factor) CAFE_TRY(cafe_output_write(output, s->factor, 4 * own.nodes));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(output);
    return status;
}
