#include "formats/histograms/data_tables.h"

#include <stdlib.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/histograms/histogram_tables.h"
#include "formats/x86/unit.h"

#define GROUP "data"

static const struct ft_field item_fields[] = {
    FT_FIELD(ft_data_item, kind, FT_FIELD_TEXT), FT_FIELD(ft_data_item, name, FT_FIELD_TEXT),
    FT_FIELD(ft_data_item, file, FT_FIELD_TEXT), FT_FIELD(ft_data_item, module, FT_FIELD_U32),
    FT_FIELD(ft_data_item, line, FT_FIELD_U32),  FT_FIELD(ft_data_item, offset, FT_FIELD_U64),
    FT_FIELD(ft_data_item, bytes, FT_FIELD_U64), FT_FIELD(ft_data_item, blocks, FT_FIELD_U64),
};
static const struct ft_field part_fields[] = {
    FT_FIELD(ft_data_part, reference, FT_FIELD_U32),
    FT_FIELD(ft_data_part, object, FT_FIELD_U32),
    FT_FIELD(ft_data_part, accesses, FT_FIELD_U64),
};
static const struct ft_record_type item_type = FT_RECORD_TYPE(ft_data_item, item_fields);
static const struct ft_record_type part_type = FT_RECORD_TYPE(ft_data_part, part_fields);

int ft_data_histograms_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    const struct ft_data_histograms *data = entry->data;
    hid_t inside;
    FT_TRY(ft_result_group_create(group, GROUP, &inside, diag));
    const struct ft_records tables[] = {
        {"items", &item_type, data->items, data->item_count},
        {"parts", &part_type, data->parts, data->part_count},
    };
    int status = ft_records_write_all(inside, tables, sizeof tables / sizeof *tables, diag);
    if (!status)
        status = ft_histogram_tables_write(inside, data->histograms,
                                           data->part_count * entry->size_count, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" GROUP "' cannot be written");
    return status;
}

static int check(const struct ft_histograms *entry, const struct ft_data_histograms *data,
                 struct ft_diag *diag)
{
    for (size_t i = 0; i < data->item_count; i++)
        if (data->items[i].module != FT_NO_MODULE &&
            data->items[i].module >= entry->scopes.module_count)
            return ft_fail(diag, FT_ERROR_DATA, "object %zu: no such module", i);
    for (size_t p = 0; p < data->part_count; p++) {
        const struct ft_data_part *part = &data->parts[p];
        if (part->reference >= entry->reference_count || part->object >= data->item_count)
            return ft_fail(diag, FT_ERROR_DATA, "part %zu: no such reference or object", p);
        if (p && (part->reference < part[-1].reference ||
                  (part->reference == part[-1].reference && part->object <= part[-1].object)))
            return ft_fail(diag, FT_ERROR_DATA, "part %zu is out of order", p);
    }
    return FT_OK;
}

static int read_tables(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_data_histograms *data = entry->data;
    size_t part_count = 0;
    int status =
        ft_records_read(group, "items", &item_type, (void **)&data->items, &data->item_count, diag);
    if (!status)
        status =
            ft_records_read(group, "parts", &part_type, (void **)&data->parts, &part_count, diag);
    if (!status)
        status = ft_histogram_tables_read(group, part_count * entry->size_count, &data->histograms,
                                          diag);
    if (!status)
        data->part_count = part_count;
    return status ? status : check(entry, data, diag);
}

int ft_data_histograms_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    entry->data = calloc(1, sizeof *entry->data);
    if (!entry->data)
        return ft_fail_memory(diag, "the histograms of data");
    hid_t inside = H5Gopen2(group, GROUP, H5P_DEFAULT);
    int status = inside < 0 ? ft_fail(&inner, FT_ERROR_DATA, "it cannot be opened")
                            : read_tables(inside, entry, &inner);
    if (inside >= 0)
        H5Gclose(inside);
    return status ? ft_fail(diag, status, GROUP ": %s", inner.message) : FT_OK;
}
