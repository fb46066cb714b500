/* Reports read again: the columns and the objective of an earlier run of cafe embed.
 *
 * The reader takes the whole of JSON and nothing else, and keeps three members of the outermost
 * object: the schema, "columns" and "objective".
 */
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>

#include "base/memory.h"
#include "io/input_file.h"
#include "io/scanners.h"
#include "report/report.h"

struct cafe_record {
    cafe_context *context;
    int64_t columns;
    double *objective; /* memory of the context */
    int64_t count;
};

typedef struct reader {
    cafe_record *record;
    const uint8_t *at, *end;
    int depth;
    bool schema;        /* it is that of cafe embed */
    cafe_status status; /* not CAFE_OK: memory was out */
} reader;

void cafe_record_free(cafe_record *record) {
    if (!record) return;
    cafe_mem_free_all(record->context, record->objective, record);
}

/* ---- JSON: each takes what it is named after, or says no ---------------------------------------
 *
 * The last byte that is not blank is a bracket, which ends whatever runs on: none looks beyond it.
 */

static bool take(reader *r, const char *text) {
    size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) return false;
    r->at += length;
    return true;
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4)) r->at++;
}

static bool take_escape(reader *r) {
    uint8_t c = *r->at++;
    if (c != 'u') return c != 0 && strchr("\"\\/bfnrt", c) != NULL;
    for (int i = 0; i < 4; i++, r->at++)
        if (*r->at == 0 || !strchr("0123456789abcdefABCDEF", *r->at)) return false;
    return true;
}

/* The text between the quotes as it stands. */
static bool take_string(reader *r, const uint8_t **text, int64_t *length) {
    if (!take(r, "\"")) return false;
    *text = r->at;
    while (r->at < r->end && *r->at != '"') {
        uint8_t c = *r->at++;
        if (c < 0x20 || (c == '\\' && !take_escape(r))) return false;
    }
    *length = r->at - *text;
    return take(r, "\"");
}

/* -0.5e+3 */
static bool take_number(reader *r, double *value) {
    uint64_t mantissa = 0, power = 0;
    int exponent = 0;
    bool minus = take(r, "-"), down = false;
    if (!cafe_is_digit(*r->at) || (*r->at == '0' && cafe_is_digit(r->at[1]))) return false;
    cafe_scan_mantissa(&r->at, &mantissa, &exponent);
    if (r->at[-1] == '.') return false;
    if (take(r, "e") || take(r, "E")) {
        down = !take(r, "+") && take(r, "-");
        const uint8_t *from = r->at;
        for (; cafe_is_digit(*r->at) && power < 1000; r->at++)
            power = 10 * power + (uint64_t)(*r->at - '0');
        if (r->at == from || power >= 1000) return false;
    }
    exponent += down ? -(int)power : (int)power;
    *value = exponent < -400 ? 0 : cafe_scale10((double)mantissa, exponent > 400 ? 400 : exponent);
    if (minus) *value = -*value;
    return isfinite(*value);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool take_objective(reader *r) {
    cafe_record *record = r->record;
    int64_t room = 0;
    double value;
    if (record->objective || !take(r, "[")) return false;
    skip_blanks(r);
    if (take(r, "]")) return true;
    do {
        skip_blanks(r);
        if (!take_number(r, &value)) return false;
        r->status = cafe_mem_grow(record->context, &record->objective, &room, record->count + 1,
                                  sizeof value);
        if (r->status != CAFE_OK) return false;
        record->objective[record->count++] = value;
        skip_blanks(r);
    } while (take(r, ","));
    return take(r, "]");
}

static bool take_columns(reader *r) {
    double value;
    if (!take_number(r, &value) || value < 0 || value > INT32_MAX) return false;
    r->record->columns = (int64_t)value;
    return true;
}

/* ---- structure ------------------------------------------------------------------------------- */

static bool take_value(reader *r);

static bool is(const uint8_t *text, int64_t length, const char *word) {
    return length == (int64_t)strlen(word) && memcmp(text, word, (size_t)length) == 0;
}

static bool take_member(reader *r) {
    const uint8_t *key, *word;
    int64_t length, letters;
    skip_blanks(r);
    if (!take_string(r, &key, &length)) return false;
    skip_blanks(r);
    if (!take(r, ":")) return false;
    skip_blanks(r);
    if (r->depth == 1 && is(key, length, "objective")) return take_objective(r);
    if (r->depth == 1 && is(key, length, "columns")) return take_columns(r);
    if (r->depth > 1 || !is(key, length, "schema")) return take_value(r);
    if (!take_string(r, &word, &letters)) return false;
    r->schema = is(word, letters, "cafe/embed/1");
    return true;
}

/* Members or values with commas between them, behind the opening bracket. */
static bool take_items(reader *r, bool (*item)(reader *r), const char *close) {
    if (++r->depth > CAFE_REPORT_DEPTH) return false;
    skip_blanks(r);
    if (!take(r, close)) {
        do {
            if (!item(r)) return false;
            skip_blanks(r);
        } while (take(r, ","));
        if (!take(r, close)) return false;
    }
    r->depth--;
    return true;
}

static bool take_word(reader *r) {
    const uint8_t *text;
    int64_t length;
    double value;
    if (*r->at == '"')
        return take_string(r, &text, &length); /* cut off, it has taken the bracket */
    return take(r, "null") || take(r, "true") || take(r, "false") || take_number(r, &value);
}

static bool take_value(reader *r) {
    skip_blanks(r);
    bool sound = take(r, "{")   ? take_items(r, take_member, "}")
                 : take(r, "[") ? take_items(r, take_value, "]")
                                : take_word(r);
    skip_blanks(r);
    return sound;
}

static cafe_status parse(cafe_record *record, const cafe_input *input) {
    reader r = {.record = record, .at = input->bytes, .end = input->bytes + input->size};
    while (r.end > r.at && memchr(" \t\r\n", r.end[-1], 4)) r.end--;
    bool sound = r.end > r.at && r.end[-1] == '}' && take_value(&r) && r.at == r.end && r.schema &&
                 record->objective;
    if (r.status != CAFE_OK || sound) return r.status;
    return cafe_fail(record->context, CAFE_ERROR_FORMAT,
                     "%s: expected a report of cafe embed (" CAFE_OPT("json") ")", input->name);
}

/* ---- the call -------------------------------------------------------------------------------- */

cafe_status cafe_record_read(cafe_context *context, const char *path, cafe_record **record) {
    cafe_input input = {0};
    cafe_record *r = cafe_mem_zero(context, 1, sizeof *r);
    cafe_status status = r ? CAFE_OK : CAFE_ERROR_MEMORY;
    *record = NULL;
    if (!r) goto done;
    r->context = context;
    CAFE_TRY(cafe_input_open(context, path, &input));
    CAFE_TRY(cafe_input_load(&input));
    CAFE_TRY(parse(r, &input));
    *record = r;
    r = NULL;
done:
    cafe_record_free(r);
    cafe_input_close(&input);
    return status;
}

int64_t cafe_record_columns(const cafe_record *record) {
    return record->columns;
}

const double *cafe_record_objective(const cafe_record *record, int64_t *count) {
    *count = record->count;
    return record->objective;
}
