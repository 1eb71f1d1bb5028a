/*
 * Where the time of a program goes, stacked: what the core takes for its code with all accesses in
 * the first cache; what mispredictions add; then, of each source (scope_time.h), what waiting for
 * it adds; last, where the machine knows what they cost, page faults. What overlaps with the core
 * is in none of them: each adds what it takes beyond those before it, as in a CPI stack (Eyerman et
 * al., ASPLOS 2006). They sum up to the time. Pure.
 */
#ifndef FT_PREDICT_TIME_TIME_COMPONENTS_H
#define FT_PREDICT_TIME_TIME_COMPONENTS_H

#include "predict/time/scope_time.h"

enum { FT_COMPONENT_CORE, FT_COMPONENT_MISPREDICTIONS, FT_COMPONENT_SOURCES };

static inline size_t ft_time_component_count(const struct ft_machine *machine)
{
    return FT_COMPONENT_SOURCES + machine->level_count + (machine->page_fault_cycles > 0);
}
/* "core", "mispredictions", the name of a source, "page faults". */
const char *ft_time_component_name(const struct ft_machine *machine, size_t component);

/* Seconds of each component, of scope_count scopes together; times and waits as ft_scope_times_find
 * gives them. */
void ft_time_components_sum(const struct ft_machine *machine, const struct ft_scope_time *times,
                            const double *waits, size_t scope_count, double *ret_seconds);

#endif
