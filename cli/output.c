/* Output files: checked before the work, then streams over the library's writer. */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cafe-private/inputs.h>
#include <cafe-private/output.h>

#include "command.h"
#include "os/os.h"
#include "tell.h"

static int refuse(const char *command, const char *path, const char *why) {
    cli_tell(CLI_ERROR, command, CLI_FAILED, "%s: %s", path, why);
    return CLI_FAILED;
}

/* NULL when files can be made in the folder of `path`, else why not. */
static const char *folder_problem(const char *path) {
    struct stat info;
    const char *slash = strrchr(path, '/'), *problem = NULL;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder) return "out of memory";
    if (stat(folder, &info) != 0)
        problem = "its folder does not exist";
    else if (!S_ISDIR(info.st_mode))
        problem = "its folder is not a folder";
    else if (access(folder, W_OK | X_OK) != 0)
        problem = "its folder cannot be written to";
    free(folder);
    return problem;
}

/* A device or a pipe is written to as it is: there is nothing to keep, and no file may take its
 * place. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Does FILE.names.txt belong to a file of this name? */
static bool has_names_beside(const char *path) {
    const cafe_file_format *graph = cafe_file_format_of(CAFE_FILE_GRAPH, path, 1);
    const cafe_file_format *vectors = cafe_file_format_of(CAFE_FILE_VECTORS, path, 1);
    return (graph && graph->beside) || (vectors && vectors->beside);
}

/* Names of an earlier run beside the file would be those of other nodes. */
static int check_old_names(const char *command, const char *path) {
    char *beside = NULL;
    struct stat info;
    if (!has_names_beside(path)) return CLI_OK;
    if (asprintf(&beside, "%s.names.txt", path) < 0) return refuse(command, path, "out of memory");
    int code = lstat(beside, &info) == 0
                   ? refuse(command, beside,
                            "exists, and is the list of names of what would be written; -f "
                            "overwrites or removes it")
                   : CLI_OK;
    free(beside);
    return code;
}

int cli_output_check(const char *command, const cli_common *common, const char *path) {
    struct stat info;
    if (!path || strcmp(path, "-") == 0 || is_special(path)) return CLI_OK;
    const char *problem = folder_problem(path);
    if (problem) return refuse(command, path, problem);
    if (lstat(path, &info) != 0) {
        if (errno != ENOENT) return refuse(command, path, strerror(errno));
        return common->force ? CLI_OK : check_old_names(command, path);
    }
    if (S_ISDIR(info.st_mode)) return refuse(command, path, "is a folder");
    if (!common->force) return refuse(command, path, "exists; -f overwrites it");
    return CLI_OK;
}

bool cli_is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

bool cli_ends_in(const char *path, const char *ending) {
    return strcasecmp(cli_extension(path), ending) == 0;
}

const char *cli_extension(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

int cli_check_names_file(cli_run *run, const char *path) {
    char *beside = NULL;
    if (!path || !cli_ends_in(path, ".npy")) return CLI_OK;
    if (asprintf(&beside, "%s.names.txt", path) < 0)
        return cli_error(run, CLI_RESOURCES, "out of memory");
    int code = cli_output_check(run->command, &run->common, beside);
    free(beside);
    return code;
}

/* ---- files that options name ----------------------------------------------------------------- */

/* The value of option i of the list when it is of the kind and was given, else NULL. */
static const char *file_of(const cli_run *run, size_t i, cli_kind kind) {
    const cli_option *own = run->arguments->entries.at[i].own;
    if (!own || own->kind != kind || !run->arguments->given[i]) return NULL;
    return *(const char *const *)((const char *)run + own->offset);
}

/* The ending, and what stands before a .gz behind text: both come from the name. */
static const char *packed_extension(const char *path, size_t *length) {
    static const char text[] =
        " .txt .edges .tsv .csv .ncol .mtx .graph .metis .graphml .gml .gexf .json ";
    const char *last = cli_is_standard(path) ? "-" : cli_extension(path), *dot = last;
    *length = strlen(last);
    if (strcasecmp(last, ".gz") != 0) return last;
    while (dot > path && *--dot != '.' && *dot != '/') continue;
    char inner[16];
    int written = snprintf(inner, sizeof inner, " %.*s ", (int)(last - dot), dot);
    if (written >= (int)sizeof inner || !strcasestr(text, inner)) return last;
    *length = (size_t)(last - dot);
    return dot;
}

/* Whether the ending is that of a format which is no table: nothing may be written under it as one.
 */
static bool is_of_no_table(const char *path, const char *extension, size_t length) {
    static const char others[] = " .npz .html .htm .svg .png .nwk ",
                      texts[] = " .txt .edges .tsv .csv .ncol ";
    char inner[16];
    int written = snprintf(inner, sizeof inner, " %.*s ", (int)length, extension);
    if (written >= (int)sizeof inner || strcasestr(texts, inner)) return false;
    return strcasestr(others, inner) || cafe_file_format_of(CAFE_FILE_GRAPH, path, 1) ||
           cafe_file_format_of(CAFE_FILE_VECTORS, path, 1);
}

int cli_check_ending(const char *command, const char *path, const char *endings) {
    size_t length, listed;
    const char *extension = packed_extension(path, &length);
    endings += strspn(endings, " ");
    for (const char *at = endings; *at; at += strspn(at, " ")) {
        size_t this = strcspn(at, " ");
        if (this == length && strncasecmp(at, extension, length) == 0) return CLI_OK;
        if (*at == '*' && !is_of_no_table(path, extension, length)) return CLI_OK;
        at += this;
    }
    listed = strcspn(endings, "*-");
    while (listed > 0 && endings[listed - 1] == ' ') listed--;
    return cli_usage_error(command, "%s: the ending tells the format; here it can be %.*s", path,
                           (int)listed, endings);
}

/* One of the options "output|json|dry-run" is given, else: "give -o FILE, --json FILE or ...". */
static int check_needed(const cli_run *run, const char *needs) {
    char text[256] = "", option[64];
    while (needs && *needs) {
        size_t length = strcspn(needs, "|"), used = strlen(text);
        const cli_entry *e = cli_find_entry(&run->arguments->entries, needs, length);
        needs += length + (needs[length] == '|');
        if (!e) continue;
        if (run->arguments->given[e - run->arguments->entries.at]) return CLI_OK;
        if (e->letter)
            snprintf(option, sizeof option, "-%c", e->letter);
        else
            snprintf(option, sizeof option, "--%s", e->name);
        snprintf(text + used, sizeof text - used, "%s%s%s%s",
                 used == 0 ? ""
                 : *needs  ? ", "
                           : " or ",
                 option, e->placeholder ? " " : "", e->placeholder ? e->placeholder : "");
    }
    return text[0] ? cli_usage_error(run->command, "no output: give %s", text) : CLI_OK;
}

int cli_reads_standard(const cli_run *run, int words) {
    int standard = 0;
    for (int i = 0; i < words; i++) standard += cli_is_standard(run->words[i]);
    for (size_t i = 0; i < run->arguments->entries.count; i++)
        standard += cli_is_standard(file_of(run, i, CLI_READS));
    return standard;
}

static int check_inputs(const cli_run *run, int words) {
    if (cli_reads_standard(run, words) <= 1) return CLI_OK;
    return cli_usage_error(run->command, "only one of the inputs can be standard input");
}

/* Are these one file, whatever way is written there? It may be still to be made. */
static bool is_same(const char *a, const char *b) {
    struct stat first, second;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(a, b) == 0) return true;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino &&
               S_ISREG(first.st_mode);
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) return false;
    char *folder_a = slash_a ? strndup(a, (size_t)(slash_a - a) + 1) : strdup(".");
    char *folder_b = slash_b ? strndup(b, (size_t)(slash_b - b) + 1) : strdup(".");
    bool same = folder_a && folder_b && stat(folder_a, &first) == 0 &&
                stat(folder_b, &second) == 0 && first.st_dev == second.st_dev &&
                first.st_ino == second.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

/* Is it the file that the output goes to, or the file of names beside that? */
static bool is_written(const char *output, const char *other) {
    char *beside = NULL;
    if (cli_is_standard(output) || cli_is_standard(other)) return strcmp(output, other) == 0;
    if (is_same(output, other)) return true;
    if (asprintf(&beside, "%s.names.txt", output) < 0) return false;
    bool same = cli_ends_in(output, ".npy") && is_same(beside, other);
    free(beside);
    return same;
}

/* "output:from" is in the list of the command. */
static bool may_replace(const cli_command *command, const char *output, const char *input) {
    char pair[96];
    int length = snprintf(pair, sizeof pair, "%s:%s", output, input);
    for (const char *at = command->in_place; at && *at; at += strspn(at, " ")) {
        size_t this = strcspn(at, " ");
        if (this == (size_t)length && strncmp(at, pair, this) == 0) return true;
        at += this;
    }
    return false;
}

static int refuse_input(const cli_run *run, const cli_command *command, const char *output,
                        const char *path, const char *input, const char *read) {
    if (!read || cli_is_standard(read) || is_special(read) || !is_written(path, read))
        return CLI_OK;
    if (may_replace(command, output, input)) return CLI_OK;
    return cli_usage_error(run->command, "%s: the output would replace a file that is read", path);
}

int cli_check_in_place(const cli_run *run, const cli_command *command, const char *output,
                       const char *path) {
    const cli_entries *entries = &run->arguments->entries;
    for (int i = 0; i < run->arguments->count; i++) {
        char number[16];
        if (i >= command->inputs && i < command->most) continue;
        snprintf(number, sizeof number, "%d", i + 1);
        CLI_TRY(refuse_input(run, command, output, path, number, run->words[i]));
    }
    for (size_t i = 0; i < entries->count; i++) {
        const char *read = file_of(run, i, CLI_READS);
        if (read) CLI_TRY(refuse_input(run, command, output, path, entries->at[i].name, read));
    }
    return CLI_OK;
}

/* The file that option i writes, at the end or from time to time. */
static const char *written_by(const cli_run *run, size_t i) {
    const char *path = file_of(run, i, CLI_WRITES);
    return path ? path : file_of(run, i, CLI_KEEPS);
}

static int check_outputs(const cli_run *run, const cli_command *command) {
    const cli_entry *e = run->arguments->entries.at;
    for (size_t i = 0; i < run->arguments->entries.count; i++) {
        const char *path = written_by(run, i), *other;
        if (!path) continue;
        if (e[i].own->kind == CLI_KEEPS && cli_is_standard(path))
            return cli_usage_error(run->command, "--%s needs the name of a file", e[i].name);
        if (e[i].own->choices) CLI_TRY(cli_check_ending(run->command, path, e[i].own->choices));
        for (size_t j = 0; j < i; j++)
            if ((other = written_by(run, j)) &&
                (is_written(path, other) || is_written(other, path)))
                return cli_usage_error(run->command, "--%s and --%s cannot both go to %s",
                                       e[j].name, e[i].name,
                                       cli_is_standard(path) ? "standard output" : path);
        CLI_TRY(cli_check_in_place(run, command, e[i].name, path));
    }
    return CLI_OK;
}

/* --label without a file of labels names an attribute of the graph. */
static bool labels_by_attribute(cli_run *run) {
    const cli_entry *e = cli_find_entry(&run->arguments->entries, "labels", strlen("labels"));
    if (!e || !e->own || e->own->kind != CLI_READS || !cli_given(run->arguments, "label"))
        return false;
    *(const char **)((char *)run + e->own->offset) = run->common.label_columns.label;
    run->common.label_columns.label = NULL;
    return true;
}

int cli_check_files(cli_run *run, const cli_command *command) {
    CLI_TRY(check_needed(run, command->needs));
    CLI_TRY(check_inputs(run, command->inputs));
    CLI_TRY(check_outputs(run, command));
    if (!cli_given(run->arguments, "labels") && !cli_given(run->arguments, "communities"))
        CLI_TRY(
            cli_only_with(run->command, run->arguments,
                          labels_by_attribute(run) ? "unknown-nodes|id" : "unknown-nodes|id|label",
                          "a file of labels"));
    if (command->check) CLI_TRY(command->check(run));
    for (size_t i = 0; i < run->arguments->entries.count; i++)
        CLI_TRY(cli_output_check(run->command, &run->common, file_of(run, i, CLI_WRITES)));
    return CLI_OK;
}

int cli_try_output(cli_run *run, const char *path) {
    cafe_output *output = NULL;
    if (!path || cli_is_standard(path) || is_special(path)) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_output_create(run->context, path, run->common.force, &output)));
    cafe_output_discard(output);
    return CLI_OK;
}

int cli_try_outputs(cli_run *run) {
    for (size_t i = 0; i < run->arguments->entries.count; i++)
        CLI_TRY(cli_try_output(run, file_of(run, i, CLI_WRITES)));
    return CLI_OK;
}

void cli_say_written(const cli_run *run) {
    char *list = strdup("");
    for (size_t i = 0; list && i < run->arguments->entries.count; i++) {
        const char *path = file_of(run, i, CLI_WRITES);
        char *longer = NULL;
        if (!path || cli_is_standard(path)) continue;
        if (asprintf(&longer, "%s%s%s", list, list[0] ? ", " : "", path) < 0) longer = NULL;
        free(list);
        list = longer;
    }
    if (list && list[0]) cli_say(run, "written   %s", list);
    free(list);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A file written under a temporary name; its target is NULL for standard output, but a terminal is
 * the library's to write to: it shows what is no text. */
typedef struct cli_output {
    FILE *file;
    cafe_output *target;
    bool commas, quoted; /* the tabs of tables become commas in a .csv file, but within quotes */
} cli_output;

static bool write_commas(cli_output *output, const char *bytes, size_t size) {
    char text[4096];
    for (size_t at = 0; at < size;) {
        size_t count = size - at < sizeof text ? size - at : sizeof text;
        for (size_t i = 0; i < count; i++) {
            char c = bytes[at + i];
            output->quoted ^= c == '"';
            text[i] = c == '\t' && !output->quoted ? ',' : c;
        }
        if (cafe_output_write(output->target, text, (int64_t)count) != CAFE_OK) return false;
        at += count;
    }
    return true;
}

static ssize_t pass_on(void *cookie, const char *bytes, size_t size) {
    cli_output *output = cookie;
    bool fine = output->commas ? write_commas(output, bytes, size)
                               : cafe_output_write(output->target, bytes, (int64_t)size) == CAFE_OK;
    return fine ? (ssize_t)size : 0;
}

static int open_output(cli_run *run, const char *path, cli_output *output) {
    *output = (cli_output){.file = stdout};
    if (cli_is_standard(path) && !isatty(STDOUT_FILENO)) return CLI_OK;
    CLI_TRY(
        cli_check(run, cafe_output_create(run->context, path, run->common.force, &output->target)));
    size_t length;
    const char *ending = packed_extension(path, &length);
    output->commas = length == 4 && strncasecmp(ending, ".csv", 4) == 0;
    output->file = fopencookie(output, "w", (cookie_io_functions_t){.write = pass_on});
    if (output->file) return CLI_OK;
    cafe_output_discard(output->target);
    return cli_error(run, CLI_RESOURCES, "out of memory");
}

/* With `keep` the file gets its name, else (and when a write failed or a signal came) it goes. */
static int close_output(cli_run *run, cli_output *output, bool keep) {
    if (!output->target) return CLI_OK; /* standard output is flushed at the end of the run */
    bool failed = ferror(output->file) != 0;
    failed |= fclose(output->file) != 0;
    bool lost = cli_text_lost(run);
    if (keep && !failed && !lost) return cli_check(run, cafe_output_commit(&output->target));
    cafe_output_discard(output->target);
    if (lost) return cli_error(run, CLI_RESOURCES, "out of memory: names");
    return failed ? cli_check(run, CAFE_ERROR_IO) : CLI_OK;
}

void cli_put_heading(FILE *file, const cli_run *run, const char *line) {
    if (!run->common.no_heading) fprintf(file, "%s\n", line);
}

int cli_write_file(cli_run *run, const char *path, cli_put *put, const void *argument) {
    cli_output output;
    if (!path) return CLI_OK;
    CLI_TRY(open_output(run, path, &output));
    bool shown = cli_is_standard(path);
    if (shown) cli_progress_hide(run->bar);
    int code = put(output.file, argument);
    if (shown) {
        if (output.file == stdout)
            cli_flush_output();
        else
            fflush(output.file);
        cli_progress_show(run->bar);
    }
    int closed = close_output(run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

int cli_write_result(cli_run *run, cli_put *put, const void *argument) {
    const char *output = run->common.output;
    if (!output && cli_is_standard(run->common.json)) return CLI_OK;
    return cli_write_file(run, output ? output : "-", put, argument);
}
