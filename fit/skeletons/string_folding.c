#include "fit/skeletons/string_folding.h"

#include <stdlib.h>

#include "engine/skeleton/refolding.h"

/* Marks the loops around calls; *routine_count: more than the ids of routines. */
static bool mark(const struct ft_string_templates *templates, const struct ft_nest *nest, size_t at,
                 size_t length, bool *is_run, uint32_t *routine_count)
{
    bool has_calls = false;
    for (const size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        bool found = element.kind == FT_NEST_ROUTINE &&
                     ft_string_template_of(templates, nest->tokens[at]) != NULL;
        if (element.kind == FT_NEST_ROUTINE && element.id >= *routine_count)
            *routine_count = element.id + 1;
        if (element.length)
            found =
                mark(templates, nest, at + element.head, element.length, is_run, routine_count) ||
                found;
        is_run[at] = found && element.kind == FT_NEST_LOOP;
        has_calls = has_calls || found;
        at += element.head + element.length;
    }
    return has_calls;
}

int ft_string_calls_fold(const struct ft_string_templates *templates,
                         const struct ft_loop_contexts *kept_runs, struct ft_nest *nest,
                         struct ft_diag *diag)
{
    const struct ft_thread_skeleton thread = {.nest = *nest};
    struct ft_thread_skeleton folded;
    uint32_t routine_count = 0;
    bool *is_run = calloc(nest->token_count + 1, sizeof *is_run);
    if (!is_run)
        return ft_fail_memory(diag, "calls of string routines");
    mark(templates, nest, 0, nest->token_count, is_run, &routine_count);
    const struct ft_refolding refolding = {.thread = &thread,
                                           .routine_count = routine_count,
                                           .names = nest->tokens,
                                           .is_run = is_run,
                                           .kept_runs = kept_runs->contexts,
                                           .kept_run_count = kept_runs->count};
    const int status = ft_nest_refold(&refolding, &folded, diag);
    free(is_run);
    if (status)
        return status;
    const struct ft_nest former = *nest;
    *nest = folded.nest;
    folded.nest = former;
    ft_thread_skeleton_fini(&folded);
    return FT_OK;
}
