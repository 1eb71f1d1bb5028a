/*
 * Latencies of caches and memory from the curve over sizes. A level's latency is where the curve is
 * flat between its own capacity and that of the level before; where it is flat nowhere, the level
 * is crowded (other work uses it, or it is shared), and its latency cannot be told. Memory is
 * measured at a size of which the last cache still holds a share, which is taken out.
 */
#include <math.h>
#include <stdio.h>

#include "formats/base/number_text.h"
#include "machines/probe/applying.h"
#include "machines/probe/knees.h"

#define FLAT       0.03 /* of log y, in FLAT_WIDTH doublings: enough */
#define FLAT_MAX   0.10 /* flatter than this it must be somewhere */
#define FLAT_WIDTH 0.5
#define SEEN       0.6 /* of its capacity a level must hold, to have been seen as detected */
#define BELIEVED   0.4 /* of memory's latency a cache has at most: slower, it holds a part of it */
#define HELD       1.5 /* times where the curve leaves the last cache: what that holds */

/* Where the rising curve is first flat from `low` to `high`, or else flattest. 0: nowhere. */
static double find_flat(const struct ft_cycle_curve *curve, double low, double high)
{
    double flattest = FLAT_MAX, found = 0;
    high = fmin(high, curve->x[curve->count - 1]);
    for (int step = 0; low * exp2((step + 4) * FLAT_WIDTH / 4) <= high; step++) {
        const double x = low * exp2(step * FLAT_WIDTH / 4);
        const double y = ft_curve_at(curve->x, curve->y, curve->count, x);
        const double next = ft_curve_at(curve->x, curve->y, curve->count, x * exp2(FLAT_WIDTH));
        const double rise = log(next / y);
        if (rise < flattest) {
            flattest = rise;
            found = x;
        }
        if (rise < FLAT)
            break;
    }
    return found;
}

/* Says where the curve leaves a cache, if that is not where the cache ends; *ret_is_step: false if
 * it rises through it. */
static int note_capacity(struct ft_applying *applying, const struct ft_knee *knees, size_t count,
                         const struct ft_yaml_level *level, double before, bool *ret_is_step,
                         struct ft_diag *diag)
{
    const double capacity = ft_yaml_number(&level->numbers, FT_NUMBER_capacity);
    char seen[FT_NUMBER_TEXT], detected[FT_NUMBER_TEXT];
    const struct ft_knee *own = NULL, *through = NULL;
    for (size_t i = 0; i < count && !own; i++) {
        if (knees[i].end > 1.3 * before && knees[i].capacity > before)
            own = &knees[i];
        else if (knees[i].end > 2 * before)
            through = &knees[i];
    }
    ft_text_bytes(detected, capacity);
    *ret_is_step = own || !through;
    if (!*ret_is_step)
        return ft_probe_note(applying->notes, diag,
                             "%s: its latency cannot be told: the curve rises through it "
                             "without a step, as where a cache is shared or crowded by other "
                             "work; the value stays as it was",
                             level->name);
    if (!own)
        return ft_probe_note(applying->notes, diag,
                             "%s: no rise of latencies behind %s: was not seen", level->name,
                             detected);
    if (own->capacity < SEEN * capacity)
        return ft_probe_note(applying->notes, diag,
                             "%s: latencies rise from %s on, not from %s: it is shared, or "
                             "crowded by other work",
                             level->name, ft_text_bytes(seen, own->capacity), detected);
    if (own->start > capacity / SEEN)
        return ft_probe_note(applying->notes, diag,
                             "%s: latencies rise from %s on only, not from %s: is the capacity "
                             "right?",
                             level->name, ft_text_bytes(seen, own->start), detected);
    return FT_OK;
}

static int apply_cache(struct ft_applying *applying, const struct ft_cycle_curve *curve,
                       struct ft_yaml_level *level, double before, double *latency,
                       struct ft_diag *diag)
{
    const double capacity = ft_yaml_number(&level->numbers, FT_NUMBER_capacity);
    const double at = find_flat(curve, before == 0 ? curve->x[0] : 1.5 * before, 1.1 * capacity);
    char size[FT_NUMBER_TEXT], how[96];
    double spread;
    if (at == 0)
        return ft_probe_note(applying->notes, diag,
                             "%s: its latency cannot be told: the curve is flat nowhere up to "
                             "%s; the value stays as it was",
                             level->name, ft_text_bytes(size, capacity));
    const double cycles = ft_cycle_curve_at(curve, at, &spread);
    if (cycles > BELIEVED * curve->y[curve->count - 1] && curve->x[curve->count - 1] > 2 * capacity)
        return ft_probe_note(applying->notes, diag,
                             "%s: its latency cannot be told: where the curve is flat it is %.0f "
                             "cycles, too near to memory's; the value stays as it was",
                             level->name, cycles);
    if (cycles <= *latency)
        return ft_probe_note(applying->notes, diag,
                             "%s: was not seen: no slower than the level before", level->name);
    *latency = cycles;
    snprintf(how, sizeof how, "dependent loads of random lines in %s", ft_text_bytes(size, at));
    return ft_applying_set(applying, &level->numbers, &level->sources, FT_NUMBER_latency_cycles,
                           cycles, spread, how, diag);
}

/* held: bytes that the last cache holds of what is touched. */
static int apply_memory(struct ft_applying *applying, const struct ft_cycle_curve *curve,
                        double capacity, double held, double latency, struct ft_diag *diag)
{
    struct ft_yaml_memory *memory = &applying->yaml->memory;
    double least = INFINITY, spread = 0;
    char text[FT_NUMBER_TEXT], how[128];
    for (size_t i = 0; i < curve->count; i++) {
        const double share = held / curve->x[i];
        const double beyond = (curve->y[i] - share * latency) / (1 - share);
        if (curve->x[i] < 2 * capacity || beyond >= least)
            continue;
        least = beyond;
        spread = curve->spread[i];
    }
    if (least == INFINITY)
        return ft_probe_note(applying->notes, diag,
                             "memory: its latency cannot be told: no size measured is beyond "
                             "the last cache");
    snprintf(how, sizeof how,
             "dependent loads of random lines in %s and more, but for what the last cache holds",
             ft_text_bytes(text, 2 * capacity));
    return ft_applying_set(applying, &memory->numbers, &memory->sources, FT_NUMBER_latency_cycles,
                           least, spread, how, diag);
}

/* Levels that could not be told must not be farther than those behind them. */
static int keep_order(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml = applying->yaml;
    double next = ft_yaml_number(&yaml->memory.numbers, FT_NUMBER_latency_cycles);
    for (unsigned i = yaml->caches_count; i-- > 0;) {
        struct ft_yaml_level *level = &yaml->caches[i];
        const double latency = ft_yaml_number(&level->numbers, FT_NUMBER_latency_cycles);
        const double before =
            i > 0 ? ft_yaml_number(&yaml->caches[i - 1].numbers, FT_NUMBER_latency_cycles) : 0;
        if (latency >= next || latency <= before) {
            char text[32];
            const double between = before < next ? (before + next) / 2 : next / 2;
            snprintf(text, sizeof text, "%.3g", between);
            FT_TRY(ft_yaml_set(&level->numbers, &level->sources, FT_NUMBER_latency_cycles, text,
                               FT_SOURCE_ESTIMATE, "between the levels around it", diag));
            next = between;
        } else {
            next = latency;
        }
    }
    return FT_OK;
}

int ft_apply_latencies(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_cycle_curve curve;
    struct ft_knee knees[FT_KNEES_MAX];
    struct ft_yaml_machine *yaml = applying->yaml;
    double before = 0, latency = 0;
    FT_TRY(ft_applying_curve(applying, FT_CURVE_LATENCY, UINT64_MAX, false, &curve, diag));
    if (curve.count < 3)
        FT_TRY(
            ft_applying_curve(applying, FT_CURVE_LATENCY_SMALL, UINT64_MAX, false, &curve, diag));
    if (curve.count < 3)
        return ft_probe_note(applying->notes, diag, "no latencies were measured");
    ft_make_rising(curve.y, curve.count);
    const size_t count = ft_find_knees(curve.x, curve.y, curve.count, knees);
    for (unsigned i = 0; i < yaml->caches_count; i++) {
        bool is_step;
        applying->part = yaml->caches[i].name;
        FT_TRY(note_capacity(applying, knees, count, &yaml->caches[i], before, &is_step, diag));
        if (is_step)
            FT_TRY(apply_cache(applying, &curve, &yaml->caches[i], before, &latency, diag));
        before = ft_yaml_number(&yaml->caches[i].numbers, FT_NUMBER_capacity);
    }
    applying->part = "memory";
    const double left = count > 0 ? HELD * knees[count - 1].capacity : before;
    FT_TRY(apply_memory(applying, &curve, before, left < before ? left : before, latency, diag));
    return keep_order(applying, diag);
}
