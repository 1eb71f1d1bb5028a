/*
 * Which core file (machines/cores/NAME.yaml) is for a processor, and where it is.
 */
#ifndef FT_MACHINES_CORE_FILE_NAME_H
#define FT_MACHINES_CORE_FILE_NAME_H

#include <stddef.h>

#include "machines/machine_folder.h"

/* The core file for one of some processors, each "VENDOR FAMILY" or "VENDOR FAMILY MODEL": by
 * model, or else by family. malloc'ed; NULL where there is none. */
char *ft_core_file_name_of(char *const *processors, size_t processor_count);

/* Of the file of a name, whether there is one or not. */
void ft_core_file_path(const char *name, char ret_path[FT_MACHINE_PATH]);

#endif
