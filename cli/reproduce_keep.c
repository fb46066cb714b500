/* Finished repeats of the rows of a table, in a folder of its own.
 *
 * Hours of work should survive a stop. After every few repeats a row's file is replaced whole by
 * one that has them too. What is taken up again must be what would come out now: the file tells the
 * command line, the seed and digests of the data, and which tool wrote it. Of a file by another
 * build the first repeat is run again; the caller compares its bits. A file that cannot be read, or
 * is of something else, counts as none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "os/os.h"
#include "reproduce.h"

/* ---- digests --------------------------------------------------------------------------------- */

#define FNV_START 0xcbf29ce484222325u

/* FNV-1a, 64 bits: against change, not against malice. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static bool digest_file(const char *path, uint64_t *hash) {
    char block[1 << 16];
    size_t size;
    FILE *file = fopen(path, "rb");
    *hash = FNV_START;
    while (file && (size = fread(block, 1, sizeof block, file)) > 0)
        *hash = digest(*hash, block, size);
    bool whole = file && !ferror(file);
    if (file) fclose(file);
    return whole;
}

/* ---- the folder ------------------------------------------------------------------------------ */

int reproduce_keep_begin(reproduce_job *job) {
    struct stat info;
    if (!job->keep) return CLI_OK;
    if (mkdir(job->keep, 0777) != 0 && errno != EEXIST)
        return cli_error(&job->run, CLI_FAILED, "%s: %s", job->keep, strerror(errno));
    if (stat(job->keep, &info) != 0 || !S_ISDIR(info.st_mode))
        return cli_error(&job->run, CLI_FAILED, "%s: not a folder", job->keep);
    const char *program = cafe_os_program();
    if (!program || !digest_file(program, &job->build))
        job->build = 0; /* of no tool: checked again */
    return CLI_OK;
}

int reproduce_keep_key(const reproduce_job *job, const reproduce_result *result,
                       const char *command, const char *graph, const char *labels,
                       reproduce_key *key) {
    uint64_t of_graph, of_labels = 0, seed = cafe_seed(job->run.context);
    *key = (reproduce_key){.command = command};
    if (!job->keep) return CLI_OK;
    if (!digest_file(graph, &of_graph) || (labels && !digest_file(labels, &of_labels)))
        return cli_error(&job->run, CLI_INPUT, "%s: cannot be read", labels ? labels : graph);
    snprintf(key->data, sizeof key->data, "%016" PRIx64 "-%016" PRIx64, of_graph, of_labels);
    uint64_t name = digest(FNV_START, command, strlen(command));
    name = digest(name, &seed, sizeof seed);
    if (asprintf(&key->path, "%s/%s-%s-%016" PRIx64 ".json", job->keep, result->table, result->set,
                 name) < 0)
        return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    return CLI_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void fill(cafe_report *report, const reproduce_job *job, const reproduce_key *key,
                 const reproduce_result *r) {
    char build[20];
    snprintf(build, sizeof build, "%016" PRIx64, job->build);
    cafe_report_string(report, "command", key->command);
    cafe_report_integer(report, "seed", (int64_t)cafe_seed(job->run.context));
    cafe_report_string(report, "data", key->data);
    cafe_report_string(report, "build", build);
    cafe_report_integer(report, "repeats", r->repeats);
    cafe_report_integer(report, "cells", r->cells);
    cafe_report_integer(report, "width", r->width);
    cafe_report_real(report, "embed_seconds", r->embed_seconds);
    cafe_report_real(report, "row_seconds", r->seconds);
    cafe_report_reals(report, "values", r->repeats * r->cells, r->values);
}

int reproduce_keep_write(reproduce_job *job, const reproduce_key *key,
                         const reproduce_result *result) {
    cafe_report *report = NULL;
    if (!key->path) return CLI_OK;
    cafe_status status = cafe_report_new(job->run.context, "cafe/row/1", &report);
    if (status == CAFE_OK) {
        fill(report, job, key, result);
        status = cafe_report_write(report, key->path, 1);
    }
    cafe_report_free(report);
    return cli_check(&job->run, status);
}

/* ---- reading --------------------------------------------------------------------------------- */

static char *read_text(const char *path) {
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    ssize_t size = getdelim(&text, &room, 0, file);
    fclose(file);
    if (size >= 0) return text;
    free(text);
    return NULL;
}

/* Where the value of a member begins; "" when there is none. */
static const char *member(const char *text, const char *name) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\n  \"%s\": ", name);
    const char *at = strstr(text, quoted);
    return at ? at + strlen(quoted) : "";
}

static bool has_text(const char *text, const char *name, const char *value) {
    const char *at = member(text, name);
    size_t length = strlen(value);
    return at[0] == '"' && strncmp(at + 1, value, length) == 0 && at[1 + length] == '"';
}

/* A number or null, and where it ends. */
static const char *number(const char *at, double *value) {
    char *end;
    *value = NAN;
    if (strncmp(at, "null", 4) == 0) return at + 4;
    *value = strtod(at, &end);
    return end;
}

static int64_t whole(const char *text, const char *name) {
    return strtoll(member(text, name), NULL, 10);
}

/* The `count` numbers of "values": [1, 2, null]; false when they are not all there. */
static bool read_values(const char *text, int64_t count, double *values) {
    const char *at = member(text, "values"), *end;
    if (*at != '[') return false;
    for (int64_t i = 0; i < count; i++, at = end) {
        at += strspn(at, i ? ", " : "[");
        end = number(at, &values[i]);
        if (end == at) return false;
    }
    return *at == ']';
}

static bool is_of(const char *text, const reproduce_job *job, const reproduce_key *key) {
    return has_text(text, "schema", "cafe/row/1") && has_text(text, "command", key->command) &&
           has_text(text, "data", key->data) &&
           (uint64_t)whole(text, "seed") == cafe_seed(job->run.context);
}

int reproduce_keep_read(const reproduce_job *job, const reproduce_key *key,
                        reproduce_result *result, bool *same) {
    char build[20], *text = key->path ? read_text(key->path) : NULL;
    int64_t repeats = text ? whole(text, "repeats") : 0, cells = text ? whole(text, "cells") : 0;
    *same = false;
    if (!text || !is_of(text, job, key) || repeats < 1 || repeats > 1000000 || cells < 1 ||
        cells > REPRODUCE_CELLS)
        goto done;
    result->values = malloc((size_t)(repeats * cells) * sizeof *result->values);
    if (!result->values) {
        free(text);
        return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    }
    if (!read_values(text, repeats * cells, result->values)) goto done;
    snprintf(build, sizeof build, "%016" PRIx64, job->build);
    *same = job->build && has_text(text, "build", build);
    result->repeats = repeats;
    result->cells = cells;
    result->width = whole(text, "width");
    number(member(text, "embed_seconds"), &result->embed_seconds);
    number(member(text, "row_seconds"), &result->seconds);
done:
    free(text);
    return CLI_OK;
}
