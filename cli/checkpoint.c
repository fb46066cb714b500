/* --checkpoint: said, checked, reported. The library does the rest. */
#include "checkpoint.h"

#include <inttypes.h>

#include "command.h"

int cli_checkpoint_check(const char *command, const cli_checkpoint *checkpoint,
                         const cli_arguments *arguments) {
    if (checkpoint->path || !cli_given(arguments, "every")) return CLI_OK;
    return cli_usage_error(command, "--every needs --checkpoint FILE");
}

static cafe_checkpoint_info info_of(const cli_run *run) {
    cafe_checkpoint_info info;
    cafe_checkpoint_get(run->context, &info);
    return info;
}

/* "after sweep 7", with the end that it is of where there are two. */
static const char *after_text(const cafe_checkpoint_info *info, char text[64]) {
    snprintf(text, 64, "after sweep %" PRId64 "%s", info->sweeps,
             info->ends > 1 ? " of the bottom end" : "");
    return text;
}

int cli_checkpoint_begin(cli_run *run, const cli_checkpoint *checkpoint) {
    char text[64];
    if (!checkpoint->path) return CLI_OK;
    CLI_TRY(
        cli_check(run, cafe_checkpoint_keep(run->context, checkpoint->path, checkpoint->every)));
    cafe_checkpoint_info info = info_of(run);
    if (info.ends > 0)
        cli_say(run, "resumes   %s, from %s", after_text(&info, text), checkpoint->path);
    return CLI_OK;
}

int cli_checkpoint_left(const cli_run *run, int code) {
    char text[64];
    cafe_checkpoint_info info = info_of(run);
    if (code != CLI_OK && info.saved > 0)
        cli_say(run, "%s: the same command goes on %s", info.path, after_text(&info, text));
    return code;
}

int cli_checkpoint_end(cli_run *run) {
    return cli_check(run, cafe_checkpoint_remove(run->context));
}
