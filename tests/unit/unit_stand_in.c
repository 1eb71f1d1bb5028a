#include "formats/code/expand.h"
#include <stdlib.h>
struct ft_unit_program {
    int nothing;
};
int ft_unit_program_create(const struct ft_unit *unit, struct ft_unit_program **ret_program,
                           struct ft_diag *diag)
{
    (void)unit;
    (void)diag;
    *ret_program = calloc(1, sizeof **ret_program);
    return 0;
}
void ft_unit_program_destroy(struct ft_unit_program *program)
{
    free(program);
}
void ft_unit_program_count(const struct ft_unit_program *program, const struct ft_record *record,
                           struct ft_log_state *state, struct ft_log_totals *totals)
{
    (void)program;
    (void)state;
    totals->accesses += record->value_count;
}
void ft_unit_fini(struct ft_unit *unit)
{
    free(unit->code);
}
void ft_unit_write(const struct ft_unit *unit, struct ft_bytes *bytes)
{
    ft_put_u32(bytes, unit->id);
}
int ft_unit_read(struct ft_cursor *cursor, struct ft_unit *unit, struct ft_diag *diag)
{
    (void)diag;
    *unit = (struct ft_unit){.id = ft_get_u32(cursor)};
    return cursor->failed ? -5 : 0;
}
