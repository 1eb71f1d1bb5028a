/*
 * Which threads of a trace share a cache, and so which LRU stacks its replay has: of each thread by
 * itself ("private"), of groups of threads that share one ("shared"), or both.
 *
 * Groups are given ("all"; "0-3,4-7": a thread in none has a cache of its own; "by-8": of so many
 * threads each), or follow from a
 * machine: threads are placed on its cores in their order, and a level that is shared by c cores is
 * shared by c threads that follow each other. With instruction fetches each stack has two more
 * beside it: of the fetches, as in an instruction cache, and of both in the order of execution.
 */
#ifndef FT_ENGINE_REUSE_WORK_SHARING_H
#define FT_ENGINE_REUSE_WORK_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/expand/runs.h"
#include "machines/machine.h"

#define FT_SHARING_CORES_MAX 8U /* different numbers of cores in one machine */

struct ft_sharing {
    bool private_stacks;  /* of each thread */
    bool fetches;         /* of instructions are wanted, too */
    bool all;             /* a stack of all threads */
    uint32_t *groups;     /* [thread]: its group from 1, 0 for none */
    size_t group_threads; /* that groups speaks of */
    uint32_t cores[FT_SHARING_CORES_MAX];
    size_t core_counts;
};

/* share: what --share says, or NULL; machine: or NULL. Without either each thread has a stack of
 * its own. fetches is the caller's to set. */
int ft_sharing_init(struct ft_sharing *sharing, const char *share, bool private_stacks,
                    const struct ft_machine *machine, struct ft_diag *diag);
void ft_sharing_fini(struct ft_sharing *sharing);
/* As an option that a result depends on, with a blank in front: " --share 0-1,4 --private", to be
 * freed; NULL without memory. */
char *ft_sharing_text(const struct ft_sharing *sharing);

/* The stacks of a trace of so many threads. */
struct ft_stack_layout {
    uint32_t *threads; /* ascending */
    uint32_t thread_count;
    unsigned content; /* what it takes: a sum of enum ft_run_content */
    bool in_sum;      /* the trace's own histograms are the sum over these: each thread is in one */
};
struct ft_stack_layouts {
    struct ft_stack_layout *plans;
    size_t count;
};
int ft_stack_layouts_make(const struct ft_sharing *sharing, uint32_t thread_count,
                          struct ft_stack_layouts *ret_plans, struct ft_diag *diag);
void ft_stack_layouts_fini(struct ft_stack_layouts *plans);
/* The name of its kind in files (formats/histograms/histograms.h). */
const char *ft_stack_layout_kind(const struct ft_stack_layout *plan);
/* "0-3,8", to be freed; NULL without memory. */
char *ft_stack_layout_text(const struct ft_stack_layout *plan);

#endif
