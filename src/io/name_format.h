/* Node names in text files: what a name is, how it is quoted, and the file of names beside a
 * matrix.
 *
 * Every text file holds a name in one of two ways, and field.c reads both back:
 *
 *     field   among others of a line: in double quotes, those inside doubled (RFC 4180), when it
 *             has a blank, tab, comma, semicolon or quote in it, begins with #, % or a byte order
 *             mark, or is a lone + or -
 *     line    of a list of names: in quotes when it begins with a quote, #, % or a byte order mark,
 *             or has a blank or tab at either end
 */
#ifndef CAFE_IO_NAME_FORMAT_H
#define CAFE_IO_NAME_FORMAT_H

#include <stdbool.h>

#include "graph/node_names.h"
#include "io/output_file.h"

/* A text file may name the names that it was written with: its second line has a mark and their
 * checksum in 16 hex digits. */
#define CAFE_NAMES_MARK "% names "
enum { CAFE_NAMES_COMMENT = 32 };
/* The checksum of 16 hex digits. */
bool cafe_names_digest(const char *digits, uint64_t *digest);

/* The most bytes that one of n names takes, quotes included. */
CAFE_LAB int64_t cafe_names_longest(const cafe_names *names, int64_t n);

/* Writes name number u without quotes and returns the place after it. */
CAFE_LAB char *cafe_put_name(const cafe_names *names, int64_t u, char *text);

/* The same as a field, and as one of an edge list, where a string of digits is quoted too: without
 * quotes it would be an integer. */
char *cafe_put_field(const cafe_names *names, int64_t u, char *text);
char *cafe_put_id(const cafe_names *names, int64_t u, char *text);

/* Opens FILE.names.txt and writes one name per line, in the order of the nodes, for the caller to
 * commit; the digest is known then. Names that are indices need no file (the output is NULL); a
 * file of an earlier run is then an error, or with `overwrite` the output removes it. */
cafe_status cafe_names_write(cafe_context *context, const cafe_names *names, int64_t n,
                             const char *path, bool overwrite, cafe_output **output);

/* Reads the n names of FILE.names.txt, one per line; without that file the names are indices. With
 * a digest (not NULL), returns CAFE_ERROR_FORMAT unless FILE was written with these names. Callers
 * check for repeated names. */
cafe_status cafe_names_read(cafe_context *context, const char *path, int64_t n,
                            const uint64_t *digest, cafe_names *names);

/* name_import.c: the nodes of a graph whose names are indices take those of FILE.names.txt, if
 * available. With a digest (not NULL), only names that have this digest. */
cafe_status cafe_graph_read_names(cafe_context *context, const char *path, const uint64_t *digest,
                                  cafe_graph *graph);
/* Turns names that are ascending integers in their only spelling into integers, or into indices if
 * they are 0 .. n-1; others stay. On failure the names are freed. */
cafe_status cafe_names_settle(cafe_context *context, int64_t n, cafe_names *names);

#endif
