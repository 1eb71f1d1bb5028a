/*
 * A scope that the synthesis does not have keeps the misses of its histograms, with their error,
 * and may displace, or bring, as many blocks of the scopes that it has, where these are exposed to
 * it (synthetic_exposure.h). All values and errors are exclusive, and summed up over nested scopes,
 * before each number is compared with what histograms say. Then the times follow, which are sums of
 * latencies.
 */
#include "predict/synthetic_choice.h"

#include <math.h>
#include <stdlib.h>

#include "engine/simulate/simulate_trace.h"
#include "predict/capped_misses.h"
#include "predict/intervals/malloc_paths.h"
#include "predict/intervals/string_calls.h"
#include "predict/metrics/cycles.h"

#define SURE          0.02 /* half an interval, relative: no histogram is asked then */
#define STARTUP_BYTES 512U /* on other blocks, for the same reason */
#define STRANGE_MAX   0.02 /* share of a scope's accesses that may be strange */
#define NEGLIGIBLE    1e-5 /* or of the program's */
#define STRANGE_FEW   0.25 /* the same, where it was so when the largest size was held out, too */
#define MORE_OFTEN    4.0  /* as the accesses of the scope may those miss then */
#define DISPUTED      0.25 /* accesses by histograms, summed up in two ways, differ by so much */
#define STRING_PATHS  0.5  /* share of the accesses of memset that may be others at other lengths */
#define DRAWN         0.05 /* error of misses of accesses that are drawn, relative: at least */
#define NEARLY_SO     1.0 /* an error when held out up to which this holds, and no misses are none */
#define STARTUP_SHARE 0.001 /* of the program's accesses, in a scope of start-up and printing */
#define STARTUP_GROWS 2.0   /* times as many as at the largest training size, at most; or... */

/* A value, and by how much it may be off; of the columns of a row from the first level's on. */
struct estimate {
    double value, error;
};

struct choosing {
    const struct ft_synthetic_rows *synthetic;
    struct ft_chosen_rows *rows;
    size_t width;    /* of the metrics */
    size_t columns;  /* of misses: two for each level */
    double accesses; /* of the program */
    double *nested;  /* [scope]: of the column in question (sum_nested) */
    bool *is_made;   /* [scope]: of the column in question, by synthesis */
    double *exposed; /* [scope]: accesses, likewise */
    struct ft_malloc_paths malloc_paths;
    double *summed;             /* [scope]: accesses by histograms, of all that is nested in it */
    bool *is_startup;           /* [scope]: find_startup */
    double *startup;            /* [as synthetic rows]: sums over these scopes */
    double *granules;           /* [scope]: with all that is nested in it (synthetic_gaps.h) */
    double *surely;             /* [scope * columns + column]: misses that synthesis has, at least,
                                   likewise */
    double *apart;              /* [scope]: note_apart, of the level in question */
    struct estimate *estimates; /* [scope * (columns + 1) + column]; the first one is accesses */
};

static struct estimate *estimates_of(const struct choosing *choosing, size_t scope)
{
    return choosing->estimates + scope * (choosing->columns + 1);
}

static size_t scope_count(const struct choosing *choosing)
{
    return choosing->rows->metrics->model->scopes.scope_count;
}

static double accesses_of(const struct choosing *choosing, size_t scope)
{
    return choosing->rows->exclusive[scope * choosing->width + FT_METRIC_ACCESSES];
}

/* ---- start-up and printing ---- */

/* Code that does little of all, and hardly more at a larger size: what each scope of it does
 * depends on arguments, environment and the digits of results. How often it misses only the sum
 * over all of them tells: a law through the few misses of one does not. grown: [scope], room. */
static void find_startup(const struct choosing *choosing, double *grown)
{
    const struct ft_metrics *metrics = choosing->rows->metrics;
    const struct ft_model *model = metrics->model;
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    const struct ft_point largest = ft_model_largest(model);
    const double grows = /* ...as the size itself */
        fmax(STARTUP_GROWS, metrics->at.parameters[0] / largest.parameters[0]);
    for (size_t s = 0; s < scope_count(choosing); s++)
        grown[s] = 0;
    for (size_t g = 0; g < model->group_count; g++)
        grown[model->groups[g].scope] += grows * (double)model->groups[g].accesses_at_largest;
    for (size_t s = 0; s < scope_count(choosing); s++) {
        const double *own = synthetic->own + s * synthetic->width;
        const double accesses = fmax(accesses_of(choosing, s), own[0]);
        const double most =
            accesses + synthetic->gaps.strange[s] + estimates_of(choosing, s)->error;
        choosing->is_startup[s] = !synthetic->gaps.is_lawful[s] && accesses <= grown[s] &&
                                  most <= STARTUP_SHARE * choosing->accesses;
        for (size_t c = 0; choosing->is_startup[s] && c < synthetic->width; c++)
            choosing->startup[c] += own[c];
    }
}

/* Whether a scope's accesses are the program's, nearly; of one that hardly matters, too. */
static bool is_explained(const struct choosing *choosing, size_t scope)
{
    const double strange = choosing->synthetic->gaps.strange[scope];
    return strange <= STRANGE_MAX * accesses_of(choosing, scope) ||
           strange <= NEGLIGIBLE * choosing->accesses;
}

/* ---- exclusive estimates ---- */

static const struct ft_interval *interval_of(const struct choosing *choosing, size_t scope,
                                             size_t column)
{
    return &choosing->rows->intervals[scope * choosing->width + column];
}

/* Half the inclusive intervals of what is nested in each scope. */
static void sum_nested(const struct choosing *choosing, size_t column)
{
    const struct ft_scope *scopes = choosing->rows->metrics->model->scopes.scopes;
    for (size_t s = 0; s < scope_count(choosing); s++)
        choosing->nested[s] = 0;
    for (size_t s = 1; s < scope_count(choosing); s++)
        choosing->nested[scopes[s].parent] += ft_interval_half(interval_of(choosing, s, column));
}

/* By histograms, after sum_nested: off by what the inclusive row is, without what is nested in it.
 * Misses of which nothing is known are between none and as many as there are accesses. */
static struct estimate by_histograms(const struct choosing *choosing, size_t scope, size_t column)
{
    const size_t number = scope * choosing->width + column;
    const double value = choosing->rows->exclusive[number];
    const double half = ft_interval_half(interval_of(choosing, scope, column));
    const double relative = ft_interval_relative_half(choosing->rows->inclusive[number],
                                                      interval_of(choosing, scope, column));
    const double most =
        column == FT_METRIC_ACCESSES ? INFINITY : fmax(value, accesses_of(choosing, scope));
    if (!(value > 0) || isinf(half))
        return (struct estimate){value, value > 0 ? most : 0};
    const double own = isinf(choosing->nested[scope]) ? 0 : half - choosing->nested[scope];
    return (struct estimate){value, fmin(fmax(own, relative * value), most)};
}

/* How many misses a strange access makes. What was off when the largest size was held out was so
 * with strange accesses of its own; those miss nearly as often as others then. */
static double misses_per_strange(const struct choosing *choosing, size_t scope, size_t column,
                                 double value, double held_out)
{
    const double accesses = accesses_of(choosing, scope), *startup = choosing->startup;
    double often = FT_MISSES_PER_STRANGE;
    if (held_out <= NEARLY_SO && accesses > 0)
        often *= fmin(MORE_OFTEN * (value + 1) / accesses, 1);
    if (choosing->is_startup[scope] && startup[0] > 0)
        often = fmin(often,
                     FT_MISSES_PER_STRANGE * MORE_OFTEN * (startup[1 + column] + 1) / startup[0]);
    return often;
}

/* Whether a scope's accesses by its groups and by a law of its own are far apart, so that neither
 * is to be trusted; or it is in a memset or the like, which takes other paths at other lengths. */
static bool is_disputed(const struct choosing *choosing, size_t scope)
{
    const double row = choosing->rows->inclusive[scope * choosing->width + FT_METRIC_ACCESSES];
    return fabs(choosing->summed[scope] - row) > DISPUTED * fmin(choosing->summed[scope], row) ||
           ft_scope_is_string_routine(&choosing->rows->metrics->model->scopes, (uint32_t)scope);
}

/* By synthesis. Laws are exact, and so are bytes that a memset fills, in whichever of its loops;
 * what does not follow them is off as it was when it was held out, where it may have been right by
 * chance. Nothing times an error is no error: no misses are as uncertain as all accesses then. */
static struct estimate by_synthesis(const struct choosing *choosing, size_t scope, size_t column)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    const double value = synthetic->own[scope * synthetic->width + 1 + column];
    const double held_out = synthetic->gaps.errors[scope * (choosing->columns / 2) + column / 2];
    const double relative = fmax(held_out, DRAWN * synthetic->gaps.loose[scope]);
    const double counted = choosing->is_startup[scope] ? estimates_of(choosing, scope)->error : 0;
    double error = misses_per_strange(choosing, scope, column, value, held_out) *
                   (synthetic->gaps.strange[scope] + counted);
    const bool is_lawful = synthetic->gaps.is_lawful[scope] || synthetic->gaps.is_filled[scope];
    if (!is_lawful && value > 0)
        error += value * (choosing->is_startup[scope] ? fmin(relative, 1) : relative);
    else if (!is_lawful && !choosing->is_startup[scope] && held_out > NEARLY_SO)
        error += accesses_of(choosing, scope);
    return (struct estimate){value, error};
}

/* Of a scope that is not synthetic. More misses than accesses can make are of a law that is wrong
 * at the size: of these, or of those. */
static struct estimate by_histograms_alone(const struct choosing *choosing, size_t scope,
                                           struct estimate forecast)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    const double accesses =
        fmax(accesses_of(choosing, scope), synthetic->own[scope * synthetic->width]);
    const double value = fmin(forecast.value, FT_BLOCKS_PER_ACCESS * accesses);
    if (value < forecast.value || is_disputed(choosing, scope))
        forecast.error = fmax(forecast.error, value);
    forecast.value = value;
    return forecast;
}

/* Whether a scope's misses are those of its synthesis. */
static bool is_made_by(const struct choosing *choosing, size_t scope,
                       const struct estimate *synthesis, const struct estimate *forecast)
{
    if (choosing->is_startup[scope])
        return !(synthesis->error > by_histograms_alone(choosing, scope, *forecast).error);
    if (is_explained(choosing, scope))
        return !(synthesis->error > forecast->error && synthesis->error > synthesis->value);
    return choosing->synthetic->gaps.strange[scope] <= STRANGE_FEW * accesses_of(choosing, scope) &&
           synthesis->error < forecast->error;
}

/* What is drawn goes through its data in another order than the program. Where histograms say
 * otherwise of a fully associative level, beyond the errors of both, it is off by as much, and so
 * it is in sets, of which histograms know less. */
static void note_apart(const struct choosing *choosing, size_t scope, size_t column,
                       const struct estimate *synthesis, const struct estimate *forecast)
{
    const struct ft_synthetic_gaps *gaps = &choosing->synthetic->gaps;
    const double apart = fabs(synthesis->value - forecast->value);
    const bool is_drawn = gaps->loose[scope] > 0 && !gaps->is_filled[scope];
    if (FT_METRIC_COUNT + column == ft_fully_assoc_column(column / 2))
        choosing->apart[scope] = is_drawn && apart > synthesis->error + forecast->error ? apart : 0;
}

/* What is not synthetic displaces no more blocks than it misses, and brings no more that others do
 * not miss then; these may be those of anybody who is exposed to it. */
static int add_displaced(const struct choosing *choosing, size_t column, double others, double made,
                         struct ft_diag *diag)
{
    const struct ft_synthetic_exposure *exposure = &choosing->synthetic->exposure;
    const struct ft_level *level = &choosing->rows->metrics->machine->levels[column / 2];
    if (!(made > 0 && others > 0))
        return FT_OK;
    FT_TRY(ft_synthetic_exposed(exposure, choosing->is_made, (double)level->blocks,
                                choosing->exposed, diag));
    for (size_t s = 0; s < scope_count(choosing); s++) {
        struct estimate *estimate = &estimates_of(choosing, s)[1 + column];
        const double drawn =
            choosing->synthetic->own[s * choosing->synthetic->width] - exposure->accesses[s];
        if (choosing->is_made[s])
            estimate->error +=
                fmin(others * estimate->value / made, choosing->exposed[s] + fmax(drawn, 0));
    }
    return FT_OK;
}

static int estimate_column(const struct choosing *choosing, size_t column, struct ft_diag *diag)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    const struct ft_level *level = &choosing->rows->metrics->machine->levels[column / 2];
    double others = 0, made = 0;
    sum_nested(choosing, FT_METRIC_COUNT + column);
    for (size_t s = 0; s < scope_count(choosing); s++) {
        struct estimate *estimate = &estimates_of(choosing, s)[1 + column];
        const struct estimate forecast = by_histograms(choosing, s, FT_METRIC_COUNT + column);
        *estimate = by_synthesis(choosing, s, column);
        choosing->is_made[s] = is_made_by(choosing, s, estimate, &forecast);
        if (s == choosing->malloc_paths.first)
            others += FT_MALLOC_MISSES * choosing->malloc_paths.more;
        note_apart(choosing, s, column, estimate, &forecast);
        if (choosing->is_made[s] && synthetic->exposure.may_run_back[s]) {
            choosing->is_made[s] = false; /* and disturbs others by as many misses */
            estimate->error += estimate->value;
            others += estimate->value;
        } else if (choosing->is_made[s]) {
            estimate->error = fmax(estimate->error, choosing->apart[s]);
            made += estimate->value;
        } else {
            const double drawn = synthetic->gaps.is_cut[s] ? estimate->value : 0;
            *estimate = by_histograms_alone(choosing, s, forecast);
            others += fmax(estimate->value, drawn); /* those of a cut loop were brought, too */
        }
    }
    others += ft_growth_misses(&choosing->malloc_paths, (double)level->block_bytes,
                               (double)level->blocks, made + others);
    FT_TRY(add_displaced(choosing, column, others, made, diag));
    for (size_t s = 0; s < scope_count(choosing); s++) {
        const struct estimate *estimate = &estimates_of(choosing, s)[1 + column];
        if (choosing->is_made[s])
            choosing->surely[s * choosing->columns + column] =
                fmax(estimate->value - estimate->error, 0);
    }
    return FT_OK;
}

/* Accesses that overlap at the ends of calls of memset and the like, which synthesis may have or
 * not (fit/skeletons/string_calls.h). */
static double overlapping_accesses(const struct choosing *choosing, size_t scope)
{
    const struct ft_model *model = choosing->rows->metrics->model;
    const struct ft_model_scope_counts *counts = ft_model_counts_of(model, (uint32_t)scope);
    if (!counts || !ft_scope_is_string_routine(&model->scopes, (uint32_t)scope))
        return 0;
    return FT_OVERLAPPING_VECTORS * ft_function_at(&counts->entries, &choosing->rows->metrics->at);
}

/* The share of a scope's accesses that may be other ones at the size, whatever those of the
 * training sizes do: malloc takes other paths as blocks leave the sizes that it keeps in caches and
 * bins. */
static double other_paths(const struct choosing *choosing, size_t scope)
{
    const struct ft_scopes *scopes = &choosing->rows->metrics->model->scopes;
    if (choosing->malloc_paths.are_other && ft_scope_is_malloc(scopes, (uint32_t)scope))
        return 1;
    return ft_scope_is_string_routine(scopes, (uint32_t)scope) &&
                   !choosing->synthetic->gaps.is_lawful[scope] &&
                   !choosing->synthetic->gaps.is_filled[scope]
               ? STRING_PATHS
               : 0;
}

/* Of a scope in which a loop is cut: the shares of its paths may be off. */
static struct estimate by_paths(const struct choosing *choosing, size_t scope)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    const double made = synthetic->own[scope * synthetic->width];
    const double loose = DRAWN * synthetic->gaps.loose[scope] * made;
    return (struct estimate){made, fmax(synthetic->gaps.strange[scope], loose)};
}

static void estimate_accesses(const struct choosing *choosing)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    sum_nested(choosing, FT_METRIC_ACCESSES);
    for (size_t s = 0; s < scope_count(choosing); s++) {
        struct estimate *estimate = estimates_of(choosing, s);
        *estimate = by_histograms(choosing, s, FT_METRIC_ACCESSES);
        if (synthetic->gaps.is_lawful[s] || synthetic->gaps.is_filled[s])
            *estimate = (struct estimate){synthetic->own[s * synthetic->width],
                                          synthetic->gaps.strange[s] + synthetic->gaps.granules[s] +
                                              overlapping_accesses(choosing, s)};
        else if (synthetic->gaps.is_cut[s])
            *estimate = by_paths(choosing, s);
        estimate->error = fmax(estimate->error, other_paths(choosing, s) * estimate->value);
        if (s == choosing->malloc_paths.first)
            estimate->error +=
                choosing->malloc_paths.more + FT_GROWTH_ACCESSES * choosing->malloc_paths.growths;
    }
}

/* ---- the choice ---- */

/* floor: what is added to the error. sure: half an interval that is taken whatever the other one
 * is. is_refuted: the other one is wrong. */
static bool choose(const struct estimate *estimate, double floor, double sure, bool is_refuted,
                   double *value, struct ft_interval *interval)
{
    const double error = estimate->error + floor;
    const double half = estimate->value > 0 ? error / estimate->value : error;
    const double low = fmax(estimate->value - error, 0), high = estimate->value + error;
    if (!ft_interval_is_informative(estimate->value, low, high, 1) ||
        (!is_refuted && half >= sure && half >= ft_interval_relative_half(*value, interval)))
        return false;
    *value = estimate->value;
    *interval = (struct ft_interval){low, high, error == 0, true};
    return true;
}

/* Blocks of a level that start-up may touch or not. */
static double startup_blocks(const struct choosing *choosing, size_t scope, size_t column)
{
    const struct ft_level *level = &choosing->rows->metrics->machine->levels[column / 2];
    return scope == 0 ? fmax(STARTUP_BYTES / (double)level->block_bytes, 1) : 0;
}

static void choose_misses(const struct choosing *choosing, size_t scope)
{
    struct ft_chosen_rows *rows = choosing->rows;
    const struct estimate *estimates = estimates_of(choosing, scope);
    for (size_t c = 0; c < choosing->columns; c++) {
        const size_t column = FT_METRIC_COUNT + c;
        const size_t number = scope * choosing->width + column;
        const double value = estimates[1 + c].value;
        const double startup = startup_blocks(choosing, scope, c);
        const bool is_refuted = rows->intervals[number].high <
                                choosing->surely[scope * choosing->columns + c] - startup;
        const bool is_chosen = choose(&estimates[1 + c], FT_SYNTHETIC_FLOOR * value + startup,
                                      SURE + startup / fmax(value, 1), is_refuted,
                                      &rows->inclusive[number], &rows->intervals[number]);
        if (scope == 0)
            rows->misses_by[column] = is_chosen ? FT_BY_SYNTHESIS : FT_BY_HISTOGRAMS;
    }
}

/* A scope's own misses, from which others follow. */
static void replace_own(const struct choosing *choosing, size_t scope)
{
    const struct ft_synthetic_rows *synthetic = choosing->synthetic;
    double *own = choosing->rows->exclusive + scope * choosing->width;
    if (!is_explained(choosing, scope))
        return;
    for (size_t c = 0; c < choosing->columns; c++)
        own[FT_METRIC_COUNT + c] = synthetic->own[scope * synthetic->width + 1 + c];
    if (synthetic->gaps.is_lawful[scope] || synthetic->gaps.is_cut[scope])
        own[FT_METRIC_ACCESSES] = synthetic->own[scope * synthetic->width];
}

/* ---- times ---- */

/* Of a row, or of one end of its intervals. */
enum end { VALUE, LOW, HIGH };

static double end_of(double value, const struct ft_interval *interval, enum end end)
{
    return end == VALUE
               ? value
               : ft_interval_end(value, interval, end == LOW ? interval->low : interval->high);
}

/* Of accesses and misses; NAN where one of them is not known. */
struct latencies {
    double memory, serial;
};

static struct latencies latencies_of(const struct ft_metrics *metrics, const double *row,
                                     const struct ft_interval *intervals, enum end end,
                                     double *misses)
{
    const struct ft_machine *machine = metrics->machine;
    for (size_t i = 0; i < machine->level_count; i++) {
        const size_t column = ft_set_assoc_column(i);
        misses[i] = intervals ? end_of(row[column], &intervals[column], end) : row[column];
    }
    const double accesses =
        intervals ? end_of(row[FT_METRIC_ACCESSES], &intervals[FT_METRIC_ACCESSES], end)
                  : row[FT_METRIC_ACCESSES];
    return (struct latencies){
        ft_memory_cycles(machine, misses, metrics->dirty_memory),
        ft_access_latency_cycles(machine, accesses, misses, metrics->dirty_memory)};
}

/* instructions: the latency of all but accesses. */
static void set_times(const struct choosing *choosing, size_t scope, double instructions,
                      double *misses)
{
    const struct ft_metrics *metrics = choosing->rows->metrics;
    double *row = choosing->rows->inclusive + scope * choosing->width;
    struct ft_interval *intervals = choosing->rows->intervals + scope * choosing->width;
    const struct ft_interval *counted = &intervals[FT_METRIC_INSTRUCTIONS];
    struct latencies at[3];
    for (enum end end = VALUE; end <= HIGH; end++) {
        const double count = row[FT_METRIC_INSTRUCTIONS];
        const double scale = count > 0 ? end_of(count, counted, end) / count : 1;
        at[end] = latencies_of(metrics, row, intervals, end, misses);
        at[end].serial += scale * instructions;
    }
    if (isnan(at[HIGH].serial) || isnan(at[LOW].serial))
        return;
    row[FT_METRIC_MEMORY_CYCLES] = at[VALUE].memory;
    row[FT_METRIC_SERIAL_CYCLES] = at[VALUE].serial;
    if (isnan(intervals[FT_METRIC_ACCESSES].low))
        return;
    intervals[FT_METRIC_MEMORY_CYCLES] =
        (struct ft_interval){at[LOW].memory, at[HIGH].memory, false, true};
    intervals[FT_METRIC_SERIAL_CYCLES] =
        (struct ft_interval){at[LOW].serial, at[HIGH].serial, false, true};
}

/* ---- all of it ---- */

static void choose_row(const struct choosing *choosing, size_t scope, double *misses)
{
    const struct ft_metrics *metrics = choosing->rows->metrics;
    double *row = choosing->rows->inclusive + scope * choosing->width;
    struct ft_interval *intervals = choosing->rows->intervals + scope * choosing->width;
    const double instructions =
        row[FT_METRIC_SERIAL_CYCLES] - latencies_of(metrics, row, NULL, VALUE, misses).serial;
    const bool has_startup = metrics->model->scopes.scopes[scope].kind <= FT_SCOPE_MODULE;
    const struct estimate *accesses = &estimates_of(choosing, scope)[0];
    const bool is_chosen = choose(accesses, has_startup ? FT_STARTUP_ACCESSES : 0, 0, false,
                                  &row[FT_METRIC_ACCESSES], &intervals[FT_METRIC_ACCESSES]);
    if (!is_chosen && choosing->granules[scope] > 0) { /* of which histograms know nothing */
        const double most = accesses->value + accesses->error;
        double *high = &intervals[FT_METRIC_ACCESSES].high;
        *high = isinf(most) ? *high + choosing->granules[scope] : fmax(*high, most);
    }
    choose_misses(choosing, scope);
    set_times(choosing, scope, fmax(instructions, 0), misses);
}

static void replace_row(const struct choosing *choosing, size_t scope, double *misses)
{
    const struct ft_metrics *metrics = choosing->rows->metrics;
    double *own = choosing->rows->exclusive + scope * choosing->width;
    const double instructions =
        own[FT_METRIC_SERIAL_CYCLES] - latencies_of(metrics, own, NULL, VALUE, misses).serial;
    replace_own(choosing, scope);
    const struct latencies latencies = latencies_of(metrics, own, NULL, VALUE, misses);
    own[FT_METRIC_MEMORY_CYCLES] = latencies.memory;
    own[FT_METRIC_SERIAL_CYCLES] = latencies.serial + instructions;
}

/* misses: room for a number a level. */
static int choose_all(struct choosing *choosing, double *misses, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &choosing->rows->metrics->model->scopes;
    for (size_t s = 0; s < scopes->scope_count; s++) {
        choosing->accesses += choosing->summed[s] = accesses_of(choosing, s);
        choosing->granules[s] = choosing->synthetic->gaps.granules[s];
    }
    ft_scopes_add_nested(scopes, choosing->granules, 1);
    ft_scopes_add_nested(scopes, choosing->summed, 1);
    estimate_accesses(choosing);
    find_startup(choosing, choosing->exposed);
    for (size_t c = 0; c < choosing->columns; c++)
        FT_TRY(estimate_column(choosing, c, diag));
    ft_scopes_add_nested(scopes, (double *)choosing->estimates, 2 * (choosing->columns + 1));
    ft_scopes_add_nested(scopes, choosing->surely, choosing->columns);
    for (size_t s = 0; s < scopes->scope_count; s++)
        choose_row(choosing, s, misses);
    for (size_t s = 0; s < scopes->scope_count; s++)
        replace_row(choosing, s, misses);
    return FT_OK;
}

int ft_synthetic_choose(const struct ft_synthetic_rows *synthetic, struct ft_chosen_rows *rows,
                        struct ft_diag *diag)
{
    const struct ft_metrics *metrics = rows->metrics;
    struct choosing choosing = {.synthetic = synthetic,
                                .rows = rows,
                                .width = ft_metrics_width(metrics->machine),
                                .columns = 2 * metrics->machine->level_count};
    const size_t scopes = scope_count(&choosing);
    choosing.malloc_paths = ft_malloc_paths_find(metrics->model, &metrics->at);
    double *misses = calloc(metrics->machine->level_count + 1, sizeof *misses);
    choosing.estimates = calloc(scopes * (choosing.columns + 1), sizeof *choosing.estimates);
    choosing.is_made = calloc(scopes, sizeof *choosing.is_made);
    choosing.nested = calloc(scopes, sizeof *choosing.nested);
    choosing.exposed = calloc(scopes, sizeof *choosing.exposed);
    choosing.summed = calloc(scopes, sizeof *choosing.summed);
    choosing.is_startup = calloc(scopes, sizeof *choosing.is_startup);
    choosing.startup = calloc(synthetic->width, sizeof *choosing.startup);
    choosing.granules = calloc(scopes, sizeof *choosing.granules);
    choosing.apart = calloc(scopes, sizeof *choosing.apart);
    choosing.surely = calloc(scopes * choosing.columns + 1, sizeof *choosing.surely);
    int status = misses && choosing.estimates && choosing.is_made && choosing.nested &&
                         choosing.exposed && choosing.summed && choosing.is_startup &&
                         choosing.startup && choosing.granules && choosing.apart && choosing.surely
                     ? choose_all(&choosing, misses, diag)
                     : ft_fail_memory(diag, "a choice of forecasts");
    free(misses);
    free(choosing.exposed);
    free(choosing.summed);
    free(choosing.is_startup);
    free(choosing.startup);
    free(choosing.granules);
    free(choosing.apart);
    free(choosing.surely);
    free(choosing.is_made);
    free(choosing.nested);
    free(choosing.estimates);
    return status;
}
