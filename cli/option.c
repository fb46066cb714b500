/* The parser: long and short options anywhere among the words, driven by the merged list.
 *
 * Values of library options are checked by the library (cafe_options_set), so ranges and choices
 * are written once, in its tables.
 */
#define _GNU_SOURCE
#include "option.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/text.h>

#include "command.h"
#include "tell.h"

/* Short forms of library options, wherever a command has the option. */
static const struct {
    char letter;
    const char *name;
} shared_letters[] = {{'k', "columns"}, {'k', "top"}};

enum { MOST_CHOICES = 32, LONGEST_CHOICE = 32 };

/* The state of one parse; `context` carries the library's error texts. */
typedef struct parser {
    const cli_command *command;
    const char *method; /* NULL: the command has none */
    cafe_context *context;
    char *values;
    cli_arguments *arguments;
    int argc, next;
    char **argv;
} parser;

int cli_usage_error(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cli_vtell(CLI_ERROR, command, CLI_USAGE, format, arguments);
    va_end(arguments);
    cli_tell(CLI_INFO, command, 0, "try 'cafe %s%s--help'", command ? command : "",
             command ? " " : "");
    return CLI_USAGE;
}

/* ---- the merged list ------------------------------------------------------------------------- */

/* A letter is that of the command's first option with it. */
static char shared_letter(const cli_entries *entries, const char *name) {
    char letter = 0;
    for (size_t i = 0; i < sizeof shared_letters / sizeof *shared_letters; i++)
        if (strcmp(shared_letters[i].name, name) == 0) letter = shared_letters[i].letter;
    for (size_t i = 0; i < entries->count; i++)
        if (entries->at[i].letter == letter && strcmp(entries->at[i].name, name) != 0) return 0;
    return letter;
}

static void add_entry(cli_entries *entries, cli_entry entry) {
    if (entries->count < CLI_MOST_OPTIONS) entries->at[entries->count++] = entry;
}

static void merge_own(const cli_group *group, const cli_option *o, cli_entries *entries) {
    cli_entry entry = {.group = group, .own = o, .name = o->name, .letter = o->letter};
    entry.placeholder = o->placeholder;
    entry.help = o->help;
    add_entry(entries, entry);
}

const char *cli_entry_help(const cli_entry *entry) {
    enum { MOST = 64 };
    const char *help = entry->help;
    static struct {
        const char *from;
        char *to;
    } known[MOST];
    size_t i = 0;
    if (!strstr(help, "\u2018")) return help;
    while (i < MOST - 1 && known[i].from && known[i].from != help) i++;
    if (known[i].from == help) return known[i].to;
    char *to = cli_spelled(help);
    if (!to) return help;
    free(known[i].to);
    known[i].from = help;
    return known[i].to = to;
}

static void merge_shared(const cli_group *group, const cafe_option *o, cli_entries *entries) {
    cli_entry entry = {.group = group, .shared = o, .name = o->name};
    entry.help = o->help;
    entry.letter = shared_letter(entries, o->name);
    entry.placeholder = cafe_option_kind(o) == CAFE_OPTION_SWITCH ? "yes|no" : o->placeholder;
    entry.tuned = (o->type & CAFE_OPTION_TUNE) != 0;
    add_entry(entries, entry);
}

static void merge_group(const cli_group *group, cli_entries *entries) {
    for (const cli_option *o = group->own; o && o->name; o++) merge_own(group, o, entries);
    const cafe_option_table *table = group->table ? group->table() : NULL;
    for (size_t i = 0; table && i < table->count; i++)
        merge_shared(group, &table->options[i], entries);
}

/* The number of `word` among the choices "a|b|c", which end at a bracket at the latest; or -1. */
static int32_t find_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (int32_t i = 0; choices; i++) {
        size_t this = strcspn(choices, "|)");
        if (this == length && memcmp(choices, word, length) == 0) return i;
        choices = choices[this] == '|' ? choices + this + 1 : NULL;
    }
    return -1;
}

/* The methods of a title such as "Sampling (--method sphere|cafe)"; NULL: the group is of all. */
static const char *methods_of(const cli_group *g) {
    static const char mark[] = "--method ";
    const char *methods = strstr(g->title, mark);
    return methods ? methods + strlen(mark) : NULL;
}

static bool counts_with(const cli_group *g, const char *method) {
    const char *methods = methods_of(g);
    return !methods || find_choice(methods, method) >= 0;
}

void cli_merge(const cli_command *command, const char *method, cli_entries *entries) {
    entries->count = 0;
    for (const cli_group *g = cli_groups(command); g && g->title; g++)
        if (!method || counts_with(g, method)) merge_group(g, entries);
}

static const cli_option *method_option(const cli_command *command) {
    for (const cli_group *g = cli_groups(command); g && g->title; g++)
        for (const cli_option *o = g->own; o && o->name; o++)
            if (strcmp(o->name, "method") == 0) return o;
    return NULL;
}

const char *cli_default_method(const cli_command *command) {
    const cli_option *o = method_option(command);
    return o ? o->initial : NULL;
}

/* Has one of the groups an option of this name for --tune? NULL: of any name. */
static bool has_tuned(const cli_group *groups, const char *name, size_t length) {
    for (const cli_group *g = groups; g && g->title; g++)
        for (size_t i = 0; g->table && i < g->table()->count; i++) {
            const cafe_option *o = &g->table()->options[i];
            bool named = !name || (strncmp(o->name, name, length) == 0 && !o->name[length]);
            if (named && (o->type & CAFE_OPTION_TUNE)) return true;
        }
    return false;
}

bool cli_has_tuned(const cli_group *groups) {
    return has_tuned(groups, NULL, 0);
}

bool cli_is_tuned(const char *name, size_t length) {
    for (size_t i = 0; cli_task_at(i); i++)
        if (has_tuned(cli_groups(cli_task_at(i)), name, length)) return true;
    return false;
}

bool cli_takes_file(const cli_entry *e) {
    return e->own &&
           (e->own->kind == CLI_READS || e->own->kind == CLI_WRITES || e->own->kind == CLI_KEEPS);
}

bool cli_takes_value(const cli_entry *e) {
    return !e->own || (e->own->kind != CLI_FLAG && e->own->kind != CLI_HELP);
}

/* The choice that is spelt most like the word, into `near`; "" when none is. */
static void near_choice(const char *choices, const char *word, char near[LONGEST_CHOICE]) {
    char words[MOST_CHOICES][LONGEST_CHOICE];
    const char *names[MOST_CHOICES], *nearest;
    size_t count = 0;
    while (choices && count < MOST_CHOICES) {
        int length = (int)strcspn(choices, "|");
        snprintf(words[count], LONGEST_CHOICE, "%.*s", length, choices);
        names[count] = words[count];
        count++;
        choices = choices[length] ? choices + length + 1 : NULL;
    }
    nearest = cli_nearest(word, names, count);
    snprintf(near, LONGEST_CHOICE, "%s", nearest ? nearest : "");
}

/* The message, and the choice that is spelt most like the word. */
static int wrong_word(const cli_command *command, const char *choices, const char *word,
                      const char *message) {
    char near[LONGEST_CHOICE];
    near_choice(choices, word, near);
    return near[0] ? cli_usage_error(command->name, "%s; did you mean '%s'?", message, near)
                   : cli_usage_error(command->name, "%s", message);
}

static int wrong_choice(const cli_command *command, const cli_option *o, const char *word) {
    char message[1024];
    const char *choices = cli_choices(o);
    snprintf(message, sizeof message, "--%s takes one of %s, not '%s'", o->name, choices, word);
    return wrong_word(command, choices, word, message);
}

/* The method asked for, or the default one; NULL when the command has no methods. Methods may have
 * options of the same name with defaults of their own, so it is looked up before the others. */
static int find_method(const cli_command *command, int argc, char **argv, const cli_config *config,
                       const char **method) {
    const cli_option *o = method_option(command);
    *method = o ? o->initial : NULL;
    for (int i = 0; o && i < config->count; i++)
        if (strcmp(config->at[i].key, "method") == 0 && cli_config_counts(config, &config->at[i]))
            *method = config->at[i].value;
    for (int i = 0; o && i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--method=", 9) == 0) *method = argv[i] + 9;
        if (strcmp(argv[i], "--method") == 0 && i + 1 < argc) *method = argv[i + 1];
    }
    if (!o || find_choice(cli_choices(o), *method) >= 0) return CLI_OK;
    return wrong_choice(command, o, *method);
}

const cli_entry *cli_find_entry(const cli_entries *entries, const char *name, size_t length) {
    for (size_t i = 0; i < entries->count; i++)
        if (strncmp(entries->at[i].name, name, length) == 0 && !entries->at[i].name[length])
            return &entries->at[i];
    return NULL;
}

bool cli_given(const cli_arguments *arguments, const char *name) {
    const cli_entry *e = cli_find_entry(&arguments->entries, name, strlen(name));
    return e && arguments->given[e - arguments->entries.at];
}

int cli_only_with(const char *command, const cli_arguments *arguments, const char *names,
                  const char *what) {
    while (*names) {
        char name[64];
        size_t length = strcspn(names, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (cli_given(arguments, name))
            return cli_usage_error(command, CLI_OPT("%s") " goes with %s", name, what);
        names += length + (names[length] == '|');
    }
    return CLI_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool cli_whole(const char *text, uint64_t most, uint64_t *value, const char **end) {
    char *behind;
    if (text[0] < '0' || text[0] > '9') return false; /* strtoull would take signs and spaces */
    errno = 0;
    unsigned long long v = strtoull(text, &behind, 10);
    *end = behind;
    *value = v;
    return errno == 0 && v <= most;
}

static bool parse_whole(const char *text, uint64_t most, uint64_t *value) {
    const char *end;
    return cli_whole(text, most, value, &end) && *end == 0;
}

/* "512M", "8G", "1.5GiB", "1000": powers of 1024. */
static bool parse_bytes(const char *text, int64_t *bytes) {
    static const char letters[] = "kKmMgGtT";
    const char *end;
    double value = cafe_parse_number(text, &end);
    if (end == text) return false;
    const char *unit = *end ? strchr(letters, *end) : NULL;
    if (unit) {
        for (int power = (int)(unit - letters) / 2; power >= 0; power--) value *= 1024;
        end++;
        if (*end == 'i') end++;
    }
    if (*end == 'B') end++;
    if (*end != 0 || !(value >= 0 && value < 0x1p62)) return false;
    *bytes = (int64_t)value;
    return true;
}

static bool store_number(const char *text, int32_t least, int32_t most, int32_t *value) {
    uint64_t whole;
    if (!parse_whole(text, (uint64_t)most, &whole) || whole < (uint64_t)least) return false;
    *value = (int32_t)whole;
    return true;
}

/* Stores an own option's value; false when the text stands for none. */
static bool store_own(const parser *p, const cli_option *option, const char *text) {
    void *at = p->values + option->offset;
    switch (option->kind) {
        case CLI_FLAG: *(bool *)at = true; return true;
        case CLI_HELP: *(int32_t *)at = text[0] ? CLI_BRIEF : CLI_FULL; return true;
        case CLI_TUNE: return true;
        case CLI_TEXT:
        case CLI_READS:
        case CLI_KEEPS:
        case CLI_WRITES: *(const char **)at = text; return text[0] != 0;
        case CLI_THREADS: return store_number(text, 0, 1024, at);
        case CLI_COUNT: return store_number(text, 0, INT32_MAX, at);
        case CLI_POSITIVE: return store_number(text, 1, INT32_MAX, at);
        case CLI_SEED: return parse_whole(text, UINT64_MAX, at);
        case CLI_BYTES: return parse_bytes(text, at);
        case CLI_CHOICE:
        case CLI_SAMPLING: return (*(int32_t *)at = find_choice(cli_choices(option), text)) >= 0;
        case CLI_VECTORS_METHOD:
        case CLI_COMMUNITIES_METHOD:
            return (*(const cafe_method **)at = cafe_method_find(p->context, text)) != NULL;
    }
    return false;
}

static const char *own_expects(const cli_option *option) {
    static const char *const texts[] = {[CLI_FLAG] = "no value",
                                        [CLI_TEXT] = "a text",
                                        [CLI_READS] = "a file name",
                                        [CLI_WRITES] = "a file name",
                                        [CLI_KEEPS] = "a file name",
                                        [CLI_THREADS] = "a whole number from 0 to 1024",
                                        [CLI_COUNT] = "a whole number from 0 to 2147483647",
                                        [CLI_POSITIVE] = "a whole number from 1 to 2147483647",
                                        [CLI_SEED] = "a whole number from 0 to 2^64 - 1",
                                        [CLI_BYTES] = "a size such as 512M or 8G"};
    return texts[option->kind];
}

static int set_value(parser *p, const cli_entry *e, const char *text) {
    ptrdiff_t index = e - p->arguments->entries.at;
    const char *command = p->command->name;
    if (p->arguments->given[index] && cli_takes_file(e))
        return cli_usage_error(command, "--%s is given twice, for '%s' and '%s'", e->name,
                               *(const char **)(p->values + e->own->offset), text);
    p->arguments->given[index] = true;
    p->arguments->text[index] = text;
    if (e->own) {
        if (store_own(p, e->own, text)) return CLI_OK;
        if (e->own->kind >= CLI_CHOICE) return wrong_choice(p->command, e->own, text);
        return cli_usage_error(command, "--%s takes %s, not '%s'", e->name, own_expects(e->own),
                               text);
    }
    cafe_status status = cafe_options_set(p->context, e->group->table(),
                                          p->values + e->group->offset, e->name, text);
    if (status == CAFE_OK) return CLI_OK;
    return wrong_word(p->command, e->shared->choices, text, cafe_error(p->context));
}

static void set_defaults(parser *p) {
    for (const cli_group *g = cli_groups(p->command); g && g->title; g++) {
        if (p->method && !counts_with(g, p->method)) continue;
        if (g->table) cafe_options_init(g->table(), p->values + g->offset, g->table()->struct_size);
        for (const cli_option *o = g->own; o && o->name; o++)
            if (o->initial) store_own(p, o, o->initial);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* What other tools call an option; the option itself where the command has no such one. */
static const char *our_word(const char *name) {
    static const char *const words[][2] = {
        {"k", "columns"},         {"dim", "columns"},        {"dims", "columns"},
        {"dimension", "columns"}, {"dimensions", "columns"}, {"size", "columns"},
        {"clusters", "columns"},  {"iterations", "sweeps"},  {"max-iter", "sweeps"},
        {"jobs", "threads"},      {"n-jobs", "threads"},     {"workers", "threads"},
        {"random-state", "seed"}, {"device", "engine"},      {"gpu", "engine"},
        {"algorithm", "method"},  {"overwrite", "force"},    {"separator", "delimiter"},
        {"sep", "delimiter"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], name) == 0) return words[i][1];
    return name;
}

/* The methods that have the option, as a|b. */
static void list_methods(const cli_entries *all, const char *name, char *text, size_t room) {
    text[0] = 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *methods = methods_of(all->at[i].group);
        size_t used = strlen(text);
        if (!methods || strcmp(all->at[i].name, name) != 0) continue;
        snprintf(text + used, room - used, "%s%.*s", used ? "|" : "", (int)strcspn(methods, ")"),
                 methods);
    }
}

static int unknown_option(parser *p, const char *name) {
    static cli_entries all;
    const char *names[CLI_MOST_OPTIONS];
    char methods[256];
    const cli_entries *entries = &p->arguments->entries;
    cli_merge(p->command, NULL, &all);
    list_methods(&all, our_word(name), methods, sizeof methods);
    if (p->method && methods[0] && !cli_find_entry(entries, our_word(name), strlen(our_word(name))))
        return cli_usage_error(p->command->name,
                               CLI_OPT("%s") " does not go with --method %s, but with --method %s",
                               our_word(name), p->method, methods);
    for (size_t i = 0; i < entries->count; i++) names[i] = entries->at[i].name;
    const char *nearest = cli_nearest(our_word(name), names, entries->count);
    if (nearest)
        return cli_usage_error(p->command->name,
                               "unknown option --%s; did you mean " CLI_OPT("%s") "?", name,
                               nearest);
    return cli_usage_error(p->command->name, "unknown option --%s", name);
}

static int refuse_name(parser *p, const char *word, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return unknown_option(p, name);
}

/* --tune name=value */
static int set_tuned(parser *p, const char *text) {
    size_t length = strcspn(text, "=");
    const cli_entry *e = cli_find_entry(&p->arguments->entries, text, length);
    if (!e) return refuse_name(p, text, length);
    if (!e->tuned)
        return cli_usage_error(p->command->name, "--%s is no option for --tune: give --%s %s",
                               e->name, e->name, e->placeholder ? e->placeholder : "");
    if (!text[length])
        return cli_usage_error(p->command->name, "--tune %s needs a value: --tune %s=%s", e->name,
                               e->name, e->placeholder);
    return set_value(p, e, text + length + 1);
}

/* Does a switch that is off without its option stand alone, --tune trust in place of --tune
 * trust=yes? */
static bool stands_alone(const parser *p, const cli_entry *e) {
    static const char *const truths[] = {"yes", "no", "0", "1", "true", "false", "on", "off"};
    if (!e->shared || cafe_option_kind(e->shared) != CAFE_OPTION_SWITCH || e->shared->initial != 0)
        return false;
    for (size_t i = 0; p->next < p->argc && i < sizeof truths / sizeof *truths; i++)
        if (strcmp(p->argv[p->next], truths[i]) == 0) return false;
    return true;
}

/* The value of an option: what is attached to it, else the next word. */
static int take_value(parser *p, const cli_entry *e, const char *attached) {
    if (!cli_takes_value(e)) {
        if (attached) return cli_usage_error(p->command->name, "--%s takes no value", e->name);
        return set_value(p, e, "");
    }
    if (!attached && stands_alone(p, e)) return set_value(p, e, "yes");
    if (!attached && p->next < p->argc) attached = p->argv[p->next++];
    if (!attached)
        return cli_usage_error(p->command->name, "--%s needs a value: --%s %s", e->name, e->name,
                               e->placeholder);
    if (e->own && e->own->kind == CLI_TUNE) return set_tuned(p, attached);
    return set_value(p, e, attached);
}

/* --name, --name value, --name=value */
static int parse_long(parser *p, const char *word) {
    size_t length = strcspn(word, "=");
    const cli_entry *e = cli_find_entry(&p->arguments->entries, word, length);
    if (!e) return refuse_name(p, word, length);
    if (e->tuned)
        return cli_usage_error(p->command->name, "unknown option --%s; did you mean --tune %s=%s?",
                               e->name, e->name, e->placeholder);
    return take_value(p, e, word[length] ? word + length + 1 : NULL);
}

/* It may be a letter of other methods. */
static int unknown_letter(parser *p, char letter) {
    static cli_entries all;
    cli_merge(p->command, NULL, &all);
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].letter == letter) return unknown_option(p, all.at[i].name);
    return cli_usage_error(p->command->name, "unknown option -%c", letter);
}

/* -f, -fq, -o value, -ovalue */
static int parse_short(parser *p, const char *letters) {
    const cli_entries *entries = &p->arguments->entries;
    for (; *letters; letters++) {
        size_t i = 0;
        while (i < entries->count && entries->at[i].letter != *letters) i++;
        if (i == entries->count) return unknown_letter(p, *letters);
        if (cli_takes_value(&entries->at[i]))
            return take_value(p, &entries->at[i], letters[1] ? letters + 1 : NULL);
        set_value(p, &entries->at[i], letters);
    }
    return CLI_OK;
}

static int parse_words(parser *p) {
    bool options = true;
    while (p->next < p->argc) {
        const char *word = p->argv[p->next++];
        int code = CLI_OK;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] == '-')
            code = parse_long(p, word + 2);
        else if (options && word[0] == '-' && word[1] != 0)
            code = parse_short(p, word + 1);
        else
            p->arguments->words[p->arguments->count++] = word;
        if (code != CLI_OK || ((const cli_common *)p->values)->help) return code;
    }
    return CLI_OK;
}

/* ---- --config -------------------------------------------------------------------------------- */

/* Reads the file that --config names before the other words are understood. */
static int read_config(parser *p) {
    const char *path = NULL;
    for (int i = 0; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
        if (strncmp(p->argv[i], "--config=", 9) == 0) path = p->argv[i] + 9;
        if (strcmp(p->argv[i], "--config") == 0 && i + 1 < p->argc) path = p->argv[i + 1];
    }
    return path && path[0] ? cli_config_read(p->command->name, path, &p->arguments->config)
                           : CLI_OK;
}

/* The command line goes before; false leaves a switch of the tool as it is. */
static int apply_setting(parser *p, const cli_setting *s, bool words) {
    if (strcmp(s->key, "arguments") == 0) {
        if (!words) p->arguments->words[p->arguments->count++] = s->value;
        return CLI_OK;
    }
    const cli_entry *e = cli_find_entry(&p->arguments->entries, s->key, strlen(s->key));
    if (!e || strcmp(s->key, "config") == 0) return unknown_option(p, s->key);
    if (p->arguments->given[e - p->arguments->entries.at]) return CLI_OK;
    bool yes = strcmp(s->value, "true") == 0, no = strcmp(s->value, "false") == 0;
    if (!cli_takes_value(e)) {
        if (yes || no) return yes ? set_value(p, e, "") : CLI_OK;
        return cli_usage_error(p->command->name, "%s takes true or false, not '%s'", s->key,
                               s->value);
    }
    bool whether = e->shared && cafe_option_kind(e->shared) == CAFE_OPTION_SWITCH;
    return set_value(p, e, whether && yes ? "yes" : whether && no ? "no" : s->value);
}

static int apply_config(parser *p) {
    const cli_config *config = &p->arguments->config;
    bool words = p->arguments->count > 0;
    int code = CLI_OK;
    for (int i = 0; i < config->count && code == CLI_OK; i++) {
        if (!cli_config_counts(config, &config->at[i])) continue;
        cli_log_origin(config->path, config->at[i].line);
        code = apply_setting(p, &config->at[i], words);
    }
    cli_log_origin(NULL, 0);
    return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int check_words(const parser *p) {
    const cli_command *c = p->command;
    if (((const cli_common *)p->values)->help) return CLI_OK;
    for (int i = 0; i < p->arguments->count; i++)
        if (!p->arguments->words[i][0])
            return cli_usage_error(c->name, "argument %d is empty; usage: cafe %s %s", i + 1,
                                   c->name, c->arguments);
    bool instead = c->instead && cli_given(p->arguments, c->instead);
    if (p->arguments->count < c->least && !(instead && p->arguments->count == 0))
        return cli_usage_error(c->name, "missing argument; usage: cafe %s %s", c->name,
                               c->arguments);
    if (p->arguments->count > c->most && c->single)
        return cli_usage_error(c->name, "unexpected argument '%s': %s",
                               p->arguments->words[c->most], c->single);
    if (p->arguments->count > c->most && !c->many)
        return cli_usage_error(c->name, "unexpected argument '%s'; usage: cafe %s %s",
                               p->arguments->words[c->most], c->name, c->arguments);
    return CLI_OK;
}

/* "A B VECTORS" of "GRAPH... VECTORS" becomes "A VECTORS B". */
static void place_words(const cli_command *command, cli_arguments *a) {
    if (!command->many || a->count <= command->most) return;
    a->further = a->count - command->most;
    for (int i = command->most - 1; i > 0; i--) {
        const char *last = a->words[a->count - 1];
        memmove(a->words + 2, a->words + 1, (size_t)(a->count - 2) * sizeof *a->words);
        a->words[1] = last;
    }
}

int cli_parse(const cli_command *command, int argc, char **argv, void *values,
              cli_arguments *arguments) {
    parser p = {
        .command = command, .values = values, .arguments = arguments, .argc = argc, .argv = argv};
    cafe_context_options options;
    int code = CLI_RESOURCES;
    memset(arguments, 0, sizeof *arguments);
    cafe_context_options_init(&options);
    options.threads = 1;
    arguments->words = calloc((size_t)argc + CLI_MOST_SETTINGS + 1, sizeof *arguments->words);
    if (!arguments->words || cafe_context_create(&options, &p.context) != CAFE_OK) {
        cli_tell(CLI_ERROR, command->name, code, "out of memory");
    } else {
        cafe_lab_add(p.context);
        cli_log_of(arguments, NULL);
        code = read_config(&p);
        if (code == CLI_OK) code = find_method(command, argc, argv, &arguments->config, &p.method);
        cli_merge(command, p.method, &arguments->entries);
        set_defaults(&p);
        if (code == CLI_OK) code = parse_words(&p);
        if (code == CLI_OK) code = apply_config(&p);
        if (code == CLI_OK) code = check_words(&p);
        if (code == CLI_OK) place_words(command, arguments);
    }
    cafe_context_free(p.context);
    return code;
}

void cli_arguments_free(cli_arguments *arguments) {
    cli_config_free(&arguments->config);
    free(arguments->words);
    arguments->words = NULL;
}
