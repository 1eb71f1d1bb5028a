#include "formats/model/group_data.h"

#include <stdlib.h>

#include "formats/base/records.h"

#define OBJECTS "data_objects"
#define TOUCHED "group_data"

static const struct ft_field object_fields[] = {
    FT_FIELD(ft_named_data, kind, FT_FIELD_TEXT),
    FT_FIELD(ft_named_data, name, FT_FIELD_TEXT),
};
static const struct ft_field touched_fields[] = {
    FT_FIELD(ft_touched_data, group, FT_FIELD_U32),
    FT_FIELD(ft_touched_data, object, FT_FIELD_U32),
};
static const struct ft_record_type object_type = FT_RECORD_TYPE(ft_named_data, object_fields);
static const struct ft_record_type touched_type = FT_RECORD_TYPE(ft_touched_data, touched_fields);

void ft_group_data_fini(struct ft_group_data *data)
{
    for (size_t i = 0; i < data->object_count; i++) {
        free(data->objects[i].kind);
        free(data->objects[i].name);
    }
    free(data->objects);
    free(data->touched);
    *data = (struct ft_group_data){0};
}

size_t ft_group_data_of(const struct ft_group_data *data, size_t group, size_t *ret_count)
{
    size_t first = 0, end = data->touched_count;
    for (size_t middle; first < end;) {
        middle = first + (end - first) / 2;
        if (data->touched[middle].group < group)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < data->touched_count && data->touched[end].group == group)
        end++;
    *ret_count = end - first;
    return first;
}

void ft_group_data_keep(struct ft_group_data *data, const bool *kept)
{
    size_t count = 0;
    uint32_t group = 0, groups = 0; /* groups before `group` that were kept */
    for (size_t i = 0; i < data->touched_count; i++) {
        const struct ft_touched_data touched = data->touched[i];
        for (; group < touched.group; group++)
            groups += kept[group];
        if (kept[touched.group])
            data->touched[count++] = (struct ft_touched_data){groups, touched.object};
    }
    data->touched_count = count;
}

int ft_group_data_write(hid_t model, const struct ft_group_data *data, struct ft_diag *diag)
{
    const struct ft_records tables[] = {
        {OBJECTS, &object_type, data->objects, data->object_count},
        {TOUCHED, &touched_type, data->touched, data->touched_count},
    };
    return data->touched_count > 0
               ? ft_records_write_all(model, tables, sizeof tables / sizeof *tables, diag)
               : FT_OK;
}

static int check(const struct ft_group_data *data, size_t group_count, struct ft_diag *diag)
{
    for (size_t i = 0; i < data->touched_count; i++) {
        const struct ft_touched_data *touched = &data->touched[i];
        if (touched->group >= group_count || touched->object >= data->object_count)
            return ft_fail(diag, FT_ERROR_DATA, TOUCHED " %zu: no such group or object", i);
        if (i > 0 && touched->group < touched[-1].group)
            return ft_fail(diag, FT_ERROR_DATA, TOUCHED " %zu is out of order", i);
    }
    return FT_OK;
}

int ft_group_data_read(hid_t model, size_t group_count, struct ft_group_data *ret_data,
                       struct ft_diag *diag)
{
    struct ft_group_data data = {0};
    if (H5Lexists(model, TOUCHED, H5P_DEFAULT) <= 0)
        return FT_OK;
    int status = ft_records_read(model, OBJECTS, &object_type, (void **)&data.objects,
                                 &data.object_count, diag);
    if (!status)
        status = ft_records_read(model, TOUCHED, &touched_type, (void **)&data.touched,
                                 &data.touched_count, diag);
    if (!status)
        status = check(&data, group_count, diag);
    if (status)
        ft_group_data_fini(&data);
    else
        *ret_data = data;
    return status;
}
