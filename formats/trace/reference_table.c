/*
 * One pass over the units; an open-addressing table finds references that another unit has too. The
 * same pc with other code (a module mapped over another, changed code) is another reference.
 */
#include "formats/trace/reference_table.h"

#include <stdlib.h>

struct builder {
    const struct ft_trace *trace;
    struct ft_reference_table *table;
    uint32_t *places; /* reference numbers + 1, 0: free */
    size_t place_count;
};

static size_t count_accesses(const struct ft_trace *trace)
{
    size_t count = 0;
    for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        for (unsigned i = 0; unit && i < unit->instruction_count; i++)
            count += unit->instructions[i].access_count;
    }
    return count;
}

static bool same_reference(const struct ft_reference *left, const struct ft_reference *right)
{
    return left->pc == right->pc && left->access_index == right->access_index &&
           left->module == right->module && left->size_bytes == right->size_bytes &&
           left->kind == right->kind;
}

static uint32_t find_or_add(struct builder *builder, const struct ft_reference *reference)
{
    struct ft_reference_table *table = builder->table;
    uint64_t hash = (reference->pc * 4 + reference->access_index) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = (size_t)(hash >> 32);; i++) {
        uint32_t *place = &builder->places[i & (builder->place_count - 1)];
        if (*place == 0) {
            table->references[table->reference_count] = *reference;
            *place = ++table->reference_count;
        }
        if (same_reference(&table->references[*place - 1], reference))
            return *place - 1;
    }
}

static size_t number_unit(struct builder *builder, const struct ft_unit *unit, size_t count)
{
    const struct ft_trace *trace = builder->trace;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        uint32_t module = ft_unit_module(unit, i);
        uint64_t bias =
            module < ft_trace_module_count(trace) ? ft_trace_module(trace, module)->load_bias : 0;
        const struct ft_instruction *instruction = &unit->instructions[i];
        for (uint8_t a = 0; a < instruction->access_count; a++) {
            const struct ft_access *access = &instruction->accesses[a];
            struct ft_reference reference = {.pc = instruction->pc,
                                             .offset = instruction->pc - bias,
                                             .module = module,
                                             .size_bytes = access->size_bytes,
                                             .access_index = a,
                                             .kind = access->kind};
            if (access->kind != FT_PREFETCH)
                builder->table->numbers[count++] = find_or_add(builder, &reference);
        }
    }
    return count;
}

int ft_reference_table_init(struct ft_reference_table *table, const struct ft_trace *trace,
                            struct ft_diag *diag)
{
    uint32_t unit_count = (uint32_t)ft_trace_unit_count(trace);
    size_t access_count = count_accesses(trace);
    struct ft_reference_table made = {0};
    struct builder builder = {.trace = trace, .table = &made, .place_count = 64};
    if (access_count >= UINT32_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more references than 32 bits can number");
    while (builder.place_count < 2 * access_count)
        builder.place_count *= 2;
    builder.places = calloc(builder.place_count, sizeof *builder.places);
    made.references = malloc((access_count + 1) * sizeof *made.references);
    made.numbers = malloc((access_count + 1) * sizeof *made.numbers);
    made.first = calloc(unit_count + 1U, sizeof *made.first);
    if (!builder.places || !made.references || !made.numbers || !made.first) {
        free(builder.places);
        ft_reference_table_fini(&made);
        return ft_fail_memory(diag, "the table of references");
    }
    size_t count = 0;
    for (uint32_t id = 1; id <= unit_count; id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        made.first[id] = count;
        if (unit)
            count = number_unit(&builder, unit, count);
    }
    free(builder.places);
    *table = made;
    return FT_OK;
}

void ft_reference_table_fini(struct ft_reference_table *table)
{
    free(table->references);
    free(table->numbers);
    free(table->first);
    *table = (struct ft_reference_table){0};
}
