/* Which layer of a sum a dimension, a node, a community owes its modularity to.
 *
 * Q = sum over l of w_l Q_l, w_l its weight divided by its unit. So everything that Q adds up is
 * the sum of the layers' parts:
 *
 *     v_j^T Q v_j  = sum over l of w_l v_j^T Q_l v_j             a column
 *     <h_u, z_u>   = sum over l of w_l <h_u, (Q_l V)_u>          a node
 *     q(S,S)       = sum over l of w_l q_l(S,S)                  a community
 *
 * A layer takes one product with V, and one pass over its edges.
 */
#include "explain/explain.h"

#include "base/memory.h"
#include "base/thread_pool.h"
#include "method/model_parts.h"

typedef struct layer_job {
    const cafe_explanation *e;
    const cafe_block *z; /* Q_l V */
    double weight;
    double *nodes;
} layer_job;

/* w <h_u, z_u>, and into sums the columns' v_uk z_uk. */
static void share_rows(void *argument, int64_t first, int64_t last, double *sums) {
    const layer_job *job = argument;
    const cafe_block *v = &job->e->v;
    for (int64_t u = first; u < last; u++) {
        const float *row = v->x + u * v->stride, *image = job->z->x + u * v->stride;
        double sum = 0;
        for (int64_t k = 0; k < v->columns; k++) {
            double product = (double)row[k] * image[k];
            sum += product;
            sums[k] += product;
        }
        job->nodes[u] = job->weight * sum;
    }
}

/* w q_l(S,S) of each community. */
static cafe_status share_communities(cafe_context *context, const cafe_explanation *e,
                                     const cafe_operator *op, double weight, double *strength) {
    cafe_status status = CAFE_OK;
    cafe_member_lists sets = {.count = e->sets.count, .part = e->sets.part};
    CAFE_TRY(cafe_explain_set_sums(context, op, &sets));
    for (int64_t c = 0; c < sets.count; c++)
        strength[c] = weight * cafe_explain_strength(&op->parts, &sets, c);
done:
    cafe_mem_free_all(context, sets.sums, sets.inside, sets.factors);
    return status;
}

static cafe_status fill(cafe_context *context, const cafe_explanation *e,
                        const cafe_model_part *part, cafe_block *z, cafe_layer_card *card) {
    double *columns = cafe_mem_zero(context, e->columns, sizeof *columns);
    double *nodes = cafe_mem(context, e->n, sizeof *nodes);
    double *communities = cafe_mem_zero(context, e->sets.count, sizeof *communities);
    double weight = part->weight / part->unit;
    layer_job job = {e, z, weight, nodes};
    *card = (cafe_layer_card){part->name, part->weight, 0, 0, columns, nodes, communities};
    CAFE_PASS(cafe_mem_had(columns, nodes, communities));
    CAFE_PASS(cafe_operator_apply(context, part->op, CAFE_SIDE_PLAIN, e->v.stride, e->v.x, 1, 0, 0,
                                  z->x));
    CAFE_PASS(cafe_sums(context, e->n, CAFE_EXPLAIN_BLOCK, share_rows, &job, e->columns, columns));
    for (int64_t k = 0; k < e->columns; k++) {
        columns[k] *= weight;
        card->contribution += columns[k];
    }
    if (e->sets.count == 0) return CAFE_OK;
    CAFE_PASS(share_communities(context, e, part->op, weight, communities));
    for (int64_t c = 0; c < e->sets.count; c++) card->part_modularity += communities[c];
    return CAFE_OK;
}

cafe_status cafe_explain_layers(cafe_context *context, cafe_explanation *e, const cafe_model *model,
                                int64_t *count, const cafe_layer_card **cards) {
    cafe_status status = CAFE_OK;
    cafe_model_part *parts = NULL;
    cafe_block z = e->v;
    *count = 0, *cards = NULL;
    z.x = NULL;
    if (cafe_model_operator(model) != e->op)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the explanation is of another operator than that of the model");
    CAFE_TRY(cafe_model_parts(context, model, &parts, count));
    cafe_explain_forget_layers(e);
    e->layers = cafe_mem_zero(context, *count, sizeof *e->layers);
    z.x = cafe_mem(context, e->n * z.stride, sizeof *z.x);
    CAFE_TRY(cafe_mem_had(e->layers, z.x));
    e->layer_count = *count;
    for (int64_t l = 0; l < *count; l++) CAFE_TRY(fill(context, e, &parts[l], &z, &e->layers[l]));
    *cards = e->layers;
done:
    cafe_mem_free_all(context, parts, z.x);
    if (status != CAFE_OK) cafe_explain_forget_layers(e);
    if (status != CAFE_OK) *count = 0;
    return status;
}

void cafe_explain_forget_layers(cafe_explanation *e) {
    for (int64_t l = 0; l < e->layer_count; l++)
        cafe_mem_free_all(e->context, e->layers[l].columns, e->layers[l].nodes,
                          e->layers[l].communities);
    cafe_mem_free(e->context, e->layers);
    e->layers = NULL;
    e->layer_count = 0;
}
