#include "formats/skeleton/nest_executions.h"

#include <stdlib.h>

#define CONFIRMED_MIN 3U

struct making {
    const uint32_t *tokens; /* of the whole nest */
    struct ft_nest_executions *executions;
};

static void add_access(void *context, const uint32_t *token, uint64_t count)
{
    const struct making *making = context;
    making->executions->before[token - making->tokens + 1] += count;
}

/* numbers: of the first iterations around. */
static void mark_loops(const struct making *making, const uint32_t *tokens, size_t token_count,
                       const uint64_t *numbers, bool in_loop)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        making->executions->in_loop[tokens + at - making->tokens] = in_loop;
        at += element.head;
        if (element.kind == FT_NEST_ACCESS) {
            numbers++;
        } else if (element.counts) {
            mark_loops(making, tokens + at, element.length, numbers + element.counts,
                       in_loop || numbers[0] >= CONFIRMED_MIN);
            numbers += ft_nest_repeat_numbers(&element);
            at += element.length;
        }
    }
}

int ft_nest_executions_make(const struct ft_nest *nest, struct ft_nest_executions *ret_executions,
                            struct ft_diag *diag)
{
    struct ft_nest_executions executions = {
        .before = calloc(nest->token_count + 1, sizeof *executions.before),
        .in_loop = calloc(nest->token_count + 1, sizeof *executions.in_loop)};
    struct making making = {nest->tokens, &executions};
    struct ft_nest_span span = ft_nest_span(nest);
    int status = executions.before && executions.in_loop
                     ? ft_nest_count(&span, add_access, &making, diag)
                     : ft_fail_memory(diag, "the executions of a loop nest");
    if (status) {
        ft_nest_executions_fini(&executions);
        return status;
    }
    mark_loops(&making, nest->tokens, nest->token_count, nest->numbers, false);
    for (size_t i = 0; i < nest->token_count; i++) {
        executions.in_loops += executions.in_loop[i] ? executions.before[i + 1] : 0;
        executions.before[i + 1] += executions.before[i];
    }
    *ret_executions = executions;
    return FT_OK;
}

void ft_nest_executions_fini(struct ft_nest_executions *executions)
{
    free(executions->before);
    free(executions->in_loop);
    *executions = (struct ft_nest_executions){0};
}
