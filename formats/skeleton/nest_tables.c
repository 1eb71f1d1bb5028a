#include "formats/skeleton/nest_tables.h"

#include "formats/base/records.h"

static const struct ft_field token_fields[] = {{"token", 0, FT_FIELD_U32, 0}};
static const struct ft_field number_fields[] = {{"number", 0, FT_FIELD_U64, 0}};
static const struct ft_record_type token_type = {sizeof(uint32_t), token_fields, 1};
static const struct ft_record_type number_type = {sizeof(uint64_t), number_fields, 1};

int ft_nest_tables_write(hid_t group, const struct ft_nest *nest, struct ft_diag *diag)
{
    const struct ft_records tables[] = {
        {"tokens", &token_type, nest->tokens, nest->token_count},
        {"numbers", &number_type, nest->numbers, nest->number_count},
    };
    return ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
}

int ft_nest_tables_read(hid_t group, const struct ft_nest_ids *ids, struct ft_nest *ret_nest,
                        struct ft_diag *diag)
{
    FT_TRY(ft_records_read(group, "tokens", &token_type, (void **)&ret_nest->tokens,
                           &ret_nest->token_count, diag));
    ret_nest->token_capacity = ret_nest->token_count;
    FT_TRY(ft_records_read(group, "numbers", &number_type, (void **)&ret_nest->numbers,
                           &ret_nest->number_count, diag));
    ret_nest->number_capacity = ret_nest->number_count;
    return ft_nest_check(ret_nest, ids, diag);
}
