/* DL, of UCINET: "dl n=3 format=edgelist1 labels: a b c data: 1 2 1.5".
 *
 *     fullmatrix   a row of n numbers per node (the default); symmetric ones are undirected
 *     lowerhalf    of it the numbers up to the diagonal
 *     edgelist1    lines "from to [weight]"
 *     nodelist1    lines "from to to ..."
 *
 * Nodes are numbered from 1. With "labels embedded" they are named instead, and a matrix has the
 * names above its columns and before its rows. Words may be in upper or lower case, and fields
 * stand between blanks or commas. With "diagonal absent" the matrix has no diagonal.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/graph_records.h"

typedef struct dl {
    cafe_marked marked;
    const uint8_t *at, *end;
    char *text; /* the last field */
    int64_t room, length, n;
    bool embedded, labelled, sized, hollow; /* hollow: the matrix has no diagonal */
    int64_t labels;                         /* nodes that have one */
    enum { FULL_MATRIX, LOWER_HALF, EDGE_LIST, NODE_LIST } format;
    float *matrix;
} dl;

static cafe_status fail(const dl *d, const char *expected) {
    char shown[180];
    cafe_escape((const uint8_t *)d->text, d->length, 40, shown);
    return cafe_marked_fail(&d->marked, "expected %s, found '%s'", expected, shown);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* The next field of the line; false at the line's end. */
static cafe_status take(dl *d, bool *more) {
    while (d->at < d->end && is_space(*d->at)) d->at++;
    *more = d->at < d->end && *d->at != '\n';
    if (!*more) return CAFE_OK;
    bool quoted = *d->at == '"';
    const uint8_t *begin = d->at += quoted;
    while (d->at < d->end && *d->at != '\n' && (quoted ? *d->at != '"' : !is_space(*d->at)))
        d->at++;
    d->length = d->at - begin;
    CAFE_PASS(cafe_mem_grow(d->marked.context, &d->text, &d->room, d->length + 1, 1));
    memcpy(d->text, begin, (size_t)d->length);
    d->text[d->length] = 0;
    if (memchr(begin, 0, (size_t)d->length)) return fail(d, "text without a byte 0");
    if (quoted && (d->at == d->end || *d->at != '"'))
        return fail(d, "a closing quote on the same line");
    d->at += quoted;
    return CAFE_OK;
}

/* The same across lines; *more is false at the end of the file. */
static cafe_status take_any(dl *d, bool *more) {
    for (;;) {
        CAFE_PASS(take(d, more));
        if (*more || d->at == d->end) return CAFE_OK;
        d->at++;
        d->marked.line++;
        if (d->marked.line % 65536 == 0) CAFE_PASS(cafe_check_cancel(d->marked.context));
    }
}

static bool is(const dl *d, const char *word) {
    return cafe_is_word(d->text, word);
}

static cafe_status take_integer(dl *d, int64_t most, int64_t *value) {
    const char *end;
    double number = cafe_parse_number(d->text, &end);
    if (*end || end == d->text || number != floor(number) || number < 1 || number > (double)most)
        return fail(d, most == CAFE_MOST_NODES ? "a number of nodes" : "a node from 1 to n");
    *value = (int64_t)number;
    return CAFE_OK;
}

/* ---- the head -------------------------------------------------------------------------------- */

/* "n=3", "n = 3", "format=edgelist1": the word, then the value, without the '='. */
static cafe_status take_setting(dl *d, bool *more) {
    char *equals = strchr(d->text, '=');
    if (equals && equals[1]) {
        int64_t before = equals + 1 - d->text;
        memmove(d->text, equals + 1, (size_t)(d->length - before + 1));
        d->length -= before;
        return CAFE_OK;
    }
    CAFE_PASS(take_any(d, more));
    if (!*more || equals || d->text[0] != '=') return CAFE_OK;
    if (!d->text[1]) return take_any(d, more);
    memmove(d->text, d->text + 1, (size_t)d->length--);
    return CAFE_OK;
}

static cafe_status take_format(dl *d) {
    if (is(d, "fullmatrix") || is(d, "fm"))
        d->format = FULL_MATRIX;
    else if (is(d, "lowerhalf") || is(d, "lh"))
        d->format = LOWER_HALF;
    else if (is(d, "edgelist1") || is(d, "el1") || is(d, "edgelist"))
        d->format = EDGE_LIST;
    else if (is(d, "nodelist1") || is(d, "nl1") || is(d, "nodelist"))
        d->format = NODE_LIST;
    else
        return fail(d, "the format fullmatrix, lowerhalf, edgelist1 or nodelist1");
    return CAFE_OK;
}

static cafe_status take_diagonal(dl *d) {
    d->hollow = is(d, "absent");
    return d->hollow || is(d, "present") ? CAFE_OK : fail(d, "diagonal=present or absent");
}

/* Every node takes a line, a label or a number of the file, or is bounded by it. */
static cafe_status take_size(dl *d) {
    CAFE_PASS(take_integer(d, CAFE_MOST_NODES, &d->n));
    if (d->n > 16 * (d->end - d->at + 4096) + (1 << 20))
        return fail(d,
                    "a number of nodes that goes with the file's size (in an edge list ids "
                    "may be far apart)");
    d->sized = true;
    return CAFE_OK;
}

/* Nodes are named by their numbers until labels name them. */
static cafe_status add_nodes(dl *d) {
    char id[24];
    for (int64_t u = d->embedded ? d->n : 0; u < d->n; u++) {
        cafe_print(id, sizeof id, "%lld", (long long)u + 1);
        CAFE_PASS(cafe_marked_node(&d->marked, id));
    }
    return CAFE_OK;
}

/* A word of the head. *data: the edges follow. */
static cafe_status take_word(dl *d, bool *data, bool *more) {
    size_t name = strcspn(d->text, "=");
    bool size = name == 1 && cafe_same_word(d->text, "n", 1);
    bool diagonal = name == 8 && cafe_same_word(d->text, "diagonal", 8);
    bool sides =
        name == 2 && (cafe_same_word(d->text, "nr", 2) || cafe_same_word(d->text, "nc", 2));
    *data = is(d, "data:");
    if (*data) return CAFE_OK;
    if (sides)
        return fail(d,
                    "n=, as rows and columns are the same nodes (write other matrices as an edge "
                    "list, and read it with " CAFE_OPT("bipartite") ")");
    if (size || diagonal || (name == 6 && cafe_same_word(d->text, "format", 6))) {
        CAFE_PASS(take_setting(d, more));
        if (!*more) return cafe_marked_fail(&d->marked, "expected a value, found the end");
        return size ? take_size(d) : diagonal ? take_diagonal(d) : take_format(d);
    }
    if (is(d, "labels:")) {
        d->labelled = true;
        return CAFE_OK;
    }
    if (is(d, "labels") || is(d, "embedded") || is(d, "embedded:")) {
        d->embedded |= !is(d, "labels");
        return CAFE_OK;
    }
    return fail(
        d, "n=, format=, diagonal=, labels:, labels embedded or data: (one matrix with one size)");
}

/* A label of the list "labels:", whose nodes exist already. */
static cafe_status take_label(dl *d) {
    if (d->labels == d->n) return fail(d, "data: behind the labels");
    d->marked.node = d->labels++;
    return cafe_marked_value(&d->marked, "label", d->text);
}

static cafe_status read_head(dl *d) {
    bool more, data = false;
    CAFE_PASS(take_any(d, &more));
    if (!more || !is(d, "dl")) return fail(d, "DL");
    while (!data) {
        CAFE_PASS(take_any(d, &more));
        if (!more) return cafe_marked_fail(&d->marked, "expected data:, found the end of the file");
        bool label = d->labelled && !is(d, "data:") && !is(d, "labels") && !is(d, "embedded:") &&
                     !is(d, "embedded");
        if (label && !d->sized) return fail(d, "n= before the labels");
        if (label && d->marked.nodes == 0) CAFE_PASS(add_nodes(d));
        CAFE_PASS(label ? take_label(d) : take_word(d, &data, &more));
    }
    if (!d->sized) return fail(d, "n= before the data");
    return d->marked.nodes == 0 ? add_nodes(d) : CAFE_OK;
}

/* ---- the data -------------------------------------------------------------------------------- */

/* The node at hand: by its name if names are embedded, else by its number. */
static cafe_status take_node(dl *d, int64_t *node) {
    if (!d->embedded) {
        CAFE_PASS(take_integer(d, d->n, node));
        (*node)--;
        return CAFE_OK;
    }
    CAFE_PASS(cafe_marked_node(&d->marked, d->text));
    *node = d->marked.node;
    if (d->marked.nodes <= d->n) return CAFE_OK;
    return fail(d, "no more nodes than the head says");
}

static cafe_status read_edge(dl *d, int64_t u) {
    int64_t w = 0;
    bool more;
    CAFE_PASS(take(d, &more));
    if (!more) return cafe_marked_fail(&d->marked, "expected a second node, found the line's end");
    CAFE_PASS(take_node(d, &w));
    CAFE_PASS(take(d, &more));
    bool weighted = more && cafe_marked_is_weight(&d->marked, "weight");
    CAFE_PASS(cafe_marked_link(&d->marked, u, w, weighted ? d->text : NULL, true));
    if (more) CAFE_PASS(take(d, &more));
    return more ? fail(d, "the end of the line") : CAFE_OK;
}

static cafe_status read_neighbours(dl *d, int64_t u) {
    int64_t w = 0;
    bool more;
    for (;;) {
        CAFE_PASS(take(d, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(take_node(d, &w));
        CAFE_PASS(cafe_marked_link(&d->marked, u, w, NULL, true));
    }
}

static cafe_status read_lists(dl *d) {
    int64_t u = 0;
    bool more;
    for (;;) {
        CAFE_PASS(take_any(d, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(take_node(d, &u));
        CAFE_PASS(d->format == EDGE_LIST ? read_edge(d, u) : read_neighbours(d, u));
    }
}

static cafe_status read_entry(dl *d, float *value) {
    bool more;
    const char *end;
    CAFE_PASS(take_any(d, &more));
    if (!more)
        return cafe_marked_fail(&d->marked, "expected more numbers of the matrix, found the end");
    double number = cafe_parse_number(d->text, &end);
    *value = (float)number;
    bool fine = *end == 0 && end > d->text && number >= 0 && isfinite(*value);
    return fine ? CAFE_OK : fail(d, "a number of the matrix that is not negative");
}

/* Names above the columns, in the order of the nodes. */
static cafe_status read_column_names(dl *d) {
    int64_t node;
    bool more;
    for (int64_t u = 0; u < d->n; u++) {
        CAFE_PASS(take_any(d, &more));
        if (!more) return cafe_marked_fail(&d->marked, "expected labels, found the end");
        CAFE_PASS(take_node(d, &node));
        if (node != u) return fail(d, "labels that differ");
    }
    return CAFE_OK;
}

/* The half has its rows in the order of the nodes, and is mirrored. */
static cafe_status read_row(dl *d, int64_t i) {
    int64_t u = i, n = d->n;
    bool half = d->format == LOWER_HALF;
    bool more = true;
    if (d->embedded) {
        CAFE_PASS(take_any(d, &more));
        if (more) CAFE_PASS(take_node(d, &u));
    }
    if (half && u != i) return fail(d, "rows in the order of the columns");
    for (int64_t w = 0; w < (half ? i + 1 : n); w++) {
        if (w == u && d->hollow) continue;
        CAFE_PASS(read_entry(d, &d->matrix[u * n + w]));
        if (half) d->matrix[w * n + u] = d->matrix[u * n + w];
    }
    return CAFE_OK;
}

/* Entries that are not 0 are edges, with weights unless all are 1. */
static cafe_status add_entries(dl *d) {
    int64_t n = d->n;
    bool symmetric = true, ones = true;
    char weight[32];
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            symmetric &= d->matrix[u * n + w] == d->matrix[w * n + u];
            ones &= d->matrix[u * n + w] == 0 || d->matrix[u * n + w] == 1;
        }
    bool weighted = !ones && cafe_marked_is_weight(&d->marked, "weight");
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = symmetric ? u : 0; w < n; w++) {
            float value = d->matrix[u * n + w];
            if (value == 0) continue;
            cafe_print(weight, sizeof weight, "%.9g", (double)value);
            CAFE_PASS(cafe_marked_link(&d->marked, u, w, weighted ? weight : NULL, !symmetric));
        }
    return CAFE_OK;
}

static cafe_status read_matrix(dl *d) {
    bool more;
    int64_t room = d->end - d->at + 2, n = d->n; /* a number takes two bytes */
    if (n > room || (d->format == LOWER_HALF ? n * (n - 1) : 2 * n * (n - d->hollow)) > room)
        return cafe_marked_fail(&d->marked, "expected %lld x %lld numbers%s, found fewer",
                                (long long)n, (long long)n,
                                d->format == LOWER_HALF ? " up to the diagonal" : "");
    d->matrix = cafe_mem_zero(d->marked.context, d->n * d->n, sizeof *d->matrix);
    if (!d->matrix) return CAFE_ERROR_MEMORY;
    if (d->embedded) CAFE_PASS(read_column_names(d));
    for (int64_t i = 0; i < d->n; i++) CAFE_PASS(read_row(d, i));
    CAFE_PASS(take_any(d, &more));
    return more ? fail(d, "no more numbers of the matrix") : add_entries(d);
}

/* ---- the file -------------------------------------------------------------------------------- */

static cafe_status read_dl(cafe_input *input, const cafe_graph_options *options,
                           cafe_graph **graph) {
    dl d = {.at = input->bytes, .end = input->bytes + input->size};
    cafe_status status = CAFE_OK;
    cafe_marked_init(input->context, input->name, CAFE_FORMAT_DL, options, &d.marked);
    d.marked.open = true;
    d.marked.missing = 1; /* as the format has it */
    CAFE_TRY(cafe_mem_grow(input->context, &d.text, &d.room, 1, 1));
    d.text[0] = 0;
    if (d.end - d.at >= 3 && memcmp(d.at, "\xef\xbb\xbf", 3) == 0) d.at += 3;
    CAFE_TRY(read_head(&d));
    CAFE_TRY(d.format <= LOWER_HALF ? read_matrix(&d) : read_lists(&d));
    status = cafe_marked_graph(&d.marked, graph);
done:
    cafe_mem_free_all(input->context, d.text, d.matrix);
    cafe_marked_free(&d.marked);
    return status;
}

/* "dl" and then "n", "nr", "format" or a line end that they follow. */
static bool is_dl(const uint8_t *bytes, int64_t size) {
    const uint8_t *p = bytes, *end = bytes + size;
    if (size < 4 || !cafe_same_word((const char *)p, "dl", 2) || !strchr(" \t\r\n,", p[2]))
        return false;
    for (p += 2; p < end && *p && strchr(" \t\r\n,", *p);) p++;
    if (end - p > 6 && cafe_same_word((const char *)p, "format", 6)) return true;
    if (p == end || (*p | 32) != 'n') return false;
    p += end - p > 1 && strchr("rRcCmM", p[1]) && p[1];
    for (p++; p < end && (*p == ' ' || *p == '\t');) p++;
    return p < end && *p == '=';
}

const cafe_graph_format cafe_graph_format_dl = {
    .is = is_dl, .read = read_dl, .directed = true, .whole = true, .attributes = true};
