/* What the readers of formats share in which a line has a node or an edge: Pajek, GDF, LGL,
 * adjacency lists.
 */
#ifndef CAFE_IO_RECORD_LINES_H
#define CAFE_IO_RECORD_LINES_H

#include "io/graph_records.h"
#include "io/text_window.h"

/* A reader's struct begins with it. */
typedef struct cafe_record_lines {
    cafe_marked marked;
    cafe_text text;
    cafe_place line; /* the one at hand; `at` is behind the fields that were taken */
} cafe_record_lines;

/* Prepares a reader of the file; `marked` then takes the rules of the format. */
void cafe_record_lines_init(const cafe_input *input, cafe_format format,
                            const cafe_graph_options *options, cafe_record_lines *lines);

/* Calls take(lines) for every line, whose `at` is behind its first blanks, makes the graph, and
 * releases what `lines` has. */
cafe_status cafe_record_lines_read(const cafe_input *input,
                                   cafe_status (*take)(cafe_record_lines *lines),
                                   cafe_record_lines *lines, cafe_graph **graph);

/* CAFE_ERROR_FORMAT with the place of `at`. */
cafe_status cafe_line_fail(const cafe_record_lines *lines, const char *expected);

/* Is there nothing more in the line? */
bool cafe_line_ended(const cafe_record_lines *lines);

/* Copies the next field between blanks, perhaps in quotes; false: none, or one that is too long. */
bool cafe_line_take(cafe_record_lines *lines, char *text, size_t capacity);

#endif
