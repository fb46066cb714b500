/* The parser of integer lines.
 *
 * Each window is cut into pieces. First the lines of all pieces are counted, so every piece knows
 * the place of its edges in the arrays. Then all pieces are parsed straight into the arrays. For
 * gzip text, one more task decompresses the next window meanwhile. A piece stops at the first
 * unexpected byte and notes it; the first note in the text counts.
 */
#include "io/integer_lines.h"

#include <string.h>

#include "io/field.h"
#include "io/text_position.h"

typedef struct note {
    cafe_trouble kind;
    const uint8_t *at;
    const uint8_t *overflow; /* first id that no int64_t holds, or NULL */
    const uint8_t *zeros;    /* an id with leading zeros, or NULL */
    int64_t smallest, largest;
} note;

typedef struct parsing {
    cafe_text *text;
    const cafe_rules *rules;
    cafe_edge_list *list;
    cafe_piece pieces[CAFE_TEXT_PIECES];
    note notes[CAFE_TEXT_PIECES];
    int64_t found[CAFE_TEXT_PIECES];
    bool overflow; /* the error text mentions an id that is too large */
} parsing;

/* Classifies an id that is no small integer. */
static cafe_trouble classify(const uint8_t *p, cafe_trouble missing) {
    if (cafe_is_line_end(*p)) return missing;
    return cafe_is_comma(*p) ? CAFE_NO_ID : CAFE_NOT_INTEGER;
}

/* Exactly one character of the file separates fields. */
static inline const uint8_t *skip_separator(const uint8_t *p, uint8_t separator) {
    p = cafe_skip_blanks(p);
    return *p == separator ? cafe_skip_blanks(p + 1) : p;
}

/* Notes an id at p with leading zeros as one at `at`. */
static inline void look_for_zeros(const uint8_t *p, const uint8_t *at, note *n) {
    if (__builtin_expect(*p == '0' && cafe_is_digit(p[1]), 0)) n->zeros = at;
}

/* One id at *at. Wide edges take every int64; an id beyond that is noted and stored as 0, since a
 * later id may make all of them strings. */
static inline __attribute__((always_inline)) cafe_trouble take_id(const uint8_t **at, int64_t *id,
                                                                  cafe_trouble missing,
                                                                  const cafe_rules *rules,
                                                                  bool wide, note *n) {
    const uint8_t *p = *at;
    cafe_scan scan = cafe_scan_integer(at, id);
    if (__builtin_expect(scan == CAFE_SCAN_NONE, 0)) return classify(p, missing);
    if (wide) {
        if (scan == CAFE_SCAN_RANGE && !n->overflow) n->overflow = p;
        if (*id < n->smallest) n->smallest = *id;
    } else {
        if (scan == CAFE_SCAN_RANGE || *id < rules->lowest || *id > rules->highest) {
            *at = p;
            return CAFE_OUTSIDE;
        }
        *id -= rules->lowest;
    }
    if (*id > n->largest) n->largest = *id;
    return CAFE_FINE;
}

/* Past the end of the line, when it ends here. */
static inline const uint8_t *line_end(const uint8_t *p) {
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

static inline void store(cafe_edge_list *list, bool wide, int64_t i, int64_t u, int64_t w) {
    if (wide) {
        ((int64_t *)list->source)[i] = u;
        ((int64_t *)list->target)[i] = w;
    } else {
        ((int32_t *)list->source)[i] = (int32_t)u;
        ((int32_t *)list->target)[i] = (int32_t)w;
    }
}

/* Parses one piece; `wide` and `third` are constants in each of its uses below. */
static inline __attribute__((always_inline)) int64_t parse(const cafe_piece *piece,
                                                           const cafe_rules *rules,
                                                           cafe_edge_list *list, int64_t slot,
                                                           note *n, bool wide, cafe_third third) {
    const uint8_t *p = piece->begin, *next, separator = rules->separator;
    bool further = third != CAFE_THIRD_NONE && rules->further;
    int64_t i = slot;
    while (p < piece->end) {
        if (!cafe_is_digit(*p)) {
            p = cafe_skip_blanks(p);
            if ((next = line_end(p)) != NULL) {
                p = next;
                continue;
            }
            if (rules->comments && *p && strchr(rules->comments, *p)) {
                p = cafe_skip_line(p, piece->end);
                continue;
            }
        }
        if (rules->letter) {
            if (*p != rules->letter || !cafe_is_blank(p[1])) {
                n->kind = CAFE_NO_LETTER;
                break;
            }
            p = cafe_skip_blanks(p + 1);
        }
        int64_t u = 0, w = 0;
        look_for_zeros(p, p, n);
        if ((n->kind = take_id(&p, &u, CAFE_NO_ID, rules, wide, n)) != CAFE_FINE) break;
        p = skip_separator(p, separator);
        look_for_zeros(p, p, n);
        if ((n->kind = take_id(&p, &w, CAFE_NO_SECOND, rules, wide, n)) != CAFE_FINE) break;
        if (third == CAFE_THIRD_WEIGHT) {
            p = skip_separator(p, separator);
            if ((n->kind = cafe_take_signed(&p, rules->with_signs, &list->weights[i])) != CAFE_FINE)
                break;
        }
        store(list, wide, i, u, w);
        i++;
        next = line_end(p);
        if (!next && third != CAFE_THIRD_NONE && *p != '\r') {
            if (cafe_is_comma(*p) && *p != separator) { /* 0,5 between semicolons */
                n->kind = CAFE_OTHER_SEPARATOR;
                break;
            }
            next = p;
            if (!further) {
                next = cafe_skip_line(p, piece->end);
            } else if (!cafe_skip_further(&next, piece->end, separator)) {
                n->kind = CAFE_UNCLOSED;
                p = next;
                break;
            }
        } else if (!next) {
            p = skip_separator(p, separator);
            if (!(next = line_end(p))) {
                n->kind = CAFE_NOT_ENDED;
                break;
            }
        }
        p = next;
    }
    n->at = p;
    return i - slot;
}

/* ---- other layouts --------------------------------------------------------------------------- */

/* Copies a field of digits for the scanners, which need '\n' and further bytes after it. */
static bool copy_number(const cafe_field *field, uint8_t decimal,
                        uint8_t text[CAFE_NUMBER_TEXT + CAFE_TEXT_PADDING]) {
    int64_t length = field->end - field->begin;
    if (length == 0 || length >= CAFE_NUMBER_TEXT) return false;
    memcpy(text, field->begin, (size_t)length);
    text[length] = '\n';
    for (int64_t i = 0; decimal != '.' && i < length; i++) {
        if (text[i] == '.') return false; /* between thousands, it may be */
        if (text[i] == decimal) text[i] = '.';
    }
    return true;
}

cafe_trouble cafe_take_signed(const uint8_t **at, bool with_signs, float *weight) {
    cafe_trouble trouble = cafe_take_weight(at, weight);
    if (trouble != CAFE_MINUS_WEIGHT || !with_signs) return trouble;
    ++*at;
    trouble = cafe_take_weight(at, weight);
    *weight = -*weight;
    return trouble == CAFE_MINUS_WEIGHT ? CAFE_BAD_WEIGHT : trouble;
}

cafe_trouble cafe_field_weight(const cafe_field *field, uint8_t decimal, float *weight) {
    return cafe_field_signed(field, decimal, false, weight);
}

cafe_trouble cafe_field_signed(const cafe_field *field, uint8_t decimal, bool with_signs,
                               float *weight) {
    uint8_t text[CAFE_NUMBER_TEXT + CAFE_TEXT_PADDING] = {0};
    const uint8_t *p = text;
    if (field->begin == field->end) return CAFE_NO_WEIGHT;
    if (!copy_number(field, decimal, text)) return CAFE_BAD_WEIGHT;
    cafe_trouble trouble = cafe_take_signed(&p, with_signs, weight);
    return trouble == CAFE_FINE && *p != '\n' ? CAFE_BAD_WEIGHT : trouble;
}

static cafe_trouble field_id(const cafe_field *field, int64_t *id, cafe_trouble missing,
                             const cafe_rules *rules, bool wide, note *n) {
    uint8_t text[CAFE_NUMBER_TEXT + CAFE_TEXT_PADDING] = {0};
    const uint8_t *p = text, *overflow = n->overflow;
    if (field->begin == field->end) return missing;
    if ((field->quoted && !rules->numbers) || !copy_number(field, '.', text))
        return CAFE_NOT_INTEGER;
    look_for_zeros(text, field->begin, n);
    cafe_trouble trouble = take_id(&p, id, missing, rules, wide, n);
    if (n->overflow != overflow) n->overflow = field->begin;
    return trouble == CAFE_FINE && *p != '\n' ? CAFE_NOT_INTEGER : trouble;
}

cafe_trouble cafe_layout_fields(const cafe_table_layout *l, const uint8_t **at,
                                cafe_field fields[3]) {
    const int32_t columns[3] = {l->source, l->target, l->weight};
    cafe_field field;
    int32_t c = 0;
    *at = cafe_skip_padding(*at, l->separator);
    for (bool more = true; more; c++) {
        const uint8_t *begin = *at;
        switch (cafe_field_take_any(at, l->separator, &field, &more)) {
            case CAFE_FIELD_UNCLOSED: return CAFE_UNCLOSED;
            case CAFE_FIELD_BEHIND: return CAFE_BEHIND;
            default: break;
        }
        for (int i = 0; i < 3; i++)
            if (columns[i] == c) fields[i] = field;
        bool empty = field.begin == field.end && !field.quoted && !more;
        if (c >= l->columns && !empty) {
            *at = begin;
            return CAFE_MORE_COLUMNS;
        }
    }
    for (int i = 0; i < 3; i++)
        if (columns[i] >= c) return i == 2 ? CAFE_NO_WEIGHT : CAFE_NO_ID;
    return CAFE_FINE;
}

/* Reads one line under the layout; *at ends at the line's end, or at the error. */
static cafe_trouble take_fields(const cafe_rules *rules, const uint8_t **at, bool wide, note *n,
                                int64_t *u, int64_t *w, float *weight) {
    const cafe_table_layout *l = rules->layout;
    cafe_field fields[3] = {{.begin = NULL}};
    const uint8_t *end = *at;
    cafe_trouble trouble = cafe_layout_fields(l, &end, fields);
    if (trouble == CAFE_FINE) {
        *at = fields[0].begin;
        trouble = field_id(&fields[0], u, CAFE_NO_ID, rules, wide, n);
    } else {
        *at = end;
    }
    if (trouble != CAFE_FINE) return trouble;
    *at = fields[1].begin;
    trouble = field_id(&fields[1], w, CAFE_NO_SECOND, rules, wide, n);
    if (trouble == CAFE_FINE && weight) {
        *at = fields[2].begin;
        trouble = cafe_field_signed(&fields[2], l->decimal, rules->with_signs, weight);
    }
    if (trouble == CAFE_FINE) *at = end;
    return trouble;
}

static int64_t parse_fields(const cafe_piece *piece, const cafe_rules *rules, cafe_edge_list *list,
                            int64_t slot, note *n) {
    const uint8_t *p = piece->begin;
    int64_t i = slot;
    while (p < piece->end) {
        const uint8_t *q = cafe_skip_blanks(p);
        if (*q != '#' && *q != '%' && *q != '\n' && !(*q == '\r' && q[1] == '\n')) {
            int64_t u = 0, w = 0;
            float *weight = rules->third == CAFE_THIRD_WEIGHT ? &list->weights[i] : NULL;
            n->kind = take_fields(rules, &p, list->wide, n, &u, &w, weight);
            if (n->kind != CAFE_FINE) break;
            store(list, list->wide, i++, u, w);
        }
        p = cafe_skip_line(p, piece->end);
    }
    n->at = p;
    return i - slot;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void parse_piece(void *argument, int64_t k, int32_t worker) {
    parsing *job = argument;
    const cafe_piece *piece = &job->pieces[k];
    const cafe_rules *rules = job->rules;
    cafe_edge_list *list = job->list;
    note *n = &job->notes[k];
    int64_t slot = list->count + piece->before, *found = &job->found[k];
    (void)worker;
    *n = (note){.smallest = INT64_MAX, .largest = INT64_MIN};
    if (rules->layout)
        *found = parse_fields(piece, rules, list, slot, n);
    else if (list->wide && rules->third == CAFE_THIRD_WEIGHT)
        *found = parse(piece, rules, list, slot, n, true, CAFE_THIRD_WEIGHT);
    else if (list->wide)
        *found = parse(piece, rules, list, slot, n, true, rules->third);
    else if (rules->third == CAFE_THIRD_WEIGHT)
        *found = parse(piece, rules, list, slot, n, false, CAFE_THIRD_WEIGHT);
    else if (rules->third == CAFE_THIRD_NONE)
        *found = parse(piece, rules, list, slot, n, false, CAFE_THIRD_NONE);
    else
        *found = parse(piece, rules, list, slot, n, false, CAFE_THIRD_IGNORED);
}

static cafe_status fail_note(parsing *job, int k) {
    const note *n = &job->notes[k];
    cafe_context *context = job->text->context;
    cafe_place place = cafe_text_place(job->text, &job->pieces[k], n->at);
    if (!job->rules->declared || (n->kind != CAFE_NOT_INTEGER && n->kind != CAFE_OUTSIDE))
        return cafe_fail_trouble(context, &place, n->kind);
    return cafe_fail_at(context, &place, "a node id from %lld to %lld",
                        (long long)job->rules->lowest, (long long)job->rules->highest);
}

static void note_overflow(parsing *job, int k) {
    if (job->overflow || !job->notes[k].overflow) return;
    cafe_place place = cafe_text_place(job->text, &job->pieces[k], job->notes[k].overflow);
    cafe_fail_at(job->text->context, &place,
                 "a node id of at most 63 bits, or in quotes, as a name");
    job->overflow = true;
}

static void note_zeros(parsing *job, int k) {
    if (job->list->zeros[0] || !job->notes[k].zeros) return;
    cafe_place place = cafe_text_place(job->text, &job->pieces[k], job->notes[k].zeros);
    const uint8_t *line = place.at;
    while (line > place.begin && line[-1] != '\n') line--;
    job->list->zeros[0] = place.line + cafe_count_lines(place.begin, line);
    job->list->zeros[1] = place.at - line + 1;
}

/* The first note in the order of the text decides. */
static cafe_status judge(parsing *job, cafe_lines_end *ended) {
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        const note *n = &job->notes[k];
        bool elsewhere =
            !job->rules->declared &&
            ((n->kind == CAFE_NOT_INTEGER && !job->rules->numbers) || n->kind == CAFE_OUTSIDE);
        if (n->kind != CAFE_FINE && !elsewhere) return fail_note(job, k);
        if (elsewhere) {
            *ended = n->kind == CAFE_OUTSIDE ? CAFE_LINES_WIDE : CAFE_LINES_TEXT;
            return CAFE_OK;
        }
        note_overflow(job, k);
        note_zeros(job, k);
        if (n->smallest < job->list->smallest) job->list->smallest = n->smallest;
        if (n->largest > job->list->largest) job->list->largest = n->largest;
    }
    return CAFE_OK;
}

static cafe_status read_window(parsing *job, cafe_lines_end *ended) {
    cafe_text *text = job->text;
    bool packed = cafe_text_packed(text);
    double share = packed ? 0.8 : (double)cafe_text_used(text) / (double)text->total;
    CAFE_PASS(cafe_text_cut(text, job->pieces));
    CAFE_PASS(cafe_edge_list_reserve(job->list, text->lines, share));
    CAFE_PASS(cafe_text_parse(text, parse_piece, job));
    CAFE_PASS(judge(job, ended));
    if (*ended != CAFE_LINES_DONE) return CAFE_OK;
    CAFE_PASS(cafe_edge_list_fold(job->list, packed, text->lines, job->pieces, job->found));
    cafe_edge_list_append(job->list, job->pieces, job->found);
    return CAFE_OK;
}

cafe_status cafe_lines_read(cafe_text *text, const cafe_rules *rules, cafe_edge_list *list,
                            cafe_lines_end *ended) {
    parsing job = {.text = text, .rules = rules, .list = list};
    cafe_status status = CAFE_OK;
    *ended = CAFE_LINES_DONE;
    while (text->begin < text->end) {
        CAFE_TRY(read_window(&job, ended));
        if (*ended != CAFE_LINES_DONE) break;
        cafe_step(text->context, cafe_text_used(text), 0);
        CAFE_TRY(cafe_text_next(text));
    }
    if (*ended == CAFE_LINES_DONE && job.overflow) status = CAFE_ERROR_FORMAT;
    list->overflow = status != CAFE_OK;
    if (*ended != CAFE_LINES_DONE) text->context->error[0] = 0;
done:
    return status;
}
