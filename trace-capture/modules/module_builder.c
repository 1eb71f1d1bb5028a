#include "trace-capture/modules/module_builder.h"

#include <string.h>
#include <xxhash.h>

#include "formats/base/array.h"

void ft_module_builder_init(struct ft_module_builder *builder, struct ft_module *module)
{
    *builder = (struct ft_module_builder){.module = module,
                                          .object = module,
                                          .symbol_capacity = module->symbol_count,
                                          .line_capacity = module->line_count,
                                          .inline_capacity = module->inline_count,
                                          .variable_capacity = module->variable_count,
                                          .strings_capacity = module->strings_bytes};
    for (size_t at = 1; at < module->strings_bytes && !builder->failed;) {
        const char *text = module->strings + at;
        size_t length = strlen(text);
        builder->failed =
            !ft_hash_table_add(&builder->interned, XXH3_64bits(text, length), (uint32_t)at);
        at += length + 1;
    }
    ft_module_builder_string(builder, "", 0);
}

void ft_module_builder_fini(struct ft_module_builder *builder)
{
    ft_hash_table_fini(&builder->interned);
    *builder = (struct ft_module_builder){0};
}

/* Appends to the block of texts; the index, or 0 and failed. */
static uint32_t append_text(struct ft_module_builder *builder, const char *text, size_t length)
{
    struct ft_module *module = builder->module;
    size_t index = module->strings_bytes;
    if (index + length >= UINT32_MAX ||
        !FT_RESERVE(module->strings, builder->strings_capacity, index + length + 1)) {
        builder->failed = true;
        return 0;
    }
    if (length)
        memcpy(module->strings + index, text, length);
    module->strings[index + length] = 0;
    module->strings_bytes = index + length + 1;
    return (uint32_t)index;
}

uint32_t ft_module_builder_string(struct ft_module_builder *builder, const char *text,
                                  size_t length)
{
    if (builder->failed)
        return 0;
    if (builder->module->strings_bytes == 0)
        append_text(builder, "", 0);
    if (length == 0)
        return 0;
    const uint64_t hash = XXH3_64bits(text, length);
    uint32_t index;
    for (size_t probe = hash; ft_hash_next(&builder->interned, hash, &probe, &index);) {
        const char *known = builder->module->strings + index;
        if (strlen(known) == length && memcmp(known, text, length) == 0)
            return index;
    }
    index = append_text(builder, text, length);
    if (index && !ft_hash_table_add(&builder->interned, hash, index))
        builder->failed = true;
    return builder->failed ? 0 : index;
}

void ft_module_builder_symbol(struct ft_module_builder *builder, const struct ft_symbol *symbol)
{
    struct ft_module *module = builder->module;
    if (!FT_RESERVE(module->symbols, builder->symbol_capacity, module->symbol_count + 1))
        builder->failed = true;
    else
        module->symbols[module->symbol_count++] = *symbol;
}

void ft_module_builder_line(struct ft_module_builder *builder, const struct ft_line *line)
{
    struct ft_module *module = builder->module;
    if (!FT_RESERVE(module->lines, builder->line_capacity, module->line_count + 1))
        builder->failed = true;
    else
        module->lines[module->line_count++] = *line;
}

void ft_module_builder_inline(struct ft_module_builder *builder, const struct ft_inline *call)
{
    struct ft_module *module = builder->module;
    if (!FT_RESERVE(module->inlines, builder->inline_capacity, module->inline_count + 1))
        builder->failed = true;
    else
        module->inlines[module->inline_count++] = *call;
}

void ft_module_builder_variable(struct ft_module_builder *builder,
                                const struct ft_variable *variable)
{
    struct ft_module *module = builder->module;
    if (!FT_RESERVE(module->variables, builder->variable_capacity, module->variable_count + 1))
        builder->failed = true;
    else
        module->variables[module->variable_count++] = *variable;
}

const struct ft_symbol *ft_module_builder_symbol_at(const struct ft_module_builder *builder,
                                                    uint64_t address)
{
    const struct ft_module *object = builder->object;
    size_t low = FT_COUNT_BELOW(object->symbols, object->symbol_count, start, address);
    return low < object->symbol_count && object->symbols[low].start == address
               ? &object->symbols[low]
               : NULL;
}
