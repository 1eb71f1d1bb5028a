/*
 * The skeleton of a trace: what each thread runs as a nest of loops (docs/skeleton.md), in which
 * the loops are those that the machine code has. It gives the thread's accesses back one by one,
 * apart from those of irregular loops. Plain data, owned.
 */
#ifndef FT_FORMATS_SKELETON_SKELETON_H
#define FT_FORMATS_SKELETON_SKELETON_H

#include "formats/expand/runs.h"
#include "formats/scopes/scopes.h"
#include "formats/skeleton/irregular.h"
#include "formats/skeleton/nest.h"
#include "formats/skeleton/places.h"

struct ft_thread_skeleton {
    struct ft_nest nest;
    struct ft_irregular *irregulars; /* [id of IRREGULAR tokens] */
    size_t irregular_count;
    uint64_t *irregular_accesses; /* [reference]: accesses that the nest does not have */
};
void ft_thread_skeleton_fini(struct ft_thread_skeleton *thread);

struct ft_skeleton {
    struct ft_scopes scopes;         /* its first references are those below */
    struct ft_reference *references; /* of accesses, without fetches */
    uint32_t reference_count;
    uint32_t *routine_scopes, *loop_scopes; /* [id of the tokens] */
    uint64_t *loop_headers; /* [id]: offset in the module; several loops may be one scope */
    size_t routine_count, loop_count;
    uint64_t *accesses; /* [reference], of all threads */
    struct ft_thread_skeleton *threads;
    uint32_t thread_count;
    bool has_calls;                /* of allocation functions, in the trace */
    struct ft_block_events blocks; /* with places: the first thread's; else none */
    struct ft_first_memory memory; /* likewise */
};
void ft_skeleton_fini(struct ft_skeleton *skeleton);
/* One that was allocated; NULL is ignored. */
void ft_skeleton_free(struct ft_skeleton *skeleton);
/* Without the paths through irregular loops and their other references. */
int ft_skeleton_copy(const struct ft_skeleton *skeleton, struct ft_skeleton *ret_copy,
                     struct ft_diag *diag);

#endif
