/*
 * Rows of the tables; writing them; reading them, where each is checked against those before it.
 */
#include "formats/skeleton/sized_skeleton_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/skeleton/drawn_tables.h"
#include "formats/skeleton/size_law_tables.h"
#include "formats/skeleton/skeleton_tables.h"

#define GROUP   "skeleton"
#define LARGEST "largest"

struct law_row {
    uint64_t number;
    double coefficients[FT_SIZED_COEFFICIENTS];
};
struct block_row {
    uint32_t block;
    uint8_t is_freed, clears;
    uint64_t alignment;
    double bytes[FT_SIZED_COEFFICIENTS];
};
/* Of a block event that only sizes from one on have. */
struct block_level_row {
    uint64_t event;
    double from;
};

static const struct ft_field error_fields[] = {
    FT_FIELD(ft_held_out_error, scope, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, block_size, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, octave, FT_FIELD_U32),
    FT_FIELD(ft_held_out_error, error, FT_FIELD_F64),
};
static const struct ft_field size_fields[] = {{"size", 0, FT_FIELD_F64, 0}};
static const struct ft_field law_fields[] = {
    FT_FIELD(law_row, number, FT_FIELD_U64),
    FT_FIELD_ARRAY(law_row, coefficients, FT_FIELD_F64, FT_SIZED_COEFFICIENTS),
};
static const struct ft_field flag_fields[] = {{"flag", 0, FT_FIELD_U8, 0}};
static const struct ft_field block_fields[] = {
    FT_FIELD(block_row, block, FT_FIELD_U32),
    FT_FIELD(block_row, is_freed, FT_FIELD_U8),
    FT_FIELD(block_row, clears, FT_FIELD_U8),
    FT_FIELD(block_row, alignment, FT_FIELD_U64),
    FT_FIELD_ARRAY(block_row, bytes, FT_FIELD_F64, FT_SIZED_COEFFICIENTS),
};
static const struct ft_field block_level_fields[] = {
    FT_FIELD(block_level_row, event, FT_FIELD_U64),
    FT_FIELD(block_level_row, from, FT_FIELD_F64),
};
static const struct ft_record_type block_level_type =
    FT_RECORD_TYPE(block_level_row, block_level_fields);
static const struct ft_record_type size_type = {sizeof(double), size_fields, 1};
static const struct ft_record_type law_type = FT_RECORD_TYPE(law_row, law_fields);
static const struct ft_record_type flag_type = {sizeof(uint8_t), flag_fields, 1};
static const struct ft_record_type block_type = FT_RECORD_TYPE(block_row, block_fields);
static const struct ft_record_type error_type = FT_RECORD_TYPE(ft_held_out_error, error_fields);

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a skeleton over sizes");
}

/* ---- writing ---- */

static const char *const number_parts[] = {"law_quotients", "law_logarithms", "law_odd_logarithms",
                                           "law_steps"};
static const char *const block_parts[] = {"block_quotients", "block_logarithms",
                                          "block_odd_logarithms", "block_steps"};

static int write_laws(hid_t group, const struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    struct law_row *rows = calloc(sized->number_count + 1, sizeof *rows);
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < sized->number_count; i++) {
        rows[i].number = sized->numbers[i].number;
        memcpy(rows[i].coefficients, sized->numbers[i].law.powers, sizeof rows[i].coefficients);
    }
    int status = ft_records_write(group, "laws", &law_type, rows, sized->number_count, diag);
    free(rows);
    return status ? status
                  : ft_size_laws_write(group, number_parts, &sized->numbers->law,
                                       sizeof *sized->numbers, sized->number_count,
                                       ft_sized_skeleton_is_by_level(sized), diag);
}

static int write_block_levels(hid_t group, const struct ft_sized_skeleton *sized,
                              struct ft_diag *diag)
{
    const struct ft_block_laws *laws = &sized->blocks;
    struct block_level_row *rows = calloc(laws->event_count + 1, sizeof *rows);
    size_t row_count = 0;
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < laws->event_count; i++)
        if (laws->events[i].from != 0)
            rows[row_count++] = (struct block_level_row){i, laws->events[i].from};
    int status = row_count ? ft_records_write(group, "block_levels", &block_level_type, rows,
                                              row_count, diag)
                           : FT_OK;
    free(rows);
    return status;
}

static int write_blocks(hid_t group, const struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    const struct ft_block_laws *laws = &sized->blocks;
    struct block_row *rows = calloc(laws->event_count + 1, sizeof *rows);
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < laws->event_count; i++) {
        const struct ft_sized_block_event *event = &laws->events[i];
        rows[i] = (struct block_row){.block = event->block,
                                     .is_freed = event->is_freed,
                                     .clears = event->clears,
                                     .alignment = event->alignment};
        memcpy(rows[i].bytes, event->bytes.powers, sizeof rows[i].bytes);
    }
    int status = ft_records_write(group, "block_laws", &block_type, rows, laws->event_count, diag);
    free(rows);
    if (!status)
        status = write_block_levels(group, sized, diag);
    return status
               ? status
               : ft_size_laws_write(group, block_parts, &laws->events->bytes, sizeof *laws->events,
                                    laws->event_count, ft_sized_skeleton_is_by_level(sized), diag);
}

static int write_flags(hid_t group, const char *name, const bool *flags, size_t count,
                       struct ft_diag *diag)
{
    uint8_t *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++)
        rows[i] = flags[i];
    int status = ft_records_write(group, name, &flag_type, rows, count, diag);
    free(rows);
    return status;
}

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
    FT_TRY(ft_result_group_create(parent, GROUP, &group, diag));
    int status =
        ft_records_write(group, "sizes", &size_type, sized->sizes, sized->size_count, diag);
    if (!status)
        status = write_largest(group, sized, diag);
    if (!status)
        status = write_laws(group, sized, diag);
    if (!status)
        status = write_flags(group, "sized", sized->is_sized,
                             sized->largest.threads[0].nest.token_count, diag);
    if (!status)
        status = write_blocks(group, sized, diag);
    if (!status)
        status = write_flags(group, "confirmed", sized->blocks.is_confirmed,
                             sized->blocks.block_count, diag);
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

static bool are_finite(const double *coefficients, size_t count)
{
    bool finite = true;
    for (size_t k = 0; k < count; k++)
        finite = finite && isfinite(coefficients[k]);
    return finite;
}

static int read_laws(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    struct law_row *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "laws", &law_type, (void **)&rows, &count, diag));
    sized->numbers = calloc(count + 1, sizeof *sized->numbers);
    int status = sized->numbers ? FT_OK : no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        sized->numbers[i].number = rows[i].number;
        memcpy(sized->numbers[i].law.powers, rows[i].coefficients, sizeof rows[i].coefficients);
        if (rows[i].number >= sized->largest.threads[0].nest.number_count ||
            (i && rows[i].number <= rows[i - 1].number) ||
            !are_finite(rows[i].coefficients, FT_SIZED_COEFFICIENTS))
            status = ft_fail(diag, FT_ERROR_DATA, "law %zu is of no number", i);
    }
    sized->number_count = status ? 0 : count;
    free(rows);
    return status ? status
                  : ft_size_laws_read(group, number_parts, &sized->numbers->law,
                                      sizeof *sized->numbers, count, diag);
}

static int read_flags(hid_t group, const char *name, size_t count, bool **ret_flags,
                      struct ft_diag *diag)
{
    uint8_t *rows = NULL;
    FT_TRY(ft_records_read_exactly(group, name, &flag_type, count, (void **)&rows, diag));
    *ret_flags = calloc(count + 1, sizeof **ret_flags);
    for (size_t i = 0; *ret_flags && i < count; i++)
        (*ret_flags)[i] = rows[i] != 0;
    free(rows);
    return *ret_flags ? FT_OK : no_memory(diag);
}

static int read_block_levels(hid_t group, struct ft_block_laws *laws, struct ft_diag *diag)
{
    struct block_level_row *rows = NULL;
    size_t count;
    if (H5Lexists(group, "block_levels", H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, "block_levels", &block_level_type, (void **)&rows, &count, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        if (rows[i].event >= laws->event_count || !(rows[i].from > 0))
            status = ft_fail(diag, FT_ERROR_DATA, "level %zu is of no block of the heap", i);
        else
            laws->events[rows[i].event].from = rows[i].from;
    }
    free(rows);
    return status;
}

/* Flags of as many as there are. */
static int read_confirmed(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    struct ft_block_laws *laws = &sized->blocks;
    uint8_t *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "confirmed", &flag_type, (void **)&rows, &count, diag));
    laws->is_confirmed = calloc(count + 1, sizeof *laws->is_confirmed);
    for (size_t i = 0; laws->is_confirmed && i < count; i++)
        laws->is_confirmed[i] = rows[i] != 0;
    free(rows);
    laws->block_count = (uint32_t)count;
    if (!laws->is_confirmed)
        return no_memory(diag);
    return count >= sized->largest.blocks.block_count && count <= FT_PLACE_BLOCKS_MAX
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "%zu blocks of the heap are confirmed or not", count);
}

static int read_blocks(hid_t group, struct ft_sized_skeleton *sized, struct ft_diag *diag)
{
    struct ft_block_laws *laws = &sized->blocks;
    struct block_row *rows = NULL;
    size_t count;
    FT_TRY(read_confirmed(group, sized, diag));
    FT_TRY(ft_records_read(group, "block_laws", &block_type, (void **)&rows, &count, diag));
    laws->events = calloc(count + 1, sizeof *laws->events);
    int status = laws->events ? FT_OK : no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        const struct block_row *row = &rows[i];
        laws->events[i] = (struct ft_sized_block_event){.block = row->block,
                                                        .is_freed = row->is_freed != 0,
                                                        .clears = row->clears != 0,
                                                        .alignment = row->alignment};
        memcpy(laws->events[i].bytes.powers, row->bytes, sizeof row->bytes);
        if (row->block >= laws->block_count || !ft_is_alignment(row->alignment) ||
            !are_finite(row->bytes, FT_SIZED_COEFFICIENTS))
            status = ft_fail(diag, FT_ERROR_DATA, "law %zu is of no block of the heap", i);
    }
    laws->event_count = status ? 0 : count;
    free(rows);
    if (!status)
        status = read_block_levels(group, laws, diag);
    return status ? status
                  : ft_size_laws_read(group, block_parts, &laws->events->bytes,
                                      sizeof *laws->events, count, diag);
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
    FT_TRY(read_laws(group, sized, diag));
    FT_TRY(read_flags(group, "sized", sized->largest.threads[0].nest.token_count, &sized->is_sized,
                      diag));
    FT_TRY(read_blocks(group, sized, diag));
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
