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

bool ft_parse_assignment(const char *text, size_t *ret_name_length, double *ret_value)
{
    const size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !ft_parse_double(text + length + 1, ret_value))
        return false;
    *ret_name_length = length;
    return true;
}

int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag)
{
    const char *at = text;
    uint64_t value;
    unsigned shift = 0;
    bool is_number = ft_read_u64(&at, &value);
    switch (is_number ? *at : 0) {
    case 'K':
    case 'k':
        shift = 10;
        break;
    case 'M':
    case 'm':
        shift = 20;
        break;
    case 'G':
    case 'g':
        shift = 30;
        break;
    default:
        break;
    }
    if (!is_number || at[shift > 0] || value > (UINT64_MAX >> shift))
        return ft_fail(diag, FT_ERROR_USAGE, "'%s' is not a size such as 64, 4K or 2M", text);
    *ret_bytes = value << shift;
    return FT_OK;
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
