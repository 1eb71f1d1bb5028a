/* People see the heaviest loops, programs all of them, unless --loops says otherwise. */
#include "machines/commands/report_options.h"

#define LOOPS_FOR_PEOPLE 20

enum ft_report_form ft_report_form_read(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "json")  ? FT_REPORT_JSON
           : ft_option_count(arguments, "csv") ? FT_REPORT_CSV
                                               : FT_REPORT_TEXT;
}

int ft_report_options_read(const struct ft_arguments *arguments,
                           struct ft_report_options *ret_options, struct ft_diag *diag)
{
    struct ft_report_options options = {.form = ft_report_form_read(arguments)};
    uint64_t fallback = options.form == FT_REPORT_TEXT ? LOOPS_FOR_PEOPLE : UINT64_MAX;
    int status =
        ft_option_u64(arguments, "loops", fallback, 1, UINT64_MAX, &options.loop_limit, diag);
    if (!status)
        status = ft_machine_load(ft_option_last(arguments, "machine"), &options.machine, diag);
    if (!status)
        *ret_options = options;
    return status;
}

void ft_report_options_fini(struct ft_report_options *options)
{
    ft_machine_fini(&options->machine);
}
