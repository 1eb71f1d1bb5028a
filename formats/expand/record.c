/*
 * What all readers of records share: checking that a record fits its unit, and escapes that only
 * change the thread's state.
 */
#include "formats/expand/record.h"

/* Entries of the slots of a partial record. */
static uint64_t partial_value_count(const struct ft_unit *unit, uint64_t instructions)
{
    uint64_t words = 0;
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].instruction <= instructions)
            words += ft_slot_words(&unit->slots[s]);
    return words;
}

int ft_record_check(const struct ft_unit *unit, const struct ft_record *record,
                    struct ft_diag *diag)
{
    if (record->unit == 0) {
        if (unit->kind == FT_UNIT_REFERENCES || record->value_count < 2 ||
            record->values[1] > unit->instruction_count ||
            record->value_count - 2 != partial_value_count(unit, record->values[1]))
            return ft_fail(diag, FT_ERROR_DATA, "a partial record does not fit unit %u", unit->id);
        return 0;
    }
    uint64_t iterations = ft_unit_is_loop(unit) ? record->iteration_count : 1;
    uint64_t each = ft_unit_value_count(unit, 1) - ft_unit_value_count(unit, 0);
    if ((each && iterations > record->value_count / each) ||
        record->value_count != ft_unit_value_count(unit, iterations))
        return ft_fail(diag, FT_ERROR_DATA, "a record does not fit unit %u", unit->id);
    return 0;
}

void ft_log_state_escape(struct ft_log_state *state, const struct ft_record *record)
{
    if (record->value_count < 1)
        return;
    switch (record->escape) {
    case FT_ESCAPE_STACK:
        state->rsp = record->values[0];
        break;
    case FT_ESCAPE_FS_BASE:
        state->fs_base = record->values[0];
        break;
    case FT_ESCAPE_DIRECTION:
        state->direction_down = record->values[0] & 1;
        break;
    default:
        break;
    }
}
