/*
 * Tables (formats/base/records.h): `model` of one row, `parameters`, `terms`, `data_terms` (of the
 * data size; empty where no member needs them), `training`, `block_sizes`, `methods`, `groups`,
 * `counts`; `strides` (group_strides.h) and `group_data` (group_data.h), where they are known;
 * `histograms`, group by group, each with all block sizes, and how many members it has; `members`,
 * histogram by histogram; all `functions` (model_functions.h); and the group `scopes`. Each replica
 * is a group `replica_0`, `replica_1`... with tables `left_out`, `histograms`, `members` and
 * `functions` of its own. Some models over the data size have a group `data_growth`
 * (data_growth_tables.h), some of one integer parameter the group `skeleton`
 * (formats/skeleton/sized_skeleton_tables.h). Where distances within sets were sampled there is a
 * group `sets_0`, `sets_1`... for each training size that has them
 * (formats/histograms/set_distance_tables.h). Where executions were counted at further sizes these
 * are the table `counted`, as `training`. Where pages are mapped again `training_remapped` says how
 * many.
 *
 * Of several parameters each has a row of `parameters`, and `training` a column.
 *
 * Versions 1 and 2 had one member a histogram, whose bin count was in `histograms`, and no
 * replicas. Version 1 had one parameter, in `model`, one value in `training`, and always the same
 * terms.
 */
#include "formats/model/model_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/model/data_growth_tables.h"
#include "formats/model/fitted_tables.h"
#include "formats/model/model_set_distances.h"
#include "formats/model/term_table.h"
#include "formats/skeleton/sized_skeleton_tables.h"

struct header {
    char *name, *program, *method, *options, *tool_version;
    char *parameter; /* in version 1 */
    double matched_share;
    uint8_t over_footprint; /* over the size of the data: its name in files */
};
struct text {
    char *text;
};
struct training {
    double values[FT_PARAMETERS_MAX];
    char *trace_hash;
};

static const struct ft_field header_fields[] = {
    FT_FIELD(header, name, FT_FIELD_TEXT),         FT_FIELD(header, program, FT_FIELD_TEXT),
    FT_FIELD(header, method, FT_FIELD_TEXT),       FT_FIELD(header, options, FT_FIELD_TEXT),
    FT_FIELD(header, tool_version, FT_FIELD_TEXT), FT_FIELD(header, matched_share, FT_FIELD_F64),
    FT_FIELD(header, over_footprint, FT_FIELD_U8),
};
static const struct ft_field header_2_fields[] = {
    FT_FIELD(header, program, FT_FIELD_TEXT),      FT_FIELD(header, method, FT_FIELD_TEXT),
    FT_FIELD(header, options, FT_FIELD_TEXT),      FT_FIELD(header, tool_version, FT_FIELD_TEXT),
    FT_FIELD(header, matched_share, FT_FIELD_F64), FT_FIELD(header, over_footprint, FT_FIELD_U8),
};
static const struct ft_field header_1_fields[] = {
    FT_FIELD(header, program, FT_FIELD_TEXT),      FT_FIELD(header, parameter, FT_FIELD_TEXT),
    FT_FIELD(header, method, FT_FIELD_TEXT),       FT_FIELD(header, options, FT_FIELD_TEXT),
    FT_FIELD(header, tool_version, FT_FIELD_TEXT), FT_FIELD(header, matched_share, FT_FIELD_F64),
};
static const struct ft_field text_fields[] = {FT_FIELD(text, text, FT_FIELD_TEXT)};
static const struct ft_field training_1_fields[] = {
    {"value", offsetof(struct training, values), FT_FIELD_F64, 0},
    FT_FIELD(training, trace_hash, FT_FIELD_TEXT),
};
static const struct ft_field size_fields[] = {{"block_bytes", 0, FT_FIELD_U64, 0}};
static const struct ft_field measured_fields[] = {{"count", 0, FT_FIELD_U64, 0}};
static const struct ft_field group_fields[] = {
    FT_FIELD(ft_model_group, scope, FT_FIELD_U32),
    FT_FIELD(ft_model_group, rest, FT_FIELD_U8),
    FT_FIELD(ft_model_group, reference_count, FT_FIELD_U32),
    FT_FIELD(ft_model_group, line, FT_FIELD_U32),
    FT_FIELD(ft_model_group, stride_bytes, FT_FIELD_I64),
    FT_FIELD(ft_model_group, accesses_at_largest, FT_FIELD_U64),
};
static const struct ft_field counts_fields[] = {
    FT_FIELD(ft_model_scope_counts, scope, FT_FIELD_U32)};

static const struct ft_record_type header_type = FT_RECORD_TYPE(header, header_fields);
static const struct ft_record_type header_2_type = FT_RECORD_TYPE(header, header_2_fields);
static const struct ft_record_type header_1_type = FT_RECORD_TYPE(header, header_1_fields);
static const struct ft_record_type text_type = FT_RECORD_TYPE(text, text_fields);
static const struct ft_record_type training_1_type = FT_RECORD_TYPE(training, training_1_fields);
static const struct ft_record_type size_type = {sizeof(uint64_t), size_fields, 1};
static const struct ft_record_type measured_type = {sizeof(uint64_t), measured_fields, 1};
static const struct ft_record_type group_type = FT_RECORD_TYPE(ft_model_group, group_fields);
static const struct ft_record_type counts_type =
    FT_RECORD_TYPE(ft_model_scope_counts, counts_fields);

/* Arrays are as long as the model has parameters. */
struct training_type {
    struct ft_field fields[2];
    struct ft_record_type type;
};

static void training_type_init(struct training_type *type, const struct ft_basis *basis)
{
    const struct ft_field fields[] = {
        FT_FIELD_ARRAY(training, values, FT_FIELD_F64, (uint32_t)basis->parameter_count),
        FT_FIELD(training, trace_hash, FT_FIELD_TEXT),
    };
    memcpy(type->fields, fields, sizeof fields);
    type->type = (struct ft_record_type){sizeof(struct training), type->fields, 2};
}

/* ---- writing ---- */

/* `training` or `counted`. */
static int write_sizes(hid_t group, const char *name, const struct ft_basis *basis,
                       const double *values, char *const *hashes, size_t count,
                       struct ft_diag *diag)
{
    const size_t width = basis->parameter_count;
    struct training_type type;
    struct training *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "the tables of a model");
    training_type_init(&type, basis);
    for (size_t i = 0; i < count; i++) {
        memcpy(rows[i].values, values + i * width, width * sizeof *values);
        rows[i].trace_hash = hashes[i];
    }
    int status = ft_records_write(group, name, &type.type, rows, count, diag);
    free(rows);
    return status;
}

static int write_description(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    struct header header = {.name = model->name,
                            .program = model->program,
                            .method = model->method,
                            .options = model->options,
                            .tool_version = model->tool_version,
                            .matched_share = model->matched_share,
                            .over_footprint = model->over_data_size};
    struct text parameters[FT_PARAMETERS_MAX];
    const size_t width = model->basis.parameter_count;
    for (size_t i = 0; i < width; i++)
        parameters[i].text = i > 0 ? model->further[i - 1] : model->parameter;
    const struct ft_records tables[] = {
        {"model", &header_type, &header, 1},
        {"parameters", &text_type, parameters, width},
        {"block_sizes", &size_type, model->block_bytes, model->size_count},
        {"methods", &text_type, model->methods, model->method_count},
        {"groups", &group_type, model->groups, model->group_count},
        {"counts", &counts_type, model->counts, model->counts_count},
    };
    int status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    if (!status)
        status = write_sizes(group, "training", &model->basis, model->training, model->trace_hashes,
                             model->training_count, diag);
    if (!status && model->counted.count > 0)
        status = write_sizes(group, "counted", &model->basis, model->counted.values,
                             model->counted.trace_hashes, model->counted.count, diag);
    if (!status)
        status = ft_term_table_write(group, "terms", &model->basis, diag);
    if (!status)
        status = ft_term_table_write(group, "data_terms", &model->data_basis, diag);
    if (!status && !model->has_scopes_of_whole)
        status = ft_scopes_write(&model->scopes, group, diag);
    if (!status)
        status = ft_group_strides_write(group, &model->strides, diag);
    if (!status)
        status = ft_group_data_write(group, &model->data, diag);
    return status ? status
                  : ft_executions_write(group, &model->executions, model->scopes.block_count,
                                        model->scopes.edge_count, diag);
}

static int write_measured(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    const struct ft_records tables[] = {
        {"training_accesses", &measured_type, model->training_accesses,
         model->group_count * model->training_count},
        {"training_blocks", &measured_type, model->training_blocks,
         model->size_count * model->training_count},
        {"training_remapped", &measured_type, model->training_remapped, model->training_count},
    };
    const size_t count = sizeof tables / sizeof *tables - (model->training_remapped == NULL);
    return model->training_accesses ? ft_records_write_all(group, tables, count, diag) : FT_OK;
}

int ft_model_tables_write(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    int status = write_description(group, model, diag);
    if (!status)
        status = write_measured(group, model, diag);
    if (!status)
        status = ft_fitted_tables_write(group, model, diag);
    if (!status)
        status = ft_data_growth_write(group, &model->growth, diag);
    if (!status)
        status = ft_model_set_distances_write(group, model, diag);
    return status ? status : ft_sized_skeleton_write(group, model->skeleton, diag);
}

/* ---- reading ---- */

static bool is_version_1(hid_t group)
{
    return H5Lexists(group, "terms", H5P_DEFAULT) <= 0;
}

static int read_header(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct header *header = NULL;
    const struct ft_record_type *type = is_version_1(root)                    ? &header_1_type
                                        : ft_fitted_tables_have_members(root) ? &header_type
                                                                              : &header_2_type;
    FT_TRY(ft_records_read_exactly(root, "model", type, 1, (void **)&header, diag));
    model->name = header->name ? header->name : strdup(header->program);
    model->program = header->program;
    model->parameter = header->parameter;
    model->method = header->method;
    model->options = header->options;
    model->tool_version = header->tool_version;
    model->matched_share = header->matched_share;
    model->over_data_size = header->over_footprint;
    free(header);
    return model->name ? FT_OK : ft_fail_memory(diag, "a model");
}

static int read_parameters(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct text *rows = NULL;
    size_t count = 1;
    int status = FT_OK;
    if (!is_version_1(root)) { /* in whose header it stood */
        status = ft_records_read(root, "parameters", &text_type, (void **)&rows, &count, diag);
        for (size_t i = 0; !status && i < count; i++) {
            if (i >= FT_PARAMETERS_MAX)
                free(rows[i].text);
            else if (i > 0)
                model->further[i - 1] = rows[i].text;
            else
                model->parameter = rows[i].text;
        }
        free(rows);
    }
    if (!status && (count == 0 || count > FT_PARAMETERS_MAX))
        status = ft_fail(diag, FT_ERROR_DATA, "there are %zu parameters", count);
    if (status)
        return status;
    const char *names[FT_PARAMETERS_MAX] = {model->parameter};
    for (size_t i = 1; i < count; i++)
        names[i] = model->further[i - 1];
    model->basis = ft_basis_of(names, count);
    model->basis.term_count = 0;
    return FT_OK;
}

static int read_bases(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    if (is_version_1(root)) {
        model->basis = ft_basis_default(model->parameter);
        return FT_OK;
    }
    model->data_basis = (struct ft_basis){.parameter_count = 1, .parameters = {FT_DATA_SIZE}};
    FT_TRY(ft_term_table_read(root, "terms", &model->basis, diag));
    if (model->basis.term_count == 0)
        return ft_fail(diag, FT_ERROR_DATA, "there are no terms");
    if (H5Lexists(root, "data_terms", H5P_DEFAULT) > 0)
        FT_TRY(ft_term_table_read(root, "data_terms", &model->data_basis, diag));
    return FT_OK;
}

/* Whether values are above 0, and a larger size than those before. */
static bool follows(const double *values, const double *before, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (!(values[i] > 0 && isfinite(values[i])))
            return false;
    for (size_t i = 0; before && i < width; i++)
        if (values[i] != before[i])
            return values[i] > before[i];
    return !before;
}

/* `training` or `counted`; what was read is the model's after a failure too. */
static int read_size_rows(hid_t root, const char *name, const struct ft_record_type *type,
                          size_t width, double **ret_values, char ***ret_hashes, size_t *ret_count,
                          struct ft_diag *diag)
{
    struct training *rows = NULL;
    size_t count = 0;
    FT_TRY(ft_records_read(root, name, type, (void **)&rows, &count, diag));
    double *values = *ret_values = calloc(count * width + 1, sizeof *values);
    char **hashes = *ret_hashes = calloc(count + 1, sizeof *hashes);
    const bool allocated = values && hashes;
    bool ascending = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (!allocated) {
            free(rows[i].trace_hash);
            continue;
        }
        double *row = values + i * width;
        memcpy(row, rows[i].values, width * sizeof *row);
        hashes[i] = rows[i].trace_hash;
        ascending = ascending && follows(row, i > 0 ? row - width : NULL, width);
    }
    *ret_count = allocated ? count : 0;
    free(rows);
    if (!allocated)
        return ft_fail_memory(diag, "the sizes of a model");
    return ascending ? FT_OK : ft_fail(diag, FT_ERROR_DATA, "the %s sizes do not ascend", name);
}

static int read_training(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct training_type type;
    training_type_init(&type, &model->basis);
    const size_t width = model->basis.parameter_count;
    FT_TRY(read_size_rows(root, "training", is_version_1(root) ? &training_1_type : &type.type,
                          width, &model->training, &model->trace_hashes, &model->training_count,
                          diag));
    if (H5Lexists(root, "counted", H5P_DEFAULT) <= 0)
        return FT_OK;
    return read_size_rows(root, "counted", &type.type, width, &model->counted.values,
                          &model->counted.trace_hashes, &model->counted.count, diag);
}

static int read_sizes(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_records_read(root, "block_sizes", &size_type, (void **)&model->block_bytes,
                           &model->size_count, diag);
}

/* Before there were members, all bins were the model's own method's. */
static int read_methods(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    if (ft_fitted_tables_have_members(root))
        return ft_records_read(root, "methods", &text_type, (void **)&model->methods,
                               &model->method_count, diag);
    model->methods = calloc(1, sizeof *model->methods);
    if (!model->methods || !(model->methods[0] = strdup(model->method)))
        return ft_fail_memory(diag, "a model");
    model->method_count = 1;
    return FT_OK;
}

static int read_scopes(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    int status = model->has_scopes_of_whole ? FT_OK : ft_scopes_read(root, &model->scopes, diag);
    return status ? status
                  : ft_executions_read(root, &model->executions, model->scopes.block_count,
                                       model->scopes.edge_count, diag);
}

static int read_groups(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    int status = ft_records_read(root, "groups", &group_type, (void **)&model->groups,
                                 &model->group_count, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        if (group->scope >= model->scopes.scope_count)
            status = ft_fail(diag, FT_ERROR_DATA, "group %zu is in no scope", i);
        group->histograms = calloc(model->size_count + 1, sizeof *group->histograms);
        if (!group->histograms)
            status = ft_fail_memory(diag, "a model");
    }
    return status;
}

static int read_measured(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    const size_t sizes = model->training_count;
    if (H5Lexists(root, "training_accesses", H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read_exactly(root, "training_accesses", &measured_type,
                                   model->group_count * sizes, (void **)&model->training_accesses,
                                   diag));
    FT_TRY(ft_records_read_exactly(root, "training_blocks", &measured_type,
                                   model->size_count * sizes, (void **)&model->training_blocks,
                                   diag));
    return H5Lexists(root, "training_remapped", H5P_DEFAULT) <= 0
               ? FT_OK
               : ft_records_read_exactly(root, "training_remapped", &measured_type, sizes,
                                         (void **)&model->training_remapped, diag);
}

static int read_strides(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_group_strides_read(root, &model->strides, model->group_count, model->training_count,
                                 diag);
}

static int read_data(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_group_data_read(root, model->group_count, &model->data, diag);
}

static int read_counts(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    int status = ft_records_read(root, "counts", &counts_type, (void **)&model->counts,
                                 &model->counts_count, diag);
    for (size_t i = 0; status == FT_OK && i < model->counts_count; i++)
        if (model->counts[i].scope >= model->scopes.scope_count)
            status = ft_fail(diag, FT_ERROR_DATA, "counts %zu belong to no scope", i);
    return status;
}

static int read_growth(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_data_growth_read(root, model->replica_count, &model->growth, diag);
}

static int read_skeleton(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_sized_skeleton_read(root, &model->scopes, &model->skeleton, diag);
}

int ft_model_tables_read(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    static int (*const parts[])(hid_t, struct ft_model *,
                                struct ft_diag *) = {read_header,   read_parameters,
                                                     read_bases,    read_training,
                                                     read_sizes,    read_methods,
                                                     read_scopes,   read_groups,
                                                     read_measured, ft_model_set_distances_read,
                                                     read_strides,  read_data,
                                                     read_counts,   ft_fitted_tables_read,
                                                     read_growth,   read_skeleton};
    int status = FT_OK;
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](group, model, diag);
    return status;
}
