#include "formats/trace/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/bytes.h"

/* A text that may be missing. False when out of memory. */
static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text ? strdup(text) : NULL;
    return *ret_copy || !text;
}

int ft_metadata_copy(const struct ft_metadata *from, struct ft_metadata *ret_copy,
                     struct ft_diag *diag)
{
    struct ft_metadata copy = *from;
    copy.parameters = calloc(from->parameter_count + 1, sizeof *copy.parameters);
    copy.arguments = calloc(from->argument_count + 1, sizeof *copy.arguments);
    copy.capture_host = (struct ft_capture_host){0};
    bool copied = copy.parameters && copy.arguments;
    copied &= copy_text(from->directory, &copy.directory);
    copied &= copy_text(from->program, &copy.program);
    copied &= copy_text(from->host, &copy.host);
    copied &= copy_text(from->kernel, &copy.kernel);
    copied &= copy_text(from->cpu, &copy.cpu);
    copied &= copy_text(from->tool_version, &copy.tool_version);
    copied &= copy_text(from->started, &copy.started);
    copied &= copy_text(from->end_reason, &copy.end_reason);
    copy.parameter_count = copy.argument_count = 0;
    for (; copied && copy.parameter_count < from->parameter_count; copy.parameter_count++) {
        const struct ft_parameter *parameter = &from->parameters[copy.parameter_count];
        copy.parameters[copy.parameter_count].value = parameter->value;
        copied = copy_text(parameter->name, &copy.parameters[copy.parameter_count].name);
    }
    for (; copied && copy.argument_count < from->argument_count; copy.argument_count++)
        copied =
            copy_text(from->arguments[copy.argument_count], &copy.arguments[copy.argument_count]);
    int status = copied ? ft_capture_host_copy(&from->capture_host, &copy.capture_host, diag)
                        : ft_fail_memory(diag, "the metadata");
    if (status < 0) {
        ft_metadata_fini(&copy);
        return status;
    }
    *ret_copy = copy;
    return FT_OK;
}

bool ft_metadata_begin(struct ft_metadata *metadata)
{
    char started[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    if (strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        started[0] = 0;
    metadata->tool_version = strdup(FT_VERSION);
    metadata->started = strdup(started);
    return metadata->tool_version && metadata->started;
}

bool ft_metadata_begin_without_host(struct ft_metadata *metadata)
{
    metadata->directory = strdup("");
    metadata->host = strdup("");
    metadata->cpu = strdup("");
    metadata->kernel = strdup("");
    return metadata->directory && metadata->host && metadata->cpu && metadata->kernel &&
           ft_metadata_begin(metadata);
}

struct ft_parameter *ft_metadata_parameter(const struct ft_metadata *metadata, const char *name)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0)
            return &metadata->parameters[i];
    return NULL;
}

int ft_metadata_add_parameter(struct ft_metadata *metadata, const char *name, double value,
                              struct ft_diag *diag)
{
    struct ft_parameter *parameters =
        realloc(metadata->parameters, (metadata->parameter_count + 1) * sizeof *parameters);
    if (!parameters)
        return ft_fail_memory(diag, "the parameters");
    metadata->parameters = parameters;
    parameters[metadata->parameter_count] =
        (struct ft_parameter){.name = strdup(name), .value = value};
    if (!parameters[metadata->parameter_count].name)
        return ft_fail_memory(diag, "the parameters");
    metadata->parameter_count++;
    return FT_OK;
}

char *ft_metadata_command(const struct ft_metadata *metadata)
{
    struct ft_bytes line = {0};
    for (size_t i = 0; i < metadata->argument_count; i++) {
        ft_put(&line, " ", i > 0);
        ft_put(&line, metadata->arguments[i], strlen(metadata->arguments[i]));
    }
    ft_put_u8(&line, 0);
    if (line.failed)
        ft_bytes_fini(&line);
    return (char *)line.data;
}

void ft_metadata_fini(struct ft_metadata *metadata)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        free(metadata->parameters[i].name);
    for (size_t i = 0; i < metadata->argument_count; i++)
        free(metadata->arguments[i]);
    free(metadata->parameters);
    free(metadata->arguments);
    free(metadata->directory);
    free(metadata->program);
    free(metadata->host);
    free(metadata->kernel);
    free(metadata->cpu);
    free(metadata->tool_version);
    free(metadata->started);
    free(metadata->end_reason);
    ft_capture_host_fini(&metadata->capture_host);
    *metadata = (struct ft_metadata){0};
}
