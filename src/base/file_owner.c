/* Who may change a file: owner, group and mode against root, the user and a trusted user.
 *
 * A group with the same number as the owner is the private group of that user. Debian and Fedora
 * give every user such a group, and a umask of 002, with which the group may write the user's
 * files.
 */
#include "base/file_owner.h"

#include "os/os.h"

const char *cafe_others_may_write(const struct stat *about, uid_t trusted, bool above) {
    uid_t owner = about->st_uid;
    bool sticky = above && about->st_mode & S_ISVTX;
    bool shared = about->st_gid != 0 && about->st_gid != owner;
    if (owner != 0 && owner != geteuid() && owner != trusted) return "another user owns";
    if (about->st_mode & S_IWOTH && !sticky) return "everybody may write";
    return about->st_mode & S_IWGRP && shared && !sticky ? "its group may write" : NULL;
}
