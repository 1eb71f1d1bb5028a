/* People see the heaviest loops, programs all of them, unless --loops says otherwise. */
#include "machines/commands/report_options.h"

#include <stdlib.h>

#define LOOPS_FOR_PEOPLE 20

enum ft_report_form ft_report_form_read(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "json")  ? FT_REPORT_JSON
           : ft_option_count(arguments, "csv") ? FT_REPORT_CSV
                                               : FT_REPORT_TEXT;
}

int ft_report_machines_read(const struct ft_arguments *arguments, struct ft_report_options *options,
                            struct ft_diag *diag)
{
    const size_t count = ft_option_count(arguments, "machine");
    options->machines = calloc(count + 1, sizeof *options->machines);
    if (!options->machines)
        return ft_fail_memory(diag, "machines");
    for (; options->machine_count < count; options->machine_count++)
        FT_TRY(ft_machine_load(ft_option_at(arguments, "machine", options->machine_count),
                               &options->machines[options->machine_count], diag));
    return FT_OK;
}

int ft_report_options_read(const struct ft_arguments *arguments,
                           struct ft_report_options *ret_options, struct ft_diag *diag)
{
    struct ft_report_options options = {.form = ft_report_form_read(arguments)};
    uint64_t fallback = options.form == FT_REPORT_TEXT ? LOOPS_FOR_PEOPLE : UINT64_MAX;
    FT_TRY(ft_option_u64(arguments, "loops", fallback, 1, UINT64_MAX, &options.loop_limit, diag));
    int status = ft_report_machines_read(arguments, &options, diag);
    if (status == FT_OK)
        *ret_options = options;
    else
        ft_report_options_fini(&options);
    return status;
}

void ft_report_options_fini(struct ft_report_options *options)
{
    for (size_t i = 0; i < options->machine_count; i++)
        ft_machine_fini(&options->machines[i]);
    free(options->machines);
    *options = (struct ft_report_options){0};
}
