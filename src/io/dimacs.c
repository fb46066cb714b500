/* The reader of DIMACS: graphs of colouring and clique benchmarks, road networks, flow networks.
 *
 *     c a comment
 *     p edge N M     (or col)   then M lines  e U W          edges, without weight
 *     p sp N M       (or max)   then M lines  a U W WEIGHT   arcs: lengths, capacities
 *
 * Vertices are 1 .. N. Lines that begin with c, n, d, v or x hold no edge and are skipped. The arcs
 * are the entries of a matrix M, which stays M if it is symmetric (a road listed in both
 * directions) and becomes M + M^T otherwise, as in mtx.c.
 */
#include <string.h>

#include "io/edge_buffer.h"
#include "io/format_registry.h"
#include "io/integer_lines.h"
#include "io/scanners.h"
#include "io/text_window.h"

typedef struct dimacs {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_text text;
    cafe_edge_list list;
    bool arcs;
    int64_t nodes, lines;
    int64_t problem_line;
} dimacs;

/* The word of a problem line: 'e' for edges, 'a' for arcs, 0 for other problems; *at moves behind
 * the word. */
static uint8_t problem_kind(const uint8_t **at) {
    static const struct {
        const char *word;
        uint8_t kind;
    } problems[] = {{"edge", 'e'}, {"edges", 'e'}, {"col", 'e'}, {"sp", 'a'}, {"max", 'a'}};
    const uint8_t *p = cafe_skip_blanks(*at), *end = p;
    while (!cafe_is_blank(*end) && !cafe_is_line_end(*end)) end++;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        size_t length = strlen(problems[i].word);
        if ((size_t)(end - p) != length || memcmp(p, problems[i].word, length) != 0) continue;
        *at = end;
        return problems[i].kind;
    }
    return 0;
}

static bool is_comment(const uint8_t *line) {
    return *line == 'c' && (cafe_is_blank(line[1]) || cafe_is_line_end(line[1]));
}

static cafe_status read_problem(dimacs *d) {
    cafe_place line;
    do {
        CAFE_PASS(cafe_text_line(&d->text, &line));
    } while (line.begin < line.end &&
             (is_comment(line.begin) || cafe_is_line_end(*cafe_skip_blanks(line.begin))));
    d->problem_line = line.line;
    if (line.begin == line.end || *line.begin != 'p' || !cafe_is_blank(line.begin[1]))
        return cafe_fail_at(d->context, &line, "the problem line 'p edge N M' or 'p sp N M'");
    line.at = cafe_skip_blanks(line.begin + 1);
    uint8_t kind = problem_kind(&line.at);
    if (!kind) return cafe_fail_at(d->context, &line, "'edge', 'col', 'sp' or 'max'");
    d->arcs = kind == 'a';
    CAFE_PASS(
        cafe_take_number(d->context, &line, "the number of vertices", CAFE_MOST_NODES, &d->nodes));
    CAFE_PASS(cafe_take_number(d->context, &line, "the number of edges", INT64_MAX, &d->lines));
    line.at = cafe_skip_blanks(line.at);
    if (!cafe_is_line_end(*line.at)) return cafe_fail_at(d->context, &line, "the end of the line");
    line.at = line.begin;
    if (d->nodes == 0) return cafe_fail_at(d->context, &line, "at least one vertex");
    if (!d->arcs && d->options->directed != CAFE_DIRECTED_NO)
        return cafe_fail_at(d->context, &line, "arcs ('p sp'), as the option directed says");
    CAFE_PASS(cafe_check_spread(d->context, &line, d->nodes, d->lines, d->options));
    return cafe_check_nodes(d->context, d->text.name, d->nodes, d->options);
}

static cafe_status read_lines(dimacs *d) {
    cafe_lines_end ended;
    cafe_rules rules = {.lowest = 1,
                        .highest = d->nodes,
                        .declared = true,
                        .separator = ' ',
                        .letter = d->arcs ? 'a' : 'e',
                        .comments = "cndvx"};
    bool weighted = d->arcs && d->options->weights;
    rules.third = weighted ? CAFE_THIRD_WEIGHT : d->arcs ? CAFE_THIRD_IGNORED : CAFE_THIRD_NONE;
    cafe_edge_list_init(d->context, d->text.name, false, weighted, &d->list);
    if (d->text.begin == d->text.end) CAFE_PASS(cafe_text_next(&d->text));
    CAFE_PASS(cafe_lines_read(&d->text, &rules, &d->list, &ended));
    if (d->list.count == d->lines) return CAFE_OK;
    return cafe_fail(d->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected the number of edges that follow, %lld, found %lld",
                     d->text.name, (long long)d->problem_line, (long long)d->list.count,
                     (long long)d->lines);
}

static cafe_status make_graph(dimacs *d, cafe_graph **graph) {
    if (d->arcs && d->options->directed == CAFE_DIRECTED_NO)
        return cafe_edge_list_matrix(&d->list, d->nodes, d->options, graph);
    return cafe_edge_list_graph(&d->list, d->nodes, (cafe_names){.kind = CAFE_NAMES_INDEX},
                                d->options, graph);
}

static cafe_status read_dimacs(cafe_input *input, const cafe_graph_options *options,
                               cafe_graph **graph) {
    dimacs d = {.context = input->context, .options = options};
    cafe_status status = CAFE_OK;
    cafe_edge_list_init(d.context, input->name, false, false, &d.list);
    CAFE_TRY(cafe_text_open_input(input, &d.text));
    CAFE_TRY(read_problem(&d));
    CAFE_TRY(read_lines(&d));
    cafe_text_close(&d.text);
    status = make_graph(&d, graph);
done:
    cafe_text_close(&d.text);
    cafe_edge_list_free(&d.list);
    return status;
}

static const uint8_t *skip_number(const uint8_t *p, const uint8_t *end) {
    while (p < end && cafe_is_blank(*p)) p++;
    const uint8_t *digits = p;
    while (p < end && cafe_is_digit(*p)) p++;
    return p > digits ? p : NULL;
}

/* A problem line with two numbers behind its word, perhaps after comments. The bytes end with a
 * whole line, or this is none. */
static bool is_dimacs(const uint8_t *bytes, int64_t size) {
    const uint8_t *p = bytes, *end = bytes + size, *next;
    while (p < end && (next = memchr(p, '\n', (size_t)(end - p))) != NULL && is_comment(p))
        p = next + 1;
    if (p >= end || !memchr(p, '\n', (size_t)(end - p)) || p[0] != 'p' || !cafe_is_blank(p[1]))
        return false;
    p++;
    if (!problem_kind(&p) || !(p = skip_number(p, end))) return false;
    return cafe_is_blank(*p) && skip_number(p, end) != NULL;
}

const cafe_graph_format cafe_graph_format_dimacs = {
    .is = is_dimacs, .read = read_dimacs, .directed = true};
