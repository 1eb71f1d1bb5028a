#include "formats/skeleton/irregular_tables.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/skeleton/nest_check.h"

struct path_row {
    uint32_t irregular, tokens, numbers; /* tokens and numbers: how many */
    uint64_t count;
};

static const struct ft_field irregular_fields[] = {
    FT_FIELD(ft_irregular, context, FT_FIELD_U64),
    FT_FIELD(ft_irregular, token, FT_FIELD_U32),
    FT_FIELD(ft_irregular, entries, FT_FIELD_U64),
    FT_FIELD(ft_irregular, iterations, FT_FIELD_U64),
    FT_FIELD(ft_irregular, iterations_min, FT_FIELD_U64),
    FT_FIELD(ft_irregular, iterations_max, FT_FIELD_U64),
    FT_FIELD(ft_irregular, accesses, FT_FIELD_U64),
};
static const struct ft_field path_fields[] = {
    FT_FIELD(path_row, irregular, FT_FIELD_U32),
    FT_FIELD(path_row, tokens, FT_FIELD_U32),
    FT_FIELD(path_row, numbers, FT_FIELD_U32),
    FT_FIELD(path_row, count, FT_FIELD_U64),
};
static const struct ft_field number_fields[] = {
    FT_FIELD(ft_irregular_number, first, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, min, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, max, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, last, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, leader, FT_FIELD_U32),
    FT_FIELD(ft_irregular_number, former_leader, FT_FIELD_U32),
    FT_FIELD(ft_irregular_number, step, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, breaks, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, grain, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, slope, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, slope_per, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, slope_breaks, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, has_slope, FT_FIELD_U8),
    FT_FIELD(ft_irregular_number, start_min, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, start_max, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, start_last, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, start_step, FT_FIELD_U64),
    FT_FIELD(ft_irregular_number, start_breaks, FT_FIELD_U64),
};
static const struct ft_field token_fields[] = {{"token", 0, FT_FIELD_U32, 0}};
static const struct ft_field count_fields[] = {{"count", 0, FT_FIELD_U64, 0}};

static const struct ft_record_type irregular_type = FT_RECORD_TYPE(ft_irregular, irregular_fields);
static const struct ft_record_type path_type = FT_RECORD_TYPE(path_row, path_fields);
static const struct ft_record_type number_type = FT_RECORD_TYPE(ft_irregular_number, number_fields);
static const struct ft_record_type token_type = {sizeof(uint32_t), token_fields, 1};
static const struct ft_record_type count_type = {sizeof(uint64_t), count_fields, 1};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "irregular loops");
}

/* The paths of all loops, one after the other. */
struct flat_paths {
    struct path_row *rows;
    size_t count;
    uint32_t *tokens;
    size_t token_count;
    struct ft_irregular_number *numbers;
    size_t number_count;
};

static void flat_paths_fini(struct flat_paths *flat)
{
    free(flat->rows);
    free(flat->tokens);
    free(flat->numbers);
}

/* ---- writing ---- */

static void count_paths(const struct ft_thread_skeleton *thread, struct flat_paths *flat)
{
    for (size_t i = 0; i < thread->irregular_count; i++)
        for (size_t p = 0; p < thread->irregulars[i].path_count; p++) {
            flat->count++;
            flat->token_count += thread->irregulars[i].paths[p].token_count;
            flat->number_count += thread->irregulars[i].paths[p].number_count;
        }
}

static void fill_paths(const struct ft_thread_skeleton *thread, struct flat_paths *flat)
{
    struct path_row *row = flat->rows;
    uint32_t *token = flat->tokens;
    struct ft_irregular_number *number = flat->numbers;
    for (uint32_t i = 0; i < thread->irregular_count; i++)
        for (size_t p = 0; p < thread->irregulars[i].path_count; p++) {
            const struct ft_irregular_path *path = &thread->irregulars[i].paths[p];
            *row++ = (struct path_row){i, (uint32_t)path->token_count, (uint32_t)path->number_count,
                                       path->count};
            memcpy(token, path->tokens, path->token_count * sizeof *token);
            memcpy(number, path->numbers, path->number_count * sizeof *number);
            token += path->token_count;
            number += path->number_count;
        }
}

static int write_paths(hid_t group, const struct ft_thread_skeleton *thread, struct ft_diag *diag)
{
    struct flat_paths flat = {0};
    count_paths(thread, &flat);
    if (flat.count == 0)
        return FT_OK;
    flat.rows = calloc(flat.count, sizeof *flat.rows);
    flat.tokens = calloc(flat.token_count + 1, sizeof *flat.tokens);
    flat.numbers = calloc(flat.number_count + 1, sizeof *flat.numbers);
    int status = flat.rows && flat.tokens && flat.numbers ? FT_OK : no_memory(diag);
    if (!status) {
        fill_paths(thread, &flat);
        const struct ft_records tables[] = {
            {"paths", &path_type, flat.rows, flat.count},
            {"path_tokens", &token_type, flat.tokens, flat.token_count},
            {"path_numbers", &number_type, flat.numbers, flat.number_count},
        };
        status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    }
    flat_paths_fini(&flat);
    return status;
}

int ft_irregular_tables_write(hid_t group, const struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    const struct ft_thread_skeleton *thread = &skeleton->threads[0];
    FT_TRY(ft_records_write(group, "irregulars", &irregular_type, thread->irregulars,
                            thread->irregular_count, diag));
    FT_TRY(ft_records_write(group, "irregular_accesses", &count_type, thread->irregular_accesses,
                            skeleton->reference_count, diag));
    return write_paths(group, thread, diag);
}

/* ---- reading ---- */

static int read_loops(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    struct ft_thread_skeleton *thread = &skeleton->threads[0];
    FT_TRY(ft_records_read_exactly(group, "irregular_accesses", &count_type,
                                   skeleton->reference_count, (void **)&thread->irregular_accesses,
                                   diag));
    FT_TRY(ft_records_read(group, "irregulars", &irregular_type, (void **)&thread->irregulars,
                           &thread->irregular_count, diag));
    for (size_t i = 0; i < thread->irregular_count; i++) {
        const uint32_t token = thread->irregulars[i].token;
        const size_t count = ft_nest_kind(token) == FT_NEST_LOOP      ? skeleton->loop_count
                             : ft_nest_kind(token) == FT_NEST_ROUTINE ? skeleton->routine_count
                                                                      : 0;
        if (ft_nest_id(token) >= count)
            return ft_fail(diag, FT_ERROR_DATA, "irregular loop %zu is none", i);
    }
    return FT_OK;
}

/* A path as a nest, whose numbers do not matter. */
static int check_path(const struct ft_skeleton *skeleton, const struct ft_irregular_path *path,
                      struct ft_diag *diag)
{
    const struct ft_nest_ids ids = {skeleton->reference_count, skeleton->routine_count,
                                    skeleton->loop_count, skeleton->threads[0].irregular_count};
    const struct ft_nest nest = {.tokens = path->tokens,
                                 .token_count = path->token_count,
                                 .number_count = path->number_count};
    for (size_t k = 0; k < path->number_count; k++)
        if (path->numbers[k].leader > k || path->numbers[k].former_leader > k)
            return ft_fail(diag, FT_ERROR_DATA, "a number of a path follows a later one");
    return ft_nest_check(&nest, &ids, diag);
}

static int add_path(struct ft_skeleton *skeleton, const struct flat_paths *flat, size_t p,
                    size_t token, size_t number, struct ft_diag *diag)
{
    struct ft_thread_skeleton *thread = &skeleton->threads[0];
    const struct path_row *row = &flat->rows[p];
    if (row->irregular >= thread->irregular_count ||
        (p > 0 && row->irregular < flat->rows[p - 1].irregular) ||
        row->tokens > flat->token_count - token || row->numbers > flat->number_count - number)
        return ft_fail(diag, FT_ERROR_DATA, "path %zu is of no irregular loop", p);
    struct ft_irregular *irregular = &thread->irregulars[row->irregular];
    if (irregular->path_count == FT_IRREGULAR_PATHS_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "an irregular loop has too many paths");
    if (!irregular->paths)
        irregular->paths = calloc(FT_IRREGULAR_PATHS_MAX, sizeof *irregular->paths);
    if (!irregular->paths)
        return no_memory(diag);
    irregular->path_capacity = FT_IRREGULAR_PATHS_MAX;
    struct ft_irregular_path *path = &irregular->paths[irregular->path_count++];
    *path = (struct ft_irregular_path){
        .count = row->count,
        .tokens = malloc(row->tokens * sizeof *path->tokens + 1),
        .token_count = row->tokens,
        .numbers = malloc(row->numbers * sizeof *path->numbers + 1),
        .number_count = row->numbers,
    };
    if (!path->tokens || !path->numbers)
        return no_memory(diag);
    memcpy(path->tokens, flat->tokens + token, row->tokens * sizeof *path->tokens);
    memcpy(path->numbers, flat->numbers + number, row->numbers * sizeof *path->numbers);
    return check_path(skeleton, path, diag);
}

static int add_paths(struct ft_skeleton *skeleton, const struct flat_paths *flat,
                     struct ft_diag *diag)
{
    size_t token = 0, number = 0;
    for (size_t p = 0; p < flat->count; p++) {
        FT_TRY(add_path(skeleton, flat, p, token, number, diag));
        token += flat->rows[p].tokens;
        number += flat->rows[p].numbers;
    }
    return FT_OK;
}

int ft_irregular_tables_read(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    FT_TRY(read_loops(group, skeleton, diag));
    if (H5Lexists(group, "paths", H5P_DEFAULT) <= 0)
        return FT_OK;
    struct ft_records tables[] = {
        {"paths", &path_type, NULL, 0},
        {"path_tokens", &token_type, NULL, 0},
        {"path_numbers", &number_type, NULL, 0},
    };
    int status = ft_records_read_all(group, tables, sizeof tables / sizeof *tables, diag);
    struct flat_paths flat = {tables[0].records, tables[0].count,   tables[1].records,
                              tables[1].count,   tables[2].records, tables[2].count};
    if (!status)
        status = add_paths(skeleton, &flat, diag);
    flat_paths_fini(&flat);
    return status;
}
