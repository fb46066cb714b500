/* Nodes that the command line names. */
#define _GNU_SOURCE
#include "nodes.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAMES_COMPARED = 200000
}; /* nodes of the largest graph in which a near name is looked for */

/* The nearest name of a node, in memory the caller frees; NULL: none is near. */
static char *suggest(const cli_run *run, const char *word) {
    size_t n = (size_t)run->counts.nodes, made = 0;
    char **names = n <= NAMES_COMPARED ? calloc(n + 1, sizeof *names) : NULL;
    const char *nearest = NULL;
    for (; names && made < n; made++)
        if (!(names[made] = strdup(cli_name(run, run->graph, (int64_t)made)))) break;
    if (names) nearest = cli_nearest(word, (const char *const *)names, made);
    char *found = nearest ? strdup(nearest) : NULL;
    for (size_t i = 0; i < made; i++) free(names[i]);
    free(names);
    return found;
}

static int unknown_node(const cli_run *run, const char *word) {
    char *near = suggest(run, word);
    int code = near
                   ? cli_error(run, CLI_FAILED,
                               "--node: the graph has no node '%s'; did you mean '%s'?", word, near)
                   : cli_error(run, CLI_FAILED, "--node: the graph has no node '%s'", word);
    free(near);
    return code;
}

static int add_node(const cli_run *run, const char *word, int64_t *nodes, int64_t *count) {
    int64_t u = cafe_graph_find(run->graph, word);
    if (u < 0) return unknown_node(run, word);
    nodes[(*count)++] = u;
    return CLI_OK;
}

/* The field at *at, in place and ended by 0: as it stands up to a comma, or in quotes, those inside
 * doubled. *at moves behind the comma; NULL behind the last one. */
static char *take_field(char **at) {
    char *begin = *at, *to = begin, *from = begin;
    bool quoted = from && *from == '"';
    if (!from) return NULL;
    for (from += quoted; *from && (quoted || *from != ','); from++) {
        if (quoted && *from == '"' && *++from != '"') {
            quoted = false;
            from--;
            continue;
        }
        *to++ = *from;
    }
    *at = *from ? from + 1 : NULL;
    *to = 0;
    return begin;
}

int cli_find_nodes(cli_run *run, const char *list, int64_t **nodes, int64_t *count) {
    *count = 0;
    if (!list) return CLI_OK;
    int64_t length = (int64_t)strlen(list);
    char *fields = cli_new(run, length + 1, 1);
    *nodes = cli_new(run, length + 1, sizeof **nodes);
    if (!fields || !*nodes) return CLI_RESOURCES;
    memcpy(fields, list, (size_t)length);
    if (cafe_graph_find(run->graph, list) >= 0) return add_node(run, list, *nodes, count);
    for (char *word = take_field(&fields); word; word = take_field(&fields))
        if (*word) CLI_TRY(add_node(run, word, *nodes, count));
    return CLI_OK;
}
