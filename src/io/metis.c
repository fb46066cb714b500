/* The METIS graph reader.
 *
 *     % comments
 *     n m [fmt [ncon]]            m edges, each listed by both its ends
 *     [size] [ncon weights] v1 [w1] v2 [w2] ...     one line per vertex, from 1; may be empty
 *
 * fmt has up to three digits: vertex sizes, vertex weights, edge weights. Sizes and weights of
 * vertices are skipped. A vertex is known by its line number, so the pieces of a window first count
 * their vertices and fields, and then know where theirs begin.
 */
#include <string.h>

#include "base/thread_pool.h"
#include "graph/edge_choice.h"
#include "graph/graph.h"
#include "io/edge_buffer.h"
#include "io/format_registry.h"
#include "io/graph_writer.h"
#include "io/text_position.h"
#include "io/text_window.h"

typedef struct note {
    cafe_trouble kind;
    const uint8_t *at;
    int64_t vertices, fields; /* in the piece */
    int64_t first;            /* vertex of the piece, from 0 */
} note;

typedef struct metis {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_text text;
    cafe_edge_list list;
    int64_t n, m;
    int64_t header_line;
    int64_t skipped;  /* fields of a vertex before its neighbours */
    bool weights;     /* the file has edge weights */
    int64_t vertices; /* lines read so far */
    cafe_piece pieces[CAFE_TEXT_PIECES];
    note notes[CAFE_TEXT_PIECES];
    int64_t found[CAFE_TEXT_PIECES];
} metis;

/* ---- the header ------------------------------------------------------------------------------ */

static bool more_follows(cafe_place *line) {
    line->at = cafe_skip_blanks(line->at);
    return !cafe_is_line_end(*line->at);
}

static cafe_status take_format(metis *g, cafe_place *line) {
    int64_t format = 0, constraints = 1;
    const uint8_t *at = cafe_skip_blanks(line->at);
    CAFE_PASS(
        cafe_take_number(g->context, line, "a format of three digits, each 0 or 1", 111, &format));
    if (format % 10 > 1 || format / 10 % 10 > 1) {
        line->at = at;
        return cafe_fail_at(g->context, line, "a format of three digits, each 0 or 1");
    }
    bool vertex_weights = format / 10 % 10 == 1;
    if (more_follows(line))
        CAFE_PASS(cafe_take_number(g->context, line, "the number of weights of a vertex", 1000,
                                   &constraints));
    g->weights = format % 10 == 1;
    g->skipped = format / 100 + (vertex_weights ? constraints : 0);
    return CAFE_OK;
}

static cafe_status read_header(metis *g) {
    cafe_place line;
    do {
        CAFE_PASS(cafe_text_line(&g->text, &line));
    } while (line.begin < line.end && *line.begin == '%');
    g->header_line = line.line;
    CAFE_PASS(
        cafe_take_number(g->context, &line, "the number of vertices", CAFE_MOST_NODES, &g->n));
    CAFE_PASS(cafe_take_number(g->context, &line, "the number of edges", INT64_MAX / 4, &g->m));
    if (more_follows(&line)) CAFE_PASS(take_format(g, &line));
    if (more_follows(&line)) return cafe_fail_at(g->context, &line, "the end of the line");
    line.at = line.begin;
    if (g->n == 0) return cafe_fail_at(g->context, &line, "at least one vertex");
    return cafe_check_nodes(g->context, g->text.name, g->n, g->options);
}

/* ---- vertices -------------------------------------------------------------------------------- */

static void count_piece(void *argument, int64_t task) {
    metis *g = argument;
    const cafe_piece *piece = &g->pieces[task];
    note *n = &g->notes[task];
    *n = (note){.kind = CAFE_FINE};
    for (const uint8_t *p = piece->begin; p < piece->end; p++) {
        if (*p == '%') {
            p = cafe_skip_line(p, piece->end) - 1;
            continue;
        }
        n->vertices++;
        while (*(p = cafe_skip_blanks(p)) != '\n') {
            n->fields++;
            while (!cafe_is_blank(*p) && *p != '\n') p++;
        }
    }
}

/* One neighbour, and its weight when the file has weights. Stored only when whole: the room was
 * counted in whole pairs. */
static cafe_trouble take_neighbour(metis *g, const uint8_t **at, int64_t vertex, int64_t i) {
    int64_t w;
    const uint8_t *p = *at;
    float weight = 1;
    if (cafe_scan_integer(&p, &w) != CAFE_SCAN_OK || w < 1 || w > g->n) return CAFE_OUTSIDE;
    if (w - 1 == vertex) return CAFE_ITSELF;
    *at = p = cafe_skip_blanks(p);
    cafe_trouble kind = g->weights ? cafe_take_weight(&p, &weight) : CAFE_FINE;
    if (kind != CAFE_FINE) return kind;
    ((int32_t *)g->list.source)[i] = (int32_t)vertex;
    ((int32_t *)g->list.target)[i] = (int32_t)(w - 1);
    if (g->list.weighted) g->list.weights[i] = weight;
    *at = cafe_skip_blanks(p);
    return CAFE_FINE;
}

/* Reads the line of a vertex; *at ends after it or at the error. */
static cafe_trouble take_vertex(metis *g, const uint8_t **at, int64_t vertex, int64_t *i) {
    *at = cafe_skip_blanks(*at);
    for (int64_t s = 0; s < g->skipped; s++) {
        int64_t ignored;
        if (cafe_scan_integer(at, &ignored) == CAFE_SCAN_NONE) return CAFE_NO_SKIPPED;
        *at = cafe_skip_blanks(*at);
    }
    while (!cafe_is_line_end(**at)) {
        cafe_trouble kind = take_neighbour(g, at, vertex, *i);
        if (kind != CAFE_FINE) return kind;
        (*i)++;
    }
    if (**at == '\r') (*at)++;
    if (**at != '\n') return CAFE_NOT_ENDED;
    (*at)++;
    return CAFE_FINE;
}

static void parse_piece(void *argument, int64_t k, int32_t worker) {
    metis *g = argument;
    const cafe_piece *piece = &g->pieces[k];
    note *n = &g->notes[k];
    int64_t vertex = n->first, slot = g->list.count + piece->before, i = slot;
    const uint8_t *p = piece->begin;
    (void)worker;
    while (p < piece->end && n->kind == CAFE_FINE) {
        if (*p == '%') {
            p = cafe_skip_line(p, piece->end);
        } else if (vertex < g->n) {
            n->kind = take_vertex(g, &p, vertex++, &i);
        } else {
            const uint8_t *q = cafe_skip_blanks(p);
            n->kind = cafe_is_line_end(*q) ? CAFE_FINE : CAFE_EXTRA_LINE;
            if (n->kind == CAFE_FINE) p = cafe_skip_line(p, piece->end);
        }
    }
    n->at = p;
    g->found[k] = i - slot;
}

static cafe_status fail_note(metis *g, const cafe_piece *piece, const note *n) {
    cafe_place place = cafe_text_place(&g->text, piece, n->at);
    if (n->kind != CAFE_OUTSIDE) return cafe_fail_trouble(g->context, &place, n->kind);
    return cafe_fail_at(g->context, &place, "a vertex from 1 to %lld", (long long)g->n);
}

/* Pieces as the list wants them: `before` counts edges, not lines. */
static int64_t place_pieces(metis *g, cafe_piece *slots) {
    int64_t before = 0;
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        note *n = &g->notes[k];
        slots[k] = g->pieces[k];
        slots[k].before = before;
        before += g->weights ? n->fields / 2 : n->fields;
        n->first = g->vertices;
        g->vertices += n->vertices;
    }
    return before;
}

static cafe_status read_window(metis *g) {
    cafe_text *text = &g->text;
    cafe_piece lines[CAFE_TEXT_PIECES], slots[CAFE_TEXT_PIECES];
    double share = (double)cafe_text_used(text) / (double)text->size;
    CAFE_PASS(cafe_text_cut(text, g->pieces));
    memcpy(lines, g->pieces, sizeof lines);
    CAFE_PASS(cafe_each(g->context, CAFE_TEXT_PIECES, count_piece, g));
    int64_t links = place_pieces(g, slots);
    CAFE_PASS(cafe_edge_list_reserve(&g->list, links, share));
    memcpy(g->pieces, slots, sizeof slots);
    CAFE_PASS(cafe_text_parse(text, parse_piece, g));
    for (int k = 0; k < CAFE_TEXT_PIECES; k++)
        if (g->notes[k].kind != CAFE_FINE) CAFE_PASS(fail_note(g, &lines[k], &g->notes[k]));
    cafe_edge_list_append(&g->list, slots, g->found);
    return CAFE_OK;
}

static cafe_status read_vertices(metis *g) {
    cafe_text *text = &g->text;
    cafe_edge_list_init(g->context, text->name, false, g->weights && g->options->weights, &g->list);
    if (text->begin == text->end) CAFE_PASS(cafe_text_next(text));
    while (text->begin < text->end) {
        CAFE_PASS(read_window(g));
        cafe_step(g->context, cafe_text_used(text), 0);
        CAFE_PASS(cafe_text_next(text));
    }
    if (g->vertices < g->n)
        return cafe_fail(g->context, CAFE_ERROR_FORMAT,
                         "%s:%lld:1: expected the line of vertex %lld of %lld, found the end of "
                         "the file",
                         text->name, (long long)text->line, (long long)g->vertices + 1,
                         (long long)g->n);
    if (g->list.count != 2 * g->m)
        return cafe_fail(g->context, CAFE_ERROR_FORMAT,
                         "%s:%lld:1: expected %lld edges, each listed by both ends, found %lld "
                         "neighbours in all",
                         text->name, (long long)g->header_line, (long long)g->m,
                         (long long)g->list.count);
    return CAFE_OK;
}

/* Is each edge listed once at both ends, with the same weight? A matrix that is not symmetric would
 * have become M + M^T, with twice the weight. */
static cafe_status check_ends(metis *g, const cafe_graph *graph, double weight) {
    const cafe_graph_counts *c = &graph->counts;
    bool pairs = c->duplicates == 0 && 2 * c->reversed + c->zero_weights == c->lines;
    bool same = !graph->weights || weight <= 0 || c->total_weight < 1.5 * weight;
    if (pairs && same) return CAFE_OK;
    return cafe_fail(g->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected each edge once in the line of either end%s, found others",
                     g->text.name, (long long)g->header_line, same ? "" : ", with one weight");
}

static cafe_status make_graph(metis *g, cafe_graph **graph) {
    double weight = 0;
    cafe_graph *made = NULL;
    cafe_graph_options all = *g->options; /* the check of the ends needs all edges */
    cafe_status status = CAFE_OK;
    all.min_weight = all.max_weight = 0;
    all.weight_transform = CAFE_TRANSFORM_NONE;
    all.top_edges = 0;
    if (g->list.weighted)
        for (int64_t i = 0; i < g->list.count; i++) weight += g->list.weights[i];
    CAFE_TRY(cafe_edge_list_matrix(&g->list, g->n, &all, &made));
    CAFE_TRY(check_ends(g, made, weight));
    made->counts.lines = g->m; /* the second listing is the format's, not the data's */
    made->counts.reversed = 0;
    CAFE_TRY(cafe_graph_choose(g->context, g->options, &made));
    *graph = made;
    made = NULL;
done:
    cafe_graph_free(made);
    return status;
}

static cafe_status read_metis(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    metis g = {.context = input->context, .options = options};
    cafe_status status = CAFE_OK;
    cafe_edge_list_init(g.context, input->name, false, false, &g.list);
    CAFE_TRY(cafe_text_open_input(input, &g.text));
    CAFE_TRY(read_header(&g));
    CAFE_TRY(read_vertices(&g));
    cafe_text_close(&g.text);
    status = make_graph(&g, graph);
done:
    cafe_text_close(&g.text);
    cafe_edge_list_free(&g.list);
    return status;
}

const cafe_graph_format cafe_graph_format_metis = {.read = read_metis, .write = cafe_write_metis};
