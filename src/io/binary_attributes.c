/* Attributes of nodes as bytes, and back: the last section of a .cafe file.
 *
 * Both directions pass over the same parts in the same order. Whatever stands in the section, the
 * reader stays within it, and every number of a text is one of a text that is there.
 */
#include "io/binary_attributes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/attributes.h"
#include "graph/dictionary.h"
#include "graph/graph.h"

enum { NUMBERS, TEXTS, PART = 8 };

typedef struct attribute_head {
    int64_t kind, name_bytes, texts, text_bytes;
} attribute_head;

static inline int64_t padded(int64_t bytes) {
    return (bytes + PART - 1) / PART * PART;
}

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct packing {
    cafe_context *context;
    int64_t nodes, used, room;
    uint8_t *block;
} packing;

/* Room for a part of this size, which begins as zeros; NULL: no memory. */
static void *add_part(packing *p, int64_t bytes) {
    int64_t at = p->used;
    if (cafe_mem_grow(p->context, &p->block, &p->room, at + padded(bytes), 1) != CAFE_OK)
        return NULL;
    memset(p->block + at, 0, (size_t)padded(bytes));
    p->used += padded(bytes);
    return p->block + at;
}

static cafe_status add_bytes(packing *p, const void *bytes, int64_t size) {
    void *part = add_part(p, size);
    if (!part) return CAFE_ERROR_MEMORY;
    if (size > 0) memcpy(part, bytes, (size_t)size);
    return CAFE_OK;
}

static double number_of(const cafe_attribute *a, int64_t u) {
    double number = a->numbers ? a->numbers[u]
                    : a->reals ? a->reals[u * a->stride]
                               : a->integers[u];
    return isfinite(number) ? number : NAN;
}

static cafe_status pack_numbers(packing *p, const cafe_attribute *a) {
    double *numbers = add_part(p, p->nodes * (int64_t)sizeof *numbers);
    if (!numbers) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < p->nodes; u++) numbers[u] = number_of(a, u);
    return CAFE_OK;
}

/* The different texts, and codes[nodes]: the number of each node's. An empty text is none. */
static cafe_status number_texts(const packing *p, const cafe_attribute *a, cafe_dictionary *texts,
                                int32_t *codes) {
    for (int64_t u = 0; u < p->nodes; u++) {
        const char *text = cafe_attribute_text(a, u, NULL);
        int64_t length = text ? (int64_t)strlen(text) : 0, number = -1;
        if (length > 0 && !cafe_attribute_is_text(text, length))
            return cafe_fail(p->context, CAFE_ERROR_ARGUMENT,
                             "attribute '%.60s' of node %lld is no text in UTF-8", a->name,
                             (long long)u);
        if (length > 0) CAFE_PASS(cafe_dictionary_add(texts, text, length, &number));
        codes[u] = (int32_t)number;
    }
    return CAFE_OK;
}

static cafe_status pack_texts(packing *p, const cafe_attribute *a, attribute_head *head) {
    cafe_status status = CAFE_OK;
    cafe_dictionary texts = {.context = p->context};
    int32_t *codes = cafe_mem(p->context, p->nodes, sizeof *codes);
    CAFE_TRY(cafe_mem_had(codes));
    CAFE_TRY(number_texts(p, a, &texts, codes));
    head->texts = texts.count;
    head->text_bytes = texts.used;
    CAFE_TRY(add_bytes(p, codes, p->nodes * (int64_t)sizeof *codes));
    status = add_bytes(p, texts.text, texts.used);
done:
    cafe_dictionary_free(&texts);
    cafe_mem_free(p->context, codes);
    return status;
}

static cafe_status pack_attribute(packing *p, const cafe_attribute *a) {
    attribute_head head = {a->texts ? TEXTS : NUMBERS, (int64_t)strlen(a->name), 0, 0};
    int64_t at = p->used;
    CAFE_PASS(add_bytes(p, &head, sizeof head));
    CAFE_PASS(add_bytes(p, a->name, head.name_bytes));
    CAFE_PASS(a->texts ? pack_texts(p, a, &head) : pack_numbers(p, a));
    memcpy(p->block + at, &head, sizeof head);
    return CAFE_OK;
}

cafe_status cafe_binary_pack(cafe_context *context, int64_t nodes, int64_t count,
                             const cafe_attribute *attributes, uint8_t **block, int64_t *bytes) {
    packing p = {.context = context, .nodes = nodes};
    cafe_status status = CAFE_OK;
    *block = NULL;
    *bytes = 0;
    if (count == 0) return CAFE_OK;
    CAFE_TRY(add_bytes(&p, &count, sizeof count));
    for (int64_t i = 0; i < count; i++) CAFE_TRY(pack_attribute(&p, &attributes[i]));
    *block = p.block;
    *bytes = p.used;
    p.block = NULL;
done:
    cafe_mem_free(context, p.block);
    return status;
}

/* ---- in -------------------------------------------------------------------------------------- */

typedef struct unpacking {
    cafe_graph *graph;
    cafe_attribute *attributes;
    int64_t count;
    cafe_dictionary names;
    const uint8_t *at;
    uint64_t left;
    const char *fault;
} unpacking;

/* The next part; NULL: the section ends before it, or the bytes behind it are not zero. */
static const void *take_part(unpacking *p, int64_t count, int64_t size) {
    const uint8_t *part = p->at;
    if (count < 0 || (uint64_t)count > p->left / (uint64_t)size) {
        p->fault = "attributes within their section";
        return NULL;
    }
    int64_t bytes = count * size, all = padded(bytes);
    for (int64_t i = bytes; i < all && (uint64_t)i < p->left; i++)
        if (part[i]) p->fault = "zeros between the parts of the attributes";
    if ((uint64_t)all > p->left) p->fault = "attributes within their section";
    if (p->fault) return NULL;
    p->at += all;
    p->left -= (uint64_t)all;
    return part;
}

static cafe_status take_name(unpacking *p, int64_t bytes, cafe_attribute *a) {
    const char *name = take_part(p, bytes, 1);
    int64_t number;
    if (!name) return CAFE_OK;
    if (bytes == 0 || !cafe_attribute_is_text(name, bytes)) {
        p->fault = "attributes with names in UTF-8";
        return CAFE_OK;
    }
    CAFE_PASS(cafe_dictionary_add(&p->names, name, bytes, &number));
    if (number < p->count) p->fault = "attributes of different names";
    a->name = cafe_mem_text(p->graph->context, cafe_dictionary_text(&p->names, number));
    return cafe_mem_had(a->name);
}

static cafe_status take_numbers(unpacking *p, cafe_attribute *a) {
    int64_t n = p->graph->n;
    const double *numbers = take_part(p, n, sizeof *numbers);
    if (!numbers) return CAFE_OK;
    double *own = cafe_mem(p->graph->context, n, sizeof *own);
    CAFE_PASS(cafe_mem_had(own));
    memcpy(own, numbers, (size_t)n * sizeof *own);
    a->numbers = own;
    for (int64_t u = 0; u < n; u++)
        if (isinf(own[u])) p->fault = "finite numbers of attributes";
    return CAFE_OK;
}

/* text[i] <- the i-th of `count` texts, each ended by a 0. */
static bool point_to_texts(const char *block, int64_t bytes, int64_t count, const char **text) {
    const char *at = block, *end = block + bytes;
    for (int64_t i = 0; i < count; i++) {
        const char *stop = memchr(at, 0, (size_t)(end - at));
        if (!stop || stop == at || !cafe_attribute_is_text(at, stop - at)) return false;
        text[i] = at;
        at = stop + 1;
    }
    return at == end;
}

/* A graph frees the block by its first text. */
static cafe_status copy_texts(unpacking *p, const attribute_head *head, const char *texts,
                              cafe_attribute *a) {
    cafe_context *context = p->graph->context;
    char *block = cafe_mem(context, head->text_bytes + 1, 1);
    const char **text = cafe_mem(context, head->texts + 1, sizeof *text);
    if (!block || !text) {
        cafe_mem_free_all(context, block, text);
        return CAFE_ERROR_MEMORY;
    }
    memcpy(block, texts, (size_t)head->text_bytes);
    text[0] = block;
    if (!point_to_texts(block, head->text_bytes, head->texts, text))
        p->fault = "texts of attributes in UTF-8, one after the other";
    a->texts = text;
    a->values = head->texts;
    return CAFE_OK;
}

static cafe_status take_texts(unpacking *p, const attribute_head *head, cafe_attribute *a) {
    int64_t n = p->graph->n;
    const int32_t *codes = take_part(p, n, sizeof *codes);
    const char *texts = codes ? take_part(p, head->text_bytes, 1) : NULL;
    if (!texts) return CAFE_OK;
    if (head->texts < 0 || head->texts > head->text_bytes || head->texts > INT32_MAX) {
        p->fault = "as many texts of attributes as there are";
        return CAFE_OK;
    }
    for (int64_t u = 0; u < n; u++)
        if (codes[u] < -1 || codes[u] >= head->texts) p->fault = "numbers of texts that are there";
    if (p->fault) return CAFE_OK;
    int32_t *own = cafe_mem(p->graph->context, n, sizeof *own);
    CAFE_PASS(cafe_mem_had(own));
    memcpy(own, codes, (size_t)n * sizeof *own);
    a->integers = own;
    return copy_texts(p, head, texts, a);
}

static cafe_status take_attribute(unpacking *p, cafe_attribute *a) {
    attribute_head head;
    const void *part = take_part(p, 1, sizeof head);
    if (!part) return CAFE_OK;
    memcpy(&head, part, sizeof head);
    bool numbers = head.kind == NUMBERS && head.texts == 0 && head.text_bytes == 0;
    if (!numbers && head.kind != TEXTS) p->fault = "attributes of numbers or of texts";
    if (!p->fault) CAFE_PASS(take_name(p, head.name_bytes, a));
    if (p->fault) return CAFE_OK;
    return numbers ? take_numbers(p, a) : take_texts(p, &head, a);
}

static cafe_status take_all(unpacking *p, int64_t count) {
    for (int64_t i = 0; i < count && !p->fault; i++) {
        cafe_status status = take_attribute(p, &p->attributes[i]);
        p->count++; /* to be freed, whatever it has */
        CAFE_PASS(status);
    }
    if (!p->fault && p->left > 0) p->fault = "attributes up to the end of their section";
    return CAFE_OK;
}

cafe_status cafe_binary_unpack(cafe_graph *graph, const uint8_t *block, uint64_t bytes,
                               const char **fault) {
    unpacking p = {
        .graph = graph, .names = {.context = graph->context}, .at = block, .left = bytes};
    cafe_status status = CAFE_OK;
    int64_t count = 0;
    *fault = NULL;
    if (bytes == 0) return CAFE_OK;
    const void *part = take_part(&p, 1, sizeof count);
    if (part) memcpy(&count, part, sizeof count);
    if (count < 1 || (uint64_t)count > bytes / sizeof(attribute_head)) {
        *fault = "attributes within their section";
        return CAFE_OK;
    }
    p.attributes = cafe_mem_zero(graph->context, count, sizeof *p.attributes);
    CAFE_TRY(cafe_mem_had(p.attributes));
    CAFE_TRY(take_all(&p, count));
    *fault = p.fault;
    if (p.fault) goto done;
    graph->reading.attributes = p.attributes;
    graph->reading.attribute_count = p.count;
    p.attributes = NULL;
done:
    if (p.attributes) cafe_attributes_free(graph->context, p.count, p.attributes);
    cafe_dictionary_free(&p.names);
    return status;
}
