/*
 * The machine of the machines folder that is most similar to a host (machine_detect.h).
 */
#ifndef FT_MACHINES_NEAREST_MACHINE_H
#define FT_MACHINES_NEAREST_MACHINE_H

#include "formats/trace/capture_host.h"
#include "machines/yaml_machine.h"

/* Files that cannot be read are skipped. FT_ERROR_USAGE: the folder has none. *ret_name is freed by
 * the caller, *ret_yaml given up with ft_yaml_machine_free. */
int ft_nearest_machine(const struct ft_capture_host *host, char **ret_name,
                       struct ft_yaml_machine **ret_yaml, struct ft_diag *diag);

/* The data or unified cache of a level (1 is the nearest) that the first processor uses; or its
 * instruction cache. NULL: there is none. */
const struct ft_host_cache *ft_host_cache_at(const struct ft_capture_host *host, unsigned level,
                                             bool instructions);

#endif
