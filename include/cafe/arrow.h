/* Rows of numbers for other libraries, by the Arrow C stream interface: pyarrow, polars, DuckDB and
 * others take such a stream without copying it, and write Parquet from it. Nothing of Arrow is
 * needed here. (https://arrow.apache.org/docs/format/CStreamInterface.html)
 */
#ifndef CAFE_ARROW_H
#define CAFE_ARROW_H

#include <cafe/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The three structs of the interface, as its specification has them: there they may be defined
 * already. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* A table of float columns, with names or numbers of its rows in front, if available. */
typedef struct cafe_arrow_inputs {
    size_t struct_size;
    int64_t rows, columns;
    const float *values;       /* row-major rows x columns */
    const char *const *titles; /* of the columns */
    const char *key;           /* title of the column in front; NULL: there is none */
    const int64_t *numbers;    /* what stands in it: numbers of the rows, */
    const char *const *texts;  /* or names in UTF-8 */
} cafe_arrow_inputs;

CAFE_INPUTS(arrow)

/* Fills in a stream of one batch, which holds copies of everything and needs the context no more;
 * it is given back by its own release(). On failure its release is NULL. */
CAFE_API cafe_status cafe_arrow_stream(cafe_context *context, const cafe_arrow_inputs *inputs,
                                       struct ArrowArrayStream *stream);

#ifdef __cplusplus
}
#endif
#endif
