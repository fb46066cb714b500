/* Reads an embedding as the tool writes it: rows find their nodes by name, in any order.
 *
 * .npy has its names in FILE.names.txt, one a line, when they are not 0 .. n-1; without that file
 * the rows are in the order of the nodes. A line of a .tsv is a name (quoted as in CSV when it has
 * a tab or a quote in it) and values; a .txt is word2vec text, with "n K" on its first line.
 */
#define _GNU_SOURCE
#include "vectors.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "output.h"

typedef struct reading {
    cli_run *run;
    const char *path;
    const cafe_graph *graph;
    int64_t nodes, columns, found, line_number;
    uint8_t *met; /* nodes that have their row */
    float *vectors;
} reading;

static int out_of_memory(cli_run *run) {
    return cli_error(run, CLI_FAILED, "out of memory: vectors");
}

/* The node of a name, which must not have come before: CLI_OK and *node, or an error. */
static int find_node(reading *r, const char *name, int64_t *node) {
    *node = cafe_graph_find(r->graph, name);
    if (*node < 0)
        return cli_error(r->run, CLI_INPUT,
                         "%s:%" PRId64 ": expected the name of a node of the graph, found '%s'",
                         r->path, r->line_number, name);
    if (r->met[*node]++)
        return cli_error(r->run, CLI_INPUT,
                         "%s:%" PRId64 ": expected each node once, found '%s' again", r->path,
                         r->line_number, name);
    r->found++;
    return CLI_OK;
}

static int check_complete(const reading *r) {
    if (r->found == r->nodes) return CLI_OK;
    return cli_error(r->run, CLI_INPUT, "%s: expected vectors of %" PRId64 " nodes, found %" PRId64,
                     r->path, r->nodes, r->found);
}

/* Without the end of the line. */
static void trim(char *line) {
    size_t length = strlen(line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
}

/* ---- .npy ------------------------------------------------------------------------------------ */

/* Row i of the block goes to the node named on line i of the file beside it. */
static int place_rows(reading *r, FILE *names, const float *rows) {
    char *line = NULL;
    size_t room = 0, bytes = (size_t)r->columns * sizeof *rows;
    int code = CLI_OK;
    for (int64_t i = 0; i < r->nodes && code == CLI_OK; i++) {
        int64_t u = 0;
        if (getline(&line, &room, names) < 0) break;
        trim(line);
        r->line_number = i + 1;
        code = find_node(r, line, &u);
        if (code == CLI_OK) memcpy(r->vectors + u * r->columns, rows + i * r->columns, bytes);
    }
    free(line);
    return code != CLI_OK ? code : check_complete(r);
}

static int read_npy(reading *r) {
    char *beside = NULL;
    const char *path = r->path;
    float *rows = NULL;
    FILE *names = NULL;
    int code =
        cli_check(r->run, cafe_block_read(r->run->context, r->path, &r->found, &r->columns, &rows));
    if (code == CLI_OK) code = check_complete(r);
    if (code == CLI_OK && asprintf(&beside, "%s.names.txt", r->path) < 0)
        code = out_of_memory(r->run);
    size_t size = code == CLI_OK ? (size_t)(r->nodes * r->columns) * sizeof *rows : 0;
    if (code == CLI_OK && !(r->vectors = malloc(size + 1))) code = out_of_memory(r->run);
    if (code == CLI_OK) {
        names = fopen(beside, "r");
        r->found = 0;
        r->path = beside;
        if (names)
            code = place_rows(r, names, rows);
        else
            memcpy(r->vectors, rows, size);
        r->path = path;
    }
    if (names) fclose(names);
    free(beside);
    cafe_block_free(r->run->context, rows);
    return code;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Takes the name off a line: up to the separator, or a quoted cell. Returns what follows, NULL when
 * nothing does. */
static char *split_name(char *line, char separator, char **name) {
    char *to = line, *from = line + 1;
    *name = line;
    if (separator != '\t' || *line != '"') {
        char *end = strchr(line, separator);
        if (end) *end++ = 0;
        return end;
    }
    for (; *from && !(from[0] == '"' && from[1] != '"'); from++) {
        if (from[0] == '"') from++;
        *to++ = *from;
    }
    bool closed = from[0] == '"' && from[1] == separator;
    *to = 0;
    return closed ? from + 2 : NULL;
}

static int64_t count_values(const char *values, char separator) {
    int64_t count = values && *values ? 1 : 0;
    for (; values && *values; values++) count += *values == separator;
    return count;
}

static int take_values(reading *r, char *at, char separator, float *row) {
    for (int64_t k = 0; k < r->columns; k++) {
        char *end = at;
        row[k] = at ? strtof(at, &end) : 0;
        bool last = k + 1 == r->columns;
        if (!at || end == at || !isfinite(row[k]) || *end != (last ? 0 : separator))
            return cli_error(r->run, CLI_INPUT,
                             "%s:%" PRId64 ": expected %" PRId64
                             " finite numbers after the name, found '%.40s'",
                             r->path, r->line_number, r->columns, at ? at : "");
        at = end + 1;
    }
    return CLI_OK;
}

static int make_room(reading *r, const char *values, char separator) {
    if (r->vectors) return CLI_OK;
    if (r->columns == 0) r->columns = count_values(values, separator);
    if (r->columns == 0)
        return cli_error(r->run, CLI_INPUT, "%s:%" PRId64 ": expected a name and numbers", r->path,
                         r->line_number);
    r->vectors = malloc((size_t)(r->nodes * r->columns + 1) * sizeof *r->vectors);
    return r->vectors ? CLI_OK : out_of_memory(r->run);
}

static int take_line(reading *r, char *line, char separator) {
    char *name;
    int64_t u;
    trim(line);
    char *values = split_name(line, separator, &name);
    int code = make_room(r, values, separator);
    if (code == CLI_OK) code = find_node(r, name, &u);
    return code == CLI_OK ? take_values(r, values, separator, r->vectors + u * r->columns) : code;
}

/* "n K", the first line of word2vec text */
static int take_heading(reading *r, const char *line) {
    int64_t rows = 0;
    char after = 0;
    if (sscanf(line, "%" SCNd64 " %" SCNd64 " %c", &rows, &r->columns, &after) != 2 ||
        r->columns < 1 || r->columns > 1000000)
        return cli_error(r->run, CLI_INPUT,
                         "%s:1: expected the numbers of nodes and of columns (word2vec text)",
                         r->path);
    if (rows == r->nodes) return CLI_OK;
    r->found = rows;
    return check_complete(r);
}

static int read_text(reading *r, char separator) {
    FILE *file = strcmp(r->path, "-") == 0 ? stdin : fopen(r->path, "r");
    char *line = NULL;
    size_t room = 0;
    int code = CLI_OK;
    if (!file) return cli_error(r->run, CLI_FAILED, "%s: %s", r->path, strerror(errno));
    while (code == CLI_OK && getline(&line, &room, file) >= 0) {
        if (++r->line_number % 65536 == 0 && cli_signal())
            code = cli_check(r->run, CAFE_ERROR_CANCELLED);
        else if (separator == ' ' && r->line_number == 1)
            code = take_heading(r, line);
        else
            code = take_line(r, line, separator);
    }
    if (code == CLI_OK) code = check_complete(r);
    free(line);
    if (file != stdin) fclose(file);
    return code;
}

int cli_read_vectors(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                     float **vectors) {
    reading r = {.run = run, .path = path, .graph = graph, .nodes = cafe_graph_nodes(graph)};
    const char *e = cli_extension(path);
    r.met = calloc((size_t)r.nodes + 1, 1);
    int code = r.met ? CLI_OK : out_of_memory(run);
    if (code == CLI_OK) {
        if (strcasecmp(e, ".npy") == 0)
            code = read_npy(&r);
        else
            code = read_text(&r, strcasecmp(e, ".txt") == 0 ? ' ' : '\t');
    }
    free(r.met);
    if (code != CLI_OK) {
        free(r.vectors);
        r.vectors = NULL;
    }
    *columns = r.columns;
    *vectors = r.vectors;
    return code;
}
