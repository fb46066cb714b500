/* Headings, sentences and tables, as Markdown and as JSON.
 *
 * Names of nodes and words of tables are untrusted. In Markdown their marks get a backslash; JSON
 * goes into the page as the other data do.
 */
#include "overview/paragraphs.h"

#include <string.h>

#include "base/memory.h"
#include "base/print.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void put(cafe_blocks *b, const char *text) {
    cafe_report_put(&b->words, text, (int64_t)strlen(text));
}

/* Text whose marks of Markdown stand for themselves. */
static void put_plain(cafe_blocks *b, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_[]<>|#", *text)) put(b, "\\");
        cafe_report_put(&b->words, *text == '\n' || *text == '\t' ? " " : text, 1);
    }
}

/* The text of a format, to be freed; NULL: no memory, which the report keeps. */
static char *format_text(cafe_blocks *b, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = cafe_vprint(NULL, 0, format, again);
    va_end(again);
    char *text = cafe_mem(b->words.context, (int64_t)length + 1, 1);
    if (text)
        cafe_vprint(text, (size_t)length + 1, format, arguments);
    else if (b->words.status == CAFE_OK)
        b->words.status = CAFE_ERROR_MEMORY;
    return text;
}

/* The name of a node, to be freed. */
static char *name_text(cafe_blocks *b, int64_t node) {
    size_t length = cafe_graph_name(b->graph, node, &(char){0}, 1);
    char *text = cafe_mem(b->words.context, (int64_t)length + 1, 1);
    if (text)
        cafe_graph_name(b->graph, node, text, length + 1);
    else if (b->words.status == CAFE_OK)
        b->words.status = CAFE_ERROR_MEMORY;
    return text;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

void cafe_blocks_begin(cafe_blocks *b, cafe_context *context, const cafe_graph *graph,
                       const char *title) {
    *b = (cafe_blocks){
        .graph = graph, .words = {.context = context}, .data = {.context = context, .page = true}};
    cafe_report_open(&b->data, NULL, '[');
    put(b, "# ");
    put_plain(b, title);
    put(b, "\n");
}

cafe_status cafe_blocks_end(cafe_blocks *b) {
    cafe_report_close(&b->data);
    cafe_report_put(&b->data, "", 1);
    cafe_report_put(&b->words, "", 1);
    b->words.size--; /* the 0 ends the text and is no part of the file */
    return b->words.status != CAFE_OK ? b->words.status : b->data.status;
}

void cafe_blocks_free(cafe_blocks *b) {
    if (b->words.context) cafe_mem_free_all(b->words.context, b->words.text, b->data.text);
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

static void put_block(cafe_blocks *b, const char *kind, const char *text) {
    cafe_report_open(&b->data, NULL, '[');
    cafe_report_string(&b->data, NULL, kind);
    cafe_report_string(&b->data, NULL, text);
    cafe_report_close(&b->data);
}

void cafe_blocks_heading(cafe_blocks *b, const char *text) {
    put_block(b, "h", text);
    put(b, "\n## ");
    put_plain(b, text);
    put(b, "\n");
}

void cafe_blocks_say(cafe_blocks *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(b, format, arguments);
    va_end(arguments);
    if (!text) return;
    put_block(b, "p", text);
    put(b, "\n");
    put_plain(b, text);
    put(b, "\n");
    cafe_mem_free(b->words.context, text);
}

void cafe_blocks_command(cafe_blocks *b, const char *purpose, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(b, format, arguments);
    va_end(arguments);
    if (!text) return;
    cafe_report_open(&b->data, NULL, '[');
    cafe_report_string(&b->data, NULL, "c");
    cafe_report_string(&b->data, NULL, text);
    cafe_report_string(&b->data, NULL, purpose);
    cafe_report_close(&b->data);
    put(b, "\n");
    put_plain(b, purpose);
    put(b, ":\n\n    ");
    put(b, text);
    put(b, "\n");
    cafe_mem_free(b->words.context, text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

void cafe_blocks_table(cafe_blocks *b, const char *titles) {
    char line[256], rule[256] = "|";
    cafe_print(line, sizeof line, "%s", titles);
    cafe_report_open(&b->data, NULL, '[');
    cafe_report_string(&b->data, NULL, "t");
    cafe_report_open(&b->data, NULL, '[');
    put(b, "\n|");
    for (char *title = line, *next; title; title = next) {
        next = strchr(title, '|');
        if (next) *next++ = 0;
        bool number = title[0] == '#';
        cafe_report_string(&b->data, NULL, title);
        put(b, " ");
        put_plain(b, title + number);
        put(b, " |");
        strncat(rule, number ? "---:|" : "---|", sizeof rule - strlen(rule) - 1);
    }
    cafe_report_close(&b->data);
    cafe_report_open(&b->data, NULL, '[');
    put(b, "\n");
    put(b, rule);
    put(b, "\n");
}

void cafe_blocks_row(cafe_blocks *b) {
    cafe_report_open(&b->data, NULL, '[');
    put(b, "|");
}

void cafe_blocks_cell(cafe_blocks *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(b, format, arguments);
    va_end(arguments);
    if (!text) return;
    cafe_report_string(&b->data, NULL, text);
    put(b, " ");
    put_plain(b, text);
    put(b, " |");
    cafe_mem_free(b->words.context, text);
}

/* In JSON a cell of nodes is an array: node, name, node, name ... */
void cafe_blocks_nodes(cafe_blocks *b, int64_t count, const int32_t *nodes) {
    cafe_report_open(&b->data, NULL, '[');
    put(b, " ");
    for (int64_t i = 0; i < count; i++) {
        char *text = name_text(b, nodes[i]);
        if (!text) return;
        cafe_report_integer(&b->data, NULL, nodes[i]);
        cafe_report_string(&b->data, NULL, text);
        put(b, i ? ", " : "");
        put_plain(b, text);
        cafe_mem_free(b->words.context, text);
    }
    cafe_report_close(&b->data);
    put(b, " |");
}

void cafe_blocks_node(cafe_blocks *b, int64_t node) {
    cafe_blocks_nodes(b, 1, &(int32_t){(int32_t)node});
}

void cafe_blocks_row_end(cafe_blocks *b) {
    cafe_report_close(&b->data);
    put(b, "\n");
}

void cafe_blocks_table_end(cafe_blocks *b) {
    cafe_report_close(&b->data);
    cafe_report_close(&b->data);
}

void cafe_blocks_bars(cafe_blocks *b, const char *title, const char *caption, int64_t count,
                      const double *values, const double *errors) {
    cafe_report_open(&b->data, NULL, '[');
    cafe_report_string(&b->data, NULL, "b");
    cafe_report_string(&b->data, NULL, title);
    cafe_report_string(&b->data, NULL, caption);
    cafe_report_reals(&b->data, NULL, count, values);
    cafe_report_reals(&b->data, NULL, errors ? count : 0, errors ? errors : values);
    cafe_report_close(&b->data);
}
