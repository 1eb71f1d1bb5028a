/*
 * A pass over the units for accesses and one for fetches; a hash table finds references that
 * another unit has too. The same pc with other code (a module mapped over another, changed code) is
 * another reference.
 */
#include "formats/trace/reference_table.h"

#include <stdlib.h>

#include "formats/base/hash_table.h"

struct builder {
    const struct ft_trace *trace;
    unsigned content;
    struct ft_reference_table *table;
    struct ft_hash_table numbers; /* of references */
    bool out_of_memory;
};

/* At most so many references. */
static size_t count_references(const struct ft_trace *trace, unsigned content)
{
    size_t count = 0;
    for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        for (unsigned i = 0; unit && i < unit->instruction_count; i++)
            count += (content & FT_RUN_FETCHES ? 1U : 0) +
                     unit->instructions[i].access_count * (unit->has_granules ? 2U : 1U);
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
    uint64_t hash = ft_hash_add(reference->access_index, reference->pc * 4);
    uint32_t number;
    for (size_t probe = hash; ft_hash_next(&builder->numbers, hash, &probe, &number);)
        if (same_reference(&table->references[number], reference))
            return number;
    number = table->reference_count++;
    table->references[number] = *reference;
    if (!ft_hash_table_add(&builder->numbers, hash, number))
        builder->out_of_memory = true;
    return number;
}

/* The reference that an instruction is, but for what it does. */
static struct ft_reference reference_at(const struct ft_trace *trace, const struct ft_unit *unit,
                                        unsigned index)
{
    uint32_t module = ft_unit_module(unit, index);
    uint64_t bias =
        module < ft_trace_module_count(trace) ? ft_trace_module(trace, module)->load_bias : 0;
    uint64_t pc = unit->instructions[index].pc;
    return (struct ft_reference){.pc = pc, .offset = pc - bias, .module = module};
}

static uint32_t number_access(struct builder *builder, const struct ft_unit *unit, unsigned index,
                              uint8_t a, bool is_whole_granule)
{
    struct ft_reference reference = reference_at(builder->trace, unit, index);
    const struct ft_access *access = &unit->instructions[index].accesses[a];
    reference.size_bytes = is_whole_granule ? FT_STRING_GRANULE_BYTES : access->size_bytes;
    reference.access_index = a;
    reference.kind = access->kind;
    return find_or_add(builder, &reference);
}

static uint32_t number_fetch(struct builder *builder, const struct ft_unit *unit, unsigned index)
{
    struct ft_reference reference = reference_at(builder->trace, unit, index);
    uint8_t length = unit->instructions[index].length;
    reference.size_bytes = length ? length : 1;
    reference.access_index = FT_FETCH_INDEX;
    reference.kind = FT_FETCH;
    return find_or_add(builder, &reference);
}

/* Gives a unit's references of one content their numbers, and those that the source is made of
 * their positions among its entries, which begin at `entry`; the entry behind the unit's last. */
static size_t number_unit(struct builder *builder, const struct ft_unit *unit,
                          enum ft_run_content content, size_t entry)
{
    uint32_t *numbers = builder->table->numbers;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        if ((builder->content & FT_RUN_FETCHES) && !instruction->accesses_only) {
            if (content == FT_RUN_FETCHES)
                numbers[entry] = number_fetch(builder, unit, i);
            entry++;
        }
        for (uint8_t a = 0; a < instruction->access_count; a++) {
            const unsigned count =
                ft_unit_access_references(unit, instruction, &instruction->accesses[a]);
            for (unsigned r = 0; r < count; r++) {
                uint32_t number =
                    content == FT_RUN_ACCESSES ? number_access(builder, unit, i, a, r > 0) : 0;
                if (!(builder->content & FT_RUN_ACCESSES))
                    continue;
                if (content == FT_RUN_ACCESSES)
                    numbers[entry] = number;
                entry++;
            }
        }
    }
    return entry;
}

static void number_units(struct builder *builder, enum ft_run_content content)
{
    size_t entry = 0;
    for (uint32_t id = 1; id <= ft_trace_unit_count(builder->trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(builder->trace, id);
        builder->table->first[id] = entry;
        if (unit)
            entry = number_unit(builder, unit, content, entry);
    }
}

int ft_reference_table_init(struct ft_reference_table *table, const struct ft_trace *trace,
                            unsigned content, struct ft_diag *diag)
{
    uint32_t unit_count = (uint32_t)ft_trace_unit_count(trace);
    size_t max = count_references(trace, content);
    struct ft_reference_table made = {0};
    struct builder builder = {.trace = trace, .content = content, .table = &made};
    if (max >= UINT32_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more references than 32 bits can number");
    made.references = malloc((max + 1) * sizeof *made.references);
    made.numbers = malloc((max + 1) * sizeof *made.numbers);
    made.first = calloc(unit_count + 1U, sizeof *made.first);
    builder.out_of_memory = !made.references || !made.numbers || !made.first;
    if (!builder.out_of_memory)
        number_units(&builder, FT_RUN_ACCESSES);
    if (!builder.out_of_memory && (content & FT_RUN_FETCHES))
        number_units(&builder, FT_RUN_FETCHES);
    ft_hash_table_fini(&builder.numbers);
    if (builder.out_of_memory) {
        ft_reference_table_fini(&made);
        return ft_fail_memory(diag, "the table of references");
    }
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
