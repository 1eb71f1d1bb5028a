#include "trace-capture/modules/executed_code.h"

#include <stdlib.h>

#include "formats/base/array.h"

int ft_executed_code_add(struct ft_executed_code *code, const struct ft_unit *unit,
                         struct ft_diag *diag)
{
    struct ft_code_range range = {0};
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        uint32_t module = ft_unit_module(unit, i);
        if (i > 0 && range.module == module && range.end == instruction->pc) {
            range.end += instruction->length;
            continue;
        }
        if (!FT_RESERVE(code->items, code->capacity, code->count + 2))
            return ft_fail_memory(diag, "which code was executed");
        if (i > 0)
            code->items[code->count++] = range;
        range =
            (struct ft_code_range){module, instruction->pc, instruction->pc + instruction->length};
    }
    if (unit->instruction_count)
        code->items[code->count++] = range;
    return FT_OK;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct ft_code_range *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

void ft_executed_code_sort(struct ft_executed_code *code)
{
    size_t kept = 0;
    if (code->count)
        qsort(code->items, code->count, sizeof *code->items, compare_ranges);
    for (size_t i = 0; i < code->count; i++) {
        struct ft_code_range *last = kept ? &code->items[kept - 1] : NULL;
        if (!last || last->module != code->items[i].module || last->end < code->items[i].start)
            code->items[kept++] = code->items[i];
        else if (last->end < code->items[i].end)
            last->end = code->items[i].end;
    }
    code->count = kept;
}

struct ft_executed_code ft_executed_code_of(struct ft_executed_code *code, uint32_t module,
                                            uint64_t load_bias)
{
    size_t first = FT_COUNT_BELOW(code->items, code->count, module, module);
    size_t end = FT_COUNT_UP_TO(code->items, code->count, module, module);
    for (size_t i = first; i < end; i++) {
        code->items[i].start -= load_bias;
        code->items[i].end -= load_bias;
    }
    return (struct ft_executed_code){code->items + first, end - first, 0};
}

bool ft_executed_code_meets(const struct ft_executed_code *code, uint64_t start, uint64_t end)
{
    size_t before = FT_COUNT_UP_TO(code->items, code->count, end, start);
    return before < code->count && code->items[before].start < end;
}

void ft_executed_code_fini(struct ft_executed_code *code)
{
    free(code->items);
    *code = (struct ft_executed_code){0};
}
