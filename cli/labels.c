/* Labels and communities from files. */
#include "labels.h"

#include <inttypes.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "graph_text.h"

/* The columns that options give are those of --labels, else of the file of communities. */
static const cafe_label_columns *columns_of(const cli_run *run, const char *path) {
    const cli_entries *list = &run->arguments->entries;
    const cli_entry *e = cli_find_entry(list, "labels", strlen("labels"));
    if (!e || !cli_given(run->arguments, "labels")) return &run->common.label_columns;
    const char *labels = *(const char *const *)((const char *)run + e->own->offset);
    return strcmp(labels, path) == 0 ? &run->common.label_columns : NULL;
}

/* --label without a file of labels needs a graph whose file has attributes. */
static int check_attributes(cli_run *run, const cafe_graph *graph, const char *path) {
    bool own = cli_given(run->arguments, "label") && !cli_given(run->arguments, "labels") &&
               !cli_given(run->arguments, "communities");
    if (!own || cafe_graph_get_reading(graph)->attribute_count > 0) return CLI_OK;
    return cli_error(
        run, CLI_INPUT,
        "--label %s: expected a graph whose nodes have attributes, found none (--labels "
        "FILE gives a file)",
        path);
}

cafe_status cli_try_labelled(cli_run *run, const char *path, cafe_graph **graph, int64_t *added) {
    bool add = run->common.unknown_nodes == CLI_UNKNOWN_ADD;
    int64_t known, unknown;
    cafe_status status = CAFE_OK;
    if (run->common.unknown_nodes == CLI_UNKNOWN_AUTO) {
        status =
            cafe_labels_census(run->context, *graph, path, columns_of(run, path), &known, &unknown);
        add = status == CAFE_OK && unknown > 0 && known == cafe_graph_nodes(*graph);
    }
    return add ? cafe_graph_add_labelled(run->context, path, columns_of(run, path), graph, added)
               : status;
}

int cli_add_labelled(cli_run *run, const char *path, cafe_graph **graph, int64_t *added) {
    CLI_TRY(check_attributes(run, *graph, path));
    return cli_check(run, cli_try_labelled(run, path, graph, added));
}

void cli_say_added(cli_run *run, const char *path, int64_t added) {
    char count[CLI_COUNT_TEXT];
    if (added > 0)
        cli_say(run, "          %s node%s of %s without an edge: isolated",
                cli_count_text(added, count), cli_plural(added), path);
}

static int read_known(cli_run *run, const cafe_graph *graph, const char *path,
                      cafe_labels **labels) {
    int64_t skipped = 0;
    CLI_TRY(cli_check(
        run, cafe_labels_read(run->context, graph, path, columns_of(run, path), &skipped, labels)));
    if (skipped > 0)
        cli_warn(run, "%s: %" PRId64 " line%s left out, of nodes that the graph does not have",
                 path, skipped, cli_plural(skipped));
    return CLI_OK;
}

/* A file that was refused: left out are unknown nodes of a list of all nodes; else what can be done
 * about them is printed. */
static int try_again(cli_run *run, const cafe_graph *graph, const char *path, cafe_status status,
                     cafe_labels **labels) {
    int64_t known, unknown = 0;
    char text[1024];
    snprintf(text, sizeof text, "%s", cafe_error(run->context));
    if (status != CAFE_ERROR_FORMAT || cli_signal() != 0) return cli_check(run, status);
    if (cafe_labels_census(run->context, graph, path, columns_of(run, path), &known, &unknown) !=
            CAFE_OK ||
        unknown == 0)
        return cli_error(run, CLI_INPUT, "%s", text);
    if (run->common.unknown_nodes == CLI_UNKNOWN_AUTO && known == cafe_graph_nodes(graph))
        return read_known(run, graph, path, labels);
    if (run->common.unknown_nodes == CLI_UNKNOWN_ADD) /* only words among integers are not added */
        return cli_error(run, CLI_INPUT,
                         "%s (the graph's names are integers, so it cannot be added; "
                         "--unknown-nodes skip leaves it out)",
                         text);
    return cli_error(run, CLI_INPUT,
                     "%s (--unknown-nodes skip leaves them out, add makes them nodes without an "
                     "edge)",
                     text);
}

int cli_read_labels(cli_run *run, const cafe_graph *graph, const char *path, cafe_labels **labels) {
    CLI_TRY(check_attributes(run, graph, path));
    if (run->common.unknown_nodes == CLI_UNKNOWN_SKIP) return read_known(run, graph, path, labels);
    cafe_status status =
        cafe_labels_read(run->context, graph, path, columns_of(run, path), NULL, labels);
    return status == CAFE_OK ? CLI_OK : try_again(run, graph, path, status, labels);
}

void cli_say_labels(cli_run *run, const char *path, const cafe_graph *graph,
                    const cafe_labels *labels) {
    cli_told_table(run, path);
    cli_say(
        run, "labels    %s: %" PRId64 " class%s, %" PRId64 " of %" PRId64 " nodes labelled%s; %s",
        path, cafe_labels_classes(labels), cafe_labels_classes(labels) == 1 ? "" : "es",
        cafe_labels_labelled(labels), cafe_graph_nodes(graph),
        cafe_labels_multiple(labels) > 0 ? ", some by several" : "", cafe_labels_reading(labels));
}

void cli_say_partial(cli_run *run, const char *path, const cafe_graph *graph,
                     const cafe_labels *labels) {
    if (cafe_labels_labelled(labels) < cafe_graph_nodes(graph))
        cli_say_labels(run, path, graph, labels);
}

int cli_read_classes(cli_run *run, const cafe_graph *graph, const char *path, cafe_labels **labels,
                     int32_t **label) {
    CLI_TRY(cli_read_labels(run, graph, path, labels));
    *label = cli_new(run, cafe_graph_nodes(graph), sizeof **label);
    if (!*label) return CLI_RESOURCES;
    return cli_check(run, cafe_labels_single(run->context, *labels, *label));
}
