#include "fit/skeletons/string_folding.h"

#include <stdlib.h>

#include "fit/skeletons/nest_folding.h"

/* Marks the loops around calls. */
static bool mark(const struct ft_string_templates *templates, const struct ft_nest *nest, size_t at,
                 size_t length, bool *is_run)
{
    bool has_calls = false;
    for (const size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        bool found = element.kind == FT_NEST_ROUTINE &&
                     ft_string_template_of(templates, nest->tokens[at]) != NULL;
        if (element.length)
            found = mark(templates, nest, at + element.head, element.length, is_run) || found;
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
    bool *is_run = calloc(nest->token_count + 1, sizeof *is_run);
    if (!is_run)
        return ft_fail_memory(diag, "calls of string routines");
    mark(templates, nest, 0, nest->token_count, is_run);
    const int status = ft_nest_fold_again(is_run, kept_runs, nest, diag);
    free(is_run);
    return status;
}
