#include "tests/support/raw_log.h"

#include <string.h>

/* Puts the values of slots [first, end); gives what comes behind them. */
static const uint64_t *put_slots(struct ft_bytes *raw, const struct ft_unit *unit, unsigned first,
                                 unsigned end, const uint64_t *values)
{
    for (unsigned s = first; s < end; s++) {
        const struct ft_slot *slot = &unit->slots[s];
        ft_put(raw, values, slot->size_bytes);
        values += ft_slot_words(slot);
    }
    return values;
}

static void put_escape(struct ft_bytes *raw, const struct ft_unit *unit,
                       const struct ft_record *record)
{
    ft_put_u32(raw, record->escape);
    if (record->escape != FT_ESCAPE_PARTIAL) {
        for (size_t i = 0; i < record->value_count; i++)
            ft_put_u64(raw, record->values[i]);
        return;
    }
    const uint64_t *values = record->values + 2;
    ft_put_u32(raw, (uint32_t)record->values[0]);
    ft_put_u32(raw, (uint32_t)record->values[1]);
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].instruction <= record->values[1])
            values = put_slots(raw, unit, s, s + 1, values);
}

/* The induction register's first value, which is one of the entry slots. */
static uint64_t first_induction(const struct ft_unit *unit, const uint64_t *values)
{
    for (unsigned s = 0; s < unit->entry_slot_count; s++) {
        if (unit->slots[s].kind == FT_SLOT_REGISTER &&
            unit->slots[s].source == unit->induction_register)
            return *values;
        values += ft_slot_words(&unit->slots[s]);
    }
    return 0;
}

static void put_loop(struct ft_bytes *raw, const struct ft_unit *unit,
                     const struct ft_record *record)
{
    size_t end_word_at = raw->length;
    uint64_t end_word = record->iteration_count;
    ft_put_u64(raw, 0);
    const uint64_t *values = put_slots(raw, unit, 0, unit->entry_slot_count, record->values);
    if (unit->slot_count > unit->entry_slot_count)
        for (uint64_t i = 0; i < record->iteration_count; i++)
            values = put_slots(raw, unit, unit->entry_slot_count, unit->slot_count, values);
    size_t iterations_end = raw->length;
    put_slots(raw, unit, unit->entry_slot_count,
              unit->entry_slot_count + unit->last_iteration_slots, values);
    if (unit->count_source == FT_COUNT_INDUCTION)
        end_word = first_induction(unit, record->values) +
                   record->iteration_count * (uint64_t)unit->induction_stride;
    else if (unit->count_source == FT_COUNT_VALUES)
        end_word = iterations_end - end_word_at + sizeof record->unit;
    if (!raw->failed)
        memcpy(raw->data + end_word_at, &end_word, sizeof end_word);
}

void raw_log_append(struct ft_bytes *raw, const struct ft_unit *unit,
                    const struct ft_record *record)
{
    ft_put_u32(raw, record->unit);
    if (record->unit == 0)
        put_escape(raw, unit, record);
    else if (ft_unit_is_loop(unit))
        put_loop(raw, unit, record);
    else
        put_slots(raw, unit, 0, unit->slot_count, record->values);
}
