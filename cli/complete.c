/* Completion for bash, zsh and fish, from the same merged list as --help. It has the words that a
 * command takes, and what follows each option: a file, one of some words, or a text.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* ---- what the three have in common ----------------------------------------------------------- */

typedef void (*put_entry)(const cli_command *command, const cli_entry *entry);

/* Methods may have options of the same name: they come once. */
static bool is_first(const cli_entries *entries, size_t i) {
    const char *name = entries->at[i].name;
    return cli_find_entry(entries, name, strlen(name)) == &entries->at[i];
}

static void each_entry(const cli_command *command, put_entry put) {
    static cli_entries entries;
    cli_merge(command, NULL, &entries);
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.at[i].tuned && is_first(&entries, i)) put(command, &entries.at[i]);
}

static void each_command(void (*put)(const cli_command *command)) {
    for (size_t i = 0; cli_task_at(i); i++) put(cli_task_at(i));
}

/* The words that may follow an option, divided by spaces; "": any text. The choices of a file are
 * its endings, no words. */
static void put_choices(const cli_entry *e) {
    const char *choices = e->own ? cli_choices(e->own) : e->shared->choices;
    if (cli_takes_file(e)) return;
    if (e->shared && cafe_option_kind(e->shared) == CAFE_OPTION_SWITCH) choices = "yes|no";
    for (const char *at = choices; at && *at; at++) putchar(*at == '|' ? ' ' : *at);
}

static bool has_choices(const cli_entry *e) {
    if (cli_takes_file(e)) return false;
    return e->own ? cli_choices(e->own) != NULL
                  : e->shared->choices != NULL || cafe_option_kind(e->shared) == CAFE_OPTION_SWITCH;
}

/* Text inside of quotes ', with a backslash before each of `special`. */
static void put_quoted(const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

static void put_words(const cli_command *const *commands) {
    for (size_t i = 0; commands[i]; i++) {
        const char *word = strrchr(commands[i]->name, ' ');
        printf("%s%s", i ? " " : "", word ? word + 1 : commands[i]->name);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void put_bash_name(const cli_command *command, const cli_entry *e) {
    (void)command;
    printf(" --%s", e->name);
}

static void put_bash_options(const cli_command *command) {
    printf("        '%s') echo '", command->name);
    each_entry(command, put_bash_name);
    printf("' ;;\n");
}

/* What follows an option: its words, or nothing where any text may; files are left to bash. */
static void put_bash_value(const cli_command *command, const cli_entry *e) {
    if (!cli_takes_value(e) || cli_takes_file(e)) return;
    printf("        '%s --%s'", command->name, e->name);
    if (e->letter) printf(" | '%s -%c'", command->name, e->letter);
    printf(") echo '=");
    put_choices(e);
    printf("' ;;\n");
}

static void put_bash_values(const cli_command *command) {
    each_entry(command, put_bash_value);
}

static void put_bash_tasks(void) {
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!cli_commands[i]->tasks) continue;
        printf("        '%s') echo '", cli_commands[i]->name);
        put_words(cli_commands[i]->tasks);
        printf("' ;;\n");
    }
}

static void put_bash(void) {
    printf("# bash completion for cafe, made by 'cafe help --completion bash'\n");
    printf("_cafe_options() {\n    case $1 in\n");
    each_command(put_bash_options);
    printf("    esac\n}\n_cafe_values() {\n    case $1 in\n");
    each_command(put_bash_values);
    printf("    esac\n}\n_cafe_tasks() {\n    case $1 in\n");
    put_bash_tasks();
    printf("        help) echo '");
    put_words(cli_commands);
    printf("' ;;\n    esac\n}\n");
    printf(
        "_cafe() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local command=${COMP_WORDS[1]} tasks values words=\n"
        "    COMPREPLY=()\n"
        "    tasks=$(_cafe_tasks \"$command\")\n"
        "    if ((COMP_CWORD > 2)) && [[ $tasks && $command != help ]]; then\n"
        "        command+=\" ${COMP_WORDS[2]}\"\n"
        "    fi\n"
        "    values=$(_cafe_values \"$command $before\")\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        words='");
    put_words(cli_commands);
    printf(
        "'\n"
        "    elif ((COMP_CWORD == 2)) && [[ $tasks && $word != -* ]]; then\n"
        "        words=$tasks\n"
        "    elif [[ $values ]]; then\n"
        "        words=${values#=}\n"
        "        [[ $words ]] || return 0\n"
        "    elif [[ $word == -* ]]; then\n"
        "        words=$(_cafe_options \"$command\")\n"
        "    else\n"
        "        compopt -o default 2>/dev/null\n"
        "        return 0\n"
        "    fi\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "}\n"
        "complete -F _cafe cafe\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void put_zsh_value(const cli_entry *e) {
    if (!cli_takes_value(e)) return;
    putchar(':');
    put_quoted(e->placeholder, ":\\");
    if (cli_takes_file(e)) {
        fputs(":_files", stdout);
    } else if (has_choices(e)) {
        fputs(":(", stdout);
        put_choices(e);
        putchar(')');
    } else {
        fputs(": ", stdout);
    }
}

/* '(-o --output)'{-o,--output}'[help]:FILE:_files' */
static void put_zsh_option(const cli_command *command, const cli_entry *e) {
    (void)command;
    printf(" \\\n                ");
    if (e->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", e->letter, e->name, e->letter, e->name);
    else
        printf("'--%s[", e->name);
    put_quoted(cli_entry_help(e), "[]\\");
    putchar(']');
    put_zsh_value(e);
    putchar('\'');
}

static void put_zsh_command(const cli_command *command) {
    printf("        '%s')\n            _arguments", command->name);
    each_entry(command, put_zsh_option);
    printf(" \\\n                '*:FILE:_files' ;;\n");
}

static void put_zsh_list(const cli_command *const *commands, const char *indent) {
    for (size_t i = 0; commands[i]; i++) {
        const char *word = strrchr(commands[i]->name, ' ');
        printf("%s'%s:", indent, word ? word + 1 : commands[i]->name);
        put_quoted(commands[i]->summary, ":\\");
        printf("'\n");
    }
}

static void put_zsh_tasks(void) {
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!cli_commands[i]->tasks) continue;
        printf("        '%s') tasks=(\n", cli_commands[i]->name);
        put_zsh_list(cli_commands[i]->tasks, "            ");
        printf("        ) ;;\n");
    }
}

static void put_zsh(void) {
    printf("#compdef cafe\n# zsh completion for cafe, made by 'cafe help --completion zsh'\n");
    printf("_cafe() {\n    local -a commands tasks\n    local command=$words[2]\n    commands=(\n");
    put_zsh_list(cli_commands, "        ");
    printf(
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    case $command in\n");
    put_zsh_tasks();
    printf(
        "        help) tasks=($commands) ;;\n"
        "    esac\n"
        "    if (( CURRENT == 3 && $#tasks )); then\n"
        "        _describe task tasks\n"
        "        return\n"
        "    fi\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    if (( $#tasks )) && [[ $command != help ]]; then\n"
        "        command+=\" $words[2]\"\n"
        "        shift words\n"
        "        (( CURRENT-- ))\n"
        "    fi\n"
        "    case $command in\n");
    each_command(put_zsh_command);
    printf("    esac\n}\n_cafe \"$@\"\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* The words of a command's name, each to be seen on the line. */
static void put_fish_condition(const char *name) {
    int length = (int)strcspn(name, " ");
    printf(" -n '__fish_seen_subcommand_from %.*s", length, name);
    if (name[length]) printf("; and __fish_seen_subcommand_from %s", name + length + 1);
    putchar('\'');
}

static void put_fish_option(const cli_command *command, const cli_entry *e) {
    printf("complete -c cafe");
    put_fish_condition(command->name);
    printf(" -l %s", e->name);
    if (e->letter) printf(" -s %c", e->letter);
    if (cli_takes_file(e))
        printf(" -rF");
    else if (cli_takes_value(e))
        printf(" -x");
    if (has_choices(e)) {
        printf(" -a '");
        put_choices(e);
        putchar('\'');
    }
    printf(" -d '");
    put_quoted(cli_entry_help(e), "\\");
    printf("'\n");
}

static void put_fish_command(const cli_command *command) {
    each_entry(command, put_fish_option);
}

static void put_fish_words(const cli_command *const *commands, const char *condition) {
    for (size_t i = 0; commands[i]; i++) {
        const char *word = strrchr(commands[i]->name, ' ');
        printf("complete -c cafe -f -n '%s' -a %s -d '", condition,
               word ? word + 1 : commands[i]->name);
        put_quoted(commands[i]->summary, "\\");
        printf("'\n");
    }
}

static void put_fish(void) {
    printf("# fish completion for cafe, made by 'cafe help --completion fish'\n");
    put_fish_words(cli_commands, "__fish_use_subcommand");
    for (size_t i = 0; cli_commands[i]; i++) {
        char *condition = NULL;
        if (!cli_commands[i]->tasks) continue;
        if (asprintf(&condition, "__fish_seen_subcommand_from %s", cli_commands[i]->name) < 0)
            return;
        put_fish_words(cli_commands[i]->tasks, condition);
        free(condition);
    }
    each_command(put_fish_command);
}

void cli_print_completion(cli_shell shell) {
    static void (*const put[])(void) = {
        [CLI_BASH] = put_bash, [CLI_ZSH] = put_zsh, [CLI_FISH] = put_fish};
    put[shell]();
}
