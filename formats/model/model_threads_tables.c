#include "formats/model/model_threads_tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/model/function_records.h"

#define GROUP      "threads"
#define NAME_BYTES 32
#define OF_SHARE   3 /* functions */

static const struct ft_field thread_fields[] = {
    FT_FIELD(ft_model_threads, most, FT_FIELD_U32),
    FT_FIELD(ft_model_threads, cores, FT_FIELD_U32),
};
static const struct ft_field share_fields[] = {FT_FIELD(ft_thread_share, scope, FT_FIELD_U32)};
static const struct ft_field core_fields[] = {FT_FIELD(ft_shared_model, cores, FT_FIELD_U32)};
static const struct ft_record_type thread_type = FT_RECORD_TYPE(ft_model_threads, thread_fields);
static const struct ft_record_type share_type = FT_RECORD_TYPE(ft_thread_share, share_fields);
static const struct ft_record_type core_type = FT_RECORD_TYPE(ft_shared_model, core_fields);

static char *group_name(char name[NAME_BYTES], size_t number)
{
    snprintf(name, NAME_BYTES, "shared_%zu", number);
    return name;
}

/* ---- writing ---- */

static int write_functions(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_model_threads row = model->threads, *threads = &row; /* a view */
    const size_t count = 1 + OF_SHARE * threads->share_count;
    struct ft_function_records type;
    struct ft_function *rows = calloc(count, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "the threads of a model");
    ft_function_records_init(&type, model->basis.term_count);
    rows[0] = threads->count;
    for (size_t i = 0; i < threads->share_count; i++) {
        rows[1 + OF_SHARE * i] = threads->shares[i].accesses;
        rows[2 + OF_SHARE * i] = threads->shares[i].first;
        rows[3 + OF_SHARE * i] = threads->shares[i].busiest;
    }
    const struct ft_records tables[] = {
        {GROUP, &thread_type, threads, 1},
        {"shares", &share_type, threads->shares, threads->share_count},
        {"functions", &type.type, rows, count},
    };
    int status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    free(rows);
    return status;
}

static int write_shared(hid_t parent, const struct ft_shared_model *shared, size_t number,
                        struct ft_diag *diag)
{
    char name[NAME_BYTES];
    hid_t group;
    FT_TRY(ft_result_group_create(parent, group_name(name, number), &group, diag));
    int status = ft_records_write(group, "cores", &core_type, shared, 1, diag);
    if (!status)
        status = ft_model_tables_write(group, shared->model, diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    return status;
}

int ft_model_threads_write(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    hid_t inside;
    if (model->threads.most <= 1)
        return FT_OK;
    FT_TRY(ft_result_group_create(group, GROUP, &inside, diag));
    int status = write_functions(inside, model, diag);
    for (size_t i = 0; !status && i < model->threads.shared_count; i++)
        status = write_shared(inside, &model->threads.shared[i], i, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", GROUP);
    return status;
}

/* ---- reading ---- */

static int take_functions(struct ft_model *model, const struct ft_function *rows,
                          struct ft_diag *diag)
{
    struct ft_model_threads *threads = &model->threads;
    threads->count = rows[0];
    for (size_t i = 0; i < threads->share_count; i++) {
        struct ft_thread_share *share = &threads->shares[i];
        if (share->scope >= model->scopes.scope_count || (i > 0 && share->scope <= share[-1].scope))
            return ft_fail(diag, FT_ERROR_DATA, "share %zu of threads belongs to no scope", i);
        share->accesses = rows[1 + OF_SHARE * i];
        share->first = rows[2 + OF_SHARE * i];
        share->busiest = rows[3 + OF_SHARE * i];
    }
    return FT_OK;
}

static int read_functions(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    struct ft_model_threads *threads = &model->threads, *row = NULL;
    struct ft_function *rows = NULL;
    struct ft_function_records type;
    FT_TRY(ft_records_read_exactly(group, GROUP, &thread_type, 1, (void **)&row, diag));
    threads->most = row->most;
    threads->cores = row->cores;
    free(row);
    FT_TRY(ft_records_read(group, "shares", &share_type, (void **)&threads->shares,
                           &threads->share_count, diag));
    ft_function_records_init(&type, model->basis.term_count);
    int status = ft_records_read_exactly(group, "functions", &type.type,
                                         1 + OF_SHARE * threads->share_count, (void **)&rows, diag);
    if (!status)
        status = take_functions(model, rows, diag);
    free(rows);
    return status;
}

static int read_shared(hid_t group, const struct ft_model *model, struct ft_shared_model *shared,
                       struct ft_diag *diag)
{
    struct ft_shared_model *row = NULL;
    FT_TRY(ft_records_read_exactly(group, "cores", &core_type, 1, (void **)&row, diag));
    shared->cores = row->cores;
    free(row);
    shared->model->scopes = model->scopes;
    shared->model->has_scopes_of_whole = true;
    FT_TRY(ft_model_tables_read(group, shared->model, diag));
    return shared->model->basis.parameter_count == model->basis.parameter_count
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "a model of shared caches has other parameters");
}

/* How many such groups there are. */
static size_t count_shared(hid_t group)
{
    size_t count = 0;
    char name[NAME_BYTES];
    while (H5Lexists(group, group_name(name, count), H5P_DEFAULT) > 0)
        count++;
    return count;
}

static int read_all_shared(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    struct ft_model_threads *threads = &model->threads;
    const size_t count = count_shared(group);
    int status = FT_OK;
    threads->shared = calloc(count + 1, sizeof *threads->shared);
    if (!threads->shared)
        return ft_fail_memory(diag, "the threads of a model");
    for (size_t i = 0; !status && i < count; i++) {
        char name[NAME_BYTES];
        struct ft_shared_model *shared = &threads->shared[i];
        const hid_t inside = H5Gopen2(group, group_name(name, i), H5P_DEFAULT);
        if (inside < 0)
            return ft_fail(diag, FT_ERROR_DATA, "the group '%s' cannot be read", name);
        shared->model = calloc(1, sizeof *shared->model);
        status = shared->model ? FT_OK : ft_fail_memory(diag, "the threads of a model");
        threads->shared_count += !status;
        if (!status)
            status = read_shared(inside, model, shared, diag);
        H5Gclose(inside);
    }
    return status;
}

int ft_model_threads_read(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    if (H5Lexists(group, GROUP, H5P_DEFAULT) <= 0)
        return FT_OK;
    const hid_t inside = H5Gopen2(group, GROUP, H5P_DEFAULT);
    if (inside < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the group '%s' cannot be read", GROUP);
    int status = read_functions(inside, model, diag);
    if (!status)
        status = read_all_shared(inside, model, diag);
    H5Gclose(inside);
    return status;
}
