/*
 * Cells that several answers share (models, sizes, extrapolation, ratios, caches); then the tables
 * of an answer as text, CSV or JSON.
 */
#include "predict/commands/query/answer.h"

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/terminal.h"
#include "formats/commands/model_report.h"
#include "predict/resolution.h"

#define HEAD_TEXT 256

static const struct ft_answer_maker *const makers[] = {
    [FT_ASK_RATIO] = &ft_ratio_answers,         [FT_ASK_MIN_CACHE] = &ft_min_cache_answers,
    [FT_ASK_SIZES] = &ft_sizes_answers,         [FT_ASK_CRITICAL] = &ft_critical_answers,
    [FT_ASK_CAPACITIES] = &ft_capacity_answers, [FT_ASK_MIN_CACHES] = &ft_min_caches_answers,
    [FT_ASK_SURFACE] = &ft_surface_answers,     [FT_ASK_MINI_REF] = &ft_mini_ref_answers,
    [FT_ASK_MINI_SET] = &ft_mini_set_answers,
};

int ft_answer_make(const struct ft_query *query, const struct ft_model *models, size_t model_count,
                   struct ft_answer *ret_answer, struct ft_diag *diag)
{
    const struct ft_answer_maker *maker = makers[query->question];
    gsl_set_error_handler_off(); /* the default one aborts the program */
    *ret_answer = (struct ft_answer){
        .query = query,
        .models = models,
        .model_count = model_count,
        .as_text = query->form == FT_REPORT_TEXT,
    };
    int status = maker->columns(ret_answer, diag);
    for (size_t i = 0; i < model_count && status == FT_OK && maker->rows; i++)
        status = maker->rows(ret_answer, &models[i], diag);
    return status == FT_OK && !maker->rows ? maker->all_rows(ret_answer, diag) : status;
}

void ft_answer_fini(struct ft_answer *answer)
{
    for (size_t i = 0; i < FT_ANSWER_TABLES; i++)
        ft_table_destroy(answer->tables[i].table);
}

/* ---- cells ---- */

static bool names_models(const struct ft_answer *answer)
{
    return !answer->as_text || answer->model_count > 1;
}

struct ft_table *ft_answer_table(struct ft_answer *answer, size_t table, const char *key,
                                 const char *heading, struct ft_diag *diag)
{
    struct ft_answer_table *made = &answer->tables[table];
    *made = (struct ft_answer_table){.key = key, .heading = heading, .table = ft_table_create()};
    if (!made->table)
        ft_fail_memory(diag, "a table");
    else if (names_models(answer))
        ft_table_column(made->table, "model", "model", false);
    return made->table;
}

struct ft_table *ft_answer_row(struct ft_answer *answer, size_t table, const struct ft_model *model)
{
    answer->tables[table].rows++;
    if (names_models(answer))
        ft_table_text(answer->tables[table].table, model->name);
    return answer->tables[table].table;
}

void ft_answer_size(struct ft_table *table, double n)
{
    char text[FT_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.10g", n);
    ft_table_labelled(table, text, n);
}

void ft_answer_extrapolation(struct ft_table *table, const struct ft_model *model, double n)
{
    const double times = ft_model_extrapolation(model, n);
    char text[FT_NUMBER_TEXT] = "inside";
    if (times > 1)
        snprintf(text, sizeof text, n < model->training[0] ? "/ %.3g" : "x %.3g", times);
    ft_table_labelled(table, text, times);
}

bool ft_answer_knows(const struct ft_model *model, const struct ft_level *level, double n,
                     double misses)
{
    const struct ft_point at = ft_point_at(&model->basis, &n);
    return ft_resolution_of(model, level, &at, misses).resolved;
}

void ft_answer_ratio(struct ft_answer *answer, struct ft_table *table, double ratio, bool known)
{
    char text[FT_NUMBER_TEXT], guess[FT_NUMBER_TEXT + 2];
    snprintf(guess, sizeof guess, "%s%s", ft_text_share(text, ratio), known ? "" : " ?");
    ft_table_labelled(table, guess, ratio);
    answer->guesses |= !known;
}

void ft_answer_known_column(const struct ft_answer *answer, struct ft_table *table)
{
    if (!answer->as_text)
        ft_table_column(table, "resolved", "resolved", true);
}

void ft_answer_known_cell(const struct ft_answer *answer, struct ft_table *table, bool known)
{
    if (!answer->as_text)
        ft_table_count(table, known);
}

char *ft_answer_block_title(char text[FT_BLOCK_TITLE], const struct ft_answer *answer,
                            size_t column)
{
    char bytes[FT_NUMBER_TEXT];
    snprintf(text, FT_BLOCK_TITLE, "blocks of %s",
             ft_text_bytes(bytes, (double)answer->models[0].block_bytes[column]));
    return text;
}

size_t ft_answer_block(const struct ft_answer *answer, const struct ft_model *model, size_t column)
{
    return ft_model_block_size(model, answer->models[0].block_bytes[column]);
}

void ft_answer_cache_columns(const struct ft_answer *answer, struct ft_table *table)
{
    ft_table_column(table, "cache", "cache", false);
    if (answer->as_text && answer->query->caches.name[0] == '-')
        return; /* it is named by its capacity */
    if (!answer->as_text)
        ft_table_column(table, "kind", "kind", false);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "block", "block_bytes", true);
    if (!answer->as_text)
        ft_table_column(table, "ways", "ways", true);
}

void ft_answer_cache_cells(const struct ft_answer *answer, struct ft_table *table,
                           const struct ft_level *level)
{
    ft_table_text(table, level->name);
    if (answer->as_text && answer->query->caches.name[0] == '-')
        return;
    if (!answer->as_text)
        ft_table_text(table, ft_level_kind_names[level->kind]);
    ft_table_bytes(table, (double)ft_level_capacity_bytes(level));
    ft_table_bytes(table, (double)level->block_bytes);
    if (!answer->as_text)
        ft_table_count(table, (double)level->ways);
}

/* ---- writing ---- */

static int read_size(const struct ft_answer *answer, const struct ft_model *model,
                     struct ft_query_point *ret_size)
{
    return answer->query->at ? ft_query_size(model, "at", answer->query->at, ret_size, NULL)
                             : FT_ERROR_USAGE;
}

/* What the answers rest on, one line a model. */
static void print_head(const struct ft_answer *answer, FILE *stream)
{
    for (size_t i = 0; i < answer->model_count; i++) {
        const struct ft_model *model = &answer->models[i];
        double largest = model->training[model->training_count - 1];
        char text[FT_QUERY_POINT_TEXT];
        struct ft_query_point size = {0};
        char where[HEAD_TEXT] = "";
        if (read_size(answer, model, &size) == FT_OK) {
            double n = size.value, times = ft_model_extrapolation(model, n);
            if (times == 1)
                snprintf(where, sizeof where, "; %s = %.15g lies inside", model->parameter, n);
            else
                snprintf(where, sizeof where, "; %s = %.15g is an extrapolation, %.3g times %s",
                         model->parameter, n, times,
                         n > largest ? "the largest" : "below the smallest");
        }
        ft_print_wrapped(stream, 2, "%s, trained from %s = %.15g to %.15g%s\n", model->name,
                         model->parameter, model->training[0], largest, where);
        if (*ft_query_point_text(text, model, &size))
            fprintf(stream, "%s\n", text);
    }
    if (answer->query->in)
        fprintf(stream, "accesses in %s alone, ", answer->query->in);
    fprintf(stream, "%s%s\n",
            answer->query->in_sets ? "misses in sets" : "fully associative caches",
            answer->query->reuse ? ", first touches left out" : "");
}

/* Models that have no intervals. */
static void print_unsure(const struct ft_answer *answer, FILE *stream)
{
    for (size_t i = 0; i < answer->model_count; i++)
        if (answer->models[i].replica_count == 0)
            fprintf(stream,
                    "\nno intervals for %s: the model has no replicas (%zu training sizes). "
                    "Fit it again\nto 3 sizes or more\n",
                    answer->models[i].name, answer->models[i].training_count);
}

/* Whose caches the answers are of. */
static void print_threads(const struct ft_answer *answer, FILE *stream)
{
    for (size_t i = 0; i < answer->model_count; i++) {
        const struct ft_model_threads *threads = &answer->models[i].threads;
        if (threads->most > 1)
            fprintf(stream,
                    "\n%s ran with up to %" PRIu32 " threads: caches are %s;\n"
                    "'foretrace predict' has misses of those that a machine's cores share\n",
                    answer->models[i].name, threads->most,
                    threads->cores == 1 ? "those that each has by itself"
                                        : "those that threads share as they were replayed");
    }
}

static int write_text(const struct ft_answer *answer, FILE *stream, struct ft_diag *diag)
{
    int status = FT_OK;
    print_head(answer, stream);
    for (size_t i = 0; i < FT_ANSWER_TABLES && status == FT_OK; i++) {
        const struct ft_answer_table *made = &answer->tables[i];
        if (!made->table || made->rows == 0)
            continue;
        fprintf(stream, made->heading ? "\n%s\n\n" : "\n", made->heading);
        status = ft_table_write(made->table, stream, false, diag);
    }
    if (answer->guesses)
        ft_print_wrapped(
            stream, 0,
            "\n'?': a guess, because the training sizes touched too few blocks to show how this "
            "grows ('foretrace predict' names sizes that are large enough)\n");
    if (answer->refuses)
        ft_print_wrapped(
            stream, 0,
            "\nunknown: the training sizes do not determine it. Leaving one of them "
            "out changes the answer by as much as itself: train with more, and larger, "
            "sizes\n");
    print_unsure(answer, stream);
    print_threads(answer, stream);
    if (answer->note)
        fprintf(stream, "\n%s\n", answer->note);
    return status;
}

static json_t *model_json(const struct ft_answer *answer, const struct ft_model *model)
{
    struct ft_query_point size;
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}", "model", ft_json_text(model->name), "program",
                  ft_json_text(model->program), "parameter", ft_json_text(model->parameter),
                  "smallest", ft_json_number(model->training[0]), "largest",
                  ft_json_number(model->training[model->training_count - 1]), "replicas",
                  (json_int_t)model->replica_count);
    if (model->threads.most > 1)
        json =
            ft_json_merge(json, json_pack("{s:I, s:I}", "threads", (json_int_t)model->threads.most,
                                          "caches_of", (json_int_t)model->threads.cores));
    if (read_size(answer, model, &size) != FT_OK)
        return json;
    return ft_query_point_json(
        ft_json_merge(json,
                      json_pack("{s:o, s:o}", "at", ft_json_number(size.value), "extrapolation",
                                ft_json_number(ft_model_extrapolation(model, size.value)))),
        model, &size);
}

static int write_json(const struct ft_answer *answer, FILE *stream, struct ft_diag *diag)
{
    const struct ft_query *query = answer->query;
    json_t *models = json_array();
    for (size_t i = 0; i < answer->model_count; i++)
        ft_json_append(&models, model_json(answer, &answer->models[i]));
    json_t *json = json_pack("{s:s, s:b, s:b, s:o}", "question", makers[query->question]->name,
                             "reuse", query->reuse, "sets", query->in_sets, "models", models);
    for (size_t i = 0; i < FT_ANSWER_TABLES && json; i++)
        if (answer->tables[i].table &&
            json_object_set_new(json, answer->tables[i].key,
                                ft_table_json(answer->tables[i].table)) != 0) {
            json_decref(json);
            json = NULL;
        }
    return ft_json_write(json, stream, diag);
}

int ft_answer_write(const struct ft_answer *answer, FILE *stream, struct ft_diag *diag)
{
    switch (answer->query->form) {
    case FT_REPORT_JSON:
        return write_json(answer, stream, diag);
    case FT_REPORT_CSV:
        return ft_table_write(answer->tables[0].table, stream, true, diag);
    default:
        return write_text(answer, stream, diag);
    }
}
