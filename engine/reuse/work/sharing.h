/*
 * Which threads of a trace share a cache, and thus which LRU stacks its replay has: one per thread
 * ("private"), one per group of threads ("shared"), or both.
 *
 * Groups are given ("all"; "0-3,4-7", where a thread in no group has a cache of its own; "by-8":
 * groups of 8 threads), or follow from a machine: threads are placed on its cores in order, and a
 * level that c cores share is shared by c consecutive threads. With instruction fetches each stack
 * has two companions: one of the fetches, as in an instruction cache, and one of both in execution
 * order.
 */
#ifndef FT_ENGINE_REUSE_WORK_SHARING_H
#define FT_ENGINE_REUSE_WORK_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/expand/runs.h"
#include "machines/machine.h"

#define FT_SHARING_CORES_MAX 8U /* different core counts in one machine */

struct ft_sharing {
    bool private_stacks;  /* of each thread */
    bool fetches;         /* instruction fetches are requested as well */
    bool all;             /* a stack of all threads */
    uint32_t *groups;     /* [thread]: its group from 1, 0 for none */
    size_t group_threads; /* length of groups */
    uint32_t cores[FT_SHARING_CORES_MAX];
    size_t core_counts;
};

/* share: the value of --share, or NULL; machine may be NULL. Without either each thread has a stack
 * of its own. The caller sets fetches. */
int ft_sharing_init(struct ft_sharing *sharing, const char *share, bool private_stacks,
                    const struct ft_machine *machine, struct ft_diag *diag);
void ft_sharing_fini(struct ft_sharing *sharing);
/* As options that the result depends on, with a leading blank: " --share 0-1,4 --private". The
 * caller frees it; NULL when out of memory. */
char *ft_sharing_text(const struct ft_sharing *sharing);

/* One LRU stack of a trace. */
struct ft_stack_layout {
    uint32_t *threads; /* ascending */
    uint32_t thread_count;
    unsigned content; /* what it takes: a sum of enum ft_run_content */
    bool in_sum;      /* the trace's histograms are the sum over these stacks, which partition the
                         threads */
};
struct ft_stack_layouts {
    struct ft_stack_layout *layouts;
    size_t count;
};
int ft_stack_layouts_make(const struct ft_sharing *sharing, uint32_t thread_count,
                          struct ft_stack_layouts *ret_layouts, struct ft_diag *diag);
void ft_stack_layouts_fini(struct ft_stack_layouts *layouts);
/* The name of its kind in files (formats/histograms/histograms.h). */
const char *ft_stack_layout_kind(const struct ft_stack_layout *layout);
/* "0-3,8". The caller frees it; NULL when out of memory. */
char *ft_stack_layout_text(const struct ft_stack_layout *layout);

#endif
