#include "trace-capture/commands/window_options.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "trace-capture/tracer/window_options.h"

static int misuse(const struct ft_window_options *options, struct ft_diag *diag)
{
    size_t until_count = options->name_count - options->from_count;
    if (options->markers && options->name_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--markers cannot be combined with --from and --until");
    if (options->every && (options->markers || options->name_count))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every cannot be combined with --from, --until and --markers");
    if (options->every && (!options->length || options->every <= options->length))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every %s: --for must say how many of them each window records",
                       options->every_text);
    for (size_t i = 0; i < options->from_count; i++)
        for (size_t j = 0; j < until_count; j++)
            if (strcmp(options->names[i], options->names[options->from_count + j]) == 0)
                return ft_fail(diag, FT_ERROR_USAGE,
                               "--from %s --until %s: the same function cannot open and close a "
                               "window; --from alone records each call of it",
                               options->names[i], options->names[i]);
    return FT_OK;
}

/* "5000", "20K", "3M", "1G": counts, so in powers of 1000. */
static int parse_instructions(const struct ft_arguments *arguments, const char *option,
                              uint64_t *ret_number, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, option);
    if (!text)
        return FT_OK;
    const char *end = text;
    uint64_t number = 0, unit = 1;
    const bool is_number = ft_read_u64(&end, &number);
    const char *letter = *end ? strchr("KMGT", *end) : NULL;
    for (const char *at = "KMGT"; letter && at <= letter; at++)
        unit *= 1000;
    if (!is_number || end[letter != NULL] || number == 0 || number > (UINT64_C(1) << 60) / unit)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--%s %s: expected a number of instructions such as 5000, 20K or 3M", option,
                       text);
    *ret_number = number * unit;
    return FT_OK;
}

int ft_window_options_parse(const struct ft_arguments *arguments,
                            struct ft_window_options *ret_options, struct ft_diag *diag)
{
    static const char *const numbers[] = {"skip", "for", "every"};
    struct ft_window_options options = {.markers = ft_option_count(arguments, "markers") > 0,
                                        .from_count = ft_option_count(arguments, "from")};
    options.name_count = options.from_count + ft_option_count(arguments, "until");
    options.names = calloc(options.name_count + 1, sizeof *options.names);
    options.met = calloc(options.name_count + 1, sizeof *options.met);
    if (!options.names || !options.met) {
        ft_window_options_fini(&options);
        return ft_fail_memory(diag, "the options");
    }
    for (size_t i = 0; i < options.name_count; i++)
        options.names[i] = i < options.from_count
                               ? ft_option_at(arguments, "from", i)
                               : ft_option_at(arguments, "until", i - options.from_count);
    uint64_t *const values[] = {&options.skip, &options.length, &options.every};
    int status = FT_OK;
    for (size_t i = 0; i < 3 && status == FT_OK; i++)
        status = parse_instructions(arguments, numbers[i], values[i], diag);
    options.every_text = ft_option_last(arguments, "every");
    options.asked_for =
        options.markers || options.name_count || options.skip || options.length || options.every;
    if (status == FT_OK)
        status = misuse(&options, diag);
    if (status < 0)
        ft_window_options_fini(&options);
    else
        *ret_options = options;
    return status;
}
