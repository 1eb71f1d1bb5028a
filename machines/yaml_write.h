/*
 * A machine as a YAML file that ft_yaml_machine_read reads back the same: values one a line, the
 * sources of a section behind them.
 */
#ifndef FT_MACHINES_YAML_WRITE_H
#define FT_MACHINES_YAML_WRITE_H

#include <stdio.h>

#include "machines/yaml_machine.h"

/* head: lines of a comment, each ending in \n; or NULL. Errors of the stream are the caller's to
 * look at. */
void ft_yaml_write(FILE *stream, const char *head, const struct ft_yaml_machine *yaml);

#endif
