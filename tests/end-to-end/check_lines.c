/*
 * usage: check_lines TRACE MODULE
 *
 * What a trace knows of the lines of a module, whose file is called MODULE, for a comparison with
 * addr2line: "code OFFSET FILE:LINE" for each instruction in the trace ("??:?" without a line),
 * "line OFFSET FILE:LINE" for each range of the line table, "inlined OFFSET NAME" and "variable
 * NAME FILE:LINE" for inlined calls and variables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/trace/trace_reader.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_code(const struct ft_trace *trace, uint32_t number)
{
    const struct ft_module *module = ft_trace_module(trace, number);
    for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        for (unsigned i = 0; unit && i < unit->instruction_count; i++) {
            uint64_t offset = unit->instructions[i].pc - module->load_bias;
            const struct ft_line *line = ft_module_line(module, offset);
            if (ft_unit_module(unit, i) == number && line)
                printf("code 0x%" PRIx64 " %s:%u\n", offset,
                       base_name(module->strings + line->file), line->line);
            else if (ft_unit_module(unit, i) == number)
                printf("code 0x%" PRIx64 " ?\?:?\n", offset);
        }
    }
}

static void print_tables(const struct ft_module *module)
{
    for (size_t i = 0; i < module->line_count; i++)
        printf("line 0x%" PRIx64 " %s:%u\n", module->lines[i].start,
               base_name(module->strings + module->lines[i].file), module->lines[i].line);
    for (size_t i = 0; i < module->inline_count; i++)
        printf("inlined 0x%" PRIx64 " %s\n", module->inlines[i].start,
               module->strings + module->inlines[i].name);
    for (size_t i = 0; i < module->variable_count; i++)
        printf("variable %s %s:%u\n", module->strings + module->variables[i].name,
               base_name(module->strings + module->variables[i].file), module->variables[i].line);
}

int main(int argc, char **argv)
{
    struct ft_trace *trace;
    struct ft_diag diag = {0};
    if (argc != 3 || ft_trace_open(argv[1], NULL, &trace, &diag) != FT_OK) {
        fprintf(stderr, "check_lines: %s\n", argc == 3 ? diag.message : "TRACE MODULE");
        return 2;
    }
    for (uint32_t i = 0; i < ft_trace_module_count(trace); i++)
        if (strcmp(base_name(ft_trace_module(trace, i)->path), argv[2]) == 0) {
            print_code(trace, i);
            print_tables(ft_trace_module(trace, i));
        }
    ft_trace_close(trace);
    return 0;
}
