/*
 * What the kernel and cpuid say of this machine's processor, its caches and TLBs, as facts and
 * tables of formats/trace/capture_host.h: traces record them, and machine files are made of them.
 * What cannot be determined is left out. Functions give false when out of memory.
 */
#ifndef FT_MACHINES_HOST_HOST_HARDWARE_H
#define FT_MACHINES_HOST_HOST_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/trace/capture_host.h"

/* Facts cpu_*, microcode, processors_online; all caches and TLBs. */
bool ft_host_hardware_describe(struct ft_capture_host *host);
/* "model name" of /proc/cpuinfo; the caller frees it. NULL when out of memory. */
char *ft_host_processor_name(void);

/* cpuid.c: what a processor says of itself, registers in the order eax, ebx, ecx, edx. */
typedef void ft_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4]);
ft_cpuid ft_cpuid_of_this_processor;
bool ft_tlbs_describe(ft_cpuid *cpuid, struct ft_capture_host *host);
/* Caches of one core, with processors ""; where /sys has none. */
bool ft_caches_describe(ft_cpuid *cpuid, struct ft_capture_host *host);
/* The fact cpu_clock_max_khz, where the processor tells its highest clock. */
bool ft_clock_describe(ft_cpuid *cpuid, struct ft_capture_host *host);

#endif
