/*
 * foretrace model: what is in model files, as formulas (show), and several of them in one file
 * (merge), where predict --model finds them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/cli/commands.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "machines/commands/report_options.h"
#include "predict/commands/model_show.h"

#define REACH 4 /* times the largest training size */

static const struct ft_option options[] = {
    {"output", 'o', "MODEL", "merge: the model file to write (required)", .writes = FT_FILE_MODEL},
    {"model", 0, "NAME", "show: which of the file's models (default: all)"},
    {"fix", 0, "NAME=VALUE",
     "show: values of the other parameters of a model over several: "
     "M=10,T=4"},
    {"machine", 'm', "MACHINE",
     "show: the misses in its caches and TLBs (fully associative): " FT_MACHINE_HELP
     "; or caches=L1:32K:64:full@4,memory@100"},
    {"groups", 'g', "COUNT",
     "show: how many groups of references, those with most accesses "
     "(default: 3)"},
    {"blocks", 0, "COUNT",
     "show: executions of how many basic blocks, those with most instructions, and of the "
     "edges out of them (default: 0)"},
    {"json", 0, NULL, "show: as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "show: as CSV, one line per formula"},
    FT_WIDE_OPTION,
};

/* A model file, with the name of another use in front: "gcc=model.h5". */
static const char *split_operand(const char *operand, char *name, size_t bytes)
{
    const char *equals = strchr(operand, '=');
    const char *slash = strchr(operand, '/');
    name[0] = 0;
    if (!equals || (slash && slash < equals) || equals == operand ||
        (size_t)(equals - operand) >= bytes)
        return operand;
    snprintf(name, bytes, "%.*s", (int)(equals - operand), operand);
    return equals + 1;
}

static int read_models(const char *path, struct ft_model_file *ret_file, struct ft_diag *diag)
{
    int status = ft_model_file_read(path, ret_file, diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(path, "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         diag);
    return status;
}

/* ---- merge ---- */

/* Moves the models of a file into another; a name renames the only one. */
static int take_models(const char *operand, struct ft_model_file *into, size_t *capacity,
                       struct ft_diag *diag)
{
    char name[256];
    struct ft_model_file file;
    const char *path = split_operand(operand, name, sizeof name);
    int status = read_models(path, &file, diag);
    if (status < 0)
        return status;
    if (name[0] && file.count != 1)
        status = ft_fail(diag, FT_ERROR_USAGE, "%s: has %zu models, but a name, %s=, is for one",
                         path, file.count, name);
    else if (!FT_RESERVE(into->models, *capacity, into->count + file.count))
        status = ft_fail_memory(diag, "models");
    for (size_t i = 0; status == FT_OK && i < file.count; i++) {
        if (name[0]) {
            free(file.models[i].name);
            file.models[i].name = strdup(name);
            status = file.models[i].name ? FT_OK : ft_fail_memory(diag, "a model");
        }
        into->models[into->count++] = file.models[i];
        file.models[i] = (struct ft_model){0};
    }
    ft_model_file_fini(&file);
    return status;
}

static int merge(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_model_file file = {0};
    size_t capacity = 0;
    int status = FT_OK;
    for (size_t i = 1; status == FT_OK && i < ft_operand_count(arguments); i++)
        status = take_models(ft_operands(arguments)[i], &file, &capacity, diag);
    if (status == FT_OK)
        status = ft_model_file_write(ft_option_last(arguments, "output"), &file, diag);
    for (size_t i = 0; status == FT_OK && i < file.count; i++)
        printf("%s: a model of %s\n", file.models[i].name, file.models[i].program);
    ft_model_file_fini(&file);
    return status;
}

/* ---- show ---- */

static int print(const struct ft_arguments *arguments, const struct ft_model_show *shows,
                 size_t count, struct ft_diag *diag)
{
    const enum ft_report_form form = ft_report_form_read(arguments);
    int status = form == FT_REPORT_JSON  ? ft_model_show_json(shows, count, stdout, diag)
                 : form == FT_REPORT_CSV ? ft_model_show_csv(shows, count, stdout, diag)
                                         : ft_model_show_text(shows, count, stdout, diag);
    return status < 0 ? status : ft_stdout_finish(diag);
}

static int show_models(const struct ft_arguments *arguments, const struct ft_model *models,
                       size_t count, const struct ft_machine *machine, struct ft_diag *diag)
{
    uint64_t groups = 0, blocks = 0;
    int status = ft_option_u64(arguments, "groups", 3, 0, UINT32_MAX, &groups, diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "blocks", 0, 0, UINT32_MAX, &blocks, diag);
    struct ft_model_show *shows = calloc(count + 1, sizeof *shows);
    if (!shows)
        return ft_fail_memory(diag, "formulas");
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        shows[i].model = &models[i];
        status = ft_model_formulas_init(&shows[i].formulas, &models[i], machine, REACH,
                                        (struct ft_formula_limits){groups, blocks}, diag);
    }
    if (status == FT_OK)
        status = print(arguments, shows, count, diag);
    for (size_t i = 0; i < count; i++)
        ft_model_formulas_fini(&shows[i].formulas);
    free(shows);
    return status;
}

static int show(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    const char *name = ft_option_last(arguments, "model");
    const char *machine_name = ft_option_last(arguments, "machine");
    const char *path = ft_operands(arguments)[1];
    struct ft_machine machine = {0};
    struct ft_model_file file = {0};
    int status = machine_name ? ft_machine_load(machine_name, &machine, diag) : FT_OK;
    if (status == FT_OK && name) {
        file.models = calloc(1, sizeof *file.models);
        status = file.models ? ft_model_read(path, name, &file.models[0], diag)
                             : ft_fail_memory(diag, "a model");
        file.count = status == FT_OK;
    } else if (status == FT_OK) {
        status = read_models(path, &file, diag);
    }
    for (size_t i = 0; status == FT_OK && i < file.count; i++)
        status = ft_model_restrict_by_text(&file.models[i], ft_option_last(arguments, "fix"), diag);
    if (status == FT_OK)
        status =
            show_models(arguments, file.models, file.count, machine_name ? &machine : NULL, diag);
    ft_model_file_fini(&file);
    ft_machine_fini(&machine);
    return status;
}

/* The options of the other action; 0 or an exit code. */
static int refuse_options(const struct ft_arguments *arguments, const char *action,
                          const char *const *others)
{
    for (; *others; others++)
        if (ft_option_count(arguments, *others) > 0)
            return ft_command_misuse(arguments, "model %s takes no --%s", action, *others);
    return 0;
}

static int run(const struct ft_arguments *arguments)
{
    static const char *const of_merge[] = {"output", NULL};
    static const char *const of_show[] = {"model",  "fix",  "machine", "groups",
                                          "blocks", "json", "csv",     NULL};
    struct ft_diag diag = {0};
    const size_t count = ft_operand_count(arguments);
    const char *action = count > 0 ? ft_operands(arguments)[0] : "";
    int status, code = strcmp(action, "show") == 0    ? refuse_options(arguments, action, of_merge)
                       : strcmp(action, "merge") == 0 ? refuse_options(arguments, action, of_show)
                                                      : 0;
    if (code != 0)
        return code;
    if (strcmp(action, "show") == 0 && count == 2)
        status = show(arguments, &diag);
    else if (strcmp(action, "show") == 0)
        return ft_command_misuse(arguments, "show takes one model file");
    else if (strcmp(action, "merge") != 0)
        return ft_command_misuse(arguments, "show MODEL or merge -o MODEL MODEL... is needed");
    else if (!ft_option_count(arguments, "output") || count < 2)
        return ft_command_misuse(arguments, "merge takes -o MODEL and the files to merge");
    else
        status = merge(arguments, &diag);
    return status < 0 ? ft_command_fail(arguments, &diag) : 0;
}

const struct ft_command ft_model_command = {
    .name = "model",
    .synopsis = "model show [options] MODEL | model merge -o MODEL [NAME=]MODEL...",
    .summary = "show models as formulas, or put several into one file",
    .details =
        "show prints what grows how: accesses, instructions and footprint of the program, with\n"
        "--machine the misses in each level, range by range of the parameter (a range ends where\n"
        "a working set stops fitting), and touches and reuse distances of the heaviest groups of\n"
        "references; with --blocks how often basic blocks and the edges between them are executed\n"
        "(of one build). Formulas of misses are within 1 % of what predict says, or show "
        "their error.\n"
        "\n"
        "merge puts models of several programs or builds side by side; NAME= gives one a name.\n"
        "'foretrace query MODEL' then answers for all of them in one table, predict for one.\n"
        "\n"
        "  foretrace model show --machine amd-zen5 model.h5\n"
        "  foretrace model merge -o both.h5 gcc=gcc.h5 clang=clang.h5\n"
        "  foretrace model show --model clang both.h5\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
