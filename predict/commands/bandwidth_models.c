#include "predict/commands/bandwidth_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machines/machine_edit.h"

#define MACHINE_ENDING ".yaml"
#define MODEL_ENDING   ".bandwidth.h5"

/* "host.bandwidth.h5" of "./host.yaml,L2=2M"; *ret_path is NULL for machines that are no file. */
static int path_beside(const char *machine, char **ret_path, struct ft_diag *diag)
{
    const char *edits = ft_machine_edits_of(machine);
    const size_t length = edits ? (size_t)(edits - 1 - machine) : strlen(machine);
    const size_t ending = sizeof MACHINE_ENDING - 1;
    *ret_path = NULL;
    if (length <= ending || strncmp(machine + length - ending, MACHINE_ENDING, ending) != 0)
        return FT_OK;
    if (asprintf(ret_path, "%.*s" MODEL_ENDING, (int)(length - ending), machine) < 0)
        return ft_fail_memory(diag, "a path");
    return FT_OK;
}

static int read_model(const struct ft_arguments *arguments, size_t index,
                      const struct ft_machine *machine, struct ft_bandwidth_model *ret_model,
                      struct ft_diag *diag)
{
    const size_t given = ft_option_count(arguments, "bandwidth-model");
    const char *name = ft_option_at(arguments, "machine", index), *path = NULL;
    char *beside = NULL;
    if (given > 0)
        path = ft_option_at(arguments, "bandwidth-model", given > 1 ? index : 0);
    else
        FT_TRY(path_beside(name, &beside, diag));
    if (!path && (!beside || access(beside, F_OK) != 0)) {
        const int status =
            ft_fail(diag, FT_ERROR_USAGE,
                    "--machine %s: no bandwidth model%s%s; 'foretrace bandwidth' trains one on the "
                    "machine's curves, --bandwidth-model names it",
                    name, beside ? ", which would be " : "", beside ? beside : "");
        free(beside);
        return status;
    }
    path = path ? path : beside;
    struct ft_bandwidth_model model = {0};
    int status = ft_bandwidth_model_read(path, &model, diag);
    if (status == FT_OK)
        status = ft_bandwidth_model_check(&model, path, machine, diag);
    if (status == FT_OK)
        *ret_model = model;
    else
        ft_bandwidth_model_fini(&model);
    free(beside);
    return status;
}

int ft_bandwidth_models_read(const struct ft_arguments *arguments,
                             const struct ft_report_options *options,
                             struct ft_bandwidth_models *ret_models, struct ft_diag *diag)
{
    const size_t given = ft_option_count(arguments, "bandwidth-model"),
                 machines = ft_option_count(arguments, "machine");
    if (given > 1 && given != machines)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--bandwidth-model: %zu for %zu machines: give one for each, or one for all",
                       given, machines);
    ret_models->items = calloc(machines + 1, sizeof *ret_models->items);
    if (!ret_models->items)
        return ft_fail_memory(diag, "bandwidth models");
    for (; ret_models->count < machines; ret_models->count++)
        FT_TRY(read_model(arguments, ret_models->count, &options->machines[ret_models->count],
                          &ret_models->items[ret_models->count], diag));
    return FT_OK;
}

void ft_bandwidth_models_fini(struct ft_bandwidth_models *models)
{
    for (size_t i = 0; i < models->count; i++)
        ft_bandwidth_model_fini(&models->items[i]);
    free(models->items);
    *models = (struct ft_bandwidth_models){0};
}

const struct ft_bandwidth_function *
ft_bandwidth_models_function(const struct ft_bandwidth_models *models, size_t machine)
{
    return machine < models->count ? &models->items[machine].functions[0].function : NULL;
}
