#include "formats/trace/log_counter.h"

#include <stdlib.h>

#include "formats/code/expand.h"

struct ft_log_counter {
    const struct ft_unit_table *units;
    struct ft_unit_program **programs; /* by id, NULL until first used */
};

int ft_log_counter_create(const struct ft_unit_table *units, struct ft_log_counter **ret_counter,
                          struct ft_diag *diag)
{
    struct ft_log_counter *counter = calloc(1, sizeof *counter);
    if (counter)
        counter->programs = calloc(units->count + 1, sizeof(struct ft_unit_program *));
    if (!counter || !counter->programs) {
        free(counter);
        return ft_fail_memory(diag, "the programs of units");
    }
    counter->units = units;
    *ret_counter = counter;
    return FT_OK;
}

void ft_log_counter_destroy(struct ft_log_counter *counter)
{
    if (!counter)
        return;
    for (size_t id = 0; id < counter->units->count; id++)
        ft_unit_program_destroy(counter->programs[id]);
    free(counter->programs);
    free(counter);
}

const struct ft_unit *ft_record_unit(const struct ft_unit_table *units,
                                     const struct ft_record *record)
{
    uint64_t id = record->unit;
    if (id == 0 && record->escape == FT_ESCAPE_PARTIAL)
        id = record->values[0];
    return id < units->count ? units->units[id] : NULL;
}

int ft_log_counter_add(struct ft_log_counter *counter, const struct ft_record *record,
                       struct ft_log_state *state, struct ft_log_totals *totals,
                       struct ft_diag *diag)
{
    const struct ft_unit *unit = ft_record_unit(counter->units, record);
    struct ft_unit_program *program = NULL;
    if (unit) {
        struct ft_unit_program **kept = &counter->programs[unit->id];
        int status = *kept ? FT_OK : ft_unit_program_create(unit, kept, diag);
        if (status == FT_OK)
            status = ft_record_check(unit, record, diag);
        if (status)
            return status;
        program = *kept;
    }
    ft_unit_program_count(program, record, state, totals);
    totals->records++;
    return FT_OK;
}
