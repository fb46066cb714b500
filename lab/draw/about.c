/* What communities are about.
 *
 * A word that c of s members have, and a share f of all nodes, is over-represented by
 *
 *     z = (c - s f) / sqrt(s f (1 - f))
 *
 * deviations. The word with the largest z describes the community if it has z >= 3 and at least 30
 * % of the members. Other communities are described by their two most central members.
 */
#include <cafe-private/about.h>

#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/graph.h"
#include "io/facts.h"

/* FEWEST members of a community that is described by shares; columns of more KINDS of words are
 * names; a member's name has at most LETTERS. */
enum { FEWEST = 3, KINDS = 500, LEADERS = 2, LETTERS = 16 };
static const double least_share = 0.3, least_z = 3;

struct cafe_about {
    cafe_context *context;
    int64_t parts;
    char *text;
    int64_t *start; /* of each community's text */
};

typedef struct finding {
    double z, share;
    const char *title, *word; /* NULL: none yet */
    int32_t leader[LEADERS];  /* -1: none */
    int64_t members;
} finding;

typedef struct search {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_about_sources *sources;
    int64_t n, parts;
    const int32_t *part;
    int64_t *first;  /* members of community k: member[first[k]] .. */
    int32_t *member; /* nodes, by community */
    finding *found;  /* of each community */
    int64_t all[KINDS], here[KINDS];
} search;

/* ---- words ----------------------------------------------------------------------------------- */

/* A source of words: the labels, or column `column` of the table. */
typedef struct source {
    const cafe_labels *labels;
    const cafe_facts *facts;
    int64_t column, words;
    const char *title;
} source;

static int64_t word_of(const source *s, int64_t u) {
    const int32_t *classes;
    if (s->facts) return cafe_facts_of(s->facts, s->column, (int32_t)u);
    return cafe_labels_of(s->labels, u, &classes) > 0 ? classes[0] : -1;
}

static const char *word_text(const source *s, int64_t word) {
    return s->facts ? cafe_facts_word(s->facts, s->column, word)
                    : cafe_labels_class_name(s->labels, word);
}

static double excess(int64_t c, int64_t s, double f) {
    return f < 1 ? ((double)c - (double)s * f) / sqrt((double)s * f * (1 - f)) : 0;
}

static void offer_words(search *x, const source *s, int64_t k) {
    finding *best = x->found + k;
    int64_t size = x->first[k + 1] - x->first[k];
    if (size < FEWEST) return;
    memset(x->here, 0, sizeof x->here);
    for (int64_t i = x->first[k]; i < x->first[k + 1]; i++) {
        int64_t word = word_of(s, x->member[i]);
        if (word >= 0) x->here[word]++;
    }
    for (int64_t w = 0; w < s->words; w++) {
        double share = (double)x->here[w] / (double)size;
        double z = excess(x->here[w], size, (double)x->all[w] / (double)x->n);
        if (share < least_share || z < least_z || z <= best->z) continue;
        *best = (finding){z, share, s->title, word_text(s, w), {-1, -1}, size};
    }
}

static void offer_source(search *x, const source *s) {
    if (s->words < 1 || s->words > KINDS) return;
    memset(x->all, 0, sizeof x->all);
    for (int64_t u = 0; u < x->n; u++) {
        int64_t word = word_of(s, u);
        if (word >= 0) x->all[word]++;
    }
    for (int64_t k = 0; k < x->parts; k++) offer_words(x, s, k);
}

/* Numbers say nothing about what a community is. */
static bool is_numeric(const cafe_facts *facts, int64_t column) {
    int64_t words = cafe_facts_words(facts, column), numbers = 0;
    for (int64_t w = 0; w < words; w++) {
        const char *text = cafe_facts_word(facts, column, w), *end;
        cafe_parse_number(text, &end);
        numbers += end != text && *end == 0;
    }
    return numbers == words;
}

static void offer_sources(search *x) {
    const cafe_facts *facts = x->sources->facts;
    const cafe_labels *labels = x->sources->labels;
    if (labels) offer_source(x, &(source){labels, NULL, 0, cafe_labels_classes(labels), "label"});
    for (int64_t j = 0; facts && j < cafe_facts_columns(facts); j++)
        if (!is_numeric(facts, j))
            offer_source(x, &(source){NULL, facts, j, cafe_facts_words(facts, j),
                                      cafe_facts_name(facts, j)});
}

/* ---- members --------------------------------------------------------------------------------- */

static cafe_status group_members(search *x) {
    x->first = cafe_mem_zero(x->context, x->parts + 2, sizeof *x->first);
    x->member = cafe_mem(x->context, x->n, sizeof *x->member);
    x->found = cafe_mem_zero(x->context, x->parts, sizeof *x->found);
    CAFE_PASS(cafe_mem_had(x->first, x->member, x->found));
    for (int64_t u = 0; u < x->n; u++)
        if (x->part[u] >= 0) x->first[x->part[u] + 2]++;
    for (int64_t k = 0; k < x->parts; k++) x->first[k + 2] += x->first[k + 1];
    for (int64_t u = 0; u < x->n; u++)
        if (x->part[u] >= 0) x->member[x->first[x->part[u] + 1]++] = (int32_t)u;
    return CAFE_OK;
}

static void find_leaders(search *x, int64_t k) {
    const double *c = x->sources->centrality;
    finding *f = x->found + k;
    f->members = x->first[k + 1] - x->first[k];
    f->leader[0] = f->leader[1] = -1;
    for (int64_t i = x->first[k]; c && i < x->first[k + 1]; i++) {
        int32_t u = x->member[i];
        if (f->leader[0] < 0 || c[u] > c[f->leader[0]]) {
            f->leader[1] = f->leader[0];
            f->leader[0] = u;
        } else if (f->leader[1] < 0 || c[u] > c[f->leader[1]]) {
            f->leader[1] = u;
        }
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_first_byte(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* A node's name, cut behind LETTERS characters. */
static size_t brief_name(const cafe_graph *graph, int64_t node, char text[8 * LETTERS]) {
    size_t length = cafe_graph_name(graph, node, text, 8 * LETTERS), at = 0;
    int letters = 0;
    for (; text[at]; at++)
        if (is_first_byte(text[at]) && letters++ == LETTERS - 1) break;
    if (at >= length) return length;
    return at + (size_t)cafe_print(text + at, 8 * LETTERS - at, "\xe2\x80\xa6");
}

static void write_leaders(const search *x, const finding *f, char *text, size_t room) {
    size_t at = 0;
    int shown = 0;
    text[0] = 0;
    for (; shown < LEADERS && f->leader[shown] >= 0; shown++) {
        char name[8 * LETTERS];
        brief_name(x->graph, f->leader[shown], name);
        at += (size_t)cafe_print(text + at, room - at, "%s%s", shown ? ", " : "", name);
    }
    if (shown && f->members > shown) cafe_print(text + at, room - at, " \xe2\x80\xa6");
}

static cafe_status write_texts(const search *x, cafe_about *about) {
    int64_t size = 0, room = 0;
    for (int64_t k = 0; k < x->parts; k++) {
        const finding *f = x->found + k;
        char leaders[20 * LETTERS], percent[16] = "";
        int64_t length;
        write_leaders(x, f, leaders, sizeof leaders);
        if (f->word) cafe_print(percent, sizeof percent, "%.0f", 100 * f->share);
        length = f->word ? (int64_t)(strlen(f->title) + strlen(f->word) + strlen(percent) + 7)
                         : (int64_t)strlen(leaders);
        CAFE_PASS(cafe_mem_grow(x->context, &about->text, &room, size + length + 1, 1));
        about->start[k] = size;
        if (f->word)
            cafe_print(about->text + size, (size_t)length + 1, "%s: %s (%s %%)", f->title, f->word,
                       percent);
        else
            memcpy(about->text + size, leaders, (size_t)length + 1);
        size += (int64_t)strlen(about->text + size) + 1;
    }
    return CAFE_OK;
}

static cafe_status find(search *x, cafe_about *about) {
    CAFE_PASS(group_members(x));
    offer_sources(x);
    for (int64_t k = 0; k < x->parts; k++)
        if (!x->found[k].word) find_leaders(x, k);
    return write_texts(x, about);
}

cafe_status cafe_about_find(cafe_context *context, const cafe_graph *graph,
                            const cafe_about_sources *sources, const int32_t *part, int64_t parts,
                            cafe_about **about) {
    search *x = cafe_mem_zero(context, 1, sizeof *x);
    cafe_about *a = cafe_mem_zero(context, 1, sizeof *a);
    cafe_status status = CAFE_OK;
    *about = NULL;
    if (a) a->context = context;
    CAFE_TRY(cafe_mem_had(x, a));
    *x = (search){.context = context,
                  .graph = graph,
                  .sources = sources,
                  .n = cafe_graph_nodes(graph),
                  .parts = parts,
                  .part = part};
    a->parts = parts;
    a->start = cafe_mem(context, parts, sizeof *a->start);
    CAFE_TRY(cafe_mem_had(a->start));
    CAFE_TRY(find(x, a));
    *about = a;
    a = NULL;
done:
    if (x) cafe_mem_free_all(context, x->first, x->member, x->found);
    cafe_mem_free(context, x);
    cafe_about_free(a);
    return status;
}

void cafe_about_free(cafe_about *about) {
    if (about) cafe_mem_free_all(about->context, about->text, about->start, about);
}

const char *cafe_about_text(const cafe_about *about, int64_t community) {
    return about->text + about->start[community];
}
