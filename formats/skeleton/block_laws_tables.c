/*
 * Rows of the tables; writing them; reading them, where each is checked against those before it.
 */
#include "formats/skeleton/block_laws_tables.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/skeleton/nest_tables.h"
#include "formats/skeleton/size_law_tables.h"

#define LOOPS "block_loops"

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
struct call_row {
    uint8_t is_freed, clears;
    uint64_t alignment;
};

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
static const struct ft_field call_fields[] = {
    FT_FIELD(call_row, is_freed, FT_FIELD_U8),
    FT_FIELD(call_row, clears, FT_FIELD_U8),
    FT_FIELD(call_row, alignment, FT_FIELD_U64),
};
static const struct ft_record_type call_type = FT_RECORD_TYPE(call_row, call_fields);
static const struct ft_record_type block_level_type =
    FT_RECORD_TYPE(block_level_row, block_level_fields);
static const struct ft_record_type block_type = FT_RECORD_TYPE(block_row, block_fields);

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of heap blocks");
}

/* ---- writing ---- */

static const char *const block_parts[] = {"block_quotients", "block_logarithms",
                                          "block_odd_logarithms", "block_steps"};

static int write_levels(hid_t group, const struct ft_block_laws *laws, struct ft_diag *diag)
{
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

static int write_events(hid_t group, const struct ft_block_laws *laws, bool by_level,
                        struct ft_diag *diag)
{
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
        status = write_levels(group, laws, diag);
    return status ? status
                  : ft_size_laws_write(group, block_parts, &laws->events->bytes,
                                       sizeof *laws->events, laws->event_count, by_level, diag);
}

static int write_loop_tables(hid_t group, const struct ft_block_loops *loops, bool by_level,
                             struct ft_diag *diag)
{
    struct call_row *calls = calloc(loops->call_count + 1, sizeof *calls);
    if (!calls)
        return no_memory(diag);
    for (size_t i = 0; i < loops->call_count; i++)
        calls[i] = (struct call_row){loops->calls[i].is_freed, loops->calls[i].clears,
                                     loops->calls[i].alignment};
    int status = ft_records_write(group, "calls", &call_type, calls, loops->call_count, diag);
    free(calls);
    if (!status)
        status = ft_nest_tables_write(group, &loops->nest, diag);
    return status
               ? status
               : ft_sized_numbers_write(group, loops->numbers, loops->number_count, by_level, diag);
}

static int write_loops(hid_t group, const struct ft_block_loops *loops, bool by_level,
                       struct ft_diag *diag)
{
    hid_t inside;
    if (loops->nest.token_count == 0)
        return FT_OK;
    FT_TRY(ft_result_group_create(group, LOOPS, &inside, diag));
    int status = write_loop_tables(inside, loops, by_level, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" LOOPS "' cannot be written");
    return status;
}

int ft_block_laws_write(hid_t group, const struct ft_block_laws *laws, bool by_level,
                        struct ft_diag *diag)
{
    FT_TRY(write_events(group, laws, by_level, diag));
    FT_TRY(write_loops(group, &laws->loops, by_level, diag));
    return ft_flags_write(group, "confirmed", laws->is_confirmed, laws->block_count, diag);
}

/* ---- reading ---- */

static int read_levels(hid_t group, struct ft_block_laws *laws, struct ft_diag *diag)
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
static int read_confirmed(hid_t group, const struct ft_skeleton *largest,
                          struct ft_block_laws *laws, struct ft_diag *diag)
{
    size_t count;
    FT_TRY(ft_flags_read(group, "confirmed", &laws->is_confirmed, &count, diag));
    laws->block_count = (uint32_t)count;
    return count >= largest->blocks.block_count && count <= FT_PLACE_BLOCKS_MAX
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "%zu blocks of the heap are confirmed or not", count);
}

static int read_events(hid_t group, struct ft_block_laws *laws, struct ft_diag *diag)
{
    struct block_row *rows = NULL;
    size_t count;
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
            !ft_law_powers_are_finite(row->bytes))
            status = ft_fail(diag, FT_ERROR_DATA, "law %zu is of no block of the heap", i);
    }
    laws->event_count = status ? 0 : count;
    free(rows);
    if (!status)
        status = read_levels(group, laws, diag);
    return status ? status
                  : ft_size_laws_read(group, block_parts, &laws->events->bytes,
                                      sizeof *laws->events, count, diag);
}

static int read_calls(hid_t group, struct ft_block_loops *loops, struct ft_diag *diag)
{
    struct call_row *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "calls", &call_type, (void **)&rows, &count, diag));
    loops->calls = calloc(count + 1, sizeof *loops->calls);
    int status = loops->calls ? FT_OK : no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        loops->calls[i] =
            (struct ft_block_call){rows[i].is_freed != 0, rows[i].clears != 0, rows[i].alignment};
        if (!ft_is_alignment(rows[i].alignment))
            status = ft_fail(diag, FT_ERROR_DATA, "call %zu is of no allocation function", i);
    }
    loops->call_count = status ? 0 : count;
    free(rows);
    return status;
}

static int read_loop_tables(hid_t group, struct ft_block_loops *loops, struct ft_diag *diag)
{
    FT_TRY(read_calls(group, loops, diag));
    const struct ft_nest_ids ids = {.references = loops->call_count, .loops = 1};
    FT_TRY(ft_nest_tables_read(group, &ids, &loops->nest, diag));
    return ft_sized_numbers_read(group, &loops->nest, &loops->numbers, &loops->number_count, diag);
}

static int read_loops(hid_t group, struct ft_block_loops *loops, struct ft_diag *diag)
{
    if (H5Lexists(group, LOOPS, H5P_DEFAULT) <= 0)
        return FT_OK;
    hid_t inside = H5Gopen2(group, LOOPS, H5P_DEFAULT);
    if (inside < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the group '" LOOPS "' cannot be opened");
    int status = read_loop_tables(inside, loops, diag);
    H5Gclose(inside);
    return status;
}

int ft_block_laws_read(hid_t group, const struct ft_skeleton *largest,
                       struct ft_block_laws *ret_laws, struct ft_diag *diag)
{
    FT_TRY(read_confirmed(group, largest, ret_laws, diag));
    FT_TRY(read_events(group, ret_laws, diag));
    return read_loops(group, &ret_laws->loops, diag);
}
