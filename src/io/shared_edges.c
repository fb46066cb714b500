/* Edge lists read by several processes: a range of the file's bytes each.
 *
 * A range begins with the first line that starts in its share of the bytes, so every line is in one
 * range. As in one process (integer_lines.c), the first deviation in the text decides about another
 * read or an error. Lines are numbered only for an error: its process parses the range again after
 * the others counted the lines before it.
 */
#include <string.h>

#include "base/memory.h"
#include "io/edge_list_reader.h"
#include "io/shared.h"

enum { BLOCK = 1 << 20, FIRST_WINDOW = 1 << 20, WINDOW = 8 << 20 };

typedef enum manner { NARROW, WIDE, STRINGS } manner;

typedef struct sharing {
    cafe_context *context;
    const cafe_input *input;
    cafe_input part;
    cafe_edges edges;
    int64_t lines; /* before the first edge */
    manner manner;
    int64_t nodes; /* with strings: of this process */
    cafe_names names;
    uint8_t *block;
    bool zeros; /* an id of the file has leading zeros */
} sharing;

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Returns the start of the first line at or after the byte `at`. */
static int64_t line_start(const sharing *s, int64_t at) {
    for (int64_t from = at - 1; from < s->input->size; from += BLOCK) {
        int64_t left = s->input->size - from;
        int64_t got = cafe_input_read(s->input, from, s->block, left < BLOCK ? left : BLOCK);
        const uint8_t *end = got > 0 ? memchr(s->block, '\n', (size_t)got) : NULL;
        if (end) return from + (end - s->block) + 1;
        if (got < BLOCK) break;
    }
    return s->input->size;
}

/* Where the range of a process begins; `first` is the place of the first edge. */
static int64_t range_start(const sharing *s, int64_t first, int32_t rank) {
    int64_t bytes = s->input->size - first, ranks = cafe_team_ranks(s->context);
    int64_t at = first + bytes / ranks * rank + bytes % ranks * rank / ranks;
    return rank == 0 ? first : rank == ranks ? s->input->size : line_start(s, at);
}

/* The text becomes this process's range. */
static cafe_status take_range(sharing *s) {
    cafe_edges *e = &s->edges;
    int32_t rank = cafe_team_rank(s->context);
    if (e->text.window > FIRST_WINDOW) e->text.window = FIRST_WINDOW;
    CAFE_PASS(cafe_edges_first(e));
    int64_t first = cafe_text_at(&e->text);
    if (e->text.begin == e->text.end || first > s->input->size) first = s->input->size;
    s->lines = e->text.line - 1;
    s->part =
        cafe_input_part(s->input, range_start(s, first, rank), range_start(s, first, rank + 1));
    cafe_text_close(&e->text);
    e->part = true;
    CAFE_PASS(cafe_text_open_input(&s->part, &e->text));
    if (e->text.window > WINDOW) e->text.window = WINDOW; /* one for each process of a machine */
    return CAFE_OK;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* The result of a process in its range. */
typedef struct finding {
    int32_t status, ended, overflow, zeros;
} finding;

static finding parse(sharing *s) {
    cafe_lines_end ended = CAFE_LINES_DONE;
    cafe_names_free(s->context, &s->names);
    s->nodes = 0;
    cafe_status status = s->manner == STRINGS
                             ? cafe_edges_strings(&s->edges, &s->nodes, &s->names)
                             : cafe_edges_integers(&s->edges, s->manner == WIDE, &ended);
    return (finding){(int32_t)status, (int32_t)ended, s->edges.list.overflow,
                     s->edges.list.zeros[0] > 0};
}

/* Returns the process whose result counts: the first that stopped early, else the first with an id
 * that is too large; -1: none. */
static int32_t first_finding(const finding *all, int32_t ranks) {
    for (int32_t r = 0; r < ranks; r++)
        if (!all[r].overflow && (all[r].status != CAFE_OK || all[r].ended != CAFE_LINES_DONE))
            return r;
    for (int32_t r = 0; r < ranks; r++)
        if (all[r].overflow) return r;
    return -1;
}

static int64_t count_lines(const sharing *s) {
    int64_t lines = 0, got;
    for (int64_t at = 0; at < s->part.size; at += got) {
        int64_t left = s->part.size - at;
        got = cafe_input_read(&s->part, at, s->block, left < BLOCK ? left : BLOCK);
        if (got <= 0) break;
        lines += cafe_count_lines(s->block, s->block + got);
    }
    return lines;
}

/* The lines of the file before this range. */
static cafe_status number_lines(sharing *s) {
    int64_t mine = count_lines(s);
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(s->context, &mine, sizeof mine, &all, NULL));
    s->part.lines = s->lines;
    for (int32_t r = 0; r < cafe_team_rank(s->context); r++) s->part.lines += ((int64_t *)all)[r];
    cafe_mem_free(s->context, all);
    return CAFE_OK;
}

/* Fails with the error of process `rank`, in all processes. */
static cafe_status fail_as(sharing *s, int32_t rank, finding mine) {
    CAFE_PASS(number_lines(s));
    if (cafe_team_rank(s->context) != rank) return cafe_team_agree(s->context, CAFE_OK);
    if (mine.status == CAFE_ERROR_FORMAT) mine = parse(s);
    return cafe_team_agree(s->context, (cafe_status)mine.status);
}

/* Parses with one kind of ids; *end reports, the same to all, whether the kind was right. */
static cafe_status parse_all(sharing *s, cafe_lines_end *ended) {
    finding mine = parse(s);
    void *gathered = NULL;
    CAFE_PASS(cafe_team_gather(s->context, &mine, sizeof mine, &gathered, NULL));
    const finding *all = gathered;
    int32_t first = first_finding(all, cafe_team_ranks(s->context));
    bool failed = first >= 0 && all[first].status != CAFE_OK;
    *ended = first >= 0 ? (cafe_lines_end)all[first].ended : CAFE_LINES_DONE;
    s->zeros = false;
    for (int32_t r = 0; r < cafe_team_ranks(s->context); r++) s->zeros |= all[r].zeros != 0;
    cafe_mem_free(s->context, gathered);
    if (failed) return fail_as(s, first, mine);
    if (mine.status != CAFE_OK) s->context->error[0] = 0; /* it is read in another manner */
    return CAFE_OK;
}

/* The names of all ranges would have to be compared. */
static cafe_status refuse_zeros(const sharing *s) {
    return cafe_fail(s->context, CAFE_ERROR_FORMAT,
                     "%s: expected ids without leading zeros, which several processes do not "
                     "compare: give " CAFE_OPT("ids=numbers") " or " CAFE_OPT("ids=text"),
                     s->input->name);
}

static cafe_status parse_right(sharing *s) {
    cafe_lines_end ended;
    int32_t ids = s->edges.options->ids;
    if (ids == CAFE_IDS_TEXT) s->manner = STRINGS;
    CAFE_PASS(parse_all(s, &ended));
    if (ended == CAFE_LINES_WIDE) {
        s->manner = WIDE;
        CAFE_PASS(parse_all(s, &ended));
    }
    bool numbers = s->manner != STRINGS && ended == CAFE_LINES_DONE;
    if (numbers && s->zeros && ids == CAFE_IDS_AUTO) return refuse_zeros(s);
    if (ended != CAFE_LINES_TEXT) return CAFE_OK;
    s->manner = STRINGS;
    return parse_all(s, &ended);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* No process has an edge: the last one knows where the file ends. */
static cafe_status fail_empty(sharing *s) {
    CAFE_PASS(number_lines(s));
    if (cafe_team_rank(s->context) + 1 < cafe_team_ranks(s->context))
        return cafe_team_agree(s->context, CAFE_OK);
    parse(s);
    return cafe_team_agree(s->context, cafe_edges_none(&s->edges));
}

static void rename_block(void *argument, int64_t first, int64_t last) {
    const cafe_edge_list *list = ((void **)argument)[0];
    const int32_t *became = ((void **)argument)[1];
    int32_t *source = list->source, *target = list->target;
    for (int64_t i = first; i < last; i++) {
        source[i] = became[source[i]];
        target[i] = became[target[i]];
    }
}

/* Ids are the numbers of the graph from here on. */
static cafe_status number_nodes(sharing *s, cafe_numbered *numbered) {
    cafe_context *context = s->context;
    cafe_edge_list *list = &s->edges.list;
    *numbered = (cafe_numbered){.nodes = s->edges.declared};
    if (s->edges.declared > 0) return CAFE_OK;
    if (s->manner == STRINGS) {
        CAFE_PASS(cafe_number_strings(context, list->name, s->nodes, &s->names, numbered));
    } else {
        cafe_status status = cafe_edge_list_number(list, &s->nodes, &s->names);
        CAFE_PASS(cafe_team_agree(context, status));
        CAFE_PASS(cafe_number_integers(context, list->name, s->nodes, &s->names, numbered));
    }
    cafe_names_free(context, &s->names);
    if (!numbered->became) return CAFE_OK;
    CAFE_PASS(
        cafe_ranges(context, list->count, BLOCK, rename_block, (void *[]){list, numbered->became}));
    cafe_mem_free(context, numbered->became);
    numbered->became = NULL;
    return CAFE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status check_sharing(const cafe_input *input, const cafe_graph_options *options) {
    bool packed = cafe_input_is_gzip(input);
    if (!input->open || packed)
        return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                         "%s: expected a file of plain text, which several processes can read "
                         "together, found %s: convert it to .cafe by one process first",
                         input->name, packed ? "a compressed one" : "a stream");
    if (options->directed != CAFE_DIRECTED_NO)
        return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                         "%s: several processes read edges without directions: convert it to .cafe "
                         "with the option directed by one process first",
                         input->name);
    return CAFE_OK;
}

static cafe_status begin(sharing *s, const cafe_graph_options *options) {
    CAFE_PASS(check_sharing(s->input, options));
    s->block = cafe_mem(s->context, BLOCK, 1);
    CAFE_PASS(cafe_mem_had(s->block));
    CAFE_PASS(cafe_edges_open(s->input, options, &s->edges));
    return take_range(s);
}

cafe_status cafe_edges_read_shared(const cafe_input *input, const cafe_graph_options *options,
                                   cafe_graph **graph) {
    cafe_context *context = input->context;
    sharing s = {.context = context, .input = input, .edges.list.context = context};
    cafe_numbered numbered = {0};
    cafe_graph *rows = NULL;
    cafe_status status = CAFE_OK;
    s.edges.text.context = context;
    int64_t links, *bounds = cafe_mem(context, cafe_team_ranks(context) + 1, sizeof *bounds);
    CAFE_TRY(cafe_team_agree(context, bounds ? begin(&s, options) : CAFE_ERROR_MEMORY));
    CAFE_TRY(parse_right(&s));
    links = s.edges.list.count;
    CAFE_TRY(cafe_team_sum(context, &links, 1));
    if (links == 0 && s.edges.declared == 0) CAFE_TRY(fail_empty(&s));
    cafe_text_close(&s.edges.text);
    CAFE_TRY(cafe_team_agree(context, number_nodes(&s, &numbered)));
    CAFE_TRY(cafe_share_rows(&s.edges.list, numbered.nodes, options, bounds, &rows));
    CAFE_TRY(cafe_join_rows(input, bounds, rows, &numbered, graph));
    status = cafe_edges_note(&s.edges, *graph);
done:
    cafe_edges_close(&s.edges);
    cafe_names_free(context, &s.names);
    cafe_numbered_free(context, &numbered);
    cafe_graph_free(rows);
    cafe_mem_free_all(context, s.block, bounds);
    return status;
}
