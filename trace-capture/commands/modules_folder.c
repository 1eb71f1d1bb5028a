/*
 * Folders are only made in folders of the same user: under sudo $HOME may be that of another one,
 * who could not write to them any more.
 */
#include "trace-capture/commands/modules_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const char *folder)
{
    struct stat facts;
    return stat(folder, &facts) == 0 && facts.st_uid == geteuid();
}

/* Makes folder/name, if folder is ours, and appends it; false where there is none. */
static bool enter(char **folder, const char *name)
{
    char *inner = NULL;
    if (!*folder || !is_ours(*folder) || asprintf(&inner, "%s/%s", *folder, name) < 0)
        return false;
    mkdir(inner, S_IRWXU);
    free(*folder);
    *folder = inner;
    return is_ours(inner);
}

/* As the XDG Base Directory Specification wants it, but in a folder of ours alone. */
static void make_in_ours(const char *path)
{
    char *parent = strdup(path);
    char *last = parent ? strrchr(parent, '/') : NULL;
    if (last) {
        last[last == parent] = '\0';
        if (is_ours(parent))
            mkdir(path, S_IRWXU);
    }
    free(parent);
}

char *ft_modules_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool is_given = cache && *cache == '/';
    if (!is_given && (!home || *home != '/'))
        return NULL;
    if (is_given)
        make_in_ours(cache);
    char *folder = strdup(is_given ? cache : home);
    if ((!is_given && !enter(&folder, ".cache")) || !enter(&folder, "foretrace") ||
        !enter(&folder, "modules")) {
        free(folder);
        return NULL;
    }
    return folder;
}
