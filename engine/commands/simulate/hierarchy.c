/* Fetches are taken where the machine has levels for them: without, they would find no cache. */
#include "engine/commands/simulate/modes.h"

#include "engine/commands/simulate/hierarchy_report.h"
#include "engine/commands/simulate/hierarchy_trace.h"

static int report_trace(const struct ft_hierarchy_trace *traced, const struct ft_machine *machine,
                        const struct ft_hierarchy_options *asked,
                        const struct ft_report_options *options, struct ft_diag *diag)
{
    struct ft_hierarchy_report report = {.machine = machine,
                                         .run = &traced->run,
                                         .metadata = ft_trace_metadata(traced->trace),
                                         .content_hash = ft_trace_content_hash(traced->trace),
                                         .scopes = &traced->scopes,
                                         .trace = traced->data ? traced->trace : NULL,
                                         .data = traced->data,
                                         .seed = asked->seed};
    return ft_hierarchy_report(&report, options, asked->kind, diag);
}

int ft_simulate_hierarchy(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_hierarchy_trace traced;
    struct ft_hierarchy_options asked;
    uint64_t callers = 0;
    FT_TRY(ft_hierarchy_options_read(arguments, &asked, diag));
    if (asked.by_data)
        FT_TRY(ft_option_u64(arguments, "callers", FT_DATA_CALLERS, 1, FT_DATA_CALLERS_MAX,
                             &callers, diag));
    FT_TRY(ft_report_options_read(arguments, &options, diag));
    options.folds_startup = ft_startup_is_folded(arguments);
    const struct ft_machine machine = ft_option_count(arguments, "no-fetches")
                                          ? ft_machine_without_instructions(options.machines)
                                          : options.machines[0];
    bool fetches = machine.instruction_level_count > 0;
    const struct ft_hierarchy_question question = {
        .machines = &machine,
        .machine_count = 1,
        .seed = asked.seed,
        .causes = asked.causes,
        .content = FT_RUN_ACCESSES | (fetches ? FT_RUN_FETCHES : 0),
        .callers = (unsigned)callers,
    };
    int status = ft_hierarchy_trace_run(arguments, &question, &traced, diag);
    if (status == FT_OK) {
        status = report_trace(&traced, &machine, &asked, &options, diag);
        ft_hierarchy_trace_fini(&traced);
    }
    ft_report_options_fini(&options);
    return status;
}
