#include "machines/probe/probe_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "formats/base/splitmix.h"
#include "machines/host/system_files.h"

#define LARGE_BYTES (UINT64_C(2) << 20)
#define LINE_BYTES  64
#define PAGE_LINES  64 /* of a small page */

int ft_probe_memory_init(struct ft_probe_memory *memory, uint64_t bytes, bool large,
                         struct ft_diag *diag)
{
    const uint64_t wanted = (bytes + LARGE_BYTES - 1) / LARGE_BYTES * LARGE_BYTES + LARGE_BYTES;
    void *mapped = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return ft_fail(diag, FT_ERROR_MEMORY, "%llu MiB to measure on: %s",
                       (unsigned long long)(wanted >> 20), strerror(errno));
    const uintptr_t start = ((uintptr_t)mapped + LARGE_BYTES - 1) / LARGE_BYTES * LARGE_BYTES;
    *memory = (struct ft_probe_memory){
        .start = (uint8_t *)start, .bytes = bytes, .mapped = mapped, .mapped_bytes = wanted};
    (void)madvise(mapped, wanted, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(memory->start, 1, bytes);
    return FT_OK;
}

void ft_probe_memory_fini(struct ft_probe_memory *memory)
{
    if (memory->mapped)
        munmap(memory->mapped, memory->mapped_bytes);
    *memory = (struct ft_probe_memory){0};
}

bool ft_probe_has_large_pages(void)
{
    char line[128];
    return ft_system_file_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) &&
           !strstr(line, "[never]");
}

static void **place_of(uint8_t *start, uint64_t index, uint64_t spacing, bool scatter)
{
    const uint64_t lines = spacing / LINE_BYTES < PAGE_LINES ? spacing / LINE_BYTES : PAGE_LINES;
    const uint64_t offset = scatter ? (index * 0x9e3779b97f4a7c15U >> 32) % lines * LINE_BYTES : 0;
    return (void **)(start + index * spacing + offset);
}

/* Sattolo's shuffle: a random permutation that is one ring. */
void **ft_probe_ring(uint8_t *start, uint64_t count, uint64_t spacing, bool scatter, uint64_t seed)
{
    uint32_t *order = malloc(count * sizeof *order);
    if (!order)
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = count - 1; i > 0; i--) {
        const uint64_t k = ft_splitmix(&seed) % i;
        const uint32_t swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    for (uint64_t i = 0; i < count; i++)
        *place_of(start, i, spacing, scatter) = place_of(start, order[i], spacing, scatter);
    free(order);
    return place_of(start, 0, spacing, scatter);
}

void **ft_probe_follow(void **place, uint64_t steps)
{
    for (uint64_t i = 0; i < steps / 16; i++)
        __asm__ volatile(".rept 16\n"
                         "mov (%0), %0\n"
                         ".endr\n"
                         : "+r"(place)
                         :
                         : "memory");
    return place;
}

void ft_probe_follow_work(void *context, uint64_t steps)
{
    void ***place = context;
    *place = ft_probe_follow(*place, steps);
}
