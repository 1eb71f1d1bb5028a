/* Fetches are taken where the machine has levels for them: without, they would find no cache. */
#include "engine/commands/simulate/modes.h"

#include "engine/commands/simulate/hierarchy_report.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"

static int report_all(const struct ft_report_options *options, enum ft_location_kind kind,
                      struct ft_hierarchy_report *report, struct ft_diag *diag)
{
    int status = ft_hierarchy_report_sum(report, kind, options->loop_limit, diag);
    if (status != FT_OK)
        return status;
    status = options->form == FT_REPORT_JSON  ? ft_hierarchy_print_json(report, stdout, diag)
             : options->form == FT_REPORT_CSV ? ft_hierarchy_print_csv(report, stdout, diag)
                                              : ft_hierarchy_print_text(report, stdout, diag);
    ft_hierarchy_report_fini(report);
    return status;
}

int ft_simulate_hierarchy(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_hierarchy_trace traced;
    enum ft_location_kind kind = FT_LOCATION_LOOPS;
    uint64_t seed, callers = 0;
    int status = ft_simulates_by_data(arguments)
                     ? ft_option_u64(arguments, "callers", FT_DATA_CALLERS, 1, FT_DATA_CALLERS_MAX,
                                     &callers, diag)
                     : ft_location_kind_read(arguments, &kind, diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &seed, diag);
    if (status == FT_OK)
        status = ft_report_options_read(arguments, &options, diag);
    if (status != FT_OK)
        return status;
    bool fetches = options.machines[0].instruction_level_count > 0;
    const struct ft_hierarchy_question question = {
        .machines = options.machines,
        .machine_count = 1,
        .seed = seed,
        .content = FT_RUN_ACCESSES | (fetches ? FT_RUN_FETCHES : 0),
        .callers = (unsigned)callers,
    };
    status = ft_hierarchy_trace_run(arguments, &question, &traced, diag);
    if (status == FT_OK) {
        struct ft_hierarchy_report report = {
            .machine = options.machines,
            .traced = &traced,
            .hierarchy = traced.hierarchies[0],
            .seed = seed,
            .fetches = fetches,
            .level_count = ft_hierarchy_level_count(traced.hierarchies[0]),
        };
        status = report_all(&options, kind, &report, diag);
        ft_hierarchy_trace_fini(&traced);
    }
    ft_report_options_fini(&options);
    return status;
}
