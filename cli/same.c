/* What a command was given, as a text with a line for each option: processes that run it together
 * compare it before they begin. Threads may differ, and so may the paths of inputs.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/team.h>

#include "command.h"
#include "os/os.h"
#include "team.h"

enum { VALUE = 512, MOST_FILES = 32 };

typedef struct given {
    FILE *text;
    int64_t count;
    cafe_engine_file files[MOST_FILES];
    char names[MOST_FILES][64];
} given;

static void add_file(given *g, const char *name, int length, const char *path) {
    if (g->count == MOST_FILES) return;
    snprintf(g->names[g->count], sizeof g->names[0], "%.*s", length, name);
    g->files[g->count] = (cafe_engine_file){g->names[g->count], path};
    g->count++;
}

/* Word i of a list with | between the words. */
static void print_choice(FILE *text, const char *choices, int32_t i) {
    for (; i > 0; i--) choices += strcspn(choices, "|") + 1;
    fprintf(text, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* The value of an option of the tool. */
static void print_own(FILE *text, const cli_option *own, const void *values) {
    const void *at = (const char *)values + own->offset;
    switch (own->kind) {
        case CLI_FLAG:
        case CLI_HELP:
        case CLI_TUNE:
        case CLI_READS: return;
        case CLI_TEXT:
        case CLI_KEEPS:
        case CLI_WRITES: fprintf(text, " %s", *(const char *const *)at); return;
        case CLI_THREADS:
        case CLI_COUNT:
        case CLI_POSITIVE: fprintf(text, " %" PRId32, *(const int32_t *)at); return;
        case CLI_SEED: fprintf(text, " %" PRIu64, *(const uint64_t *)at); return;
        case CLI_BYTES: fprintf(text, " %" PRId64, *(const int64_t *)at); return;
        case CLI_CHOICE:
        case CLI_SAMPLING:
            fputc(' ', text);
            print_choice(text, cli_choices(own), *(const int32_t *)at);
            return;
        case CLI_VECTORS_METHOD:
        case CLI_COMMUNITIES_METHOD:
            fprintf(text, " %s", (*(const cafe_method *const *)at)->name);
            return;
    }
}

static void print_shared(FILE *text, const cli_entry *e, const void *values) {
    char value[VALUE];
    cafe_options_text(e->shared, (const char *)values + e->group->offset, value, sizeof value);
    fprintf(text, " %s", value);
}

static void add_option(given *g, const cli_run *run, size_t i) {
    const cli_entry *e = &run->arguments->entries.at[i];
    bool here = run->arguments->given[i];
    if (e->own && e->own->kind == CLI_THREADS) return;
    fprintf(g->text, "%s--%s%s", here ? "" : "no ", e->tuned ? "tune " : "", e->name);
    if (here && e->own) print_own(g->text, e->own, run);
    if (here && e->shared) print_shared(g->text, e, run);
    fputc('\n', g->text);
    if (here && e->own && e->own->kind == CLI_READS) {
        char name[64];
        int length = snprintf(name, sizeof name, "--%s", e->name);
        add_file(g, name, length, *(const char *const *)((const char *)run + e->own->offset));
    }
}

/* Inputs by their places in the usage line, "GRAPH... -o OUT.npy"; then words, such as outputs. */
static void add_words(given *g, const cli_run *run, const cli_command *command) {
    const char *name = command->arguments;
    fprintf(g->text, "%d words\n", run->arguments->count);
    for (int i = 0; i < run->arguments->count; i++) {
        int length = (int)strcspn(name, " ."), whole = (int)strcspn(name, " ");
        if (i < command->inputs)
            add_file(g, name, length, run->words[i]);
        else
            fprintf(g->text, "%.*s %s\n", length, name, run->words[i]);
        name += whole + (name[whole] == ' ');
    }
}

int cli_team_same(cli_run *run, const cli_command *command) {
    const char *program = cafe_os_program(); /* builds of one version may differ */
    given g = {0};
    char *text = NULL;
    size_t size;
    g.text = open_memstream(&text, &size);
    if (g.text) {
        fprintf(g.text, "version %s\nthe command %s\n", cafe_version(), command->name);
        if (program) add_file(&g, "the program", 11, program);
        add_words(&g, run, command);
        for (size_t i = 0; i < run->arguments->entries.count; i++) add_option(&g, run, i);
    }
    bool lost = !g.text || fclose(g.text) != 0;
    cafe_status status = cafe_engine_agree(run->context, lost ? CAFE_ERROR_MEMORY : CAFE_OK);
    if (status == CAFE_OK) status = cafe_engine_same(run->context, text, g.count, g.files);
    free(text);
    return cli_check(run, status);
}
