/*
 * 1. Three small sizes, each half as large again as the one before: they cost little but the start,
 *    and show the start and the growth of the accesses.
 * 2. Then the largest size that the remaining time probably suffices for, from that growth and the
 *    most expensive access so far (at first DEAR_ACCESS_SECONDS: less is known of small trials),
 *    and so on, until the time is used up or the sizes come near the target.
 * 3. One between the largest two, so that there are enough to verify a formula.
 * A size that takes too long turns the search back below it.
 */
#include "predict/plan/trials.h"

#include <math.h>
#include <string.h>

#define START_SHARE         (1.0 / 16) /* of the target: the first size, */
#define LIST_SHARE          (1.0 / 32) /* and that of a list, whose sizes may be halves */
#define SMALL_STEP          1.5
#define STEP_MAX            3.0
#define REACH               0.5 /* of the target: the largest trial */
#define DEAR_ACCESS_SECONDS 150e-9
#define ATTEMPTS_MAX        24U
#define GROWS_MIN           1.02

struct ladder {
    const struct ft_trial_program *program;
    struct ft_size_choice choice;
    double seconds, used;
    size_t attempts;
    struct ft_trials trials;
};

static double seconds_of(const struct ft_trial *trial)
{
    return trial->capture_seconds + trial->replay_seconds;
}

static bool is_known(const struct ladder *ladder, double n)
{
    for (size_t i = 0; i < ladder->trials.count; i++)
        if (ladder->trials.items[i].n == n)
            return true;
    return false;
}

static void insert(struct ft_trials *trials, const struct ft_trial *trial)
{
    size_t at = trials->count++;
    for (; at > 0 && trials->items[at - 1].n > trial->n; at--)
        trials->items[at] = trials->items[at - 1];
    trials->items[at] = *trial;
}

/* Runs a size, if it is a new one below those that took too long; *ret_done tells whether it was.
 */
static int try_size(struct ladder *ladder, double n, bool *ret_done, struct ft_diag *diag)
{
    struct ft_trials *trials = &ladder->trials;
    struct ft_trial trial;
    bool ended = false;
    *ret_done = false;
    if (!(n >= 1) || n >= trials->too_long || is_known(ladder, n) ||
        trials->count == FT_TRIALS_MAX || ladder->attempts++ >= ATTEMPTS_MAX)
        return FT_OK;
    int status =
        ft_trial_run(ladder->program, n, FT_TRIAL_TOO_LONG * ladder->seconds, &trial, &ended, diag);
    if (status < 0)
        return status;
    if (ended) {
        insert(trials, &trial);
        ladder->used += fmax(seconds_of(&trial) - seconds_of(&trials->items[0]), 0);
    } else {
        ladder->used += ladder->seconds;
        trials->too_long = n;
    }
    *ret_done = ended;
    return FT_OK;
}

/* Step 1; where the first size takes too long, smaller ones. */
static int climb(struct ladder *ladder, struct ft_diag *diag)
{
    const struct ft_trials *trials = &ladder->trials;
    const double share = ladder->choice.available ? LIST_SHARE : START_SHARE;
    double n = ft_size_at_least(&ladder->choice, ladder->choice.target * share);
    int status = FT_OK;
    bool done = true;
    while (status == FT_OK && trials->count < 3 && n > 0 && isfinite(n) &&
           ladder->attempts < ATTEMPTS_MAX) {
        status = try_size(ladder, n, &done, diag);
        if (!done && trials->count == 0)
            n = ft_size_at_most(&ladder->choice, n / 2);
        else if (!done)
            return status;
        else
            n = ft_size_at_least(&ladder->choice, fmax(n * SMALL_STEP, n + 1));
    }
    return status;
}

/* The size up to which a trial probably takes no longer than what is left. */
static double affordable(const struct ladder *ladder)
{
    const struct ft_trial *items = ladder->trials.items;
    size_t count = ladder->trials.count;
    const struct ft_trial *first = &items[0], *middle = &items[count - 2],
                          *last = &items[count - 1];
    double grown = (last->accesses - first->accesses) / (middle->accesses - first->accesses);
    double exponent = log(fmax(grown, 1.1)) / log(last->n / middle->n);
    double dearest = DEAR_ACCESS_SECONDS;
    if (last->n > SMALL_STEP * SMALL_STEP * first->n)
        dearest = (seconds_of(last) - seconds_of(first)) / (last->accesses - first->accesses);
    double left = fmax(ladder->seconds - ladder->used, 0.2 * ladder->seconds);
    double accesses = left / fmax(dearest, 1e-12);
    double ratio = accesses / fmax(last->accesses - first->accesses, 1);
    return last->n * pow(fmax(ratio, 1e-3), 1 / fmin(fmax(exponent, 0.5), 8));
}

/* Step 2. */
static int go_far(struct ladder *ladder, struct ft_diag *diag)
{
    const struct ft_trials *trials = &ladder->trials;
    const double reach = ft_size_at_most(&ladder->choice, ladder->choice.target * REACH);
    bool done = true;
    int status = FT_OK;
    while (status == FT_OK && done && trials->count >= 3 &&
           (ladder->used < ladder->seconds || trials->count <= FT_TRIALS_MIN)) {
        const double last = trials->items[trials->count - 1].n;
        double n = fmin(fmin(affordable(ladder), STEP_MAX * last), reach);
        n = ft_size_at_most(&ladder->choice, n);
        if (n <= last && trials->count <= FT_TRIALS_MIN)
            n = ft_size_at_least(&ladder->choice, last + 1);
        if (n <= last || n > ladder->choice.target)
            break;
        status = try_size(ladder, n, &done, diag);
    }
    return status;
}

/* Step 3, and what lies between where sizes above take too long: always in the widest gap. */
static int fill(struct ladder *ladder, size_t count, struct ft_diag *diag)
{
    const struct ft_trials *trials = &ladder->trials;
    struct ft_size_choice any = ladder->choice;
    any.period = 1;
    int status = FT_OK;
    bool done = true;
    while (status == FT_OK && done && trials->count >= 1 && trials->count < count) {
        double n = 0, widest = 1;
        for (size_t i = 0; i < trials->count; i++) {
            double low = trials->items[i].n;
            /* Load may have made a size take too long though larger ones did not. */
            double next = i + 1 < trials->count ? trials->items[i + 1].n : INFINITY;
            double high = fmin(next, trials->too_long);
            double middle = ft_size_at_most(&ladder->choice, sqrt(low * high));
            if (middle <= low)
                middle = ft_size_at_most(&any, sqrt(low * high));
            if (isfinite(high) && high / low > widest && middle > low) {
                widest = high / low;
                n = middle;
            }
        }
        status = n > 0 ? try_size(ladder, n, &done, diag) : FT_OK;
        done = n > 0 && (done || trials->too_long == n);
    }
    return status;
}

/* Small sizes at which the program fails, as larger ones do not, are another regime. */
static void drop_failed(struct ft_trials *trials)
{
    size_t drop = trials->count;
    if (trials->count == 0 || trials->items[trials->count - 1].exit_code != 0)
        return;
    while (drop > 0 && trials->items[drop - 1].exit_code == 0)
        drop--;
    if (drop > 0)
        trials->dropped = trials->items[drop - 1].n;
    memmove(trials->items, trials->items + drop, (trials->count - drop) * sizeof *trials->items);
    trials->count -= drop;
}

static int check(const struct ladder *ladder, struct ft_diag *diag)
{
    const struct ft_trials *trials = &ladder->trials;
    const char *name = ladder->program->parameter;
    if (trials->count + 1 < FT_TRIALS_MIN && isfinite(trials->too_long))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s = %.15g did not finish within %.3g s, and below it only %zu sizes "
                       "did: give the trials more time with --trial-cpu",
                       name, trials->too_long, FT_TRIAL_TOO_LONG * ladder->seconds, trials->count);
    if (trials->count + 1 < FT_TRIALS_MIN && trials->dropped > 0)
        return ft_fail(
            diag, FT_ERROR_USAGE,
            "the program fails at %s = %.15g, and of the sizes tried only %zu succeeded: "
            "list those that it accepts with --available, or use --halving",
            name, trials->dropped, trials->count);
    if (trials->count + 1 < FT_TRIALS_MIN)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "only %zu sizes below %s = %.15g can be tried: capture that size "
                       "itself",
                       trials->count, name, ladder->choice.target);
    const struct ft_trial *first = &trials->items[0], *last = &trials->items[trials->count - 1];
    if (last->accesses < GROWS_MIN * first->accesses)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%.15g accesses at %s = %.15g, %.15g at %.15g: they do not grow with %s. Is "
                       "{%s} where the program takes its size? (it exited with status %d)",
                       first->accesses, name, first->n, last->accesses, last->n, name, name,
                       last->exit_code);
    return FT_OK;
}

int ft_trials_run(const struct ft_trial_program *program, const struct ft_size_choice *choice,
                  double seconds, struct ft_trials *ret_trials, struct ft_diag *diag)
{
    struct ladder ladder = {
        .program = program,
        .choice = ft_size_choice_wide(choice, 1, choice->target * REACH, FT_TRIALS_MIN),
        .seconds = seconds,
        .trials = {.too_long = INFINITY},
    };
    FT_TRY(climb(&ladder, diag));
    FT_TRY(go_far(&ladder, diag));
    FT_TRY(fill(&ladder, FT_TRIALS_MIN + 1, diag));
    drop_failed(&ladder.trials);
    FT_TRY(check(&ladder, diag));
    *ret_trials = ladder.trials;
    return FT_OK;
}
