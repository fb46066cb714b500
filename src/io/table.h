/* Tables from files: n x L numbers, and the names of rows and columns where the file has them. */
#ifndef CAFE_IO_TABLE_H
#define CAFE_IO_TABLE_H

#include <cafe/files.h>
#include <cafe/reduce.h>

#include "graph/node_names.h"
#include "io/input_file.h"

struct cafe_table {
    cafe_context *context;
    char *name;         /* of the file that names the rows, for errors */
    int64_t first_line; /* the line of row 0 if each row has one line; else 0 */
    bool text;          /* not an array of NumPy */
    int64_t rows, columns;
    float *values;                      /* row-major */
    cafe_names row_names, column_names; /* strings, or indices if there is none */
    bool named;                         /* a .npy array that was written with a file of names: */
    uint64_t digest;                    /* of it */
    char made[CAFE_VECTORS_MADE];       /* as cafe_npy has it */
    char reading[120];                  /* of text: what was taken for what */
};

/* How the lines of text are laid out. */
typedef enum cafe_table_style {
    CAFE_TABLE_LOOK,    /* the first two lines decide: see table_text.c */
    CAFE_TABLE_NAMED,   /* name, tab, values: no comments, names as they stand; a heading if
                            the first line has words in place of values */
    CAFE_TABLE_COMMAS,  /* the same with commas */
    CAFE_TABLE_WORD2VEC /* "n K", then lines of name, blank, values, without quotes */
} cafe_table_style;

/* cafe_table_read() of text in this style, for a file and for bytes in memory. The delimiter and
 * the decimal mark that are given hold where the lines have them; NULL: none. */
cafe_status cafe_table_read_as(cafe_context *context, const char *path, cafe_table_style style,
                               const cafe_graph_options *given, cafe_table **table);
cafe_status cafe_table_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, cafe_table_style style, cafe_table **table);

/* The reader of text; the table comes in zeroed but for its context, and is freed by the caller
 * when it fails. */
cafe_status cafe_table_read_text(const cafe_input *input, cafe_table_style style,
                                 const cafe_graph_options *given, cafe_table *table);

/* A first column that holds the names of the graph's nodes, which are integers, becomes the names
 * of the rows. */
cafe_status cafe_table_take_ids(cafe_table *table, const cafe_graph *graph);

/* A name into text (never longer than capacity, always ended by 0), its number if there is none;
 * returns its full length, as snprintf does. */
size_t cafe_table_row_name(const cafe_table *table, int64_t row, char *text, size_t capacity);

#endif
