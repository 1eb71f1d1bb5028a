/*
 * Reads the options of the instruction mix.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/structure/mix_report.h"
#include "formats/base/parse.h"

static int read_level(const char *text, enum ft_mix_level *ret_level, struct ft_diag *diag)
{
    for (unsigned level = 0; level < FT_MIX_LEVELS; level++)
        if (strcmp(text, ft_mix_level_names[level]) == 0) {
            *ret_level = (enum ft_mix_level)level;
            return FT_OK;
        }
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--scope %s: must be program, module, routine, loop or block", text);
}

static int read_order(const char *text, bool *ret_by_address, struct ft_diag *diag)
{
    *ret_by_address = strcmp(text, "place") == 0;
    if (*ret_by_address || strcmp(text, "frequency") == 0)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE, "--by %s: must be frequency or place", text);
}

/* "1", "0.5", "2%" */
static int read_threshold(const char *text, double *ret_share, struct ft_diag *diag)
{
    const char *rest = text;
    double percent;
    if (!ft_read_double(&rest, &percent) || (*rest && strcmp(rest, "%") != 0) || percent < 0 ||
        percent > 100)
        return ft_fail(diag, FT_ERROR_USAGE, "--threshold %s: must be a percentage from 0 to 100",
                       text);
    *ret_share = percent / 100;
    return FT_OK;
}

int ft_mix_question_read(const struct ft_arguments *arguments, struct ft_mix_question *ret_question,
                         struct ft_diag *diag)
{
    const char *level = ft_option_last(arguments, "scope"), *by = ft_option_last(arguments, "by");
    const char *threshold = ft_option_last(arguments, "threshold");
    struct ft_mix_question question = {.level = FT_MIX_OF_LOOPS,
                                       .of_code = ft_option_count(arguments, "static") > 0};
    if (level)
        FT_TRY(read_level(level, &question.level, diag));
    if (by)
        FT_TRY(read_order(by, &question.by_address, diag));
    if (threshold)
        FT_TRY(read_threshold(threshold, &question.threshold, diag));
    *ret_question = question;
    return FT_OK;
}
