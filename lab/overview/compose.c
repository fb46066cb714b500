/* The sections of an overview, in words: each a sentence or two, then a table. */
#include <inttypes.h>
#include <string.h>

#include <cafe/explain.h>
#include <cafe/rank.h>

#include "base/print.h"
#include "draw/view.h"
#include "overview/overview.h"

/* Before an option: the commands are those of a shell, whoever asks for the report. */
#define OPTION \
    "-"        \
    "-"

enum { COMMUNITIES = 12, COLUMNS = 6, ENDS = 3, CENTRAL = 10, UNSURE = 5 };

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

/* "1,234,567" into text; returns text. */
enum { COUNT_TEXT = 32 };
static const char *count_text(int64_t count, char text[COUNT_TEXT]) {
    char digits[COUNT_TEXT];
    int length = cafe_print(digits, sizeof digits, "%" PRId64, count), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

static const cafe_run_trials *trials_of(const cafe_overview *o) {
    return cafe_run_get(o->communities)->trials;
}

/* ---- what was read --------------------------------------------------------------------------- */

static void say_count(cafe_blocks *b, int64_t count, const char *what, const char *fate) {
    if (count == 0) return;
    cafe_blocks_row(b);
    cafe_blocks_cell(b, "%s", what);
    cafe_blocks_cell(b, "%" PRId64, count);
    cafe_blocks_cell(b, "%s", fate);
    cafe_blocks_row_end(b);
}

static bool lost_some(const cafe_graph_counts *c) {
    return c->self_loops || c->duplicates || c->reversed || c->zero_weights || c->outside ||
           c->lighter || c->isolated;
}

static void put_losses(cafe_blocks *b, const cafe_graph_counts *c) {
    if (!lost_some(c)) {
        cafe_blocks_say(b, "Nothing was dropped or merged, and every node has an edge.");
        return;
    }
    cafe_blocks_table(b, "lines or nodes|#count|what became of them");
    say_count(b, c->self_loops, "self-loops", c->self_loops_kept ? "kept" : "dropped");
    say_count(b, c->duplicates, "repeated edges", "merged with the first");
    say_count(b, c->reversed, "edges listed in both directions", "merged into one");
    say_count(b, c->zero_weights, "edges of weight 0", "dropped");
    say_count(b, c->outside, "edges outside the range of weights", "left out");
    say_count(b, c->lighter, "edges not among the heaviest", "left out");
    say_count(b, c->isolated, "nodes without an edge", "kept: nothing says where they belong");
    cafe_blocks_table_end(b);
}

static void put_reading(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    const cafe_graph *read = o->inputs.read ? o->inputs.read : o->graph;
    const cafe_graph_counts *c = cafe_graph_get_counts(read);
    const cafe_graph_reading *r = cafe_graph_get_reading(read);
    char nodes[COUNT_TEXT], edges[COUNT_TEXT], parts[COUNT_TEXT], largest[COUNT_TEXT];
    char most[COUNT_TEXT];
    cafe_blocks_heading(b, "What was read");
    cafe_blocks_say(b,
                    "%s node%s and %s %sedge%s in %s component%s; the largest component has %s "
                    "node%s. A node has %.1f neighbours on average and at most %s.",
                    count_text(c->nodes, nodes), plural(c->nodes), count_text(c->edges, edges),
                    c->weighted ? "weighted " : "", plural(c->edges),
                    count_text(c->components, parts), plural(c->components),
                    count_text(c->largest, largest), plural(c->largest),
                    2 * (double)c->edges / (double)c->nodes, count_text(c->max_degree, most));
    if (r->text && r->text[0]) cafe_blocks_say(b, "The file was understood so: %s.", r->text);
    if (r->warning && r->warning[0]) cafe_blocks_say(b, "Please check: %s.", r->warning);
    if (c->directed) cafe_blocks_say(b, "Directed edges became undirected.");
    put_losses(b, c);
}

/* ---- is there structure? --------------------------------------------------------------------- */

static double above_rounding(double value) {
    return value < 1e-12 ? 0 : value;
}

static void put_test(cafe_overview *o) {
    const cafe_run_trials *t = trials_of(o);
    cafe_blocks *b = &o->blocks;
    bool found = t->p <= 0.05;
    cafe_blocks_say(b,
                    "%s. Searches with %" PRId64
                    " seeds reach a modularity of %.4g (deviation "
                    "%.2g). %" PRId64
                    " random graphs with the same degrees reach %.4g (deviation "
                    "%.2g). If the graph were one of them, a value as large would have the "
                    "probability p = %.2g.",
                    found ? "Yes, there are communities" : "No more than in a random graph",
                    t->count, t->mean, above_rounding(t->deviation), t->count, t->random_mean,
                    t->random_deviation, t->p);
    const double value[2] = {t->mean, t->random_mean};
    const double error[2] = {t->deviation, t->random_deviation};
    cafe_blocks_bars(b, "Modularity",
                     "Modularity of this graph (left) and of random graphs with "
                     "the same degrees (right); the ticks are deviations",
                     2, value, error);
}

static void put_structure(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    const cafe_layer *top = cafe_overview_layer(o);
    cafe_blocks_heading(b, "Are there communities?");
    if (trials_of(o))
        put_test(o);
    else
        cafe_blocks_say(b, "Not tested: the test takes 39 searches, and this graph is large.");
    if (o->page.proved)
        cafe_blocks_say(b,
                        "The partition has modularity %.4g. It is proved that no other partition "
                        "has more.",
                        top->modularity);
    else if (o->page.bound > 0)
        cafe_blocks_say(b, "The partition has modularity %.4g. No partition has more than %.4g.",
                        top->modularity, o->page.bound);
    else
        cafe_blocks_say(b, "The partition has modularity %.4g.", top->modularity);
}

/* ---- communities ----------------------------------------------------------------------------- */

/* Without labels and attributes communities are described by their most central nodes alone. */
static bool has_words(const cafe_overview *o) {
    return o->inputs.labels || o->inputs.facts;
}

static cafe_status put_community(cafe_overview *o, int32_t k) {
    cafe_blocks *b = &o->blocks;
    cafe_community_card card;
    int32_t central[ENDS];
    int64_t count = 0;
    CAFE_PASS(cafe_explain_community(o->context, cafe_view_explained(o->found), k, &card));
    for (; count < ENDS && count < card.central_count; count++)
        central[count] = card.central[count].index;
    cafe_blocks_row(b);
    cafe_blocks_cell(b, "%" PRId32, k);
    cafe_blocks_cell(b, "%" PRId64, card.nodes);
    if (has_words(o)) cafe_blocks_cell(b, "%s", cafe_about_text(o->about, k));
    cafe_blocks_nodes(b, count, central);
    if (trials_of(o)) cafe_blocks_cell(b, "%.0f %%", 100 * trials_of(o)->community_stay[k]);
    cafe_blocks_cell(b, "%.2f", card.conductance);
    cafe_blocks_row_end(b);
    return CAFE_OK;
}

static cafe_status put_communities(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    const cafe_layer *top = cafe_overview_layer(o);
    const cafe_run_trials *t = trials_of(o);
    int64_t shown = top->communities < COMMUNITIES ? top->communities : COMMUNITIES;
    cafe_sizes sizes;
    CAFE_PASS(cafe_partition_sizes(o->context, cafe_graph_nodes(o->graph), top->partition,
                                   top->communities, &sizes));
    cafe_blocks_heading(b, "Communities");
    cafe_blocks_say(
        b,
        "%" PRId64 " communit%s: the largest has %" PRId64 " node%s, the median %" PRId64
        ", and %" PRId64
        " ha%s a single node.%s Conductance is the share of the edge "
        "ends that leave.",
        top->communities, top->communities == 1 ? "y" : "ies", sizes.largest, plural(sizes.largest),
        sizes.median, sizes.single_nodes, sizes.single_nodes == 1 ? "s" : "ve",
        t ? " How sure: the share of the searches in which its nodes stay together." : "");
    cafe_blocks_table(b, !t ? has_words(o) ? "community|#nodes|about|most central|#conductance"
                                           : "community|#nodes|most central|#conductance"
                         : has_words(o)
                             ? "community|#nodes|about|most central|#how sure|#conductance"
                             : "community|#nodes|most central|#how sure|#conductance");
    for (int64_t k = 0; k < shown; k++) CAFE_PASS(put_community(o, (int32_t)k));
    cafe_blocks_table_end(b);
    if (shown < top->communities)
        cafe_blocks_say(b, "And %" PRId64 " smaller ones.", top->communities - shown);
    return CAFE_OK;
}

/* The nodes that change their community most often. */
static void put_unsure(cafe_overview *o) {
    const cafe_run_trials *t = trials_of(o);
    cafe_scored list[UNSURE];
    cafe_top top = {list, 0, UNSURE};
    if (!t) return;
    for (int64_t u = 0; u < cafe_graph_nodes(o->graph); u++)
        if (t->stay[u] < 0.8f) cafe_top_offer(&top, (cafe_scored){1 - t->stay[u], (int32_t)u});
    cafe_top_sort(&top);
    if (top.count == 0) {
        cafe_blocks_say(&o->blocks, "Every node stays in at least 80 %% of the searches.");
        return;
    }
    cafe_blocks_say(&o->blocks, "The least sure nodes change their community often:");
    cafe_blocks_table(&o->blocks, "node|#stays|community");
    for (int64_t i = 0; i < top.count; i++) {
        int32_t u = list[i].node;
        cafe_blocks_row(&o->blocks);
        cafe_blocks_node(&o->blocks, u);
        cafe_blocks_cell(&o->blocks, "%.0f %%", 100 * (double)t->stay[u]);
        cafe_blocks_cell(&o->blocks, "%" PRId32, cafe_overview_layer(o)->partition[u]);
        cafe_blocks_row_end(&o->blocks);
    }
    cafe_blocks_table_end(&o->blocks);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void put_ends(cafe_overview *o, const cafe_listed *list, int64_t count) {
    int32_t node[ENDS];
    int64_t shown = 0;
    for (; shown < ENDS && shown < count; shown++) node[shown] = list[shown].index;
    cafe_blocks_nodes(&o->blocks, shown, node);
}

static void put_column(cafe_overview *o, int64_t j) {
    cafe_dimension_card c;
    cafe_explain_dimension(cafe_view_explained(o->found), j, &c);
    cafe_blocks_row(&o->blocks);
    cafe_blocks_cell(&o->blocks, "%" PRId64, j);
    cafe_blocks_cell(&o->blocks, "%.4g", c.value);
    cafe_blocks_cell(&o->blocks, "%.2g", c.residual);
    put_ends(o, c.low, c.ends);
    put_ends(o, c.high, c.ends);
    cafe_blocks_row_end(&o->blocks);
}

static void put_vectors(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    const cafe_certificate *c = cafe_embedding_certificate(cafe_run_get(o->vectors)->embedding);
    int64_t shown = c->columns < COLUMNS ? c->columns : COLUMNS;
    cafe_blocks_heading(b, "Vectors");
    cafe_blocks_say(b,
                    "%" PRId64 " column%s for each node; %" PRId64
                    " of them carry a certificate. "
                    "The value is the strength of the pattern that a column shows, 1 at most. A "
                    "true one of the graph lies within the residual: with a small residual the "
                    "pattern belongs to the graph and not to this run.",
                    c->columns, plural(c->columns), c->certified);
    cafe_blocks_table(b, "column|#value|#residual|low end|high end");
    for (int64_t j = 0; j < shown; j++) put_column(o, j);
    cafe_blocks_table_end(b);
    if (c->pairs > 0)
        cafe_blocks_bars(b, "Ritz values", "Ritz values of the vectors; the ticks are residuals",
                         c->pairs, c->ritz_values, c->residuals);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static cafe_status put_central(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    int32_t order[CENTRAL];
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(o->graph), count = n < CENTRAL ? n : CENTRAL;
    CAFE_PASS(cafe_rank_top(o->context, n, o->page.centrality, count, order));
    cafe_graph_csr(o->graph, &offsets, &targets, &weights);
    cafe_blocks_heading(b, "Central nodes");
    cafe_blocks_say(b, "By PageRank: where a random walk along the edges is found most often.");
    cafe_blocks_table(b, "node|#PageRank|#neighbours|community");
    for (int64_t i = 0; i < count; i++) {
        int32_t u = order[i];
        cafe_blocks_row(b);
        cafe_blocks_node(b, u);
        cafe_blocks_cell(b, "%.4g", o->page.centrality[u]);
        cafe_blocks_cell(b, "%" PRId64, offsets[u + 1] - offsets[u]);
        cafe_blocks_cell(b, "%" PRId32, cafe_overview_layer(o)->partition[u]);
        cafe_blocks_row_end(b);
    }
    cafe_blocks_table_end(b);
    return CAFE_OK;
}

static void put_bridges(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    cafe_blocks_heading(b, "Nodes between communities");
    if (o->around.bridges == 0) {
        cafe_blocks_say(b, "No edge joins two communities.");
        return;
    }
    cafe_blocks_say(b, "Nodes with many edges that divide among communities.");
    cafe_blocks_table(b, "node|community|#edges inside|next|#edges there");
    for (int64_t i = 0; i < o->around.bridges; i++) {
        const cafe_bridge *x = o->around.bridge + i;
        cafe_blocks_row(b);
        cafe_blocks_node(b, x->node);
        cafe_blocks_cell(b, "%" PRId32, cafe_overview_layer(o)->partition[x->node]);
        cafe_blocks_cell(b, "%.0f %%", 100 * x->own);
        cafe_blocks_cell(b, "%" PRId32, x->other);
        cafe_blocks_cell(b, "%.0f %%", 100 * x->next);
        cafe_blocks_row_end(b);
    }
    cafe_blocks_table_end(b);
}

static void put_odd_label(cafe_overview *o, const cafe_odd *x) {
    cafe_blocks *b = &o->blocks;
    cafe_blocks_cell(b, "%s", cafe_labels_class_name(o->inputs.labels, x->label));
    cafe_blocks_cell(b, "%" PRId64 " of %" PRId64, x->same, x->count);
    cafe_blocks_cell(b, "%s", cafe_labels_class_name(o->inputs.labels, x->other));
    cafe_blocks_cell(b, "%" PRId64 " of %" PRId64, x->most, x->count);
}

static void put_odds(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    bool labels = o->inputs.labels != NULL;
    cafe_blocks_heading(b, "Odd nodes");
    if (o->around.odds == 0) {
        cafe_blocks_say(b, "No node with three neighbours or more disagrees with them.");
        return;
    }
    cafe_blocks_say(b, labels ? "Nodes whose neighbours have another label."
                              : "Nodes whose vector points another way than those of their "
                                "neighbours: their neighbours do not belong together.");
    cafe_blocks_table(b, labels ? "node|label|#neighbours with it|other label|#neighbours with that"
                                : "node|community|#mean cosine with its neighbours");
    for (int64_t i = 0; i < o->around.odds; i++) {
        const cafe_odd *x = o->around.odd + i;
        cafe_blocks_row(b);
        cafe_blocks_node(b, x->node);
        if (labels) {
            put_odd_label(o, x);
        } else {
            cafe_blocks_cell(b, "%" PRId32, cafe_overview_layer(o)->partition[x->node]);
            cafe_blocks_cell(b, "%.3f", x->agreement);
        }
        cafe_blocks_row_end(b);
    }
    cafe_blocks_table_end(b);
}

/* ---- what to do next ------------------------------------------------------------------------- */

/* A shell takes the word as it stands, or within single quotes. */
static bool is_plain(const char *word, bool quoted) {
    return !strpbrk(word, quoted ? "'" : " \t'\"\\$`;&|<>(){}*?[]#~!");
}

static void put_next(cafe_overview *o) {
    cafe_blocks *b = &o->blocks;
    const char *path = o->inputs.path && is_plain(o->inputs.path, false) ? o->inputs.path : "GRAPH";
    char name[128] = "NAME";
    if (o->around.bridges > 0 &&
        (cafe_graph_name(o->graph, o->around.bridge[0].node, name, sizeof name) >= sizeof name ||
         !is_plain(name, true)))
        cafe_print(name, sizeof name, "NAME");
    cafe_blocks_heading(b, "What to do next");
    cafe_blocks_command(b, "Keep the communities", "cafe cluster %s -o communities.tsv", path);
    cafe_blocks_command(b, "Keep the vectors, for a classifier or a search",
                        "cafe embed %s -o vectors.npy", path);
    cafe_blocks_command(b, "Ask about a node", "cafe explain %s vectors.npy " OPTION "node '%s'",
                        path, name);
    cafe_blocks_command(b, "Which nodes should be linked", "cafe recommend %s " OPTION "node '%s'",
                        path, name);
    if (o->inputs.labels)
        cafe_blocks_command(b, "Labels of the nodes that have none",
                            "cafe predict %s " OPTION "labels LABELS -o predicted.tsv", path);
    if (!trials_of(o))
        cafe_blocks_command(b, "Test whether there are communities",
                            "cafe cluster %s " OPTION "trials 19 " OPTION "json trials.json", path);
}

/* The answer first. */
static void put_answer(cafe_overview *o) {
    const cafe_layer *top = cafe_overview_layer(o);
    const cafe_run_trials *t = trials_of(o);
    char nodes[COUNT_TEXT], edges[COUNT_TEXT], found[COUNT_TEXT];
    cafe_blocks_say(&o->blocks, "%s nodes, %s edges: %s communit%s%s.",
                    count_text(cafe_graph_nodes(o->graph), nodes),
                    count_text(cafe_graph_get_counts(o->graph)->edges, edges),
                    count_text(top->communities, found), top->communities == 1 ? "y" : "ies",
                    !t             ? ""
                    : t->p <= 0.05 ? ", more than chance would give"
                                   : ", no more than chance would give");
}

cafe_status cafe_overview_compose(cafe_overview *o) {
    cafe_blocks_begin(&o->blocks, o->context, o->graph, o->page.title);
    put_answer(o);
    put_reading(o);
    put_structure(o);
    CAFE_PASS(put_communities(o));
    put_unsure(o);
    put_vectors(o);
    CAFE_PASS(put_central(o));
    put_bridges(o);
    put_odds(o);
    put_next(o);
    return cafe_blocks_end(&o->blocks);
}
