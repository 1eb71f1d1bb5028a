/*
 * A processor's answers to cpuid, noted down. One at a time is in place.
 */
#ifndef FT_TESTS_SUPPORT_RECORDED_CPUID_H
#define FT_TESTS_SUPPORT_RECORDED_CPUID_H

#include <stddef.h>
#include <stdint.h>

struct cpuid_leaf {
    uint32_t leaf, subleaf, registers[4]; /* eax, ebx, ecx, edx */
};
/* From now on recorded_cpuid answers from these, which must stay; zeros for others. */
void recorded_cpuid_use(const struct cpuid_leaf *leaves, size_t count);
/* An ft_cpuid (machines/host/host_hardware.h). */
void recorded_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4]);

#endif
