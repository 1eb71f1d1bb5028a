/*
 * `foretrace query`: reads the models, answers the question that the options ask of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/cli/commands.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "predict/commands/query/answer.h"
#include "predict/commands/query/surface_svg.h"
#include "predict/query/scope_choice.h"

/* The models of all operands, moved together. */
struct models {
    struct ft_model *items;
    size_t count, capacity;
};

static int read_file(const char *path, const char *name, struct models *models,
                     struct ft_diag *diag)
{
    struct ft_model_file file = {0};
    int status = FT_OK;
    if (!name)
        status = ft_model_file_read(path, &file, diag);
    const size_t count = name ? 1 : file.count;
    if (status == FT_OK && !FT_RESERVE(models->items, models->capacity, models->count + count))
        status = ft_fail_memory(diag, "models");
    if (status == FT_OK && name)
        status = ft_model_read(path, name, &models->items[models->count], diag);
    if (status == FT_OK) {
        for (size_t i = 0; i < file.count; i++) {
            models->items[models->count + i] = file.models[i];
            file.models[i] = (struct ft_model){0};
        }
        models->count += count;
    }
    ft_model_file_fini(&file);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(path, "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         diag);
    return status;
}

static int draw(const char *path, const struct ft_query *query, const struct models *models,
                struct ft_diag *diag)
{
    struct ft_text_output output;
    int status = ft_text_output_create(path, &output, diag);
    if (status != FT_OK)
        return status;
    status = ft_surface_svg(query, models->items, models->count, output.stream, diag);
    return ft_text_output_finish(&output, status, diag);
}

static int ask(const struct ft_arguments *arguments, const struct models *models,
               struct ft_diag *diag)
{
    struct ft_query query;
    struct ft_answer answer;
    const char *svg = ft_option_last(arguments, "svg");
    int status = ft_query_read(arguments, models->items, models->count, &query, diag);
    if (status != FT_OK)
        return status;
    if (svg && query.question != FT_ASK_SURFACE) {
        ft_query_fini(&query);
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--svg draws the surface: it excludes --at, --cache, --machine and "
                       "--hit-ratio");
    }
    status = ft_answer_make(&query, models->items, models->count, &answer, diag);
    if (status == FT_OK && svg)
        status = draw(svg, &query, models, diag);
    if (status == FT_OK)
        status = ft_answer_write(&answer, stdout, diag);
    ft_answer_fini(&answer);
    ft_query_fini(&query);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct models models = {0};
    const char *part = ft_option_last(arguments, "in");
    int status = FT_OK;
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give at least one model file");
    for (size_t i = 0; i < ft_operand_count(arguments) && status == FT_OK; i++)
        status = read_file(ft_operands(arguments)[i], ft_option_last(arguments, "model"), &models,
                           &diag);
    for (size_t i = 0; i < models.count && status == FT_OK; i++)
        status =
            ft_model_restrict_by_text(&models.items[i], ft_option_last(arguments, "fix"), &diag);
    for (size_t i = 0; i < models.count && part && status == FT_OK; i++)
        status = ft_model_choose_scope(&models.items[i], part, &diag);
    if (status == FT_OK)
        status = ask(arguments, &models, &diag);
    for (size_t i = 0; i < models.count; i++)
        ft_model_fini(&models.items[i]);
    free(models.items);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    FT_QUERY_OPTIONS,
    {"fix", 0, "NAME=VALUE", "the other parameters of models over several: M=10,T=4"},
    {"svg", 0, "FILE", "draw the surface to FILE, one panel per model", .writes = FT_FILE_SVG},
    {"json", 0, NULL, "as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "the (first) table as CSV"},
    FT_WIDE_OPTION,
};

const struct ft_command ft_query_command = {
    .name = "query",
    .synopsis = "query [options] MODEL...",
    .summary = "which caches and sizes give which hit ratios, from models",
    .details =
        "Size (--at), cache (--cache or --machine) and hit ratio (--hit-ratio) span a surface.\n"
        "Any two of them give the third, one gives a curve, none the surface:\n"
        "\n"
        "  foretrace query --at N=1000 --cache 32K model.h5          its miss ratio\n"
        "  foretrace query --at N=1000 --hit-ratio 99% model.h5      the smallest cache\n"
        "  foretrace query --cache 1M --hit-ratio 99% model.h5       the sizes in which it holds\n"
        "  foretrace query --machine amd-zen5 model.h5               critical sizes of all levels\n"
        "  foretrace query --at N=1000 model.h5                      all capacities\n"
        "  foretrace query --hit-ratio 99% model.h5                  smallest caches over sizes\n"
        "  foretrace query --svg surface.svg model.h5                the surface, and a picture\n"
        "\n"
        "The smallest input that misses as often in all caches as a larger one, for benchmarks:\n"
        "\n"
        "  foretrace query --mini-ref --at N=1000 --machine amd-zen5 model.h5\n"
        "\n"
        "and of several programs the smallest inputs that show all their miss ratios:\n"
        "\n"
        "  foretrace query --mini-set --cache 64K --cache 1M --reuse fft.h5 tree.h5\n"
        "\n"
        "Several models are answered side by side. Answers have 95 % intervals, those of predict "
        "where\n"
        "both answer; what the training sizes do not determine is unknown.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
