#include "formats/commands/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

/* Whether an earlier -D begins with the same "NAME=". */
static bool is_given(const struct ft_arguments *arguments, size_t before, const char *text,
                     size_t length)
{
    for (size_t i = 0; i < before; i++)
        if (strncmp(ft_option_at(arguments, "define", i), text, length + 1) == 0)
            return true;
    return false;
}

int ft_parameters_read(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                       struct ft_diag *diag)
{
    size_t count = ft_option_count(arguments, "define");
    metadata->parameters = calloc(count + 1, sizeof *metadata->parameters);
    if (!metadata->parameters)
        return ft_fail_memory(diag, "the parameters");
    for (size_t i = 0; i < count; i++) {
        const char *text = ft_option_at(arguments, "define", i);
        size_t length;
        double value;
        if (!ft_parse_assignment(text, &length, &value))
            return ft_fail(diag, FT_ERROR_USAGE, "-D %s: expected NAME=NUMBER", text);
        if (is_given(arguments, i, text, length))
            return ft_fail(diag, FT_ERROR_USAGE, "-D %s: duplicate parameter", text);
        struct ft_parameter *parameter = &metadata->parameters[metadata->parameter_count];
        *parameter = (struct ft_parameter){.name = strndup(text, length), .value = value};
        if (!parameter->name)
            return ft_fail_memory(diag, "the parameters");
        metadata->parameter_count++;
    }
    return FT_OK;
}

/* A parameter that the trace has already keeps its value. */
static int add_parameter(struct ft_metadata *metadata, const struct ft_parameter *parameter,
                         struct ft_diag *diag)
{
    const struct ft_parameter *had = ft_metadata_parameter(metadata, parameter->name);
    if (!had)
        return ft_metadata_add_parameter(metadata, parameter->name, parameter->value, diag);
    return had->value == parameter->value
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE,
                         "-D %s=%.15g: the trace was captured with %s=%.15g: give another name, or "
                         "leave it out",
                         parameter->name, parameter->value, parameter->name, had->value);
}

int ft_parameters_add(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    struct ft_metadata given = {0};
    int status = ft_parameters_read(arguments, &given, diag);
    for (size_t i = 0; i < given.parameter_count && status == FT_OK; i++)
        status = add_parameter(metadata, &given.parameters[i], diag);
    ft_metadata_fini(&given);
    return status;
}
