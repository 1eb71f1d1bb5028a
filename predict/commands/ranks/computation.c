/*
 * A rank's time over the instructions of its thread that calls MPI: all of these take the same
 * time, whatever other threads do meanwhile.
 *
 * In order: times as given; forecasts; the module's functions.
 */
#include "predict/commands/ranks/computation.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/number_text.h"
#include "formats/base/parse.h"
#include "formats/model/model_restriction.h"
#include "formats/model/query_point.h"
#include "predict/prediction.h"

/* ---- times as given ---- */

static void set_seconds(const struct ft_mpi_job *job, struct ft_rank_speeds *speeds, size_t rank,
                        double seconds)
{
    const uint64_t instructions = job->ranks[rank].timeline.caller_instructions;
    speeds->seconds_per_instruction[rank] = instructions > 0 ? seconds / (double)instructions : 0;
}

static int read_rate(const char *text, const struct ft_mpi_job *job, struct ft_rank_speeds *speeds,
                     struct ft_diag *diag)
{
    char number[FT_NUMBER_TEXT];
    uint64_t rate = 0;
    double exact = 0;
    if (ft_parse_count(text, &rate))
        exact = (double)rate;
    else if (!ft_parse_double(text, &exact))
        exact = 0;
    if (!(exact >= 1))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--rate %s: expected instructions per second, such as 2G or 2.5e9", text);
    for (size_t i = 0; i < job->rank_count; i++)
        speeds->seconds_per_instruction[i] = 1 / exact;
    snprintf(speeds->source, sizeof speeds->source, "%s instructions per second",
             ft_text_count(number, exact));
    return FT_OK;
}

/* "RANK=SECONDS", or "SECONDS" for all ranks. */
static int read_seconds(const char *text, const struct ft_mpi_job *job,
                        struct ft_rank_speeds *speeds, struct ft_diag *diag)
{
    const char *at = text;
    uint64_t rank = 0;
    double seconds = 0;
    const bool is_of_one = strchr(text, '=') != NULL;
    if (is_of_one && (!ft_read_u64(&at, &rank) || *at++ != '='))
        return ft_fail(diag, FT_ERROR_USAGE, "--seconds %s: expected RANK=SECONDS or SECONDS",
                       text);
    if (!ft_parse_double(at, &seconds) || !(seconds >= 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--seconds %s: expected RANK=SECONDS or SECONDS",
                       text);
    if (is_of_one && rank >= job->rank_count)
        return ft_fail(diag, FT_ERROR_USAGE, "--seconds %s: the job has %" PRIu32 " rank%s", text,
                       job->size, job->size == 1 ? "" : "s");
    for (size_t i = 0; i < job->rank_count; i++)
        if (!is_of_one || i == rank)
            set_seconds(job, speeds, i, seconds);
    return FT_OK;
}

static int read_all_seconds(const struct ft_arguments *arguments, const struct ft_mpi_job *job,
                            struct ft_rank_speeds *speeds, struct ft_diag *diag)
{
    for (size_t i = 0; i < job->rank_count; i++)
        speeds->seconds_per_instruction[i] = NAN;
    for (size_t i = 0; i < ft_option_count(arguments, "seconds"); i++)
        FT_TRY(read_seconds(ft_option_at(arguments, "seconds", i), job, speeds, diag));
    for (size_t i = 0; i < job->rank_count; i++)
        if (isnan(speeds->seconds_per_instruction[i]))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--seconds: nothing for rank %zu (%s): give --seconds %zu=SECONDS", i,
                           job->ranks[i].path, i);
    snprintf(speeds->source, sizeof speeds->source, "the seconds that were given");
    return FT_OK;
}

/* ---- forecasts ---- */

/* What has been forecast: ranks with the same model and the same block have the same time. */
struct forecasts {
    const struct ft_arguments *arguments;
    const struct ft_rank_places *places;
    const struct ft_machine *machine;
    struct done {
        char *path;
        uint64_t variables; /* of the rank's point: those that the model has as parameters */
        struct ft_law_point point;
        double seconds;
    } * done;
    size_t count, capacity;
};

/* "solve-%r.model" of a rank, "solve-%c.model" of its class. */
static int model_path(const char *pattern, uint32_t rank, const struct ft_rank_places *places,
                      char path[PATH_MAX], struct ft_diag *diag)
{
    size_t length = 0;
    for (const char *at = pattern; *at && length + 1 < PATH_MAX; at++) {
        if (at[0] == '%' && at[1] == 'c' && !places)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--model %s: classes are of runs that are forecast (--at P=RANKS): %%r "
                           "is the rank",
                           pattern);
        if (at[0] == '%' && (at[1] == 'r' || at[1] == 'c')) {
            length += (size_t)snprintf(path + length, PATH_MAX - length, "%" PRIu32,
                                       at[1] == 'r' ? rank : places->classes[rank]);
            at++;
        } else {
            path[length++] = *at;
        }
    }
    if (length + 1 >= PATH_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "--model: the path is too long");
    path[length] = 0;
    return FT_OK;
}

/* Of the rank's point: "Nx" is its block of N in direction x. What it does not know is not asked
 * for, and so missed where it is needed. */
static int ask_at_place(const struct ft_model *model, const struct ft_rank_space *space,
                        struct done *done, struct ft_query_values *asked, struct ft_diag *diag)
{
    for (size_t i = 0; i < model->basis.parameter_count; i++) {
        const char *name = i == 0 ? model->parameter : model->further[i - 1];
        char text[160];
        for (unsigned v = 0; v < space->trip; v++)
            if (strcmp(space->variables.names[v], name) == 0) {
                done->variables |= UINT64_C(1) << v;
                snprintf(text, sizeof text, "%.60s=%" PRId64, name, done->point.values[v]);
                FT_TRY(ft_query_point_read(model, text, asked, diag));
            }
    }
    return FT_OK;
}

static int resolve_point(const struct forecasts *forecasts, struct ft_model *model,
                         struct done *done, struct ft_query_point *ret_point, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = forecasts->arguments;
    struct ft_query_values asked = {0};
    if (forecasts->places)
        FT_TRY(ask_at_place(model, forecasts->places->space, done, &asked, diag));
    for (size_t i = 0; i < ft_option_count(arguments, "at") && !forecasts->places; i++)
        FT_TRY(ft_query_point_read(model, ft_option_at(arguments, "at", i), &asked, diag));
    return ft_model_restrict_to(model, &asked, ret_point, diag);
}

/* Of done->path at done->point. */
static int forecast(const struct forecasts *forecasts, struct done *done, struct ft_diag *diag)
{
    struct ft_model model;
    struct ft_query_point point;
    struct ft_prediction prediction = {0};
    const struct ft_predict_options options = {.misses = FT_MISSES_BEST};
    const struct ft_machine *machine = forecasts->machine;
    struct ft_diag inner = {0};
    FT_TRY(ft_model_read(done->path, NULL, &model, diag));
    int status = resolve_point(forecasts, &model, done, &point, &inner);
    if (status != FT_OK)
        (void)ft_fail(diag, status, "%s: --at %s", done->path, inner.message);
    if (status == FT_OK)
        status = ft_predict(&model, machine, &point, &options, &prediction, diag);
    if (status == FT_OK && !prediction.estimates)
        status = ft_fail(diag, FT_ERROR_DATA,
                         "%s: no time: the model does not know the code, or %s its core",
                         done->path, machine->name);
    if (status == FT_OK)
        done->seconds = prediction.estimates[0].seconds;
    ft_prediction_fini(&prediction);
    ft_model_fini(&model);
    return status;
}

static bool is_same(const struct done *done, const char *path, const struct ft_law_point *point)
{
    if (strcmp(done->path, path) != 0)
        return false;
    for (unsigned v = 0; v < FT_LAW_VARIABLES_MAX; v++)
        if (done->variables >> v & 1 && done->point.values[v] != point->values[v])
            return false;
    return true;
}

static int forecast_once(struct forecasts *forecasts, const char *path,
                         const struct ft_law_point *point, double *ret_seconds,
                         struct ft_diag *diag)
{
    for (size_t i = 0; i < forecasts->count; i++)
        if (is_same(&forecasts->done[i], path, point)) {
            *ret_seconds = forecasts->done[i].seconds;
            return FT_OK;
        }
    struct done done = {.path = strdup(path), .point = *point};
    if (!done.path || !FT_RESERVE(forecasts->done, forecasts->capacity, forecasts->count + 1)) {
        free(done.path);
        return ft_fail_memory(diag, "forecasts");
    }
    const int status = forecast(forecasts, &done, diag);
    forecasts->done[forecasts->count++] = done;
    *ret_seconds = done.seconds;
    return status;
}

static int forecast_rank(struct forecasts *forecasts, uint32_t rank, double *ret_seconds,
                         struct ft_diag *diag)
{
    const struct ft_rank_places *places = forecasts->places;
    struct ft_law_point point = {{0}};
    char path[PATH_MAX];
    if (places)
        point = ft_rank_space_point(places->space, places->size, rank);
    FT_TRY(model_path(ft_option_last(forecasts->arguments, "model"), rank, places, path, diag));
    return forecast_once(forecasts, path, &point, ret_seconds, diag);
}

static int forecast_all(struct forecasts *forecasts, const struct ft_mpi_job *job,
                        struct ft_rank_speeds *speeds, struct ft_diag *diag)
{
    if (!forecasts->machine)
        return ft_fail(diag, FT_ERROR_USAGE, "--model needs --machine: of what is the time?");
    for (size_t i = 0; i < job->rank_count; i++) {
        struct ft_diag inner = {0};
        double seconds = 0;
        const int status = forecast_rank(forecasts, job->ranks[i].rank, &seconds, &inner);
        if (status != FT_OK)
            return ft_fail(diag, status, "rank %" PRIu32 ": %s", job->ranks[i].rank, inner.message);
        set_seconds(job, speeds, i, seconds);
    }
    snprintf(speeds->source, sizeof speeds->source, "forecast for %.100s",
             forecasts->machine->name);
    return FT_OK;
}

/* ---- the module's functions ---- */

int ft_rank_speeds_read(const struct ft_arguments *arguments, const struct ft_mpi_job *job,
                        const struct ft_rank_places *places, const struct ft_machine *machine,
                        struct ft_rank_speeds *ret_speeds, struct ft_diag *diag)
{
    const char *rate = ft_option_last(arguments, "rate");
    struct forecasts forecasts = {.arguments = arguments, .places = places, .machine = machine};
    struct ft_rank_speeds speeds = {.seconds_per_instruction =
                                        calloc(job->rank_count + 1, sizeof(double))};
    int status = speeds.seconds_per_instruction ? FT_OK : ft_fail_memory(diag, "ranks");
    if (status == FT_OK && rate)
        status = read_rate(rate, job, &speeds, diag);
    else if (status == FT_OK && ft_option_count(arguments, "seconds"))
        status = read_all_seconds(arguments, job, &speeds, diag);
    else if (status == FT_OK)
        status = forecast_all(&forecasts, job, &speeds, diag);
    for (size_t i = 0; i < forecasts.count; i++)
        free(forecasts.done[i].path);
    free(forecasts.done);
    if (status == FT_OK)
        *ret_speeds = speeds;
    else
        ft_rank_speeds_fini(&speeds);
    return status;
}

void ft_rank_speeds_fini(struct ft_rank_speeds *speeds)
{
    free(speeds->seconds_per_instruction);
    *speeds = (struct ft_rank_speeds){0};
}
