/*
 * machine detect: a machine file of this host, of one that a trace was captured on, or of one whose
 * hwloc topology is at hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/machine_actions.h"
#include "machines/commands/report_options.h"
#include "machines/host/hwloc_topology.h"
#include "machines/machine_build.h"
#include "machines/machine_detect.h"
#include "machines/yaml_write.h"

/* A host that a file tells of. */
struct seen_host {
    struct ft_capture_host host;
    char *processor;
    char source[512];
};

static void fini_host(struct seen_host *seen)
{
    ft_capture_host_fini(&seen->host);
    free(seen->processor);
}

/* ---- where hosts are seen ---- */

static int see_in_trace(const char *path, struct seen_host *seen, struct ft_diag *diag)
{
    struct ft_trace *trace;
    if (ft_file_kind_of(path) == FT_FILE_OTHER)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: is neither a trace nor a topology of hwloc (lstopo topology.xml)",
                       path);
    FT_TRY(ft_trace_open_named(path, false, &trace, diag));
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    int status = FT_OK;
    seen->processor = strdup(metadata->cpu ? metadata->cpu : "");
    snprintf(seen->source, sizeof seen->source, "what the trace %.400s says of its host", path);
    if (!seen->processor)
        status = ft_fail_memory(diag, path);
    else if (metadata->capture_host.cache_count == 0)
        status = ft_fail(diag, FT_ERROR_UNSUPPORTED,
                         "%s: says nothing of the caches of its host (an imported trace, or one of "
                         "an early version): capture again there, or run 'foretrace machine "
                         "detect' on that host",
                         path);
    else
        status = ft_capture_host_copy(&metadata->capture_host, &seen->host, diag);
    ft_trace_close(trace);
    return status;
}

static bool begins_as_xml(const char *path)
{
    char head[64] = "";
    FILE *file = fopen(path, "re");
    const size_t bytes = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        (void)fclose(file); /* it was only read */
    return bytes > 0 && head[strspn(head, " \t\r\n")] == '<';
}

static int see(const char *from, struct seen_host *seen, struct ft_diag *diag)
{
    if (!begins_as_xml(from))
        return see_in_trace(from, seen, diag);
    snprintf(seen->source, sizeof seen->source, "hwloc's topology %.400s", from);
    return ft_hwloc_topology_read(from, &seen->host, &seen->processor, diag);
}

/* The machine of the host that a file tells of, or of this one. */
static int detect(const char *from, struct ft_machine_file *ret_file, struct ft_diag *diag)
{
    struct seen_host seen = {0};
    if (!from)
        return ft_machine_file_open("host", ret_file, diag);
    int status = see(from, &seen, diag);
    const struct ft_detection detection = {
        .host = &seen.host, .processor = seen.processor, .source = seen.source};
    if (status == FT_OK)
        status = ft_machine_detect(&detection, &ret_file->yaml, diag);
    fini_host(&seen);
    return status;
}

/* ---- what is made of it ---- */

static int write_file(const char *path, const char *head, const struct ft_yaml_machine *yaml,
                      struct ft_diag *diag)
{
    struct ft_text_output output;
    FT_TRY(ft_text_output_create(path, &output, diag));
    ft_yaml_write(output.stream, head, yaml);
    return ft_text_output_finish(&output, FT_OK, diag);
}

static void say(const char *path, const struct ft_machine *machine,
                const struct ft_value_rows *rows)
{
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(rows, &sourced);
    ft_print_wrapped(stdout, 2, "%s: %s; %zu of %zu values were found, %zu are guesses\n", path,
                     machine->description, sourced - guesses, sourced, guesses);
    ft_print_wrapped(stdout, 2, "'foretrace machine check %s%s' lists these\n",
                     ft_machine_file_prefix(path), path);
}

static json_t *made_json(const char *path, const struct ft_machine *machine,
                         const struct ft_value_rows *rows)
{
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(rows, &sourced);
    return json_pack("{s:o, s:o, s:I, s:I}", "file", ft_json_text(path), "description",
                     ft_json_text(machine->description), "sourced_values", (json_int_t)sourced,
                     "guesses", (json_int_t)guesses);
}

int ft_machine_detect_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    static const char head[] =
        "foretrace machine detect\n"
        "\n"
        "Values of kind 'nearest' could not be seen and are those of the machine that is named:\n"
        "'foretrace machine probe' measures most of them.\n";
    const char *path = ft_option_last(arguments, "output");
    struct ft_shown_machine shown = {0};
    if (!path && ft_option_count(arguments, "json"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--json tells of the file that is written: give -o FILE too");
    int status = detect(ft_option_last(arguments, "from"), &shown.file, diag);
    const struct ft_machine_source source = {"the detected machine", NULL, 0};
    if (status == FT_OK)
        status = ft_machine_build(&source, "detected", shown.file.yaml, &shown.machine, diag);
    if (status == FT_OK)
        status = ft_value_rows_list(shown.file.yaml, &shown.rows, diag);
    if (status == FT_OK && path)
        status = write_file(path, head, shown.file.yaml, diag);
    if (status == FT_OK && !path)
        ft_yaml_write(stdout, head, shown.file.yaml);
    else if (status == FT_OK && ft_option_count(arguments, "json"))
        status = ft_json_write(made_json(path, &shown.machine, &shown.rows), stdout, diag);
    else if (status == FT_OK)
        say(path, &shown.machine, &shown.rows);
    ft_shown_machine_fini(&shown);
    return status;
}
