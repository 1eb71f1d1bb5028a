#include "formats/base/parse.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = 0;
    switch (end == text ? 0 : *end) {
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
    if (shift)
        end++;
    if (errno || end == text || *end || text[0] == '-' || value > (UINT64_MAX >> shift))
        return ft_fail(diag, FT_ERROR_USAGE, "'%s' is not a size such as 64, 4K or 2M", text);
    *ret_bytes = (uint64_t)value << shift;
    return FT_OK;
}

int ft_parse_seconds(const char *text, double *ret_seconds, struct ft_diag *diag)
{
    char *end;
    double number = strtod(text, &end);
    double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
    bool has_unit = *end == 's' || *end == 'm' || *end == 'h';
    if (end == text || end[has_unit] || !isfinite(number) || number <= 0 || number * unit > 1e9)
        return ft_fail(diag, FT_ERROR_USAGE, "'%s' is not a time such as 90, 90s, 1.5m or 2h",
                       text);
    *ret_seconds = number * unit;
    return FT_OK;
}
