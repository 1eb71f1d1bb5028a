/*
 * A recursive-descent parser of terms: a factor is a name, or a function of a name, with an
 * optional power.
 */
#include "formats/model/basis.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

#define EXPONENT_MAX    8.0
#define FALLING_MAX     2.0 /* of what falls with a parameter: N^2*T^-1 */
#define LOGARITHM_MAX   4.0
#define DENOMINATOR_MAX 24
#define MODULUS_MAX     4096.0
#define QUOTIENT_MAX    3.0 /* the power of a quotient */
#define BASE_TEXT       64  /* bytes that "s-86848" fits in */

/* ---- terms as text ---- */

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Steps over a character that must stand there; NULL where it does not, or text is NULL. */
static const char *expect(const char *text, char character)
{
    if (!text)
        return NULL;
    text = skip_blanks(text);
    return *text == character ? text + 1 : NULL;
}

static const char *read_number(const char *text, double *ret_value)
{
    text = skip_blanks(text);
    return ft_read_double(&text, ret_value) ? text : NULL;
}

/* "^3", "^0.5", "^(1/3)", or nothing, which is 1. */
static const char *read_power(const char *text, double *ret_power)
{
    const char *at = expect(text, '^');
    *ret_power = 1;
    if (!at)
        return text;
    at = skip_blanks(at);
    if (*at != '(')
        return read_number(at, ret_power);
    double below = 1;
    at = read_number(at + 1, ret_power);
    const char *fraction = expect(at, '/');
    if (fraction)
        at = read_number(fraction, &below);
    *ret_power /= below;
    return isfinite(*ret_power) ? expect(at, ')') : NULL;
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* The parameter of that name; the count where there is none. */
static size_t find_parameter(const struct ft_basis *basis, const char *name, size_t length)
{
    size_t i = 0;
    while (i < basis->parameter_count && (strlen(basis->parameters[i]) != length ||
                                          memcmp(basis->parameters[i], name, length) != 0))
        i++;
    return i;
}

/* "(N,8)" behind "align". */
static const char *read_alignment(const struct ft_basis *basis, const char *text,
                                  struct ft_term *term)
{
    double modulus = 0;
    text = skip_blanks(expect(text, '('));
    size_t length = name_length(text);
    if (find_parameter(basis, text, length) != 0 || basis->parameter_count > 1 || term->modulus)
        return NULL;
    text = expect(text + length, ',');
    text = text ? expect(read_number(text, &modulus), ')') : NULL;
    if (!text || modulus < 2 || modulus > MODULUS_MAX || modulus != floor(modulus))
        return NULL;
    term->modulus = (uint16_t)modulus;
    return text;
}

/* "(N/8)" or "((N-2)/8)" behind "floor" or "ceil", and a power. */
static const char *read_quotient(const struct ft_basis *basis, const char *text, bool up,
                                 struct ft_term *term)
{
    double offset = 0, period = 0, power = 1;
    text = skip_blanks(expect(text, '('));
    const bool inner = *text == '(';
    text = inner ? skip_blanks(text + 1) : text;
    size_t length = name_length(text);
    if (find_parameter(basis, text, length) != 0 || basis->parameter_count > 1 ||
        term->quotient.period)
        return NULL;
    text = skip_blanks(text + length);
    if (inner && (*text == '+' || *text == '-'))
        text = read_number(text, &offset);
    text = inner ? expect(text, ')') : text;
    text = expect(text, '/');
    text = text ? expect(read_number(text, &period), ')') : NULL;
    text = text ? read_power(text, &power) : NULL;
    if (!text || period < 2 || period > MODULUS_MAX || period != floor(period) ||
        fabs(offset) > MODULUS_MAX || offset != floor(offset) || power < 1 ||
        power > QUOTIENT_MAX || power != floor(power))
        return NULL;
    term->quotient = (struct ft_quotient){.offset = (int16_t)(offset + (up ? period - 1 : 0)),
                                          .period = (uint16_t)period,
                                          .power = (uint8_t)power};
    return text;
}

/* "N"; in brackets also "N-86848", of the parameter of a basis with an origin, which is the same in
 * all its terms. Gives the parameter. *origin: NAN before the first one. */
static const char *read_base(const struct ft_basis *basis, const char *text, bool bracketed,
                             double *origin, size_t *ret_parameter)
{
    const size_t length = name_length(text);
    double above = 0;
    *ret_parameter = find_parameter(basis, text, length);
    if (*ret_parameter == basis->parameter_count)
        return NULL;
    text += length;
    if (bracketed && *skip_blanks(text) == '-') {
        text = read_number(skip_blanks(text) + 1, &above);
        if (!text || !(above > 0) || basis->parameter_count > 1)
            return NULL;
    }
    if (!isnan(*origin) && *origin != above)
        return NULL;
    *origin = above;
    return text;
}

/* A factor: N, sqrt(N), log2(N), log(N), (N-7), and a power behind it; align(N,8), floor(N/8). */
static const char *read_factor(const struct ft_basis *basis, const char *text, double *origin,
                               struct ft_term *term)
{
    text = skip_blanks(text);
    size_t length = name_length(text);
    bool root = length == 4 && memcmp(text, "sqrt", 4) == 0;
    bool logarithm = (length == 4 && memcmp(text, "log2", 4) == 0) ||
                     (length == 3 && memcmp(text, "log", 3) == 0);
    bool opens = *skip_blanks(text + length) == '(', called = opens && (root || logarithm);
    if (opens && length == 5 && memcmp(text, "align", 5) == 0)
        return read_alignment(basis, text + length, term);
    if (opens && ((length == 5 && memcmp(text, "floor", 5) == 0) ||
                  (length == 4 && memcmp(text, "ceil", 4) == 0)))
        return read_quotient(basis, text + length, length == 4, term);
    if (called)
        text = skip_blanks(text + length);
    size_t parameter;
    double power;
    const bool bracketed = *text == '(';
    text = bracketed ? skip_blanks(text + 1) : text;
    text = read_base(basis, text, bracketed, origin, &parameter);
    text = text && bracketed ? expect(text, ')') : text;
    text = text ? read_power(text, &power) : NULL;
    if (!text)
        return NULL;
    if (called && logarithm) {
        double sum = term->logarithms[parameter] + power;
        if (power < 1 || power != floor(power) || sum > LOGARITHM_MAX)
            return NULL;
        term->logarithms[parameter] = (uint8_t)sum;
    } else {
        term->exponents[parameter] += root ? power / 2 : power;
    }
    return text;
}

/* The whole text as a term. ret_origin: NAN where nothing in it has one. */
static bool read_term(const struct ft_basis *basis, const char *text, struct ft_term *ret_term,
                      double *ret_origin)
{
    /* What several threads share falls with their number; nothing falls with a size alone. */
    const double falling = basis->parameter_count > 1 ? FALLING_MAX : 0;
    *ret_term = (struct ft_term){0};
    *ret_origin = NAN;
    if (strcmp(text, "1") == 0)
        return true;
    do {
        text = read_factor(basis, text, ret_origin, ret_term);
        if (!text)
            return false;
        text = skip_blanks(text);
    } while (*text++ == '*');
    for (size_t i = 0; i < basis->parameter_count; i++)
        if (ret_term->exponents[i] < -falling || ret_term->exponents[i] > EXPONENT_MAX)
            return false;
    return text[-1] == 0;
}

/* Appends to text what snprintf makes of the rest. */
__attribute__((format(printf, 2, 3))) static void append(char text[FT_TERM_TEXT],
                                                         const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, FT_TERM_TEXT - length, format, arguments);
    va_end(arguments);
}

/* "^2", "^0.5"; "^(1/3)" where decimals would not give it back; nothing of 1. */
static void append_power(char text[FT_TERM_TEXT], double power)
{
    int below = 1;
    while (below < DENOMINATOR_MAX && round(power * below) / below != power)
        below++;
    if (power == 1)
        return;
    if (below == 1 || below == DENOMINATOR_MAX || 16 % below == 0)
        append(text, "^%.17g", power);
    else
        append(text, "^(%.0f/%d)", round(power * below), below);
}

/* "floor(N/8)", "ceil(N/8)", "floor((N-2)/4)^2". */
static void append_quotient(char text[FT_TERM_TEXT], const char *parameter,
                            const struct ft_quotient *quotient)
{
    const int offset = quotient->offset;
    append(text, "%s", text[0] ? "*" : "");
    if (offset == quotient->period - 1)
        append(text, "ceil(%.24s/%u)", parameter, quotient->period);
    else if (offset == 0)
        append(text, "floor(%.24s/%u)", parameter, quotient->period);
    else
        append(text, "floor((%.24s%+d)/%u)", parameter, offset, quotient->period);
    append_power(text, quotient->power);
}

char *ft_term_text(char text[FT_TERM_TEXT], const struct ft_basis *basis, size_t term)
{
    const struct ft_term *from = &basis->terms[term];
    text[0] = 0;
    for (size_t i = 0; i < basis->parameter_count; i++) {
        char base[BASE_TEXT] = "";
        if (i == 0 && basis->origin > 0)
            snprintf(base, sizeof base, "%.24s-%.17g", basis->parameters[0], basis->origin);
        else
            snprintf(base, sizeof base, "%.24s", basis->parameters[i]);
        if (from->exponents[i] != 0) {
            const bool bracketed = i == 0 && basis->origin > 0;
            append(text, bracketed ? "%s(%s)" : "%s%s", text[0] ? "*" : "", base);
            append_power(text, from->exponents[i]);
        }
        if (from->logarithms[i] != 0) {
            append(text, "%slog2(%s)", text[0] ? "*" : "", base);
            append_power(text, from->logarithms[i]);
        }
    }
    if (from->modulus != 0)
        append(text, "%salign(%.24s,%u)", text[0] ? "*" : "", basis->parameters[0], from->modulus);
    if (from->quotient.period != 0)
        append_quotient(text, basis->parameters[0], &from->quotient);
    if (!text[0])
        append(text, "1");
    return text;
}

/* ---- bases ---- */

double ft_term_exponent(const struct ft_term *term)
{
    double sum = term->quotient.power;
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        sum += term->exponents[i];
    return sum;
}

static unsigned count_logarithms(const struct ft_term *term)
{
    unsigned sum = 0;
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        sum += term->logarithms[i];
    return sum;
}

bool ft_term_has_logarithm(const struct ft_term *term)
{
    return count_logarithms(term) != 0;
}

static bool is_constant(const struct ft_term *term)
{
    bool constant =
        !ft_term_has_logarithm(term) && term->modulus == 0 && term->quotient.period == 0;
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        constant = constant && term->exponents[i] == 0;
    return constant;
}

static int compare_quotients(const struct ft_quotient *a, const struct ft_quotient *b)
{
    if (a->period != b->period)
        return a->period < b->period ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->power > b->power) - (a->power < b->power);
}

/* The constant, then by growth where all parameters grow alike, then by those of the first
 * parameters. */
int ft_term_compare(const struct ft_term *a, const struct ft_term *b)
{
    if (is_constant(a) || is_constant(b))
        return (int)is_constant(b) - (int)is_constant(a);
    double left = ft_term_exponent(a), right = ft_term_exponent(b);
    if (left != right)
        return left < right ? -1 : 1;
    if (count_logarithms(a) != count_logarithms(b))
        return count_logarithms(a) < count_logarithms(b) ? -1 : 1;
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++) {
        if (a->exponents[i] != b->exponents[i])
            return a->exponents[i] < b->exponents[i] ? -1 : 1;
        if (a->logarithms[i] != b->logarithms[i])
            return a->logarithms[i] < b->logarithms[i] ? -1 : 1;
    }
    if (a->modulus != b->modulus)
        return a->modulus < b->modulus ? -1 : 1;
    return compare_quotients(&a->quotient, &b->quotient);
}

size_t ft_basis_insert(struct ft_basis *basis, const struct ft_term *term)
{
    size_t position = 0;
    while (position < basis->term_count && ft_term_compare(&basis->terms[position], term) < 0)
        position++;
    if (position < basis->term_count && ft_term_compare(&basis->terms[position], term) == 0)
        return position;
    if (basis->term_count == FT_BASIS_MAX)
        return FT_BASIS_MAX;
    memmove(&basis->terms[position + 1], &basis->terms[position],
            (basis->term_count - position) * sizeof *term);
    basis->terms[position] = *term;
    basis->term_count++;
    return position;
}

size_t ft_basis_find(const struct ft_basis *basis, const struct ft_term *term)
{
    size_t i = 0;
    while (i < basis->term_count && ft_term_compare(&basis->terms[i], term) != 0)
        i++;
    return i;
}

int ft_basis_add(struct ft_basis *basis, const char *text, struct ft_diag *diag)
{
    struct ft_term term;
    double origin;
    if (!read_term(basis, text, &term, &origin))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "'%.60s' is no term: products of powers and logarithms of %s%s%s are, such "
                       "as %s^2*log2(%s) or %s^(1/3)",
                       text, basis->parameters[0], basis->parameter_count > 1 ? " and " : "",
                       basis->parameter_count > 1 ? basis->parameters[1] : "", basis->parameters[0],
                       basis->parameters[0], basis->parameters[0]);
    if (!isnan(origin) && basis->term_count > 1 && origin != basis->origin)
        return ft_fail(diag, FT_ERROR_USAGE, "'%.60s': terms of one basis have the same origin",
                       text);
    basis->origin = isnan(origin) ? basis->origin : origin;
    if (ft_basis_insert(basis, &term) == FT_BASIS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "a model has at most %u terms", FT_BASIS_MAX);
    return FT_OK;
}

struct ft_basis ft_basis_default(const char *parameter)
{
    return (struct ft_basis){
        .parameter_count = 1,
        .parameters = {parameter},
        .term_count = 7,
        .terms = {
            {{0}, {0}}, {{0}, {1}}, {{1}, {0}}, {{1}, {1}}, {{2}, {0}}, {{3}, {0}}, {{4}, {0}}}};
}

/* Of the first term of a list: to the next comma outside parentheses. */
static size_t term_length(const char *list)
{
    size_t length = 0;
    unsigned depth = 0;
    for (; list[length] && (list[length] != ',' || depth > 0); length++)
        depth += list[length] == '(' ? 1 : list[length] == ')' && depth > 0 ? -1U : 0;
    return length;
}

struct ft_basis ft_basis_of(const char *const *parameters, size_t count)
{
    struct ft_basis basis = {.parameter_count = count, .term_count = 1};
    for (size_t i = 0; i < count; i++)
        basis.parameters[i] = parameters[i];
    return basis;
}

int ft_basis_add_list(struct ft_basis *ret_basis, const char *list, struct ft_diag *diag)
{
    struct ft_basis basis = *ret_basis;
    int status = FT_OK;
    while (status == FT_OK && *list) {
        char text[FT_TERM_TEXT];
        size_t length = term_length(list);
        snprintf(text, sizeof text, "%.*s", (int)length, list);
        status = ft_basis_add(&basis, text, diag);
        list += length + (list[length] == ',');
    }
    if (status == FT_OK && basis.term_count > FT_CHOSEN_TERMS_MAX)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "%zu terms, the constant included: at most %u can be chosen from",
                         basis.term_count, FT_CHOSEN_TERMS_MAX);
    if (status == FT_OK)
        *ret_basis = basis;
    return status;
}

int ft_basis_read(struct ft_basis *ret_basis, const char *parameter, const char *list,
                  struct ft_diag *diag)
{
    struct ft_basis basis = ft_basis_of(&parameter, 1);
    int status = ft_basis_add_list(&basis, list, diag);
    if (status == FT_OK)
        *ret_basis = basis;
    return status;
}

size_t ft_basis_power(const struct ft_basis *basis, double exponent)
{
    const struct ft_term power = {.exponents = {exponent}};
    return ft_basis_find(basis, &power);
}
