#include "formats/commands/verify_histograms.h"

#include "formats/histograms/conservation.h"
#include "formats/histograms/histograms.h"

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

static struct ft_table *make_table(const struct ft_histogram_file *file)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "trace", "trace", true);
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, "distinct blocks", "distinct_blocks", true);
    for (size_t i = 0; i < file->count; i++)
        add_rows(table, i, &file->entries[i]);
    return table;
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

int ft_verify_histograms(const char *path, struct ft_verified_histograms *ret_verified,
                         struct ft_diag *diag)
{
    struct ft_histogram_file file;
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    int status = check_entries(path, &file, diag);
    if (!status) {
        struct ft_verified_histograms verified = {.trace_count = file.count};
        for (size_t i = 0; i < file.count; i++)
            verified.with_totals += file.entries[i].scope_totals != NULL;
        verified.table = make_table(&file);
        if (verified.table)
            *ret_verified = verified;
        else
            status = ft_fail_memory(diag, "a table");
    }
    ft_histogram_file_fini(&file);
    return status;
}
