#include "engine/reuse/stacks/memory_limit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t ft_process_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    char text[128] = "";
    char *resident = text;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (bytes <= 0)
        return 0;
    (void)strtoull(text, &resident, 10); /* pages of address space, then those that it holds */
    return strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
#endif
}

static void raise_to(atomic_uint_fast64_t *max, uint64_t bytes)
{
    uint_fast64_t before = atomic_load(max);
    while (before < bytes && !atomic_compare_exchange_weak(max, &before, bytes))
        ;
}

void ft_memory_budget_init(struct ft_memory_budget *budget, uint64_t max,
                           const struct ft_process_limit *limit)
{
    budget->limit = limit && limit->process_max != UINT64_MAX ? limit : NULL;
    budget->max = max;
    atomic_init(&budget->noted, 0);
    atomic_init(&budget->peak, 0);
    atomic_init(&budget->needed, 0);
    atomic_init(&budget->needed_noted, 0);
}

void ft_memory_note(struct ft_memory_budget *budget, uint64_t *noted_bytes, uint64_t bytes)
{
    const uint64_t change = bytes - *noted_bytes; /* modulo 2^64 */
    *noted_bytes = bytes;
    raise_to(&budget->peak, atomic_fetch_add(&budget->noted, change) + change);
}

static bool fits(const struct ft_memory_budget *budget, uint64_t counted, uint64_t process)
{
    return counted <= budget->max && (!budget->limit || process <= budget->limit->process_max);
}

bool ft_memory_has_room(const struct ft_memory_budget *budget, uint64_t more_bytes)
{
    const uint64_t process = budget->limit ? ft_process_bytes() + more_bytes : 0;
    return fits(budget, atomic_load(&budget->noted) + more_bytes, process);
}

bool ft_memory_is_enough(struct ft_memory_budget *budget, uint64_t more_bytes)
{
    const uint64_t counted = atomic_load(&budget->noted) + more_bytes;
    const struct ft_process_limit *limit = budget->limit;
    const uint64_t process = limit ? ft_process_bytes() + more_bytes : 0;
    if (fits(budget, counted, process))
        return true;
    const uint64_t estimated = counted + (limit ? limit->before_bytes : 0);
    raise_to(&budget->needed, process > estimated ? process : estimated);
    raise_to(&budget->needed_noted, counted);
    return false;
}
