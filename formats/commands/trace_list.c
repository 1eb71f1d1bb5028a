#include "formats/commands/trace_list.h"

#include <stdlib.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/commands/trace_operand.h"

#define COMMAND_SHOWN 48 /* bytes of a command line; CSV has all */

static void add_command(struct ft_table *table, const struct ft_metadata *metadata, bool csv)
{
    char *line = ft_metadata_command(metadata);
    if (!line || !metadata->argument_count)
        ft_table_text(table, metadata->program ? metadata->program : "");
    else if (!csv && strlen(line) >= COMMAND_SHOWN)
        ft_table_format(table, "%.*s...", COMMAND_SHOWN - 3, line);
    else
        ft_table_text(table, line);
    free(line);
}

static void add_row(struct ft_table *table, const char *path, const struct ft_trace *trace,
                    bool csv)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    ft_table_text(table, path);
    add_command(table, metadata, csv);
    ft_table_count(table, ft_trace_thread_count(trace));
    ft_table_count(table, (double)metadata->instructions);
    ft_table_count(table, (double)metadata->accesses);
    ft_table_bytes(table, (double)ft_trace_file_bytes(trace));
    ft_table_text(table, metadata->end_reason ? metadata->end_reason : "cut off");
}

int ft_trace_list_print(const struct ft_arguments *arguments, bool csv, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "command line", "command_line", false);
    ft_table_column(table, "threads", "threads", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "file", "file_bytes", true);
    ft_table_column(table, "end", "end_reason", false);
    int status = FT_OK;
    for (size_t i = 0; i < ft_operand_count(arguments) && status == FT_OK; i++) {
        struct ft_trace *trace;
        status = ft_trace_open_operand_at(arguments, i, &trace, diag);
        if (status < 0)
            break;
        add_row(table, ft_operands(arguments)[i], trace, csv);
        ft_trace_close(trace);
    }
    if (status == FT_OK)
        status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}
