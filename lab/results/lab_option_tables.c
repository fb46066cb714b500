/* The tables of the options structs of libcafe-lab, by name. */
#include <string.h>

#include <cafe/lab.h>

#define ENTRY(table) \
    { #table, cafe_##table##_option_table }

static const struct {
    const char *name;
    const cafe_option_table *(*table)(void);
} tables[] = {ENTRY(classify),  ENTRY(decoder),  ENTRY(generate),   ENTRY(link),   ENTRY(logistic),
              ENTRY(map),       ENTRY(pagerank), ENTRY(plot),       ENTRY(points), ENTRY(predict),
              ENTRY(recommend), ENTRY(similar),  ENTRY(similarity), ENTRY(view)};

const cafe_option_table *cafe_lab_options_table(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0) return tables[i].table();
    return NULL;
}
