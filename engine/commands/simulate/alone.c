/*
 * The misses of each level by itself, in total and by routine and loop.
 */
#include "engine/commands/simulate/alone_report.h"

#include <stdio.h>
#include <string.h>

#include "engine/commands/simulate/modes.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/startup_fold.h"
#include "formats/commands/trace_operand.h"

static int simulate_operand(const struct ft_arguments *arguments, const struct ft_machine *machine,
                            struct ft_simulated_trace *ret_simulated, struct ft_diag *diag)
{
    struct ft_trace *trace;
    int status = ft_trace_open_operand(arguments, &trace, diag);
    if (status != FT_OK)
        return status;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    status = ft_simulate_trace(trace, machine, &progress.base, ret_simulated, diag);
    ft_progress_line_fini(&progress);
    ft_trace_close(trace);
    return status;
}

/* --sort: accesses, or the set-associative misses of a level. */
static int read_sort(const struct ft_arguments *arguments, const struct ft_machine *machine,
                     size_t *ret_column, struct ft_diag *diag)
{
    const char *name = ft_option_last(arguments, "sort");
    char levels[512] = "";
    if (!name || strcmp(name, "accesses") == 0) {
        *ret_column = 0;
        return FT_OK;
    }
    const size_t level = ft_machine_find_level(machine, name);
    *ret_column = ft_simulated_set_assoc_column(level);
    if (level < machine->level_count)
        return FT_OK;
    for (size_t i = 0, length = 0; i < machine->level_count && length < sizeof levels; i++)
        length += (size_t)snprintf(levels + length, sizeof levels - length, ", %s",
                                   machine->levels[i].name);
    return ft_fail(diag, FT_ERROR_USAGE, "--sort %s: must be accesses or a level of %s%s", name,
                   machine->name, levels);
}

int ft_simulate_levels_alone(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_simulated_trace simulated;
    FT_TRY(ft_report_options_read(arguments, &options, diag));
    options.folds_startup = ft_startup_is_folded(arguments);
    size_t sort_column = 0;
    int status = read_sort(arguments, options.machines, &sort_column, diag);
    if (status == FT_OK)
        status = simulate_operand(arguments, options.machines, &simulated, diag);
    if (status == FT_OK) {
        struct ft_alone_report report = {
            .options = &options, .simulated = &simulated, .sort_column = sort_column};
        status = ft_alone_report(&report, diag);
        ft_simulated_trace_fini(&simulated);
    }
    ft_report_options_fini(&options);
    return status;
}
