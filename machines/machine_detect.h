/*
 * A machine file of a host that was looked at: caches and TLBs are its own, what cannot be seen
 * (latencies, exposed shares, units) is the most similar shipped machine's, and marked with the
 * source kind "nearest". Most similar: of the same processor model, family or vendor, then of the
 * most similar caches.
 */
#ifndef FT_MACHINES_MACHINE_DETECT_H
#define FT_MACHINES_MACHINE_DETECT_H

#include "formats/trace/capture_host.h"
#include "machines/yaml_machine.h"

struct ft_detection {
    const struct ft_capture_host *host;
    const char *processor; /* its name; "" or NULL: unknown */
    const char *source;    /* for the text of sources */
};

/* FT_ERROR_UNSUPPORTED where the host tells of no data cache; FT_ERROR_USAGE where no machine is
 * shipped to take the rest from. Give up with ft_yaml_machine_free. */
int ft_machine_detect(const struct ft_detection *detection, struct ft_yaml_machine **ret_yaml,
                      struct ft_diag *diag);

#endif
