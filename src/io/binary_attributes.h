/* The section of a .cafe file that has the attributes of the nodes.
 *
 *     int64    number of attributes
 *     each:    int64[4]: kind (0: numbers, 1: texts), bytes of the name, different texts, bytes
 *              the name
 *              double[nodes], NaN: none; or int32[nodes], the number of a text, -1: none
 *              the texts, each ended by a 0
 *
 * Each of these begins at a multiple of 8 bytes, with zeros before it.
 */
#ifndef CAFE_IO_BINARY_ATTRIBUTES_H
#define CAFE_IO_BINARY_ATTRIBUTES_H

#include <cafe/graph.h>

/* *block[*bytes] of the context's memory: the section. */
cafe_status cafe_binary_pack(cafe_context *context, int64_t nodes, int64_t count,
                             const cafe_attribute *attributes, uint8_t **block, int64_t *bytes);

/* The attributes of graph->n nodes; *fault names what is wrong with the section, NULL: nothing. */
cafe_status cafe_binary_unpack(cafe_graph *graph, const uint8_t *block, uint64_t bytes,
                               const char **fault);

#endif
