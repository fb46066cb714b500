/* The tables of the lab's options: as those of option.h. */
#ifndef CAFE_LAB_OPTION_H
#define CAFE_LAB_OPTION_H

#include <cafe/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The table of the struct cafe_NAME_options by its name ("classify"); NULL: libcafe-lab has none of
 * it. */
CAFE_API const cafe_option_table *cafe_lab_options_table(const char *name);

#ifdef CAFE_INSIDE_LAB
#define CAFE_LAB_OPTIONS(name) CAFE_OPTIONS_INSIDE(name)
#else
#define CAFE_LAB_OPTIONS(name) CAFE_OPTIONS_LISTED(name, cafe_lab_options_table)
#endif

#ifdef __cplusplus
}
#endif
#endif
