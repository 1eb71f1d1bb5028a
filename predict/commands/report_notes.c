/*
 * Notes by importance: what the model cannot know at all, then what may be wrong, then what only
 * widens intervals. Each says what to do.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "fit/fit_model.h"
#include "formats/cli/style.h"
#include "formats/cli/terminal.h"
#include "formats/x86/unit.h"
#include "predict/commands/report_parts.h"
#include "predict/intervals/growing_data.h"
#include "predict/intervals/regimes.h"
#include "predict/intervals/string_calls.h"
#include "predict/shared_levels.h"

#define NOTES_SHOWN  3
#define MATCHED_WELL 0.95

struct notes {
    FILE *stream;
    size_t count, shown_max;
};

/* Where they are only counted, there is no stream. */
static void add_text(struct notes *notes, bool is_warning, const char *format, va_list arguments)
{
    char *text;
    if (notes->count++ >= notes->shown_max)
        return;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    ft_print_wrapped(
        notes->stream, 2, "%s%s %s\n", notes->count == 1 ? "\n" : "",
        is_warning ? ft_style_warning(notes->stream) : "note:", text ? text : "out of memory");
    free(text);
}

__attribute__((format(printf, 2, 3))) static void warn(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_text(notes, true, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static void note(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_text(notes, false, format, arguments);
    va_end(arguments);
}

static bool is_any_unshared(const struct ft_prediction *prediction)
{
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (prediction->is_unshared[i])
            return true;
    return false;
}

/* Whether a number follows from what nobody said of caches that threads share. */
static bool is_unshared(const struct ft_prediction *prediction, size_t column)
{
    return column < FT_METRIC_COUNT
               ? (column == FT_METRIC_MEMORY_CYCLES || column == FT_METRIC_SERIAL_CYCLES) &&
                     is_any_unshared(prediction)
               : prediction->is_unshared[(column - FT_METRIC_COUNT) / 2];
}

static bool is_any_unknown(const struct ft_report *report)
{
    const struct ft_interval *intervals = ft_report_intervals(report, 0);
    for (size_t i = 0; i < report->prediction->width; i++)
        if (intervals[i].high > 0 && ft_interval_is_refused(&intervals[i]) &&
            !is_unshared(report->prediction, i))
            return true;
    return false;
}

/* What of several threads cannot be told. */
static void add_threads(struct notes *notes, const struct ft_prediction *prediction)
{
    const struct ft_machine *machine = prediction->machine;
    const double threads = prediction->threads.count;
    char levels[FT_LEVELS_TEXT] = "";
    for (size_t i = 0; i < machine->level_count; i++)
        if (prediction->is_unshared[i]) /* nobody said how threads miss there */
            ft_levels_text_add(levels, machine->levels[i].name);
    if (levels[0] && prediction->model->over_data_size)
        warn(notes,
             "misses of %.15g threads in %s are unknown: a model over the size of the data has "
             "distances of one kind of caches alone. Fit it over a parameter",
             threads, levels);
    else if (levels[0])
        warn(notes,
             "misses of %.15g threads in %s are unknown: the traces were not replayed for caches "
             "that as many cores share. 'foretrace replay --machine %s' does that; then fit again",
             threads, levels, machine->name);
    if (threads > 1 && !prediction->threads.splits)
        warn(notes,
             "no time of %.15g threads: the model does not say how they divide the work. "
             "Replay the traces with --private too, and fit again",
             threads);
    else if (threads > 1 && prediction->estimates && !(machine->all_cores_bytes_per_cycle > 0))
        note(notes,
             "%s does not say how fast memory is for several cores: the time gives each "
             "thread all of its speed, the upper end one core's to all of them. 'foretrace "
             "machine probe' measures it",
             machine->name);
}

static void add_unknown(struct notes *notes, const struct ft_report *report)
{
    const struct ft_model *model = report->prediction->model;
    if (model->replica_count == 0)
        warn(notes,
             "no intervals: the model has no replicas (%zu training sizes). Fit it again "
             "to 3 sizes or more",
             model->training_count);
    else if (is_any_unknown(report))
        note(notes,
             "unknown: the training sizes do not determine it. Leaving one of them out "
             "changes the forecast by as much as itself: train with more, and larger, sizes");
}

static void add_mismatch(struct notes *notes, const struct ft_model *model)
{
    char share[FT_NUMBER_TEXT];
    if (model->matched_share < MATCHED_WELL)
        warn(notes,
             "only %s of the accesses at %s = %.15g are in references found at all sizes: "
             "leave out the sizes at which the program took other paths ('foretrace fit' warns of "
             "them)",
             ft_text_share(share, model->matched_share), model->parameter,
             model->training[model->training_count - 1]);
}

/* What the training sizes cannot teach must not look like a forecast. */
static void add_guess(struct notes *notes, const struct ft_prediction *prediction, size_t index)
{
    const struct ft_model *model = prediction->model;
    const struct ft_level *level = &prediction->machine->levels[index];
    const struct ft_resolution *resolution = &prediction->resolutions[index];
    const char *blocks = level->kind == FT_LEVEL_TLB ? "pages" : "lines";
    const double largest = model->training[model->training_count - 1];
    char text[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT], why[512];
    ft_text_bytes(bytes, (double)level->block_bytes);
    if (resolution->growing_blocks < FT_GROWING_BLOCKS)
        snprintf(why, sizeof why,
                 "at %.100s = %.15g, the largest training size, the data that grow with %.100s "
                 "take about %.0f of the %.0f %s of %s touched (%.50s holds %llu)",
                 model->parameter, largest, model->parameter, resolution->growing_blocks,
                 resolution->training_blocks, blocks, bytes, level->name,
                 (unsigned long long)level->blocks);
    else
        snprintf(why, sizeof why,
                 "%s touches depend on reuse that was within %.0f %s of %s at %.100s = %.15g, the "
                 "largest training size (%.50s holds %llu)",
                 ft_text_count(text, resolution->near_touches), FT_NEAR_BLOCKS, blocks, bytes,
                 model->parameter, largest, level->name, (unsigned long long)level->blocks);
    warn(notes,
         "the forecast of %s is a guess: %s: too few to determine how it grows. Train with "
         "%s = %.15g and larger if this level matters",
         level->name, why, model->parameter, resolution->better_n);
}

/* "steps of 4 KiB reach 32 of 64 sets" */
static void describe_conflict(const struct ft_set_conflict *conflict, const struct ft_level *level,
                              char text[128])
{
    char stride[FT_NUMBER_TEXT];
    if (conflict->stride_bytes > 0)
        snprintf(text, 128, "steps of %s reach %.0f of %llu sets",
                 ft_text_bytes(stride, conflict->stride_bytes), conflict->sets_reached,
                 (unsigned long long)(level->blocks / level->ways));
    else
        snprintf(text, 128, "its references may begin on the same set");
}

#define DATA_TEXT  512
#define DATA_SHOWN 2

/* ", in variable 'a' and heap 'malloc: main (io.c:12)'"; "" where the model does not know it. */
static void name_data(const struct ft_group_data *data, size_t group, char text[DATA_TEXT])
{
    size_t count, length = 0;
    const size_t first = ft_group_data_of(data, group, &count);
    const size_t shown = count < DATA_SHOWN ? count : DATA_SHOWN;
    text[0] = 0;
    for (size_t i = 0; i < shown; i++) {
        const struct ft_named_data *object = &data->objects[data->touched[first + i].object];
        length += (size_t)snprintf(text + length, DATA_TEXT - length, "%s%.20s '%.200s'",
                                   i == 0          ? ", in "
                                   : count > shown ? ", "
                                                   : " and ",
                                   object->kind, object->name);
    }
    if (count > shown)
        snprintf(text + length, DATA_TEXT - length, " and %zu more", count - shown);
}

static void add_conflict(struct notes *notes, const struct ft_prediction *prediction, size_t index)
{
    const struct ft_model *model = prediction->model;
    const struct ft_level *level = &prediction->machine->levels[index];
    const struct ft_set_conflict *conflict = &prediction->conflicts[index];
    const struct ft_model_group *group = &model->groups[conflict->group];
    char expected[FT_NUMBER_TEXT], worst[FT_NUMBER_TEXT], scope[FT_REPORT_SCOPE_TEXT],
        line[32] = "", what[128], data[DATA_TEXT];
    if (group->line)
        snprintf(line, sizeof line, ", line %u", group->line);
    describe_conflict(conflict, level, what);
    name_data(&model->data, conflict->group, data);
    warn(notes,
         "conflicts in %s may make its %s set assoc. misses %s: %s%s%s: %s. See what they do "
         "with 'foretrace simulate', or pad the rows",
         level->name, ft_text_count(expected, conflict->expected),
         ft_text_count(worst, conflict->worst),
         ft_report_scope_text(scope, &model->scopes, group->scope), line, data, what);
}

static void add_misfit(struct notes *notes, const struct ft_model *model)
{
    char share[FT_NUMBER_TEXT], worst[FT_NUMBER_TEXT];
    double misfit = 0, residual = 0;
    for (size_t i = 0; i < model->size_count; i++) {
        misfit = fmax(misfit, ft_fit_misfit_share(model, i));
        residual = fmax(residual, ft_fit_residual(model, i));
    }
    if (misfit >= FT_MISFIT_MATTERS)
        warn(notes,
             "the model misses its own training sizes by up to %s, and by more "
             "than %.0f %% for %s of the touches: 'foretrace fit --report' shows where; train with "
             "more sizes",
             ft_text_percent(worst, residual), 100 * FT_MISFIT, ft_text_share(share, misfit));
}

static void add_regimes(struct notes *notes, const struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    struct ft_regime regimes[FT_REGIMES_MAX];
    const size_t count = ft_regimes_dropped(model, prediction->machine, regimes);
    for (size_t i = 0; i < count; i++) {
        char share[FT_NUMBER_TEXT], sizes[512] = "";
        size_t length = 0;
        for (size_t k = 0; k < regimes[i].left_out && k < model->training_count; k++)
            length += (size_t)snprintf(sizes + length, sizeof sizes - length, " %.15g",
                                       model->training[k]);
        note(notes,
             "functions of %s of the touches leave out %s =%s, where another law holds (most "
             "of them in %s): train with larger sizes if the target is near these",
             ft_text_share(share, regimes[i].share), model->parameter, sizes,
             model->scopes.scopes[regimes[i].scope].name);
    }
}

static void add_all(struct notes *notes, const struct ft_report *report)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_model *model = prediction->model;
    add_threads(notes, prediction);
    add_unknown(notes, report);
    add_mismatch(notes, model);
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (!prediction->resolutions[i].resolved)
            add_guess(notes, prediction, i);
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (ft_set_conflict_matters(&prediction->conflicts[i]))
            add_conflict(notes, prediction, i);
    if (model->skeleton && prediction->not_synthetic)
        note(notes, "misses are by histograms, not by synthesis: %s", prediction->not_synthetic);
    add_misfit(notes, model);
    if (prediction->long_string_calls != FT_NO_STRING_CALLS)
        note(notes,
             "calls of %s get longer than 2 KiB beyond the training sizes: it may then use a "
             "string instruction in the place of vectors, an access per %d bytes. Intervals of "
             "accesses allow for that; train beyond it for narrower ones",
             model->scopes.scopes[prediction->long_string_calls].name, FT_STRING_GRANULE_BYTES);
    add_regimes(notes, prediction);
    if (!ft_report_has_loops(report))
        note(notes, "the model is of the whole program (fit --whole): it tells no misses of "
                    "routines and loops; fit without --whole for these");
}

int ft_report_notes_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct notes notes = {.stream = stream,
                          .shown_max = ft_terminal_is_wide() ? SIZE_MAX : NOTES_SHOWN};
    (void)diag;
    add_all(&notes, report);
    if (notes.count > notes.shown_max)
        fprintf(stream, "%zu more note%s: --wide\n", notes.count - notes.shown_max,
                notes.count - notes.shown_max == 1 ? "" : "s");
    return FT_OK;
}

size_t ft_report_notes_count(const struct ft_report *report)
{
    struct notes notes = {.shown_max = 0};
    add_all(&notes, report);
    return notes.count;
}
