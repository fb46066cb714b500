/* Communities that a run starts from, and what became of them. */
#include "start.h"

#include <inttypes.h>

#include <cafe-private/inputs.h>

#include "graph_text.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* The number that a class of the file is called by; -1: its name is none. */
static int32_t number_of(const cafe_labels *labels, int64_t c) {
    const char *name = cafe_labels_class_name(labels, c), *end;
    uint64_t number;
    if (!cli_whole(name, INT32_MAX / 2, &number, &end) || *end) return -1;
    return (int32_t)number;
}

void cli_community_numbers(const cafe_labels *labels, int64_t n, int32_t *part) {
    int64_t classes = cafe_labels_classes(labels);
    for (int64_t c = 0; c < classes; c++)
        if (number_of(labels, c) < 0) return;
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= 0) part[u] = number_of(labels, part[u]);
}

/* Nodes that the graph no longer has are left out. */
static int read_start(cli_run *run, const char *path, int32_t **part) {
    char gone[CLI_COUNT_TEXT];
    int64_t skipped = 0, n = cafe_graph_nodes(run->graph);
    cafe_labels *labels = NULL;
    CLI_TRY(
        cli_check(run, cafe_labels_read(run->context, run->graph, path, NULL, &skipped, &labels)));
    *part = cli_new(run, n, sizeof **part);
    int code =
        *part ? cli_check(run, cafe_labels_single(run->context, labels, *part)) : CLI_RESOURCES;
    if (code == CLI_OK) {
        cli_community_numbers(labels, n, *part);
        cli_say(run, "start     %s: %" PRId64 " communit%s, %" PRId64 " of %" PRId64 " nodes", path,
                cafe_labels_classes(labels), cafe_labels_classes(labels) == 1 ? "y" : "ies",
                cafe_labels_labelled(labels), n);
        if (skipped > 0)
            cli_say(run, "          %s node%s of it left out, which the graph does not have",
                    cli_count_text(skipped, gone), cli_plural(skipped));
    }
    cafe_labels_free(labels);
    return code;
}

/* The library's array is copied, so that it goes with the run. */
static int read_keep(cli_run *run, const char *path, int64_t *count, const int32_t **keep) {
    int32_t *nodes = NULL, *copy = NULL;
    CLI_TRY(cli_check(run, cafe_nodes_read(run->context, run->graph, path, count, &nodes)));
    copy = cli_new(run, *count, sizeof *copy);
    for (int64_t i = 0; copy && i < *count; i++) copy[i] = nodes[i];
    cafe_nodes_free(run->context, nodes);
    *keep = copy;
    return copy ? CLI_OK : CLI_RESOURCES;
}

int cli_read_communities(cli_run *run, const cli_start *start, cafe_run_inputs *inputs) {
    int32_t *part = NULL;
    if (start->communities) CLI_TRY(read_start(run, start->communities, &part));
    inputs->partition = part;
    if (start->keep) CLI_TRY(read_keep(run, start->keep, &inputs->keep_count, &inputs->keep));
    return CLI_OK;
}

/* ---- what became of them --------------------------------------------------------------------- */

void cli_say_changes(const cli_run *run, const cafe_run_changes *changes) {
    char old[CLI_COUNT_TEXT];
    if (!changes) return;
    const cafe_transition_report *t = changes->communities;
    int64_t all = changes->kept + changes->moved;
    cli_say(run,
            "changes   %.2f%% of %s nodes keep their community; %" PRId64 " born, %" PRId64
            " died, %" PRId64 " split, %" PRId64 " merged",
            all > 0 ? 100 * (double)changes->kept / (double)all : 100.0, cli_count_text(all, old),
            changes->born, changes->died, t->split, t->merged);
}
