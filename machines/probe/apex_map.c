#include "machines/probe/apex_map.h"

#include <math.h>

#include "formats/base/splitmix.h"

#define ACCESSES   (UINT64_C(1) << 20)
#define STARTS_MIN (UINT64_C(1) << 14)

uint64_t ft_apex_count(uint64_t length)
{
    uint64_t count = STARTS_MIN;
    while (count * length < ACCESSES)
        count *= 2;
    return count;
}

void ft_apex_starts(uint64_t size_bytes, double alpha, uint64_t length, uint32_t *ret_starts)
{
    const uint64_t count = ft_apex_count(length),
                   places = size_bytes / (FT_APEX_ELEMENT_BYTES * length);
    uint64_t state = length;
    for (uint64_t i = 0; i < count; i++) {
        const double uniform = ft_splitmix_uniform(&state);
        const uint64_t place = (uint64_t)(pow(uniform, 1 / alpha) * (double)places);
        ret_starts[i] = (uint32_t)(place * length);
    }
}
