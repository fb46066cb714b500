/* The binary tree of the hierarchical softmax: Huffman's (Proc. IRE 1952) within each block of
 * nodes, and Huffman's again over the blocks.
 *
 * log p(v | u) is the sum of log sigma(+-<h_u, c_d>) over the decisions d from the root to leaf v.
 * The probabilities add up to 1 for any tree. A tree by frequency (here the degree, to which the
 * visits of a walk are proportional) makes the ways short. They are within one decision of the
 * entropy for each of the two levels. That subtrees are the blocks of the grid is what lets buckets
 * be trained side by side: a bucket's decisions below the top belong to its block of contexts
 * alone.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "baseline/skipgram.h"

typedef struct leaf {
    double weight;
    int32_t name;
} leaf;

static int by_weight(const void *a, const void *b) {
    const leaf *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Room for one tree of `count` leaves; inner nodes are numbered count .. 2 count - 2 as they come
 * about, the last is the root. */
typedef struct forest {
    leaf *leaves;
    double *weight;  /* of the inner nodes */
    int32_t *parent; /* 2 * parent + side */
    int32_t *length; /* decisions on the way to an inner node or leaf */
} forest;

static void forest_free(cafe_context *context, forest *f) {
    cafe_mem_free_all(context, f->leaves, f->weight, f->parent, f->length);
}

static cafe_status forest_new(cafe_context *context, int64_t count, forest *f) {
    f->leaves = cafe_mem(context, count, sizeof *f->leaves);
    f->weight = cafe_mem(context, count, sizeof *f->weight);
    f->parent = cafe_mem(context, 2 * count, sizeof *f->parent);
    f->length = cafe_mem(context, 2 * count, sizeof *f->length);
    return cafe_mem_had(f->leaves, f->weight, f->parent, f->length);
}

/* The two lightest trees become one, until one is left. Leaves are sorted and new trees come in the
 * order of their weight, so the lightest is at the front of one of two queues. */
static void huffman(forest *f, int64_t count) {
    int64_t leaf_front = 0, inner_front = 0;
    qsort(f->leaves, (size_t)count, sizeof *f->leaves, by_weight);
    for (int64_t made = 0; made < count - 1; made++) {
        f->weight[made] = 0;
        for (int32_t side = 0; side < 2; side++) {
            int from_leaves =
                leaf_front < count &&
                (inner_front >= made || f->leaves[leaf_front].weight <= f->weight[inner_front]);
            int64_t child = from_leaves ? leaf_front : count + inner_front;
            f->weight[made] +=
                from_leaves ? f->leaves[leaf_front++].weight : f->weight[inner_front++];
            f->parent[child] = (int32_t)(2 * made + side);
        }
    }
    if (count == 0) return;
    f->length[2 * count - 2] = 0;
    for (int64_t i = 2 * count - 3; i >= 0; i--)
        f->length[i] = f->length[count + f->parent[i] / 2] + 1;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The decisions of each leaf into its place; inner node i is row first + i. */
static void write_paths(const forest *f, int64_t count, int64_t first, cafe_path *path) {
    for (int64_t i = 0; i < count; i++) {
        int64_t end = path->offsets[f->leaves[i].name + 1];
        for (int64_t at = i; at != 2 * count - 2; at = count + f->parent[at] / 2)
            path->decisions[--end] = (int32_t)(2 * first + f->parent[at]);
    }
}

static void note_lengths(const forest *f, int64_t count, cafe_path *path) {
    for (int64_t i = 0; i < count; i++) path->offsets[f->leaves[i].name + 1] = f->length[i];
}

static void add_offsets(int64_t leaves, cafe_path *path) {
    path->offsets[0] = 0;
    for (int64_t i = 0; i < leaves; i++) path->offsets[i + 1] += path->offsets[i];
}

static int64_t list_block(const cafe_graph *graph, int64_t block, int64_t blocks, forest *f) {
    int64_t count = 0;
    for (int64_t u = block; u < graph->n; u += blocks)
        f->leaves[count++] = (leaf){cafe_row_sum(graph->offsets, graph->scaled, u), (int32_t)u};
    return count;
}

/* Twice over the blocks: lengths first, then, with room for them, the decisions. */
static cafe_status inner_paths(cafe_context *context, const cafe_graph *graph, int64_t blocks,
                               forest *f, double *mass, cafe_tree *tree) {
    for (int write = 0; write < 2; write++) {
        int64_t first = 0;
        for (int64_t b = 0; b < blocks; b++) {
            CAFE_PASS(cafe_check_cancel(context));
            int64_t count = list_block(graph, b, blocks, f);
            huffman(f, count);
            mass[b] = count > 1 ? f->weight[count - 2] : count > 0 ? f->leaves[0].weight : 0;
            if (write)
                write_paths(f, count, first, &tree->inner);
            else
                note_lengths(f, count, &tree->inner);
            first += count > 0 ? count - 1 : 0;
        }
        if (write) break;
        tree->first_top = first;
        add_offsets(graph->n, &tree->inner);
        tree->inner.decisions =
            cafe_mem(context, tree->inner.offsets[graph->n], sizeof *tree->inner.decisions);
        if (!tree->inner.decisions) return CAFE_ERROR_MEMORY;
    }
    return CAFE_OK;
}

static cafe_status top_paths(cafe_context *context, int64_t blocks, const double *mass, forest *f,
                             cafe_tree *tree) {
    for (int64_t b = 0; b < blocks; b++) f->leaves[b] = (leaf){mass[b], (int32_t)b};
    huffman(f, blocks);
    note_lengths(f, blocks, &tree->top);
    add_offsets(blocks, &tree->top);
    tree->top.decisions = cafe_mem(context, tree->top.offsets[blocks], sizeof *tree->top.decisions);
    if (!tree->top.decisions) return CAFE_ERROR_MEMORY;
    write_paths(f, blocks, tree->first_top, &tree->top);
    tree->rows = tree->first_top + blocks - 1;
    return CAFE_OK;
}

cafe_status cafe_tree_new(cafe_context *context, const cafe_graph *graph, int64_t blocks,
                          cafe_tree *tree) {
    cafe_status status = CAFE_OK;
    forest f = {0};
    *tree = (cafe_tree){0};
    double *mass = cafe_mem(context, blocks, sizeof *mass);
    tree->inner.offsets = cafe_mem(context, graph->n + 1, sizeof *tree->inner.offsets);
    tree->top.offsets = cafe_mem(context, blocks + 1, sizeof *tree->top.offsets);
    CAFE_TRY(cafe_mem_had(mass, tree->inner.offsets, tree->top.offsets));
    CAFE_TRY(forest_new(context, graph->n / blocks + 1 + blocks, &f));
    CAFE_TRY(inner_paths(context, graph, blocks, &f, mass, tree));
    CAFE_TRY(top_paths(context, blocks, mass, &f, tree));
done:
    forest_free(context, &f);
    cafe_mem_free(context, mass);
    return status; /* the caller frees the tree in any case */
}

void cafe_tree_free(cafe_context *context, cafe_tree *tree) {
    cafe_mem_free_all(context, tree->inner.offsets, tree->inner.decisions, tree->top.offsets,
                      tree->top.decisions);
    *tree = (cafe_tree){0};
}
