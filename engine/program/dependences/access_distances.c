/*
 * Let the address of `to` be that of `from` plus D in the same iteration, and let both have the
 * step s. After d iterations `to` touches bytes of `from` if -size of to < D + d s < size of from.
 *
 * Same family: D is a number. If s is a number too, all d follow. If s is an expression, or
 * unknown, only d = 0 is known. Same step, different expressions: D + d s may be a number for a
 * single d, which is then the distance. Everything else is unknown, except that no pointer reaches
 * a private slot of the frame.
 *
 * With inner loops, any of whose iterations may be involved, their steps are added: equal
 * iterations of both give the certain distances, and the common divisor of all steps excludes
 * others.
 */
#include "engine/program/dependences/access_distances.h"

#include "formats/base/common_divisor.h"

static const struct ft_access_distances unknown = {.may_meet = true};

static bool overlaps(const struct ft_loop_access *from, const struct ft_loop_access *to,
                     int64_t difference)
{
    return difference < (int64_t)from->size_bytes && -difference < (int64_t)to->size_bytes;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* All d where a difference that grows by a number of bytes is an overlap. */
static struct ft_access_distances constant_step(const struct ft_loop_access *from,
                                                const struct ft_loop_access *to, int64_t difference,
                                                int64_t step)
{
    struct ft_access_distances all = {
        .meets = overlaps(from, to, difference), .min = -FT_DISTANCE_MAX, .max = FT_DISTANCE_MAX};
    if (step == 0)
        return all;
    /* low < difference + d * step < high */
    int64_t low = -(int64_t)to->size_bytes, high = from->size_bytes;
    if (step < 0) {
        int64_t kept = low;
        low = -high;
        high = -kept;
        difference = -difference;
        step = -step;
    }
    int64_t min = floor_of(low - difference, step) + 1;
    int64_t max = -floor_of(difference - high, step) - 1;
    all.min = min > all.min ? min : all.min;
    all.max = max < all.max ? max : all.max;
    all.meets = all.min <= all.max;
    return all;
}

/* ---- loops inside ---- */

/* 0 of steps of 0 alone. */
static int64_t common_step(int64_t a, int64_t b)
{
    return (int64_t)ft_common_divisor(ft_magnitude(a), ft_magnitude(b));
}

static bool same_levels(const struct ft_loop_access *from, const struct ft_loop_access *to)
{
    return from->innermost == to->innermost && from->inner_count == to->inner_count;
}

/* Whether accesses may meet in other iterations of loops inside than those known, of all steps that
 * are numbers. */
static bool may_meet_inside(const struct ft_loop_access *from, const struct ft_loop_access *to,
                            int64_t difference)
{
    int64_t divisor = 0;
    bool moves = false;
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_loop_access *access = side ? to : from;
        for (unsigned l = 0; l < access->inner_count; l++) {
            if (access->inner[l].kind != FT_ACCESS_STEP_CONSTANT)
                return true;
            moves |= access->inner[l].bytes != 0;
            divisor = common_step(divisor, access->inner[l].bytes);
        }
    }
    if (!moves)
        return false;
    if (from->step.kind != FT_ACCESS_STEP_CONSTANT)
        return true;
    divisor = common_step(divisor, from->step.bytes);
    return constant_step(from, to, difference, divisor).meets;
}

static struct ft_access_distances same_family(const struct ft_loop_access *from,
                                              const struct ft_loop_access *to)
{
    int64_t difference;
    struct ft_access_distances distances = {0};
    if (__builtin_sub_overflow(to->constant, from->constant, &difference) ||
        difference > INT64_MAX / 4 || difference < INT64_MIN / 4)
        return unknown;
    bool inside = from->inner_count || to->inner_count;
    if (from->step.kind == FT_ACCESS_STEP_CONSTANT) {
        distances = constant_step(from, to, difference, from->step.bytes);
        distances.may_meet = inside && may_meet_inside(from, to, difference);
        return distances;
    }
    distances.meets = overlaps(from, to, difference);
    distances.may_meet = true;
    distances.not_at_zero = !inside;
    return distances;
}

/* ---- steps that are expressions ---- */

/* How often `step` goes into what `expression` has of one unknown of the step; false where that is
 * no integer. */
static bool times_in(const struct ft_linear_expr *expr, const struct ft_linear_expr *step,
                     int64_t *ret_times)
{
    for (uint32_t i = 0; i < step->count; i++) {
        const struct ft_term *of_step = &step->terms[i];
        struct ft_term of_expr = ft_linear_expr_term(expr, of_step->symbol);
        int64_t above, below;
        if (of_step->symbol == FT_ONE)
            continue;
        if (of_expr.denominator == 0) {
            *ret_times = 0;
            return true;
        }
        if (__builtin_mul_overflow(of_expr.numerator, of_step->denominator, &above) ||
            __builtin_mul_overflow(of_expr.denominator, of_step->numerator, &below) ||
            above % below)
            return false;
        *ret_times = above / below;
        return true;
    }
    return false;
}

/* Takes away as many steps as go into the expression. */
static bool take_steps(struct ft_value_exprs *exprs, const struct ft_access_step *step,
                       struct ft_linear_expr *expr, int64_t *ret_times)
{
    struct ft_linear_expr by = ft_unpack_expr(exprs, &step->expr);
    return times_in(expr, &by, ret_times) && *ret_times > INT64_MIN &&
           ft_linear_expr_add(expr, &by, -*ret_times, 1);
}

/* Whether the rest of a difference is an overlap in some iterations of the loops inside, the same
 * loops for both. */
static bool meets_inside(struct ft_value_exprs *exprs, const struct ft_loop_access *from,
                         const struct ft_loop_access *to, struct ft_linear_expr *rest)
{
    int64_t number = 0, times;
    for (unsigned l = to->inner_count; l-- > 0;)
        if (to->inner[l].kind == FT_ACCESS_STEP_EXPR && same_levels(from, to) &&
            !take_steps(exprs, &to->inner[l], rest, &times))
            return false;
    if (rest->count && !ft_linear_expr_is_constant(rest, &number))
        return false;
    if (overlaps(from, to, number))
        return true;
    for (unsigned l = 0; l < to->inner_count; l++)
        if (same_levels(from, to) && to->inner[l].kind == FT_ACCESS_STEP_CONSTANT &&
            to->inner[l].bytes != 0 && constant_step(from, to, number, to->inner[l].bytes).meets)
            return true;
    return false;
}

static struct ft_access_distances same_step(struct ft_value_exprs *exprs,
                                            const struct ft_loop_access *from,
                                            const struct ft_loop_access *to)
{
    struct ft_linear_expr difference = ft_unpack_expr(exprs, &to->expr);
    struct ft_linear_expr minus = ft_unpack_expr(exprs, &from->expr);
    struct ft_linear_expr constant = ft_linear_expr_constant(to->constant);
    struct ft_linear_expr minus_constant = ft_linear_expr_constant(from->constant);
    struct ft_access_distances distances = unknown;
    int64_t times;
    if (!ft_linear_expr_add(&difference, &minus, -1, 1) ||
        !ft_linear_expr_add(&difference, &constant, 1, 1) ||
        !ft_linear_expr_add(&difference, &minus_constant, -1, 1) ||
        !take_steps(exprs, &from->step, &difference, &times) || times > FT_DISTANCE_MAX ||
        times < -FT_DISTANCE_MAX || !meets_inside(exprs, from, to, &difference))
        return unknown;
    distances.meets = true;
    distances.min = distances.max = -times;
    return distances;
}

/* ---- two accesses ---- */

/* Of others no pointer reaches a private place; of the frame, an index may. */
static bool lie_apart(const struct ft_loop_access *from, const struct ft_loop_access *to)
{
    return from->index != FT_ANY_ACCESS && to->index != FT_ANY_ACCESS &&
           ((from->region == FT_REGION_PRIVATE && to->region == FT_REGION_ANY) ||
            (from->region == FT_REGION_ANY && to->region == FT_REGION_PRIVATE));
}

struct ft_access_distances ft_access_distances(struct ft_value_exprs *exprs,
                                               const struct ft_loop_access *from,
                                               const struct ft_loop_access *to)
{
    if (from->family != FT_NO_FAMILY && from->family == to->family)
        return same_family(from, to);
    if (lie_apart(from, to))
        return (struct ft_access_distances){0};
    if (from->family != FT_NO_FAMILY && from->step_list == to->step_list &&
        from->step.kind == FT_ACCESS_STEP_EXPR)
        return same_step(exprs, from, to);
    return unknown;
}
