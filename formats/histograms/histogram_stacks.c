#include "formats/histograms/histogram_stacks.h"

#include <stdlib.h>

#include "formats/base/parse.h"

void ft_histogram_stack_fini(struct ft_histogram_stack *stack, size_t size_count)
{
    ft_histogram_array_free(stack->histograms, stack->reference_count * size_count);
    free(stack->kind);
    free(stack->threads);
    free(stack->distinct_blocks);
    free(stack->touches);
    free(stack->references);
    free(stack->reference_accesses);
    *stack = (struct ft_histogram_stack){0};
}

bool ft_histogram_stack_has(const struct ft_histogram_stack *stack, uint32_t thread)
{
    for (const char *at = stack->threads; *at;) {
        uint64_t first, last;
        if (!ft_read_range(&at, &first, &last))
            return false;
        if (first <= thread && thread <= last)
            return true;
        at = *at == ',' ? at + 1 : "";
    }
    return false;
}
