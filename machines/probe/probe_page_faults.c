/*
 * Page faults: the first store to a page is the system's work, and a hypervisor's. Of as much
 * memory as the C library maps for an array of its own, so that pages come one by one, or large, as
 * they do there; it is given back each time.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "machines/probe/probe_run.h"

#define PAGE_BYTES 4096

void ft_probe_touch_pages(void *context, uint64_t count)
{
    (void)context;
    for (; count >= FT_PROBE_PAGES; count -= FT_PROBE_PAGES) {
        void *mapped = mmap(NULL, (size_t)FT_PROBE_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED)
            return;
        for (volatile char *page = mapped; page < (char *)mapped + FT_PROBE_PAGES * PAGE_BYTES;
             page += PAGE_BYTES)
            *page = 1;
        munmap(mapped, (size_t)FT_PROBE_PAGES * PAGE_BYTES);
    }
}

int ft_probe_page_faults(struct ft_probing *probing, struct ft_diag *diag)
{
    const struct ft_probe_point point = {.curve = FT_CURVE_PAGE_FAULTS,
                                         .size_bytes = (uint64_t)FT_PROBE_PAGES * PAGE_BYTES,
                                         .count = FT_PROBE_PAGES};
    return ft_probing_measure(probing, ft_probe_touch_pages, NULL, FT_PROBE_PAGES, point, diag);
}
