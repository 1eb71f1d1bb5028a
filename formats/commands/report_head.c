#include "formats/commands/report_head.h"

#include <stdarg.h>
#include <stdlib.h>

#include "formats/cli/terminal.h"

#define HEAD_INDENT 2

void ft_program_print(const struct ft_metadata *metadata, FILE *stream)
{
    fprintf(stream, "%s", metadata->program);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        fprintf(stream, ", %s = %.15g", metadata->parameters[i].name,
                metadata->parameters[i].value);
}

void ft_program_head_print(const struct ft_metadata *metadata, FILE *stream, const char *format,
                           ...)
{
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    va_list list;
    va_start(list, format);
    if (memory) {
        ft_program_print(metadata, memory);
        vfprintf(memory, format, list);
    }
    va_end(list);
    if (memory && fclose(memory) == 0)
        ft_print_wrapped(stream, HEAD_INDENT, "%s", text);
    free(text);
}

json_t *ft_parameters_json(const struct ft_metadata *metadata)
{
    json_t *parameters = json_object();
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (json_object_set_new(parameters, metadata->parameters[i].name,
                                ft_json_number(metadata->parameters[i].value)) != 0) {
            json_decref(parameters);
            return NULL;
        }
    return parameters;
}

json_t *ft_arguments_json(const struct ft_metadata *metadata)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < metadata->argument_count; i++)
        ft_json_append(&arguments, ft_json_text(metadata->arguments[i]));
    return arguments;
}
