/*
 * A combination that has too many terms makes a temporary of one of its forms, in place, so that a
 * register that is used again is computed once. Narrowing always makes one, unless the form is a
 * constant or known to fit.
 */
#include "formats/expand/forms.h"

#include "formats/base/array.h"

static bool has_terms(const struct ft_form *form)
{
    return form->a_factor || form->b_factor;
}

/* Appends a temporary; returns a form of it alone. */
static struct ft_form compute(struct ft_forms *forms, const struct ft_form *form,
                              const struct ft_narrowing *narrowing)
{
    struct ft_variant *variant = forms->variant;
    if (forms->failed || variant->variable_count == FT_VARIABLES_MAX ||
        !FT_RESERVE(variant->computations, forms->computation_capacity,
                    variant->computation_count + 1U)) {
        forms->failed = true;
        return (struct ft_form){0};
    }
    uint16_t target = variant->variable_count++;
    forms->is_32_bit[target] = narrowing->mask <= UINT32_MAX;
    variant->computations[variant->computation_count++] =
        (struct ft_computation){.form = *form,
                                .narrowing = *narrowing,
                                .target = target,
                                .is_linear = ft_narrowing_is_none(narrowing)};
    return ft_form_of(target);
}

/* Replaces a form of two terms by a temporary, for all its later uses. */
static void reduce(struct ft_forms *forms, struct ft_form *form)
{
    const struct ft_narrowing none = FT_NARROWING_NONE;
    if (form->a_factor && form->b_factor)
        *form = compute(forms, form, &none);
}

/* Adds a term to a form; false if it already has two others. */
static bool add_term(struct ft_form *form, uint16_t variable, uint64_t factor)
{
    if (factor == 0)
        return true;
    if (form->a_factor && form->a == variable) {
        form->a_factor += factor;
    } else if (form->b_factor && form->b == variable) {
        form->b_factor += factor;
    } else if (!form->a_factor) {
        form->a = variable;
        form->a_factor = factor;
    } else if (!form->b_factor) {
        form->b = variable;
        form->b_factor = factor;
    } else {
        return false;
    }
    if (!form->a_factor) {
        form->a = form->b;
        form->a_factor = form->b_factor;
        form->b_factor = 0;
    }
    if (!form->b_factor)
        form->b = FT_VARIABLE_ZERO;
    if (!form->a_factor)
        form->a = FT_VARIABLE_ZERO;
    return true;
}

static bool add_form(struct ft_form *sum, const struct ft_form *form, uint64_t factor)
{
    sum->constant += factor * form->constant;
    return add_term(sum, form->a, factor * form->a_factor) &&
           add_term(sum, form->b, factor * form->b_factor);
}

struct ft_form ft_forms_combine(struct ft_forms *forms, struct ft_form *x, uint64_t x_factor,
                                struct ft_form *y, uint64_t y_factor, uint64_t constant)
{
    struct ft_form sum = {.constant = constant};
    if (add_form(&sum, x, x_factor) && add_form(&sum, y, y_factor))
        return sum;
    reduce(forms, x);
    sum = (struct ft_form){.constant = constant};
    if (add_form(&sum, x, x_factor) && add_form(&sum, y, y_factor))
        return sum;
    reduce(forms, y);
    sum = (struct ft_form){.constant = constant};
    add_form(&sum, x, x_factor);
    add_form(&sum, y, y_factor);
    return sum;
}

static bool keeps_low_half(const struct ft_narrowing *narrowing)
{
    return ft_narrowing_kind(narrowing) != FT_UPDATE_IRREGULAR;
}

/* Where only the low 32 bits of a form matter, temporaries that preserve them are replaced by the
 * form of one term they narrow: 32-bit counters stay sums of their initial value. */
static void look_through(const struct ft_forms *forms, struct ft_form *form)
{
    const uint16_t variables[2] = {form->a, form->b};
    const uint64_t factors[2] = {form->a_factor, form->b_factor};
    struct ft_form sum = {.constant = form->constant};
    for (unsigned i = 0; i < 2; i++) {
        struct ft_form inner = ft_form_of(variables[i]);
        while (inner.a_factor == 1 && inner.a >= forms->first_temporary) {
            const struct ft_computation *at =
                &forms->variant->computations[inner.a - forms->first_temporary];
            if (!keeps_low_half(&at->narrowing) || at->form.b_factor)
                break;
            uint64_t constant = inner.constant;
            inner = at->form;
            inner.constant += constant;
        }
        if (!add_form(&sum, &inner, factors[i]))
            return;
    }
    *form = sum;
}

struct ft_form ft_forms_narrow(struct ft_forms *forms, struct ft_form form,
                               const struct ft_narrowing *narrowing)
{
    if (ft_narrowing_is_none(narrowing))
        return form;
    if (!has_terms(&form))
        return (struct ft_form){.constant = ft_narrow(narrowing, form.constant)};
    enum ft_update_kind kind = ft_narrowing_kind(narrowing);
    if (kind == FT_UPDATE_UNSIGNED && form.constant == 0 && form.a_factor == 1 &&
        form.b_factor == 0 && forms->is_32_bit[form.a])
        return form;
    if (kind != FT_UPDATE_IRREGULAR)
        look_through(forms, &form);
    return compute(forms, &form, narrowing);
}
