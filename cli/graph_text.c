/* Graphs in words. */
#include "graph_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "labels.h"

void cli_put_node(FILE *file, const cli_run *run, const cafe_graph *graph, int64_t node) {
    char brief[64];
    size_t length = cafe_graph_field(graph, node, brief, sizeof brief);
    if (length < sizeof brief) {
        fwrite(brief, 1, length, file);
        return;
    }
    char *text = cli_text_room(run, length);
    if (!cli_text_lost(run)) cafe_graph_field(graph, node, text, length + 1);
    fputs(text, file);
}

const char *cli_count_text(int64_t count, char text[CLI_COUNT_TEXT]) {
    char digits[CLI_COUNT_TEXT];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count), at = 0;
    for (int i = 0; i < length && at + 2 < CLI_COUNT_TEXT; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

double cli_above_rounding(double value, double largest) {
    return fabs(value) < 1e-12 * fabs(largest) ? 0 : value;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_change(char *text, size_t capacity, int64_t count, const char *what,
                       const char *fate) {
    char number[CLI_COUNT_TEXT];
    size_t at = strlen(text);
    if (count == 0 || at >= capacity) return;
    snprintf(text + at, capacity - at, "%s%s %s%s %s", at > 0 ? ", " : "",
             cli_count_text(count, number), what, cli_plural(count), fate);
}

bool cli_graph_changes(const cafe_graph_counts *c, char *text, size_t capacity) {
    text[0] = 0;
    add_change(text, capacity, c->self_loops, "self-loop", c->self_loops_kept ? "kept" : "dropped");
    add_change(text, capacity, c->duplicates, "repeated edge", "merged");
    add_change(text, capacity, c->reversed, "edge",
               c->mirrored ? "listed in both directions with one weight counted once"
                           : "listed in both directions merged");
    add_change(text, capacity, c->zero_weights, "edge", "of weight 0 dropped");
    add_change(text, capacity, c->outside, "edge", "outside the range of weights left out");
    add_change(text, capacity, c->lighter, "edge", "not among the heaviest of either end left out");
    return text[0] != 0;
}

const char *cli_directed_text(int32_t rule) {
    static const char *const texts[] = {"no", "sum: A + A^T", "cocitation: A A^T + A^T A",
                                        "flow: pi_u P(u,w) + pi_w P(w,u)"};
    return texts[rule];
}

/* "layers    calls: 12 edges, weight 1" for the first, then the others. */
static void say_layers(cli_run *run, const cafe_graph *graph) {
    enum { FEW = 12 };
    int64_t count;
    const cafe_graph_layer *layers = cafe_graph_layers(graph, &count);
    bool slices = cafe_graph_slice_of(graph) != NULL;
    char edges[CLI_COUNT_TEXT];
    for (int64_t l = 0; l < count && l < FEW; l++) {
        const char *title = l > 0 ? "" : slices ? "slices" : "layers";
        cli_count_text(layers[l].edges, edges);
        if (slices)
            cli_say(run, "%-9s %s: %s edge%s", title, layers[l].name, edges,
                    cli_plural(layers[l].edges));
        else
            cli_say(run, "%-9s %s: %s edge%s, weight %g", title, layers[l].name, edges,
                    cli_plural(layers[l].edges), layers[l].weight);
    }
    if (count > FEW) cli_say(run, "          and %" PRId64 " more", count - FEW);
}

void cli_say_graph(cli_run *run, const char *path, const cafe_graph *graph) {
    char nodes[CLI_COUNT_TEXT], edges[CLI_COUNT_TEXT], parts[CLI_COUNT_TEXT], changes[512];
    cafe_graph_counts c = *cafe_graph_get_counts(graph);
    cli_say(run, "graph     %s: %s node%s, %s %sedge%s, %s component%s", path,
            cli_count_text(c.nodes, nodes), cli_plural(c.nodes), cli_count_text(c.edges, edges),
            c.weighted ? "weighted " : "", cli_plural(c.edges), cli_count_text(c.components, parts),
            cli_plural(c.components));
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    if (r->heading || r->columns > 2 || r->files > 1) cli_say(run, "          %s", r->text);
    if (cli_graph_changes(&c, changes, sizeof changes)) cli_say(run, "          %s", changes);
    if (c.directed)
        cli_say(run, "          directed edges by the rule %s", cli_directed_text(c.directed));
    say_layers(run, graph);
    if (c.left_nodes > 0)
        cli_say(run, "          two sides: %s and %s nodes%s", cli_count_text(c.left_nodes, nodes),
                cli_count_text(c.nodes - c.left_nodes, edges),
                strncmp(cli_name(run, graph, c.nodes - 1), "right:", 6) == 0
                    ? "; the names of the second begin with right:"
                    : "");
    if (c.isolated > 0)
        cli_say(run, "          %s isolated node%s", cli_count_text(c.isolated, nodes),
                cli_plural(c.isolated));
}

/* Warns of more than one line in a hundred that is not an edge of its own, unless the option that
 * decides about such lines was given. */
static void warn_of(cli_run *run, const cafe_graph_counts *c, int64_t count, const char *what,
                    const char *option) {
    char some[CLI_COUNT_TEXT], all[CLI_COUNT_TEXT];
    if (count <= c->lines / 100 || cli_given(run->arguments, option)) return;
    cli_warn(run, "%s of %s edges in the file %s", cli_count_text(count, some),
             cli_count_text(c->lines, all), what);
}

static void warn_of_losses(cli_run *run, const cafe_graph *graph) {
    const cafe_graph_counts *c = cafe_graph_get_counts(graph);
    /* the lines of a .cafe file are those that it was made from */
    if (cafe_graph_get_reading(graph)->format == CAFE_FORMAT_CAFE) return;
    if (!c->self_loops_kept)
        warn_of(run, c, c->self_loops, "are self-loops and left out (--self-loops keep keeps them)",
                "self-loops");
    warn_of(run, c, c->duplicates,
            c->weighted ? "repeat an edge: the weights of an edge are added (--duplicates one "
                          "takes the largest)"
                        : "repeat an edge, which counts once (--duplicates sum makes the number of "
                          "lines its weight)",
            "duplicates");
    if (c->weighted && !c->mirrored && !c->directed)
        warn_of(run, c, c->reversed,
                "are the other direction of an edge: the weights of both are added (--duplicates "
                "one takes the larger)",
                "duplicates");
}

void cli_warn_reading(cli_run *run, const cafe_graph *graph) {
    const char *warning = cafe_graph_get_reading(graph)->warning;
    if (warning && warning[0]) cli_warn(run, "%s", warning);
    warn_of_losses(run, graph);
}

/* ---- files ----------------------------------------------------------------------------------- */

int cli_read_graph(cli_run *run, const char *labels) {
    CLI_TRY(cli_read_labelled(run, run->words[0], &run->common.reading, labels, &run->graph));
    run->counts = *cafe_graph_get_counts(run->graph);
    return CLI_OK;
}

int cli_write_graph(cli_run *run, const cafe_graph *graph, const char *path) {
    return cli_check(
        run, cafe_graph_write(run->context, graph, path, CAFE_FORMAT_AUTO, run->common.force));
}

const cli_option cli_nodes_rows[] = {
    CLI_ROW_READS(
        cli_common, nodes_from, "nodes-from",
        "nodes of the graph, one per line or a table of nodes; nodes that no edge mentions "
        "are added without an edge, and further columns of a table are attributes"),
    CLI_ROW_END};

int cli_add_nodes(cli_run *run, cafe_graph **graph, int64_t *added) {
    const char *path = run->common.nodes_from;
    const cafe_label_columns columns = {.nodes = 1};
    *added = 0;
    if (!path) return CLI_OK;
    return cli_check(run, cafe_graph_add_labelled(run->context, path, &columns, graph, added));
}

/* Does the run read a file beside its graph? */
static bool reads_more(const cli_run *run) {
    const cli_arguments *a = run->arguments;
    for (size_t i = 0; i < a->entries.count; i++) {
        const cli_option *own = a->entries.at[i].own;
        if (a->given[i] && own && own->kind == CLI_READS && strcmp(own->name, "config") != 0)
            return true;
    }
    return a->count > 1;
}

int cli_read_labelled(cli_run *run, const char *path, const cafe_graph_options *options,
                      const char *labels, cafe_graph **graph) {
    int64_t added = 0, listed = 0;
    cafe_graph_options reading = *options;
    reading.beside = reads_more(run);
    CLI_TRY(cli_check(run, cafe_graph_read(run->context, path, &reading, graph)));
    cli_warn_reading(run, *graph);
    CLI_TRY(cli_add_nodes(run, graph, &listed));
    if (labels) CLI_TRY(cli_add_labelled(run, labels, graph, &added));
    cli_say_graph(run, path, *graph);
    cli_say_added(run, run->common.nodes_from, listed);
    cli_say_added(run, labels, added);
    return CLI_OK;
}

const char *cli_distance_text(double bound, double found, char text[CLI_DISTANCE_TEXT]) {
    double share = bound > 0 && found < bound ? 100 * (bound - found) / bound : 0;
    snprintf(text, CLI_DISTANCE_TEXT, "at most %.2g %% from the best", share);
    return text;
}
