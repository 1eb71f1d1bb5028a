#include "formats/commands/verify_histograms.h"

#include "formats/base/number_text.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/histograms/conservation.h"

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
    struct ft_verified_histograms verified = {0};
    FT_TRY(ft_histogram_file_read(path, &verified.file, diag));
    const int status = check_entries(path, &verified.file, diag);
    for (size_t i = 0; i < verified.file.count; i++)
        verified.with_totals += verified.file.entries[i].scope_totals != NULL;
    if (status == FT_OK)
        *ret_verified = verified;
    else
        ft_verified_histograms_fini(&verified);
    return status;
}

void ft_verified_histograms_fini(struct ft_verified_histograms *verified)
{
    ft_histogram_file_fini(&verified->file);
}

/* ---- what was found ---- */

struct row {
    uint64_t accesses, touches;
};

static struct row row_of(const struct ft_histograms *entry, size_t size)
{
    struct row row = {0};
    for (size_t r = 0; r < entry->reference_count; r++) {
        row.touches += entry->histograms[r * entry->size_count + size].touches;
        row.accesses += entry->reference_accesses[r];
    }
    return row;
}

static void add_rows(struct ft_table *table, size_t number, const struct ft_histograms *entry)
{
    char text[FT_NUMBER_TEXT];
    for (size_t s = 0; s < entry->size_count; s++) {
        const struct row row = row_of(entry, s);
        ft_text_bytes(text, (double)entry->block_bytes[s]);
        ft_table_count(table, (double)number);
        ft_table_text(table, text);
        ft_table_count(table, (double)row.accesses);
        ft_table_count(table, (double)row.touches);
        ft_table_count(table, (double)entry->distinct_blocks[s]);
    }
}

int ft_verified_histograms_print(const char *path, const struct ft_verified_histograms *verified,
                                 struct ft_diag *diag)
{
    const struct ft_histogram_file *file = &verified->file;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    printf("%s: histograms of %zu trace%s; consistent%s\n", path, file->count,
           file->count == 1 ? "" : "s",
           verified->with_totals == file->count ? "" : ", as far as a file without totals shows");
    ft_table_column(table, "trace", "trace", true);
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, "distinct blocks", "distinct_blocks", true);
    for (size_t i = 0; i < file->count; i++)
        add_rows(table, i, &file->entries[i]);
    const int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_verified_histograms_print_json(const char *path,
                                      const struct ft_verified_histograms *verified,
                                      struct ft_diag *diag)
{
    json_t *traces = json_array();
    for (size_t i = 0; i < verified->file.count; i++) {
        const struct ft_histograms *entry = &verified->file.entries[i];
        json_t *sizes = json_array();
        for (size_t s = 0; s < entry->size_count; s++) {
            const struct row row = row_of(entry, s);
            ft_json_append(&sizes,
                           json_pack("{s:I, s:I, s:I, s:I}", "block_bytes",
                                     (json_int_t)entry->block_bytes[s], "accesses",
                                     (json_int_t)row.accesses, "touches", (json_int_t)row.touches,
                                     "distinct_blocks", (json_int_t)entry->distinct_blocks[s]));
        }
        ft_json_append(&traces,
                       json_pack("{s:s, s:b, s:o}", "content_hash", entry->trace_hash, "has_totals",
                                 entry->scope_totals != NULL, "block_sizes", sizes));
    }
    return ft_json_write(json_pack("{s:s, s:o, s:o}", "kind", "histograms", "path",
                                   ft_json_text(path), "traces", traces),
                         stdout, diag);
}
