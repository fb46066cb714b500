/* Topics of `cafe help`: what belongs to no single command. Lists come from the library's
 * registries, the rest is here.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"

typedef struct topic {
    const char *name, *summary;
    void (*print)(void);
} topic;

enum { INDENT = 21 };

static void put_row(const char *name, const char *text) {
    int at = printf("  %-*s", INDENT - 2, name);
    cli_put_words(text, INDENT, at);
    printf("\n");
}

static void put_methods(bool vectors) {
    size_t count;
    const cafe_method *const *rows = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++)
        if (vectors ? rows[i]->vectors : rows[i]->communities)
            put_row(rows[i]->name, rows[i]->summary);
}

static void print_methods(void) {
    printf("vectors, by cafe embed --method:\n");
    put_methods(true);
    printf("\ncommunities, by cafe cluster --method:\n");
    put_methods(false);
    printf("\n'cafe embed --help' and 'cafe cluster --help' have the options of each.\n");
}

static void print_samplings(void) {
    printf("pairs of nodes that count as seen together, by --sampling:\n");
    for (size_t i = 0; cafe_sampler_at(i); i++)
        put_row(cafe_sampler_at(i)->name, cafe_sampler_at(i)->summary);
}

static void put_formats(cafe_file_kind kind) {
    const cafe_file_format *row;
    for (int64_t i = 0; (row = cafe_file_format_at(kind, i)) != NULL; i++)
        printf("  %-22s %-20s %s\n", row->endings, row->title,
               row->writes ? "read and written" : "read");
}

static void print_formats(void) {
    printf("graphs:\n");
    put_formats(CAFE_FILE_GRAPH);
    printf("vectors:\n");
    put_formats(CAFE_FILE_VECTORS);
    printf(
        "\nAll can be compressed by gzip, zstd or xz; text is written so when its name ends\n"
        "in .gz. A - is standard input or output. 'cafe info FILE' shows how a file is\n"
        "understood, 'man cafe-convert' what each format can keep.\n");
}

static void print_exit(void) {
    printf(
        "exit codes:\n"
        "  0    done\n"
        "  1    failed: a file cannot be read or written, memory is short, ...\n"
        "  2    wrong usage: an option or argument is wrong\n"
        "  3    malformed input: the message names the file and the line\n"
        "  130  interrupted by Ctrl-C; other signals: 128 and their number\n"
        "\nFiles get their names at the end, all or none: a run that failed leaves none.\n");
}

static void print_environment(void) {
    printf(
        "environment:\n"
        "  CAFE_ENGINE_PATH  where to look for engines: folders, separated by colons\n"
        "  CAFE_DATA         folder of the data sets of 'cafe reproduce'\n"
        "  NO_COLOR, TERM    no colours in 'cafe plot', no progress on a dumb terminal\n");
}

static void print_completion(void) {
    printf(
        "Completion of commands, options and their values is installed with the tool. For\n"
        "a tool that is run from its build folder:\n"
        "  bash  source <(cafe help --completion bash)\n"
        "  zsh   cafe help --completion zsh > \"${fpath[1]}/_cafe\"\n"
        "  fish  cafe help --completion fish | source\n");
}

static const topic topics[] = {
    {"methods", "ways from a graph to vectors or communities", print_methods},
    {"samplings", "which pairs of nodes count as seen together", print_samplings},
    {"formats", "files it reads and writes", print_formats},
    {"exit-codes", "how a run tells that it failed", print_exit},
    {"environment", "variables that the tool reads", print_environment},
    {"completion", "the Tab key in bash, zsh and fish", print_completion},
};

bool cli_print_topic(const char *name) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, name) != 0) continue;
        topics[i].print();
        return true;
    }
    return false;
}

void cli_print_topics(void) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        printf("  %-13s%s\n", topics[i].name, topics[i].summary);
}
