#include "formats/base/parse.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool ft_read_u64(const char **at, uint64_t *ret_value)
{
    if (**at < '0' || **at > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(*at, &end, 10);
    if (errno)
        return false;
    *at = end;
    *ret_value = value;
    return true;
}

bool ft_read_double(const char **at, double *ret_value)
{
    const char *digits = *at + (**at == '-' || **at == '+');
    const bool is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (is_hexadecimal || !(*digits == '.' || (*digits >= '0' && *digits <= '9')))
        return false;
    char *end;
    double value = strtod(*at, &end);
    if (end == *at || !isfinite(value))
        return false;
    *at = end;
    *ret_value = value;
    return true;
}

bool ft_parse_u64(const char *text, uint64_t *ret_value)
{
    uint64_t value;
    if (!ft_read_u64(&text, &value) || *text)
        return false;
    *ret_value = value;
    return true;
}

bool ft_parse_double(const char *text, double *ret_value)
{
    double value;
    if (!ft_read_double(&text, &value) || *text)
        return false;
    *ret_value = value;
    return true;
}

bool ft_read_range(const char **at, uint64_t *ret_first, uint64_t *ret_last)
{
    const char *end = *at;
    uint64_t first, last;
    if (!ft_read_u64(&end, &first))
        return false;
    last = first;
    if (*end == '-' && (end++, !ft_read_u64(&end, &last)))
        return false;
    *at = end;
    *ret_first = first;
    *ret_last = last;
    return true;
}

const char *ft_split_assignment(const char *text, size_t *ret_name_length)
{
    const size_t length = strcspn(text, "=");
    if (length == 0 || !text[length])
        return NULL;
    *ret_name_length = length;
    return text + length + 1;
}

bool ft_parse_assignment(const char *text, size_t *ret_name_length, double *ret_value)
{
    const char *number = ft_split_assignment(text, ret_name_length);
    return number && ft_parse_double(number, ret_value);
}

bool ft_read_assignment(const char **at, size_t *ret_name_length, double *ret_value)
{
    const char *number = ft_split_assignment(*at, ret_name_length);
    if (!number || !ft_read_double(&number, ret_value) || (*number && *number != ','))
        return false;
    *at = number + (*number == ',');
    return true;
}

/* A number and at most one of the units, each `step` times the one before. */
static bool parse_scaled(const char *text, const char *units, uint64_t step, uint64_t *ret_value)
{
    uint64_t value, unit = 1;
    if (!ft_read_u64(&text, &value))
        return false;
    const char *found = *text ? strchr(units, *text) : NULL;
    for (const char *at = units; found && at <= found; at++)
        unit *= step;
    if (text[found != NULL] || value > UINT64_MAX / unit)
        return false;
    *ret_value = value * unit;
    return true;
}

int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag)
{
    return parse_scaled(text, "KMG", 1024, ret_bytes) || parse_scaled(text, "kmg", 1024, ret_bytes)
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE, "'%s' is not a size such as 64, 4K or 2M", text);
}

bool ft_parse_count(const char *text, uint64_t *ret_count)
{
    return parse_scaled(text, "KMGT", 1000, ret_count);
}

static int fail_seconds(const char *text, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE, "'%s' is not a time such as 90, 90s, 1.5m or 2h", text);
}

int ft_parse_seconds(const char *text, double *ret_seconds, struct ft_diag *diag)
{
    const char *end = text;
    double number;
    if (!ft_read_double(&end, &number))
        return fail_seconds(text, diag);
    double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
    bool has_unit = *end == 's' || *end == 'm' || *end == 'h';
    if (end[has_unit] || number <= 0 || number * unit > 1e9)
        return fail_seconds(text, diag);
    *ret_seconds = number * unit;
    return FT_OK;
}
