/*
 * Every pair goes to the scope of its reference and to all scopes around it, up to the routine;
 * items of one scope and one object are then added up.
 */
#include "engine/commands/structure/data_by_scope.h"

#include <stdlib.h>

#include "engine/program/structure.h"
#include "formats/base/array.h"
#include "formats/commands/scope_report.h"

void ft_data_by_scope_fini(struct ft_data_by_scope *report)
{
    ft_data_rows_fini(&report->rows);
    ft_data_runs_destroy(report->runs);
    ft_scopes_fini(&report->scopes);
    free(report->items);
    free(report->list);
    ft_startup_fold_fini(&report->startup);
    *report = (struct ft_data_by_scope){0};
}

static int sum_objects(struct ft_data_by_scope *report, size_t limit, struct ft_diag *diag)
{
    size_t count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(report->runs, &count);
    uint32_t references;
    const struct ft_reference *all = ft_data_runs_references(report->runs, &references);
    double *values = calloc(count * FT_DATA_WIDTH + 1, sizeof *values);
    if (!values)
        return ft_fail_memory(diag, "a table of data");
    for (size_t p = 0; p < count; p++) {
        const struct ft_reference *reference = &all[pairs[p].reference];
        double accesses = (double)pairs[p].accesses, *row = values + p * FT_DATA_WIDTH;
        row[FT_DATA_ACCESSES] = accesses;
        row[reference->kind == FT_LOAD ? FT_DATA_LOADS : FT_DATA_STORES] = accesses;
        row[FT_DATA_BYTES] = accesses * reference->size_bytes;
    }
    int status = ft_data_rows_init(&report->rows, report->trace, report->runs, values,
                                   FT_DATA_WIDTH, limit, diag);
    free(values);
    return status;
}

static int compare_items(const void *left, const void *right)
{
    const struct ft_scope_data *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static int compare_weights(const void *left, const void *right)
{
    const struct ft_scope_data *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static void add_item(struct ft_scope_data *sum, const struct ft_scope_data *item)
{
    sum->accesses += item->accesses;
    sum->stores += item->stores;
    if (sum->stride_kind == FT_PAIR_STRIDE_NONE) {
        sum->stride_kind = item->stride_kind;
        sum->stride = item->stride;
    } else if (item->stride_kind != FT_PAIR_STRIDE_NONE &&
               (item->stride_kind == FT_PAIR_STRIDE_SEVERAL || item->stride != sum->stride)) {
        sum->stride_kind = FT_PAIR_STRIDE_SEVERAL;
    }
}

static void join_items(struct ft_data_by_scope *report)
{
    size_t kept = 0;
    if (report->count)
        qsort(report->items, report->count, sizeof *report->items, compare_items);
    for (size_t i = 0; i < report->count; i++)
        if (kept && compare_items(&report->items[kept - 1], &report->items[i]) == 0)
            add_item(&report->items[kept - 1], &report->items[i]);
        else
            report->items[kept++] = report->items[i];
    report->count = kept;
    if (kept)
        qsort(report->items, kept, sizeof *report->items, compare_weights);
}

static int sum_scopes(struct ft_data_by_scope *report, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->scopes;
    size_t pair_count, capacity = 0;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(report->runs, &pair_count);
    for (size_t p = 0; p < pair_count; p++) {
        const struct ft_scoped_reference *reference = &scopes->references[pairs[p].reference];
        struct ft_scope_data item = {.object = pairs[p].object,
                                     .accesses = pairs[p].accesses,
                                     .stores = reference->kind == FT_LOAD ? 0 : pairs[p].accesses,
                                     .stride = pairs[p].stride,
                                     .stride_kind = pairs[p].stride_kind};
        for (uint32_t scope = reference->scope; item.accesses;
             scope = scopes->scopes[scope].parent) {
            item.scope = scope;
            if (!FT_RESERVE(report->items, capacity, report->count + 1))
                return ft_fail_memory(diag, "a table of data");
            report->items[report->count++] = item;
            if (scopes->scopes[scope].kind != FT_SCOPE_LOOP)
                break;
        }
    }
    join_items(report);
    return FT_OK;
}

static int choose_scopes(struct ft_data_by_scope *report, size_t limit, bool folds,
                         struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->scopes;
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < report->count; i++)
        weights[report->items[i].scope] += (double)report->items[i].accesses;
    int status = folds ? ft_startup_fold_init(&report->startup, scopes, weights, diag) : FT_OK;
    free(report->list);
    report->list = NULL;
    if (!status)
        status = ft_scopes_select(scopes, weights, limit, &report->list, &report->list_count, diag);
    free(weights);
    return status;
}

int ft_data_by_scope_fold_startup(struct ft_data_by_scope *report, size_t limit,
                                  struct ft_diag *diag)
{
    return choose_scopes(report, limit, true, diag);
}

static int make(struct ft_data_by_scope *report, unsigned callers, size_t limit,
                struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    uint32_t reference_count;
    int status = ft_data_runs_create(report->trace, callers, FT_RUN_ACCESSES, &counts, progress,
                                     &report->runs, diag);
    if (status)
        return status;
    const struct ft_reference *references = ft_data_runs_references(report->runs, &reference_count);
    status = ft_structure_build(report->trace, &counts, references, reference_count, NULL,
                                &report->scopes, diag);
    ft_execution_counts_fini(&counts);
    if (status == FT_OK)
        status = sum_objects(report, limit, diag);
    if (status == FT_OK)
        status = sum_scopes(report, diag);
    return status ? status : choose_scopes(report, limit, false, diag);
}

int ft_data_by_scope_make(struct ft_trace *trace, unsigned callers, size_t limit,
                          struct ft_progress *progress, struct ft_data_by_scope *ret_report,
                          struct ft_diag *diag)
{
    struct ft_data_by_scope report = {.trace = trace};
    int status = make(&report, callers, limit, progress, diag);
    if (status)
        ft_data_by_scope_fini(&report);
    else
        *ret_report = report;
    return status;
}
