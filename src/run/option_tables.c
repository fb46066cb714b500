/* The tables of the options structs of libcafe, by name. */
#include <string.h>

#include <cafe/cafe.h>

#define ENTRY(table) \
    { #table, cafe_##table##_option_table }

static const struct {
    const char *name;
    const cafe_option_table *(*table)(void);
} tables[] = {ENTRY(bounds),     ENTRY(ceiling), ENTRY(explain), ENTRY(feature),   ENTRY(finish),
              ENTRY(graph),      ENTRY(layers),  ENTRY(place),   ENTRY(propagate), ENTRY(ranks),
              ENTRY(reduce),     ENTRY(sample),  ENTRY(softmax), ENTRY(spectrum),  ENTRY(sphere),
              ENTRY(transition), ENTRY(trials),  ENTRY(update)};

const cafe_option_table *cafe_options_table(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0) return tables[i].table();
    return NULL;
}
