/*
 * A DWARF line entry names the innermost source line; the chain of inlined calls says how the code
 * got there. Seen from depth d of that chain, a deeper instruction is on the line of its call
 * number d.
 */
#include "engine/program/graph/source.h"

#include <string.h>

#include "formats/base/array.h"

struct ft_source_range ft_source_line(const struct ft_module *module, uint64_t offset,
                                      uint32_t context_depth)
{
    const struct ft_line *line = ft_module_line(module, offset);
    if (!line)
        return (struct ft_source_range){0};
    const struct ft_inline *chain[FT_INLINE_DEPTH_MAX];
    size_t depth = ft_module_inline_chain(module, offset, chain, FT_INLINE_DEPTH_MAX);
    if (depth > context_depth)
        return (struct ft_source_range){chain[context_depth]->call_file,
                                        chain[context_depth]->call_line,
                                        chain[context_depth]->call_line};
    return (struct ft_source_range){line->file, line->line, line->line};
}

static uint32_t common_depth(const struct ft_source_context *context,
                             const struct ft_inline *const *chain, size_t depth)
{
    uint32_t common = 0;
    while (common < context->depth && common < depth &&
           ft_source_compare_calls(&context->calls[common], chain[common]) == 0)
        common++;
    return common;
}

void ft_source_narrow(const struct ft_module *module, uint64_t offset,
                      struct ft_source_context *context)
{
    if (!ft_module_line(module, offset))
        return;
    const struct ft_inline *chain[FT_INLINE_DEPTH_MAX];
    size_t depth = ft_module_inline_chain(module, offset, chain, FT_INLINE_DEPTH_MAX);
    if (!context->known) {
        context->known = true;
        context->depth = (uint32_t)depth;
        for (size_t i = 0; i < depth; i++)
            context->calls[i] = *chain[i];
        return;
    }
    context->depth = common_depth(context, chain, depth);
}

int ft_source_shared_depth(const struct ft_module *module, uint64_t offset,
                           const struct ft_source_context *context)
{
    const struct ft_inline *chain[FT_INLINE_DEPTH_MAX];
    if (!ft_module_line(module, offset))
        return -1;
    size_t depth = ft_module_inline_chain(module, offset, chain, FT_INLINE_DEPTH_MAX);
    return (int)common_depth(context, chain, depth);
}

int ft_source_compare_calls(const struct ft_inline *a, const struct ft_inline *b)
{
    if (a->call_file != b->call_file)
        return a->call_file < b->call_file ? -1 : 1;
    if (a->call_line != b->call_line)
        return a->call_line < b->call_line ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

void ft_source_count(struct ft_source_tally *tally, struct ft_source_range line)
{
    if (line.first_line == 0)
        return;
    size_t i = 0;
    while (i < tally->file_count && tally->files[i].range.file != line.file)
        i++;
    if (i == sizeof tally->files / sizeof *tally->files)
        return;
    struct ft_source_range *range = &tally->files[i].range;
    if (i == tally->file_count) {
        tally->file_count++;
        *range = line;
    }
    tally->files[i].count++;
    if (line.first_line < range->first_line)
        range->first_line = line.first_line;
    if (line.last_line > range->last_line)
        range->last_line = line.last_line;
}

struct ft_source_range ft_source_main_range(const struct ft_source_tally *tally)
{
    size_t main = 0;
    for (size_t i = 1; i < tally->file_count; i++)
        if (tally->files[i].count > tally->files[main].count)
            main = i;
    return tally->file_count ? tally->files[main].range : (struct ft_source_range){0};
}

struct ft_source_range ft_source_of_routine(const struct ft_module *module, uint64_t start,
                                            uint64_t end)
{
    size_t low = FT_COUNT_UP_TO(module->lines, module->line_count, end, start);
    struct ft_source_tally tally = {0};
    for (; low < module->line_count && module->lines[low].start < end; low++)
        ft_source_count(&tally, ft_source_line(module, module->lines[low].start, 0));
    struct ft_source_range range = ft_source_main_range(&tally);
    const struct ft_symbol *symbol = ft_module_symbol(module, start);
    if (symbol && symbol->line && (symbol->file == range.file || !range.file)) {
        range.file = symbol->file;
        range.first_line = symbol->line;
        if (range.last_line < symbol->line)
            range.last_line = symbol->line;
    }
    return range;
}
