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
