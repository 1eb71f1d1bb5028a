/*
 * Units are compiled when first needed. Partial records are stepped through, and given up once they
 * exceed the limits.
 */
#include "formats/expand/log_counter.h"

#include <stdlib.h>

#include "formats/expand/expand.h"

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

struct bounded {
    const struct ft_log_totals *limits;
    struct ft_log_totals *totals;
    struct ft_diag *diag;
};

static int check_bounds(const struct ft_log_totals *totals, const struct ft_log_totals *limits,
                        struct ft_diag *diag)
{
    const char *what = totals->instructions > limits->instructions ? "instructions"
                       : totals->accesses > limits->accesses       ? "accesses"
                       : totals->prefetches > limits->prefetches   ? "prefetches"
                                                                   : NULL;
    return what ? ft_fail(diag, FT_ERROR_DATA, "more %s than its chunk counts", what) : FT_OK;
}

static int count_access(void *context, const struct ft_expanded_access *access)
{
    struct bounded *bounded = context;
    *(access->kind == FT_PREFETCH ? &bounded->totals->prefetches : &bounded->totals->accesses) += 1;
    return check_bounds(bounded->totals, bounded->limits, bounded->diag);
}

static int count_partial(const struct ft_unit *unit, const struct ft_record *record,
                         const struct ft_log_totals *limits, struct ft_log_state *state,
                         struct ft_log_totals *totals, struct ft_diag *diag)
{
    struct bounded bounded = {limits, totals, diag};
    FT_TRY(ft_unit_step(unit, record, state, count_access, &bounded, diag));
    totals->instructions += record->values[1];
    return FT_OK;
}

int ft_log_counter_add(struct ft_log_counter *counter, const struct ft_record *record,
                       const struct ft_log_totals *limits, struct ft_log_state *state,
                       struct ft_log_totals *totals, struct ft_diag *diag)
{
    const struct ft_unit *unit = ft_record_unit(counter->units, record);
    totals->records++;
    if (!unit) {
        ft_unit_program_count(NULL, record, state, totals);
        return FT_OK;
    }
    struct ft_unit_program **program = &counter->programs[unit->id];
    if (!*program)
        FT_TRY(ft_unit_program_create(unit, program, diag));
    FT_TRY(ft_record_check(unit, record, diag));
    if (record->unit == 0)
        FT_TRY(count_partial(unit, record, limits, state, totals, diag));
    else
        ft_unit_program_count(*program, record, state, totals);
    return check_bounds(totals, limits, diag);
}
