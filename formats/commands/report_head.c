#include "formats/commands/report_head.h"

void ft_program_print(const struct ft_metadata *metadata, FILE *stream)
{
    fprintf(stream, "%s", metadata->program);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        fprintf(stream, ", %s = %.15g", metadata->parameters[i].name,
                metadata->parameters[i].value);
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
