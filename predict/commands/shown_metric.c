#include "predict/commands/shown_metric.h"

#include <stdio.h>
#include <string.h>

static const char *level_name(const struct ft_report_options *options, const char *name)
{
    for (size_t m = 0; m < options->machine_count; m++) {
        const struct ft_machine *machine = &options->machines[m];
        const size_t level = ft_machine_find_level(machine, name);
        if (level < machine->level_count)
            return machine->levels[level].name;
    }
    return NULL;
}

static int fail_unknown(const char *option, const char *name,
                        const struct ft_report_options *options, struct ft_diag *diag)
{
    char levels[512] = "";
    size_t length = 0;
    for (size_t m = 0; m < options->machine_count; m++)
        for (size_t i = 0; i < options->machines[m].level_count; i++) {
            const char *level = options->machines[m].levels[i].name;
            char word[128];
            snprintf(word, sizeof word, ", %.100s", level);
            if (!strstr(levels, word) && length + sizeof word < sizeof levels)
                length += (size_t)snprintf(levels + length, sizeof levels - length, "%s", word);
        }
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--%s %s: must be time, accesses, instructions or a level of the "
                   "machines%s",
                   option, name, levels);
}

int ft_shown_metric_read(const char *option, const char *text,
                         const struct ft_report_options *options,
                         struct ft_shown_metric *ret_metric, struct ft_diag *diag)
{
    static const char *const names[] = {[FT_SHOW_TIME] = "time",
                                        [FT_SHOW_ACCESSES] = "accesses",
                                        [FT_SHOW_INSTRUCTIONS] = "instructions"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_metric = (struct ft_shown_metric){(enum ft_shown)i, NULL};
            return FT_OK;
        }
    const char *level = level_name(options, text);
    if (!level)
        return fail_unknown(option, text, options, diag);
    *ret_metric = (struct ft_shown_metric){FT_SHOW_MISSES, level};
    return FT_OK;
}
