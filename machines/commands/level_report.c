#include "machines/commands/level_report.h"

#include <ctype.h>

static bool is_full(const struct ft_level *level)
{
    return level->ways == level->blocks;
}

void ft_level_geometry_columns(struct ft_table *table)
{
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_drop_first(table);
    ft_table_column(table, "ways", "ways", true);
    ft_table_drop_first(table);
}

void ft_level_geometry_cells(struct ft_table *table, const struct ft_level *level)
{
    ft_table_text(table, level->name);
    ft_table_bytes(table, (double)ft_level_capacity_bytes(level));
    ft_table_bytes(table, (double)level->block_bytes);
    if (is_full(level))
        ft_table_text(table, "full");
    else
        ft_table_format(table, "%llu", (unsigned long long)level->ways);
}

int ft_level_table_print(const struct ft_machine *machine, const double *misses, double accesses,
                         FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    double each = accesses > 0 ? 1 / accesses : 0;
    ft_level_geometry_columns(table);
    ft_table_column(table, "fully assoc. misses", "fully_associative", true);
    ft_table_column(table, "miss ratio", "fully_associative_share", true);
    ft_table_column(table, "set assoc. misses", "set_associative", true);
    ft_table_column(table, "miss ratio", "set_associative_share", true);
    for (size_t i = 0; i < machine->level_count; i++) {
        ft_level_geometry_cells(table, &machine->levels[i]);
        for (size_t j = 0; j < 2; j++) {
            ft_table_count(table, misses[2 * i + j]);
            ft_table_share(table, misses[2 * i + j] * each);
        }
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

void ft_key_column(struct ft_table *table, const char *name, const char *what)
{
    char key[512];
    snprintf(key, sizeof key, "%.250s_%.250s", name, what);
    for (char *c = key; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    ft_table_column(table, key, key, true);
}

void ft_level_column(struct ft_table *table, const struct ft_level *level, const char *what)
{
    ft_key_column(table, level->name, what);
}

void ft_level_columns(struct ft_table *table, bool csv, const struct ft_machine *machine,
                      const char *how)
{
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        char title[128];
        if (csv) {
            snprintf(title, sizeof title, "%.40s_fully_associative", how);
            ft_level_column(table, level, title);
            snprintf(title, sizeof title, "%.40s_set_associative", how);
            ft_level_column(table, level, title);
            continue;
        }
        snprintf(title, sizeof title, is_full(level) ? "%.100s" : "%.100s full", level->name);
        ft_table_column(table, title, title, true);
        if (!is_full(level)) {
            snprintf(title, sizeof title, "%.100s set", level->name);
            ft_table_column(table, title, title, true);
        }
    }
}

void ft_level_cells(struct ft_table *table, bool csv, const struct ft_machine *machine,
                    const double *misses)
{
    for (size_t i = 0; i < machine->level_count; i++) {
        ft_table_count(table, misses[2 * i]);
        if (csv || !is_full(&machine->levels[i]))
            ft_table_count(table, misses[2 * i + 1]);
    }
}

json_t *ft_level_json(const struct ft_level *level)
{
    return json_pack("{s:o, s:s, s:I, s:I, s:I}", "name", ft_json_text(level->name), "kind",
                     ft_level_kind_names[level->kind], "capacity_bytes",
                     (json_int_t)ft_level_capacity_bytes(level), "block_bytes",
                     (json_int_t)level->block_bytes, "ways", (json_int_t)level->ways);
}
