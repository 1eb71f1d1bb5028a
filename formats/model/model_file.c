/*
 * The model in HDF5 (formats/base/records.h): one-row table `model`, tables `parameters`, `terms`,
 * `training`, `block_sizes`, `groups`, `histograms` (their bin counts), `counts`, group `scopes`,
 * and all functions in one table `functions`, in the order in which visit_functions meets them.
 * Writing and reading walk the model alike, so the order is written down once.
 *
 * Version 1 had one parameter, in `model`, one value in `training`, and always the same terms.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/model/model.h"

#define KIND "model"

struct header {
    char *program, *parameter, *method, *options, *tool_version; /* parameter: in version 1 */
    double matched_share;
    uint8_t over_footprint;
};
struct text {
    char *text;
};
struct training {
    double values[FT_PARAMETERS_MAX];
    char *trace_hash;
};

static const struct ft_field header_fields[] = {
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
static const struct ft_record_type header_1_type = FT_RECORD_TYPE(header, header_1_fields);
static const struct ft_record_type text_type = FT_RECORD_TYPE(text, text_fields);
static const struct ft_record_type training_1_type = FT_RECORD_TYPE(training, training_1_fields);
static const struct ft_record_type size_type = {sizeof(uint64_t), size_fields, 1};
static const struct ft_record_type group_type = FT_RECORD_TYPE(ft_model_group, group_fields);
static const struct ft_record_type histogram_type = {sizeof(uint64_t), histogram_fields, 1};
static const struct ft_record_type counts_type =
    FT_RECORD_TYPE(ft_model_scope_counts, counts_fields);

/* Types whose arrays are as long as the model's basis has parameters and terms. */
struct basis_types {
    struct ft_field training_fields[2], function_fields[3];
    struct ft_record_type training, function;
};

static void basis_types_init(struct basis_types *types, const struct ft_basis *basis)
{
    const struct ft_field training[] = {
        FT_FIELD_ARRAY(training, values, FT_FIELD_F64, (uint32_t)basis->parameter_count),
        FT_FIELD(training, trace_hash, FT_FIELD_TEXT),
    };
    const struct ft_field function[] = {
        FT_FIELD_ARRAY(ft_function, coefficients, FT_FIELD_F64, (uint32_t)basis->term_count),
        FT_FIELD(ft_function, rms_relative_error, FT_FIELD_F64),
        FT_FIELD(ft_function, exact, FT_FIELD_U8),
    };
    memcpy(types->training_fields, training, sizeof training);
    memcpy(types->function_fields, function, sizeof function);
    types->training = (struct ft_record_type){sizeof(struct training), types->training_fields, 2};
    types->function =
        (struct ft_record_type){sizeof(struct ft_function), types->function_fields, 3};
}

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
    char term_texts[FT_BASIS_MAX][FT_TERM_TEXT];
    struct text terms[FT_BASIS_MAX];
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
    for (size_t i = 0; i < model->basis.term_count; i++)
        tables->terms[i].text = ft_term_text(tables->term_texts[i], &model->basis, i);
    for (size_t i = 0; i < model->training_count; i++)
        tables->training[i] = (struct training){{model->training[i]}, model->trace_hashes[i]};
    for (size_t i = 0; i < tables->histogram_count; i++)
        tables->bin_counts[i] =
            model->groups[i / model->size_count].histograms[i % model->size_count].bin_count;
    struct walk walk = {.functions = tables->functions, .store = true};
    visit_functions(&walk, model);
    return FT_OK;
}

static int write_tables(hid_t root, const struct ft_model *model, struct made_tables *made,
                        struct ft_diag *diag)
{
    struct header header = {.program = model->program,
                            .method = model->method,
                            .options = model->options,
                            .tool_version = model->tool_version,
                            .matched_share = model->matched_share,
                            .over_footprint = model->over_footprint};
    struct text parameter = {model->parameter};
    struct basis_types types;
    basis_types_init(&types, &model->basis);
    const struct ft_records tables[] = {
        {"model", &header_type, &header, 1},
        {"parameters", &text_type, &parameter, 1},
        {"terms", &text_type, made->terms, model->basis.term_count},
        {"training", &types.training, made->training, model->training_count},
        {"block_sizes", &size_type, model->block_bytes, model->size_count},
        {"groups", &group_type, model->groups, model->group_count},
        {"histograms", &histogram_type, made->bin_counts, made->histogram_count},
        {"counts", &counts_type, model->counts, model->counts_count},
        {"functions", &types.function, made->functions, made->function_count},
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
    return ft_result_file_write(path, KIND, FT_MODEL_VERSION, write_model, model, diag);
}

static bool is_version_1(hid_t root)
{
    return H5Lexists(root, "terms", H5P_DEFAULT) <= 0;
}

static int read_header(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct header *header = NULL;
    const struct ft_record_type *type = is_version_1(root) ? &header_1_type : &header_type;
    int status = ft_records_read_exactly(root, "model", type, 1, (void **)&header, diag);
    if (status)
        return status;
    model->program = header->program;
    model->parameter = header->parameter;
    model->method = header->method;
    model->options = header->options;
    model->tool_version = header->tool_version;
    model->matched_share = header->matched_share;
    model->over_footprint = header->over_footprint;
    free(header);
    return FT_OK;
}

static int read_parameter(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct text *rows = NULL;
    if (is_version_1(root))
        return FT_OK; /* it stood in the header */
    int status = ft_records_read_exactly(root, "parameters", &text_type, 1, (void **)&rows, diag);
    if (!status)
        model->parameter = rows[0].text;
    free(rows);
    return status;
}

static int read_terms(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct text *rows = NULL;
    size_t count = 0;
    if (is_version_1(root)) {
        model->basis = ft_basis_default(model->parameter);
        return FT_OK;
    }
    model->basis = (struct ft_basis){.parameter_count = 1, .parameters = {model->parameter}};
    int status = ft_records_read(root, "terms", &text_type, (void **)&rows, &count, diag);
    for (size_t i = 0; !status && i < count; i++) {
        struct ft_diag inner = {0};
        if (ft_basis_add(&model->basis, rows[i].text, &inner) < 0)
            status = ft_fail(diag, FT_ERROR_DATA, "%s", inner.message);
    }
    if (!status && (model->basis.term_count != count || count == 0))
        status = ft_fail(diag, FT_ERROR_DATA, "the terms are not all different");
    for (size_t i = 0; i < count && rows; i++)
        free(rows[i].text);
    free(rows);
    return status;
}

static int read_training(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct training *training = NULL;
    size_t count = 0;
    struct basis_types types;
    basis_types_init(&types, &model->basis);
    int status =
        ft_records_read(root, "training", is_version_1(root) ? &training_1_type : &types.training,
                        (void **)&training, &count, diag);
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
        model->training[i] = training[i].values[0];
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

/* Version 1 had the terms 1, N, N^2, N^3, N^4, log2(N), N*log2(N). */
static void reorder_version_1(struct ft_function *functions, size_t count)
{
    static const size_t places[] = {0, 2, 4, 5, 6, 1, 3}; /* in the default basis */
    for (size_t i = 0; i < count; i++) {
        struct ft_function ordered = functions[i];
        for (size_t term = 0; term < sizeof places / sizeof *places; term++)
            ordered.coefficients[places[term]] = functions[i].coefficients[term];
        functions[i] = ordered;
    }
}

static int read_functions(hid_t root, struct ft_model *model, struct ft_diag *diag)
{
    struct ft_function *functions = NULL;
    model->distinct_blocks = calloc(model->size_count + 1, sizeof *model->distinct_blocks);
    if (!model->distinct_blocks)
        return ft_fail_memory(diag, "a model");
    struct basis_types types;
    basis_types_init(&types, &model->basis);
    int status = ft_records_read_exactly(root, "functions", &types.function, count_functions(model),
                                         (void **)&functions, diag);
    if (status)
        return status;
    if (is_version_1(root))
        reorder_version_1(functions, count_functions(model));
    struct walk walk = {.functions = functions};
    visit_functions(&walk, model);
    free(functions);
    return FT_OK;
}

static int read_model(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_model *model = contents;
    static int (*const parts[])(hid_t, struct ft_model *, struct ft_diag *) = {
        read_header, read_parameter, read_terms,  read_training, read_sizes,
        read_scopes, read_groups,    read_counts, read_functions};
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
