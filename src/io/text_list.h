/* A list of texts in a cell, as Python and JSON write it: ['a', "b"], ("a",), {'a'}, [1, 2]. */
#ifndef CAFE_IO_TEXT_LIST_H
#define CAFE_IO_TEXT_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Is the text such a list, and nothing else? Items are texts in quotes; between square brackets all
 * of them may be numbers instead. A comma or blanks separate them (NumPy writes no commas). */
bool cafe_is_text_list(const char *text, int64_t length);

/* Takes the next item of such a list into `item`, which has room for the list, without an ending 0,
 * and may be the list itself. *at: its first character before the first call. Returns the item's
 * length; -1 after the last one. */
int64_t cafe_text_list_next(const char **at, const char *end, char *item);

#endif
