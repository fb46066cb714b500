/* Topics of `cafe help`: what belongs to no single command. Lists come from the library's
 * registries, the rest is here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "command.h"
#include "tell.h"

typedef struct topic {
    const char *name, *summary;
    void (*print)(void);
} topic;

enum { INDENT = 21 };

/* The text from a column on, with options spelled for the tool. */
static void put_text(const char *text, int indent, int at) {
    char *spelled = cli_spelled(text);
    cli_put_words(spelled ? spelled : text, indent, at);
    printf("\n");
    free(spelled);
}

static void put_row(const char *name, const char *text) {
    put_text(text, INDENT, printf("  %-*s", INDENT - 2, name));
}

static void put_title(const char *name, const char *text) {
    put_text(text, 0, printf("%s -", name));
}

static void put_methods(bool vectors) {
    size_t count;
    const cafe_method *const *rows = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++)
        if (vectors ? rows[i]->vectors : rows[i]->communities)
            put_row(rows[i]->name, rows[i]->summary);
}

/* The options of a command's groups for a method that `belongs` accepts. */
static void put_options(const cli_command *command, const char *method,
                        bool (*belongs)(const cli_entry *entry, const char *name),
                        const char *name) {
    static cli_entries entries;
    bool tuned = false;
    cli_merge(command, method, &entries);
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.at[i].tuned && belongs(&entries.at[i], name)) cli_put_option(&entries.at[i]);
    for (size_t i = 0; i < entries.count; i++) {
        if (!entries.at[i].tuned || !belongs(&entries.at[i], name)) continue;
        if (!tuned) printf("with --tune NAME=VALUE:\n");
        tuned = true;
        cli_put_option(&entries.at[i]);
    }
}

static bool is_of_method(const cli_entry *e, const char *name) {
    (void)name;
    return strncmp(e->group->title, "--method ", 9) == 0;
}

static const cafe_method *find_method(const char *name) {
    size_t count;
    const cafe_method *const *rows = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i]->name, name) == 0) return rows[i];
    return NULL;
}

static bool print_method(const char *name) {
    static const cli_command *const commands[] = {&cli_embed, &cli_cluster};
    const cafe_method *row = find_method(name);
    if (!row) return false;
    put_title(row->name, row->summary);
    for (int i = 0; i < 2; i++) {
        if (!(i ? row->communities : row->vectors)) continue;
        printf("\ncafe %s GRAPH --method %s:\n", commands[i]->name, row->name);
        put_options(commands[i], name, is_of_method, name);
    }
    if (row->takes & CAFE_TAKES_SAMPLING)
        printf("\nIt takes a --sampling: 'cafe help samplings'.\n");
    return true;
}

static bool is_of_sampling(const cli_entry *e, const char *name) {
    for (size_t i = 0; cafe_sampler_at(i); i++) {
        const cafe_sampler *row = cafe_sampler_at(i);
        if (strcmp(row->name, name) != 0) continue;
        if (strcmp(e->name, "attributes") == 0) return row->attributes;
        if (strcmp(e->name, "seeds") == 0) return row->seeds;
        return e->shared && e->group->table() == cafe_sample_option_table() &&
               cafe_sampler_has(row, e->name);
    }
    return false;
}

static bool print_sampling(const char *name) {
    for (size_t i = 0; cafe_sampler_at(i); i++) {
        if (strcmp(cafe_sampler_at(i)->name, name) != 0) continue;
        put_title(name, cafe_sampler_at(i)->summary);
        printf("\noptions with --sampling %s:\n", name);
        put_options(&cli_embed, cli_default_method(&cli_embed), is_of_sampling, name);
        return true;
    }
    return false;
}

static void print_tune(void) {
    printf(
        "Options that only developers need: limits of a search, sizes of blocks,\n"
        "parameters of published methods. Give each as --tune NAME=VALUE.\n");
    cli_print_tuned(false);
}

static void print_methods(void) {
    printf("vectors, by cafe embed --method:\n");
    put_methods(true);
    printf("\ncommunities, by cafe cluster --method:\n");
    put_methods(false);
    printf("\n'cafe help METHOD' has the options of each.\n");
}

static void print_samplings(void) {
    printf("pairs of nodes that count as seen together, by --sampling:\n");
    for (size_t i = 0; cafe_sampler_at(i); i++)
        put_row(cafe_sampler_at(i)->name, cafe_sampler_at(i)->summary);
    printf("\n'cafe help SAMPLING' has the options of each.\n");
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

static void print_environment(void) {
    printf(
        "environment:\n"
        "  CAFE_ENGINE_PATH  where to look for engines: folders, separated by colons\n"
        "  CAFE_DATA         folder of the data sets of 'cafe reproduce'\n"
        "  NO_COLOR, TERM    no colours in 'cafe plot', no progress on a dumb terminal\n"
        "  CLICOLOR_FORCE    colours in 'cafe plot --terminal' also into a pipe\n");
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
    {"tune", "the options of --tune, for developers", print_tune},
    {"formats", "files it reads and writes", print_formats},
    {"exit-codes", "what a script learns from the exit code", cli_print_exit_topic},
    {"environment", "variables that the tool reads", print_environment},
    {"completion", "the Tab key in bash, zsh and fish", print_completion},
};

bool cli_print_topic(const char *name) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, name) != 0) continue;
        topics[i].print();
        return true;
    }
    return print_method(name) || print_sampling(name);
}

void cli_print_topics(void) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        printf("  %-13s%s\n", topics[i].name, topics[i].summary);
}
