/*
 * In order: machines, whose caches a model holds for; Eq. 5 untrained; the file, with every value
 * checked when it is read.
 */
#include "machines/bandwidth/bandwidth_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"

#define KIND    "bandwidth"
#define VERSION 1

const char *const ft_training_method_names[FT_METHOD_COUNT] = {"genetic", "multistart",
                                                               "latencies"};

/* ---- machines ---- */

int ft_bandwidth_model_set_machine(struct ft_bandwidth_model *model,
                                   const struct ft_machine *machine, struct ft_diag *diag)
{
    if (machine->cache_count == 0 || machine->cache_count >= FT_BANDWIDTH_LEVELS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "--machine %s: has %zu caches; bandwidths are modelled for 1 to %d",
                       machine->name, machine->cache_count, FT_BANDWIDTH_LEVELS_MAX - 1);
    model->machine = strdup(machine->name);
    if (!model->machine)
        return ft_fail_memory(diag, "a name");
    model->cache_count = (uint32_t)machine->cache_count;
    for (size_t i = 0; i < machine->cache_count; i++)
        model->caches[i] =
            (struct ft_bandwidth_cache){ft_level_capacity_bytes(&machine->levels[i]),
                                        machine->levels[i].block_bytes, machine->levels[i].ways};
    return FT_OK;
}

int ft_bandwidth_model_check(const struct ft_bandwidth_model *model, const char *path,
                             const struct ft_machine *machine, struct ft_diag *diag)
{
    if (machine->cache_count != model->cache_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: a bandwidth model of %s, which has %u caches; %s has %zu", path,
                       model->machine, model->cache_count, machine->name, machine->cache_count);
    for (uint32_t i = 0; i < model->cache_count; i++) {
        const struct ft_bandwidth_cache *cache = &model->caches[i];
        const struct ft_level *level = &machine->levels[i];
        if (cache->capacity_bytes != ft_level_capacity_bytes(level) ||
            cache->block_bytes != level->block_bytes || cache->ways != level->ways)
            return ft_fail(
                diag, FT_ERROR_USAGE,
                "%s: a bandwidth model of %s, whose %s has another capacity, line or ways "
                "than that of %s; train one ('foretrace bandwidth --help')",
                path, model->machine, level->name, machine->name);
    }
    return FT_OK;
}

/* ---- Eq. 5 before training ---- */

/* The mean over points where the level has most of the time, and the bandwidth where it has most of
 * all. */
static double plateau_of(const struct ft_bandwidth_points *points,
                         const struct ft_bandwidth_function *function, uint32_t level)
{
    double sum = 0, largest = -1, nearest = 1;
    size_t count = 0;
    for (size_t p = 0; p < points->count; p++) {
        const struct ft_bandwidth_point *point = &points->items[p];
        double times[FT_BANDWIDTH_LEVELS_MAX];
        const double total = ft_bandwidth_times(function, point->hit_rates, times);
        const double share = times[level] / total;
        if (share > 0.95) {
            sum += point->gb_per_s;
            count++;
        }
        if (share > largest) {
            largest = share;
            nearest = point->gb_per_s;
        }
    }
    return count > 0 ? sum / (double)count : nearest;
}

void ft_bandwidth_from_latencies(const struct ft_bandwidth_points *points,
                                 const struct ft_machine *machine,
                                 struct ft_bandwidth_function *ret_function)
{
    struct ft_bandwidth_function function = {
        .level_count = (uint32_t)machine->cache_count + 1,
        .penalty = FT_PENALTY_NONE,
        .offsets = {1, 1},
    };
    const double first = machine->levels[0].latency_cycles;
    for (uint32_t i = 0; i < function.level_count; i++)
        function.cycles[i] = (i < machine->cache_count ? machine->levels[i].latency_cycles
                                                       : machine->memory_latency_cycles) /
                             first;
    for (uint32_t i = 0; i < function.level_count; i++)
        function.gb_per_s[i] = plateau_of(points, &function, i);
    *ret_function = function;
}

/* ---- the file ---- */

struct machine_record {
    char *machine;
    uint32_t cache_count;
};
static const struct ft_field machine_fields[] = {
    FT_FIELD(machine_record, machine, FT_FIELD_TEXT),
    FT_FIELD(machine_record, cache_count, FT_FIELD_U32),
};
static const struct ft_record_type machine_type = FT_RECORD_TYPE(machine_record, machine_fields);

static const struct ft_field cache_fields[] = {
    FT_FIELD(ft_bandwidth_cache, capacity_bytes, FT_FIELD_U64),
    FT_FIELD(ft_bandwidth_cache, block_bytes, FT_FIELD_U64),
    FT_FIELD(ft_bandwidth_cache, ways, FT_FIELD_U64),
};
static const struct ft_record_type cache_type = FT_RECORD_TYPE(ft_bandwidth_cache, cache_fields);

static const struct ft_field point_fields[] = {
    FT_FIELD(ft_bandwidth_point, size_bytes, FT_FIELD_U64),
    FT_FIELD(ft_bandwidth_point, stride_bytes, FT_FIELD_U64),
    FT_FIELD(ft_bandwidth_point, length, FT_FIELD_U32),
    FT_FIELD(ft_bandwidth_point, alpha, FT_FIELD_F64),
    FT_FIELD(ft_bandwidth_point, gb_per_s, FT_FIELD_F64),
    FT_FIELD(ft_bandwidth_point, runs, FT_FIELD_U32),
    FT_FIELD_ARRAY(ft_bandwidth_point, hit_rates, FT_FIELD_F64, FT_BANDWIDTH_LEVELS_MAX),
};
static const struct ft_record_type point_type = FT_RECORD_TYPE(ft_bandwidth_point, point_fields);

#define FUNCTION_FIELD(member, type, count)                                                        \
    {                                                                                              \
#member, offsetof(struct ft_trained_function, function.member), type, count                \
    }
static const struct ft_field function_fields[] = {
    FT_FIELD(ft_trained_function, method, FT_FIELD_U8),
    FUNCTION_FIELD(penalty, FT_FIELD_U8, 0),
    FUNCTION_FIELD(cycles, FT_FIELD_F64, FT_BANDWIDTH_LEVELS_MAX),
    FUNCTION_FIELD(gb_per_s, FT_FIELD_F64, FT_BANDWIDTH_LEVELS_MAX),
    FUNCTION_FIELD(factors, FT_FIELD_F64, FT_BANDWIDTH_PENALTIES_MAX),
    FUNCTION_FIELD(offsets, FT_FIELD_F64, FT_BANDWIDTH_PENALTIES_MAX),
    {"error_mean", offsetof(struct ft_trained_function, error.mean), FT_FIELD_F64, 0},
    {"error_deviation", offsetof(struct ft_trained_function, error.deviation), FT_FIELD_F64, 0},
    FT_FIELD(ft_trained_function, seed, FT_FIELD_U64),
    FT_FIELD(ft_trained_function, entities, FT_FIELD_U32),
    FT_FIELD(ft_trained_function, generations, FT_FIELD_U32),
};
static const struct ft_record_type function_type =
    FT_RECORD_TYPE(ft_trained_function, function_fields);

static int write_contents(hid_t root, const void *contents, struct ft_diag *diag)
{
    const struct ft_bandwidth_model *model = contents;
    const struct machine_record machine = {model->machine, model->cache_count};
    FT_TRY(ft_records_write(root, "machine", &machine_type, &machine, 1, diag));
    FT_TRY(ft_records_write(root, "caches", &cache_type, model->caches, model->cache_count, diag));
    FT_TRY(ft_records_write(root, "points", &point_type, model->points.items, model->points.count,
                            diag));
    return ft_records_write(root, "functions", &function_type, model->functions,
                            model->function_count, diag);
}

int ft_bandwidth_model_write(const char *path, const struct ft_bandwidth_model *model,
                             struct ft_diag *diag)
{
    return ft_result_file_write(path, KIND, VERSION, write_contents, model, diag);
}

static int read_machine(hid_t root, struct ft_bandwidth_model *model, struct ft_diag *diag)
{
    void *records = NULL;
    FT_TRY(ft_records_read_exactly(root, "machine", &machine_type, 1, &records, diag));
    const struct machine_record *machine = records;
    model->machine = machine->machine;
    model->cache_count = machine->cache_count;
    free(records);
    if (model->cache_count == 0 || model->cache_count >= FT_BANDWIDTH_LEVELS_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "machine: %u caches", model->cache_count);
    FT_TRY(
        ft_records_read_exactly(root, "caches", &cache_type, model->cache_count, &records, diag));
    memcpy(model->caches, records, model->cache_count * sizeof *model->caches);
    free(records);
    return FT_OK;
}

static int read_points(hid_t root, struct ft_bandwidth_model *model, struct ft_diag *diag)
{
    void *records = NULL;
    FT_TRY(ft_records_read(root, "points", &point_type, &records, &model->points.count, diag));
    model->points.items = records;
    model->points.capacity = model->points.count;
    for (size_t i = 0; i < model->points.count; i++) {
        struct ft_bandwidth_point *point = &model->points.items[i];
        double before = 0;
        bool good = point->gb_per_s > 0 && isfinite(point->gb_per_s);
        point->hit_rate_count = model->cache_count;
        for (uint32_t c = 0; c < model->cache_count; c++) {
            good = good && point->hit_rates[c] >= before && point->hit_rates[c] <= 1;
            before = point->hit_rates[c];
        }
        if (!good)
            return ft_fail(diag, FT_ERROR_DATA, "points: %zu is no bandwidth at hit rates", i);
    }
    return FT_OK;
}

static int read_functions(hid_t root, struct ft_bandwidth_model *model, struct ft_diag *diag)
{
    void *records = NULL;
    FT_TRY(
        ft_records_read(root, "functions", &function_type, &records, &model->function_count, diag));
    model->functions = records;
    for (size_t i = 0; i < model->function_count; i++) {
        struct ft_trained_function *trained = &model->functions[i];
        trained->function.level_count = model->cache_count + 1;
        trained->error.points = model->points.count;
        if (!ft_bandwidth_function_is_valid(&trained->function) ||
            trained->method >= FT_METHOD_COUNT || !isfinite(trained->error.mean))
            return ft_fail(diag, FT_ERROR_DATA, "functions: %zu is no bandwidth function", i);
    }
    return model->function_count > 0 ? FT_OK
                                     : ft_fail(diag, FT_ERROR_DATA, "functions: there is none");
}

static int read_contents(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_bandwidth_model *model = contents;
    FT_TRY(read_machine(root, model, diag));
    FT_TRY(read_points(root, model, diag));
    return read_functions(root, model, diag);
}

int ft_bandwidth_model_read(const char *path, struct ft_bandwidth_model *ret_model,
                            struct ft_diag *diag)
{
    struct ft_bandwidth_model model = {0};
    const int status = ft_result_file_read(path, KIND, VERSION, read_contents, &model, diag);
    if (status == FT_OK)
        *ret_model = model;
    else
        ft_bandwidth_model_fini(&model);
    return status;
}

void ft_bandwidth_model_fini(struct ft_bandwidth_model *model)
{
    free(model->machine);
    free(model->functions);
    ft_bandwidth_points_fini(&model->points);
    *model = (struct ft_bandwidth_model){0};
}
