/*
 * Rows of the tables: loops, with their paths, with their numbers, behind each other; writing them;
 * reading them, where each is checked.
 */
#include "formats/skeleton/drawn_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"

#define LAWS    (2 * FT_SIZED_COEFFICIENTS)
#define CHANGES (FT_DRAWN_PARTS * FT_SIZED_COEFFICIENTS)

struct loop_row {
    uint32_t paths; /* how many */
    uint8_t is_exact, varies;
    uint64_t iterations_min;
    double iterations[FT_SIZED_COEFFICIENTS];
    double scale, exponent;
};
struct path_row {
    uint32_t tokens, numbers; /* how many */
    uint8_t has_law;
    double share, law[LAWS]; /* of executions, then of iterations */
};
struct number_row {
    uint8_t kind;
    uint32_t leader;
    uint64_t grain, slope_per, parts[FT_DRAWN_PARTS];
    double changes[CHANGES]; /* part by part */
};

static const struct ft_field loop_fields[] = {
    FT_FIELD(loop_row, paths, FT_FIELD_U32),
    FT_FIELD(loop_row, is_exact, FT_FIELD_U8),
    FT_FIELD(loop_row, varies, FT_FIELD_U8),
    FT_FIELD(loop_row, iterations_min, FT_FIELD_U64),
    FT_FIELD_ARRAY(loop_row, iterations, FT_FIELD_F64, FT_SIZED_COEFFICIENTS),
    FT_FIELD(loop_row, scale, FT_FIELD_F64),
    FT_FIELD(loop_row, exponent, FT_FIELD_F64),
};
static const struct ft_field path_fields[] = {
    FT_FIELD(path_row, tokens, FT_FIELD_U32),          FT_FIELD(path_row, numbers, FT_FIELD_U32),
    FT_FIELD(path_row, has_law, FT_FIELD_U8),          FT_FIELD(path_row, share, FT_FIELD_F64),
    FT_FIELD_ARRAY(path_row, law, FT_FIELD_F64, LAWS),
};
static const struct ft_field number_fields[] = {
    FT_FIELD(number_row, kind, FT_FIELD_U8),
    FT_FIELD(number_row, leader, FT_FIELD_U32),
    FT_FIELD(number_row, grain, FT_FIELD_U64),
    FT_FIELD(number_row, slope_per, FT_FIELD_U64),
    FT_FIELD_ARRAY(number_row, parts, FT_FIELD_U64, FT_DRAWN_PARTS),
    FT_FIELD_ARRAY(number_row, changes, FT_FIELD_F64, CHANGES),
};
static const struct ft_field token_fields[] = {{"token", 0, FT_FIELD_U32, 0}};
static const struct ft_record_type loop_type = FT_RECORD_TYPE(loop_row, loop_fields);
static const struct ft_record_type path_type = FT_RECORD_TYPE(path_row, path_fields);
static const struct ft_record_type number_type = FT_RECORD_TYPE(number_row, number_fields);
static const struct ft_record_type token_type = {sizeof(uint32_t), token_fields, 1};

/* The tables of all loops. */
struct tables {
    struct loop_row *loops;
    struct path_row *paths;
    uint32_t *tokens;
    struct number_row *numbers;
    size_t loop_count, path_count, token_count, number_count;
};

static void tables_fini(struct tables *tables)
{
    free(tables->loops);
    free(tables->paths);
    free(tables->tokens);
    free(tables->numbers);
}

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "drawn loops");
}

/* ---- writing ---- */

static int make_tables(const struct ft_drawn_loop *loops, size_t count, struct tables *tables,
                       struct ft_diag *diag)
{
    tables->loop_count = count;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < loops[i].path_count; p++) {
            tables->path_count++;
            tables->token_count += loops[i].paths[p].token_count;
            tables->number_count += loops[i].paths[p].number_count;
        }
    tables->loops = calloc(count + 1, sizeof *tables->loops);
    tables->paths = calloc(tables->path_count + 1, sizeof *tables->paths);
    tables->tokens = calloc(tables->token_count + 1, sizeof *tables->tokens);
    tables->numbers = calloc(tables->number_count + 1, sizeof *tables->numbers);
    return tables->loops && tables->paths && tables->tokens && tables->numbers ? FT_OK
                                                                               : no_memory(diag);
}

static struct number_row row_of(const struct ft_drawn_number *number)
{
    struct number_row row = {.kind = (uint8_t)number->kind,
                             .leader = number->leader,
                             .grain = number->grain,
                             .slope_per = number->slope_per};
    memcpy(row.parts, number->parts, sizeof row.parts);
    for (size_t i = 0; i < CHANGES; i++)
        row.changes[i] = number->changes[i / FT_SIZED_COEFFICIENTS][i % FT_SIZED_COEFFICIENTS];
    return row;
}

static struct path_row path_row_of(const struct ft_drawn_path *path)
{
    struct path_row row = {.tokens = (uint32_t)path->token_count,
                           .numbers = (uint32_t)path->number_count,
                           .has_law = path->has_law,
                           .share = path->share};
    memcpy(row.law, path->law, sizeof row.law);
    return row;
}

static void fill_tables(const struct ft_drawn_loop *loops, struct tables *tables)
{
    struct path_row *row = tables->paths;
    uint32_t *token = tables->tokens;
    struct number_row *number = tables->numbers;
    for (size_t i = 0; i < tables->loop_count; i++) {
        const struct ft_drawn_loop *loop = &loops[i];
        struct loop_row *loop_row = &tables->loops[i];
        loop_row->paths = (uint32_t)loop->path_count;
        loop_row->is_exact = loop->is_exact;
        loop_row->varies = loop->varies;
        loop_row->iterations_min = loop->iterations_min;
        memcpy(loop_row->iterations, loop->iterations, sizeof loop->iterations);
        loop_row->scale = loop->scale;
        loop_row->exponent = loop->exponent;
        for (size_t p = 0; p < loop->path_count; p++) {
            const struct ft_drawn_path *path = &loop->paths[p];
            *row++ = path_row_of(path);
            memcpy(token, path->tokens, path->token_count * sizeof *token);
            token += path->token_count;
            for (size_t k = 0; k < path->number_count; k++)
                *number++ = row_of(&path->numbers[k]);
        }
    }
}

int ft_drawn_tables_write(hid_t group, const struct ft_drawn_loop *loops, size_t count,
                          struct ft_diag *diag)
{
    struct tables tables = {0};
    int status = make_tables(loops, count, &tables, diag);
    if (!status && tables.path_count > 0) {
        fill_tables(loops, &tables);
        const struct ft_records records[] = {
            {"drawn_loops", &loop_type, tables.loops, tables.loop_count},
            {"drawn_paths", &path_type, tables.paths, tables.path_count},
            {"drawn_tokens", &token_type, tables.tokens, tables.token_count},
            {"drawn_numbers", &number_type, tables.numbers, tables.number_count},
        };
        status = ft_records_write_all(group, records, sizeof records / sizeof *records, diag);
    }
    tables_fini(&tables);
    return status;
}

/* ---- reading ---- */

/* What of the tables was given to paths so far. */
struct reading {
    const struct tables *tables;
    const struct ft_nest_ids *ids;
    size_t paths, tokens, numbers;
};

static bool are_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static int read_number(const struct number_row *row, size_t index, struct ft_drawn_number *number,
                       struct ft_diag *diag)
{
    if (row->kind > FT_DRAWN_ABOVE_NUMBER || (row->kind == FT_DRAWN_ABOVE_NUMBER && index == 0) ||
        row->leader > index || !are_finite(row->changes, CHANGES))
        return ft_fail(diag, FT_ERROR_DATA, "a number that cannot be drawn");
    *number = (struct ft_drawn_number){.kind = row->kind,
                                       .leader = row->leader,
                                       .grain = row->grain,
                                       .slope_per = row->slope_per ? row->slope_per : 1};
    memcpy(number->parts, row->parts, sizeof row->parts);
    for (size_t i = 0; i < CHANGES; i++)
        number->changes[i / FT_SIZED_COEFFICIENTS][i % FT_SIZED_COEFFICIENTS] = row->changes[i];
    return FT_OK;
}

static int read_path(struct reading *reading, struct ft_drawn_path *path, struct ft_diag *diag)
{
    const struct tables *tables = reading->tables;
    const struct path_row *row = &tables->paths[reading->paths++];
    if (row->tokens > tables->token_count - reading->tokens ||
        row->numbers > tables->number_count - reading->numbers || !(row->share >= 0) ||
        !(row->share <= 1) || !are_finite(row->law, LAWS))
        return ft_fail(diag, FT_ERROR_DATA, "a path that cannot be drawn");
    *path = (struct ft_drawn_path){.tokens = malloc(row->tokens * sizeof *path->tokens + 1),
                                   .token_count = row->tokens,
                                   .share = row->share,
                                   .has_law = row->has_law != 0,
                                   .numbers = calloc(row->numbers + 1, sizeof *path->numbers),
                                   .number_count = row->numbers};
    if (!path->tokens || !path->numbers)
        return no_memory(diag);
    memcpy(path->law, row->law, sizeof row->law);
    memcpy(path->tokens, tables->tokens + reading->tokens, row->tokens * sizeof *path->tokens);
    for (size_t k = 0; k < row->numbers; k++)
        FT_TRY(read_number(&tables->numbers[reading->numbers + k], k, &path->numbers[k], diag));
    reading->tokens += row->tokens;
    reading->numbers += row->numbers;
    const struct ft_nest nest = {.tokens = path->tokens,
                                 .token_count = path->token_count,
                                 .number_count = path->number_count};
    return ft_nest_check(&nest, reading->ids, diag);
}

static int read_loop(struct reading *reading, const struct loop_row *row,
                     struct ft_drawn_loop *loop, struct ft_diag *diag)
{
    if (row->paths > reading->tables->path_count - reading->paths || !isfinite(row->scale) ||
        !isfinite(row->exponent) || !are_finite(row->iterations, FT_SIZED_COEFFICIENTS))
        return ft_fail(diag, FT_ERROR_DATA, "a loop that cannot be drawn");
    *loop = (struct ft_drawn_loop){.is_exact = row->is_exact != 0,
                                   .varies = row->varies != 0,
                                   .iterations_min = row->iterations_min,
                                   .scale = row->scale,
                                   .exponent = row->exponent,
                                   .paths = calloc(row->paths + (size_t)1, sizeof *loop->paths)};
    memcpy(loop->iterations, row->iterations, sizeof row->iterations);
    if (!loop->paths)
        return no_memory(diag);
    for (size_t p = 0; p < row->paths; p++) {
        loop->path_count++;
        FT_TRY(read_path(reading, &loop->paths[p], diag));
    }
    return FT_OK;
}

static int read_loops(const struct tables *tables, const struct ft_nest_ids *ids,
                      struct ft_drawn_loop *loops, struct ft_diag *diag)
{
    struct reading reading = {.tables = tables, .ids = ids};
    for (size_t i = 0; i < tables->loop_count; i++)
        FT_TRY(read_loop(&reading, &tables->loops[i], &loops[i], diag));
    return FT_OK;
}

int ft_drawn_tables_read(hid_t group, const struct ft_nest_ids *ids,
                         struct ft_drawn_loop **ret_loops, size_t *ret_count, struct ft_diag *diag)
{
    *ret_loops = NULL;
    *ret_count = 0;
    if (H5Lexists(group, "drawn_loops", H5P_DEFAULT) <= 0)
        return FT_OK;
    struct ft_records records[] = {
        {"drawn_loops", &loop_type, NULL, 0},
        {"drawn_paths", &path_type, NULL, 0},
        {"drawn_tokens", &token_type, NULL, 0},
        {"drawn_numbers", &number_type, NULL, 0},
    };
    int status = ft_records_read_all(group, records, sizeof records / sizeof *records, diag);
    struct tables tables = {records[0].records, records[1].records, records[2].records,
                            records[3].records, records[0].count,   records[1].count,
                            records[2].count,   records[3].count};
    if (!status && tables.loop_count != ids->irregulars)
        status = ft_fail(diag, FT_ERROR_DATA, "%zu loops are drawn, of %zu irregular ones",
                         tables.loop_count, ids->irregulars);
    if (!status) {
        *ret_loops = calloc(tables.loop_count + 1, sizeof **ret_loops);
        *ret_count = *ret_loops ? tables.loop_count : 0;
        status = *ret_loops ? read_loops(&tables, ids, *ret_loops, diag) : no_memory(diag);
    }
    tables_fini(&tables);
    return status;
}
