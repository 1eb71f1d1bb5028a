#include "trace-capture/modules/executed_code.h"

#include <stdlib.h>

#include "formats/base/array.h"

static int add(struct ft_executed_code *code, const struct ft_unit *unit, struct ft_diag *diag)
{
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        const uint64_t start = instruction->pc, end = start + instruction->length;
        const uint32_t module = ft_unit_module(unit, i);
        const size_t count = code->count;
        if (count && code->items[count - 1].module == module && code->items[count - 1].end == start)
            code->items[count - 1].end = end;
        else if (FT_RESERVE(code->items, code->capacity, code->count + 1))
            code->items[code->count++] = (struct ft_code_range){module, start, end};
        else
            return ft_fail_memory(diag, "which code was executed");
    }
    return FT_OK;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct ft_code_range *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static void sort(struct ft_executed_code *code)
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

int ft_executed_code_make(struct ft_unit *const *units, const bool *chosen, uint32_t last,
                          struct ft_executed_code *ret_code, struct ft_diag *diag)
{
    *ret_code = (struct ft_executed_code){0};
    for (uint32_t id = 1; id <= last; id++)
        if (chosen[id])
            FT_TRY(add(ret_code, units[id], diag));
    sort(ret_code);
    return FT_OK;
}

struct ft_module_code ft_executed_code_of(const struct ft_executed_code *code, uint32_t module,
                                          uint64_t load_bias)
{
    size_t first = FT_COUNT_BELOW(code->items, code->count, module, module);
    size_t end = FT_COUNT_UP_TO(code->items, code->count, module, module);
    return (struct ft_module_code){code->items + first, end - first, load_bias};
}

bool ft_module_code_meets(const struct ft_module_code *code, uint64_t start, uint64_t end)
{
    size_t before = FT_COUNT_UP_TO(code->items, code->count, end, start + code->load_bias);
    return before < code->count && code->items[before].start < end + code->load_bias;
}

void ft_executed_code_fini(struct ft_executed_code *code)
{
    free(code->items);
    *code = (struct ft_executed_code){0};
}
