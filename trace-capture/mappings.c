/*
 * The program's executable mappings, the modules they belong to, and its code as read for
 * translation, page by page.
 *
 * A module is a mapped file (or the vDSO); its load bias follows from the program header of the
 * first executable segment that was mapped. Memory that is writable and executable at once is not
 * translated: it could change without a system call.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/capture.h"
#include "trace-capture/memory_map.h"

#define PAGE         4096U
#define PAGE_BUCKETS 4096U
#define HEADERS_MAX  64U

struct ft_code_page {
    uint64_t address;
    struct ft_code_page *next;
    uint8_t bytes[PAGE];
};

/* The load bias of the object whose segment with this file offset is mapped at start, from its
 * program headers. headers: the first bytes of the file. */
static uint64_t load_bias_of(const uint8_t *headers, size_t count, uint64_t start, uint64_t offset)
{
    Elf64_Ehdr elf;
    if (count < sizeof elf)
        return start - offset;
    memcpy(&elf, headers, sizeof elf);
    for (unsigned i = 0; i < elf.e_phnum && i < HEADERS_MAX; i++) {
        Elf64_Phdr segment;
        uint64_t at = elf.e_phoff + (uint64_t)i * sizeof segment;
        if (at > count || count - at < sizeof segment)
            break;
        memcpy(&segment, headers + at, sizeof segment);
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
            (segment.p_offset & ~(uint64_t)(PAGE - 1)) == offset)
            return start - (segment.p_vaddr & ~(uint64_t)(PAGE - 1));
    }
    return start - offset;
}

/* The index of the module mapped at `start`, known or new. */
static int find_module(struct ft_capture *capture, const struct ft_mapping *mapping,
                       uint32_t *ret_module, struct ft_diag *diag)
{
    const char *path = mapping->path;
    uint64_t start = mapping->start, end = mapping->end;
    for (size_t i = 0; i < capture->module_count; i++) {
        if (capture->module_starts[i] == start && strcmp(capture->module_paths[i], path) == 0) {
            *ret_module = (uint32_t)i;
            return FT_OK;
        }
    }
    uint8_t headers[PAGE];
    uint8_t *image = NULL;
    size_t count = 0, image_bytes = 0;
    if (path[0] == '[') {
        image_bytes = end - start;
        image = malloc(image_bytes);
        if (!image)
            return ft_fail_memory(diag, "the vDSO");
        image_bytes = ft_target_read(capture->cache.target, start, image, image_bytes);
        count = image_bytes < sizeof headers ? image_bytes : sizeof headers;
        memcpy(headers, image, count);
    } else {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd >= 0 ? read(fd, headers, sizeof headers) : -1;
        if (fd >= 0)
            close(fd);
        count = got > 0 ? (size_t)got : 0;
    }
    uint64_t bias = load_bias_of(headers, count, start, mapping->offset);
    char *copy = strdup(path);
    if (!copy ||
        !FT_RESERVE(capture->module_paths, capture->module_capacity, capture->module_count + 1) ||
        !FT_RESERVE(capture->module_starts, capture->module_start_capacity,
                    capture->module_count + 1)) {
        free(copy);
        free(image);
        return ft_fail_memory(diag, "a module");
    }
    capture->module_paths[capture->module_count] = copy;
    capture->module_starts[capture->module_count] = start;
    *ret_module = (uint32_t)capture->module_count++;
    ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_MODULE_MAPPED,
                                                          .a = *ret_module,
                                                          .b = start,
                                                          .c = end - start});
    return ft_drain_add_module(capture->drain, path, bias, start - bias, end - bias, image,
                               image_bytes, diag);
}

static int add_mapping(struct ft_capture *capture, const struct ft_mapping *mapping,
                       struct ft_diag *diag)
{
    if (!mapping->is_executable || ft_code_cache_contains(&capture->cache, mapping->start))
        return FT_OK;
    struct ft_code_mapping added = {.start = mapping->start,
                                    .end = mapping->end,
                                    .offset = mapping->offset,
                                    .module = FT_NO_MODULE,
                                    .writable = mapping->is_writable};
    int status = FT_OK;
    if (mapping->path[0] == '/' || strcmp(mapping->path, "[vdso]") == 0)
        status = find_module(capture, mapping, &added.module, diag);
    if (status < 0)
        return status;
    if (!FT_RESERVE(capture->mappings, capture->mapping_capacity, capture->mapping_count + 1))
        return ft_fail_memory(diag, "the memory map");
    capture->mappings[capture->mapping_count++] = added;
    return FT_OK;
}

int ft_mappings_refresh(struct ft_capture *capture, struct ft_diag *diag)
{
    struct ft_memory_map map;
    int status = ft_memory_map_read(capture->cache.target, &map, diag);
    if (status < 0)
        return status;
    capture->mapping_count = 0;
    for (size_t i = 0; i < map.count && status == FT_OK; i++)
        status = add_mapping(capture, &map.mappings[i], diag);
    ft_memory_map_fini(&map);
    return status;
}

const struct ft_code_mapping *ft_mappings_find(const struct ft_capture *capture, uint64_t pc)
{
    for (size_t i = 0; i < capture->mapping_count; i++)
        if (pc - capture->mappings[i].start < capture->mappings[i].end - capture->mappings[i].start)
            return &capture->mappings[i];
    return NULL;
}

static void forget_pages(struct ft_capture *capture)
{
    for (size_t i = 0; capture->pages && i < PAGE_BUCKETS; i++) {
        while (capture->pages[i]) {
            struct ft_code_page *page = capture->pages[i];
            capture->pages[i] = page->next;
            free(page);
        }
    }
}

static bool any_page_read(const struct ft_capture *capture, uint64_t start, uint64_t end)
{
    for (size_t i = 0; capture->pages && i < PAGE_BUCKETS; i++)
        for (const struct ft_code_page *page = capture->pages[i]; page; page = page->next)
            if (page->address < end && start < page->address + PAGE)
                return true;
    return false;
}

int ft_mappings_changed(struct ft_capture *capture, uint64_t start, uint64_t end,
                        struct ft_diag *diag)
{
    if (any_page_read(capture, start, end)) {
        ft_code_cache_forget(&capture->cache);
        forget_pages(capture);
        for (size_t i = 0; i < capture->module_count; i++)
            if (capture->module_starts[i] >= start && capture->module_starts[i] < end)
                capture->module_starts[i] = 0; /* mapped anew, it is another module */
        ft_drain_add_event(
            capture->drain,
            &(struct ft_event){.kind = FT_EVENT_CODE_CHANGED, .b = start, .c = end - start});
    }
    return ft_mappings_refresh(capture, diag);
}

static struct ft_code_page *find_page(struct ft_capture *capture, uint64_t address)
{
    if (!capture->pages)
        capture->pages = calloc(PAGE_BUCKETS, sizeof(struct ft_code_page *));
    if (!capture->pages)
        return NULL;
    struct ft_code_page **bucket = &capture->pages[(address / PAGE) & (PAGE_BUCKETS - 1)];
    for (struct ft_code_page *page = *bucket; page; page = page->next)
        if (page->address == address)
            return page;
    struct ft_code_page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    page->address = address;
    if (ft_target_read(capture->cache.target, address, page->bytes, PAGE) != PAGE) {
        free(page);
        return NULL;
    }
    page->next = *bucket;
    *bucket = page;
    return page;
}

const uint8_t *ft_mappings_read_code(void *context, uint64_t pc, size_t *ret_count)
{
    static _Thread_local uint8_t joined[2 * PAGE];
    struct ft_capture *capture = context;
    const struct ft_code_mapping *mapping = ft_mappings_find(capture, pc);
    if (!mapping)
        return NULL;
    uint64_t first = pc & ~(uint64_t)(PAGE - 1);
    const struct ft_code_page *page = find_page(capture, first);
    if (!page)
        return NULL;
    size_t offset = pc - first, count = PAGE - offset;
    if (count >= FT_UNIT_BYTES_MAX + 16) {
        *ret_count = count;
        return page->bytes + offset;
    }
    memcpy(joined, page->bytes + offset, count);
    if (first + PAGE < mapping->end) {
        const struct ft_code_page *next = find_page(capture, first + PAGE);
        if (next) {
            memcpy(joined + count, next->bytes, PAGE);
            count += PAGE;
        }
    }
    *ret_count = count;
    return joined;
}

void ft_mappings_fini(struct ft_capture *capture)
{
    forget_pages(capture);
    free(capture->pages);
    for (size_t i = 0; i < capture->module_count; i++)
        free(capture->module_paths[i]);
    free(capture->module_paths);
    free(capture->module_starts);
    free(capture->mappings);
}
