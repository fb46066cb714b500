/* Splits by seed: stratified or uniform, by share or by count.
 *
 * The items are put into an order, stratum by stratum (the strata in random order, the items of
 * each shuffled). Then `wanted` of `count` are taken at even distances from a random start r:
 *
 *     item i is taken  iff  floor(((i+1) wanted + r) / count) > floor((i wanted + r) / count)
 *
 * That is systematic sampling. Exactly `wanted` are taken, every item with the same probability.
 * From a stratum of s items floor(s wanted / count) or one more are taken. The seed decides about a
 * stratum of a single item. Without strata the items are simply shuffled, and the same rule draws a
 * uniform sample. All of it is in integers: no rounding decides.
 *
 * A node of several classes belongs to the stratum of its rarest class, the one whose share is
 * easiest to miss.
 */
#include "evaluate/train_test_split.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { DRAW_TRAIN, DRAW_TEST };

/* ---- one draw -------------------------------------------------------------------------------- */

typedef struct place {
    uint64_t stratum, key; /* random */
    int64_t item;
} place;

static int by_place(const void *left, const void *right) {
    const place *a = left, *b = right;
    if (a->stratum != b->stratum) return a->stratum < b->stratum ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static uint64_t number(uint64_t seed, uint64_t stream, uint64_t draw, int64_t index) {
    cafe_random4 r = cafe_philox(seed, stream | draw << 32, (uint64_t)index);
    return (uint64_t)r.v[0] << 32 | r.v[1];
}

/* The random number of a stratum, its last bits made its own: no two strata are mixed. */
static uint64_t stratum_key(uint64_t seed, uint64_t draw, int32_t stratum) {
    uint64_t key = number(seed, CAFE_STREAM_STRATUM, draw, stratum);
    return (key & ~(uint64_t)INT32_MAX) | (uint64_t)stratum;
}

static int64_t put_in_order(const cafe_strata *s, uint64_t seed, uint64_t draw, place *order) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->count; i++) {
        if (s->stratum && s->stratum[i] < 0) continue;
        uint64_t stratum = s->stratum ? stratum_key(seed, draw, s->stratum[i]) : 0;
        order[count++] = (place){stratum, number(seed, CAFE_STREAM_ITEM, draw, i), i};
    }
    if (count > 1) qsort(order, (size_t)count, sizeof *order, by_place);
    return count;
}

cafe_status cafe_strata_draw(cafe_context *context, const cafe_strata *strata, int64_t wanted,
                             uint64_t seed, uint64_t draw, uint8_t *chosen) {
    place *order = cafe_mem(context, strata->count, sizeof *order);
    if (!order) return CAFE_ERROR_MEMORY;
    int64_t count = put_in_order(strata, seed, draw, order), start = 0;
    if (count > 0) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_OFFSET | draw << 32, 0);
        start = (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)count);
    }
    for (int64_t i = 0; i < strata->count; i++) chosen[i] = 0;
    for (int64_t i = 0; i < count; i++)
        chosen[order[i].item] = ((i + 1) * wanted + start) / count > (i * wanted + start) / count;
    cafe_mem_free(context, order);
    return CAFE_OK;
}

/* ---- training and test nodes ----------------------------------------------------------------- */

static int64_t labelled(const cafe_targets *t) {
    int64_t count = 0;
    for (int64_t u = 0; u < t->nodes; u++) count += t->offsets[u + 1] > t->offsets[u];
    return count;
}

static int32_t rarest(const cafe_targets *t, int64_t u, const int64_t *size) {
    int32_t best = -1;
    for (int64_t j = t->offsets[u]; j < t->offsets[u + 1]; j++)
        if (best < 0 || size[t->value[j]] < size[best]) best = t->value[j];
    return best;
}

/* The stratum of every node; -1: it has no class. */
static cafe_status find_strata(cafe_context *context, const cafe_targets *t, cafe_split_rule rule,
                               int32_t *stratum) {
    int64_t *size = cafe_mem_zero(context, t->classes, sizeof *size);
    if (!size) return CAFE_ERROR_MEMORY;
    for (int64_t j = 0; j < t->offsets[t->nodes]; j++) size[t->value[j]]++;
    for (int64_t u = 0; u < t->nodes; u++) {
        stratum[u] = rarest(t, u, size);
        if (stratum[u] > 0 && rule == CAFE_SPLIT_UNIFORM) stratum[u] = 0;
    }
    cafe_mem_free(context, size);
    return CAFE_OK;
}

/* How many nodes each side gets: at least one. */
static cafe_status find_counts(cafe_context *context, int64_t all, double train, int64_t test,
                               cafe_parts *parts) {
    if (all < 2)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%lld labelled nodes are too few to train and to test", (long long)all);
    double most = (double)(test > 0 ? all - test : all - 1);
    double wanted =
        train < 1 ? fmin(fmax(round(train * (double)all), 1), (double)all - 1) : floor(train);
    if (!(train > 0) || (train >= 1 && train != wanted))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%g to train on: expected a share below 1 or a whole number of nodes",
                         train);
    if (!(wanted <= most))
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            "%lld nodes are labelled: there are not %.0f to train on and %lld to test on",
            (long long)all, wanted, (long long)(test > 0 ? test : 1));
    parts->train = (int64_t)wanted;
    parts->test = test > 0 ? test : all - parts->train;
    return CAFE_OK;
}

static void list_chosen(const uint8_t *chosen, int64_t nodes, int32_t *list) {
    for (int64_t u = 0; u < nodes; u++)
        if (chosen[u]) *list++ = (int32_t)u;
}

static cafe_status draw_parts(cafe_context *context, int64_t nodes, int32_t *stratum, uint64_t seed,
                              uint8_t *chosen, cafe_parts *parts) {
    cafe_strata strata = {nodes, stratum};
    CAFE_PASS(cafe_strata_draw(context, &strata, parts->train, seed, DRAW_TRAIN, chosen));
    list_chosen(chosen, nodes, parts->train_node);
    for (int64_t u = 0; u < nodes; u++)
        if (chosen[u]) stratum[u] = -1;
    cafe_status status = cafe_strata_draw(context, &strata, parts->test, seed, DRAW_TEST, chosen);
    if (status == CAFE_OK) list_chosen(chosen, nodes, parts->test_node);
    return status;
}

cafe_status cafe_parts_make(cafe_context *context, const cafe_targets *targets, double train,
                            int64_t test, cafe_split_rule rule, uint64_t seed, cafe_parts *parts) {
    cafe_status status = CAFE_OK;
    int32_t *stratum = NULL;
    uint8_t *chosen = NULL;
    *parts = (cafe_parts){0};
    CAFE_TRY(find_counts(context, labelled(targets), train, test, parts));
    stratum = cafe_mem(context, targets->nodes, sizeof *stratum);
    chosen = cafe_mem(context, targets->nodes, sizeof *chosen);
    parts->train_node = cafe_mem(context, parts->train, sizeof *parts->train_node);
    parts->test_node = cafe_mem(context, parts->test, sizeof *parts->test_node);
    CAFE_TRY(cafe_mem_had(stratum, chosen, parts->train_node, parts->test_node));
    CAFE_TRY(find_strata(context, targets, rule, stratum));
    status = draw_parts(context, targets->nodes, stratum, seed, chosen, parts);
done:
    cafe_mem_free_all(context, stratum, chosen);
    if (status != CAFE_OK) cafe_parts_free(context, parts);
    return status;
}

/* The nodes in random order, dealt out to the folds in turn; each part is ascending as ever. */
cafe_status cafe_parts_fold(cafe_context *context, const cafe_parts *parts, int64_t folds,
                            int64_t fold, uint64_t seed, cafe_parts *inner) {
    cafe_status status = CAFE_OK;
    place *order = cafe_mem(context, parts->train, sizeof *order);
    uint8_t *chosen = cafe_mem_zero(context, parts->train, sizeof *chosen);
    if (!inner->train_node) {
        inner->train_node = cafe_mem(context, parts->train, sizeof *inner->train_node);
        inner->test_node = cafe_mem(context, parts->train, sizeof *inner->test_node);
    }
    CAFE_TRY(cafe_mem_had(order, chosen, inner->train_node, inner->test_node));
    for (int64_t i = 0; i < parts->train; i++)
        order[i] = (place){0, number(seed, CAFE_STREAM_FOLD, 0, parts->train_node[i]), i};
    qsort(order, (size_t)parts->train, sizeof *order, by_place);
    for (int64_t i = fold; i < parts->train; i += folds) chosen[order[i].item] = 1;
    inner->train = inner->test = 0;
    for (int64_t i = 0; i < parts->train; i++)
        if (chosen[i])
            inner->test_node[inner->test++] = parts->train_node[i];
        else
            inner->train_node[inner->train++] = parts->train_node[i];
done:
    cafe_mem_free_all(context, order, chosen);
    return status;
}

void cafe_parts_free(cafe_context *context, cafe_parts *parts) {
    cafe_mem_free_all(context, parts->train_node, parts->test_node);
    *parts = (cafe_parts){0};
}
