/*
 * A machine as --machine names it, still value by value with its sources: a file, this host, either
 * with edits ("amd-zen5,L2=2M,clock=3.5"). ft_machine_load builds what it gives.
 *
 * Everything is owned. A machine in one line (caches=...) is none of these, and refused.
 */
#ifndef FT_MACHINES_MACHINE_FILE_H
#define FT_MACHINES_MACHINE_FILE_H

#include <stdbool.h>

#include "machines/machine.h"
#include "machines/yaml_machine.h"

struct ft_machine_file {
    char *name;    /* of the machine: "amd-zen5", "host", "amd-zen5,L2=2M" */
    char *path;    /* of errors: the file, or "host" */
    bool is_named; /* from the machines folder, by its name */
    bool is_edited;
    struct ft_yaml_file text; /* where lines are looked up */
    struct ft_yaml_machine *yaml;
};

/* What stands in front of the path of a file to make it a machine: "./" of "mine", a name else. */
const char *ft_machine_file_prefix(const char *path);

int ft_machine_file_open(const char *machine, struct ft_machine_file *ret_file,
                         struct ft_diag *diag);
/* Checks all values, and the machine as a whole. */
int ft_machine_file_build(const struct ft_machine_file *file, struct ft_machine *ret_machine,
                          struct ft_diag *diag);
void ft_machine_file_fini(struct ft_machine_file *file);

#endif
