/*
 * Edits of machines: "L2=2M", "clock=3.5", "L2.ways=16", "memory.latency_cycles=300",
 * "L3.replacement=random", "load pipes.count=3"; lists of them, "L2=2M,clock=3.5"; and from files,
 * "@FILE" or "@FILE:SET" (docs/machines.md, "Edits").
 *
 * FT_ERROR_USAGE, of what was typed, or FT_ERROR_DATA, of a file, names edit, key and value.
 */
#ifndef FT_MACHINES_MACHINE_EDIT_H
#define FT_MACHINES_MACHINE_EDIT_H

#include "machines/yaml_machine.h"

/* Where the edits begin in the text of --machine, behind a comma; NULL: nowhere. */
const char *ft_machine_edits_of(const char *machine);

/* Memory keeps its latency in seconds where the clock alone is edited. */
int ft_machine_edit(struct ft_yaml_machine *yaml, const char *edits, struct ft_diag *diag);

#endif
