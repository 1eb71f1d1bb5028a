/*
 * PMaC's table of a program (Tikir et al., SC 2007, table 1), a row for each basic block, from one
 * pass: the hierarchies of all machines and the scores of locality take the same runs.
 */
#include "engine/commands/simulate/modes.h"

#include <stdlib.h>

#include "engine/commands/report/location_report.h"
#include "engine/commands/simulate/hierarchy_trace.h"
#include "engine/simulate/signature/locality_pass.h"
#include "formats/commands/report_head.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/level_report.h"
#include "machines/commands/report_options.h"

/* Columns of a reference's figures; each machine's levels come behind: the blocks that the first
 * cache was asked for, then the misses of each cache. */
enum { ACCESSES, SPATIAL_STEPS, SPATIAL_SUM, TOUCHES, TEMPORAL_SUM, MACHINES };

struct signature {
    struct ft_machine *machines;
    size_t machine_count;
    struct ft_hierarchy_trace traced;
    struct ft_locality_pass *pass;
    struct ft_locality *locality; /* [reference] */
    struct ft_locations places;
};

/* ---- the pass ---- */

static int begin(void *context, const struct ft_run_source *source, uint32_t thread_count,
                 struct ft_diag *diag)
{
    struct signature *signature = context;
    return ft_locality_pass_create(source, thread_count, &signature->pass, diag);
}

static int take(void *context, const struct ft_run_source *source, const struct ft_run_batch *batch,
                struct ft_diag *diag)
{
    struct signature *signature = context;
    return ft_locality_pass_take(signature->pass, source, batch, diag);
}

static int simulate(const struct ft_arguments *arguments, uint64_t seed,
                    struct signature *signature, struct ft_diag *diag)
{
    const struct ft_run_taker taker = {begin, take, signature};
    const struct ft_hierarchy_question question = {
        .machines = signature->machines,
        .machine_count = signature->machine_count,
        .seed = seed,
        .content = FT_RUN_ACCESSES,
        .taker = &taker,
    };
    int status = ft_hierarchy_trace_run(arguments, &question, &signature->traced, diag);
    if (status == FT_OK)
        status = ft_locality_pass_finish(signature->pass, &signature->locality, diag);
    return status;
}

/* ---- figures ---- */

static size_t width_of(const struct signature *signature)
{
    size_t width = MACHINES;
    for (size_t m = 0; m < signature->machine_count; m++)
        width += 1 + signature->machines[m].cache_count;
    return width;
}

static void fill_row(const struct signature *signature, size_t reference, double *row)
{
    const struct ft_locality *locality = &signature->locality[reference];
    row[ACCESSES] = (double)signature->traced.run.accesses[reference];
    row[SPATIAL_STEPS] = (double)locality->steps;
    row[SPATIAL_SUM] = locality->spatial_sum;
    row[TOUCHES] = (double)locality->touches;
    row[TEMPORAL_SUM] = locality->temporal_sum;
    double *column = row + MACHINES;
    for (size_t m = 0; m < signature->machine_count; m++) {
        const struct ft_hierarchy *hierarchy = signature->traced.run.hierarchies[m];
        *column++ = (double)ft_hierarchy_level(hierarchy, 0)->accesses[reference];
        for (size_t i = 0; i < signature->machines[m].cache_count; i++)
            *column++ = (double)ft_hierarchy_level(hierarchy, i)->misses[reference];
    }
}

static int find_places(struct signature *signature, size_t limit, struct ft_diag *diag)
{
    size_t references = signature->traced.scopes.reference_count, width = width_of(signature);
    double *figures = calloc(references * width + 1, sizeof *figures);
    if (!figures)
        return ft_fail_memory(diag, "a report");
    for (size_t j = 0; j < references; j++)
        fill_row(signature, j, figures + j * width);
    int status = ft_locations_init(&signature->places, FT_LOCATION_BLOCKS,
                                   &signature->traced.scopes, figures, width, limit, false, diag);
    free(figures);
    return status;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double flops_of(const struct signature *signature, uint32_t block)
{
    const struct ft_block *found = &signature->traced.scopes.blocks[block];
    return (double)found->flops * (double)found->execution_count;
}

/* ---- reports ---- */

static int print_table(const struct signature *signature, bool csv, struct ft_diag *diag)
{
    const struct ft_locations *places = &signature->places;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_location_columns(table, csv, FT_LOCATION_BLOCKS);
    ft_table_column(table, "references", "references", true);
    ft_table_column(table, "FP operations", "flops", true);
    ft_table_column(table, "spatial", "spatial_score", true);
    ft_table_column(table, "temporal", "temporal_score", true);
    for (size_t m = 0; m < signature->machine_count; m++)
        for (size_t i = 0; i < signature->machines[m].cache_count; i++) {
            const struct ft_machine *machine = &signature->machines[m];
            char title[512];
            snprintf(title, sizeof title, "%.250s %.250s", machine->name, machine->levels[i].name);
            if (csv)
                ft_key_column(table, title, "hit_rate");
            else
                ft_table_column(table, title, title, true);
        }
    for (size_t p = 0; p < places->count; p++) {
        const double *row = places->rows + places->list[p] * places->width;
        ft_location_cells(table, csv, places, places->list[p]);
        ft_table_count(table, row[ACCESSES]);
        ft_table_count(table, flops_of(signature, places->list[p]));
        ft_table_format(table, csv ? "%.15g" : "%.2f", ratio(row[SPATIAL_SUM], row[SPATIAL_STEPS]));
        ft_table_format(table, csv ? "%.15g" : "%.2f", ratio(row[TEMPORAL_SUM], row[TOUCHES]));
        const double *column = row + MACHINES;
        for (size_t m = 0; m < signature->machine_count; m++) {
            double asked = *column++;
            for (size_t i = 0; i < signature->machines[m].cache_count; i++)
                ft_table_share(table, 1 - ratio(*column++, asked));
        }
    }
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static int print_text(const struct signature *signature, struct ft_diag *diag)
{
    ft_program_head_print(ft_trace_metadata(signature->traced.trace), stdout,
                          ": basic blocks with their locality scores, and the share of their "
                          "references that hit in a cache or one before it\n\n");
    return print_table(signature, false, diag);
}

static json_t *machine_json(const struct ft_machine *machine, const double *column)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < machine->cache_count; i++)
        ft_json_append(&levels,
                       json_pack("{s:o, s:f}", "name", ft_json_text(machine->levels[i].name),
                                 "hit_rate", 1 - ratio(column[1 + i], column[0])));
    return json_pack("{s:o, s:o}", "machine", ft_json_text(machine->name), "levels", levels);
}

static json_t *block_json(const struct signature *signature, uint32_t block)
{
    const double *row = signature->places.rows + block * signature->places.width;
    const double *column = row + MACHINES;
    json_t *machines = json_array();
    for (size_t m = 0; m < signature->machine_count; m++) {
        ft_json_append(&machines, machine_json(&signature->machines[m], column));
        column += 1 + signature->machines[m].cache_count;
    }
    return ft_json_merge(ft_location_json(&signature->places, block),
                         json_pack("{s:I, s:I, s:f, s:f, s:o}", "references",
                                   (json_int_t)row[ACCESSES], "flops",
                                   (json_int_t)flops_of(signature, block), "spatial_score",
                                   ratio(row[SPATIAL_SUM], row[SPATIAL_STEPS]), "temporal_score",
                                   ratio(row[TEMPORAL_SUM], row[TOUCHES]), "machines", machines));
}

static int print_json(const struct signature *signature, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(signature->traced.trace);
    json_t *blocks = json_array();
    for (size_t i = 0; i < signature->places.count; i++)
        ft_json_append(&blocks, block_json(signature, signature->places.list[i]));
    return ft_json_write(
        json_pack("{s:o, s:o, s:s, s:I, s:o}", "program", ft_json_text(metadata->program),
                  "parameters", ft_parameters_json(metadata), "trace",
                  ft_trace_content_hash(signature->traced.trace), "threads",
                  (json_int_t)signature->traced.run.thread_count, "blocks", blocks),
        stdout, diag);
}

/* ---- the command ---- */

/* Of what the signature has hit rates. */
static int check_machines(const struct signature *signature, struct ft_diag *diag)
{
    for (size_t i = 0; i < signature->machine_count; i++)
        if (signature->machines[i].cache_count == 0)
            return ft_fail(diag, FT_ERROR_USAGE, "--machine %s: a signature needs a cache",
                           signature->machines[i].name);
    return FT_OK;
}

static void fini(struct signature *signature)
{
    ft_locations_fini(&signature->places);
    ft_locality_pass_destroy(signature->pass);
    free(signature->locality);
    ft_hierarchy_trace_fini(&signature->traced);
}

int ft_simulate_signature(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct signature signature = {0};
    struct ft_report_options options;
    uint64_t seed;
    int status = ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &seed, diag);
    if (status == FT_OK)
        status = ft_report_options_read(arguments, &options, diag);
    if (status != FT_OK)
        return status;
    signature.machines = options.machines;
    signature.machine_count = options.machine_count;
    status = check_machines(&signature, diag);
    if (status == FT_OK)
        status = simulate(arguments, seed, &signature, diag);
    if (status == FT_OK)
        status = find_places(&signature, options.loop_limit, diag);
    if (status == FT_OK)
        status = options.form == FT_REPORT_JSON  ? print_json(&signature, diag)
                 : options.form == FT_REPORT_CSV ? print_table(&signature, true, diag)
                                                 : print_text(&signature, diag);
    fini(&signature);
    ft_report_options_fini(&options);
    return status;
}
