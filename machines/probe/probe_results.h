/*
 * What points of a probe say of a machine: each value that they tell is put into its file, with the
 * source "measured" and how well repeats agree; what they cannot tell stays as it was, and is said
 * in a note. Deterministic: the same points give the same file.
 */
#ifndef FT_MACHINES_PROBE_PROBE_RESULTS_H
#define FT_MACHINES_PROBE_PROBE_RESULTS_H

#include "machines/probe/probe_notes.h"
#include "machines/probe/probe_points.h"
#include "machines/yaml_machine.h"

/* yaml: a machine that was detected; its caches and TLBs are looked for in the curves. */
int ft_probe_apply(const struct ft_probe *probe, struct ft_yaml_machine *yaml,
                   struct ft_probe_notes *ret_notes, struct ft_diag *diag);

#endif
