/* The world itself: the program's bytes, objects and what they stand on, the allocator that fails.
 */
#include "world.h"
#include "method/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the program ----------------------------------------------------------------------------- */

uint8_t fuzz_byte(fuzz_world *w) {
    return w->at < w->end ? *w->at++ : 0;
}

int64_t fuzz_below(fuzz_world *w, int64_t bound) {
    int64_t value = fuzz_byte(w);
    if (bound > 256) value = 256 * value + fuzz_byte(w);
    return bound > 0 ? value % bound : 0;
}

bool fuzz_flip(fuzz_world *w) {
    return fuzz_byte(w) & 1;
}

float fuzz_number(fuzz_world *w) {
    static const float odd[] = {0.0f,     -0.0f,       1e-40f,      1e-30f,    1e38f, FLT_MAX,
                                -FLT_MAX, FLT_MIN,     FLT_EPSILON, 1e15f,     1e16f, -1e20f,
                                1e-10f,   16777216.0f, INFINITY,    -INFINITY, NAN};
    uint8_t b = fuzz_byte(w);
    if (b < 224) return (float)(b - 96) / 16;
    return odd[(size_t)(b - 224) % (sizeof odd / sizeof *odd)];
}

void fuzz_numbers(fuzz_world *w, int64_t count, float *values) {
    uint8_t kind = fuzz_byte(w);
    uint32_t state = kind;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        values[i] = kind & 1 ? fuzz_number(w) : (float)(state >> 8) / 8388608 - 1;
    }
}

void fuzz_part(fuzz_world *w, int64_t nodes, int64_t parts, int32_t *part) {
    uint8_t kind = fuzz_byte(w);
    for (int64_t u = 0; u < nodes; u++)
        part[u] = (int32_t)(kind & 1 ? fuzz_below(w, parts + 1) - 1 : u * (kind | 1) % parts);
    if (kind == 254 && nodes > 0) part[fuzz_below(w, nodes)] = fuzz_flip(w) ? INT32_MAX : INT32_MIN;
}

/* ---- options --------------------------------------------------------------------------------- */

static int64_t whole(fuzz_world *w, const cafe_option *o, uint8_t b) {
    if (b >= 254) return b == 254 ? INT64_MIN : INT64_MAX;
    if (b >= 252 && fabs(o->minimum) < 1e9) return (int64_t)o->minimum - (b == 253);
    /* what most of them say is how long to go on */
    int64_t least = (int64_t)o->minimum,
            most = o->initial < least + 6 ? (int64_t)o->initial : least + 6;
    return b & 1 ? least + fuzz_below(w, 7) : most;
}

static double real(fuzz_world *w, const cafe_option *o, uint8_t b) {
    if (b == 255) return NAN;
    if (b == 254) return o->minimum;
    if (b == 253) return o->maximum;
    if (b == 252) return fuzz_number(w);
    if (!(b & 1)) return o->initial;
    double low = fmax(o->minimum, -10), high = fmin(o->maximum, 10);
    return low + (high - low) * fuzz_byte(w) / 255;
}

static int32_t choice(fuzz_world *w, const cafe_option *o) {
    int32_t count = 1;
    for (const char *at = o->choices; at && (at = strchr(at, '|')); at++) count++;
    if (cafe_option_kind(o) == CAFE_OPTION_SWITCH) count = 2;
    uint8_t b = fuzz_byte(w);
    return b == 255 ? -1 : b % (count + (b > 250));
}

/* None, a word that some option takes, or up to three bytes of the program. */
static const char *text(fuzz_world *w, size_t place) {
    static const char *const words[] = {NULL,     "",    "0", "2",   "-1",
                                        "weight", "\\t", ";", "5GB", "1e400Gbit"};
    static char own[8][4];
    uint8_t b = fuzz_byte(w);
    if (b < 128) return words[b % (sizeof words / sizeof *words)];
    char *bytes = own[place % 8];
    for (int i = 0; i < 3; i++) bytes[i] = (char)(i < (b & 3) ? fuzz_byte(w) : 0);
    return bytes;
}

void *fuzz_options(fuzz_world *w, const cafe_option_table *table, void *options) {
    fuzz_require(table->struct_size <= FUZZ_OPTIONS);
    cafe_options_init(table, options, table->struct_size);
    uint8_t kind = fuzz_byte(w); /* 0: the defaults, with short loops */
    for (size_t i = 0; i < table->count; i++) {
        const cafe_option *o = &table->options[i];
        void *at = (char *)options + o->offset;
        if (cafe_option_kind(o) == CAFE_OPTION_INTEGER)
            *(int64_t *)at = whole(w, o, kind ? fuzz_byte(w) : 0);
        else if (kind && cafe_option_kind(o) == CAFE_OPTION_REAL)
            *(double *)at = real(w, o, fuzz_byte(w));
        else if (kind && cafe_option_kind(o) == CAFE_OPTION_TEXT)
            *(const char **)at = text(w, i);
        else if (kind && fuzz_flip(w))
            *(int32_t *)at = choice(w, o);
    }
    return options;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *allocate(void *user, size_t bytes) {
    fuzz_world *w = user;
    if (w->cancel_in >= 0 && w->cancel_in-- == 0) {
        w->cancelled = true;
        cafe_cancel(w->context);
    }
    if (w->fail_in >= 0 && w->fail_in-- == 0) {
        w->failed = true;
        return NULL;
    }
    if (bytes <= (size_t)16 << 20) return malloc(bytes);
    w->failed = true;
    return NULL;
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

/* ---- promises -------------------------------------------------------------------------------- */

static fuzz_world world;

void fuzz_require(bool truth) {
    if (!truth && !world.trusted) abort();
}

bool fuzz_ok(fuzz_world *w, cafe_status status) {
    fuzz_require(status >= CAFE_OK && status <= CAFE_ERROR_SYSTEM);
    fuzz_require(status == CAFE_OK || cafe_error(w->context)[0] != 0);
    fuzz_require(status != CAFE_ERROR_CANCELLED || w->cancelled);
    fuzz_require(status != CAFE_ERROR_MEMORY || w->failed);
    return status == CAFE_OK;
}

void fuzz_finite(int64_t count, const float *values) {
    for (int64_t i = 0; i < count; i++) fuzz_require(isfinite(values[i]));
}

void fuzz_finite_double(int64_t count, const double *values) {
    for (int64_t i = 0; i < count; i++) fuzz_require(isfinite(values[i]));
}

void fuzz_indices(int64_t count, const int32_t *index, int64_t least, int64_t bound) {
    for (int64_t i = 0; i < count; i++) fuzz_require(index[i] >= least && index[i] < bound);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void free_it(fuzz_kind kind, void *it) {
    switch (kind) {
        case FUZZ_GRAPH: cafe_graph_free(it); break;
        case FUZZ_SAMPLED: cafe_sampled_free(it); break;
        case FUZZ_OPERATOR: cafe_operator_free(it); break;
        case FUZZ_MODEL: cafe_model_free(it); break;
        case FUZZ_SOLUTION: cafe_solution_free(it); break;
        case FUZZ_EMBEDDING: cafe_embedding_free(it); break;
        case FUZZ_EXPLANATION: cafe_explanation_free(it); break;
        case FUZZ_LABELS: cafe_labels_free(it); break;
        case FUZZ_NOTHING:
        case FUZZ_KINDS: break;
    }
}

bool fuzz_free(fuzz_object *o) {
    if (o->users > 0) return false;
    free_it(o->kind, o->it);
    if (o->under) o->under->users--;
    *o = (fuzz_object){0};
    return true;
}

fuzz_object *fuzz_keep(fuzz_world *w, fuzz_kind kind, void *it, fuzz_object *under, int64_t nodes) {
    if (!it) return NULL;
    for (fuzz_object *o = w->objects; o < w->objects + FUZZ_OBJECTS; o++) {
        if (o->kind != FUZZ_NOTHING) continue;
        *o = (fuzz_object){kind, it, under, 0, nodes};
        if (under) under->users++;
        return o;
    }
    free_it(kind, it);
    return NULL;
}

static fuzz_object *find(fuzz_world *w, fuzz_kind kind) {
    fuzz_object *found[FUZZ_OBJECTS];
    int count = 0;
    for (fuzz_object *o = w->objects; o < w->objects + FUZZ_OBJECTS; o++)
        if (o->kind == kind) found[count++] = o;
    if (count == 0) return NULL;
    return count == 1 ? found[0] : found[fuzz_below(w, count)];
}

fuzz_object *fuzz_need(fuzz_world *w, fuzz_kind kind) {
    static fuzz_call *const makers[FUZZ_KINDS] = {
        [FUZZ_GRAPH] = fuzz_do_from_edges,       [FUZZ_SAMPLED] = fuzz_do_sample,
        [FUZZ_OPERATOR] = fuzz_do_make_operator, [FUZZ_MODEL] = fuzz_do_model,
        [FUZZ_SOLUTION] = fuzz_do_sphere,        [FUZZ_EMBEDDING] = fuzz_do_certify,
        [FUZZ_EXPLANATION] = fuzz_do_explain,    [FUZZ_LABELS] = fuzz_do_labels};
    fuzz_object *o = find(w, kind);
    if (o) return o;
    makers[kind](w);
    return find(w, kind);
}

void fuzz_do_destroy(fuzz_world *w) {
    fuzz_free(&w->objects[fuzz_below(w, FUZZ_OBJECTS)]);
}

void fuzz_do_fail(fuzz_world *w) {
    w->fail_in = fuzz_byte(w);
}

void fuzz_do_cancel(fuzz_world *w) {
    w->cancel_in = fuzz_byte(w);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

fuzz_world *fuzz_begin(const uint8_t *program, size_t size) {
    fuzz_world *w = &world;
    w->fail_in = w->cancel_in = -1;
    w->failed = w->cancelled = w->trusted = false;
    w->at = program;
    w->end = program + size;
    if (!w->context) {
        cafe_context_options options;
        cafe_context_options_init(&options);
        options.threads = 1; /* runs repeat exactly */
        options.allocator = (cafe_allocator){allocate, release, w};
        if (cafe_context_create(&options, &w->context) != CAFE_OK) abort();
        cafe_lab_add(w->context);
    }
    w->bytes = cafe_bytes(w->context);
    return w;
}

void fuzz_run(fuzz_world *w, int most) {
#define FUZZ_ADDRESS(name) fuzz_do_##name,
    static fuzz_call *const calls[] = {FUZZ_CALLS(FUZZ_ADDRESS)};
    for (int i = 0; i < most && w->at < w->end; i++) {
        calls[fuzz_byte(w) % (sizeof calls / sizeof *calls)](w);
        if (!w->cancelled) continue;
        cafe_reset_cancel(w->context);
        w->cancelled = false;
    }
}

void fuzz_end(fuzz_world *w) {
    for (int i = 0; i < 2 * FUZZ_OBJECTS && w->at < w->end; i++) fuzz_do_destroy(w);
    for (int left = 1; left > 0;) {
        left = 0;
        for (fuzz_object *o = w->objects; o < w->objects + FUZZ_OBJECTS; o++)
            left += o->kind != FUZZ_NOTHING && !fuzz_free(o);
    }
    cafe_reset_cancel(w->context);
    fuzz_require(cafe_bytes(w->context) == w->bytes);
}
