/*
 * Whether laws hold at a size, and what they say there.
 */
#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"
#include "fit/skeletons/element_periods.h"
#include "fit/skeletons/size_law.h"
#include "fit/skeletons/sized_skeleton.h"

/* Sizes that are tried in search of one whose residues are all known. */
#define RESIDUES_MAX 4096U

static bool has_residue(const struct ft_sized_skeleton *sized, double modulus, double size)
{
    for (size_t s = 0; s < sized->size_count; s++)
        if (fmod(size - sized->sizes[s], modulus) == 0)
            return true;
    return false;
}

/* The period of a law of which no training size has a size's residue; 0: there is none. A step may
 * be told from others for each number alone; but which parts run at a residue is told by none. */
static double unknown_period(const struct ft_sized_skeleton *sized, const struct ft_size_law *law,
                             double size)
{
    for (size_t q = 0; q < FT_LAW_QUOTIENTS; q++)
        if (law->quotients[q].period && !has_residue(sized, law->quotients[q].period, size))
            return law->quotients[q].period;
    return 0;
}

/* Whether laws of sizes that all agree modulo a step may not hold at one that does not: where loops
 * take a number of elements at a time of which no training size has the size's residue, or where a
 * law is not whole. */
static bool may_hide(const struct ft_sized_skeleton *sized, uint32_t periods, double size)
{
    for (unsigned k = 1; k < 32; k++)
        if (periods >> k & 1 && !has_residue(sized, (double)(UINT32_C(1) << k), size))
            return true;
    for (size_t i = 0; i < sized->number_count; i++)
        if (!ft_law_is_whole(&sized->numbers[i].law, size))
            return true;
    return false;
}

/* Of all laws; before these, what the training sizes differ by multiples of, which may hide any of
 * the periods (element_periods.h). */
static double unknown_modulus(const struct ft_sized_skeleton *sized, uint32_t periods, double size)
{
    const double step = (double)ft_sizes_step(sized->sizes, sized->size_count);
    double modulus = has_residue(sized, step, size) || !may_hide(sized, periods, size) ? 0 : step;
    const struct ft_size_law *law;
    for (size_t i = 0; modulus == 0 && (law = ft_sized_skeleton_law(sized, i)); i++)
        modulus = unknown_period(sized, law, size);
    return modulus;
}

/* The next smaller size whose residue a training size has. */
static double next_below(const struct ft_sized_skeleton *sized, double modulus, double size)
{
    double down = modulus;
    for (size_t s = 0; s < sized->size_count; s++) {
        const double residue = fmod(size - sized->sizes[s], modulus);
        down = fmin(down, residue < 0 ? residue + modulus : residue);
    }
    return size - down;
}

/* Whether laws have logarithms, which are of sizes that double. */
static bool has_logarithms(const struct ft_sized_skeleton *sized)
{
    const struct ft_size_law *law;
    bool found = false;
    for (size_t i = 0; !found && (law = ft_sized_skeleton_law(sized, i)); i++)
        found = ft_law_is_of_doubling(law);
    return found;
}

/* The next smaller size, or the size itself, that a training size is when it is doubled or halved
 * several times. */
static double doubled_below(const struct ft_sized_skeleton *sized, double size)
{
    double doubled = sized->sizes[0];
    while (doubled > size)
        doubled /= 2;
    while (doubled > 0 && 2 * doubled <= size)
        doubled *= 2;
    return doubled;
}

/* The largest size whose levels are all known; INFINITY where laws have none. */
static double last_with_levels(const struct ft_sized_skeleton *sized)
{
    double last = 0;
    for (size_t i = 0; i < sized->number_count; i++)
        for (size_t k = 0; k < FT_LAW_STEPS; k++)
            last = fmax(last, sized->numbers[i].law.steps[k].from);
    return last > 0 ? last : INFINITY;
}

bool ft_sized_skeleton_reaches(const struct ft_sized_skeleton *sized, double size,
                               struct ft_unknown_residue *ret_unknown)
{
    const bool doubles = has_logarithms(sized);
    const uint32_t periods = ft_element_periods(sized);
    const double last = last_with_levels(sized);
    double modulus = unknown_modulus(sized, periods, size), near = fmin(size, last);
    *ret_unknown =
        (struct ft_unknown_residue){.is_no_doubled = doubles && doubled_below(sized, size) != size,
                                    .last = last,
                                    .modulus = modulus,
                                    .near = size};
    for (unsigned i = 0; near >= 1 && i < RESIDUES_MAX; i++) {
        near = doubles ? doubled_below(sized, near) : near;
        modulus = unknown_modulus(sized, periods, near);
        if (modulus == 0)
            break;
        near = next_below(sized, modulus, near);
    }
    ret_unknown->near = modulus == 0 && near >= 1 ? near : sized->sizes[sized->size_count - 1];
    return ret_unknown->modulus == 0 && !ret_unknown->is_no_doubled && size <= last;
}

int ft_sized_skeleton_at(const struct ft_sized_skeleton *sized, double size,
                         struct ft_nest *ret_nest, struct ft_placed_block **ret_blocks,
                         uint32_t *ret_block_count, struct ft_diag *diag)
{
    struct ft_nest nest = {0};
    int status = ft_sized_nest_at(&sized->largest.threads[0].nest, sized->numbers,
                                  sized->number_count, size, &nest, diag);
    if (!status)
        status = ft_block_laws_at(&sized->blocks, &sized->largest, size, ret_blocks,
                                  ret_block_count, diag);
    if (status) {
        ft_nest_fini(&nest);
        return status;
    }
    *ret_nest = nest;
    return FT_OK;
}
