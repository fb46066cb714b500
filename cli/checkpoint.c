/* --checkpoint: said, checked, reported. The library does the rest. */
#include "checkpoint.h"

#include <inttypes.h>

int cli_checkpoint_check(const char *command, const cli_checkpoint *checkpoint,
                         const cli_arguments *arguments) {
    if (checkpoint->path || !cli_given(arguments, "every")) return CLI_OK;
    return cli_usage_error(command, "--every needs --checkpoint FILE");
}

/* "after sweep 7", with the end that it is of where there are two. */
static const char *after_text(const cafe_checkpoint_info *info, char text[64]) {
    snprintf(text, 64, "after sweep %" PRId64 "%s", info->sweeps,
             info->ends > 1 ? " of the bottom end" : "");
    return text;
}

int cli_checkpoint_begin(cli_run *run, const cli_checkpoint *checkpoint, cafe_run *of) {
    char text[64];
    if (!checkpoint->path) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_run_checkpoint(of, checkpoint->path, checkpoint->every)));
    const cafe_checkpoint_info *info = cafe_run_get(of)->checkpoint;
    if (info->ends > 0)
        cli_say(run, "resumes   %s, from %s", after_text(info, text), checkpoint->path);
    return CLI_OK;
}

int cli_checkpoint_left(const cli_run *run, cafe_run *of, int code) {
    char text[64];
    const cafe_checkpoint_info *info = cafe_run_get(of)->checkpoint;
    if (code != CLI_OK && info && info->saved > 0)
        cli_say(run, "%s: the same command goes on %s", info->path, after_text(info, text));
    return code;
}
