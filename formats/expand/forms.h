/*
 * Arithmetic on forms for the compiler of units. A form has two terms at most and is linear; what
 * exceeds that becomes a temporary of the variant, computed before the addresses that use it.
 * A form is invalid once `failed` is set: out of memory, or of variables.
 */
#ifndef FT_FORMATS_EXPAND_FORMS_H
#define FT_FORMATS_EXPAND_FORMS_H

#include "formats/expand/program.h"

struct ft_forms {
    struct ft_variant *variant; /* whose computations and variables grow */
    size_t computation_capacity;
    uint16_t first_temporary;
    bool is_32_bit[FT_VARIABLES_MAX]; /* the variable's value is below 2^32 */
    bool failed;
};

static inline struct ft_form ft_form_of(uint16_t variable)
{
    return (struct ft_form){.a_factor = 1, .a = variable};
}

/* x_factor * x + y_factor * y + constant; x and y may each become a temporary. */
struct ft_form ft_forms_combine(struct ft_forms *forms, struct ft_form *x, uint64_t x_factor,
                                struct ft_form *y, uint64_t y_factor, uint64_t constant);
struct ft_form ft_forms_narrow(struct ft_forms *forms, struct ft_form form,
                               const struct ft_narrowing *narrowing);

#endif
