#include "formats/verify_histograms.h"

#include <stdio.h>

#include "formats/base/table.h"
#include "formats/conservation.h"
#include "formats/trace_operand.h"

static void add_rows(struct ft_table *table, size_t number, const struct ft_histograms *entry)
{
    char text[FT_NUMBER_TEXT];
    for (size_t s = 0; s < entry->size_count; s++) {
        uint64_t touches = 0, accesses = 0;
        for (size_t r = 0; r < entry->reference_count; r++) {
            touches += entry->histograms[r * entry->size_count + s].touches;
            accesses += entry->reference_accesses[r];
        }
        ft_text_bytes(text, (double)entry->block_bytes[s]);
        ft_table_count(table, (double)number);
        ft_table_text(table, text);
        ft_table_count(table, (double)accesses);
        ft_table_count(table, (double)touches);
        ft_table_count(table, (double)entry->distinct_blocks[s]);
    }
}

static int print_sizes(const struct ft_histogram_file *file, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "trace", "trace", true);
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, "distinct blocks", "distinct_blocks", true);
    for (size_t i = 0; i < file->count; i++)
        add_rows(table, i, &file->entries[i]);
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static int check_entries(const char *path, const struct ft_histogram_file *file,
                         struct ft_diag *diag)
{
    for (size_t i = 0; i < file->count; i++) {
        struct ft_diag inner = {0};
        int status = ft_conservation_check(&file->entries[i], &inner);
        if (status)
            return ft_fail(diag, status, "%s: trace %zu: %s", path, i, inner.message);
    }
    return FT_OK;
}

int ft_verify_histograms(const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    int status = ft_histogram_file_read(path, &file, diag);
    if (status)
        return status;
    status = check_entries(path, &file, diag);
    if (!status) {
        size_t with_totals = 0;
        for (size_t i = 0; i < file.count; i++)
            with_totals += file.entries[i].scope_totals != NULL;
        printf("%s: histograms of %zu trace%s; everything is conserved%s\n", path, file.count,
               file.count == 1 ? "" : "s",
               with_totals == file.count ? "" : ", as far as a file without totals shows it");
        status = print_sizes(&file, diag);
    }
    ft_histogram_file_fini(&file);
    return status ? status : ft_stdout_finish(diag);
}
