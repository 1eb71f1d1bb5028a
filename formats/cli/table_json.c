/*
 * A table as JSON: a file of its own, as `capture`, which prints tables, does without jansson.
 */
#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/table_cells.h"

/* Empty cells have no text for programs, but one for readers. */
static json_t *cell_json(const struct ft_table *table, const struct ft_table_cell *cell)
{
    const char *csv = table->characters + cell->csv;
    if (cell->is_number)
        return ft_json_number(cell->number);
    return *csv || !table->characters[cell->text] ? ft_json_text(csv) : json_null();
}

json_t *ft_table_json(const struct ft_table *table)
{
    json_t *rows = table->failed ? NULL : json_array();
    size_t count = table->column_count;
    for (size_t i = 0; rows && i + count <= table->cell_count && count > 0; i += count) {
        json_t *row = json_object();
        for (size_t j = 0; j < count; j++)
            if (json_object_set_new(row, table->characters + table->columns[j].key,
                                    cell_json(table, &table->cells[i + j])) != 0) {
                json_decref(row);
                row = NULL;
            }
        ft_json_append(&rows, row);
    }
    return rows;
}
