/*
 * A pass over the units for accesses and one for fetches; an open-addressing table finds references
 * that another unit has too. The same pc with other code (a module mapped over another, changed
 * code) is another reference.
 */
#include "formats/trace/reference_table.h"

#include <stdlib.h>

struct builder {
    const struct ft_trace *trace;
    unsigned content;
    struct ft_reference_table *table;
    uint32_t *places; /* reference numbers + 1, 0: free */
    size_t place_count;
};

/* At most so many references. */
static size_t count_references(const struct ft_trace *trace, unsigned content)
{
    size_t count = 0;
    for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        for (unsigned i = 0; unit && i < unit->instruction_count; i++)
            count += unit->instructions[i].access_count + (content & FT_RUN_FETCHES ? 1U : 0);
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
                              uint8_t a)
{
    struct ft_reference reference = reference_at(builder->trace, unit, index);
    const struct ft_access *access = &unit->instructions[index].accesses[a];
    reference.size_bytes = access->size_bytes;
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
 * their places among its entries, which begin at `entry`; the entry behind the unit's last. */
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
            if (instruction->accesses[a].kind == FT_PREFETCH)
                continue;
            uint32_t number = content == FT_RUN_ACCESSES ? number_access(builder, unit, i, a) : 0;
            if (!(builder->content & FT_RUN_ACCESSES))
                continue;
            if (content == FT_RUN_ACCESSES)
                numbers[entry] = number;
            entry++;
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
    size_t most = count_references(trace, content);
    struct ft_reference_table made = {0};
    struct builder builder = {
        .trace = trace, .content = content, .table = &made, .place_count = 64};
    if (most >= UINT32_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more references than 32 bits can number");
    while (builder.place_count < 2 * most)
        builder.place_count *= 2;
    builder.places = calloc(builder.place_count, sizeof *builder.places);
    made.references = malloc((most + 1) * sizeof *made.references);
    made.numbers = malloc((most + 1) * sizeof *made.numbers);
    made.first = calloc(unit_count + 1U, sizeof *made.first);
    if (!builder.places || !made.references || !made.numbers || !made.first) {
        free(builder.places);
        ft_reference_table_fini(&made);
        return ft_fail_memory(diag, "the table of references");
    }
    number_units(&builder, FT_RUN_ACCESSES);
    if (content & FT_RUN_FETCHES)
        number_units(&builder, FT_RUN_FETCHES);
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
