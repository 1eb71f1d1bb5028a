/*
 * The instruction mix as JSON (docs/json.md, "structure --mix").
 */
#include <stdlib.h>

#include "engine/commands/structure/mix_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

static void set(json_t **object, const char *key, json_t *value)
{
    if (*object && json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

static void set_count(json_t **object, const char *key, uint64_t count)
{
    set(object, key, json_integer((json_int_t)count));
}

static json_t *classes_json(const struct ft_mix *mix, bool has_accesses)
{
    json_t *classes = json_object();
    for (unsigned c = 0; c < FT_MIX_COUNT; c++)
        if (has_accesses || (c != FT_MIX_LOAD && c != FT_MIX_STORE))
            set_count(&classes, ft_mix_class_names[c], mix->classes[c]);
        else
            set(&classes, ft_mix_class_names[c], json_null());
    return classes;
}

/* {"f64": {"scalar": 5}}: what is not there is 0. */
static json_t *operations_json(const struct ft_mix *mix)
{
    json_t *types = json_object();
    for (unsigned t = 0; t < FT_NUMBER_TYPES; t++) {
        json_t *widths = json_object();
        for (unsigned w = 0; w < FT_OPERATION_WIDTHS; w++)
            if (mix->operations[t][w])
                set_count(&widths, ft_operation_width_names[w], mix->operations[t][w]);
        if (json_object_size(widths) || !widths)
            set(&types, ft_number_type_names[t], widths);
        else
            json_decref(widths);
    }
    return types;
}

static json_t *accesses_json(const struct ft_mix_accesses *accesses)
{
    json_t *widths = json_object();
    for (unsigned w = 0; w < FT_MIX_ACCESS_WIDTHS; w++)
        if (accesses->count_by_width[w])
            set(&widths, ft_mix_access_width_names[w],
                json_pack("{s:I, s:I}", "accesses", (json_int_t)accesses->count_by_width[w],
                          "bytes", (json_int_t)accesses->bytes_by_width[w]));
    return json_pack("{s:I, s:I, s:o}", "accesses", (json_int_t)accesses->count, "bytes",
                     (json_int_t)accesses->bytes, "by_width", widths);
}

json_t *ft_mix_metrics_json(const struct ft_mix *mix, bool has_accesses)
{
    const json_int_t accesses = (json_int_t)mix->loads.count + (json_int_t)mix->stores.count;
    return json_pack("{s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "instructions",
                     (json_int_t)mix->instructions, "accesses",
                     has_accesses ? json_integer(accesses) : json_null(), "flops",
                     (json_int_t)mix->flops, "masked_flops", (json_int_t)mix->masked_flops,
                     "integer_operations", (json_int_t)mix->integer_operations,
                     "masked_integer_operations", (json_int_t)mix->masked_integer_operations, "mix",
                     classes_json(mix, has_accesses), "operations", operations_json(mix), "loads",
                     has_accesses ? accesses_json(&mix->loads) : json_null(), "stores",
                     has_accesses ? accesses_json(&mix->stores) : json_null());
}

static json_t *rows_json(const struct ft_mix_report *report, const struct ft_locations *locations)
{
    const struct ft_scopes *scopes = &report->structure->structure.scopes;
    const bool of_blocks = report->question.level == FT_MIX_OF_BLOCKS;
    const bool has_accesses = ft_mix_has_accesses(report);
    json_t *rows = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const uint32_t item = report->list[i];
        json_t *location =
            of_blocks ? ft_location_json(locations, item) : ft_scope_json(scopes, item);
        const struct ft_mix *mix = ft_mix_report_row(report, item);
        ft_json_append(&rows, ft_json_merge(location, ft_mix_metrics_json(mix, has_accesses)));
    }
    return rows;
}

int ft_mix_json(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_trace *trace = report->structure->trace;
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    const struct ft_mix_question *question = &report->question;
    struct ft_locations locations = {0};
    int status = question->level == FT_MIX_OF_BLOCKS
                     ? ft_mix_report_blocks(report, &locations, diag)
                     : FT_OK;
    if (!status)
        status = ft_json_write(
            json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:f, s:o, s:o}", "program",
                      ft_json_text(metadata->program), "parameters", ft_parameters_json(metadata),
                      "trace", ft_trace_content_hash(trace), "scope",
                      ft_mix_level_names[question->level], "counted",
                      question->of_code ? "code" : "executions", "by",
                      question->by_address ? "place" : "frequency", "threshold_percent",
                      100 * question->threshold, "total",
                      ft_mix_metrics_json(&report->scope_mixes[0], ft_mix_has_accesses(report)),
                      "rows", rows_json(report, &locations)),
            stream, diag);
    ft_locations_fini(&locations);
    return status;
}
