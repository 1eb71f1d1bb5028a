/*
 * The model in HDF5 (formats/base/records.h): one-row table `model`, tables `training`,
 * `block_sizes`, `groups`, `histograms` (their bin counts), `counts`, group `scopes`, and all
 * functions in one table `functions`, in the order in which visit_functions meets them. Writing and
 * reading walk the model alike, so the order is written down once.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/model.h"

#define KIND "model"

struct header {
    char *program, *parameter, *method, *options, *tool_version;
    double matched_share;
};
struct training {
    double value;
    char *trace_hash;
};

static const struct ft_field header_fields[] = {
    FT_FIELD(header, program, FT_FIELD_TEXT),      FT_FIELD(header, parameter, FT_FIELD_TEXT),
    FT_FIELD(header, method, FT_FIELD_TEXT),       FT_FIELD(header, options, FT_FIELD_TEXT),
    FT_FIELD(header, tool_version, FT_FIELD_TEXT), FT_FIELD(header, matched_share, FT_FIELD_F64),
};
static const struct ft_field training_fields[] = {
    FT_FIELD(training, value, FT_FIELD_F64),
    FT_FIELD(training, trace_hash, FT_FIELD_TEXT),
};
static const struct ft_field size_fields[] = {{"block_bytes", 0, FT_FIELD_U64, 0}};
static const struct ft_field function_fields[] = {
    FT_FIELD_ARRAY(ft_function, coefficients, FT_FIELD_F64, FT_BASIS_COUNT),
    FT_FIELD(ft_function, rms_relative_error, FT_FIELD_F64),
    FT_FIELD(ft_function, exact, FT_FIELD_U8),
};
static const struct ft_field group_fields[] = {
    FT_FIELD(ft_model_group, scope, FT_FIELD_U32),
    FT_FIELD(ft_model_group, rest, FT_FIELD_U8),
    FT_FIELD(ft_model_group, reference_count, FT_FIELD_U32),
    FT_FIELD(ft_model_group, line, FT_FIELD_U32),
    FT_FIELD(ft_model_group, stride_bytes, FT_FIELD_I64),
    FT_FIELD(ft_model_group, accesses_at_largest, FT_FIELD_U64),
};
static const struct ft_field histogram_fields[] = {{"bin_count", 0, FT_FIELD_U64, 0}};
static const struct ft_field counts_fields[] = {
    FT_FIELD(ft_model_scope_counts, scope, FT_FIELD_U32)};

static const struct ft_record_type header_type = FT_RECORD_TYPE(header, header_fields);
static const struct ft_record_type training_type = FT_RECORD_TYPE(training, training_fields);
static const struct ft_record_type size_type = {sizeof(uint64_t), size_fields, 1};
static const struct ft_record_type function_type = FT_RECORD_TYPE(ft_function, function_fields);
static const struct ft_record_type group_type = FT_RECORD_TYPE(ft_model_group, group_fields);
static const struct ft_record_type histogram_type = {sizeof(uint64_t), histogram_fields, 1};
static const struct ft_record_type counts_type =
    FT_RECORD_TYPE(ft_model_scope_counts, counts_fields);

/* A place in the table of functions. */
struct walk {
    struct ft_function *functions; /* NULL: only count */
    bool store;                    /* into the table, else from it */
    size_t at;
};

static void visit(struct walk *walk, struct ft_function *function)
{
    if (walk->functions && walk->store)
        walk->functions[walk->at] = *function;
    else if (walk->functions)
        *function = walk->functions[walk->at];
    walk->at++;
}

static void visit_functions(struct walk *walk, struct ft_model *model)
{
    for (size_t i = 0; i < model->size_count; i++)
        visit(walk, &model->distinct_blocks[i]);
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        visit(walk, &group->accesses);
        for (size_t j = 0; j < model->size_count; j++) {
            struct ft_model_histogram *histogram = &group->histograms[j];
            visit(walk, &histogram->touches);
            visit(walk, &histogram->cold);
            for (size_t k = 0; k < histogram->bin_count; k++) {
                visit(walk, &histogram->bins[k].tail);
                visit(walk, &histogram->bins[k].distance_blocks);
            }
        }
    }
    for (size_t i = 0; i < model->counts_count; i++) {
        struct ft_model_scope_counts *counts = &model->counts[i];
        visit(walk, &counts->instructions);
        for (int class = 0; class < FT_MIX_COUNT; class ++)
            visit(walk, &counts->mix[class]);
        visit(walk, &counts->flops);
        visit(walk, &counts->entries);
        visit(walk, &counts->iterations);
    }
}

static size_t count_functions(struct ft_model *model)
{
    struct walk walk = {0};
    visit_functions(&walk, model);
    return walk.at;
}

/* The tables that are made for the file. */
struct made_tables {
    struct training *training;
    uint64_t *bin_counts;
    struct ft_function *functions;
    size_t histogram_count, function_count;
};

static void made_tables_fini(struct made_tables *tables)
{
    free(tables->training);
    free(tables->bin_counts);
    free(tables->functions);
}

static int make_tables(struct ft_model *model, struct made_tables *tables, struct ft_diag *diag)
{
    tables->histogram_count = model->group_count * model->size_count;
    tables->function_count = count_functions(model);
    tables->training = calloc(model->training_count + 1, sizeof *tables->training);
    tables->bin_counts = calloc(tables->histogram_count + 1, sizeof *tables->bin_counts);
    tables->functions = calloc(tables->function_count + 1, sizeof *tables->functions);
    if (!tables->training || !tables->bin_counts || !tables->functions)
        return ft_fail_memory(diag, "the tables of a model");
    for (size_t i = 0; i < model->training_count; i++)
        tables->training[i] = (struct training){model->training[i], model->trace_hashes[i]};
    for (size_t i = 0; i < tables->histogram_count; i++)
        tables->bin_counts[i] =
            model->groups[i / model->size_count].histograms[i % model->size_count].bin_count;
    struct walk walk = {.functions = tables->functions, .store = true};
    visit_functions(&walk, model);
    return FT_OK;
}

static int write_tables(hid_t root, const struct ft_model *model, const struct made_tables *made,
                        struct ft_diag *diag)
{
    struct header header = {model->program, model->parameter,    model->method,
                            model->options, model->tool_version, model->matched_share};
    const struct ft_records tables[] = {
        {"model", &header_type, &header, 1},
        {"training", &training_type, made->training, model->training_count},
        {"block_sizes", &size_type, model->block_bytes, model->size_count},
        {"groups", &group_type, model->groups, model->group_count},
        {"histograms", &histogram_type, made->bin_counts, made->histogram_count},
        {"counts", &counts_type, model->counts, model->counts_count},
        {"functions", &function_type, made->functions, made->function_count},
    };
    return ft_records_write_all(root, tables, sizeof tables / sizeof *tables, diag);
}

static int write_model(hid_t root, const void *contents, struct ft_diag *diag)
{
    const struct ft_model *model = contents;
    struct ft_model walked = *model; /* the walk also serves reading, so it is not const */
    struct made_tables made = {0};
    int status = make_tables(&walked, &made, diag);
    if (!status)
        status = write_tables(root, model, &made, diag);
    if (!status)
        status = ft_scopes_write(&model->scopes, root, diag);
    made_tables_fini(&made);
    return status;
}

int ft_model_write(const char *path, const struct ft_model *model, struct ft_diag *diag)
{
    return ft_result_file_write(path, KIND, model->scopes.inlined_count ? FT_MODEL_VERSION : 1,
                                write_model, model, diag);
}

static int read_header(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct header *header = NULL;
    int status = ft_records_read_exactly(root, "model", &header_type, 1, (void **)&header, diag);
    if (status)
        return status;
    model->program = header->program;
    model->parameter = header->parameter;
    model->method = header->method;
    model->options = header->options;
    model->tool_version = header->tool_version;
    model->matched_share = header->matched_share;
    free(header);
    return FT_OK;
}

static int read_training(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct training *training = NULL;
    size_t count = 0;
    int status =
        ft_records_read(root, "training", &training_type, (void **)&training, &count, diag);
    if (status < 0)
        return status;
    model->training = calloc(count + 1, sizeof *model->training);
    model->trace_hashes = calloc(count + 1, sizeof *model->trace_hashes);
    bool allocated = model->training && model->trace_hashes;
    bool ascending = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (!allocated) {
            free(training[i].trace_hash);
            continue;
        }
        model->training[i] = training[i].value;
        model->trace_hashes[i] = training[i].trace_hash;
        ascending = ascending && model->training[i] > (i > 0 ? model->training[i - 1] : 0);
    }
    model->training_count = allocated ? count : 0;
    free(training);
    if (!allocated)
        return ft_fail_memory(diag, "the training sizes");
    return ascending ? FT_OK : ft_fail(diag, FT_ERROR_DATA, "the training sizes do not ascend");
}

static int read_sizes(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_records_read(root, "block_sizes", &size_type, (void **)&model->block_bytes,
                           &model->size_count, diag);
}

static int read_scopes(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    return ft_scopes_read(root, &model->scopes, diag);
}

static int read_groups(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    uint64_t *bin_counts = NULL;
    size_t total = 0;
    int status = ft_records_read(root, "groups", &group_type, (void **)&model->groups,
                                 &model->group_count, diag);
    if (status == FT_OK)
        status = ft_records_read_exactly(root, "histograms", &histogram_type,
                                         model->group_count * model->size_count,
                                         (void **)&bin_counts, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        if (group->scope >= model->scopes.scope_count)
            status = ft_fail(diag, FT_ERROR_DATA, "group %zu is in no scope", i);
        group->histograms = calloc(model->size_count + 1, sizeof *group->histograms);
        if (!group->histograms)
            status = ft_fail_memory(diag, "a model");
        for (size_t j = 0; status == FT_OK && j < model->size_count; j++) {
            struct ft_model_histogram *histogram = &group->histograms[j];
            histogram->bin_count = bin_counts[i * model->size_count + j];
            total += histogram->bin_count;
            if (histogram->bin_count > 1U << 24 || total > 1U << 28)
                status = ft_fail(diag, FT_ERROR_DATA, "group %zu has too many bins", i);
            else if (!(histogram->bins = calloc(histogram->bin_count + 1, sizeof *histogram->bins)))
                status = ft_fail_memory(diag, "a model");
        }
    }
    free(bin_counts);
    return status;
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

static int read_functions(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct ft_function *functions = NULL;
    model->distinct_blocks = calloc(model->size_count + 1, sizeof *model->distinct_blocks);
    if (!model->distinct_blocks)
        return ft_fail_memory(diag, "a model");
    int status = ft_records_read_exactly(root, "functions", &function_type, count_functions(model),
                                         (void **)&functions, diag);
    if (status)
        return status;
    struct walk walk = {.functions = functions};
    visit_functions(&walk, model);
    free(functions);
    return FT_OK;
}

static int read_model(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_model *model = contents;
    static int (*const parts[])(hid_t, struct ft_model *, struct ft_diag *) = {
        read_header, read_training, read_sizes,    read_scopes,
        read_groups, read_counts,   read_functions};
    int status = FT_OK;
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](root, model, diag);
    return status;
}

bool ft_model_file_is(const char *path)
{
    return ft_result_file_is(path, KIND);
}

int ft_model_read(const char *path, struct ft_model *ret_model, struct ft_diag *diag)
{
    struct ft_model model = {0};
    int status = ft_result_file_read(path, KIND, FT_MODEL_VERSION, read_model, &model, diag);
    if (status)
        ft_model_fini(&model);
    else
        *ret_model = model;
    return status;
}
