/* Attributes of the graph in place of files. Where the name of a file is expected, "city" or
 * "age,height" stands for the graph's own attributes of these names, if no such file exists. */
#ifndef CAFE_IO_ATTRIBUTE_SOURCE_H
#define CAFE_IO_ATTRIBUTE_SOURCE_H

#include <cafe/facts.h>
#include <cafe/labels.h>

enum { CAFE_MOST_SOURCES = 64 };

typedef struct cafe_attribute_source {
    int64_t count; /* 0: the path is that of a file */
    const cafe_attribute *attributes[CAFE_MOST_SOURCES];
} cafe_attribute_source;

/* CAFE_ERROR_FORMAT if both a file and an attribute have this name. */
cafe_status cafe_attribute_source_find(cafe_context *context, const cafe_graph *graph,
                                       const char *path, cafe_attribute_source *source);

/* The texts of the attributes as classes. */
cafe_status cafe_attribute_labels(cafe_context *context, const cafe_graph *graph,
                                  const cafe_attribute_source *source, cafe_labels **labels);
/* Their numbers, rows[nodes * columns] of the context's memory. Every node has one. */
cafe_status cafe_attribute_rows(cafe_context *context, const cafe_graph *graph,
                                const cafe_attribute_source *source, int64_t *columns,
                                float **rows);
/* All attributes of the graph as facts. */
cafe_status cafe_attribute_facts(cafe_context *context, const cafe_graph *graph,
                                 cafe_facts **facts);

#endif
