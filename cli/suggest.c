/* "Did you mean ...?": the nearest name by edit distance. */
#include <string.h>

#include "option.h"

enum { LONGEST = 48 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
 * alignment); d[i][j] is the distance between the first i and the first j letters. */
static size_t distance(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b), d[LONGEST + 1][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (size_t i = 0; i <= m; i++) d[i][0] = i;
    for (size_t j = 0; j <= n; j++) d[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

const char *cli_nearest(const char *word, const char *const *names, size_t count) {
    const char *nearest = NULL;
    size_t length = strlen(word), best = length / 3 + 2;
    for (size_t i = 0; i < count && length > 0; i++) {
        /* a beginning ("col" for "columns") is one slip, not four */
        size_t d = strncmp(word, names[i], length) == 0 ? 1 : distance(word, names[i]);
        if (d < best) {
            best = d;
            nearest = names[i];
        }
    }
    return nearest;
}
