/*
 * What the members of a mix are called: instructions and classes; operations in all, by type and
 * by width; accesses and bytes in all and by width.
 */
#include <stdarg.h>
#include <stdio.h>

#include "engine/program/mix/mix.h"

struct figures {
    struct ft_mix_figure *items;
    size_t count;
    enum ft_mix_table table;
};

/* A figure whose key is made from a format; the title is the same with spaces. */
__attribute__((format(printf, 3, 4))) static struct ft_mix_figure *
add(struct figures *figures, size_t offset_bytes, const char *format, ...)
{
    struct ft_mix_figure *figure = &figures->items[figures->count++];
    va_list arguments;
    *figure = (struct ft_mix_figure){.table = figures->table, .offset_bytes = offset_bytes};
    va_start(arguments, format);
    vsnprintf(figure->key, sizeof figure->key, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i + 1 < sizeof figure->title && figure->key[i]; i++)
        figure->title[i] = (char)(figure->key[i] == '_' ? ' ' : figure->key[i]);
    return figure;
}

static void add_classes(struct figures *figures)
{
    add(figures, offsetof(struct ft_mix, instructions), "instructions");
    for (unsigned c = 0; c < FT_MIX_COUNT; c++)
        add(figures, offsetof(struct ft_mix, classes) + c * sizeof(uint64_t), "%s",
            ft_mix_class_names[c]);
}

/* x87 has scalars only, and vectors of 64 bits (MMX) integers only. */
static bool is_there(unsigned type, unsigned width)
{
    return width == FT_WIDTH_SCALAR || type >= FT_I8 || (type != FT_X87 && width != FT_WIDTH_64);
}

static void add_types(struct figures *figures, unsigned first, unsigned end)
{
    for (unsigned t = first; t < end; t++)
        for (unsigned w = 0; w < FT_OPERATION_WIDTHS; w++)
            if (is_there(t, w))
                add(figures,
                    offsetof(struct ft_mix, operations) +
                        (t * FT_OPERATION_WIDTHS + w) * sizeof(uint64_t),
                    "%s_%s", ft_number_type_names[t], ft_operation_width_names[w]);
}

static void add_operations(struct figures *figures)
{
    add(figures, offsetof(struct ft_mix, flops), "flops");
    add(figures, offsetof(struct ft_mix, masked_flops), "masked_flops");
    add_types(figures, 0, FT_I8);
    add(figures, offsetof(struct ft_mix, integer_operations), "integer_operations");
    add(figures, offsetof(struct ft_mix, masked_integer_operations), "masked_integer_operations");
    add_types(figures, FT_I8, FT_NUMBER_TYPES);
}

static void add_widths(struct figures *figures, size_t offset_bytes, bool only_csv,
                       const char *name)
{
    for (unsigned w = 0; w < FT_MIX_ACCESS_WIDTHS; w++)
        add(figures, offset_bytes + w * sizeof(uint64_t), "%s_%s", name,
            ft_mix_access_width_names[w])
            ->only_csv = only_csv;
}

/* The bytes of a width follow from its accesses: people are not told them. */
static void add_memory(struct figures *figures)
{
    static const struct {
        const char *name, *bytes;
        size_t offset_bytes;
    } kinds[] = {{"loads", "load_bytes", offsetof(struct ft_mix, loads)},
                 {"stores", "store_bytes", offsetof(struct ft_mix, stores)}};
    for (unsigned k = 0; k < 2; k++) {
        const size_t base = kinds[k].offset_bytes;
        add(figures, base + offsetof(struct ft_mix_accesses, count), "%s", kinds[k].name);
        add(figures, base + offsetof(struct ft_mix_accesses, bytes), "%s", kinds[k].bytes);
        add_widths(figures, base + offsetof(struct ft_mix_accesses, count_by_width), false,
                   kinds[k].name);
        add_widths(figures, base + offsetof(struct ft_mix_accesses, bytes_by_width), true,
                   kinds[k].bytes);
    }
}

size_t ft_mix_figures(struct ft_mix_figure items[FT_MIX_FIGURES_MAX])
{
    static void (*const add_table[FT_MIX_TABLES])(struct figures *) = {
        [FT_MIX_TABLE_CLASSES] = add_classes,
        [FT_MIX_TABLE_OPERATIONS] = add_operations,
        [FT_MIX_TABLE_MEMORY] = add_memory,
    };
    struct figures figures = {.items = items};
    for (unsigned t = 0; t < FT_MIX_TABLES; t++) {
        figures.table = (enum ft_mix_table)t;
        add_table[t](&figures);
    }
    return figures.count;
}
