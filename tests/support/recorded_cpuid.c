#include "tests/support/recorded_cpuid.h"

#include <string.h>

static const struct cpuid_leaf *used;
static size_t used_count;

void recorded_cpuid_use(const struct cpuid_leaf *leaves, size_t count)
{
    used = leaves;
    used_count = count;
}

void recorded_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4])
{
    memset(ret_registers, 0, 4 * sizeof *ret_registers);
    for (size_t i = 0; i < used_count; i++)
        if (used[i].leaf == leaf && used[i].subleaf == subleaf)
            memcpy(ret_registers, used[i].registers, sizeof used[i].registers);
}
