/*
 * The metrics of a mix: instructions and classes; operations in total, by type and by width;
 * accesses and bytes in total and by width.
 */
#include <stdarg.h>
#include <stdio.h>

#include "engine/program/mix/mix.h"

struct metrics {
    struct ft_mix_metric *items;
    size_t count;
    enum ft_mix_table table;
};

/* A metric whose key is made from a format; the title is the same with spaces. */
__attribute__((format(printf, 3, 4))) static struct ft_mix_metric *
add(struct metrics *metrics, size_t offset_bytes, const char *format, ...)
{
    struct ft_mix_metric *metric = &metrics->items[metrics->count++];
    va_list arguments;
    *metric = (struct ft_mix_metric){.table = metrics->table, .offset_bytes = offset_bytes};
    va_start(arguments, format);
    vsnprintf(metric->key, sizeof metric->key, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i + 1 < sizeof metric->title && metric->key[i]; i++)
        metric->title[i] = (char)(metric->key[i] == '_' ? ' ' : metric->key[i]);
    return metric;
}

static void add_classes(struct metrics *metrics)
{
    add(metrics, offsetof(struct ft_mix, instructions), "instructions");
    for (unsigned c = 0; c < FT_MIX_COUNT; c++)
        add(metrics, offsetof(struct ft_mix, classes) + c * sizeof(uint64_t), "%s",
            ft_mix_class_names[c]);
}

/* x87 has scalars only, and vectors of 64 bits (MMX) integers only. */
static bool is_there(unsigned type, unsigned width)
{
    return width == FT_WIDTH_SCALAR || type >= FT_I8 || (type != FT_X87 && width != FT_WIDTH_64);
}

static void add_types(struct metrics *metrics, unsigned first, unsigned end)
{
    for (unsigned t = first; t < end; t++)
        for (unsigned w = 0; w < FT_OPERATION_WIDTHS; w++)
            if (is_there(t, w))
                add(metrics,
                    offsetof(struct ft_mix, operations) +
                        (t * FT_OPERATION_WIDTHS + w) * sizeof(uint64_t),
                    "%s_%s", ft_number_type_names[t], ft_operation_width_names[w]);
}

static void add_operations(struct metrics *metrics)
{
    add(metrics, offsetof(struct ft_mix, flops), "flops");
    add(metrics, offsetof(struct ft_mix, masked_flops), "masked_flops");
    add_types(metrics, 0, FT_I8);
    add(metrics, offsetof(struct ft_mix, integer_operations), "integer_operations");
    add(metrics, offsetof(struct ft_mix, masked_integer_operations), "masked_integer_operations");
    add_types(metrics, FT_I8, FT_NUMBER_TYPES);
}

static void add_widths(struct metrics *metrics, size_t offset_bytes, bool only_csv,
                       const char *name)
{
    for (unsigned w = 0; w < FT_MIX_ACCESS_WIDTHS; w++)
        add(metrics, offset_bytes + w * sizeof(uint64_t), "%s_%s", name,
            ft_mix_access_width_names[w])
            ->only_csv = only_csv;
}

/* The bytes of a width follow from its accesses, so text omits them. */
static void add_memory(struct metrics *metrics)
{
    static const struct {
        const char *name, *bytes;
        size_t offset_bytes;
    } kinds[] = {{"loads", "load_bytes", offsetof(struct ft_mix, loads)},
                 {"stores", "store_bytes", offsetof(struct ft_mix, stores)}};
    for (unsigned k = 0; k < 2; k++) {
        const size_t base = kinds[k].offset_bytes;
        add(metrics, base + offsetof(struct ft_mix_accesses, count), "%s", kinds[k].name);
        add(metrics, base + offsetof(struct ft_mix_accesses, bytes), "%s", kinds[k].bytes);
        add_widths(metrics, base + offsetof(struct ft_mix_accesses, count_by_width), false,
                   kinds[k].name);
        add_widths(metrics, base + offsetof(struct ft_mix_accesses, bytes_by_width), true,
                   kinds[k].bytes);
    }
}

size_t ft_mix_metrics(struct ft_mix_metric items[FT_MIX_METRICS_MAX])
{
    static void (*const add_table[FT_MIX_TABLES])(struct metrics *) = {
        [FT_MIX_TABLE_CLASSES] = add_classes,
        [FT_MIX_TABLE_OPERATIONS] = add_operations,
        [FT_MIX_TABLE_MEMORY] = add_memory,
    };
    struct metrics metrics = {.items = items};
    for (unsigned t = 0; t < FT_MIX_TABLES; t++) {
        metrics.table = (enum ft_mix_table)t;
        add_table[t](&metrics);
    }
    return metrics.count;
}
