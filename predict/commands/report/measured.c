/*
 * Files are read once for each machine; what the first one has stands for all where machines do not
 * matter. Columns of the document are those of a forecast (forecast_data.c), without time.
 */
#include "predict/commands/report/measured.h"

#include <stdlib.h>
#include <string.h>

#include "formats/commands/scope_report.h"
#include "predict/commands/page/page.h"
#include "predict/commands/page/sources.h"
#include "predict/commands/report/document.h"
#include "predict/metrics/misses.h"

#define DOCUMENT_VERSION 1

/* ---- reading ---- */

bool ft_measurement_is_for(const char *path)
{
    return ft_file_kind_of(path) != FT_FILE_MODEL;
}

static int load_machine(const struct ft_arguments *arguments, struct ft_measurement *measured,
                        size_t index, struct ft_diag *diag)
{
    struct ft_diff_source *source = &measured->sources[index];
    *source = (struct ft_diff_source){
        .path = ft_operands(arguments)[0],
        .at = ft_option_last(arguments, "at"),
        .model_name = ft_option_last(arguments, "model"),
        .machine_text = ft_option_at(arguments, "machine", index),
    };
    FT_TRY(ft_diff_source_read_machine(source, diag));
    FT_TRY(ft_diff_source_open(source, diag));
    FT_TRY(ft_diff_source_check(source, diag));
    FT_TRY(ft_diff_source_load(source, diag));
    const struct ft_machine *const machines[2] = {&source->machine, NULL};
    FT_TRY(ft_diff_metrics_make(machines, false, &measured->metrics[index], diag));
    return ft_diff_source_side(source, &measured->metrics[index], &measured->sides[index], diag);
}

/* Routines and loops with most accesses. */
static int select_scopes(struct ft_measurement *measured, uint64_t loop_limit, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = ft_measurement_scopes(measured);
    const size_t width = measured->metrics[0].count;
    const size_t column = ft_diff_metric_of(&measured->metrics[0], FT_SHOW_ACCESSES);
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    measured->is_shown = calloc(scopes->scope_count + 1, sizeof *measured->is_shown);
    int status = weights && measured->is_shown ? FT_OK : ft_fail_memory(diag, "a report");
    for (size_t i = 0; status == FT_OK && i < scopes->scope_count; i++)
        weights[i] = measured->sides[0].inclusive[i * width + column].value;
    if (status == FT_OK)
        status = ft_scopes_select(scopes, weights, loop_limit, &measured->list,
                                  &measured->list_count, diag);
    free(weights);
    if (status != FT_OK)
        return status;
    measured->is_shown[0] = true;
    for (size_t i = 0; i < measured->list_count; i++)
        measured->is_shown[measured->list[i]] = true;
    return FT_OK;
}

static int find_chances(struct ft_measurement *measured, struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    const struct ft_machine *machine = &measured->sources[0].machine;
    int status = FT_OK;
    if (!entry)
        return FT_OK;
    measured->chances = calloc(machine->level_count + 1, sizeof *measured->chances);
    if (!measured->chances)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < machine->level_count && status == FT_OK; i++)
        status = ft_set_chances_of_trace(&measured->chances[i], entry, &machine->levels[i], diag);
    return status;
}

int ft_measurement_load(const struct ft_arguments *arguments, uint64_t loop_limit,
                        struct ft_measurement *ret_measured, struct ft_diag *diag)
{
    const size_t count = ft_option_count(arguments, "machine");
    struct ft_measurement *measured = ret_measured;
    measured->sources = calloc(count + 1, sizeof *measured->sources);
    measured->metrics = calloc(count + 1, sizeof *measured->metrics);
    measured->sides = calloc(count + 1, sizeof *measured->sides);
    if (!measured->sources || !measured->metrics || !measured->sides)
        return ft_fail_memory(diag, "a report");
    for (measured->count = 0; measured->count < count;)
        FT_TRY(load_machine(arguments, measured, measured->count++, diag));
    FT_TRY(find_chances(measured, diag));
    return select_scopes(measured, loop_limit, diag);
}

void ft_measurement_fini(struct ft_measurement *measured)
{
    if (measured->chances)
        ft_level_chances_free(measured->chances, measured->sources[0].machine.level_count);
    for (size_t i = 0; i < measured->count; i++) {
        ft_diff_side_fini(&measured->sides[i]);
        ft_diff_metrics_fini(&measured->metrics[i]);
        ft_diff_source_fini(&measured->sources[i]);
    }
    free(measured->sources);
    free(measured->metrics);
    free(measured->sides);
    free(measured->list);
    free(measured->is_shown);
    *measured = (struct ft_measurement){0};
}

size_t ft_measurement_largest(const double *rows, size_t scope_count)
{
    size_t most = 0;
    for (size_t i = 1; i < scope_count; i++)
        if (rows[i] > rows[most])
            most = i;
    return most;
}

size_t ft_measurement_block_size(const struct ft_measurement *measured, size_t level)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    return ft_histograms_block_size(entry, measured->sources[0].machine.levels[level].block_bytes);
}

double ft_measurement_misses(const struct ft_measurement *measured, size_t level,
                             const struct ft_histogram *histogram)
{
    return ft_count_histogram_misses(histogram, &measured->chances[level]).set_associative;
}

uint32_t ft_measurement_shown(const struct ft_measurement *measured, uint32_t scope)
{
    while (!measured->is_shown[scope])
        scope = ft_measurement_scopes(measured)->scopes[scope].parent;
    return scope;
}

/* ---- what was counted on a machine ---- */

/* The index-th scope that is shown, after the program. */
static uint32_t scope_at(const struct ft_measurement *measured, size_t index)
{
    return index == 0 ? 0 : measured->list[index - 1];
}

static json_t *column_json(const struct ft_measurement *measured, size_t machine, size_t metric)
{
    const struct ft_diff_side *side = &measured->sides[machine];
    json_t *list = json_array();
    for (size_t i = 0; i <= measured->list_count; i++) {
        const struct ft_compared_value *value =
            &side->inclusive[scope_at(measured, i) * side->metric_count + metric];
        ft_json_append(&list, ft_page_number(value->value));
    }
    return list;
}

static size_t metric_of_level(const struct ft_diff_metrics *metrics, enum ft_shown kind,
                              const char *level)
{
    size_t i = 0;
    while (i < metrics->count &&
           (metrics->items[i].kind != kind || strcmp(metrics->items[i].level, level) != 0))
        i++;
    return i;
}

/* First touches with blocks of a level, inclusive: of histograms; null of traces, which are
 * simulated in caches that forget. */
static int cold_json(const struct ft_measurement *measured, uint64_t block_bytes, json_t **ret_cold,
                     struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    *ret_cold = NULL;
    if (!entry) {
        *ret_cold = json_null();
        return FT_OK;
    }
    double *rows = calloc(entry->scopes.scope_count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "a report");
    const size_t size = ft_histograms_block_size(entry, block_bytes);
    for (size_t j = 0; j < entry->reference_count; j++)
        if (entry->scopes.references[j].kind != FT_FETCH)
            rows[entry->scopes.references[j].scope] +=
                (double)entry->histograms[j * entry->size_count + size].cold;
    ft_scopes_add_nested(&entry->scopes, rows, 1);
    *ret_cold = json_array();
    for (size_t i = 0; i <= measured->list_count; i++)
        ft_json_append(ret_cold, ft_page_number(rows[scope_at(measured, i)]));
    free(rows);
    return FT_OK;
}

static int levels_json(const struct ft_measurement *measured, size_t machine, json_t **ret_levels,
                       struct ft_diag *diag)
{
    const struct ft_machine *of = &measured->sources[machine].machine;
    const struct ft_diff_metrics *metrics = &measured->metrics[machine];
    json_t *levels = json_array();
    int status = FT_OK;
    for (size_t i = 0; i < of->level_count && status == FT_OK; i++) {
        const char *name = of->levels[i].name;
        json_t *cold = NULL;
        status = cold_json(measured, of->levels[i].block_bytes, &cold, diag);
        ft_json_append(
            &levels,
            json_pack(
                "{s:o, s:o, s:o}", "full",
                column_json(measured, machine, metric_of_level(metrics, FT_SHOW_FULL_MISSES, name)),
                "set",
                column_json(measured, machine, metric_of_level(metrics, FT_SHOW_MISSES, name)),
                "cold", cold));
    }
    *ret_levels = levels;
    return status;
}

static json_t *shown_json(const struct ft_measurement *measured)
{
    json_t *list = json_array();
    for (size_t i = 0; i <= measured->list_count; i++)
        ft_json_append(&list, json_integer(scope_at(measured, i)));
    return list;
}

static int counts_json(const struct ft_measurement *measured, size_t machine, json_t **ret_counts,
                       struct ft_diag *diag)
{
    const struct ft_diff_metrics *metrics = &measured->metrics[machine];
    json_t *levels = NULL;
    int status = levels_json(measured, machine, &levels, diag);
    json_t *counts =
        json_pack("{s:o, s:o, s:o, s:o}", "scopes", shown_json(measured), "accesses",
                  column_json(measured, machine, ft_diff_metric_of(metrics, FT_SHOW_ACCESSES)),
                  "instructions",
                  column_json(measured, machine, ft_diff_metric_of(metrics, FT_SHOW_INSTRUCTIONS)),
                  "levels", levels);
    if (status == FT_OK)
        *ret_counts = counts;
    else
        json_decref(counts);
    return status;
}

/* ---- all of it ---- */

static json_t *file_json(const struct ft_measurement *measured)
{
    const struct ft_diff_source *source = &measured->sources[0];
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    char point[FT_DIFF_POINT_TEXT];
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "file", ft_json_text(source->path), "kind",
                     entry ? "histograms" : "trace", "program",
                     ft_json_text(ft_diff_source_program(source)), "point",
                     ft_json_text(ft_diff_source_point(point, source)), "trace",
                     ft_json_text(entry ? entry->trace_hash : source->simulated.content_hash),
                     "modules", ft_page_modules_json(ft_measurement_scopes(measured)));
}

static json_t *scopes_json(const struct ft_measurement *measured)
{
    const struct ft_scopes *scopes = ft_measurement_scopes(measured);
    json_t *list = json_array();
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (measured->is_shown[i])
            ft_json_append(&list, ft_page_scope_json(scopes, i));
    return list;
}

/* What histograms know besides; empty lists of traces. */
static int histograms_json(const struct ft_measurement *measured, json_t **document,
                           struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    json_t *reuse = json_array(), *references = NULL, *pairs = NULL, *objects = NULL;
    int status = FT_OK;
    for (size_t size = 0; entry && size < entry->size_count && status == FT_OK; size++) {
        json_t *one = NULL;
        status = ft_measurement_reuse(measured, size, &one, diag);
        ft_json_append(&reuse, one);
    }
    if (entry && status == FT_OK)
        status = ft_measurement_references(measured, &references, diag);
    if (entry && status == FT_OK)
        status = ft_measurement_pairs(measured, &pairs, diag);
    if (entry && status == FT_OK)
        status = ft_measurement_objects(measured, &objects, diag);
    *document =
        ft_json_merge(*document, json_pack("{s:o, s:o, s:o, s:o}", "reuse", reuse, "references",
                                           references ? references : json_array(), "pairs",
                                           pairs ? pairs : json_null(), "objects",
                                           objects ? objects : json_null()));
    return status;
}

int ft_measurement_document(const struct ft_measurement *measured,
                            const struct ft_measurement_page *page, json_t **ret_document,
                            struct ft_diag *diag)
{
    json_t *machines = json_array(), *counts = json_array();
    json_t *code = json_null(), *phases = json_null();
    int status = FT_OK;
    for (size_t i = 0; i < measured->count && status == FT_OK; i++) {
        json_t *one = NULL;
        status = counts_json(measured, i, &one, diag);
        ft_json_append(&counts, one);
        ft_json_append(&machines, ft_page_machine_json(&measured->sources[i].machine, false));
    }
    json_t *document = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", DOCUMENT_VERSION, "tool_version",
        FT_VERSION, "command", ft_json_text(page->command), "measured", file_json(measured),
        "machines", machines, "scopes", scopes_json(measured), "forecasts", counts, "sources",
        ft_page_sources(ft_measurement_scopes(measured), measured->list,
                        page->with_source ? measured->list_count : 0, page->sources));
    if (status == FT_OK && page->with_code)
        status = ft_measurement_code(measured, &code, diag);
    if (status == FT_OK && !ft_measurement_entry(measured))
        status = ft_measurement_phases(measured, &phases, diag);
    document = ft_json_merge(document, json_pack("{s:o, s:o}", "code", code, "phases", phases));
    if (status == FT_OK)
        status = histograms_json(measured, &document, diag);
    if (status == FT_OK && !document)
        status = ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        *ret_document = document;
    else
        json_decref(document);
    return status;
}
