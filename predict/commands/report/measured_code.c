/*
 * The code of a trace or of histograms, with what was counted of each reference by itself.
 */
#include "predict/commands/report/code.h"
#include "predict/commands/report/measured.h"

/* Set-associative, as simulated. */
static void fill_simulated(const struct ft_simulated_trace *simulated, struct ft_page_code *code)
{
    for (size_t r = 0; r < code->scopes->reference_count; r++) {
        const double *from = simulated->references + r * simulated->width;
        double *row = code->references + r * code->width;
        row[0] = from[0];
        for (size_t i = 0; i + 1 < code->width; i++)
            row[1 + i] = from[ft_simulated_set_assoc_column(i)];
    }
}

/* As the misses of scopes are derived from distances. */
static void fill_counted(const struct ft_measurement *measured, struct ft_page_code *code)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    for (size_t r = 0; r < entry->reference_count; r++) {
        const struct ft_histogram *histograms = &entry->histograms[r * entry->size_count];
        double *row = code->references + r * code->width;
        row[0] = (double)entry->reference_accesses[r];
        for (size_t i = 0; i + 1 < code->width; i++)
            row[1 + i] = ft_measurement_misses(measured, i,
                                               &histograms[ft_measurement_block_size(measured, i)]);
    }
}

int ft_measurement_code(const struct ft_measurement *measured, json_t **ret_code,
                        struct ft_diag *diag)
{
    const struct ft_diff_source *source = &measured->sources[0];
    const struct ft_scopes *scopes = ft_measurement_scopes(measured);
    struct ft_page_code code = {0};
    *ret_code = json_null();
    if (!scopes->code)
        return FT_OK;
    int status = ft_page_code_init(&code, scopes, source->machine.level_count, diag);
    if (status == FT_OK) {
        if (source->kind == FT_FILE_HISTOGRAMS)
            fill_counted(measured, &code);
        else
            fill_simulated(&source->simulated, &code);
        for (size_t b = 0; b < scopes->block_count; b++)
            code.executions[b] = (double)scopes->blocks[b].execution_count;
        status = ft_page_code_json(&code, measured->is_shown, ret_code, diag);
    }
    ft_page_code_fini(&code);
    return status;
}
