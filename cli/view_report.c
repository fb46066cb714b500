/* Lists of numbers out of a JSON report. The reader walks over the text once, minds strings and
 * brackets, and looks only at keys of the outermost object: what else a report holds does not
 * matter.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { MOST = 64 << 20 }; /* bytes: a report is a few kilobytes */

static char *read_text(cli_run *run, const char *path) {
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    while (file && text && size < MOST) {
        size_t got = fread(text + size, 1, capacity - size - 1, file);
        size += got;
        if (got == 0) break;
        if (size + 1 < capacity) continue;
        char *larger = realloc(text, capacity *= 2);
        if (!larger) free(text);
        text = larger;
    }
    bool sound = file && text && !ferror(file) && size < MOST;
    if (file) fclose(file);
    if (sound) {
        text[size] = 0;
        return text;
    }
    free(text);
    cli_error(run, CLI_FAILED, "%s: cannot be read", path);
    return NULL;
}

/* Behind a string that begins at `p` with its quote; NULL: it does not end. */
static const char *skip_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : NULL;
}

static const char *skip_blanks(const char *p) {
    return p + strspn(p, " \t\r\n");
}

/* The list of numbers that begins at '['; false: it is none. */
static bool read_list(const char *p, double **values, int64_t *count) {
    int64_t capacity = 0;
    *count = 0;
    for (p = skip_blanks(p + 1); *p != ']'; p = skip_blanks(p)) {
        if (*count == capacity) {
            capacity = 2 * capacity + 64;
            double *larger = realloc(*values, (size_t)capacity * sizeof **values);
            if (!larger) return false;
            *values = larger;
        }
        char *end = NULL;
        (*values)[(*count)++] = strtod(p, &end);
        if (end == p) return false;
        p = skip_blanks(end);
        if (*p == ',') p++;
    }
    return true;
}

typedef struct wanted {
    const char *key;
    double **values;
    int64_t count;
    bool sound;
} wanted;

/* A key of the outermost object: its list, if it is one of those wanted. */
static void take(const char *key, size_t length, const char *value, wanted *list, int lists) {
    for (int i = 0; i < lists; i++) {
        wanted *w = &list[i];
        if (strlen(w->key) != length || memcmp(w->key, key, length) != 0 || *w->values) continue;
        w->sound = *value == '[' && read_list(value, w->values, &w->count);
    }
}

/* false: the text ends within a string or within brackets */
static bool walk(const char *p, wanted *list, int lists) {
    int depth = 0;
    while (*p) {
        if (*p == '{' || *p == '[') depth++;
        if (*p == '}' || *p == ']') depth--;
        if (*p != '"') {
            p++;
            continue;
        }
        const char *key = p + 1;
        if (!(p = skip_string(p))) return false;
        size_t length = (size_t)(p - 1 - key);
        const char *value = skip_blanks(p);
        if (depth == 1 && *value == ':') take(key, length, skip_blanks(value + 1), list, lists);
    }
    return depth == 0;
}

int view_report_read(cli_run *run, const char *path, view_report *report) {
    wanted list[] = {{"objective", &report->objective, 0, true},
                     {"ritz_values", &report->ritz_values, 0, true},
                     {"residuals", &report->residuals, 0, true},
                     {"column_values", &report->column_values, 0, true},
                     {"column_residuals", &report->column_residuals, 0, true}};
    enum { LISTS = sizeof list / sizeof *list };
    char *text = read_text(run, path);
    if (!text) return CLI_FAILED;
    bool sound = *skip_blanks(text) == '{' && walk(text, list, LISTS);
    for (int i = 0; i < LISTS; i++) sound = sound && list[i].sound;
    free(text);
    sound = sound && list[1].count == list[2].count && list[3].count == list[4].count;
    if (!sound || !report->objective)
        return cli_error(run, CLI_INPUT, "%s: expected a report of cafe embed (--json)", path);
    report->objectives = list[0].count;
    report->pairs = list[1].count;
    report->columns = list[3].count;
    return CLI_OK;
}

void view_report_free(view_report *report) {
    free(report->objective);
    free(report->ritz_values);
    free(report->residuals);
    free(report->column_values);
    free(report->column_residuals);
}
