/* A thread of the trace on the machine's core. */
#include "engine/commands/simulate/core_report.h"
#include "engine/commands/simulate/modes.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/startup_fold.h"
#include "formats/commands/trace_operand.h"

#define WINDOWS             1000
#define WINDOWS_MAX         1000000
#define WINDOW_INSTRUCTIONS 2000

static int read_task(const struct ft_arguments *arguments, struct ft_core_task *task,
                     struct ft_diag *diag)
{
    uint64_t thread;
    FT_TRY(ft_option_u64(arguments, "windows", WINDOWS, 0, WINDOWS_MAX, &task->windows, diag));
    FT_TRY(ft_option_u64(arguments, "window-size", WINDOW_INSTRUCTIONS, 100, UINT32_MAX,
                         &task->window_instructions, diag));
    FT_TRY(ft_option_u64(arguments, "thread", 0, 0, UINT32_MAX, &thread, diag));
    FT_TRY(ft_option_u64(arguments, "seed", 1, 0, UINT64_MAX, &task->seed, diag));
    task->thread = (uint32_t)thread;
    return FT_OK;
}

static int simulate(const struct ft_arguments *arguments, const struct ft_report_options *options,
                    const struct ft_core_task *task, struct ft_diag *diag)
{
    struct ft_core_of_trace result;
    struct ft_progress_line progress;
    struct ft_trace *trace;
    FT_TRY(ft_trace_open_operand(arguments, &trace, diag));
    ft_progress_line_init(&progress, "simulate");
    int status = ft_core_of_trace_run(trace, task, &progress.base, &result, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK) {
        const struct ft_core_report report = {
            .options = options, .result = &result, .task = task, .trace = trace};
        status = ft_core_report(&report, diag);
        ft_core_of_trace_fini(&result);
    }
    ft_trace_close(trace);
    return status;
}

int ft_simulate_core(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_core_task task;
    FT_TRY(read_task(arguments, &task, diag));
    FT_TRY(ft_report_options_read(arguments, &options, diag));
    options.folds_startup = ft_startup_is_folded(arguments);
    task.machine = options.machines;
    int status = simulate(arguments, &options, &task, diag);
    ft_report_options_fini(&options);
    return status;
}
