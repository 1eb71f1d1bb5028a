/*
 * The misses of each level by itself, in total and by routine and loop.
 */
#include "engine/commands/simulate/alone_report.h"
#include "engine/commands/simulate/modes.h"
#include "formats/cli/progress_line.h"
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

int ft_simulate_levels_alone(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_simulated_trace simulated;
    int status = ft_report_options_read(arguments, &options, diag);
    if (status != FT_OK)
        return status;
    status = simulate_operand(arguments, options.machines, &simulated, diag);
    if (status == FT_OK) {
        struct ft_alone_report report = {.options = &options, .simulated = &simulated};
        status = ft_alone_report(&report, diag);
        ft_simulated_trace_fini(&simulated);
    }
    ft_report_options_fini(&options);
    return status;
}
