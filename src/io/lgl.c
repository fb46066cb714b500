/* LGL, of Large Graph Layout: "# node", then a line "neighbour" or "neighbour weight" for each of
 * its edges. Read as an edge list, it would lose the nodes in the comments and turn weights into
 * nodes.
 *
 * Edge lists may have comments of one word too. A file is LGL if every line fits, and one of its
 * lines cannot be an edge. Such a line has one field, a weight that is no integer, or a node of a
 * comment.
 */
#include <string.h>

#include "base/memory.h"
#include "io/format_registry.h"
#include "io/name_format.h"
#include "io/record_lines.h"
#include "io/scanners.h"

enum { BEGINNING = 1024, FIELDS = 3 };

typedef struct looking {
    char heads[BEGINNING + 2]; /* " node node ": of the comments */
    int count, certain;
} looking;

/* Up to three fields between blanks, ended by 0; returns how many. */
static int split(char *line, char *field[FIELDS]) {
    int count = 0;
    for (char *at = line; count < FIELDS; count++) {
        at += strspn(at, " \t\r");
        if (*at == 0) break;
        field[count] = at;
        at += strcspn(at, " \t\r");
        if (*at) *at++ = 0;
    }
    return count;
}

static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if (at > list && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

/* false: no line of LGL. */
static bool take_line(looking *l, char *line) {
    char *field[FIELDS] = {0};
    const char *end;
    int fields = split(line, field);
    if (fields == 0) return true;
    if (field[0][0] == '#') {
        if (fields != 2 || field[0][1]) return false;
        strcat(strcat(l->heads, field[1]), " ");
        l->count++;
        return true;
    }
    if (l->count == 0 || fields == 3) return false;
    if (fields == 2) {
        cafe_parse_number(field[1], &end);
        if (*end) return false;
    }
    l->certain += fields == 1 || strpbrk(field[1], ".eE") || is_listed(l->heads, field[0]);
    return true;
}

static bool is_lgl(const uint8_t *bytes, int64_t size) {
    char text[BEGINNING + 1] = {0}, *next;
    looking l = {.heads = " "};
    memcpy(text, bytes, (size_t)(size < BEGINNING ? size : BEGINNING));
    for (char *line = text; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        *next = 0;
        if (!take_line(&l, line)) return false;
    }
    return l.count >= 2 && l.certain > 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct lgl {
    cafe_record_lines of;
    char node[2 * CAFE_LONGEST_NAME + 1], end[2 * CAFE_LONGEST_NAME + 1], weight[64];
    bool any; /* a node was given */
} lgl;

static cafe_status fail(lgl *g, const char *expected) {
    g->of.line.at = cafe_skip_blanks(g->of.line.at);
    return cafe_line_fail(&g->of, expected);
}

static cafe_status take_next_line(cafe_record_lines *lines) {
    lgl *g = (lgl *)lines;
    bool weighted = false, head = *lines->line.at == '#';
    if (cafe_line_ended(lines)) return CAFE_OK;
    if (head) lines->line.at++;
    if (!head && !g->any) return fail(g, "'# node' before its neighbours");
    if (!cafe_line_take(lines, head ? g->node : g->end, sizeof g->node)) return fail(g, "a node");
    if (!head) weighted = cafe_line_take(lines, g->weight, sizeof g->weight);
    if (!cafe_line_ended(lines)) return fail(g, "the end of the line");
    g->any = true;
    if (head) return cafe_marked_node(&lines->marked, g->node);
    weighted = weighted && cafe_marked_is_weight(&lines->marked, "weight");
    return cafe_marked_edge(&lines->marked, g->node, g->end, weighted ? g->weight : NULL, false);
}

static cafe_status read_lgl(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    lgl *g = cafe_mem_zero(input->context, 1, sizeof *g);
    if (!g) return CAFE_ERROR_MEMORY;
    cafe_record_lines_init(input, CAFE_FORMAT_LGL, options, &g->of);
    g->of.marked.open = true;
    cafe_status status = cafe_record_lines_read(input, take_next_line, &g->of, graph);
    cafe_mem_free(input->context, g);
    return status;
}

const cafe_graph_format cafe_graph_format_lgl = {.is = is_lgl, .read = read_lgl};
