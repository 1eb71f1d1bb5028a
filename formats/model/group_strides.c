#include "formats/model/group_strides.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"

#define STRIDES "strides"
#define STREAMS "streams"
#define BASES   "bases"
#define LOADS   "load_classes"

static const struct ft_field stride_fields[] = {{"bytes", 0, FT_FIELD_I64, 0}};
static const struct ft_field base_fields[] = {{"lowest_address", 0, FT_FIELD_U64, 0}};
static const struct ft_field stream_fields[] = {{"group", 0, FT_FIELD_U32, 0}};
static const struct ft_field load_fields[] = {{"class", 0, FT_FIELD_U8, 0}};
static const struct ft_record_type stride_type = {sizeof(int64_t), stride_fields, 1};
static const struct ft_record_type base_type = {sizeof(uint64_t), base_fields, 1};
static const struct ft_record_type stream_type = {sizeof(uint32_t), stream_fields, 1};
static const struct ft_record_type load_type = {sizeof(uint8_t), load_fields, 1};

static size_t count_of(size_t group_count, size_t training_count)
{
    return group_count * FT_STRIDE_LOOPS_MAX * training_count;
}

int ft_group_strides_init(struct ft_group_strides *strides, size_t group_count,
                          size_t training_count, struct ft_diag *diag)
{
    const size_t count = count_of(group_count, training_count);
    int64_t *bytes = malloc((count + 1) * sizeof *bytes);
    if (!bytes)
        return ft_fail_memory(diag, "the strides of groups");
    for (size_t i = 0; i < count; i++)
        bytes[i] = FT_STRIDE_NONE;
    *strides = (struct ft_group_strides){
        .bytes = bytes, .group_count = group_count, .training_count = training_count};
    return FT_OK;
}

void ft_group_strides_fini(struct ft_group_strides *strides)
{
    free(strides->bytes);
    free(strides->bases);
    free(strides->streams);
    free(strides->load_classes);
    *strides = (struct ft_group_strides){0};
}

size_t ft_group_streams(const struct ft_group_strides *strides, size_t group, size_t *ret_count)
{
    size_t first = 0, end = strides->stream_count;
    for (size_t middle; first < end;) {
        middle = first + (end - first) / 2;
        if (strides->streams[middle] < group)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < strides->stream_count && strides->streams[end] == group)
        end++;
    *ret_count = end - first;
    return first;
}

void ft_group_strides_keep(struct ft_group_strides *strides, const bool *kept)
{
    const size_t width = FT_STRIDE_LOOPS_MAX * strides->training_count;
    size_t groups = 0, streams = 0, stream = 0;
    for (size_t g = 0; g < strides->group_count; g++) {
        if (kept[g] && strides->bytes)
            memmove(strides->bytes + groups * width, strides->bytes + g * width,
                    width * sizeof *strides->bytes);
        if (kept[g] && strides->load_classes)
            strides->load_classes[groups] = strides->load_classes[g];
        for (; stream < strides->stream_count && strides->streams[stream] == g; stream++) {
            if (!kept[g])
                continue;
            strides->streams[streams] = (uint32_t)groups;
            memmove(strides->bases + streams++ * strides->training_count,
                    strides->bases + stream * strides->training_count,
                    strides->training_count * sizeof *strides->bases);
        }
        groups += kept[g];
    }
    strides->group_count = groups;
    strides->stream_count = streams;
}

int ft_group_strides_write(hid_t model, const struct ft_group_strides *strides,
                           struct ft_diag *diag)
{
    const struct ft_records tables[] = {
        {STRIDES, &stride_type, strides->bytes,
         count_of(strides->group_count, strides->training_count)},
        {STREAMS, &stream_type, strides->streams, strides->stream_count},
        {BASES, &base_type, strides->bases, strides->stream_count * strides->training_count}};
    if (!strides->bytes)
        return FT_OK;
    FT_TRY(ft_records_write_all(model, tables, sizeof tables / sizeof *tables, diag));
    return strides->load_classes ? ft_records_write(model, LOADS, &load_type, strides->load_classes,
                                                    strides->group_count, diag)
                                 : FT_OK;
}

static int read_tables(hid_t model, struct ft_group_strides *strides, struct ft_diag *diag)
{
    const size_t count = count_of(strides->group_count, strides->training_count);
    FT_TRY(ft_records_read_exactly(model, STRIDES, &stride_type, count, (void **)&strides->bytes,
                                   diag));
    FT_TRY(ft_records_read(model, STREAMS, &stream_type, (void **)&strides->streams,
                           &strides->stream_count, diag));
    for (size_t i = 0; i < strides->stream_count; i++)
        if (strides->streams[i] >= strides->group_count ||
            (i > 0 && strides->streams[i] < strides->streams[i - 1]))
            return ft_fail(diag, FT_ERROR_DATA, "stream %zu is of no group", i);
    return ft_records_read_exactly(model, BASES, &base_type,
                                   strides->stream_count * strides->training_count,
                                   (void **)&strides->bases, diag);
}

static int read_load_classes(hid_t model, struct ft_group_strides *strides, struct ft_diag *diag)
{
    if (H5Lexists(model, LOADS, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read_exactly(model, LOADS, &load_type, strides->group_count,
                                   (void **)&strides->load_classes, diag));
    for (size_t g = 0; g < strides->group_count; g++)
        if (strides->load_classes[g] >= FT_LOAD_CLASSES)
            return ft_fail(diag, FT_ERROR_DATA, "group %zu: unknown class of loads", g);
    return FT_OK;
}

int ft_group_strides_read(hid_t model, struct ft_group_strides *ret_strides, size_t group_count,
                          size_t training_count, struct ft_diag *diag)
{
    struct ft_group_strides strides = {.group_count = group_count,
                                       .training_count = training_count};
    if (H5Lexists(model, STRIDES, H5P_DEFAULT) <= 0)
        return FT_OK;
    int status = read_tables(model, &strides, diag);
    if (!status)
        status = read_load_classes(model, &strides, diag);
    if (status)
        ft_group_strides_fini(&strides);
    else
        *ret_strides = strides;
    return status;
}
