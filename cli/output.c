/* Output files: checked before the work, written under a temporary name, renamed at the end. */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static int refuse(const char *command, const char *path, const char *why) {
    fprintf(stderr, "cafe %s: %s: %s\n", command, path, why);
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

int cli_output_check(const char *command, const cli_common *common, const char *path) {
    struct stat info;
    if (!path || strcmp(path, "-") == 0 || is_special(path)) return CLI_OK;
    const char *problem = folder_problem(path);
    if (problem) return refuse(command, path, problem);
    if (lstat(path, &info) != 0) return CLI_OK;
    if (S_ISDIR(info.st_mode)) return refuse(command, path, "is a folder");
    if (!common->force) return refuse(command, path, "exists; -f overwrites it");
    return CLI_OK;
}

const char *cli_extension(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

static int open_temporary(cli_output *output) {
    size_t capacity = strlen(output->path) + 32;
    output->temporary = malloc(capacity);
    if (!output->temporary) return -1;
    snprintf(output->temporary, capacity, "%s.%ld.tmp", output->path, (long)getpid());
    return open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int cli_output_open(cli_run *run, const char *path, cli_output *output) {
    *output = (cli_output){.path = path};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return CLI_OK;
    }
    int descriptor = is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(output);
    if (descriptor >= 0) output->file = fdopen(descriptor, "w");
    if (output->file) return CLI_OK;
    int code = cli_error(run, CLI_FAILED, "%s: %s", path, strerror(errno));
    if (descriptor >= 0) {
        close(descriptor);
        if (output->temporary) unlink(output->temporary);
    }
    free(output->temporary);
    output->temporary = NULL;
    return code;
}

/* Renames without replacing where the file system can; a file that came up meanwhile is kept. */
static int rename_new(const char *from, const char *to) {
    int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (result == 0 || errno == EEXIST) return result;
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

static int give_name(cli_run *run, const cli_output *output) {
    int result = run->common->force ? rename(output->temporary, output->path)
                                    : rename_new(output->temporary, output->path);
    return result == 0 ? CLI_OK
                       : cli_error(run, CLI_FAILED, "%s: %s", output->path, strerror(errno));
}

int cli_output_close(cli_run *run, cli_output *output, bool keep) {
    int code = CLI_OK;
    if (output->file == stdout) return CLI_OK; /* it is flushed at the end of the run */
    if (!output->temporary) {
        if (fclose(output->file) != 0)
            code = cli_error(run, CLI_FAILED, "%s: %s", output->path, strerror(errno));
        return code;
    }
    errno = 0;
    bool failed = ferror(output->file) != 0;
    failed |= fclose(output->file) != 0;
    if (failed)
        code = cli_error(run, CLI_FAILED, "%s: %s", output->path,
                         errno ? strerror(errno) : "could not be written");
    else if (cli_signal())
        code = cli_error(run, 128 + cli_signal(), "interrupted");
    else if (keep)
        code = give_name(run, output);
    if (code != CLI_OK || !keep) unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    return code;
}

int cli_write_file(cli_run *run, const char *path, cli_put *put, const void *argument) {
    cli_output output;
    if (!path) return CLI_OK;
    int code = cli_output_open(run, path, &output);
    if (code != CLI_OK) return code;
    code = put(output.file, argument);
    int closed = cli_output_close(run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}
