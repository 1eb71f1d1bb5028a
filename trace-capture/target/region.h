/*
 * Memory that host and target share. The target is made to create a memfd, which the host opens
 * through /proc/PID/fd, so that no descriptor is inherited and none stays open.
 *
 * Each thread has a region (context.h): its context, the tables of the process, its log buffer.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_REGION_H
#define FT_TRACE_CAPTURE_TARGET_REGION_H

#include "trace-capture/target/context.h"
#include "trace-capture/target/memory_map.h"
#include "trace-capture/target/target.h"

/* Makes `bytes` of memory shared between host and target, in the target at `address` (0: the
 * kernel chooses). The target must be in a ptrace stop outside of system calls. */
int ft_memory_share(struct ft_target *target, uint64_t address, size_t bytes, int protection,
                    uint64_t *ret_address, uint8_t **ret_host, struct ft_diag *diag);

/* Whether a mapping of the target is such memory. */
bool ft_memory_is_shared(const struct ft_mapping *mapping);

struct ft_region {
    uint8_t *host;    /* `bytes`; only the tables of a process's first region are used */
    uint64_t address; /* of the same memory in the target */
    size_t bytes;     /* FT_REGION_BYTES, plus counters if edges are counted */
};

/* Makes a region of `bytes` for the target's thread, at `address` (0: anywhere). `first`: the
 * process's first region, whose tables it shares; NULL if this is the first. */
int ft_region_create(struct ft_target *target, uint64_t address, size_t bytes,
                     const struct ft_region *first, struct ft_region *ret_region,
                     struct ft_diag *diag);
void ft_region_fini(struct ft_region *region);

static inline struct ft_context *ft_region_context(const struct ft_region *region)
{
    return (struct ft_context *)(void *)region->host;
}

#endif
