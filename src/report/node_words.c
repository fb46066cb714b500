/* A node in sentences: which community it is in and why, what would change that, which nodes are
 * near, which columns set it apart. Every figure is that of a card.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "base/memory.h"
#include "base/print.h"
#include "explain/explain.h"
#include "report/report.h"

enum { NEAR = 5, PULLS = 3, UNUSUAL = 2 };

typedef struct words {
    cafe_context *context;
    cafe_explanation *e;
    const cafe_explanation_inputs *with;
    cafe_node_card card;
    cafe_report text;
    const char *name; /* of the node */
} words;

/* ---- text ------------------------------------------------------------------------------------ */

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = cafe_vprint(NULL, 0, format, again);
    va_end(again);
    char *room = cafe_report_room(&w->text, (int64_t)length + 1);
    if (room) w->text.size += cafe_vprint(room, (size_t)length + 1, format, arguments);
    va_end(arguments);
}

/* The name of a node, to be freed; "?" without memory is never shown: the text fails. */
static char *node_name(words *w, int64_t u) {
    size_t length = cafe_graph_name(w->with->graph, u, &(char){0}, 1);
    char *text = cafe_mem(w->context, (int64_t)length + 1, 1);
    if (text)
        cafe_graph_name(w->with->graph, u, text, length + 1);
    else
        w->text.status = CAFE_ERROR_MEMORY;
    return text;
}

static void say_node(words *w, int64_t u) {
    char *text = node_name(w, u);
    if (text) say(w, "%s", text);
    cafe_mem_free(w->context, text);
}

static void say_community(words *w, int32_t c) {
    if (w->with->communities)
        say(w, "%s", cafe_labels_class_name(w->with->communities, c));
    else
        say(w, "%lld", (long long)c);
}

/* ", " or " and " before item i of `count`. */
static const char *joint(int64_t i, int64_t count) {
    return i == 0 ? "" : i + 1 == count ? " and " : ", ";
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

/* ---- the community --------------------------------------------------------------------------- */

/* Neighbours of the node in a community. */
static int64_t links_to(const words *w, int32_t community) {
    const cafe_operator_parts *s = &w->e->op->parts;
    int64_t u = w->card.node, count = 0;
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
        count += s->targets[j] != u && w->e->sets.part[s->targets[j]] == community;
    return count;
}

static void say_membership(words *w) {
    const cafe_node_card *c = &w->card;
    if (c->community < 0) {
        say(w, "%s is in no community.\n", w->name);
        return;
    }
    int64_t here = links_to(w, c->community);
    int64_t there = c->second >= 0 ? links_to(w, c->second) : 0;
    say(w, "%s is in community ", w->name);
    say_community(w, c->community);
    say(w, " %s %lld of its %lld neighbour%s %s there.\n",
        here >= there ? "because" : "although only", (long long)here, (long long)c->linked,
        plural(c->linked), here == 1 ? "is" : "are");
    if (c->second < 0) {
        say(w, "No other community attracts it.\n");
        return;
    }
    say(w, "Next is community ");
    say_community(w, c->second);
    say(w, " with %lld neighbour%s.\n", (long long)there, plural(there));
}

/* An edge more to S' adds about p_u / neighbours to q(u,S'); as many fill the margin. */
static void say_change(words *w) {
    const cafe_node_card *c = &w->card;
    if (c->community < 0 || c->second < 0 || c->linked == 0) return;
    double edge = c->mass / (double)c->linked;
    long long more = (long long)floor(c->margin / edge) + 1;
    if (c->margin < 0) {
        say(w, "By modularity alone community ");
        say_community(w, c->second);
        say(w, " would suit it better.\n");
        return;
    }
    say(w, "About %lld more edge%s to community ", more, plural(more));
    say_community(w, c->second);
    say(w, " would move it there: it is %s.\n",
        more <= 1   ? "on the border"
        : more <= 3 ? "not far from the border"
                    : "firmly inside");
}

static void say_rank(words *w) {
    const cafe_node_card *c = &w->card;
    if (c->community < 0) return;
    say(w, "In its community of %lld node%s it is ", (long long)c->members, plural(c->members));
    if (c->rank == 1)
        say(w, "the most central.\n");
    else
        say(w, "number %lld by centrality.\n", (long long)c->rank);
}

/* ---- other nodes ----------------------------------------------------------------------------- */

/* The nodes with the largest cosine; the card has left the inner products. */
static int64_t nearest(const words *w, cafe_listed near[NEAR]) {
    const cafe_explanation *e = w->e;
    int64_t count = 0;
    for (int64_t u = 0; u < e->n; u++) {
        const float *row = e->v.x + u * e->v.stride;
        double length = sqrt(e->op->kernels->dot(e->v.stride, row, row)) * w->card.length;
        if (u == w->card.node || !(length > 0)) continue;
        cafe_listed_offer(near, &count, NEAR, (cafe_listed){(int32_t)u, e->products[u] / length});
    }
    return count;
}

static void say_nearest(words *w) {
    cafe_listed near[NEAR];
    int64_t count = nearest(w, near);
    if (count == 0) return;
    say(w, "The nearest vectors are those of ");
    for (int64_t i = 0; i < count; i++) {
        say(w, "%s", joint(i, count));
        say_node(w, near[i].index);
        say(w, " (%.2f)", near[i].value);
    }
    say(w, "; 1 is the same direction.\n");
}

/* Neighbours whose vectors are like its own, or unlike. */
static void say_forces(words *w, const char *begin, const cafe_force *list, int64_t count) {
    int32_t node[PULLS];
    int64_t shown = 0;
    for (int64_t i = 0; i < count && shown < PULLS; i++)
        if (list[i].linked && list[i].covariance > 0) node[shown++] = list[i].node;
    if (shown == 0) return;
    say(w, "%s: ", begin);
    for (int64_t i = 0; i < shown; i++) {
        say(w, "%s", joint(i, shown));
        say_node(w, node[i]);
    }
    say(w, ".\n");
}

/* ---- columns --------------------------------------------------------------------------------- */

static void say_end(words *w, const char *end, const cafe_listed *nodes, int64_t count,
                    const cafe_listed *communities, int64_t community_count) {
    int64_t shown = count < PULLS ? count : PULLS;
    say(w, "%s ", end);
    if (community_count > 0) {
        say(w, "community ");
        say_community(w, communities[0].index);
        say(w, " (");
    }
    for (int64_t i = 0; i < shown; i++) {
        say(w, "%s", i ? ", " : "");
        say_node(w, nodes[i].index);
    }
    say(w, "%s", community_count > 0 ? ")" : "");
}

static void say_column(words *w, const cafe_coordinate *at) {
    cafe_dimension_card d;
    bool high = at->deviations > 0;
    cafe_explain_dimension(w->e, at->column, &d);
    say(w, "In column %lld it is %s than %.0f %% of the nodes: ", (long long)at->column,
        high ? "higher" : "lower", high ? at->percentile : 100 - at->percentile);
    say_end(w, "high is", d.high, d.ends, d.high_communities, d.high_count);
    say_end(w, ", low is", d.low, d.ends, d.low_communities, d.low_count);
    if (w->with->with_labels && w->with->with_labels[at->column].index >= 0)
        say(w, "; it goes with the label %s",
            cafe_labels_class_name(w->with->labels, w->with->with_labels[at->column].index));
    say(w, ".\n");
}

/* ---- the call -------------------------------------------------------------------------------- */

static void say_all(words *w) {
    const cafe_node_card *c = &w->card;
    say_membership(w);
    say_change(w);
    say_rank(w);
    say(w, "It has %lld neighbour%s and %.2g %% of all edge ends.\n", (long long)c->linked,
        plural(c->linked), 100 * c->mass);
    say_nearest(w);
    say_forces(w, "Neighbours that hold it most", c->pulls, c->pull_count);
    say_forces(w, "Neighbours that pull elsewhere", c->pushes, c->push_count);
    for (int64_t i = 0; i < c->coordinate_count && i < UNUSUAL; i++)
        say_column(w, c->coordinates + i);
}

cafe_status cafe_explain_words(cafe_context *context, cafe_explanation *explanation,
                               const cafe_explanation_inputs *inputs, int64_t node,
                               const char **text) {
    words w = {.context = context, .e = explanation, .with = inputs, .text = {.context = context}};
    *text = NULL;
    CAFE_PASS(cafe_explain_node(context, explanation, node, &w.card));
    char *name = node_name(&w, node);
    w.name = name;
    if (name) say_all(&w);
    cafe_report_put(&w.text, "", 1);
    cafe_mem_free(context, name);
    cafe_mem_free(context, explanation->words);
    explanation->words = w.text.text;
    *text = w.text.text;
    return w.text.status;
}
