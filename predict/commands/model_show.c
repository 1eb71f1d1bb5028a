/*
 * As text: the head of a model, its groups, and a table of formulas for each. Then the same rows as
 * CSV and JSON, which show every group.
 */
#include "predict/commands/model_show.h"

#include <math.h>
#include <string.h>

#include "fit/skeletons/synthesis.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/model_report.h"
#include "predict/formulas/block_formulas.h"

#define SHOWN_STEP 0.99 /* of the tail shown before: bins that change less are not shown */

/* ---- as text ---- */

static void print_head(const struct ft_model *model, FILE *stream)
{
    char sizes[FT_TRAINING_TEXT];
    ft_print_wrapped(stream, 2, "%s, a model of %s over %s\n", model->name, model->program,
                     ft_model_training_text(sizes, model));
    for (size_t i = 0; i < model->fixed_count; i++)
        fprintf(stream, "at %s = %.15g\n", model->fixed[i].name, model->fixed[i].value);
    ft_model_growth_print(model, stream);
}

static int print_skeleton(const struct ft_model *model, FILE *stream, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    struct ft_synthetic_share share;
    if (!model->skeleton)
        return FT_OK;
    FT_TRY(ft_synthetic_share_sum(model->skeleton, &share, diag));
    ft_print_wrapped(stream, 2, "skeleton: %s of the accesses follow laws of %s\n",
                     ft_text_share(text, share.accesses > 0 ? share.sized / share.accesses : 0),
                     model->parameter);
    return FT_OK;
}

static bool is_distance(const struct ft_model_formula *formula)
{
    return strncmp(formula->what, FT_FORMULA_DISTANCE, strlen(FT_FORMULA_DISTANCE)) == 0;
}

static void print_group_head(const struct ft_model *model, size_t index, const char *accesses,
                             FILE *stream)
{
    const struct ft_model_group *group = &model->groups[index];
    const struct ft_scope *scope = &model->scopes.scopes[group->scope];
    const bool is_loop = scope->kind == FT_SCOPE_LOOP;
    char references[64] = "";
    if (!group->rest && group->line > 0)
        snprintf(references, sizeof references, ": line %u, %u reference%s", group->line,
                 group->reference_count, group->reference_count == 1 ? "" : "s");
    ft_print_wrapped(stream, 2, "\n%s%s%s%s, accesses(%s) = %s\n", scope->name,
                     is_loop ? " in " : "", is_loop ? model->scopes.scopes[scope->parent].name : "",
                     group->rest ? ": remainder of the routine" : references, model->parameter,
                     accesses);
}

/* "misses(N) in L1D, 32 KiB of 64 B": the parameter behind the noun. */
static void subject_text(char *text, size_t bytes, const struct ft_model *model,
                         const struct ft_model_formula *formula)
{
    const char *in = formula->to > 0 ? strstr(formula->what, " in ") : NULL;
    int noun = (int)(in ? (size_t)(in - formula->what) : strlen(formula->what));
    char size[FT_NUMBER_TEXT], blocks[64] = "";
    if (formula->block_bytes > 0)
        snprintf(blocks, sizeof blocks, " of %s",
                 ft_text_bytes(size, (double)formula->block_bytes));
    snprintf(text, bytes, "%.*s(%s)%s%s", noun, formula->what, model->parameter, in ? in : "",
             blocks);
}

static void add_ahead(struct ft_table *table, const struct ft_model_formula *formula)
{
    if (isnan(formula->ahead))
        ft_table_empty(table);
    else
        ft_table_share(table, formula->ahead);
}

static void add_formula(struct ft_table *table, const struct ft_model_formula *formula)
{
    char text[FT_FORMULA_TEXT], from[FT_NUMBER_TEXT], to[FT_NUMBER_TEXT];
    if (formula->transition) {
        ft_table_format(table, "from %s to %s", ft_text_count(from, formula->value_from),
                        ft_text_count(to, formula->value_to));
        ft_table_text(table, "");
        add_ahead(table, formula);
        return;
    }
    ft_table_format(table, "= %s", ft_formula_text(text, &formula->function, formula->basis));
    if (formula->function.exact)
        ft_table_text(table, "exact");
    else
        ft_table_percent(table, formula->error);
    add_ahead(table, formula);
}

static int print_program(const struct ft_model_show *show, size_t count, FILE *stream,
                         struct ft_diag *diag)
{
    const struct ft_model *model = show->model;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "the program", "what", false);
    ft_table_column(table, "", "range", false);
    ft_table_column(table, "", "formula", false);
    ft_table_column(table, "error", "error", true);
    ft_table_column(table, "ahead", "ahead", true);
    for (size_t i = 0; i < count; i++) {
        const struct ft_model_formula *formula = &show->formulas.items[i];
        char subject[2 * FT_FORMULA_SUBJECT];
        subject_text(subject, sizeof subject, model, formula);
        ft_table_text(table, subject);
        if (formula->to > 0)
            ft_table_format(table, "%s = %.4g to %.4g", model->parameter, formula->from,
                            formula->to);
        else
            ft_table_text(table, "");
        add_formula(table, formula);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* Whether a bin, whose distance stands at i and whose tail behind it, is worth a line: the first of
 * its block size, or a tail that is well below that of the last one shown. */
static bool is_shown(const struct ft_model_show *show, size_t i, const struct ft_point *largest,
                     double *shown)
{
    double tail = ft_function_at(&show->formulas.items[i + 1].function, largest);
    bool first = !is_distance(&show->formulas.items[i - 2]);
    if (!first && tail > SHOWN_STEP * *shown)
        return false;
    *shown = tail;
    return true;
}

static void add_bin(struct ft_table *table, const char *distance,
                    const struct ft_model_formula *touches)
{
    char size[FT_NUMBER_TEXT], text[FT_FORMULA_TEXT];
    ft_table_text(table, ft_text_bytes(size, (double)touches->block_bytes));
    ft_table_text(table, distance);
    ft_table_text(table, ft_formula_text(text, &touches->function, touches->basis));
    if (touches->function.exact)
        ft_table_text(table, "exact");
    else
        ft_table_percent(table, touches->error);
}

/* Its formulas are [begin, end): accesses, and for each block size touches, first touches, bins. */
static int print_group(const struct ft_model_show *show, size_t begin, size_t end, FILE *stream,
                       struct ft_diag *diag)
{
    const struct ft_model *model = show->model;
    const struct ft_model_formula *formulas = show->formulas.items;
    const struct ft_point largest = ft_model_largest(model);
    double shown = 0;
    char text[FT_FORMULA_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_formula_text(text, &formulas[begin].function, formulas[begin].basis);
    print_group_head(model, formulas[begin].group, text, stream);
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "distance in blocks", "distance", false);
    ft_table_column(table, "touches at that distance and beyond", "touches", false);
    ft_table_column(table, "error", "error", true);
    for (size_t i = begin + 1; i < end; i++) {
        if (!is_distance(&formulas[i])) {
            add_bin(table, i + 1 < end && is_distance(&formulas[i + 1]) ? "never" : "any",
                    &formulas[i]);
            continue;
        }
        if (is_shown(show, i, &largest, &shown))
            add_bin(table, ft_formula_text(text, &formulas[i].function, formulas[i].basis),
                    &formulas[i + 1]);
        i++;
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* The block's address, or, indented, where an edge leads. */
static void add_block_name(struct ft_table *table, const struct ft_model *model,
                           const struct ft_model_formula *formula)
{
    const struct ft_scopes *scopes = &model->scopes;
    const struct ft_block *block = formula->block;
    char address[FT_BLOCK_ADDRESS_TEXT];
    if (formula->edge) {
        ft_block_address_text(address, scopes, &scopes->blocks[formula->edge->to]);
        ft_table_format(table, "  to %s", address);
    } else {
        ft_block_address_text(address, scopes, block);
        ft_table_format(table, "%s in %s", address, scopes->scopes[block->scope].name);
    }
}

static int print_blocks(const struct ft_model_show *show, size_t begin, FILE *stream,
                        struct ft_diag *diag)
{
    char text[FT_FORMULA_TEXT];
    const struct ft_model *model = show->model;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    fputs("\n", stream);
    ft_table_column(table, "blocks, and the edges out of them", "block", false);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "executions", "executions", false);
    ft_table_column(table, "error", "error", true);
    for (size_t i = begin; i < show->formulas.count; i++) {
        const struct ft_model_formula *formula = &show->formulas.items[i];
        add_block_name(table, model, formula);
        if (formula->edge)
            ft_table_text(table, "");
        else
            ft_table_count(table, formula->block->instruction_count);
        ft_table_text(table, ft_formula_text(text, &formula->function, formula->basis));
        if (formula->function.exact)
            ft_table_text(table, "exact");
        else
            ft_table_percent(table, formula->error);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static int print_model(const struct ft_model_show *show, FILE *stream, struct ft_diag *diag)
{
    const struct ft_model_formulas *formulas = &show->formulas;
    size_t begin = 0, end = 0;
    print_head(show->model, stream);
    FT_TRY(print_skeleton(show->model, stream, diag));
    while (end < formulas->count && formulas->items[end].group == FT_NO_GROUP_SHOWN &&
           !formulas->items[end].block)
        end++;
    int status = print_program(show, end, stream, diag);
    for (begin = end; status == FT_OK && begin < formulas->count && !formulas->items[begin].block;
         begin = end) {
        while (end < formulas->count && formulas->items[end].group == formulas->items[begin].group)
            end++;
        status = print_group(show, begin, end, stream, diag);
    }
    if (status == FT_OK && begin < formulas->count)
        status = print_blocks(show, begin, stream, diag);
    return status;
}

int ft_model_show_text(const struct ft_model_show *shows, size_t count, FILE *stream,
                       struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        if (i > 0)
            fputs("\n", stream);
        status = print_model(&shows[i], stream, diag);
    }
    return status;
}

/* ---- for programs ---- */

static const char *scope_name(const struct ft_model *model, const struct ft_model_formula *formula)
{
    const uint32_t scope = formula->block ? formula->block->scope
                           : formula->group == FT_NO_GROUP_SHOWN
                               ? 0
                               : model->groups[formula->group].scope;
    return model->scopes.scopes[scope].name;
}

static void add_row(struct ft_table *table, const struct ft_model *model,
                    const struct ft_model_formula *formula)
{
    char text[FT_FORMULA_TEXT];
    ft_table_text(table, model->name);
    ft_table_text(table, scope_name(model, formula));
    if (formula->group == FT_NO_GROUP_SHOWN)
        ft_table_empty(table);
    else
        ft_table_count(table, (double)formula->group);
    ft_table_text(table, formula->what);
    if (formula->block_bytes > 0)
        ft_table_count(table, (double)formula->block_bytes);
    else
        ft_table_empty(table);
    for (int i = 0; i < 2; i++)
        if (formula->to > 0)
            ft_table_count(table, i == 0 ? formula->from : formula->to);
        else
            ft_table_empty(table);
    for (int i = 0; i < 2; i++)
        if (formula->to > 0)
            ft_table_count(table, i == 0 ? formula->value_from : formula->value_to);
        else
            ft_table_empty(table);
    if (formula->transition) {
        for (int i = 0; i < 3; i++)
            ft_table_empty(table);
        add_ahead(table, formula);
        return;
    }
    ft_table_text(table, ft_formula_text(text, &formula->function, formula->basis));
    ft_table_text(table, formula->function.exact ? "true" : "false");
    ft_table_percent(table, formula->error);
    add_ahead(table, formula);
}

int ft_model_show_csv(const struct ft_model_show *shows, size_t count, FILE *stream,
                      struct ft_diag *diag)
{
    static const char *const keys[] = {"model", "scope", "group",      "what",     "block_bytes",
                                       "from",  "to",    "value_from", "value_to", "formula",
                                       "exact", "error", "ahead"};
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ft_table_column(table, keys[i], keys[i], false);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < shows[i].formulas.count; j++)
            add_row(table, shows[i].model, &shows[i].formulas.items[j]);
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

static json_t *formula_json(const struct ft_model *model, const struct ft_model_formula *formula)
{
    char text[FT_FORMULA_TEXT];
    json_t *json = json_pack(
        "{s:o, s:s, s:s*, s:o*, s:b, s:o, s:o}", "scope", ft_json_text(scope_name(model, formula)),
        "what", formula->what, "formula",
        formula->transition ? NULL : ft_formula_text(text, &formula->function, formula->basis),
        "coefficients",
        formula->transition ? NULL : ft_function_json(&formula->function, formula->basis), "exact",
        formula->function.exact, "error", ft_json_number(formula->error), "ahead",
        isnan(formula->ahead) ? json_null() : ft_json_number(formula->ahead));
    if (json && formula->group != FT_NO_GROUP_SHOWN)
        json_object_set_new(json, "group", json_integer((json_int_t)formula->group));
    if (json && formula->block && !formula->edge)
        json_object_set_new(json, "block_instructions",
                            json_integer((json_int_t)formula->block->instruction_count));
    if (json && formula->block_bytes > 0)
        json_object_set_new(json, "block_bytes", json_integer((json_int_t)formula->block_bytes));
    if (json && formula->to > 0) {
        json_object_set_new(json, "from", ft_json_number(formula->from));
        json_object_set_new(json, "to", ft_json_number(formula->to));
        json_object_set_new(json, "value_from", ft_json_number(formula->value_from));
        json_object_set_new(json, "value_to", ft_json_number(formula->value_to));
    }
    return json;
}

int ft_model_show_json(const struct ft_model_show *shows, size_t count, FILE *stream,
                       struct ft_diag *diag)
{
    json_t *models = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct ft_model *model = shows[i].model;
        json_t *formulas = json_array();
        for (size_t j = 0; j < shows[i].formulas.count; j++)
            ft_json_append(&formulas, formula_json(model, &shows[i].formulas.items[j]));
        json_t *json = json_pack("{s:o, s:o, s:o, s:o}", "name", ft_json_text(model->name),
                                 "program", ft_json_text(model->program), "parameter",
                                 ft_json_text(model->parameter), "formulas", formulas);
        ft_json_append(&models, ft_model_growth_json(json, model));
    }
    return ft_json_write(json_pack("{s:s, s:o}", "kind", "formulas", "models", models), stream,
                         diag);
}
