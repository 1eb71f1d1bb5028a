/*
 * The text is split behind its digits; what follows them, blanks aside, must be the name of a unit
 * as a whole. Numbers are divided by how many of a unit make one of the key's: 4100 MHz are exactly
 * 4.1 GHz. Digits are those on which all versions of YAML agree: 010 is eight in one, ten in
 * another.
 */
#include "machines/machine_numbers.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/base/parse.h"

#define SHOWN_CHARACTERS 40 /* of a text that is no number */

#define NUMBER_ROW(key, quantity, min, max, required, sourced, sections)                           \
    {#key, quantity, min, max, required, sourced, sections},
const struct ft_number_key ft_number_keys[FT_MACHINE_NUMBER_COUNT] = {
    FT_MACHINE_NUMBERS(NUMBER_ROW)};
#undef NUMBER_ROW

const struct ft_number_key *ft_number_key_find(const char *name)
{
    for (size_t i = 0; i < FT_MACHINE_NUMBER_COUNT; i++)
        if (strcmp(ft_number_keys[i].name, name) == 0)
            return &ft_number_keys[i];
    return NULL;
}

/* ---- units ---- */

struct unit {
    const char *name;
    double divisor;
};

static const struct unit frequencies[] = {
    {"GHz", 1}, {"MHz", 1e3}, {"kHz", 1e6}, {"Hz", 1e9}, {NULL, 0}};
static const struct unit cycles[] = {{"cycles", 1}, {"cycle", 1}, {NULL, 0}};
static const struct unit shares[] = {{"%", 100}, {NULL, 0}};
static const struct unit none[] = {{NULL, 0}};

static const struct {
    const struct unit *units; /* NULL: those of bytes */
    const char *name;         /* of ranges */
    const char *expected;
} quantities[] = {
    [FT_GIGAHERTZ] = {frequencies, " GHz", "a number with GHz, MHz, kHz, Hz or no unit (GHz)"},
    [FT_BYTES] = {NULL, "", "an integer of bytes, with K, M, G, T (or KB, KiB ...) or no unit"},
    [FT_CYCLES] = {cycles, " cycles", "a number with 'cycles' or no unit (cycles)"},
    [FT_SHARE] = {shares, "", "a share from 0 to 1, or a number with %"},
    [FT_AMOUNT] = {none, "", "a number without a unit"},
    [FT_COUNT] = {none, "", "an integer without a unit"},
    [FT_WAYS] = {none, "", "an integer without a unit, or 'full'"},
};

const char *ft_number_expected(enum ft_quantity quantity)
{
    return quantities[quantity].expected;
}

/* "B", "K", "KB", "KiB", "M" ...: powers of 1024, as vendors write sizes of caches. 0: no unit. */
static double byte_divisor(const char *name)
{
    static const char prefixes[] = "KMGT";
    const char *prefix = strchr(prefixes, toupper((unsigned char)*name));
    const char *rest = name + (prefix != NULL);
    if (strcmp(rest, "B") != 0 && !(prefix && (!*rest || strcmp(rest, "iB") == 0)))
        return 0;
    return prefix ? ldexp(1, -10 * (int)(prefix - prefixes + 1)) : 1;
}

/* 0: no such unit. */
static double unit_divisor(enum ft_quantity quantity, const char *name)
{
    const struct unit *unit = quantities[quantity].units;
    if (!*name)
        return 1;
    if (!unit)
        return byte_divisor(name);
    while (unit->name && strcmp(unit->name, name) != 0)
        unit++;
    return unit->divisor;
}

/* ---- numbers ---- */

static bool is_integer_quantity(enum ft_quantity quantity)
{
    return quantity == FT_BYTES || quantity == FT_COUNT || quantity == FT_WAYS;
}

static bool has_leading_zero(const char *text)
{
    text += *text == '-' || *text == '+';
    return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

static bool parse(enum ft_quantity quantity, const char *text, double *ret_value)
{
    const char *unit = text;
    double value;
    if (quantity == FT_WAYS && strcmp(text, "full") == 0) {
        *ret_value = INFINITY;
        return true;
    }
    if (has_leading_zero(text) || !ft_read_double(&unit, &value))
        return false;
    const char *digits_end = unit;
    unit += strspn(unit, " \t");
    if (!*unit && unit > digits_end)
        return false;
    const double divisor = unit_divisor(quantity, unit);
    if (divisor == 0)
        return false;
    value /= divisor;
    if (is_integer_quantity(quantity) && value != floor(value))
        return false;
    *ret_value = value;
    return true;
}

static void range_text(const struct ft_number_key *key, char *text, size_t size)
{
    char min[FT_NUMBER_TEXT], max[FT_NUMBER_TEXT];
    if (key->quantity == FT_BYTES)
        snprintf(text, size, "%s to %s", ft_text_bytes(min, key->min),
                 ft_text_bytes(max, key->max));
    else
        snprintf(text, size, "%.10g to %.10g%s", key->min, key->max,
                 quantities[key->quantity].name);
}

int ft_number_read(enum ft_machine_number number, const char *text, double *ret_value,
                   struct ft_diag *diag)
{
    const struct ft_number_key *key = &ft_number_keys[number];
    char range[2 * FT_NUMBER_TEXT + 16];
    double value;
    size_t shown = strcspn(text, "\n"); /* a message is one line */
    if (shown > SHOWN_CHARACTERS)
        shown = SHOWN_CHARACTERS;
    if (!parse(key->quantity, text, &value))
        return ft_fail(diag, FT_ERROR_DATA, "'%.*s%s': expected %s", (int)shown, text,
                       text[shown] ? "..." : "", ft_number_expected(key->quantity));
    range_text(key, range, sizeof range);
    const bool is_full = key->quantity == FT_WAYS && isinf(value);
    if (!is_full && !(value >= key->min && value <= key->max))
        return ft_fail(diag, FT_ERROR_DATA, "'%.*s' is out of range: %s", (int)shown, text, range);
    *ret_value = value;
    return FT_OK;
}
