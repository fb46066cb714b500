/* Proofs by cases. The bound of all partitions may stay above the known modularity. Then those with
 * a pair together and those with it apart are bounded on their own, and divided again.
 *
 * The rows and multipliers of one case are the start of the next one: any multipliers give a bound
 * of any case. A case is proved by its own multipliers, and the cases together are all partitions.
 */
#include <math.h>

#include "base/memory.h"
#include "explain/clique_search.h"

enum { MOST_DEPTH = 60 };

static const double nearly_whole = 0.02;

int64_t cafe_clique_fractional(const cafe_clique_search *s) {
    int64_t best = -1;
    double least = 0.5 - nearly_whole;
    for (int64_t i = 0; i < s->pairs.count; i++) {
        double distance = fabs(cafe_clique_clip(s->pairs.y[i]) - 0.5);
        if (s->pairs.forced[i] || !(distance < least)) continue;
        least = distance;
        best = i;
    }
    return best;
}

/* x of the pair <- 0 or 1, or free. */
static void force(cafe_clique_search *s, int64_t pair, int8_t how) {
    double change = CAFE_CLIQUE_FAR * (how - s->pairs.forced[pair]);
    s->pairs.y[pair] += change;
    s->pairs.forced[pair] = how;
}

/* The case is done: the next one begins behind it. */
static void close_case(cafe_clique_search *s, cafe_clique_bound *found) {
    s->cases++;
    found->rows += s->best_rows;
    if (s->kept) s->case_start = s->kept->count;
}

static cafe_status divide(cafe_clique_search *s, cafe_clique_bound *found, bool *proved);

static cafe_status prove_case(cafe_clique_search *s, cafe_clique_bound *found, bool *proved) {
    CAFE_PASS(cafe_clique_climb(s, false));
    *proved = cafe_clique_is_proved(s);
    if (*proved) {
        found->bound = fmax(found->bound, s->best);
        close_case(s, found);
    } else if (s->work < s->most_work) {
        CAFE_PASS(divide(s, found, proved));
    }
    return CAFE_OK;
}

/* Both cases of a pair. */
static cafe_status divide(cafe_clique_search *s, cafe_clique_bound *found, bool *proved) {
    static const int8_t hows[2] = {CAFE_CLIQUE_APART, CAFE_CLIQUE_TOGETHER};
    int64_t pair = cafe_clique_fractional(s);
    *proved = false;
    if (pair < 0 || s->divided_count >= MOST_DEPTH) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(s->context, &s->divided, &s->divided_room, s->divided_count + 1,
                            sizeof *s->divided));
    s->divided[s->divided_count++] = pair;
    for (int i = 0; i < 2; i++) {
        force(s, pair, hows[i]);
        CAFE_PASS(prove_case(s, found, proved));
        if (!*proved) return CAFE_OK;
    }
    force(s, pair, CAFE_CLIQUE_FREE);
    s->divided_count--;
    return CAFE_OK;
}

cafe_status cafe_clique_branch(cafe_clique_search *s, cafe_clique_bound *found) {
    cafe_clique_multipliers cases = {.context = s->context}, *whole = s->kept;
    cafe_clique_bound all = {.bound = -HUGE_VAL, .step = found->step};
    bool proved;
    if (whole) s->kept = &cases;
    cafe_status status = divide(s, &all, &proved);
    if (status == CAFE_OK && proved) {
        all.cases = s->cases;
        *found = all;
        if (whole) {
            cafe_clique_multipliers held = *whole;
            *whole = cases;
            cases = held;
        }
    }
    cafe_clique_multipliers_free(&cases);
    cafe_mem_free(s->context, s->divided);
    return status;
}
