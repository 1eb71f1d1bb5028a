#include "formats/commands/source_report.h"

#include "formats/cli/table.h"

json_t *ft_sources_json(const struct ft_source_files *files)
{
    json_t *list = json_array();
    for (size_t i = 0; i < files->count; i++)
        ft_json_append(&list, json_pack("{s:o, s:I}", "path", ft_json_text(files->items[i].path),
                                        "bytes", (json_int_t)files->items[i].bytes));
    return list;
}

int ft_sources_print(const struct ft_source_files *files, FILE *stream, struct ft_diag *diag)
{
    if (files->count == 0)
        return FT_OK;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "source file", "path", false);
    ft_table_column(table, "size", "bytes", true);
    for (size_t i = 0; i < files->count; i++) {
        ft_table_text(table, files->items[i].path);
        ft_table_bytes(table, (double)files->items[i].bytes);
    }
    fputc('\n', stream);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}
