/*
 * The folder of machine files: $FORETRACE_MACHINES, or the first of <folder of the
 * program>/machines, <that>/../share/foretrace/machines and the configured one that exists.
 */
#ifndef FT_MACHINES_MACHINE_FOLDER_H
#define FT_MACHINES_MACHINE_FOLDER_H

#include <limits.h>
#include <stddef.h>

#include "formats/base/status.h"

void ft_machine_folder(char ret_path[PATH_MAX]);

/* Of the file of a name in the folder, whether there is one or not. */
#define FT_MACHINE_PATH (PATH_MAX + 256)
void ft_machine_path(const char *name, char ret_path[FT_MACHINE_PATH]);

struct ft_machine_names {
    char **items; /* sorted, without ".yaml"; owned */
    size_t count;
};
int ft_machine_names_list(struct ft_machine_names *ret_names, struct ft_diag *diag);
void ft_machine_names_fini(struct ft_machine_names *names);

/* FT_ERROR_USAGE: no such machine; suggests the most similar name, and lists all. */
int ft_machine_fail_unknown(const char *name, struct ft_diag *diag);

#endif
