/* One division for each group of units; the largest quotient wins. */
#include "predict/schedule.h"

double ft_schedule_cycles(const struct ft_machine *machine, double instructions,
                          const double mix[FT_MIX_COUNT], const char **ret_limit)
{
    double cycles = instructions / machine->issue_width;
    const char *limit = "issue width";
    for (size_t i = 0; i < machine->unit_count; i++) {
        const struct ft_unit_class *units = &machine->units[i];
        double operations = 0;
        for (int class = 0; class < FT_MIX_COUNT; class ++)
            operations += units->classes[class] ? mix[class] : 0;
        if (operations / units->rate > cycles) {
            cycles = operations / units->rate;
            limit = units->name;
        }
    }
    if (ret_limit)
        *ret_limit = limit;
    return cycles;
}
