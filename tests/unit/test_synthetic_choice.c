/*
 * The choice between histograms and synthesis, on numbers worked out by hand: a program (0) with a
 * module (1), a routine (2) and two loops in it (3, 4) of 1000 accesses and 200 misses each, on a
 * machine of one cache: 4 cycles for an access, 100 for a miss, and 3 for each instruction.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/synthetic_choice.h"
#include "tests/support/tap.h"

#define SCOPES   5
#define WIDTH    (FT_METRIC_COUNT + 2)
#define LOOPS    3 /* the first of them */
#define ACCESSES 1000.0
#define MISSES   200.0
#define FULL     ft_fully_assoc_column(0)
#define SETS     ft_set_assoc_column(0)
#define FLOOR    0.0005
#define STARTUP  8.0 /* blocks of the program: 512 bytes */

/* The loops' accesses: in turn in one loop, or in two loops, one behind the other. */
#define TOKENS 8
#define REPEAT ((uint32_t)FT_NEST_REPEAT << FT_NEST_ID_BITS)
#define ACCESS ((uint32_t)FT_NEST_ACCESS << FT_NEST_ID_BITS)
struct nest {
    uint32_t tokens[TOKENS];
    size_t token_count;
    uint64_t times[TOKENS];
    uint32_t scopes[TOKENS];
};
static const struct nest in_turn = {.tokens = {REPEAT, 2, 2, ACCESS, ACCESS},
                                    .token_count = 5,
                                    .times = {1, 0, 0, (uint64_t)ACCESSES, (uint64_t)ACCESSES},
                                    .scopes = {0, 0, 0, LOOPS, LOOPS + 1}};
static const struct nest apart = {
    .tokens = {REPEAT, 1, 1, ACCESS, REPEAT, 1, 1, ACCESS},
    .token_count = 8,
    .times = {1, 0, 0, (uint64_t)ACCESSES, 1, 0, 0, (uint64_t)ACCESSES},
    .scopes = {0, 0, 0, LOOPS, 0, 0, 0, LOOPS + 1}};

struct forecast {
    struct nest nest;
    double exclusive[SCOPES * WIDTH], inclusive[SCOPES * WIDTH];
    struct ft_interval intervals[SCOPES * WIDTH];
    enum ft_misses_by misses_by[WIDTH];
    double own[SCOPES * 3], strange[SCOPES], loose[SCOPES], errors[SCOPES];
    bool is_lawful[SCOPES], is_cut[SCOPES], may_run_back[SCOPES], is_filled[SCOPES];
    double granules[SCOPES];
};

static struct ft_scope scopes[SCOPES] = {
    {.parent = 0, .kind = FT_SCOPE_PROGRAM},
    {.parent = 0, .kind = FT_SCOPE_MODULE},
    {.parent = 1, .kind = FT_SCOPE_ROUTINE, .name = (char *)"solve"},
    {.parent = 2, .kind = FT_SCOPE_LOOP},
    {.parent = 2, .kind = FT_SCOPE_LOOP}};
static struct ft_level cache = {
    .latency_cycles = 4, .blocks = 64, .ways = 4, .block_bytes = 64, .exposed_share = 1};
static double training = 10;
static struct ft_model_group group = {.scope = LOOPS};
static struct ft_model model = {.scopes = {.scopes = scopes, .scope_count = SCOPES},
                                .basis = {.parameter_count = 1},
                                .training = &training,
                                .training_count = 1};
static const struct ft_machine machine = {
    .levels = &cache, .level_count = 1, .cache_count = 1, .memory_latency_cycles = 104};

static double latency(double accesses, double misses)
{
    return 4 * accesses + 100 * misses + 3 * ACCESSES;
}

/* What histograms say: both loops alike, every number within `relative`; synthesis says that loops
 * miss 300 times, without an error. */
static struct forecast start(double relative)
{
    struct forecast forecast = {.nest = in_turn};
    for (size_t scope = LOOPS; scope < SCOPES; scope++) {
        double *row = forecast.exclusive + scope * WIDTH, *own = forecast.own + scope * 3;
        row[FT_METRIC_ACCESSES] = row[FT_METRIC_INSTRUCTIONS] = own[0] = ACCESSES;
        row[FULL] = row[SETS] = MISSES;
        row[FT_METRIC_MEMORY_CYCLES] = 100 * MISSES;
        row[FT_METRIC_SERIAL_CYCLES] = latency(ACCESSES, MISSES);
        own[1] = own[2] = 300;
    }
    for (size_t scope = 0; scope < SCOPES; scope++)
        forecast.is_lawful[scope] = true;
    memcpy(forecast.inclusive, forecast.exclusive, sizeof forecast.inclusive);
    ft_scopes_add_nested(&model.scopes, forecast.inclusive, WIDTH);
    for (size_t i = 0; i < SCOPES * WIDTH; i++) {
        const double value = forecast.inclusive[i];
        forecast.intervals[i] = (struct ft_interval){value * (1 - relative), value * (1 + relative),
                                                     relative == 0, relative < 1};
    }
    return forecast;
}

static void choose(struct forecast *forecast)
{
    const double size = 30;
    const struct ft_metrics metrics = {
        .model = &model, .machine = &machine, .at = ft_point_at(&model.basis, &size)};
    double accesses[SCOPES] = {0, 0, 0, ACCESSES, ACCESSES};
    const struct ft_synthetic_exposure exposure = {
        .nest = {.tokens = forecast->nest.tokens, .token_count = forecast->nest.token_count},
        .times = forecast->nest.times,
        .scopes = forecast->nest.scopes,
        .accesses = accesses,
        .scope_count = SCOPES,
        .may_run_back = forecast->may_run_back};
    const struct ft_synthetic_rows synthetic = {.width = 3,
                                                .own = forecast->own,
                                                .gaps = {.strange = forecast->strange,
                                                         .is_lawful = forecast->is_lawful,
                                                         .is_cut = forecast->is_cut,
                                                         .loose = forecast->loose,
                                                         .errors = forecast->errors,
                                                         .is_filled = forecast->is_filled,
                                                         .granules = forecast->granules},
                                                .exposure = exposure};
    struct ft_chosen_rows rows = {&metrics, forecast->exclusive, forecast->inclusive,
                                  forecast->intervals, forecast->misses_by};
    struct ft_diag diag = {0};
    if (ft_synthetic_choose(&synthetic, &rows, &diag) != FT_OK)
        abort();
}

static bool is(const struct forecast *forecast, size_t scope, size_t column, double value,
               double half)
{
    const struct ft_interval *interval = &forecast->intervals[scope * WIDTH + column];
    const double found = forecast->inclusive[scope * WIDTH + column];
    const bool good = fabs(found - value) < 1e-9 * value &&
                      fabs(interval->low - (value - half)) < 1e-9 * value &&
                      fabs(interval->high - (value + half)) < 1e-9 * value;
    if (!good)
        printf("# scope %zu, column %zu: %g, %g to %g\n", scope, column, found, interval->low,
               interval->high);
    return good;
}

static void check_laws(void)
{
    struct forecast forecast = start(0.1);
    choose(&forecast);
    tap_ok(is(&forecast, 0, SETS, 600, STARTUP + 600 * FLOOR) &&
               is(&forecast, LOOPS, SETS, 300, 300 * FLOOR),
           "all accesses follow laws: the misses of the synthesis, nearly exact");
    tap_ok(forecast.misses_by[FULL] == FT_BY_SYNTHESIS &&
               forecast.misses_by[SETS] == FT_BY_SYNTHESIS,
           "which is noted");
    const double serial = 2 * latency(ACCESSES, 300);
    const struct ft_interval *times = &forecast.intervals[FT_METRIC_SERIAL_CYCLES];
    tap_ok(fabs(forecast.inclusive[FT_METRIC_SERIAL_CYCLES] - serial) < 1e-6 * serial &&
               forecast.inclusive[FT_METRIC_MEMORY_CYCLES] == 60000 && times->low < serial &&
               times->high > serial && times->high < 1.1 * serial,
           "times follow: %g cycles", forecast.inclusive[FT_METRIC_SERIAL_CYCLES]);
    tap_ok(forecast.exclusive[LOOPS * WIDTH + SETS] == 300 &&
               forecast.exclusive[LOOPS * WIDTH + FT_METRIC_SERIAL_CYCLES] ==
                   latency(ACCESSES, 300),
           "and what a loop does by itself");
}

static void check_unknown(void)
{
    struct forecast forecast = start(1);
    choose(&forecast);
    tap_ok(is(&forecast, 0, SETS, 600, STARTUP + 600 * FLOOR) && forecast.intervals[SETS].known,
           "what histograms do not know");
}

/* Of a loop that is cut all accesses are known but for the shares of its paths: a half is drawn,
 * and of that 5 % may be off at least. */
static void check_cut(void)
{
    struct forecast forecast = start(0.5);
    const double made = 1.2 * ACCESSES;
    forecast.is_lawful[LOOPS] = false;
    forecast.is_cut[LOOPS] = true;
    forecast.loose[LOOPS] = 0.5;
    forecast.own[3 * LOOPS] = made;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, FT_METRIC_ACCESSES, made, 0.025 * made) &&
               forecast.exclusive[LOOPS * WIDTH + FT_METRIC_ACCESSES] == made,
           "accesses of a loop that is cut");
    forecast = start(0.5);
    forecast.is_lawful[LOOPS] = false;
    forecast.is_cut[LOOPS] = true;
    forecast.strange[LOOPS] = 0.01 * ACCESSES;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, FT_METRIC_ACCESSES, ACCESSES, 0.01 * ACCESSES),
           "which were off when the largest size was held out");
    forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.is_cut[LOOPS] = true;
    forecast.strange[LOOPS] = 900;
    forecast.intervals[(LOOPS + 1) * WIDTH + FULL].known = false;
    forecast.exclusive[LOOPS * WIDTH + FULL] = 20;
    forecast.own[3 * LOOPS + 1] = 60;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS + 1, FULL, 300, 60 + 300 * FLOOR),
           "where its misses are not taken, it brought them to others");
}

/* 10 accesses that are not the program's: 20 misses. */
static void check_strange(void)
{
    struct forecast forecast = start(0.5);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 10;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, SETS, 300, 20 + 300 * FLOOR) &&
               is(&forecast, 0, SETS, 600, STARTUP + 20 + 600 * FLOOR),
           "strange accesses miss, and displace");
    forecast = start(0.03);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 60;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, SETS, MISSES, 0.03 * MISSES) &&
               is(&forecast, 0, SETS, 400, 0.03 * 400) &&
               forecast.misses_by[SETS] == FT_BY_HISTOGRAMS,
           "where histograms are surer, they are kept");
    forecast = start(0.03);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 10;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, SETS, 300, 20 + 300 * FLOOR) &&
               forecast.misses_by[SETS] == FT_BY_SYNTHESIS,
           "but where they say less than the synthesis has at least");
}

/* A loop that the synthesis lacks: its 200 misses are those of its histograms, within 20, and may
 * displace as many blocks of the other one. */
static void check_missing(void)
{
    struct forecast forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 900;
    for (size_t scope = 0; scope < SCOPES; scope++)
        forecast.intervals[scope * WIDTH + FULL].known = false;
    forecast.intervals[LOOPS * WIDTH + FULL].known = true;
    choose(&forecast);
    tap_ok(is(&forecast, 0, FULL, 500, STARTUP + 220 + 500 * FLOOR) &&
               is(&forecast, LOOPS + 1, FULL, 300, 200 + 300 * FLOOR),
           "a loop that is not synthetic");
    tap_ok(is(&forecast, LOOPS, FULL, MISSES, 0.1 * MISSES) &&
               forecast.exclusive[LOOPS * WIDTH + SETS] == MISSES,
           "keeps its own misses");
    forecast = start(0.1);
    forecast.nest = apart;
    forecast.intervals[(LOOPS + 1) * WIDTH + FULL].known = false;
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 900;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS + 1, FULL, 300, (double)cache.blocks + 300 * FLOOR),
           "of a loop that runs by itself it displaces no more than the cache holds");
}

/* A loop of 50 accesses, which misses 200 times by its histograms, more than it can touch blocks.
 */
static void check_impossible(void)
{
    struct forecast forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 900;
    forecast.intervals[(LOOPS + 1) * WIDTH + FULL].known = false;
    forecast.own[LOOPS * 3] = forecast.exclusive[LOOPS * WIDTH + FT_METRIC_ACCESSES] =
        forecast.inclusive[LOOPS * WIDTH + FT_METRIC_ACCESSES] = 50;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS + 1, FULL, 300, 100 + 300 * FLOOR),
           "accesses miss in two blocks at most, and displace no more");
}

/* A loop that is drawn, as the largest size was when held out. */
static void check_drawn(void)
{
    struct forecast forecast = start(0.5);
    forecast.is_lawful[LOOPS] = false;
    forecast.loose[LOOPS] = 1;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, SETS, 300, 0.05 * 300 + 300 * FLOOR),
           "draws are right within a few per cent, whatever was held out");
    forecast = start(0.01);
    forecast.is_lawful[LOOPS] = false;
    forecast.loose[LOOPS] = 1;
    for (size_t scope = 0; scope < SCOPES; scope++)
        forecast.intervals[scope * WIDTH + FULL].known = scope == LOOPS;
    choose(&forecast);
    tap_ok(is(&forecast, 0, FULL, 600, STARTUP + (300 - MISSES) + 600 * FLOOR),
           "unless histograms say something else, and are as sure");
}

/* A loop that is drawn, and does not miss where histograms say that it does. */
static void check_none(void)
{
    struct forecast forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.own[LOOPS * 3 + 1] = forecast.own[LOOPS * 3 + 2] = 0;
    choose(&forecast);
    tap_ok(forecast.inclusive[LOOPS * WIDTH + FULL] == 0 &&
               forecast.intervals[LOOPS * WIDTH + FULL].high == 0,
           "no misses are none where that was so when held out");
    forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.own[LOOPS * 3 + 1] = forecast.own[LOOPS * 3 + 2] = 0;
    forecast.errors[LOOPS] = 6;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, FULL, MISSES, 0.1 * MISSES),
           "where they were not, its histograms are asked");
}

/* A loop of 10 accesses, of which 5 are not the program's; histograms say that it misses 200 times.
 * At the largest training size, a third of this one, it had so many accesses. */
static struct forecast choose_few(uint64_t accesses_at_largest)
{
    struct forecast forecast = start(0.1);
    group.accesses_at_largest = accesses_at_largest;
    model.groups = &group;
    model.group_count = 1;
    forecast.exclusive[(LOOPS + 1) * WIDTH + FT_METRIC_ACCESSES] *= 100;
    forecast.exclusive[LOOPS * WIDTH + FT_METRIC_ACCESSES] =
        forecast.inclusive[LOOPS * WIDTH + FT_METRIC_ACCESSES] = forecast.own[LOOPS * 3] = 10;
    forecast.intervals[LOOPS * WIDTH + FT_METRIC_ACCESSES] =
        (struct ft_interval){10, 10, true, true};
    forecast.own[LOOPS * 3 + 1] = 1;
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 5;
    choose(&forecast);
    model.group_count = 0;
    return forecast;
}

static void check_startup(void)
{
    struct forecast forecast = choose_few(4);
    tap_ok(is(&forecast, 0, FULL, 301, STARTUP + 2 * 5 * 4 * (1 + 1.0) / 10 + 301 * FLOOR),
           "of few accesses, as start-up has, those that are strange miss as all of these do");
    forecast = choose_few(3);
    tap_ok(is(&forecast, 0, FULL, 2 * MISSES, 0.1 * 2 * MISSES),
           "but not where they become more with the size, and faster");
}

/* The same in a memset, of which histograms may know nothing. */
static void check_string_routine(void)
{
    struct forecast forecast = start(0.1);
    forecast.is_lawful[LOOPS] = false;
    forecast.strange[LOOPS] = 900;
    for (size_t scope = 0; scope < SCOPES; scope++)
        forecast.intervals[scope * WIDTH + FULL].known = scope == LOOPS;
    char *name = scopes[2].name;
    scopes[2].name = (char *)"__memset_avx2_unaligned_erms";
    choose(&forecast);
    scopes[2].name = name;
    tap_ok(is(&forecast, 0, FULL, 500, STARTUP + 200 + 200 + 500 * FLOOR),
           "the misses of a memset may not be, or be twice as many");
}

/* A copy that may run from its end to its start leaves other blocks in a cache. */
static void check_copy(void)
{
    struct forecast forecast = start(0.5);
    forecast.nest = apart;
    forecast.may_run_back[LOOPS] = true;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS + 1, FULL, 300, (double)cache.blocks + 300 * FLOOR) &&
               is(&forecast, LOOPS, FULL, MISSES, 0.5 * MISSES),
           "what runs behind a long copy may miss more, or less");
}

static void check_accesses(void)
{
    struct forecast forecast = start(0.1);
    forecast.own[LOOPS * 3] = 1050;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, FT_METRIC_ACCESSES, 1050, 0) &&
               forecast.intervals[LOOPS * WIDTH + FT_METRIC_ACCESSES].exact,
           "accesses by laws alone are exact");
    tap_ok(is(&forecast, 0, FT_METRIC_ACCESSES, 2000, 200),
           "but for the program's, as arguments and environment change its start-up");
    forecast = start(0.5);
    forecast.is_lawful[LOOPS] = false;
    forecast.is_filled[LOOPS] = true;
    forecast.own[LOOPS * 3] = 1050;
    forecast.strange[LOOPS] = 5;
    forecast.granules[LOOPS] = 300;
    choose(&forecast);
    tap_ok(is(&forecast, LOOPS, FT_METRIC_ACCESSES, 1050, 305),
           "and those of a memset, which may use a string instruction");
}

int main(void)
{
    check_laws();
    check_unknown();
    check_cut();
    check_strange();
    check_missing();
    check_impossible();
    check_drawn();
    check_none();
    check_startup();
    check_string_routine();
    check_copy();
    check_accesses();
    return tap_plan_done();
}
