/*
 * `foretrace simulate`: the exact misses of a trace on a machine, in total and by routine and loop.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/simulate/all_caches_command.h"
#include "engine/simulate/hierarchy_command.h"
#include "engine/simulate/signature_command.h"
#include "engine/simulate/simulate_trace.h"
#include "formats/report_head.h"
#include "formats/scope_report.h"
#include "formats/trace_operand.h"
#include "machines/level_report.h"
#include "machines/report_options.h"

struct report {
    const struct ft_machine *machine;
    const struct ft_simulated_trace *simulated;
    double *nested; /* rows with the scopes nested in them */
    uint32_t *list; /* scopes to show */
    size_t count;
};

static const double *row_of(const struct report *report, size_t scope)
{
    return report->nested + scope * report->simulated->width;
}

static json_t *levels_json(const struct report *report, const double *row)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->machine->level_count; i++)
        ft_json_append(&levels,
                       ft_json_merge(ft_level_json(&report->machine->levels[i]),
                                     json_pack("{s:I, s:I}", "simulated_fully_associative",
                                               (json_int_t)row[ft_simulated_full_column(i)],
                                               "simulated_set_associative",
                                               (json_int_t)row[ft_simulated_set_column(i)])));
    return levels;
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = &report->simulated->metadata;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const double *row = row_of(report, report->list[i]);
        json_t *figures = json_pack("{s:I, s:o}", "accesses", (json_int_t)row[0], "levels",
                                    levels_json(report, row));
        ft_json_append(
            &loops,
            ft_json_merge(ft_scope_json(&report->simulated->scopes, report->list[i]), figures));
    }
    const double *total = row_of(report, 0);
    return ft_json_write(
        json_pack("{s:o, s:o, s:o, s:s, s:{s:I, s:o}, s:o}", "program",
                  ft_json_text(metadata->program), "machine", ft_json_text(report->machine->name),
                  "parameters", ft_parameters_json(metadata), "trace",
                  report->simulated->content_hash, "total", "accesses", (json_int_t)total[0],
                  "levels", levels_json(report, total), "loops", loops),
        stdout, diag);
}

static void add_row(struct ft_table *table, const struct report *report, bool csv, uint32_t scope)
{
    const double *row = row_of(report, scope);
    ft_scope_cells(table, csv, &report->simulated->scopes, scope);
    ft_table_count(table, row[0]);
    ft_level_cells(table, csv, report->machine, row + 1);
}

/* CSV has the program as its first row. */
static int print_scopes(const struct report *report, bool csv, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, csv);
    ft_table_column(table, "accesses", "accesses", true);
    ft_level_columns(table, csv, report->machine, "simulated");
    if (csv)
        add_row(table, report, csv, 0);
    for (size_t i = 0; i < report->count; i++)
        add_row(table, report, csv, report->list[i]);
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    const struct ft_metadata *metadata = &report->simulated->metadata;
    const double *total = row_of(report, 0);
    ft_program_print(metadata, stdout);
    printf(", simulated on %s: %s\nexact LRU; every level sees all %s accesses\n\n",
           report->machine->name, report->machine->description, ft_text_count(text, total[0]));
    int status = ft_level_table_print(report->machine, total + 1, total[0], stdout, diag);
    if (status != FT_OK)
        return status;
    printf("\nBy routine and loop, with the loops nested in them:\n\n");
    return print_scopes(report, false, diag);
}

static int report_all(const struct ft_report_options *options, struct report *report,
                      struct ft_diag *diag)
{
    const struct ft_simulated_trace *simulated = report->simulated;
    size_t scopes = simulated->scopes.scope_count, numbers = scopes * simulated->width;
    double *weights = calloc(scopes, sizeof *weights);
    report->nested = malloc(numbers * sizeof *report->nested);
    int status = weights && report->nested ? FT_OK : ft_fail_memory(diag, "a report");
    if (status == FT_OK) {
        memcpy(report->nested, simulated->own, numbers * sizeof *report->nested);
        ft_scopes_add_nested(&simulated->scopes, report->nested, simulated->width);
        for (size_t i = 0; i < scopes; i++)
            weights[i] = row_of(report, i)[0];
        status = ft_scopes_select(&simulated->scopes, weights, options->loop_limit, &report->list,
                                  &report->count, diag);
    }
    if (status == FT_OK)
        status = options->form == FT_REPORT_JSON  ? print_json(report, diag)
                 : options->form == FT_REPORT_CSV ? print_scopes(report, true, diag)
                                                  : print_text(report, diag);
    free(weights);
    free(report->nested);
    free(report->list);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_report_options options;
    struct ft_simulated_trace simulated;
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "one trace is needed");
    if (ft_option_count(arguments, "all-caches") && ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--all-caches and --machine exclude each other");
    if (ft_option_count(arguments, "all-caches"))
        return ft_all_caches_run(arguments);
    if (ft_option_count(arguments, "line") || ft_option_count(arguments, "ways") ||
        ft_option_count(arguments, "sets") || ft_option_count(arguments, "sample"))
        return ft_command_misuse(arguments,
                                 "--line, --ways, --sets and --sample go with --all-caches");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--machine or --all-caches is needed");
    if (ft_option_count(arguments, "signature"))
        return ft_signature_run(arguments);
    if (ft_option_count(arguments, "machine") > 1)
        return ft_command_misuse(arguments, "several machines go with --signature");
    if (ft_option_count(arguments, "hierarchy"))
        return ft_hierarchy_run(arguments);
    if (ft_option_count(arguments, "by") || ft_option_count(arguments, "seed"))
        return ft_command_misuse(arguments, "--by and --seed go with --hierarchy");
    int status = ft_report_options_read(arguments, &options, &diag);
    if (status != FT_OK)
        return ft_command_fail(arguments, &diag);
    status = ft_simulate_trace(ft_operands(arguments)[0], &options.machine, &simulated, &diag);
    if (status == FT_OK) {
        struct report report = {.machine = &options.machine, .simulated = &simulated};
        status = report_all(&options, &report, &diag);
        ft_simulated_trace_fini(&simulated);
    }
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    ft_report_options_fini(&options);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option simulate_options[] = {
    FT_REPORT_OPTIONS("with most accesses"),
    {"hierarchy", 0, NULL, "each level sees what misses before it, behaving as described"},
    {"signature", 0, NULL, "basic blocks: locality, and hit rates on one machine or several"},
    {"by", 0, "PLACES", "with --hierarchy: by loops (default), blocks or references"},
    {"seed", 0, "NUMBER", "of random replacement and of samples (1)"},
    {"all-caches", 0, NULL, "all sizes and associativities of a line size at once, no machine"},
    {"line", 0, "BYTES", "line size of --all-caches (64)"},
    {"ways", 0, "LIST", "associativities of --all-caches (1,2,4,8,16)"},
    {"sets", 0, "COUNT", "greatest number of sets of --all-caches, a power of two (1M)"},
    {"sample", 0, "COUNT", "an estimate from about COUNT touches instead, 10000 are good"},
};

const struct ft_command ft_simulate_command = {
    .name = "simulate",
    .synopsis = "simulate [options] (--machine MACHINE | --all-caches) TRACE",
    .summary = "the exact misses of a trace on a machine, to hold predictions against",
    .details =
        "Each cache and TLB of the machine is simulated with exact LRU replacement, as it is\n"
        "(set) and fully associative (full). Each sees all accesses of the program, as the\n"
        "models of `predict` do; an access that spans blocks touches each of them.\n"
        "\n"
        "With --hierarchy the levels work together as in the machine: each sees what misses in\n"
        "the one before, with its replacement, inclusion, write policy and prefetcher; on a\n"
        "machine with instruction levels these see the instruction fetches.\n"
        "\n"
        "With --signature: for each basic block its references, floating-point operations, scores\n"
        "of spatial and temporal locality, and hit rates in the hierarchy of each machine given.\n"
        "\n"
        "With --all-caches: the misses of caches of all sizes, direct-mapped to fully\n"
        "associative, from one pass; with --sample estimated, which is faster.\n"
        "\n"
        "Of several threads each runs on a core: levels are its own, or shared by as many cores\n"
        "as the machine's file says; all share the caches of --all-caches.\n"
        "\n"
        "  foretrace simulate --machine origin2000-r12000 run.h5\n"
        "  foretrace simulate --machine caches=L1:32K:64:8@4,memory@200 run.h5\n"
        "  foretrace simulate --hierarchy --by blocks --machine amd-zen5 run.h5\n"
        "  foretrace simulate --signature --machine amd-zen5 --machine itanium2 run.h5\n"
        "  foretrace simulate --all-caches --line 64 --ways 1,2,4,8,12 run.h5\n",
    .options = simulate_options,
    .option_count = sizeof simulate_options / sizeof *simulate_options,
    .run = run,
};
