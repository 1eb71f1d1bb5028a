/*
 * machine probe: measures this host, or takes the curves of an earlier probe, and writes what they
 * say into a machine file; the curves stand beside it, as HDF5 and as a picture.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "formats/cli/json.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "machines/commands/machine_actions.h"
#include "machines/commands/probe_svg.h"
#include "machines/commands/report_options.h"
#include "machines/host/system_files.h"
#include "machines/machine_build.h"
#include "machines/probe/probe_results.h"
#include "machines/probe/probe_run.h"
#include "machines/yaml_write.h"

#define SECONDS        150 /* by default, so that it is done in three minutes */
#define SECONDS_BRIEF  10  /* below: a rough look */
#define MEMORY_MIN     (UINT64_C(128) << 20)
#define MEMORY_BRIEF   (UINT64_C(4) << 20)
#define SIZES_MAX      256
#define CURVES_ENDING  ".curves.h5"
#define PICTURE_ENDING ".curves.svg"

struct probe_task {
    const char *path; /* of the machine file */
    char *curves, *picture;
    struct ft_probe probe;
    struct ft_probe_notes notes;
    struct ft_shown_machine shown;
};

/* ---- what to measure ---- */

static int read_sizes(const char *text, struct ft_probe_plan *plan, struct ft_diag *diag)
{
    char low[32], high[32];
    uint64_t count;
    const char *dots = strstr(text, ".."), *slash = strchr(text, '/');
    if (dots && slash && dots < slash && dots - text < 32 && slash - dots - 2 < 32) {
        snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
        snprintf(high, sizeof high, "%.*s", (int)(slash - dots - 2), dots + 2);
        if (ft_parse_bytes(low, &plan->size_min, NULL) == FT_OK &&
            ft_parse_bytes(high, &plan->size_max, NULL) == FT_OK &&
            ft_parse_u64(slash + 1, &count) && count >= 1 && count <= SIZES_MAX &&
            plan->size_min >= 256 && plan->size_min <= plan->size_max &&
            plan->size_max <= UINT64_C(1) << 32) {
            plan->size_count = (uint32_t)count;
            return FT_OK;
        }
    }
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--sizes %s: must be FROM..TO/COUNT, from 256 bytes to 4G and at most %d, such "
                   "as 1K..50M/54",
                   text, SIZES_MAX);
}

static int read_strides(const char *text, struct ft_probe_plan *plan, struct ft_diag *diag)
{
    const char *at = text;
    const uint32_t most = sizeof plan->strides / sizeof *plan->strides;
    for (plan->stride_count = 0; plan->stride_count < most; at++) {
        uint64_t stride;
        if (!ft_read_u64(&at, &stride) || stride < 1 || stride > 1U << 16)
            break;
        plan->strides[plan->stride_count++] = (uint32_t)stride;
        if (!*at)
            return FT_OK;
        if (*at != ',')
            break;
    }
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--strides %s: must be up to %u numbers of elements of 8 bytes, such as "
                   "1,2,4,8,16,32,64",
                   text, most);
}

/* The levels to look for are those of the detected machine. */
static void plan_levels(const struct ft_machine *machine, struct ft_probe_plan *plan)
{
    uint64_t last = 0;
    for (size_t i = 0; i < machine->cache_count && i < 8; i++) {
        last = ft_level_capacity_bytes(&machine->levels[i]);
        plan->cache_bytes[plan->cache_count++] = last;
    }
    plan->line_bytes = machine->levels[0].block_bytes;
    plan->memory_bytes = 4 * last > MEMORY_MIN ? 4 * last : MEMORY_MIN;
    const uint64_t available = ft_available_memory_bytes();
    while (plan->memory_bytes > available / 4 && plan->memory_bytes > MEMORY_BRIEF)
        plan->memory_bytes /= 2;
}

static int make_plan(const struct ft_arguments *arguments, const struct ft_machine *machine,
                     struct ft_probe_plan *ret_plan, struct ft_diag *diag)
{
    const char *sizes = ft_option_last(arguments, "sizes"),
               *strides = ft_option_last(arguments, "strides"),
               *time = ft_option_last(arguments, "time");
    struct ft_probe_plan plan = {.seconds = SECONDS};
    struct ft_diag why;
    if (time && ft_parse_seconds(time, &plan.seconds, &why) != FT_OK)
        return ft_fail(diag, FT_ERROR_USAGE, "--time %s", why.message);
    plan.brief = plan.seconds < SECONDS_BRIEF;
    plan_levels(machine, &plan);
    FT_TRY(read_sizes(sizes ? sizes : plan.brief ? "1K..4M/5" : "1K..50M/54", &plan, diag));
    FT_TRY(read_strides(strides ? strides : plan.brief ? "1,8" : "1,2,4,8,16,32,64", &plan, diag));
    if (plan.brief)
        plan.memory_bytes = MEMORY_BRIEF;
    *ret_plan = plan;
    return FT_OK;
}

/* ---- curves ---- */

static int keep_machine(struct ft_yaml_machine *yaml, struct ft_probe *probe, struct ft_diag *diag)
{
    size_t bytes;
    FILE *stream = open_memstream(&probe->machine, &bytes);
    if (!stream)
        return ft_fail_memory(diag, "a machine");
    ft_yaml_write(stream, NULL, yaml);
    return fclose(stream) == 0 ? FT_OK : ft_fail_memory(diag, "a machine");
}

static int measure(const struct ft_arguments *arguments, struct probe_task *task,
                   struct ft_diag *diag)
{
    struct ft_machine_file host;
    struct ft_machine machine = {0};
    struct ft_probe_plan plan = {0};
    struct ft_progress_line progress;
    FT_TRY(ft_machine_file_open("host", &host, diag));
    int status = ft_machine_file_build(&host, &machine, diag);
    if (status == FT_OK)
        status = make_plan(arguments, &machine, &plan, diag);
    if (status == FT_OK) {
        ft_progress_line_init(&progress, "machine probe");
        plan.progress = &progress.base;
        status = ft_probe_run(&plan, &task->probe, diag);
        ft_progress_line_fini(&progress);
    }
    if (status == FT_OK)
        status = keep_machine(host.yaml, &task->probe, diag);
    ft_machine_fini(&machine);
    ft_machine_file_fini(&host);
    return status;
}

/* ---- the machine ---- */

/* "AMD EPYC, one core, detected; ...": it is measured now. */
static int rename_description(struct ft_yaml_machine *yaml, struct ft_diag *diag)
{
    static const char before[] = ", detected;";
    const char *place = strstr(yaml->description, before);
    char *description = NULL;
    if (!place)
        return FT_OK;
    if (asprintf(&description, "%.*s, measured;%s", (int)(place - yaml->description),
                 yaml->description, place + sizeof before - 1) < 0)
        return ft_fail_memory(diag, "a description");
    free(yaml->description);
    yaml->description = description;
    return FT_OK;
}

static int read_machine(struct probe_task *task, struct ft_diag *diag)
{
    const struct ft_yaml_file text = {"the machine of the curves", task->probe.machine,
                                      strlen(task->probe.machine)};
    FT_TRY(ft_yaml_machine_read(&text, &task->shown.file.yaml, diag));
    struct ft_yaml_machine *yaml = task->shown.file.yaml;
    FT_TRY(ft_probe_apply(&task->probe, yaml, &task->notes, diag));
    FT_TRY(rename_description(yaml, diag));
    const struct ft_machine_source source = {"the measured machine", NULL, 0};
    FT_TRY(ft_machine_build(&source, "measured", yaml, &task->shown.machine, diag));
    return ft_value_rows_list(yaml, &task->shown.rows, diag);
}

/* FILE without ".yaml", and what the others end in; curves that are there already stay in theirs.
 */
static int name_files(struct probe_task *task, const char *from, struct ft_diag *diag)
{
    size_t length = strlen(task->path);
    if (length > 5 && strcmp(task->path + length - 5, ".yaml") == 0)
        length -= 5;
    if (asprintf(&task->picture, "%.*s" PICTURE_ENDING, (int)length, task->path) < 0 ||
        (from ? asprintf(&task->curves, "%s", from)
              : asprintf(&task->curves, "%.*s" CURVES_ENDING, (int)length, task->path)) < 0)
        return ft_fail_memory(diag, task->path);
    return FT_OK;
}

static int write_files(const struct probe_task *task, bool with_curves, struct ft_diag *diag)
{
    static const char head[] = "foretrace machine probe\n"
                               "\n"
                               "Values of kind 'nearest' could not be measured and are those of "
                               "the machine that is named.\n";
    struct ft_text_output output;
    if (with_curves)
        FT_TRY(ft_probe_write(task->curves, &task->probe, diag));
    FT_TRY(ft_text_output_create(task->picture, &output, diag));
    char title[128];
    const char *description = task->shown.machine.description;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(description, ","), description);
    int status = ft_probe_svg(&task->probe, title, output.stream, diag);
    FT_TRY(ft_text_output_finish(&output, status, diag));
    FT_TRY(ft_text_output_create(task->path, &output, diag));
    ft_yaml_write(output.stream, head, task->shown.file.yaml);
    return ft_text_output_finish(&output, FT_OK, diag);
}

/* ---- what is said ---- */

static int compare_spreads(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* The median of how far repeats differ, and the share of points that differ by too much. */
static int sum_up_spreads(const struct ft_probe *probe, double *ret_median, double *ret_above,
                          struct ft_diag *diag)
{
    double *spreads = calloc(probe->count + 1, sizeof *spreads);
    size_t above = 0;
    if (!spreads)
        return ft_fail_memory(diag, "repeats");
    for (size_t i = 0; i < probe->count; i++) {
        spreads[i] = ft_point_spread(&probe->points[i]);
        above += spreads[i] > FT_PROBE_AGREE;
    }
    qsort(spreads, probe->count, sizeof *spreads, compare_spreads);
    *ret_median = probe->count ? spreads[probe->count / 2] : 0;
    *ret_above = probe->count ? (double)above / (double)probe->count : 0;
    free(spreads);
    return FT_OK;
}

static void speed_cell(struct ft_table *table, double value)
{
    char text[FT_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.3g", value);
    if (value > 0)
        ft_table_labelled(table, text, value);
    else
        ft_table_empty(table);
}

static void speed_row(struct ft_table *table, const char *name, double capacity, double latency,
                      const struct ft_speed *speed)
{
    ft_table_text(table, name);
    if (capacity > 0)
        ft_table_bytes(table, capacity);
    else
        ft_table_empty(table);
    speed_cell(table, latency);
    speed_cell(table, speed->load_bytes_per_cycle);
    speed_cell(table, speed->vector_bytes_per_cycle);
    speed_cell(table, speed->store_bytes_per_cycle);
    speed_cell(table, speed->copy_bytes_per_cycle);
    speed_cell(table, speed->gather_bytes_per_cycle);
    speed_cell(table, speed->outstanding_misses);
}

static struct ft_table *speed_table(const struct ft_machine *machine)
{
    static const char *const titles[][2] = {
        {"cycles", "latency_cycles"},         {"load", "load_bytes_per_cycle"},
        {"vector", "vector_bytes_per_cycle"}, {"store", "store_bytes_per_cycle"},
        {"copy", "copy_bytes_per_cycle"},     {"gather B/cycle", "gather_bytes_per_cycle"},
        {"in flight", "outstanding_misses"}};
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i][0], titles[i][1], true);
    for (size_t i = 0; i < machine->cache_count; i++)
        speed_row(table, machine->levels[i].name,
                  (double)ft_level_capacity_bytes(&machine->levels[i]),
                  machine->levels[i].latency_cycles, &machine->levels[i].speed);
    speed_row(table, "memory", 0, machine->memory_latency_cycles, &machine->memory_speed);
    return table;
}

static size_t count_measured(const struct ft_value_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->items[i].kind == FT_SOURCE_MEASURED;
    return count;
}

static int say(const struct probe_task *task, struct ft_diag *diag)
{
    double median, above;
    size_t sourced;
    const struct ft_machine *machine = &task->shown.machine;
    FT_TRY(sum_up_spreads(&task->probe, &median, &above, diag));
    ft_print_wrapped(stdout, 2, "%s: %s; %.2f GHz, %.2g instructions per cycle\n", task->path,
                     machine->description, machine->clock_ghz, machine->issue_width);
    const size_t guesses = ft_value_count_guesses(&task->shown.rows, &sourced);
    ft_print_wrapped(
        stdout, 2,
        "%zu values measured, %zu still guesses; %.0f s; repeats within %.1f %% "
        "(median), %.0f %% of %zu points beyond %.0f %%; %.0f %% of samples disturbed\n\n",
        count_measured(&task->shown.rows), guesses, task->probe.seconds, 100 * median, 100 * above,
        task->probe.count, 100 * FT_PROBE_AGREE, 100 * task->probe.disturbed);
    struct ft_table *table = speed_table(machine);
    int status =
        table ? ft_table_write(table, stdout, false, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    if (task->notes.count > 0)
        fputc('\n', stdout);
    for (size_t i = 0; i < task->notes.count; i++)
        ft_print_wrapped(stdout, 2, "- %s\n", task->notes.items[i]);
    ft_print_wrapped(stdout, 2, "\n'foretrace machine show %s%s' has all values, %s the curves\n",
                     ft_machine_file_prefix(task->path), task->path, task->picture);
    return status;
}

static int say_json(const struct probe_task *task, struct ft_diag *diag)
{
    double median, above;
    FT_TRY(sum_up_spreads(&task->probe, &median, &above, diag));
    struct ft_table *table = speed_table(&task->shown.machine);
    json_t *notes = json_array();
    for (size_t i = 0; i < task->notes.count; i++)
        ft_json_append(&notes, ft_json_text(task->notes.items[i]));
    json_t *root = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:I, s:I, s:o, s:o}", "file",
        ft_json_text(task->path), "curves", ft_json_text(task->curves), "picture",
        ft_json_text(task->picture), "description", ft_json_text(task->shown.machine.description),
        "clock_ghz", ft_json_number(task->shown.machine.clock_ghz), "seconds", task->probe.seconds,
        "disturbed_share", task->probe.disturbed, "repeats_median", median, "repeats_above_share",
        above, "points", (json_int_t)task->probe.count, "measured_values",
        (json_int_t)count_measured(&task->shown.rows), "levels",
        table ? ft_table_json(table) : NULL, "notes", notes);
    ft_table_destroy(table);
    return ft_json_write(root, stdout, diag);
}

/* ---- the action ---- */

static int run(const struct ft_arguments *arguments, struct probe_task *task, struct ft_diag *diag)
{
    const char *from = ft_option_last(arguments, "from");
    task->path = ft_option_last(arguments, "output");
    if (!task->path)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "probe takes minutes: give -o FILE, where its result is kept");
    FT_TRY(name_files(task, from, diag));
    FT_TRY(from ? FT_OK : ft_command_check_output(arguments, task->curves, FT_FILE_PROBE, diag));
    FT_TRY(ft_command_check_output(arguments, task->picture, FT_FILE_SVG, diag));
    FT_TRY(from ? ft_probe_read(from, &task->probe, diag) : measure(arguments, task, diag));
    FT_TRY(read_machine(task, diag));
    FT_TRY(write_files(task, from == NULL, diag));
    return ft_report_form_read(arguments) == FT_REPORT_JSON ? say_json(task, diag)
                                                            : say(task, diag);
}

int ft_machine_probe_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct probe_task task = {0};
    int status = run(arguments, &task, diag);
    ft_shown_machine_fini(&task.shown);
    ft_probe_notes_fini(&task.notes);
    ft_probe_fini(&task.probe);
    free(task.curves);
    free(task.picture);
    return status;
}
