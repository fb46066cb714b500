/* Names of the leading nodes, those with most edges first. A name takes the first of eight places
 * around its point that overlaps no other name and no point of a small graph, and lies in the
 * picture. */

#include "base/memory.h"
#include "draw/plot.h"
#include "graph/graph.h"
#include "io/name_format.h"
#include "rank/top_list.h"

enum { FEW_POINTS = 2000, TRIED = 4 /* nodes for each name that is wanted */ };

typedef struct box {
    double left, top, right, bottom;
} box;

typedef struct boxes {
    int64_t count;
    box *list;
} boxes;

static bool meet(box a, box b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

static bool is_free(const boxes *taken, box b) {
    for (int64_t i = 0; i < taken->count; i++)
        if (meet(taken->list[i], b)) return false;
    return true;
}

/* ---- who --------------------------------------------------------------------------------------
 */

/* Finds the nodes with the largest sums of weights, in this order; equal ones by id. */
static int64_t find_leading(const cafe_graph *g, int64_t most, cafe_scored *list) {
    cafe_top top = {list, 0, most};
    for (int64_t u = 0; u < g->n; u++) {
        double sum = g->weights ? 0 : (double)(g->offsets[u + 1] - g->offsets[u]);
        for (int64_t a = g->offsets[u]; g->weights && a < g->offsets[u + 1]; a++)
            sum += g->weights[a];
        cafe_top_offer(&top, (cafe_scored){sum, (int32_t)u});
    }
    cafe_top_sort(&top);
    return top.count;
}

/* ---- where ------------------------------------------------------------------------------------
 */

static double name_height(const cafe_scene *s) {
    return 0.78 * s->text;
}

/* The k-th place around the point: right, left, above, below, then the corners. */
static box choose_place(const cafe_scene *s, int64_t u, int k, double width,
                        cafe_placed_name *name) {
    static const double way[8][2] = {{1, 0},  {-1, 0}, {0, -1},  {0, 1},
                                     {1, -1}, {1, 1},  {-1, -1}, {-1, 1}};
    double h = name_height(s), gap = s->radius + 0.3 * h, slant = k < 4 ? 1 : 0.75;
    double x = cafe_scene_x(s, u) + way[k][0] * gap * slant;
    double y =
        cafe_scene_y(s, u) + way[k][1] * (gap * slant + (k == 2 || k == 3 ? 0.5 * h : 0.2 * h));
    name->anchor = way[k][0] > 0   ? CAFE_ANCHOR_START
                   : way[k][0] < 0 ? CAFE_ANCHOR_END
                                   : CAFE_ANCHOR_MIDDLE;
    double left = x - width * name->anchor / 2;
    name->x = x;
    name->y = y + 0.36 * h; /* half the height of a capital */
    return (box){left - 0.1 * h, y - 0.55 * h, left + width + 0.1 * h, y + 0.6 * h};
}

static bool place_name(const cafe_scene *s, int64_t u, boxes *taken, cafe_placed_name *name) {
    double width = cafe_font_width(name->text, name_height(s));
    double left = s->inputs.equal ? 0 : s->left, top = s->inputs.equal && !s->title[0] ? 0 : s->top;
    for (int k = 0; k < 8; k++) {
        box b = choose_place(s, u, k, width, name);
        if (b.left < left || b.top < top || b.right > s->right || b.bottom > s->bottom) continue;
        if (!is_free(taken, b)) continue;
        taken->list[taken->count++] = b;
        return true;
    }
    return false;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static void take_points(const cafe_scene *s, boxes *taken) {
    for (int64_t u = 0; s->inputs.n <= FEW_POINTS && u < s->inputs.n; u++) {
        double x = cafe_scene_x(s, u), y = cafe_scene_y(s, u), r = cafe_scene_radius(s, u);
        taken->list[taken->count++] = (box){x - r, y - r, x + r, y + r};
    }
}

static cafe_status take_name(cafe_context *context, const cafe_graph *g, int64_t u,
                             cafe_placed_name *name) {
    char *text = cafe_mem(context, cafe_names_longest(&g->names, g->n) + 1, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    *cafe_put_name(&g->names, u, text) = 0;
    cafe_clean_text(text, name->text, 40);
    cafe_mem_free(context, text);
    return CAFE_OK;
}

cafe_status cafe_scene_name(cafe_context *context, cafe_scene *s) {
    const cafe_graph *g = s->inputs.graph;
    int64_t wanted = s->options.names, tried = TRIED * wanted;
    cafe_scored *leading = NULL;
    boxes taken = {0, NULL};
    cafe_status status = CAFE_OK;
    if (!g || g->n == 0 || wanted == 0) return CAFE_OK;
    if (tried > g->n) tried = g->n;
    s->name = cafe_mem(context, wanted, sizeof *s->name);
    leading = cafe_mem(context, tried, sizeof *leading);
    taken.list = cafe_mem(context, wanted + FEW_POINTS, sizeof *taken.list);
    CAFE_TRY(cafe_mem_had(s->name, leading, taken.list));
    take_points(s, &taken);
    tried = find_leading(g, tried, leading);
    for (int64_t i = 0; i < tried && s->names < wanted; i++) {
        CAFE_TRY(take_name(context, g, leading[i].node, &s->name[s->names]));
        if (place_name(s, leading[i].node, &taken, &s->name[s->names])) s->names++;
    }
done:
    cafe_mem_free_all(context, leading, taken.list);
    return status;
}

void cafe_scene_draw_names(const cafe_scene *s, const cafe_pen *pen) {
    for (int64_t i = 0; i < s->names; i++) {
        const cafe_placed_name *n = &s->name[i];
        pen->name(pen->target, n->x, n->y, name_height(s), n->text, n->anchor, s->ink, s->paper);
    }
}
