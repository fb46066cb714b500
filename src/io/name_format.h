/* Node names in text files: what a name is, how it is quoted, and the file of names beside a
 * matrix.
 *
 * A name is one line of UTF-8 text, 1 to 65535 bytes without NUL, LF and CR. Every text file holds
 * it in one of two ways, and field.c reads both back:
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

enum { CAFE_LONGEST_NAME = 65535 };

/* How a text file says which names it was written with: a second line of a mark and 16 hex digits,
 * their checksum. */
#define CAFE_NAMES_MARK "% names "
enum { CAFE_NAMES_COMMENT = 32 };
/* The checksum of 16 hex digits. */
bool cafe_names_digest(const char *digits, uint64_t *digest);

bool cafe_is_name(const char *text, int64_t length);

/* The most bytes that one of n names takes, quotes included. */
int64_t cafe_names_longest(const cafe_names *names, int64_t n);

/* Writes bare name number u and returns the place behind it. */
char *cafe_put_name(const cafe_names *names, int64_t u, char *text);

/* The same as a field, and as one of an edge list, where a string of digits is quoted too: without
 * quotes it would be an integer. */
char *cafe_put_field(const cafe_names *names, int64_t u, char *text);
char *cafe_put_id(const cafe_names *names, int64_t u, char *text);

/* Opens FILE.names.txt and writes one name per line, in the order of the nodes, for the caller to
 * commit; its digest is known then. Names that are indices need none (the output is NULL), and then
 * a leftover of an earlier run is an error, or with `overwrite` the output is its removal. */
cafe_status cafe_names_write(cafe_context *context, const cafe_names *names, int64_t n,
                             const char *path, bool overwrite, cafe_output **output);

/* The n names of FILE.names.txt, a line each; without that file the names are indices. With a
 * digest (not NULL) they are those that FILE was written with, or CAFE_ERROR_FORMAT. Whether no two
 * are the same is left to whoever looks them up. */
cafe_status cafe_names_read(cafe_context *context, const char *path, int64_t n,
                            const uint64_t *digest, cafe_names *names);

/* name_import.c: the nodes of a graph whose names are indices take those of FILE.names.txt, if
 * available. With a digest (not NULL), only names that have this digest. */
cafe_status cafe_graph_read_names(cafe_context *context, const char *path, const uint64_t *digest,
                                  cafe_graph *graph);
/* Names that are ascending integers, written the one way, become integers, or indices when they are
 * 0 .. n-1; others stay what they are. On failure they are freed. */
cafe_status cafe_names_settle(cafe_context *context, int64_t n, cafe_names *names);

#endif
