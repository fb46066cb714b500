/* String ids to nodes, by first appearance, in parallel.
 *
 * The pieces of a window are split into tokens with hashes, and every piece sorts its tokens by
 * PARTS parts of the hash range. One task per part then goes through the tokens of its part in the
 * order of the text and looks them up in its own hash table. So threads share no table, and each
 * table knows the place (line and side) of a name's first appearance. At the end these places are
 * marked in a bit set, and the rank of its place is the id of a node.
 *
 * Until then a node is (number within its part) * PARTS + part.
 */
#include "io/string_lines.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/text_hash.h"
#include "io/bit_set.h"
#include "io/field.h"
#include "io/name_format.h"
#include "io/text_position.h"
#include "os/os.h"

#ifdef CAFE_FUZZING /* as for the pieces of io/text_window.h */
enum { PARTS = 4, PART_SHIFT = 30 };
#else
enum { PARTS = 64, PART_SHIFT = 26 };
#endif
enum { BLOCK = 1 << 16, AHEAD = 8 };

typedef struct token {
    const uint8_t *text;
    uint32_t length, hash;
    uint32_t number; /* among its piece's tokens */
} token;

typedef struct note {
    cafe_trouble kind;
    const uint8_t *at;
    uint32_t starts[PARTS + 1]; /* of each part among the piece's sorted tokens */
    uint8_t *unescaped;         /* texts of fields with doubled quotes */
    int64_t unescaped_used;
} note;

/* A name: its text in the part's store, and where it first appeared. */
typedef struct entry {
    int64_t text, first;
    uint32_t length;
} entry;

typedef struct slot {
    uint32_t hash;
    int32_t entry; /* its number + 1, or 0 */
} slot;

typedef struct part {
    slot *slots;
    int64_t mask; /* slots - 1; -1 before the first */
    entry *entries;
    int64_t count, capacity;
    int32_t *nodes; /* of the entries, in the end */
    uint8_t *store;
    int64_t used, room;
    bool failed;
} part;

typedef struct reading {
    cafe_context *context;
    cafe_text *text;
    cafe_edge_list *list;
    const cafe_table_layout *layout;
    cafe_third third;
    pthread_mutex_t memory; /* a failing allocation writes the context's error text */
    cafe_piece pieces[CAFE_TEXT_PIECES];
    note notes[CAFE_TEXT_PIECES];
    int64_t found[CAFE_TEXT_PIECES];
    token *tokens; /* of the window: two per line */
    token *sorted; /* the tokens of each piece sorted by part */
    int64_t room;
    part parts[PARTS];
    /* the end */
    cafe_bits firsts;
    int64_t *start;
    char *names;
} reading;

/* Memory from within a task. */
static void *task_memory(reading *r, void *block, int64_t count, size_t size) {
    pthread_mutex_lock(&r->memory);
    void *larger = cafe_mem_resize(r->context, block, count, size);
    pthread_mutex_unlock(&r->memory);
    return larger;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static cafe_trouble unescape(reading *r, const cafe_piece *piece, note *n, const cafe_field *field,
                             token *t) {
    if (!n->unescaped) n->unescaped = task_memory(r, NULL, piece->end - piece->begin, 1);
    if (!n->unescaped) return CAFE_NO_MEMORY;
    uint8_t *copy = n->unescaped + n->unescaped_used;
    int64_t length = cafe_field_copy(field, copy);
    n->unescaped_used += length;
    t->text = copy;
    t->length = (uint32_t)length;
    return CAFE_FINE;
}

/* Makes the token of a field; *at moves to an error in it. */
static cafe_trouble make_token(reading *r, const cafe_piece *piece, note *n,
                               const cafe_field *field, const uint8_t **at, token *t) {
    const uint8_t *bad = cafe_bad_utf8(field->begin, field->end);
    if (bad < field->end) {
        *at = bad;
        return CAFE_BAD_BYTE;
    }
    t->text = field->begin;
    t->length = (uint32_t)(field->end - field->begin); /* a line has less than 2^32 bytes */
    cafe_trouble kind = field->doubled ? unescape(r, piece, n, field, t) : CAFE_FINE;
    if (kind == CAFE_FINE && t->length > CAFE_LONGEST_NAME) {
        *at = field->begin;
        return CAFE_LONG_ID;
    }
    t->hash = (uint32_t)(cafe_hash_text((const char *)t->text, t->length) >> 31);
    return kind;
}

static cafe_trouble take_name(reading *r, const cafe_piece *piece, note *n, const uint8_t **at,
                              token *t) {
    cafe_field field;
    switch (cafe_field_take(at, r->layout->separator, &field)) {
        case CAFE_FIELD_FINE: return make_token(r, piece, n, &field, at, t);
        case CAFE_FIELD_EMPTY: return CAFE_NO_ID;
        case CAFE_FIELD_UNCLOSED: return CAFE_UNCLOSED;
        default: return CAFE_BEHIND;
    }
}

/* Takes the fields of a line under a layout of its own; *at ends as below. */
static cafe_trouble take_columns(reading *r, const cafe_piece *piece, note *n, const uint8_t **at,
                                 token *pair, float *weight) {
    cafe_field fields[3] = {{.begin = NULL}};
    const uint8_t *p = *at;
    cafe_trouble kind = cafe_layout_fields(r->layout, &p, fields);
    for (int i = 0; i < 2 && kind == CAFE_FINE; i++) {
        p = fields[i].begin;
        kind = fields[i].begin == fields[i].end ? CAFE_NO_ID
                                                : make_token(r, piece, n, &fields[i], &p, &pair[i]);
    }
    if (kind == CAFE_FINE && r->third == CAFE_THIRD_WEIGHT) {
        p = fields[2].begin;
        kind = cafe_field_signed(&fields[2], r->layout->decimal, r->list->with_signs, weight);
    }
    if (kind != CAFE_FINE) *at = p;
    return kind;
}

/* Takes two names and the rest that the rules require; *at ends after the last byte read. */
static cafe_trouble take_line(reading *r, const cafe_piece *piece, note *n, const uint8_t **at,
                              token *pair, float *weight) {
    if (!r->layout->plain) return take_columns(r, piece, n, at, pair, weight);
    cafe_trouble kind = take_name(r, piece, n, at, &pair[0]);
    if (kind == CAFE_FINE) kind = take_name(r, piece, n, at, &pair[1]);
    if (kind == CAFE_FINE && r->third == CAFE_THIRD_WEIGHT)
        kind = cafe_take_signed(at, r->list->with_signs, weight);
    if (kind == CAFE_FINE && r->third == CAFE_THIRD_WEIGHT && cafe_is_comma(**at) &&
        **at != r->layout->separator)
        return CAFE_OTHER_SEPARATOR;
    if (kind != CAFE_FINE || r->third != CAFE_THIRD_NONE) return kind;
    const uint8_t *p = *at + (**at == '\r');
    return *p == '\n' ? CAFE_FINE : CAFE_NOT_ENDED;
}

/* The piece's tokens, stably by part: a counting sort. */
static void sort_tokens(const token *tokens, int64_t count, token *sorted, uint32_t *starts) {
    uint32_t next[PARTS];
    memset(starts, 0, (PARTS + 1) * sizeof *starts);
    for (int64_t i = 0; i < count; i++) starts[(tokens[i].hash >> PART_SHIFT) + 1]++;
    for (int q = 0; q < PARTS; q++) {
        starts[q + 1] += starts[q];
        next[q] = starts[q];
    }
    for (int64_t i = 0; i < count; i++) {
        token *to = &sorted[next[tokens[i].hash >> PART_SHIFT]++];
        *to = tokens[i];
        to->number = (uint32_t)i;
    }
}

static void split_piece(void *argument, int64_t k, int32_t worker) {
    reading *r = argument;
    const cafe_piece *piece = &r->pieces[k];
    note *n = &r->notes[k];
    int64_t base = r->list->count + piece->before, count = 0;
    token *tokens = r->tokens + 2 * piece->before;
    const uint8_t *p = piece->begin;
    bool further = r->layout->plain && cafe_layout_goes_on(r->layout);
    (void)worker;
    while (p < piece->end) {
        const uint8_t *q = cafe_skip_blanks(p);
        if (*q != '#' && *q != '%' && *q != '\n' && !(*q == '\r' && q[1] == '\n')) {
            float *weight = r->third == CAFE_THIRD_WEIGHT ? &r->list->weights[base + count] : NULL;
            n->kind = take_line(r, piece, n, &p, tokens + 2 * count, weight);
            if (n->kind != CAFE_FINE) break;
            count++;
            if (further) {
                if (cafe_skip_further(&p, piece->end, r->layout->separator)) continue;
                n->kind = CAFE_UNCLOSED;
                break;
            }
        }
        p = cafe_skip_line(p, piece->end);
    }
    n->at = p;
    r->found[k] = count;
    sort_tokens(tokens, 2 * count, r->sorted + 2 * piece->before, n->starts);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static slot *free_slot(slot *slots, int64_t mask, uint32_t hash) {
    int64_t s = hash & mask;
    while (slots[s].entry) s = (s + 1) & mask;
    return &slots[s];
}

static bool grow_slots(reading *r, part *q) {
    int64_t mask = q->mask > 0 ? 2 * q->mask + 1 : 1023;
    slot *slots = task_memory(r, NULL, mask + 1, sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, (size_t)(mask + 1) * sizeof *slots);
    for (int64_t s = 0; q->slots && s <= q->mask; s++)
        if (q->slots[s].entry) *free_slot(slots, mask, q->slots[s].hash) = q->slots[s];
    cafe_mem_free(r->context, q->slots);
    q->slots = slots;
    q->mask = mask;
    return true;
}

static bool make_room(reading *r, part *q, uint32_t length) {
    if (2 * (q->count + 1) > q->mask + 1 && !grow_slots(r, q)) return false;
    if (q->count == q->capacity) {
        int64_t capacity = q->capacity ? 2 * q->capacity : 512;
        entry *entries = task_memory(r, q->entries, capacity, sizeof *entries);
        if (!entries) return false;
        q->entries = entries;
        q->capacity = capacity;
    }
    if (q->used + length > q->room) {
        int64_t room = 2 * q->room + length + 4096;
        uint8_t *store = task_memory(r, q->store, room, 1);
        if (!store) return false;
        q->store = store;
        q->room = room;
    }
    return true;
}

/* The name's number within the part, or -1 when it is new there. */
static int64_t find(const part *q, const token *t) {
    if (!q->slots) return -1;
    for (int64_t s = t->hash & q->mask; q->slots[s].entry; s = (s + 1) & q->mask) {
        if (q->slots[s].hash != t->hash) continue;
        const entry *e = &q->entries[q->slots[s].entry - 1];
        if (e->length == t->length && memcmp(q->store + e->text, t->text, t->length) == 0)
            return q->slots[s].entry - 1;
    }
    return -1;
}

/* Adds a name; -1 when memory is out or there are too many. */
static int64_t insert(reading *r, part *q, const token *t, int64_t place) {
    if (q->count >= CAFE_MOST_NODES / PARTS || !make_room(r, q, t->length)) return -1;
    memcpy(q->store + q->used, t->text, t->length);
    q->entries[q->count] = (entry){q->used, place, t->length};
    q->used += t->length;
    *free_slot(q->slots, q->mask, t->hash) = (slot){t->hash, (int32_t)(q->count + 1)};
    return q->count++;
}

/* A look-up goes from slot to entry to text, each a cache miss in a large table. They are begun
 * ahead of use, one step each; t[3 * AHEAD] is a token. */
static void prefetch(const part *q, const token *t) {
    __builtin_prefetch(t[3 * AHEAD].text);
    __builtin_prefetch(&q->slots[t[3 * AHEAD].hash & q->mask]);
    const slot *near = &q->slots[t[2 * AHEAD].hash & q->mask];
    if (near->entry) __builtin_prefetch(&q->entries[near->entry - 1]);
    near = &q->slots[t[AHEAD].hash & q->mask];
    if (near->entry) __builtin_prefetch(q->store + q->entries[near->entry - 1].text);
}

/* The tokens of one piece that belong to the part. Places are 2 * line + side, so that they grow
 * through the whole text. */
static bool fill_from(reading *r, part *q, int64_t number, int k) {
    const cafe_piece *piece = &r->pieces[k];
    const token *tokens = r->sorted + 2 * piece->before;
    const token *t = tokens + r->notes[k].starts[number];
    const token *end = tokens + r->notes[k].starts[number + 1];
    int64_t base = r->list->count + piece->before,
            place = 2 * (r->text->passed + r->text->line + piece->before);
    for (; t < end; t++) {
        if (q->slots && end - t > 3 * AHEAD) prefetch(q, t);
        int64_t name = find(q, t);
        if (name < 0) name = insert(r, q, t, place + t->number);
        if (name < 0) return false;
        int32_t *side = t->number & 1 ? r->list->target : r->list->source;
        side[base + t->number / 2] = (int32_t)(name * PARTS + number);
    }
    return true;
}

static void fill_part(void *argument, int64_t task) {
    reading *r = argument;
    part *q = &r->parts[task];
    for (int k = 0; k < CAFE_TEXT_PIECES && !q->failed; k++) q->failed = !fill_from(r, q, task, k);
}

/* ---- windows --------------------------------------------------------------------------------- */

static cafe_status fail_note(reading *r, int k) {
    cafe_place place = cafe_text_place(r->text, &r->pieces[k], r->notes[k].at);
    return cafe_fail_trouble(r->context, &place, r->notes[k].kind);
}

static cafe_status check_parts(reading *r) {
    for (int q = 0; q < PARTS; q++) {
        if (!r->parts[q].failed) continue;
        if (r->parts[q].count < CAFE_MOST_NODES / PARTS) return CAFE_ERROR_MEMORY;
        return cafe_fail(r->context, CAFE_ERROR_FORMAT,
                         "%s: expected at most %d different node ids, found more", r->text->name,
                         CAFE_MOST_NODES);
    }
    return CAFE_OK;
}

static cafe_status make_tokens(reading *r, int64_t lines) {
    if (lines <= r->room) return CAFE_OK;
    cafe_mem_free_all(r->context, r->tokens, r->sorted);
    r->sorted = NULL;
    r->room = 0;
    r->tokens = cafe_mem(r->context, 2 * lines, sizeof *r->tokens);
    if (r->tokens) r->sorted = cafe_mem(r->context, 2 * lines, sizeof *r->sorted);
    if (!r->sorted) return CAFE_ERROR_MEMORY;
    r->room = lines;
    return CAFE_OK;
}

static void free_unescaped(reading *r) {
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        cafe_mem_free(r->context, r->notes[k].unescaped);
        r->notes[k] = (note){.kind = CAFE_FINE};
    }
}

static cafe_status read_window(reading *r) {
    cafe_text *text = r->text;
    cafe_status status = CAFE_OK;
    bool packed = cafe_text_packed(text);
    double share = packed ? 0.8 : (double)cafe_text_used(text) / (double)text->total;
    CAFE_TRY(cafe_text_cut(text, r->pieces));
    CAFE_TRY(cafe_edge_list_reserve(r->list, text->lines, share));
    CAFE_TRY(make_tokens(r, text->lines));
    CAFE_TRY(cafe_text_parse(text, split_piece, r));
    for (int k = 0; k < CAFE_TEXT_PIECES; k++)
        if (r->notes[k].kind != CAFE_FINE) CAFE_TRY(fail_note(r, k));
    CAFE_TRY(cafe_each(r->context, PARTS, fill_part, r));
    CAFE_TRY(check_parts(r));
    CAFE_TRY(cafe_edge_list_fold(r->list, packed, text->lines, r->pieces, r->found));
    cafe_edge_list_append(r->list, r->pieces, r->found);
done:
    free_unescaped(r);
    return status;
}

/* ---- the end: from places to nodes ----------------------------------------------------------- */

static void mark_part(void *argument, int64_t task) {
    reading *r = argument;
    const part *q = &r->parts[task];
    for (int64_t e = 0; e < q->count; e++) cafe_bits_add(&r->firsts, q->entries[e].first);
}

/* The rank of a name's place is its node; its length goes where the names' starts will be. */
static void number_part(void *argument, int64_t task) {
    reading *r = argument;
    part *q = &r->parts[task];
    for (int64_t e = 0; e < q->count; e++) {
        q->nodes[e] = cafe_bits_rank(&r->firsts, q->entries[e].first);
        r->start[q->nodes[e] + 1] = q->entries[e].length;
    }
}

static void copy_part(void *argument, int64_t task) {
    reading *r = argument;
    const part *q = &r->parts[task];
    for (int64_t e = 0; e < q->count; e++)
        memcpy(r->names + r->start[q->nodes[e]], q->store + q->entries[e].text,
               q->entries[e].length);
}

static void rename_block(void *argument, int64_t task) {
    reading *r = argument;
    int32_t *source = r->list->source, *target = r->list->target;
    int64_t end = cafe_block_end(r->list->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++) {
        source[i] = r->parts[source[i] % PARTS].nodes[source[i] / PARTS];
        target[i] = r->parts[target[i] % PARTS].nodes[target[i] / PARTS];
    }
}

static cafe_status make_nodes(reading *r) {
    for (part *q = r->parts; q < r->parts + PARTS; q++) {
        cafe_mem_free(r->context, q->slots); /* no more names are looked up */
        q->slots = NULL;
        q->nodes = cafe_mem(r->context, q->count, sizeof *q->nodes);
        if (!q->nodes) return CAFE_ERROR_MEMORY;
    }
    return CAFE_OK;
}

static cafe_status number_names(reading *r, int64_t *nodes) {
    cafe_context *context = r->context;
    int64_t count = 0;
    cafe_status status = CAFE_OK;
    for (int q = 0; q < PARTS; q++) count += r->parts[q].count;
    CAFE_TRY(make_nodes(r));
    CAFE_TRY(cafe_bits_create(context, 2 * (r->text->passed + r->text->line + 1), &r->firsts));
    CAFE_TRY(cafe_each(context, PARTS, mark_part, r));
    CAFE_TRY(cafe_bits_rank_all(&r->firsts));
    status = CAFE_ERROR_MEMORY;
    r->start = cafe_mem(context, count + 1, sizeof *r->start);
    if (!r->start) goto done;
    r->start[0] = 0;
    CAFE_TRY(cafe_each(context, PARTS, number_part, r));
    for (int64_t u = 0; u < count; u++) r->start[u + 1] += r->start[u];
    status = CAFE_ERROR_MEMORY;
    r->names = cafe_mem(context, r->start[count], 1);
    if (!r->names) goto done;
    CAFE_TRY(cafe_each(context, PARTS, copy_part, r));
    status = cafe_each(context, cafe_blocks(r->list->count, BLOCK), rename_block, r);
    *nodes = count;
done:
    return status;
}

static void free_reading(reading *r) {
    for (int q = 0; q < PARTS; q++) {
        cafe_mem_free_all(r->context, r->parts[q].slots, r->parts[q].entries, r->parts[q].store,
                          r->parts[q].nodes);
    }
    cafe_mem_free_all(r->context, r->tokens, r->sorted, r->start, r->names);
    cafe_bits_free(&r->firsts);
    pthread_mutex_destroy(&r->memory);
    cafe_mem_free(r->context, r);
}

cafe_status cafe_strings_read(cafe_text *text, const cafe_table_layout *layout, cafe_third third,
                              cafe_edge_list *list, int64_t *nodes, cafe_names *names) {
    cafe_context *context = text->context;
    reading *r = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    r->context = r->firsts.context = context;
    r->text = text;
    r->list = list;
    r->layout = layout;
    r->third = third;
    pthread_mutex_init(&r->memory, NULL);
    while (text->begin < text->end) {
        CAFE_TRY(read_window(r));
        cafe_step(context, cafe_text_used(text), 0);
        CAFE_TRY(cafe_text_next(text));
    }
    CAFE_TRY(number_names(r, nodes));
    *names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = r->start, .text = r->names};
    r->start = NULL;
    r->names = NULL;
done:
    free_reading(r);
    return status;
}
