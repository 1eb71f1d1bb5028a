/*
 * Functions as formulas, then totals by routine, as text and as JSON, and how the data size depends
 * on the parameters.
 */
#include "formats/commands/model_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/source_report.h"

#define ROUTINES_SHOWN 10U

/* ---- formulas ---- */

/* "N^2 log2(N)": as the basis calls it, with blanks for the signs between factors; "" of the
 * constant. */
static void power_text(char text[FT_TERM_TEXT], const struct ft_basis *basis, size_t term)
{
    ft_term_text(text, basis, term);
    if (strcmp(text, "1") == 0)
        text[0] = 0;
    for (char *at = text; (at = strchr(at, '*'));)
        *at = ' ';
}

static void append_term(char text[FT_FORMULA_TEXT], const struct ft_basis *basis, size_t term,
                        double coefficient)
{
    const size_t length = strlen(text);
    const char *sign = coefficient < 0 ? (length ? " - " : "-") : (length ? " + " : "");
    char number[32], power[FT_TERM_TEXT];
    snprintf(number, sizeof number, "%.4g", fabs(coefficient));
    power_text(power, basis, term);
    if (power[0] && strcmp(number, "1") == 0)
        number[0] = 0;
    snprintf(text + length, FT_FORMULA_TEXT - length, "%s%s%s%s", sign, number,
             number[0] && power[0] ? " " : "", power);
}

char *ft_formula_text(char text[FT_FORMULA_TEXT], const struct ft_function *function,
                      const struct ft_basis *basis)
{
    text[0] = 0;
    for (size_t term = basis->term_count; term-- > 0;)
        if (function->coefficients[term] != 0)
            append_term(text, basis, term, function->coefficients[term]);
    if (text[0] == 0)
        snprintf(text, FT_FORMULA_TEXT, "0");
    return text;
}

/* ---- totals ---- */

static void add(struct ft_function *sum, const struct ft_function *function)
{
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        sum->coefficients[term] += function->coefficients[term];
}

/* What is accessed and executed in a routine with its loops, or in the program. */
struct total {
    uint32_t scope;
    struct ft_function accesses, instructions;
    uint64_t accesses_at_largest;
};

static int compare_totals(const void *left, const void *right)
{
    const struct total *a = left, *b = right;
    if (a->accesses_at_largest != b->accesses_at_largest)
        return a->accesses_at_largest < b->accesses_at_largest ? 1 : -1;
    return a->scope < b->scope ? -1 : a->scope > b->scope;
}

/* [scope], the program's in [0]; ordered by accesses, the program first. NULL without memory. */
static struct total *find_totals(const struct ft_model *model)
{
    const size_t count = model->scopes.scope_count;
    struct total *totals = calloc(count ? count : 1, sizeof *totals);
    if (!totals)
        return NULL;
    for (size_t i = 0; i < count; i++)
        totals[i].scope = (uint32_t)i;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_group *group = &model->groups[i];
        struct total *const sums[] = {&totals[0],
                                      &totals[ft_scope_routine(&model->scopes, group->scope)]};
        for (size_t j = 0; j < 2 && (j == 0 || sums[1] != sums[0]); j++) {
            add(&sums[j]->accesses, &group->accesses);
            sums[j]->accesses_at_largest += group->accesses_at_largest;
        }
    }
    for (size_t i = 0; i < model->counts_count; i++) {
        const struct ft_model_scope_counts *counts = &model->counts[i];
        struct total *routine = &totals[ft_scope_routine(&model->scopes, counts->scope)];
        add(&totals[0].instructions, &counts->instructions);
        if (routine != &totals[0])
            add(&routine->instructions, &counts->instructions);
    }
    if (count > 1)
        qsort(totals + 1, count - 1, sizeof *totals, compare_totals);
    return totals;
}

/* ---- as text ---- */

static int print_totals(const struct ft_model *model, FILE *stream, struct ft_diag *diag)
{
    char text[FT_FORMULA_TEXT];
    struct total *totals = find_totals(model);
    struct ft_table *table = ft_table_create();
    if (!totals || !table) {
        free(totals);
        ft_table_destroy(table);
        return ft_fail_memory(diag, "a table");
    }
    ft_table_column(table, "routine", "routine", false);
    ft_table_column(table, "share of accesses", "share", true);
    ft_table_column(table, "accesses", "accesses", false);
    ft_table_column(table, "instructions", "instructions", false);
    for (size_t i = 0; i < model->scopes.scope_count && i <= ROUTINES_SHOWN; i++) {
        if (i && totals[i].accesses_at_largest == 0)
            break;
        ft_table_text(table, i ? model->scopes.scopes[totals[i].scope].name : "the program");
        ft_table_share(table, totals[0].accesses_at_largest
                                  ? (double)totals[i].accesses_at_largest /
                                        (double)totals[0].accesses_at_largest
                                  : 0);
        ft_table_text(table, ft_formula_text(text, &totals[i].accesses, &model->basis));
        ft_table_text(table, ft_formula_text(text, &totals[i].instructions, &model->basis));
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    free(totals);
    return status;
}

static int print_footprint(const struct ft_model *model, FILE *stream, struct ft_diag *diag)
{
    char text[FT_FORMULA_TEXT], bytes[FT_NUMBER_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "distinct blocks", "distinct_blocks", false);
    for (size_t s = 0; s < model->size_count; s++) {
        ft_table_text(table, ft_text_bytes(bytes, (double)model->block_bytes[s]));
        ft_table_text(table, ft_formula_text(text, &model->distinct_blocks[s], &model->basis));
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* "up to 2; caches of 1, 2 of them" */
static void print_threads(const struct ft_model_threads *threads, FILE *stream)
{
    if (threads->most <= 1)
        return;
    fprintf(stream, "  threads       up to %" PRIu32 "; distances in caches of", threads->most);
    if (threads->cores > 0)
        fprintf(stream, " %" PRIu32, threads->cores);
    for (size_t i = 0; i < threads->shared_count; i++)
        fprintf(stream, "%s%" PRIu32, i > 0 || threads->cores > 0 ? ", " : " ",
                threads->shared[i].cores);
    fprintf(stream, "%s%s\n",
            threads->cores || threads->shared_count ? " each" : " changing numbers",
            threads->share_count > 0 ? "" : "; how they divide the work is unknown");
}

static int print_model(const struct ft_model *model, FILE *stream, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT], sizes[FT_TRAINING_TEXT];
    ft_print_wrapped(stream, FT_VALUE_INDENT, "  fitted over   %s\n",
                     ft_model_training_text(sizes, model));
    if (model->counted.count > 0)
        ft_print_wrapped(stream, FT_VALUE_INDENT, "  counted over  %s\n",
                         ft_model_counted_text(sizes, model));
    print_threads(&model->threads, stream);
    fprintf(stream, "  groups        %zu, with %s of the accesses in references of all sizes\n",
            model->group_count, ft_text_share(text, model->matched_share));
    if (model->data.object_count > 0)
        fprintf(stream, "  data          %zu objects that groups touch, by name\n",
                model->data.object_count);
    fprintf(stream, "  skeleton      %s\n\n",
            model->skeleton ? "yes; 'foretrace model show' has the share that follows laws" : "no");
    int status = print_totals(model, stream, diag);
    fputc('\n', stream);
    if (status == FT_OK)
        status = print_footprint(model, stream, diag);
    return status == FT_OK ? ft_sources_print(&model->scopes.sources, stream, diag) : status;
}

int ft_models_print(const char *path, const struct ft_model_file *file, FILE *stream,
                    struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < file->count; i++) {
        fprintf(stream, "%s%s: the model %s\n\n", i > 0 ? "\n" : "", path, file->models[i].name);
        status = print_model(&file->models[i], stream, diag);
    }
    return status;
}

/* ---- JSON ---- */

json_t *ft_function_json(const struct ft_function *function, const struct ft_basis *basis)
{
    json_t *coefficients = json_object();
    for (size_t term = 0; term < basis->term_count; term++) {
        char key[FT_TERM_TEXT];
        if (function->coefficients[term] != 0 &&
            json_object_set_new(coefficients, ft_term_text(key, basis, term),
                                ft_json_number(function->coefficients[term])) != 0) {
            json_decref(coefficients);
            return NULL;
        }
    }
    return coefficients;
}

static json_t *sizes_json(const struct ft_model *model)
{
    json_t *list = json_array();
    for (size_t s = 0; s < model->size_count; s++)
        ft_json_append(&list,
                       json_pack("{s:I, s:o}", "block_bytes", (json_int_t)model->block_bytes[s],
                                 "distinct_blocks",
                                 ft_function_json(&model->distinct_blocks[s], &model->basis)));
    return list;
}

static json_t *routines_json(const struct ft_model *model, const struct total *totals)
{
    json_t *list = json_array();
    for (size_t i = 1; i < model->scopes.scope_count && totals[i].accesses_at_largest; i++)
        ft_json_append(&list,
                       json_pack("{s:o, s:I, s:o, s:o}", "name",
                                 ft_json_text(model->scopes.scopes[totals[i].scope].name),
                                 "accesses_at_largest", (json_int_t)totals[i].accesses_at_largest,
                                 "accesses", ft_function_json(&totals[i].accesses, &model->basis),
                                 "instructions",
                                 ft_function_json(&totals[i].instructions, &model->basis)));
    return list;
}

/* Of several parameters, a row of their values. */
static json_t *values_json(const struct ft_model *model, const double *values)
{
    if (model->basis.parameter_count == 1)
        return ft_json_number(values[0]);
    json_t *row = json_array();
    for (size_t i = 0; i < model->basis.parameter_count; i++)
        ft_json_append(&row, ft_json_number(values[i]));
    return row;
}

static json_t *counted_json(const struct ft_model *model)
{
    json_t *sizes = json_array(), *hashes = json_array();
    for (size_t i = 0; i < model->counted.count; i++) {
        ft_json_append(&sizes, values_json(model, ft_model_counted_size(model, i)));
        ft_json_append(&hashes, ft_json_text(model->counted.trace_hashes[i]));
    }
    return json_pack("{s:o, s:o}", "counted", sizes, "counted_hashes", hashes);
}

static json_t *data_json(const struct ft_group_data *data)
{
    json_t *objects = json_array();
    for (size_t i = 0; i < data->object_count; i++)
        ft_json_append(&objects,
                       json_pack("{s:o, s:o}", "kind", ft_json_text(data->objects[i].kind), "name",
                                 ft_json_text(data->objects[i].name)));
    return objects;
}

static json_t *threads_json(const struct ft_model_threads *threads)
{
    json_t *cores = json_array();
    if (threads->cores > 0)
        ft_json_append(&cores, json_integer(threads->cores));
    for (size_t i = 0; i < threads->shared_count; i++)
        ft_json_append(&cores, json_integer(threads->shared[i].cores));
    return json_pack("{s:{s:I, s:o, s:b}}", "threads", "most", (json_int_t)threads->most,
                     "caches_of", cores, "work_is_known", threads->share_count > 0);
}

static json_t *parameters_json(const struct ft_model *model)
{
    json_t *names = json_array();
    for (size_t i = 0; i < model->basis.parameter_count; i++)
        ft_json_append(&names, ft_json_text(model->basis.parameters[i]));
    return names;
}

static json_t *model_json(const struct ft_model *model)
{
    struct total *totals = find_totals(model);
    if (!totals)
        return NULL;
    json_t *training = json_array(), *hashes = json_array();
    for (size_t i = 0; i < model->training_count; i++) {
        ft_json_append(&training, values_json(model, ft_model_training(model, i)));
        ft_json_append(&hashes, ft_json_text(model->trace_hashes[i]));
    }
    json_t *root = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "name",
        ft_json_text(model->name), "tool_version", ft_json_text(model->tool_version), "program",
        ft_json_text(model->program), "parameter", ft_json_text(model->parameter), "training",
        training, "content_hashes", hashes, "method", ft_json_text(model->method), "matched_share",
        ft_json_number(model->matched_share), "groups", (json_int_t)model->group_count, "accesses",
        ft_function_json(&totals[0].accesses, &model->basis), "instructions",
        ft_function_json(&totals[0].instructions, &model->basis), "block_sizes", sizes_json(model),
        "routines", routines_json(model, totals));
    free(totals);
    if (model->scopes.sources.count > 0)
        root = ft_json_merge(
            root, json_pack("{s:o}", "sources", ft_sources_json(&model->scopes.sources)));
    if (model->basis.parameter_count > 1)
        root = ft_json_merge(root, json_pack("{s:o}", "parameters", parameters_json(model)));
    if (model->counted.count > 0)
        root = ft_json_merge(root, counted_json(model));
    if (model->data.object_count > 0)
        root = ft_json_merge(root, json_pack("{s:o}", "data", data_json(&model->data)));
    if (model->threads.most > 1)
        root = ft_json_merge(root, threads_json(&model->threads));
    return ft_model_growth_json(root, model);
}

json_t *ft_models_json(const struct ft_model_file *file)
{
    json_t *models = json_array();
    for (size_t i = 0; i < file->count; i++)
        ft_json_append(&models, model_json(&file->models[i]));
    return json_pack("{s:s, s:o}", "kind", "model", "models", models);
}

json_t *ft_query_point_json(json_t *into, const struct ft_model *model,
                            const struct ft_query_point *size)
{
    json_t *asked = json_object();
    const char *name;
    if (!ft_query_point_has_other(&size->asked)) {
        json_decref(asked);
        return into;
    }
    for (size_t i = 0; i < FT_PARAMETERS_MAX && (name = ft_query_point_other(model, i)); i++)
        asked =
            ft_json_merge(asked, json_pack("{s:o}", name, ft_json_number(size->asked.others[i])));
    return ft_json_merge(into, json_pack("{s:o, s:o}", "asked", asked, "data_bytes",
                                         ft_json_number(size->data_bytes)));
}

void ft_model_growth_print(const struct ft_model *model, FILE *stream)
{
    const struct ft_data_growth *growth = &model->growth;
    char text[FT_FORMULA_TEXT];
    const size_t count = growth->basis.parameter_count;
    if (count == 0)
        return;
    fprintf(stream, "the data grow as " FT_DATA_SIZE "(");
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", growth->names[i]);
    fprintf(stream, ") = %s", ft_formula_text(text, &growth->bytes[0], &growth->basis));
    for (size_t i = 0; i < count; i++)
        fprintf(stream, ", %s = %.15g to %.15g", growth->names[i], growth->least[i],
                growth->largest[i]);
    fputc('\n', stream);
}

json_t *ft_model_growth_json(json_t *into, const struct ft_model *model)
{
    const struct ft_data_growth *growth = &model->growth;
    json_t *ranges = json_object();
    if (growth->basis.parameter_count == 0) {
        json_decref(ranges);
        return into;
    }
    for (size_t i = 0; i < growth->basis.parameter_count; i++)
        ranges = ft_json_merge(ranges, json_pack("{s:[o, o]}", growth->names[i],
                                                 ft_json_number(growth->least[i]),
                                                 ft_json_number(growth->largest[i])));
    return ft_json_merge(into,
                         json_pack("{s:{s:o, s:o, s:b}}", "data_growth", "ranges", ranges, "bytes",
                                   ft_function_json(&growth->bytes[0], &growth->basis), "exact",
                                   growth->bytes[0].exact));
}
