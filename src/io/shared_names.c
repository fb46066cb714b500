/* Node ids among several processes, equal to those that a single reader of the file gives.
 *
 * Integers ascend with the node. Samples of all ids cut their range into as many parts as
 * processes. Each process gets the ids of its part from all, sorts them, and knows its first node
 * id from the numbers of ids in the parts before.
 *
 * Strings are numbered by first appearance. The hash of a name gives its owner, who gets the lists
 * of all processes in their order and finds the process that has the name first. That process
 * numbers the name, among the names that it has first, in the order of its text; the owner passes
 * the id on to all others.
 *
 * In both cases the names of consecutive nodes are in one process, which writes them.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/text_hash.h"
#include "io/shared.h"

enum { SAMPLES = 256 }; /* ids of each process */

void cafe_numbered_free(cafe_context *context, cafe_numbered *numbered) {
    cafe_names_free(context, &numbered->names);
    cafe_mem_free(context, numbered->became);
    numbered->became = NULL;
}

/* The nodes of the processes before this one, and of all. */
static cafe_status place_nodes(cafe_context *context, const char *file, cafe_numbered *to) {
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(context, &to->count, sizeof to->count, &all, NULL));
    to->first = to->nodes = 0;
    for (int32_t r = 0; r < cafe_team_ranks(context); r++) {
        if (r == cafe_team_rank(context)) to->first = to->nodes;
        to->nodes += ((int64_t *)all)[r];
    }
    cafe_mem_free(context, all);
    if (to->nodes <= CAFE_MOST_NODES) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: expected at most %d different node ids, found more", file,
                     CAFE_MOST_NODES);
}

/* ---- integers -------------------------------------------------------------------------------- */

typedef struct integers {
    cafe_context *context;
    int64_t count, *ids;     /* of this process, ascending */
    int64_t *cuts;           /* ids from cuts[r] on are in the part of process r + 1 or later */
    int64_t *sizes, *counts; /* bytes to each, bytes from each */
    int64_t *got, received;
    int64_t *sorted, members; /* of this process's part, each once */
} integers;

static int64_t first_from(const int64_t *ids, int64_t count, int64_t id) {
    int64_t low = 0;
    while (low < count) {
        int64_t middle = low + (count - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static cafe_status list_ids(integers *t, const cafe_names *own) {
    int32_t ranks = cafe_team_ranks(t->context);
    t->ids = cafe_mem(t->context, t->count, sizeof *t->ids);
    t->cuts = cafe_mem(t->context, ranks, sizeof *t->cuts);
    t->sizes = cafe_mem(t->context, 2 * ranks, sizeof *t->sizes);
    CAFE_PASS(cafe_mem_had(t->ids, t->cuts, t->sizes));
    t->counts = t->sizes + ranks;
    for (int64_t i = 0; i < t->count; i++)
        t->ids[i] = own->kind == CAFE_NAMES_INTEGER ? own->integers[i] : i;
    return CAFE_OK;
}

/* Every process gives evenly spaced ids of its own; evenly spaced ids among all of these are the
 * cuts. */
static cafe_status cut_range(integers *t) {
    cafe_context *context = t->context;
    int32_t ranks = cafe_team_ranks(context);
    int64_t mine[SAMPLES], given = t->count < SAMPLES ? t->count : SAMPLES, count = 0, *sorted;
    void *all = NULL, *other = NULL;
    cafe_status status;
    for (int64_t i = 0; i < given; i++) mine[i] = t->ids[i * t->count / given];
    CAFE_TRY(cafe_team_gather(context, mine, given * 8, &all, t->sizes));
    for (int32_t r = 0; r < ranks; r++) count += t->sizes[r] / 8;
    other = cafe_mem(context, count, sizeof *sorted);
    status = other ? cafe_sort_ids(context, all, other, count, &sorted) : CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_team_agree(context, status));
    for (int32_t r = 0; r + 1 < ranks; r++)
        t->cuts[r] = count > 0 ? sorted[(r + 1) * count / ranks] : 0;
done:
    cafe_mem_free_all(context, all, other);
    return status;
}

/* The ids of this process's part, each once. */
static cafe_status sort_part(integers *t) {
    int64_t *other = cafe_mem(t->context, t->received, sizeof *other), *sorted = NULL;
    int64_t *ids = cafe_mem(t->context, t->received, sizeof *ids);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!other || !ids) goto done;
    memcpy(ids, t->got, (size_t)t->received * sizeof *ids);
    CAFE_TRY(cafe_sort_ids(t->context, ids, other, t->received, &sorted));
    for (int64_t i = 0; i < t->received; i++)
        if (t->members == 0 || sorted[t->members - 1] != sorted[i])
            sorted[t->members++] = sorted[i];
    t->sorted = sorted;
done:
    if (ids != t->sorted) cafe_mem_free(t->context, ids);
    if (other != t->sorted) cafe_mem_free(t->context, other);
    return status;
}

static cafe_status send_ids(integers *t) {
    int32_t ranks = cafe_team_ranks(t->context);
    int64_t before = 0, last;
    void *got = NULL;
    for (int32_t r = 0; r < ranks; r++, before = last) {
        last = r + 1 < ranks ? first_from(t->ids, t->count, t->cuts[r]) : t->count;
        t->sizes[r] = 8 * (last - before);
    }
    CAFE_PASS(cafe_team_exchange(t->context, t->ids, t->sizes, &got, t->counts));
    t->got = got;
    for (int32_t r = 0; r < ranks; r++) t->received += t->counts[r] / 8;
    return cafe_team_agree(t->context, sort_part(t));
}

typedef struct answering {
    const integers *t;
    const cafe_numbered *to;
    int32_t *answers;
} answering;

static void answer_block(void *argument, int64_t first, int64_t last) {
    const answering *a = argument;
    const integers *t = a->t;
    for (int64_t i = first; i < last; i++)
        a->answers[i] = (int32_t)(a->to->first + first_from(t->sorted, t->members, t->got[i]));
}

/* Every id that was sent gets its node. */
static cafe_status answer(integers *t, cafe_numbered *to) {
    cafe_context *context = t->context;
    answering a = {t, to, cafe_mem(context, t->received, sizeof *a.answers)};
    void *got = NULL;
    cafe_status status = cafe_mem_had(a.answers);
    if (status == CAFE_OK) status = cafe_ranges(context, t->received, 1 << 16, answer_block, &a);
    CAFE_TRY(cafe_team_agree(context, status));
    for (int32_t r = 0; r < 2 * cafe_team_ranks(context); r++) t->sizes[r] /= 2; /* 4 bytes for 8 */
    CAFE_TRY(cafe_team_exchange(context, a.answers, t->counts, &got, t->sizes));
    to->became = got;
done:
    cafe_mem_free(context, a.answers);
    return status;
}

/* Are the ids 0 .. nodes - 1? Then they need no names. */
static cafe_status are_indices(const integers *t, const cafe_numbered *to, bool *indices) {
    int64_t others = t->members > 0 && (t->sorted[0] != to->first ||
                                        t->sorted[t->members - 1] != to->first + to->count - 1);
    CAFE_PASS(cafe_team_sum(t->context, &others, 1));
    *indices = others == 0;
    return CAFE_OK;
}

cafe_status cafe_number_integers(cafe_context *context, const char *file, int64_t count,
                                 const cafe_names *own, cafe_numbered *to) {
    integers t = {.context = context, .count = count};
    bool indices = false;
    cafe_status status;
    CAFE_TRY(cafe_team_agree(context, list_ids(&t, own)));
    CAFE_TRY(cut_range(&t));
    CAFE_TRY(send_ids(&t));
    to->count = t.members;
    CAFE_TRY(place_nodes(context, file, to));
    CAFE_TRY(answer(&t, to));
    CAFE_TRY(are_indices(&t, to, &indices));
    if (indices) goto done;
    to->names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = t.sorted};
    t.sorted = NULL;
done:
    cafe_mem_free_all(context, t.ids, t.cuts, t.sizes, t.got, t.sorted);
    return status;
}

/* ---- are names different? -------------------------------------------------------------------- */

/* The hashes of this process's names: each is sent to the process that it falls to. */
static cafe_status hash_names(cafe_context *context, const cafe_names *names, cafe_portion portion,
                              int64_t *hashes, int64_t *sizes, int64_t *next) {
    int32_t ranks = cafe_team_ranks(context);
    const int64_t *start = names->start;
    int64_t *unsorted = cafe_mem(context, portion.last - portion.first, sizeof *unsorted);
    CAFE_PASS(cafe_mem_had(unsorted));
    memset(sizes, 0, (size_t)ranks * sizeof *sizes);
    for (int64_t u = portion.first; u < portion.last; u++) {
        uint64_t hash = cafe_hash_text(names->text + start[u], start[u + 1] - start[u]);
        unsorted[u - portion.first] = (int64_t)hash;
        sizes[hash % (uint64_t)ranks]++;
    }
    next[0] = 0;
    for (int32_t r = 1; r < ranks; r++) next[r] = next[r - 1] + sizes[r - 1];
    for (int64_t i = 0; i < portion.last - portion.first; i++)
        hashes[next[(uint64_t)unsorted[i] % (uint64_t)ranks]++] = unsorted[i];
    for (int32_t r = 0; r < ranks; r++) sizes[r] *= (int64_t)sizeof *hashes;
    cafe_mem_free(context, unsorted);
    return CAFE_OK;
}

cafe_status cafe_names_differ(cafe_context *context, const cafe_names *names, cafe_portion portion,
                              bool *differ) {
    int32_t ranks = cafe_team_ranks(context);
    int64_t *hashes = cafe_mem(context, portion.last - portion.first, sizeof *hashes), *sorted;
    int64_t *sizes = cafe_mem(context, 2 * ranks, sizeof *sizes), *other = NULL;
    int64_t count = 0, repeated = 0;
    void *got = NULL;
    cafe_status status = cafe_mem_had(hashes, sizes);
    if (status == CAFE_OK)
        status = hash_names(context, names, portion, hashes, sizes, sizes + ranks);
    CAFE_TRY(cafe_team_agree(context, status));
    CAFE_TRY(cafe_team_exchange(context, hashes, sizes, &got, sizes + ranks));
    for (int32_t r = 0; r < ranks; r++) count += sizes[ranks + r] / (int64_t)sizeof *hashes;
    other = cafe_mem(context, count, sizeof *other);
    status = other ? cafe_sort_ids(context, got, other, count, &sorted) : CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_team_agree(context, status));
    for (int64_t i = 1; i < count; i++) repeated += sorted[i] == sorted[i - 1];
    CAFE_TRY(cafe_team_sum(context, &repeated, 1));
    *differ = repeated == 0;
done:
    cafe_mem_free_all(context, hashes, sizes, other, got);
    return status;
}

/* ---- strings --------------------------------------------------------------------------------- */

typedef struct strings {
    cafe_context *context;
    int64_t count;
    const cafe_names *own;
    int32_t *order;          /* names of this process, those of each owner one after the other */
    int64_t *names, *bytes;  /* of this process: of each owner */
    int64_t *counts, *sizes; /* given, and got: of each process */
    /* of an owner: the names that it got */
    uint32_t *lengths;
    char *text;
    int64_t received, *starts, *from;
    int32_t *same; /* the first of them that is the same name */
} strings;

static int64_t length_of(const strings *t, int64_t i) {
    return t->own->start[i + 1] - t->own->start[i];
}

static int32_t owner_of(const strings *t, int64_t i) {
    uint64_t hash = cafe_hash_text(t->own->text + t->own->start[i], length_of(t, i));
    return (int32_t)((hash >> 32) % (uint64_t)cafe_team_ranks(t->context));
}

/* Own names by their owners: a counting sort. */
static cafe_status sort_names(strings *t) {
    int32_t ranks = cafe_team_ranks(t->context);
    int64_t *next;
    t->order = cafe_mem(t->context, t->count, sizeof *t->order);
    t->names = cafe_mem_zero(t->context, 6 * ranks + 1, sizeof *t->names);
    CAFE_PASS(cafe_mem_had(t->order, t->names));
    t->bytes = t->names + ranks;
    t->counts = t->names + 2 * ranks;
    t->sizes = t->names + 3 * ranks;
    next = t->names + 4 * ranks;
    t->from = t->names + 5 * ranks;
    for (int64_t i = 0; i < t->count; i++) {
        int32_t owner = owner_of(t, i);
        t->names[owner]++;
        t->bytes[owner] += length_of(t, i);
    }
    for (int32_t r = 1; r < ranks; r++) next[r] = next[r - 1] + t->names[r - 1];
    for (int64_t i = 0; i < t->count; i++) t->order[next[owner_of(t, i)]++] = (int32_t)i;
    return CAFE_OK;
}

/* given[r] items of `size` bytes to process r; got[r] come from it. */
static cafe_status pass_on(strings *t, const void *items, size_t size, const int64_t *given,
                           int64_t *got, void **received) {
    int32_t ranks = cafe_team_ranks(t->context);
    for (int32_t r = 0; r < ranks; r++) t->sizes[r] = given[r] * (int64_t)size;
    CAFE_PASS(cafe_team_exchange(t->context, items, t->sizes, received, got));
    for (int32_t r = 0; r < ranks; r++) got[r] /= (int64_t)size;
    return CAFE_OK;
}

/* Lengths first, then the texts, each in the order of the owners. */
static cafe_status send_names(strings *t) {
    cafe_context *context = t->context;
    uint32_t *lengths = cafe_mem(context, t->count, sizeof *lengths);
    int64_t used = 0, bytes = t->count > 0 ? t->own->start[t->count] : 0;
    char *text = cafe_mem(context, bytes, 1);
    void *got = NULL;
    int64_t *ignored = t->from;
    cafe_status status;
    for (int64_t i = 0; lengths && text && i < t->count; i++) {
        int64_t name = t->order[i];
        lengths[i] = (uint32_t)length_of(t, name);
        memcpy(text + used, t->own->text + t->own->start[name], lengths[i]);
        used += lengths[i];
    }
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(lengths, text)));
    CAFE_TRY(pass_on(t, lengths, sizeof *lengths, t->names, t->counts, &got));
    t->lengths = got;
    CAFE_TRY(pass_on(t, text, 1, t->bytes, ignored, &got));
    t->text = got;
done:
    cafe_mem_free_all(context, lengths, text);
    return status;
}

/* Where each name begins, and from which process's list on they are. */
static cafe_status lay_names(strings *t) {
    t->from[0] = 0;
    for (int32_t r = 0; r < cafe_team_ranks(t->context); r++)
        t->from[r + 1] = t->from[r] + t->counts[r];
    t->received = t->from[cafe_team_ranks(t->context)];
    t->starts = cafe_mem(t->context, t->received + 1, sizeof *t->starts);
    t->same = cafe_mem(t->context, t->received, sizeof *t->same);
    CAFE_PASS(cafe_mem_had(t->starts, t->same));
    t->starts[0] = 0;
    for (int64_t i = 0; i < t->received; i++) t->starts[i + 1] = t->starts[i] + t->lengths[i];
    return t->received <= INT32_MAX ? CAFE_OK : cafe_fail_memory(t->context, "names");
}

/* The table of names: open addressing, at most half full. */
static cafe_status find_same(strings *t) {
    int64_t mask = 15;
    while (mask < 2 * t->received) mask = 2 * mask + 1;
    int32_t *slots = cafe_mem(t->context, mask + 1, sizeof *slots);
    if (!slots) return CAFE_ERROR_MEMORY;
    memset(slots, 0xff, (size_t)(mask + 1) * sizeof *slots);
    for (int64_t i = 0; i < t->received; i++) {
        const char *name = t->text + t->starts[i];
        int64_t at = (int64_t)cafe_hash_text(name, t->lengths[i]) & mask;
        while (slots[at] >= 0 && (t->lengths[slots[at]] != t->lengths[i] ||
                                  memcmp(t->text + t->starts[slots[at]], name, t->lengths[i])))
            at = (at + 1) & mask;
        if (slots[at] < 0) slots[at] = (int32_t)i;
        t->same[i] = slots[at];
    }
    cafe_mem_free(t->context, slots);
    return CAFE_OK;
}

/* Sends every process which of its names it has first: `first`, one byte for each in its order. */
static cafe_status tell_firsts(strings *t, uint8_t **first) {
    uint8_t *marks = cafe_mem(t->context, t->received, 1);
    void *got = NULL;
    cafe_status status = cafe_team_agree(t->context, cafe_mem_had(marks));
    for (int64_t i = 0; status == CAFE_OK && i < t->received; i++) marks[i] = t->same[i] == i;
    if (status == CAFE_OK) status = pass_on(t, marks, 1, t->counts, t->names, &got);
    cafe_mem_free(t->context, marks);
    *first = got;
    return status;
}

/* Numbers the names that this process has first, in the order of its text. */
static void number_firsts(const strings *t, const uint8_t *first, cafe_numbered *to) {
    int64_t node = to->first;
    for (int64_t i = 0; i < t->count; i++) to->became[t->order[i]] = first[i] ? 0 : -1;
    for (int64_t i = 0; i < t->count; i++)
        if (to->became[i] == 0) to->became[i] = (int32_t)node++;
}

/* Owners receive the ids from the processes that have a name first, and send them to all that have
 * the name. */
static cafe_status tell_nodes(strings *t, const uint8_t *first, cafe_numbered *to) {
    cafe_context *context = t->context;
    int32_t ranks = cafe_team_ranks(context), *firsts = cafe_mem(context, t->count, sizeof *firsts);
    int32_t *nodes = cafe_mem(context, t->received, sizeof *nodes);
    int64_t used = 0, at = 0, *given = t->bytes;
    void *got = NULL, *answers = NULL;
    cafe_status status;
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(firsts, nodes)));
    for (int32_t r = 0; r < ranks; r++) {
        int64_t before = used;
        for (int64_t end = at + t->names[r]; at < end; at++)
            if (first[at]) firsts[used++] = to->became[t->order[at]];
        given[r] = used - before;
    }
    CAFE_TRY(pass_on(t, firsts, sizeof *firsts, given, t->from, &got));
    used = 0;
    for (int64_t i = 0; i < t->received; i++)
        nodes[i] = t->same[i] == i ? ((int32_t *)got)[used++] : nodes[t->same[i]];
    CAFE_TRY(pass_on(t, nodes, sizeof *nodes, t->counts, t->names, &answers));
    for (int64_t i = 0; i < t->count; i++) to->became[t->order[i]] = ((int32_t *)answers)[i];
done:
    cafe_mem_free_all(context, firsts, nodes, got, answers);
    return status;
}

/* Keeps the names that this process has first, in the order of its text: those of its nodes. */
static cafe_status keep_names(const strings *t, cafe_numbered *to) {
    int64_t end = to->first + to->count, kept = 0, used = 0;
    int64_t *start = cafe_mem(t->context, to->count + 1, sizeof *start);
    char *text = cafe_mem(t->context, t->count > 0 ? t->own->start[t->count] : 0, 1);
    to->names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text};
    CAFE_PASS(cafe_mem_had(start, text));
    start[0] = 0;
    for (int64_t i = 0; i < t->count; i++) {
        if (to->became[i] < to->first || to->became[i] >= end) continue;
        memcpy(text + used, t->own->text + t->own->start[i], (size_t)length_of(t, i));
        used += length_of(t, i);
        start[++kept] = used;
    }
    return CAFE_OK;
}

static cafe_status number_own(strings *t, const char *file, cafe_numbered *to) {
    uint8_t *first = NULL;
    cafe_status status;
    CAFE_TRY(cafe_team_agree(t->context, lay_names(t)));
    CAFE_TRY(cafe_team_agree(t->context, find_same(t)));
    CAFE_TRY(tell_firsts(t, &first));
    for (int64_t i = 0; i < t->count; i++) to->count += first[i];
    CAFE_TRY(place_nodes(t->context, file, to));
    to->became = cafe_mem(t->context, t->count, sizeof *to->became);
    CAFE_TRY(cafe_team_agree(t->context, cafe_mem_had(to->became)));
    number_firsts(t, first, to);
    CAFE_TRY(tell_nodes(t, first, to));
done:
    cafe_mem_free(t->context, first);
    return status;
}

cafe_status cafe_number_strings(cafe_context *context, const char *file, int64_t count,
                                const cafe_names *own, cafe_numbered *to) {
    strings t = {.context = context, .count = count, .own = own};
    cafe_status status;
    CAFE_TRY(cafe_team_agree(context, sort_names(&t)));
    CAFE_TRY(send_names(&t));
    CAFE_TRY(number_own(&t, file, to));
    status = cafe_team_agree(context, keep_names(&t, to));
done:
    cafe_mem_free_all(context, t.order, t.names, t.lengths, t.text, t.starts, t.same);
    return status;
}
