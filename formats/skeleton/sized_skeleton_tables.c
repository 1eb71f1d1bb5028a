/*
 * Rows of the tables; writing them; reading them, where each is checked against those before it.
 */
#include "formats/skeleton/sized_skeleton_tables.h"

#include <stdlib.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/skeleton/block_laws_tables.h"
#include "formats/skeleton/drawn_tables.h"
#include "formats/skeleton/size_law_tables.h"
#include "formats/skeleton/skeleton_tables.h"

#define GROUP   "skeleton"
#define LARGEST "largest"

static const struct ft_field error_fields[] = {
    FT_FIELD(ft_held_out_error, scope, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, block_size, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, octave, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, error, FT_FIELD_F64),
};
static const struct ft_field size_fields[] = {{"size", 0, FT_FIELD_F64, 0}};
static const struct ft_record_type size_type = {sizeof(double), size_fields, 1};
static const struct ft_record_type error_type = FT_RECORD_TYPE(ft_held_out_error, error_fields);

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a skeleton over sizes");
}

/* ---- writing ---- */

static int write_largest(hid_t group, const struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    hid_t inside;
    FT_TRY(ft_result_group_create(group, LARGEST, &inside, diag));
    int status = ft_skeleton_tables_write(inside, &sized->largest, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" LARGEST "' cannot be written");
    return status;
}

int ft_sized_skeleton_write(hid_t parent, const struct ft_sized_skeleton *sized,
                            struct ft_diag *diag)
{
    hid_t group;
    if (!sized)
        return FT_OK;
    const bool by_level = ft_sized_skeleton_is_by_level(sized);
    FT_TRY(ft_result_group_create(parent, GROUP, &group, diag));
    int status =
        ft_records_write(group, "sizes", &size_type, sized->sizes, sized->size_count, diag);
    if (!status)
        status = write_largest(group, sized, diag);
    if (!status)
        status = ft_sized_numbers_write(group, sized->numbers, sized->number_count, by_level, diag);
    if (!status)
        status = ft_flags_write(group, "sized", sized->is_sized,
                                sized->largest.threads[0].nest.token_count, diag);
    if (!status)
        status = ft_block_laws_write(group, &sized->blocks, by_level, diag);
    if (!status)
        status = ft_drawn_tables_write(group, sized->drawn, sized->drawn_count, diag);
    if (!status && sized->is_held_out)
        status = ft_records_write(group, "held_out", &error_type, sized->errors, sized->error_count,
                                  diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" GROUP "' cannot be written");
    return status;
}

/* ---- reading ---- */

static int read_sizes(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    FT_TRY(ft_records_read(group, "sizes", &size_type, (void **)&sized->sizes, &sized->size_count,
                           diag));
    bool are_good =
        sized->size_count >= FT_SIZED_SIZES_MIN && sized->size_count <= FT_SIZED_SIZES_MAX;
    for (size_t s = 0; are_good && s < sized->size_count; s++)
        are_good =
            ft_is_sized_size(sized->sizes[s]) && (s == 0 || sized->sizes[s] > sized->sizes[s - 1]);
    return are_good ? FT_OK : ft_fail(diag, FT_ERROR_DATA, "sizes that no skeleton has");
}

static int read_largest(hid_t group, const struct ft_scopes *scopes,
                        struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    hid_t inside = H5Gopen2(group, LARGEST, H5P_DEFAULT);
    if (inside < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the group '" LARGEST "' is missing");
    int status = ft_skeleton_tables_read(inside, scopes, &sized->largest, diag);
    H5Gclose(inside);
    return status;
}

static int read_sized(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    const size_t token_count = sized->largest.threads[0].nest.token_count;
    size_t count;
    FT_TRY(ft_flags_read(group, "sized", &sized->is_sized, &count, diag));
    return count == token_count
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "%zu tokens, of %zu, follow laws or not", count,
                         token_count);
}

static int read_drawn(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &sized->largest;
    const struct ft_nest_ids ids = {largest->reference_count, largest->routine_count,
                                    largest->loop_count, largest->threads[0].irregular_count};
    return ft_drawn_tables_read(group, &ids, &sized->drawn, &sized->drawn_count, diag);
}

static int read_held_out(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    sized->is_held_out = H5Lexists(group, "held_out", H5P_DEFAULT) > 0;
    if (!sized->is_held_out)
        return FT_OK;
    FT_TRY(ft_records_read(group, "held_out", &error_type, (void **)&sized->errors,
                           &sized->error_count, diag));
    for (size_t i = 0; i < sized->error_count; i++) {
        const struct ft_held_out_error *error = &sized->errors[i];
        if (error->scope >= sized->largest.scopes.scope_count ||
            error->octave > FT_HELD_OUT_ACCESSES || !(error->error >= 0))
            return ft_fail(diag, FT_ERROR_DATA, "error %zu is of no scope", i);
    }
    return FT_OK;
}

static int read_all(hid_t group, const struct ft_scopes *scopes, struct ft_sized_skeleton *sized,
                    struct ft_diag *diag)
{
    FT_TRY(read_sizes(group, sized, diag));
    FT_TRY(read_largest(group, scopes, sized, diag));
    FT_TRY(ft_sized_numbers_read(group, &sized->largest.threads[0].nest, &sized->numbers,
                                 &sized->number_count, diag));
    FT_TRY(read_sized(group, sized, diag));
    FT_TRY(ft_block_laws_read(group, &sized->largest, &sized->blocks, diag));
    FT_TRY(read_drawn(group, sized, diag));
    return read_held_out(group, sized, diag);
}

int ft_sized_skeleton_read(hid_t parent, const struct ft_scopes *scopes,
                           struct ft_sized_skeleton **ret_sized, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    *ret_sized = NULL;
    if (H5Lexists(parent, GROUP, H5P_DEFAULT) <= 0)
        return FT_OK;
    struct ft_sized_skeleton *sized = calloc(1, sizeof *sized);
    if (!sized)
        return no_memory(diag);
    hid_t group = H5Gopen2(parent, GROUP, H5P_DEFAULT);
    int status = group < 0 ? ft_fail(&inner, FT_ERROR_DATA, "it cannot be opened")
                           : read_all(group, scopes, sized, &inner);
    if (group >= 0)
        H5Gclose(group);
    if (status) {
        ft_sized_skeleton_free(sized);
        return ft_fail(diag, status, GROUP ": %s", inner.message);
    }
    *ret_sized = sized;
    return FT_OK;
}
