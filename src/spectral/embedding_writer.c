/* An embedding into a file. Where several processes hold its rows, they write them into one .npy
 * file side by side; text is process 0's, which gets the rows piece by piece.
 *
 * Process 0 alone makes the temporary file, writes its header and gives it its name. The others
 * follow: up to the first failure of anyone all of them agree on a status after each step, so that
 * nobody waits for one who is gone.
 *
 * One process that knows where its vectors go begins to write them as soon as they are final: the
 * disk is then busy while the processor certifies them.
 */
#include <string.h>

#include <cafe-private/team.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "io/output_file.h"
#include "io/vector_file.h"
#include "spectral/embedding.h"

typedef struct joint {
    cafe_context *context;
    const cafe_block *vectors;
    const char *path;
    bool failed; /* and all of them know */
} joint;

static cafe_status agree(joint *j, cafe_status status) {
    if (j->failed) return status;
    status = cafe_engine_agree(j->context, status);
    j->failed = status != CAFE_OK;
    return status;
}

static cafe_status get_rows(void *argument, cafe_status status, int64_t row, int64_t rows,
                            float *to) {
    joint *j = argument;
    const cafe_block *v = j->vectors;
    cafe_part part = {row, rows, 0, v->columns};
    CAFE_PASS(agree(j, status));
    return cafe_ops(v)->copy_out(j->context, v, part, to, v->columns);
}

static cafe_status put_rows(void *argument, cafe_status status, const char *path, int64_t offset) {
    joint *j = argument;
    cafe_context *context = j->context;
    char why[sizeof context->error];
    CAFE_PASS(agree(j, status));
    status = cafe_ops(j->vectors)->write(context, j->vectors, path, offset);
    memcpy(why, context->error, sizeof why);
    if (status == CAFE_ERROR_IO) cafe_fail(context, status, "%.400s: %.600s", j->path, why);
    return agree(j, status);
}

static cafe_status write_together(cafe_context *context, const cafe_block *v, cafe_matrix *m,
                                  const char *path, int32_t overwrite) {
    joint j = {context, v, path, false};
    m->stride = m->columns;
    m->values = NULL;
    m->source = &j;
    m->get = get_rows;
    m->put = put_rows;
    return agree(&j, cafe_matrix_write(context, m, path, overwrite));
}

/* ---- one process ----------------------------------------------------------------------------- */

/* Rows in memory alone: those of a device or in a file are not to be read by two at once. */
cafe_status cafe_embedding_begin(cafe_context *context, const cafe_block *v,
                                 const cafe_destination *to, cafe_embedding *embedding) {
    if (!to || v->columns < 1 || v->columns < to->width || cafe_graph_nodes(to->graph) != v->n)
        return CAFE_OK;
    if (cafe_ops(v) != cafe_processor.ops || cafe_in_file(context, v->x)) return CAFE_OK;
    cafe_matrix m =
        cafe_matrix_of(v->n, v->columns, v->stride, v->x, cafe_graph_node_names(to->graph));
    memcpy(m.made, to->made, sizeof m.made);
    embedding->begun_for = to->graph;
    embedding->begun = cafe_mem_zero(context, 1, sizeof *embedding->begun);
    CAFE_PASS(cafe_mem_had(embedding->begun));
    return cafe_matrix_begin(context, &m, to->path, to->overwrite, embedding->begun);
}

/* What was begun of these vectors, if it was for this file. */
static cafe_output *take_begun(const cafe_embedding *embedding, const cafe_graph *graph,
                               const char *path) {
    cafe_output *begun = embedding->begun ? *embedding->begun : NULL;
    if (!begun || embedding->begun_for != graph || strcmp(begun->path, path) != 0) return NULL;
    *embedding->begun = NULL; /* it can be taken once */
    return begun;
}

cafe_status cafe_embedding_write(cafe_context *context, const cafe_embedding *embedding,
                                 const cafe_graph *graph, const char *path, int32_t overwrite) {
    const cafe_block *v = &embedding->vectors;
    cafe_matrix m = cafe_matrix_of(v->n, v->columns, v->stride, v->x, cafe_graph_node_names(graph));
    memcpy(m.made, embedding->made, sizeof m.made);
    if (m.rows != cafe_graph_nodes(graph))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the vectors are of %lld nodes and the graph has %lld", (long long)m.rows,
                         (long long)cafe_graph_nodes(graph));
    if (cafe_engine_joins(v->engine)) return write_together(context, v, &m, path, overwrite);
    m.begun = take_begun(embedding, graph, path);
    return cafe_matrix_write(context, &m, path, overwrite);
}
