#include "formats/model/data_growth_tables.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/model/function_records.h"
#include "formats/model/term_table.h"

#define GROUP "data_growth"

struct parameter {
    char *name;
    double least, largest;
};
static const struct ft_field parameter_fields[] = {
    FT_FIELD(parameter, name, FT_FIELD_TEXT),
    FT_FIELD(parameter, least, FT_FIELD_F64),
    FT_FIELD(parameter, largest, FT_FIELD_F64),
};
static const struct ft_record_type parameter_type = FT_RECORD_TYPE(parameter, parameter_fields);

/* ---- writing ---- */

static int write_tables(hid_t group, const struct ft_data_growth *growth, struct ft_diag *diag)
{
    struct parameter parameters[FT_PARAMETERS_MAX];
    struct ft_function_records functions;
    ft_function_records_init(&functions, growth->basis.term_count);
    for (size_t i = 0; i < growth->basis.parameter_count; i++)
        parameters[i] = (struct parameter){growth->names[i], growth->least[i], growth->largest[i]};
    const struct ft_records tables[] = {
        {"parameters", &parameter_type, parameters, growth->basis.parameter_count},
        {"functions", &functions.type, growth->bytes, 1 + growth->replica_count},
    };
    int status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    return status ? status : ft_term_table_write(group, "terms", &growth->basis, diag);
}

int ft_data_growth_write(hid_t model, const struct ft_data_growth *growth, struct ft_diag *diag)
{
    hid_t group;
    if (growth->basis.parameter_count == 0)
        return FT_OK;
    FT_TRY(ft_result_group_create(model, GROUP, &group, diag));
    int status = write_tables(group, growth, diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" GROUP "' cannot be written");
    return status;
}

/* ---- reading ---- */

static int read_parameters(hid_t group, struct ft_data_growth *growth, struct ft_diag *diag)
{
    struct parameter *rows = NULL;
    size_t count = 0;
    int status =
        ft_records_read(group, "parameters", &parameter_type, (void **)&rows, &count, diag);
    if (!status && (count == 0 || count > FT_PARAMETERS_MAX))
        status = ft_fail(diag, FT_ERROR_DATA, "data grow with %zu parameters", count);
    for (size_t i = 0; i < count && rows; i++) {
        if (!status &&
            !(rows[i].least > 0 && rows[i].largest >= rows[i].least && isfinite(rows[i].largest)))
            status = ft_fail(diag, FT_ERROR_DATA, "data grow with values that are not above 0");
        if (!status && !ft_data_growth_add(growth, rows[i].name, rows[i].least, rows[i].largest))
            status = ft_fail_memory(diag, "a model");
        free(rows[i].name);
    }
    free(rows);
    return status;
}

static int read_tables(hid_t group, size_t replica_count, struct ft_data_growth *growth,
                       struct ft_diag *diag)
{
    struct ft_function_records functions;
    size_t count = 0;
    FT_TRY(read_parameters(group, growth, diag));
    growth->basis.term_count = 0;
    int status = ft_term_table_read(group, "terms", &growth->basis, diag);
    if (!status && growth->basis.term_count == 0)
        status = ft_fail(diag, FT_ERROR_DATA, "there are no terms");
    ft_function_records_init(&functions, growth->basis.term_count);
    if (!status)
        status = ft_records_read(group, "functions", &functions.type, (void **)&growth->bytes,
                                 &count, diag);
    if (!status && count != 1 && count != 1 + replica_count)
        status = ft_fail(diag, FT_ERROR_DATA, "there are %zu functions of %zu replicas", count,
                         replica_count);
    growth->replica_count = count - (count > 0);
    return status;
}

int ft_data_growth_read(hid_t model, size_t replica_count, struct ft_data_growth *growth,
                        struct ft_diag *diag)
{
    if (H5Lexists(model, GROUP, H5P_DEFAULT) <= 0)
        return FT_OK;
    hid_t group = H5Gopen2(model, GROUP, H5P_DEFAULT);
    if (group < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the group '" GROUP "' cannot be read");
    struct ft_diag inner = {0};
    int status = read_tables(group, replica_count, growth, &inner);
    H5Gclose(group);
    return status ? ft_fail(diag, status, GROUP ": %s", inner.message) : FT_OK;
}
