/* The columns of a table of facts: their names and texts, for pages. */
#ifndef CAFE_IO_FACTS_H
#define CAFE_IO_FACTS_H

#include <cafe/facts.h>

#include "os/lab.h"

CAFE_LAB const char *cafe_facts_name(const cafe_facts *facts, int64_t column);

CAFE_LAB int32_t cafe_facts_of(const cafe_facts *facts, int64_t column, int64_t node);

/* The different texts of a column, by first appearance, and the number of a node's; -1: none. */
CAFE_LAB int64_t cafe_facts_words(const cafe_facts *facts, int64_t column);
CAFE_LAB const char *cafe_facts_word(const cafe_facts *facts, int64_t column, int64_t word);

/* "": none */
const char *cafe_facts_text(const cafe_facts *facts, int64_t column, int64_t node);

#endif
