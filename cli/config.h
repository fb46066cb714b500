/* --config: options and arguments of a command from a file. */
#ifndef CAFE_CLI_CONFIG_H
#define CAFE_CLI_CONFIG_H

#include <stdbool.h>

/* A value as the command line would have it; "true" and "false" stand for a switch. */
typedef struct cli_setting {
    char *key, *value;
    int line;
    bool own; /* from a table of the command, not from above all tables */
} cli_setting;

enum { CLI_MOST_SETTINGS = 256 };

typedef struct cli_config {
    const char *path;
    cli_setting at[CLI_MOST_SETTINGS];
    int count;
} cli_config;

/* Reads the file into the config, which is empty. It is TOML with strings, numbers, switches, lists
 * and tables that are called as commands, or the report of an earlier run of the command. A list is
 * one setting a member. Returns an exit code; a message names file and line. */
int cli_config_read(const char *command, const char *path, cli_config *config);
void cli_config_free(cli_config *config);

/* Does a setting count? One from above all tables does not if the command's own table has its key.
 */
bool cli_config_counts(const cli_config *config, const cli_setting *setting);

#endif
