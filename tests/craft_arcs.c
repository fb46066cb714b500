/* Writes .cafe files with right checksums whose rows are not symmetric: craft_arcs FOLDER.
 *
 * Their counts are what the rows tell, so that --tune trust=yes lets them through: what every
 * command makes of such a graph is tested in test_cli_trust.sh. */
#define _GNU_SOURCE
#include "craft.h"

enum { MOST = 4096 };

typedef struct arcs {
    int64_t nodes, count;
    int32_t source[MOST], target[MOST];
    float weights[MOST];
} arcs;

static void add(arcs *a, int64_t u, int64_t w) {
    assert_true(a->count < MOST);
    a->source[a->count] = (int32_t)u;
    a->target[a->count] = (int32_t)w;
    a->weights[a->count] = 0.25f + (float)(a->count * 7 % 11);
    a->count++;
}

/* The arcs of one node to all others, and of all others to one. */
static void star(arcs *a, int64_t n) {
    for (int64_t w = 1; w < n; w++) add(a, 0, w);
}
static void sink(arcs *a, int64_t n) {
    for (int64_t u = 0; u < n - 1; u++) add(a, u, n - 1);
}
static void back(arcs *a, int64_t n) {
    for (int64_t u = 1; u < n; u++) add(a, u, 0);
}
static void path(arcs *a, int64_t n) {
    for (int64_t u = 0; u + 1 < n; u++) add(a, u, u + 1);
}
static void cycle(arcs *a, int64_t n) {
    path(a, n);
    add(a, n - 1, 0);
}
/* Every pair in one direction: up, and round a circle so that all rows are as long. */
static void triangle(arcs *a, int64_t n) {
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = u + 1; w < n; w++) add(a, u, w);
}
static void below(arcs *a, int64_t n) {
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < u; w++) add(a, u, w);
}
static void tournament(arcs *a, int64_t n) {
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if ((w - u + n) % n > 0 && (w - u + n) % n <= n / 2) add(a, u, w);
}
/* Each row its own, some with loops. */
static void chance(arcs *a, int64_t n) {
    uint64_t seed = 3;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (test_below(&seed, 8) == 0) add(a, u, w);
}
/* Two dense halves, linked in one direction. */
static void halves(arcs *a, int64_t n) {
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (u != w && (u < n / 2) <= (w < n / 2)) add(a, u, w);
}

static const struct {
    const char *name;
    void (*fill)(arcs *a, int64_t n);
} shapes[] = {
    {"star", star},     {"sink", sink},    {"back", back},         {"below", below},
    {"path", path},     {"cycle", cycle},  {"triangle", triangle}, {"tournament", tournament},
    {"chance", chance}, {"halves", halves}};

int main(int count, char **arguments) {
    cafe_context *context = test_context(1, 1);
    if (count != 2) return 2;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            if (weighted != (int)(i % 2) && shapes[i].fill != chance) continue;
            arcs a = {.nodes = 40};
            char path_of[512];
            shapes[i].fill(&a, a.nodes);
            cafe_graph *graph = craft_arcs(context, a.nodes, a.count, a.source, a.target,
                                           weighted ? a.weights : NULL);
            snprintf(path_of, sizeof path_of, "%s/%s%s.cafe", arguments[1], shapes[i].name,
                     weighted ? "-weighted" : "");
            TEST_OK(context, cafe_graph_write(context, graph, path_of, CAFE_FORMAT_CAFE, 1));
            cafe_graph_free(graph);
        }
    cafe_context_free(context);
    return 0;
}
