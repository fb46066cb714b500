/* The files that paths stand for: folders stand for the files in them. */
#ifndef CAFE_IO_FILE_LIST_H
#define CAFE_IO_FILE_LIST_H

#include <cafe/graph.h>

#include "base/context.h"

typedef struct cafe_file_list {
    cafe_context *context;
    char **path; /* memory of the context */
    int64_t count, room;
} cafe_file_list;

/* Lists path and options->more. A folder stands for its files in the order of their names, without
 * those that begin with . or _; a folder in it, and a folder without files, are errors. Freed by
 * the caller, whatever comes of it. */
cafe_status cafe_file_list_make(cafe_context *context, const char *path,
                                const cafe_graph_options *options, cafe_file_list *list);
void cafe_file_list_free(cafe_file_list *list);

#endif
