/*
 * The hardware of a host as its hwloc topology tells it ("lstopo topology.xml", any version):
 * caches and who shares them, the processor's vendor, family and model. hwloc knows no TLBs and no
 * clocks.
 */
#ifndef FT_MACHINES_HOST_HWLOC_TOPOLOGY_H
#define FT_MACHINES_HOST_HWLOC_TOPOLOGY_H

#include "formats/trace/capture_host.h"

/* *ret_processor: its name, or ""; the caller frees it. FT_ERROR_DATA: is no such file. Changes
 * environment variables of hwloc's: not thread safe. */
int ft_hwloc_topology_read(const char *path, struct ft_capture_host *ret_host, char **ret_processor,
                           struct ft_diag *diag);

#endif
