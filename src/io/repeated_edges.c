/* Folds edges that a compressed text repeats, while it is read.
 *
 * A byte of deflate data can stand for a thousand bytes of text, so a small file may hold more
 * edges than memory. Such a file must repeat text of the last 32 KiB, so nearly all of its edges
 * occurred shortly before, and a table that fits the cache finds them. Of k equal edges (ends and
 * weight)
 *
 *     one stays, if the graph keeps the largest weight of a pair;
 *     as many stay as k has binary ones, with weights x 2^b, if it adds weights: the products are
 *     exact, and their sum is k x.
 *
 * Folded edges are counted, so the counts of the graph are those of the text.
 */
#include "io/edge_buffer.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"

enum { PLACES = 1 << 12, MOST_TIMES = 1 << 20 };

/* Heavier edges are not folded: their multiples might be too large. */
static const float heaviest = 0x1p100f;

typedef struct place {
    int64_t at;    /* of the edge, or -1 */
    int64_t times; /* it came so far */
} place;

typedef struct folding {
    cafe_edge_list *list;
    const cafe_piece *pieces;
    int64_t *found;
    int64_t folded[CAFE_TEXT_PIECES][CAFE_FOLDS];
} folding;

/* One piece: edges first .. are written to `to`, at or before where they are read. */
typedef struct stretch {
    cafe_edge_list *list;
    int64_t to;
    place places[PLACES];
    int64_t *folded;
} stretch;

typedef struct link {
    int64_t u, w;
    float weight;
} link;

static link link_at(const cafe_edge_list *list, int64_t i) {
    return (link){cafe_edge_list_id(list, list->source, i),
                  cafe_edge_list_id(list, list->target, i), list->weighted ? list->weights[i] : 1};
}

static void put_link(stretch *s, int64_t i, link l) {
    cafe_edge_list *list = s->list;
    if (list->wide) {
        ((int64_t *)list->source)[i] = l.u;
        ((int64_t *)list->target)[i] = l.w;
    } else {
        ((int32_t *)list->source)[i] = (int32_t)l.u;
        ((int32_t *)list->target)[i] = (int32_t)l.w;
    }
    if (list->weighted) list->weights[i] = l.weight;
}

static place *place_of(stretch *s, link l) {
    uint32_t bits;
    memcpy(&bits, &l.weight, sizeof bits);
    uint64_t h = ((uint64_t)l.u * 0x9E3779B97F4A7C15u ^ (uint64_t)l.w) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 29 ^ bits) * 0x94D049BB133111EBu;
    return &s->places[h >> 40 & (PLACES - 1)];
}

static bool is_same(link a, link b) {
    return a.u == b.u && a.w == b.w && a.weight == b.weight;
}

/* Ends the count of a place: writes the edges that stay, and counts the others as folded. */
static void settle(stretch *s, place *p) {
    int64_t left = p->times - 1;
    if (p->at < 0 || p->times < 2) return;
    link l = link_at(s->list, p->at);
    if (s->list->sum && l.weight > 0) {
        left = p->times;
        for (int b = 0; p->times >> b > 0; b++) {
            if (!(p->times >> b & 1)) continue;
            link part = {l.u, l.w, ldexpf(l.weight, b)};
            put_link(s, left == p->times ? p->at : s->to++, part);
            left--;
        }
    }
    s->folded[l.weight == 0 ? CAFE_FOLDED_ZEROS
              : l.u == l.w  ? CAFE_FOLDED_LOOPS
                            : CAFE_FOLDED_LINKS] += left;
}

static void take(stretch *s, link l) {
    place *p = place_of(s, l);
    if (p->at >= 0 && p->times < MOST_TIMES && l.weight <= heaviest &&
        is_same(link_at(s->list, p->at), l)) {
        p->times++;
        return;
    }
    settle(s, p);
    *p = (place){s->to, 1};
    put_link(s, s->to++, l);
}

static void fold_piece(void *argument, int64_t k, int32_t worker) {
    folding *f = argument;
    cafe_edge_list *list = f->list;
    int64_t first = list->count + f->pieces[k].before;
    stretch s = {.list = list, .to = first, .folded = f->folded[k]};
    (void)worker;
    for (int i = 0; i < PLACES; i++) s.places[i].at = -1;
    for (int64_t i = first; i < first + f->found[k]; i++) take(&s, link_at(list, i));
    for (int i = 0; i < PLACES; i++) settle(&s, &s.places[i]);
    f->found[k] = s.to - first;
}

/* Edges without weights that are to be added up weigh 1 each from now on. */
static cafe_status give_weights(cafe_edge_list *list, int64_t more) {
    if (!list->sum || (list->weighted && !list->ones)) return CAFE_OK;
    if (!list->weighted) {
        list->weights = cafe_mem(list->context, list->capacity, sizeof *list->weights);
        if (!list->weights) return CAFE_ERROR_MEMORY;
        for (int64_t i = 0; i < list->count; i++) list->weights[i] = 1;
        list->weighted = list->ones = true;
    }
    for (int64_t i = list->count; i < list->count + more; i++) list->weights[i] = 1;
    return CAFE_OK;
}

cafe_status cafe_edge_list_fold(cafe_edge_list *list, bool packed, int64_t lines,
                                const cafe_piece *pieces, int64_t *found) {
    folding f = {.list = list, .pieces = pieces, .found = found};
    if (!list->folds || !(packed || list->ones)) return CAFE_OK;
    CAFE_PASS(give_weights(list, lines));
    if (!packed) return CAFE_OK;
    CAFE_PASS(cafe_parallel(list->context, CAFE_TEXT_PIECES, fold_piece, &f));
    for (int k = 0; k < CAFE_TEXT_PIECES; k++)
        for (int i = 0; i < CAFE_FOLDS; i++) list->folded[i] += f.folded[k][i];
    return CAFE_OK;
}

void cafe_edge_list_tell(const cafe_edge_list *list, bool loops, cafe_graph *graph) {
    cafe_graph_counts *c = &graph->counts;
    const int64_t *folded = list->folded;
    for (int i = 0; i < CAFE_FOLDS; i++) c->lines += folded[i];
    c->duplicates += folded[CAFE_FOLDED_LINKS];
    c->self_loops += folded[CAFE_FOLDED_LOOPS];
    c->zero_weights += folded[CAFE_FOLDED_ZEROS];
    if (loops) c->duplicates += folded[CAFE_FOLDED_LOOPS];
}
