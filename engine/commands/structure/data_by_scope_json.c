/*
 * Objects, references with the objects that they touch, and scopes likewise, as one JSON object.
 */
#include "engine/commands/structure/data_by_scope.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

static json_t *objects_json(const struct ft_data_rows *rows)
{
    json_t *objects = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = rows->rows + rows->list[i] * rows->width;
        ft_json_append(&objects,
                       ft_json_merge(ft_data_json(rows, rows->list[i]),
                                     json_pack("{s:I, s:I, s:I, s:I}", "accesses",
                                               (json_int_t)row[FT_DATA_ACCESSES], "loads",
                                               (json_int_t)row[FT_DATA_LOADS], "stores",
                                               (json_int_t)row[FT_DATA_STORES], "accessed_bytes",
                                               (json_int_t)row[FT_DATA_BYTES])));
    }
    return objects;
}

static json_t *stride_json(uint8_t kind, int64_t stride)
{
    return kind == FT_PAIR_STRIDE_ONE ? json_integer(stride) : json_null();
}

static json_t *references_json(const struct ft_data_by_scope *report)
{
    size_t count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(report->runs, &count);
    json_t *references = json_array();
    for (size_t p = 0; p < count; p++) {
        const struct ft_scoped_reference *reference =
            &report->scopes.references[pairs[p].reference];
        bool has_module = reference->module < report->scopes.module_count;
        if (pairs[p].accesses == 0)
            continue;
        ft_json_append(
            &references,
            json_pack(
                "{s:o, s:I, s:I, s:i, s:s, s:I, s:I, s:I, s:o}", "module",
                ft_json_text(has_module ? report->scopes.modules[reference->module].name : ""),
                "offset", (json_int_t)reference->offset, "line", (json_int_t)reference->line,
                "access_index", (int)reference->access_index, "kind",
                ft_access_kind_names[reference->kind], "size_bytes",
                (json_int_t)reference->size_bytes, "object", (json_int_t)pairs[p].object,
                "accesses", (json_int_t)pairs[p].accesses, "stride",
                stride_json(pairs[p].stride_kind, pairs[p].stride)));
    }
    return references;
}

static json_t *scope_json(const struct ft_data_by_scope *report, uint32_t scope)
{
    json_t *data = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const struct ft_scope_data *item = &report->items[i];
        if (item->scope == scope)
            ft_json_append(&data,
                           json_pack("{s:I, s:I, s:I, s:o}", "object", (json_int_t)item->object,
                                     "accesses", (json_int_t)item->accesses, "stores",
                                     (json_int_t)item->stores, "stride",
                                     stride_json(item->stride_kind, item->stride)));
    }
    return ft_json_merge(ft_scope_json(&report->scopes, scope), json_pack("{s:o}", "data", data));
}

int ft_data_by_scope_json(const struct ft_data_by_scope *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    json_t *loops = json_array();
    for (size_t i = 0; i < report->list_count; i++)
        ft_json_append(&loops, scope_json(report, report->list[i]));
    return ft_json_write(
        json_pack("{s:o, s:o, s:s, s:I, s:b, s:o, s:o, s:o}", "program",
                  ft_json_text(metadata->program), "parameters", ft_parameters_json(metadata),
                  "trace", ft_trace_content_hash(report->trace), "accesses",
                  (json_int_t)metadata->accesses, "allocation_calls",
                  (int)ft_data_runs_has_calls(report->runs), "data", objects_json(&report->rows),
                  "references", references_json(report), "loops", loops),
        stream, diag);
}
