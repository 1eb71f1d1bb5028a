#include "formats/base/remove_tree.h"

#include <ftw.h>
#include <stdio.h>

#define FOLDERS_OPEN 16

static int remove_entry(const char *path, const struct stat *there, int type, struct FTW *level)
{
    (void)there;
    (void)type;
    (void)level;
    (void)remove(path); /* what cannot be removed stays */
    return 0;
}

void ft_remove_tree(const char *folder)
{
    (void)nftw(folder, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}
