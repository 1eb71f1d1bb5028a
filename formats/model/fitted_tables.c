/*
 * `histograms`, group by group, each with all block sizes, and how many members it has; `members`,
 * histogram by histogram; all `functions` (model_functions.h). Each replica is a group `replica_0`,
 * `replica_1`... with tables `left_out` (the training sizes), `histograms`, `members` and
 * `functions` of its own.
 *
 * Versions 1 and 2 had one member a histogram, whose bin count was in `histograms`, no replicas,
 * and functions that did not say which sizes they left out.
 */
#include "formats/model/fitted_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/model/function_records.h"
#include "formats/model/model_functions.h"

#define BINS_MAX   (1U << 28) /* of a model, in files that can be right */
#define NAME_BYTES 32

struct member {
    uint32_t method;
    uint8_t over_data;
    double weight;
    uint64_t bin_count;
};
static const struct ft_field histogram_fields[] = {{"member_count", 0, FT_FIELD_U64, 0}};
static const struct ft_field histogram_2_fields[] = {{"bin_count", 0, FT_FIELD_U64, 0}};
static const struct ft_field member_fields[] = {
    FT_FIELD(member, method, FT_FIELD_U32),
    FT_FIELD(member, over_data, FT_FIELD_U8),
    FT_FIELD(member, weight, FT_FIELD_F64),
    FT_FIELD(member, bin_count, FT_FIELD_U64),
};
static const struct ft_field left_out_fields[] = {{"size", 0, FT_FIELD_U64, 0}};
static const struct ft_record_type histogram_type = {sizeof(uint64_t), histogram_fields, 1};
static const struct ft_record_type histogram_2_type = {sizeof(uint64_t), histogram_2_fields, 1};
static const struct ft_record_type member_type = FT_RECORD_TYPE(member, member_fields);
static const struct ft_record_type left_out_type = {sizeof(uint64_t), left_out_fields, 1};
/* Coefficients are as many as the larger one of the model's bases has terms. */
static size_t function_terms(const struct ft_model *model)
{
    size_t data_terms = model->data_basis.term_count, terms = model->basis.term_count;
    return data_terms > terms ? data_terms : terms;
}

/* Group by group, each with all block sizes. */
static struct ft_model_histogram *histogram_at(const struct ft_model *model, size_t i)
{
    return &model->groups[i / model->size_count].histograms[i % model->size_count];
}

/* ---- writing ---- */

/* Of a model or a replica: the tables that are made for the file. */
struct made_tables {
    uint64_t *member_counts;
    struct member *members;
    struct ft_function *functions;
    size_t histogram_count, member_count, function_count;
};

static void made_tables_fini(struct made_tables *tables)
{
    free(tables->member_counts);
    free(tables->members);
    free(tables->functions);
}

static int make_tables(const struct ft_model *model, struct made_tables *tables,
                       struct ft_diag *diag)
{
    tables->histogram_count = model->group_count * model->size_count;
    tables->function_count = ft_model_count_functions(model);
    tables->member_counts = calloc(tables->histogram_count + 1, sizeof *tables->member_counts);
    tables->functions = calloc(tables->function_count + 1, sizeof *tables->functions);
    if (!tables->member_counts || !tables->functions)
        return ft_fail_memory(diag, "the tables of a model");
    size_t members = 0;
    for (size_t i = 0; i < tables->histogram_count; i++) {
        tables->member_counts[i] = histogram_at(model, i)->member_count;
        members += tables->member_counts[i];
    }
    tables->members = calloc(members + 1, sizeof *tables->members);
    if (!tables->members)
        return ft_fail_memory(diag, "the tables of a model");
    for (size_t i = 0; i < tables->histogram_count; i++) {
        const struct ft_model_histogram *histogram = histogram_at(model, i);
        for (size_t j = 0; j < histogram->member_count; j++) {
            const struct ft_model_member *member = &histogram->members[j];
            tables->members[tables->member_count++] = (struct member){
                .method = member->method,
                .over_data = member->over_data,
                .weight = member->weight,
                .bin_count = ft_member_bins_count(member->bins),
            };
        }
    }
    ft_model_get_functions(model, tables->functions);
    return FT_OK;
}

static int write_functions(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    struct made_tables made = {0};
    struct ft_function_records type;
    ft_function_records_init(&type, function_terms(model));
    int status = make_tables(model, &made, diag);
    const struct ft_records tables[] = {
        {"histograms", &histogram_type, made.member_counts, made.histogram_count},
        {"members", &member_type, made.members, made.member_count},
        {"functions", &type.type, made.functions, made.function_count},
    };
    if (!status)
        status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    made_tables_fini(&made);
    return status;
}

static int write_replica(hid_t parent, const struct ft_model *replica, size_t number,
                         struct ft_diag *diag)
{
    char name[NAME_BYTES];
    hid_t group;
    uint64_t left_out[FT_LEFT_OUT_MAX];
    size_t count = 0;
    for (uint64_t size = 0; size < FT_LEFT_OUT_MAX; size++)
        if (replica->left_out >> size & 1)
            left_out[count++] = size;
    snprintf(name, sizeof name, "replica_%zu", number);
    FT_TRY(ft_result_group_create(parent, name, &group, diag));
    int status = ft_records_write(group, "left_out", &left_out_type, left_out, count, diag);
    if (!status)
        status = write_functions(group, replica, diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    return status;
}

int ft_fitted_tables_write(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    int status = write_functions(group, model, diag);
    for (size_t i = 0; !status && i < model->replica_count; i++)
        status = write_replica(group, &model->replicas[i], i, diag);
    return status;
}

/* ---- reading ---- */

bool ft_fitted_tables_have_members(hid_t group)
{
    return H5Lexists(group, "members", H5P_DEFAULT) > 0;
}

/* Version 1 had the terms 1, N, N^2, N^3, N^4, log2(N), N*log2(N). */
static void reorder_version_1(struct ft_function *functions, size_t count)
{
    static const size_t positions[] = {0, 2, 4, 5, 6, 1, 3}; /* in the default basis */
    for (size_t i = 0; i < count; i++) {
        struct ft_function ordered = functions[i];
        for (size_t term = 0; term < sizeof positions / sizeof *positions; term++)
            ordered.coefficients[positions[term]] = functions[i].coefficients[term];
        functions[i] = ordered;
    }
}

/* Before there were members, what is counted of histograms was their bins. */
static int read_member_tables(hid_t group, size_t histogram_count, uint64_t **ret_counts,
                              struct member **ret_members, size_t *ret_member_count,
                              struct ft_diag *diag)
{
    bool members = ft_fitted_tables_have_members(group);
    int status =
        ft_records_read_exactly(group, "histograms", members ? &histogram_type : &histogram_2_type,
                                histogram_count, (void **)ret_counts, diag);
    if (status)
        return status;
    if (members)
        return ft_records_read(group, "members", &member_type, (void **)ret_members,
                               ret_member_count, diag);
    *ret_members = calloc(histogram_count + 1, sizeof **ret_members);
    if (!*ret_members)
        return ft_fail_memory(diag, "a model");
    for (size_t i = 0; i < histogram_count; i++) {
        (*ret_members)[i] = (struct member){.weight = 1, .bin_count = (*ret_counts)[i]};
        (*ret_counts)[i] = 1;
    }
    *ret_member_count = histogram_count;
    return FT_OK;
}

static int take_member(const struct ft_model *model, const struct member *row,
                       struct ft_model_histogram *histogram, size_t *bins, struct ft_diag *diag)
{
    if (row->bin_count > BINS_MAX || (*bins += row->bin_count) > BINS_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "there are too many bins");
    if (row->over_data && model->data_basis.term_count == 0)
        return ft_fail(diag, FT_ERROR_DATA, "a member's terms of the data size are missing");
    if (row->method >= model->method_count || !(row->weight > 0) || isinf(row->weight))
        return ft_fail(diag, FT_ERROR_DATA, "a member has no method or no weight");
    struct ft_model_member *member = &histogram->members[histogram->member_count++];
    member->method = row->method;
    member->over_data = row->over_data;
    member->weight = row->weight;
    struct ft_model_bin *none = calloc(row->bin_count + 1, sizeof *none); /* functions follow */
    member->bins = none ? ft_member_bins_of(none, row->bin_count) : NULL;
    free(none);
    return member->bins ? FT_OK : ft_fail_memory(diag, "a model");
}

static int take_members(struct ft_model *model, const uint64_t *counts,
                        const struct member *members, size_t member_count, struct ft_diag *diag)
{
    size_t at = 0, bins = 0;
    int status = FT_OK;
    for (size_t i = 0; !status && i < model->group_count * model->size_count; i++) {
        struct ft_model_histogram *histogram = histogram_at(model, i);
        if (counts[i] > member_count - at)
            return ft_fail(diag, FT_ERROR_DATA, "histogram %zu lacks members", i);
        histogram->members = calloc(counts[i] + 1, sizeof *histogram->members);
        if (!histogram->members)
            return ft_fail_memory(diag, "a model");
        for (size_t j = 0; !status && j < counts[i]; j++)
            status = take_member(model, &members[at++], histogram, &bins, diag);
    }
    return status || at == member_count
               ? status
               : ft_fail(diag, FT_ERROR_DATA, "there are too many members");
}

static int read_functions(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    uint64_t *counts = NULL;
    struct member *members = NULL;
    struct ft_function *functions = NULL;
    size_t member_count = 0;
    struct ft_function_records type;
    if (ft_fitted_tables_have_members(group))
        ft_function_records_init(&type, function_terms(model));
    else
        ft_function_records_init_old(&type, function_terms(model));
    int status = read_member_tables(group, model->group_count * model->size_count, &counts,
                                    &members, &member_count, diag);
    if (!status)
        status = take_members(model, counts, members, member_count, diag);
    if (!status)
        status =
            ft_records_read_exactly(group, "functions", &type.type, ft_model_count_functions(model),
                                    (void **)&functions, diag);
    if (!status && H5Lexists(group, "terms", H5P_DEFAULT) <= 0 &&
        !ft_fitted_tables_have_members(group))
        reorder_version_1(functions, ft_model_count_functions(model));
    if (!status)
        status = ft_model_set_functions(model, functions, diag);
    free(counts);
    free(members);
    free(functions);
    return status;
}

static int read_replica(hid_t root, struct ft_model *replica, size_t number, struct ft_diag *diag)
{
    char name[NAME_BYTES];
    uint64_t *left_out = NULL;
    size_t count = 0;
    snprintf(name, sizeof name, "replica_%zu", number);
    hid_t group = H5Gopen2(root, name, H5P_DEFAULT);
    if (group < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the group '%s' is missing", name);
    int status =
        ft_records_read(group, "left_out", &left_out_type, (void **)&left_out, &count, diag);
    replica->left_out = 0;
    for (size_t i = 0; !status && i < count; i++)
        if (left_out[i] < replica->training_count && left_out[i] < FT_LEFT_OUT_MAX)
            replica->left_out |= (uint64_t)1 << left_out[i];
    if (!status && replica->left_out == 0)
        status = ft_fail(diag, FT_ERROR_DATA, "replica %zu leaves out no training size", number);
    if (!status)
        status = read_functions(group, replica, diag);
    free(left_out);
    H5Gclose(group);
    return status;
}

static size_t count_replicas(hid_t root, size_t max)
{
    size_t count = 0;
    char name[NAME_BYTES];
    while (count < max) {
        snprintf(name, sizeof name, "replica_%zu", count);
        if (H5Lexists(root, name, H5P_DEFAULT) <= 0)
            break;
        count++;
    }
    return count;
}

static int read_replicas(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    int status = ft_model_add_replicas(model, count_replicas(root, model->training_count), diag);
    for (size_t i = 0; !status && i < model->replica_count; i++)
        status = read_replica(root, &model->replicas[i], i, diag);
    return status;
}

int ft_fitted_tables_read(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    model->distinct_blocks = calloc(model->size_count + 1, sizeof *model->distinct_blocks);
    if (!model->distinct_blocks)
        return ft_fail_memory(diag, "a model");
    int status = read_functions(group, model, diag);
    return status ? status : read_replicas(group, model, diag);
}
