/* LGL, of Large Graph Layout: "# node", then a line "neighbour" or "neighbour weight" for each of
 * its edges. Read as an edge list, it would lose the nodes in the comments and turn weights into
 * nodes.
 *
 * Edge lists may have comments of one word too. A file is LGL if every line fits, and one of its
 * lines cannot be an edge: it has one field, a weight that is no integer, or a node of a comment.
 */
#include <string.h>

#include "base/print.h"
#include "io/lgl.h"

enum { BEGINNING = 1024, FIELDS = 3 };

typedef struct looking {
    char heads[BEGINNING + 2]; /* " node node ": of the comments */
    int count, certain;
} looking;

/* Up to three fields between blanks, ended by 0; returns how many. */
static int split(char *line, char *field[FIELDS]) {
    int count = 0;
    for (char *at = line; count < FIELDS; count++) {
        at += strspn(at, " \t\r");
        if (*at == 0) break;
        field[count] = at;
        at += strcspn(at, " \t\r");
        if (*at) *at++ = 0;
    }
    return count;
}

static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if (at > list && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

/* false: no line of LGL. */
static bool take_line(looking *l, char *line) {
    char *field[FIELDS] = {0};
    const char *end;
    int fields = split(line, field);
    if (fields == 0) return true;
    if (field[0][0] == '#') {
        if (fields != 2 || field[0][1]) return false;
        strcat(strcat(l->heads, field[1]), " ");
        l->count++;
        return true;
    }
    if (l->count == 0 || fields == 3) return false;
    if (fields == 2) {
        cafe_parse_number(field[1], &end);
        if (*end) return false;
    }
    l->certain += fields == 1 || strpbrk(field[1], ".eE") || is_listed(l->heads, field[0]);
    return true;
}

bool cafe_is_lgl(const uint8_t *bytes, int64_t size) {
    char text[BEGINNING + 1] = {0}, *next;
    looking l = {.heads = " "};
    memcpy(text, bytes, (size_t)(size < BEGINNING ? size : BEGINNING));
    for (char *line = text; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        *next = 0;
        if (!take_line(&l, line)) return false;
    }
    return l.count >= 2 && l.certain > 0;
}
