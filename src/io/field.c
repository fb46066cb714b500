/* Fields by the rules of RFC 4180, with two exceptions: a quoted field stays on its line (parallel
 * readers cut at lines), and blanks around a field are ignored. */
#include "io/field.h"

#include "io/scanners.h"

static bool ends_field(uint8_t c, uint8_t separator) {
    return cafe_is_line_end(c) || (separator == ' ' ? cafe_is_blank(c) : c == separator);
}

static cafe_field_fault take_quoted(const uint8_t **at, cafe_field *field) {
    const uint8_t *p = *at + 1;
    *field = (cafe_field){.begin = p, .quoted = true};
    for (;; p++) {
        if (*p == '"' && p[1] == '"') {
            field->doubled = true;
            p++;
        } else if (*p == '"') {
            break;
        } else if (cafe_is_line_end(*p)) {
            return CAFE_FIELD_UNCLOSED;
        }
    }
    field->end = p;
    *at = p + 1;
    return CAFE_FIELD_FINE;
}

static void take_bare(const uint8_t **at, uint8_t separator, cafe_field *field) {
    const uint8_t *p = *at;
    *field = (cafe_field){.begin = p};
    while (!ends_field(*p, separator)) p++;
    *at = p;
    while (p > field->begin && cafe_is_padding(p[-1], separator)) p--;
    field->end = p;
}

cafe_field_fault cafe_field_take(const uint8_t **at, uint8_t separator, cafe_field *field) {
    const uint8_t *p = cafe_skip_padding(*at, separator);
    *at = p;
    if (*p == '"') {
        cafe_field_fault fault = take_quoted(&p, field);
        if (fault != CAFE_FIELD_FINE) return fault;
    } else {
        take_bare(&p, separator, field);
    }
    if (field->begin == field->end) return CAFE_FIELD_EMPTY;
    const uint8_t *behind = cafe_skip_padding(p, separator);
    if (!ends_field(*behind, separator) && !(separator == ' ' && behind > p)) {
        *at = behind;
        return CAFE_FIELD_BEHIND;
    }
    *at = separator != ' ' && *behind == separator ? cafe_skip_padding(behind + 1, separator)
                                                   : behind;
    return CAFE_FIELD_FINE;
}

/* "" or nothing before the separator or the end of the line. */
static void take_nothing(const uint8_t **at, cafe_field *field) {
    const uint8_t *p = *at;
    *field = (cafe_field){.begin = p, .end = p, .quoted = *p == '"'};
    *at = p + (field->quoted ? 2 : 0);
}

cafe_field_fault cafe_field_take_any(const uint8_t **at, uint8_t separator, cafe_field *field,
                                     bool *more) {
    cafe_field_fault fault = cafe_field_take(at, separator, field);
    const uint8_t *before = *at;
    *more = false;
    if (fault == CAFE_FIELD_EMPTY) {
        take_nothing(at, field);
        *at = cafe_skip_padding(*at, separator);
        if (!ends_field(**at, separator)) return CAFE_FIELD_BEHIND;
        *more = !cafe_is_line_end(**at);
        if (*more) *at = cafe_skip_padding(*at + 1, separator);
        return CAFE_FIELD_FINE;
    }
    if (fault != CAFE_FIELD_FINE) return fault;
    /* a separator is followed by a field, perhaps empty; blanks only by a field with characters */
    const uint8_t *p = before;
    while (p > field->end && cafe_is_padding(p[-1], separator)) p--;
    bool separated = separator != ' ' && p > field->end && p[-1] == separator;
    *more = separated || !cafe_is_line_end(*before);
    return CAFE_FIELD_FINE;
}

cafe_field_fault cafe_field_take_line(const uint8_t **at, const uint8_t *end, cafe_field *field) {
    const uint8_t *last = end - 1;
    if (**at != '"') {
        if (last > *at && last[-1] == '\r') last--;
        *field = (cafe_field){.begin = *at, .end = last};
        *at = last;
        return CAFE_FIELD_FINE;
    }
    cafe_field_fault fault = take_quoted(at, field);
    if (fault != CAFE_FIELD_FINE) return fault;
    *at = cafe_skip_blanks(*at);
    return cafe_is_line_end(**at) ? CAFE_FIELD_FINE : CAFE_FIELD_BEHIND;
}

/* The first such character of the line that is outside quotes, or NULL. */
static const uint8_t *find_outside(const uint8_t *line, uint8_t c) {
    for (const uint8_t *p = line; *p != '\n'; p++) {
        cafe_field field;
        bool begins = *p == '"' && (p == line || cafe_is_field_end(p[-1]));
        if (begins && take_quoted(&p, &field) != CAFE_FIELD_FINE) return NULL;
        if (*p == '\n') return NULL;
        if (*p == c) return p;
    }
    return NULL;
}

uint8_t cafe_field_separator(const uint8_t *line) {
    static const char candidates[] = ",;\t";
    line = cafe_skip_blanks(line);
    for (const char *c = candidates; *c; c++)
        if (find_outside(line, (uint8_t)*c)) return (uint8_t)*c;
    return ' ';
}

bool cafe_field_has(const uint8_t *line, uint8_t separator) {
    const uint8_t *found = find_outside(line, separator);
    return found && !(cafe_is_blank(separator) && cafe_is_line_end(*cafe_skip_blanks(found)));
}

const uint8_t *cafe_field_open(const uint8_t *rest, uint8_t separator) {
    cafe_field field;
    bool begins = true;
    for (const uint8_t *p = rest; *p != '\n'; p++) {
        const uint8_t *quote = p;
        if (*p == '"' && begins && take_quoted(&p, &field) != CAFE_FIELD_FINE) return quote;
        if (*p == '\n') break;
        begins = ends_field(*p, separator) || (begins && cafe_is_padding(*p, separator));
    }
    return NULL;
}

int64_t cafe_field_copy(const cafe_field *field, uint8_t *out) {
    uint8_t *to = out;
    for (const uint8_t *p = field->begin; p < field->end; p++) {
        *to++ = *p;
        if (field->doubled && *p == '"') p++;
    }
    return to - out;
}
