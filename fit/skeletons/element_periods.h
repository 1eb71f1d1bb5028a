/*
 * Which periods the laws of a skeleton may hide. A loop that takes several elements at a time, as
 * vectors, unrolled bodies and tiles do, leaves remainders whose presence follows the size modulo
 * that many; training sizes that agree modulo it do not show it. Such a loop moves by a constant
 * number of bytes, several times its elements; one that takes an element at a time hides nothing.
 */
#ifndef FT_FIT_SKELETONS_ELEMENT_PERIODS_H
#define FT_FIT_SKELETONS_ELEMENT_PERIODS_H

#include "formats/skeleton/sized_skeleton.h"

#define FT_ELEMENT_PERIOD_MAX 64U

/* Bit k: loops that matter, or tiles of such, move by 2^k elements, from 2 to
 * FT_ELEMENT_PERIOD_MAX. All bits where that cannot be told. */
uint32_t ft_element_periods(const struct ft_sized_skeleton *sized);

#endif
