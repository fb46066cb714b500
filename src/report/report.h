/* A report's inside, and structs as members of it.
 *
 * The same writer serves the interactive page, which holds its data as JSON inside HTML: compact,
 * numbers as floats, and no character that means something to HTML.
 */
#ifndef CAFE_REPORT_REPORT_H
#define CAFE_REPORT_REPORT_H

#include <stdbool.h>

#include <cafe-private/members.h>
#include <cafe/report.h>

#include "base/context.h"

enum { CAFE_REPORT_DEPTH = 64 };

struct cafe_report {
    cafe_context *context;
    char *text; /* memory of the context */
    int64_t size, capacity;
    cafe_status status; /* of the first failure */
    bool page;          /* inside HTML */
    bool filled;        /* the object or array at hand has a member already */
    int depth;
    char close[CAFE_REPORT_DEPTH]; /* the brackets that are open */
};

/* Room for `size` bytes behind the text, which the caller then adds to its size; NULL: none. */
CAFE_LAB char *cafe_report_room(cafe_report *report, int64_t size);
/* Writes the text as it is now. */
CAFE_LAB cafe_status cafe_report_save(const cafe_report *report, const char *path,
                                      int32_t overwrite);

/* Bytes as they are. */
CAFE_LAB void cafe_report_put(cafe_report *report, const char *bytes, int64_t size);
/* A value as it is written. */
CAFE_LAB void cafe_report_raw(cafe_report *report, const char *key, const char *value);
/* A string of bytes that need not end with 0. */
void cafe_report_bytes(cafe_report *report, const char *key, const char *bytes, int64_t size);

/* "layers" (NULL: none); `tree`: with the parents of their communities. */
void cafe_report_tree(cafe_report *report, const cafe_layers *layers, bool tree);

/* "groups" of columns. */
CAFE_LAB void cafe_report_groups(cafe_report *report, const cafe_certificate *c);

/* A field of a struct: an integer (int64_t), a number (double), a truth (int32_t), or a list of
 * numbers (const double *) whose length another field tells. */
typedef enum cafe_field_kind {
    CAFE_FIELD_INTEGER,
    CAFE_FIELD_REAL,
    CAFE_FIELD_TRUTH,
    CAFE_FIELD_REALS
} cafe_field_kind;

typedef struct cafe_field {
    const char *key;
    cafe_field_kind kind;
    size_t offset, count;
} cafe_field;

/* Rows of a table for the struct that the macro STRUCT names; AS where key and field differ. */
#define CAFE_FIELD_KIND(name)              \
    _Generic(((STRUCT *)0)->name, int64_t  \
             : CAFE_FIELD_INTEGER, int32_t \
             : CAFE_FIELD_TRUTH, double    \
             : CAFE_FIELD_REAL)
#define AS(key, name) \
    { key, CAFE_FIELD_KIND(name), offsetof(STRUCT, name), 0 }
#define FIELD(name) AS(#name, name)
#define LIST(name, count) \
    { #name, CAFE_FIELD_REALS, offsetof(STRUCT, name), offsetof(STRUCT, count) }

#define CAFE_REPORT_FIELDS(report, fields, from) \
    cafe_report_fields(report, sizeof(fields) / sizeof *(fields), fields, from, SIZE_MAX)
/* Fields beyond `size` are those of a later version than the caller's. */
CAFE_LAB void cafe_report_fields(cafe_report *report, size_t count, const cafe_field *fields,
                                 const void *from, size_t size);

/* The name of a node. */
CAFE_LAB void cafe_report_node(cafe_report *report, const char *key, const cafe_graph *graph,
                               int64_t node);

/* "sweeps", "converged" and the values at the start and after each sweep under `key`. */
void cafe_report_history(cafe_report *report, const char *key, int64_t sweeps, int32_t converged,
                         const double *values);

void cafe_report_integers(cafe_report *report, const char *key, int64_t count,
                          const int32_t *values);

/* "sizes" */
void cafe_report_sizes(cafe_report *report, const cafe_sizes *sizes);

/* "columns", "ritz_values" and so on, "sampled", "certificate". exact: the certificate is for the
 * exact P also where the sampled graph was drawn. */
void cafe_report_embedding(cafe_report *report, const cafe_embedding *embedding,
                           const cafe_sampled *sampled, int32_t exact);

#endif
