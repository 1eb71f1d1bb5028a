/*
 * The document: what it was made from, the machines, the scopes that some forecast shows, and the
 * parts.
 */
#include "predict/commands/report/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/commands/model_report.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/page/sources.h"

#define DOCUMENT_VERSION 1

bool ft_page_shows(const struct ft_page_task *task, uint32_t scope)
{
    for (size_t i = 0; i < task->forecasts->report_count; i++) {
        const struct ft_report *report = &task->forecasts->reports[i];
        for (size_t k = 0; k < report->count; k++)
            if (report->list[k] == scope)
                return true;
    }
    return scope == 0;
}

bool *ft_page_shown_scopes(const struct ft_page_task *task)
{
    const size_t count = ft_page_model(task)->scopes.scope_count;
    bool *is_shown = calloc(count + 1, sizeof *is_shown);
    for (size_t i = 0; is_shown && i < count; i++)
        is_shown[i] = ft_page_shows(task, (uint32_t)i);
    return is_shown;
}

/* ---- what it was made from ---- */

static json_t *texts_json(char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list, ft_json_text(texts[i]));
    return list;
}

static json_t *fixed_json(const struct ft_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < model->fixed_count; i++)
        ft_json_append(&list,
                       json_pack("{s:o, s:o, s:o, s:o}", "name", ft_json_text(model->fixed[i].name),
                                 "value", ft_json_number(model->fixed[i].value), "least",
                                 ft_json_number(model->fixed[i].least), "largest",
                                 ft_json_number(model->fixed[i].largest)));
    return list;
}

json_t *ft_page_modules_json(const struct ft_scopes *scopes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scopes->module_count; i++)
        ft_json_append(&list,
                       json_pack("{s:o, s:o, s:s}", "name", ft_json_text(scopes->modules[i].name),
                                 "path", ft_json_text(scopes->modules[i].path), "build_id",
                                 scopes->modules[i].build_id));
    return list;
}

/* Accesses of the whole program at a training size; NAN in files from before there was this. */
static double training_accesses(const struct ft_model *model, size_t size)
{
    double sum = 0;
    for (size_t i = 0; model->training_accesses && i < model->group_count; i++)
        sum += (double)model->training_accesses[i * model->training_count + size];
    return model->training_accesses ? sum : NAN;
}

static json_t *training_json(const struct ft_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < model->training_count; i++)
        ft_json_append(&list,
                       json_pack("{s:o, s:o, s:o}", "size", ft_json_number(model->training[i]),
                                 "accesses", ft_page_number(training_accesses(model, i)), "trace",
                                 ft_json_text(model->trace_hashes[i])));
    return list;
}

static json_t *model_json(const struct ft_page_task *task)
{
    const struct ft_model *model = ft_page_model(task);
    json_t *blocks = json_array();
    for (size_t i = 0; i < model->size_count; i++)
        ft_json_append(&blocks, json_integer((json_int_t)model->block_bytes[i]));
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
        ft_json_text(ft_operands(task->forecasts->arguments)[0]), "name", ft_json_text(model->name),
        "program", ft_json_text(model->program), "parameter", ft_json_text(model->parameter),
        "fixed", fixed_json(model), "training", training_json(model), "block_bytes", blocks,
        "method", ft_json_text(model->method), "methods",
        texts_json(model->methods, model->method_count), "options", ft_json_text(model->options),
        "tool_version", ft_json_text(model->tool_version));
    return ft_json_merge(json, json_pack("{s:o, s:I, s:o}", "matched_share",
                                         ft_page_number(model->matched_share), "replicas",
                                         (json_int_t)model->replica_count, "modules",
                                         ft_page_modules_json(&model->scopes)));
}

/* ---- machines ---- */

static json_t *speed_json(const struct ft_speed *speed)
{
    return json_pack("{s:o, s:o, s:o}", "load_bytes_per_cycle",
                     ft_page_number(speed->load_bytes_per_cycle), "vector_bytes_per_cycle",
                     ft_page_number(speed->vector_bytes_per_cycle), "store_bytes_per_cycle",
                     ft_page_number(speed->store_bytes_per_cycle));
}

json_t *ft_page_machine_json(const struct ft_machine *machine, bool dirty_memory)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        ft_json_append(
            &levels, ft_json_merge(
                         ft_level_json(level),
                         json_pack("{s:o, s:o, s:b, s:o}", "latency_cycles",
                                   ft_page_number(level->latency_cycles), "miss_cycles",
                                   ft_page_number(ft_machine_miss_cycles(machine, i, dirty_memory)),
                                   "shared", level->shared, "speed", speed_json(&level->speed))));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", ft_json_text(machine->name),
                     "description", ft_json_text(machine->description), "clock_ghz",
                     ft_page_number(machine->clock_ghz), "issue_width",
                     ft_page_number(machine->issue_width), "memory_latency_cycles",
                     ft_page_number(ft_machine_memory_cycles(machine, dirty_memory)),
                     "memory_speed", speed_json(&machine->memory_speed), "levels", levels);
}

/* ---- scopes ---- */

json_t *ft_page_scope_json(const struct ft_scopes *scopes, uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    return ft_json_merge(
        ft_scope_json(scopes, index),
        json_pack("{s:I, s:o, s:I, s:I}", "id", (json_int_t)index, "parent",
                  scope->kind == FT_SCOPE_LOOP ? json_integer(scope->parent) : json_null(),
                  "entries", (json_int_t)scope->entry_count, "iterations",
                  (json_int_t)scope->iteration_count));
}

static json_t *scopes_json(const struct ft_page_task *task)
{
    const struct ft_scopes *scopes = &ft_page_model(task)->scopes;
    json_t *list = json_array();
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (ft_page_shows(task, i))
            ft_json_append(&list, ft_page_scope_json(scopes, i));
    return list;
}

/* Lines of what any machine's report shows, the heaviest of the first one's first. */
static json_t *sources_json(const struct ft_page_task *task)
{
    const struct ft_forecasts *forecasts = task->forecasts;
    size_t count = 0;
    for (size_t i = 0; i < forecasts->report_count; i++)
        count += forecasts->reports[i].count;
    uint32_t *list = calloc(count + 1, sizeof *list), *end = list;
    for (size_t i = 0; list && task->with_source && i < forecasts->report_count; i++)
        for (size_t k = 0; k < forecasts->reports[i].count; k++)
            *end++ = forecasts->reports[i].list[k];
    json_t *sources = list ? ft_page_sources(&ft_page_model(task)->scopes, list,
                                             (size_t)(end - list), task->sources)
                           : NULL;
    free(list);
    return sources;
}

/* ---- all of it ---- */

/* Appends what a part gives for each of `count` items. */
typedef int make_part(const struct ft_page_task *task, size_t index, json_t **ret_part,
                      struct ft_diag *diag);

static int add_parts(const struct ft_page_task *task, make_part *make, size_t count,
                     const char *name, json_t **document, struct ft_diag *diag)
{
    json_t *list = json_array();
    int status = FT_OK;
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        json_t *part = NULL;
        status = make(task, i, &part, diag);
        if (status == FT_OK)
            ft_json_append(&list, part);
    }
    *document = ft_json_merge(*document, json_pack("{s:o}", name, list));
    return status;
}

int ft_page_document(const struct ft_page_task *task, json_t **ret_document, struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    const size_t machines = task->forecasts->report_count;
    json_t *references = NULL, *code = NULL, *list = json_array();
    for (size_t i = 0; i < machines; i++)
        ft_json_append(&list, ft_page_machine_json(ft_page_prediction(task, i)->machine,
                                                   task->forecasts->dirty_memory));
    json_t *document =
        json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", DOCUMENT_VERSION,
                  "tool_version", FT_VERSION, "command", ft_json_text(task->command), "n",
                  ft_json_number(ft_page_prediction(task, 0)->n), "model", model_json(task),
                  "machines", list, "scopes", scopes_json(task), "sources", sources_json(task));
    int status;
    FT_TRY_TO(done, status,
              add_parts(task, ft_page_forecast, machines, "forecasts", &document, diag));
    FT_TRY_TO(done, status, add_parts(task, ft_page_scaling, machines, "scaling", &document, diag));
    FT_TRY_TO(done, status,
              add_parts(task, ft_page_reuse, model->size_count, "reuse", &document, diag));
    FT_TRY_TO(done, status,
              add_parts(task, ft_page_surface, model->size_count, "surfaces", &document, diag));
    FT_TRY_TO(done, status, ft_page_references(task, &references, diag));
    document = ft_json_merge(document, json_pack("{s:o, s:o}", "references", references,
                                                 "distance_sizes", ft_page_distance_sizes(task)));
    FT_TRY_TO(done, status, ft_page_forecast_code(task, &code, diag));
    document = ft_json_merge(document, json_pack("{s:o}", "code", code));
    if (!document)
        status = ft_fail_memory(diag, "a report");
done:
    if (status == FT_OK)
        *ret_document = document;
    else
        json_decref(document);
    return status;
}
