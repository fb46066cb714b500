/* Headings, sentences and tables, written as Markdown and as JSON for the page at the same time. */
#ifndef CAFE_OVERVIEW_PARAGRAPHS_H
#define CAFE_OVERVIEW_PARAGRAPHS_H

#include <stdarg.h>

#include <cafe/graph.h>

#include "report/report.h"

typedef struct cafe_blocks {
    const cafe_graph *graph; /* names of the nodes */
    cafe_report words;       /* Markdown */
    cafe_report data;        /* an array of blocks: ["p", text], ["t", titles, rows] ... */
} cafe_blocks;

#if defined __GNUC__
#define CAFE_BLOCKS_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define CAFE_BLOCKS_FORMAT(text, first)
#endif

void cafe_blocks_begin(cafe_blocks *b, cafe_context *context, const cafe_graph *graph,
                       const char *title);
/* The first failure; closes the array. */
cafe_status cafe_blocks_end(cafe_blocks *b);
void cafe_blocks_free(cafe_blocks *b);

void cafe_blocks_heading(cafe_blocks *b, const char *text);
void cafe_blocks_say(cafe_blocks *b, const char *format, ...) CAFE_BLOCKS_FORMAT(2, 3);
/* A command, and what it is for. */
void cafe_blocks_command(cafe_blocks *b, const char *purpose, const char *format, ...)
    CAFE_BLOCKS_FORMAT(3, 4);

/* Titles with | between them; a title that begins with # is of numbers. */
void cafe_blocks_table(cafe_blocks *b, const char *titles);
void cafe_blocks_row(cafe_blocks *b);
void cafe_blocks_cell(cafe_blocks *b, const char *format, ...) CAFE_BLOCKS_FORMAT(2, 3);
void cafe_blocks_node(cafe_blocks *b, int64_t node);
void cafe_blocks_nodes(cafe_blocks *b, int64_t count, const int32_t *nodes);
void cafe_blocks_row_end(cafe_blocks *b);
void cafe_blocks_table_end(cafe_blocks *b);

/* Bars, for the page alone: values, and errors or NULL. */
void cafe_blocks_bars(cafe_blocks *b, const char *title, const char *caption, int64_t count,
                      const double *values, const double *errors);

#endif
