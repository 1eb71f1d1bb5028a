/* People see the heaviest loops, programs all of them, unless --loops says otherwise. */
#include "machines/commands/report_options.h"

#define LOOPS_FOR_PEOPLE 20

int ft_report_form_read(const struct ft_arguments *arguments, enum ft_report_form *ret_form,
                        struct ft_diag *diag)
{
    const bool json = ft_option_count(arguments, "json") > 0;
    const bool csv = ft_option_count(arguments, "csv") > 0;
    if (json && csv)
        return ft_fail(diag, FT_ERROR_USAGE, "--json and --csv exclude each other: give one");
    *ret_form = json ? FT_REPORT_JSON : csv ? FT_REPORT_CSV : FT_REPORT_TEXT;
    return FT_OK;
}

int ft_report_options_read(const struct ft_arguments *arguments,
                           struct ft_report_options *ret_options, struct ft_diag *diag)
{
    struct ft_report_options options = {0};
    int status = ft_report_form_read(arguments, &options.form, diag);
    uint64_t fallback = options.form == FT_REPORT_TEXT ? LOOPS_FOR_PEOPLE : UINT64_MAX;
    if (!status)
        status =
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
