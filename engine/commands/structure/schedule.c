/*
 * Schedules of loops on a machine, as text and JSON: a row for each path of each loop of the
 * machine code.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/commands/structure/report.h"
#include "engine/schedule/loop_schedule.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"

struct ft_structure_schedules {
    struct ft_core core;
    char *machine; /* its name */
    struct ft_loop_schedule *loops;
    size_t count;
};

static int find_schedules(const struct ft_structure_report *report,
                          struct ft_structure_schedules *schedules, struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    schedules->loops = calloc(structure->loops.count + 1, sizeof *schedules->loops);
    if (!schedules->loops)
        return ft_fail_memory(diag, "the schedules of loops");
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        FT_TRY(ft_loop_schedule_find(&schedules->core, &structure->graph, &structure->loops,
                                     &report->exits, l, &schedules->loops[l], diag));
        schedules->count++;
    }
    return FT_OK;
}

int ft_structure_find_schedules(struct ft_structure_report *report, const char *machine,
                                struct ft_diag *diag)
{
    struct ft_machine loaded;
    FT_TRY(ft_machine_load(machine, &loaded, diag));
    struct ft_structure_schedules *schedules = calloc(1, sizeof *schedules);
    report->schedules = schedules;
    int status = schedules ? ft_core_of_machine(&loaded, &schedules->core, diag)
                           : ft_fail_memory(diag, "the schedules of loops");
    if (status == FT_OK) {
        schedules->machine = loaded.name;
        loaded.name = NULL;
        status = find_schedules(report, schedules, diag);
    }
    ft_machine_fini(&loaded);
    return status;
}

void ft_structure_schedules_free(struct ft_structure_schedules *schedules)
{
    if (!schedules)
        return;
    for (size_t l = 0; l < schedules->count; l++)
        ft_loop_schedule_fini(&schedules->loops[l]);
    ft_core_fini(&schedules->core);
    free(schedules->loops);
    free(schedules->machine);
    free(schedules);
}

/* ---- text ---- */

static void add_columns(struct ft_table *table)
{
    ft_scope_columns(table, false);
    ft_table_column(table, "path", "path", false);
    ft_table_column(table, "times", "times", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "cycles", "cycles", true);
    ft_table_column(table, "limit", "limit", false);
    ft_table_column(table, "front end", "front_end_cycles", true);
    ft_table_column(table, "ports", "port_cycles", true);
    ft_table_column(table, "recurrence", "recurrence_cycles", true);
}

static void add_path(const struct ft_structure_report *report, uint32_t loop, uint32_t path,
                     struct ft_table *table)
{
    const struct ft_loop_schedule *item = &report->schedules->loops[loop];
    const struct ft_schedule *schedule = &item->of_paths[path].schedule;
    char limit[160];
    ft_schedule_limit_text(&report->schedules->core, schedule, limit, sizeof limit);
    ft_scope_cells(table, false, &report->structure.scopes, report->structure.scope_of_loop[loop]);
    ft_table_text(table, item->paths.items[path].returns ? "back" : "out");
    ft_table_count(table, (double)item->paths.items[path].count);
    ft_table_count(table, item->of_paths[path].instruction_count);
    ft_table_format(table, "%.2f", schedule->cycles);
    ft_table_text(table, limit);
    for (int bound = 0; bound < FT_LIMIT_WINDOW; bound++)
        ft_table_format(table, "%.2f", schedule->bounds[bound]);
}

static void print_unknown(const struct ft_structure_report *report, FILE *stream)
{
    const struct ft_structure_schedules *schedules = report->schedules;
    double unknown = 0, all = 0;
    const char *form = NULL;
    for (size_t l = 0; l < schedules->count; l++) {
        const struct ft_loop_schedule *loop = &schedules->loops[l];
        unknown += loop->unknown_instructions;
        all += loop->instructions;
        for (uint32_t p = 0; p < loop->paths.count && !form; p++)
            if (loop->of_paths[p].unknown_form[0])
                form = loop->of_paths[p].unknown_form;
    }
    if (form)
        fprintf(stream,
                "\nUnknown to the core, and taken for additions: %.3g %% of the instructions in\n"
                "loops, the first of them %s\n",
                100 * unknown / all, form);
}

/* The machine loops of a scope, in order. */
static void add_loops(const struct ft_structure_report *report, uint32_t scope,
                      struct ft_table *table)
{
    for (uint32_t l = report->work[scope].first_loop; l < report->structure.loops.count; l++)
        for (uint32_t p = 0; report->structure.scope_of_loop[l] == scope &&
                             p < report->schedules->loops[l].paths.count;
             p++)
            add_path(report, l, p, table);
}

int ft_structure_schedules_text(const struct ft_structure_report *report, FILE *stream,
                                struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_print_wrapped(
        stream, 0,
        "\nCycles per execution of each path through a loop, if all accesses hit in the "
        "first cache, without loops inside and callees, and what limits them, on %s "
        "(%s):\n\n",
        report->schedules->machine, report->schedules->core.description);
    add_columns(table);
    for (size_t i = 0; i < report->count; i++)
        if (report->work[report->list[i]].first_loop != FT_NO_LOOP)
            add_loops(report, report->list[i], table);
    const int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    if (status == FT_OK)
        print_unknown(report, stream);
    return status;
}

/* ---- JSON ---- */

static json_t *path_json(const struct ft_structure_report *report, uint32_t loop, uint32_t path)
{
    const struct ft_loop_schedule *item = &report->schedules->loops[loop];
    const struct ft_path_schedule *of_path = &item->of_paths[path];
    const struct ft_schedule *schedule = &of_path->schedule;
    char limit[160];
    ft_schedule_limit_text(&report->schedules->core, schedule, limit, sizeof limit);
    return json_pack(
        "{s:I, s:b, s:I, s:f, s:f, s:f, s:f, s:s, s:s, s:I, s:I}", "count",
        (json_int_t)item->paths.items[path].count, "returns", (int)item->paths.items[path].returns,
        "instructions", (json_int_t)of_path->instruction_count, "cycles", schedule->cycles,
        "front_end_cycles", schedule->bounds[FT_LIMIT_FRONT_END], "port_cycles",
        schedule->bounds[FT_LIMIT_PORTS], "recurrence_cycles",
        schedule->bounds[FT_LIMIT_RECURRENCE], "limit", ft_schedule_limit_names[schedule->limit],
        "limit_text", limit, "limit_pc", (json_int_t)of_path->limit_pc, "unknown_instructions",
        (json_int_t)schedule->unknown_count);
}

json_t *ft_structure_schedule_json(const struct ft_structure_report *report, uint32_t loop)
{
    const struct ft_loop_schedule *item = &report->schedules->loops[loop];
    json_t *paths = json_array();
    for (uint32_t p = 0; p < item->paths.count; p++)
        ft_json_append(&paths, path_json(report, loop, p));
    return json_pack("{s:s, s:s, s:f, s:f, s:o}", "machine", report->schedules->machine, "core",
                     report->schedules->core.name, "cycles", item->cycles, "covered",
                     item->paths.covered, "paths", paths);
}
