/*
 * The program's executable mappings, the modules they belong to, and its code as read for
 * translation, page by page.
 *
 * A module is a mapped file (or the vDSO); its load bias follows from the program header of the
 * first executable segment that was mapped.
 *
 * Code can change without a system call if it is writable and executable at once, or can be written
 * through another mapping of the same memory: shared ones, and private ones of a memfd, whose pages
 * are the file's until they are written. Such code is read again for each translation, which checks
 * it whenever it is entered (checked_code.h). Other code changes only through a system call, which
 * the host sees when the memory is made executable again, and compares what was translated then.
 *
 * In order: modules; reading the mappings; which translations are still valid; the program's code
 * by pages.
 */
#include "trace-capture/tracer/mappings.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/target/memory_map.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/mpi_arguments.h"
#include "trace-capture/tracer/watched_search.h"
#include "trace-capture/tracer/window_functions.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/watched_functions.h"

#define PAGE         4096U
#define PAGE_BUCKETS 4096U
#define HEADERS_MAX  64U
#define CODE_WANTED  (FT_UNIT_BYTES_MAX + 16U) /* to translate one unit */

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

/* Whether a mapped path is that of a module, whose file may be gone by now (proc(5)). */
static bool is_path_of(const char *path, const char *module_path)
{
    size_t length = strlen(module_path);
    return strncmp(path, module_path, length) == 0 &&
           (path[length] == 0 || strcmp(path + length, " (deleted)") == 0);
}

/* The index of the module mapped at `start`, known or new. */
static int find_module(struct ft_capture *capture, const struct ft_mapping *mapping,
                       uint32_t *ret_module, struct ft_diag *diag)
{
    const char *path = mapping->path;
    uint64_t start = mapping->start, end = mapping->end;
    for (size_t i = 0; i < capture->module_count; i++) {
        if (capture->module_starts[i] == start && is_path_of(path, capture->module_paths[i])) {
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
    int status = ft_windows_add_module(&capture->windows, path, start, end, bias, diag);
    if (status == FT_OK)
        status = ft_watched_add_module(&capture->watched, capture->cache.target, capture->drain,
                                       path, *ret_module, bias, start, end, diag);
    if (status < 0) {
        free(image);
        return status;
    }
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
                                    .may_change = mapping->is_writable || mapping->is_shared ||
                                                  strncmp(mapping->path, "/memfd:", 7) == 0};
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

/* Forgets the pages that were read of [start, end). */
static void forget_pages(struct ft_capture *capture, uint64_t start, uint64_t end)
{
    for (size_t i = 0; capture->pages && i < PAGE_BUCKETS; i++) {
        struct ft_code_page **link = &capture->pages[i];
        while (*link) {
            struct ft_code_page *page = *link;
            if (page->address < end && start < page->address + PAGE) {
                *link = page->next;
                free(page);
            } else {
                link = &page->next;
            }
        }
    }
}

bool ft_mappings_overlap(const struct ft_capture *capture, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < capture->mapping_count; i++)
        if (capture->mappings[i].start < end && start < capture->mappings[i].end)
            return true;
    return false;
}

bool ft_mappings_holds(const struct ft_capture *capture, const struct ft_translation *translation)
{
    const struct ft_unit *unit = &translation->unit;
    const uint8_t *code = unit->code;
    for (unsigned first = 0, p = 0; first < unit->instruction_count; p++) { /* piece by piece */
        unsigned end = p < unit->piece_count ? unit->pieces[p].first : unit->instruction_count;
        const struct ft_instruction *last = &unit->instructions[end - 1];
        uint64_t pc = unit->instructions[first].pc;
        size_t bytes = last->pc + last->length - pc;
        uint8_t now[FT_PATH_BYTES_MAX];
        if (ft_target_read(capture->cache.target, pc, now, bytes) != bytes ||
            memcmp(now, code, bytes) != 0)
            return false;
        code += bytes;
        first = end;
    }
    return true;
}

/* Whether each of its pieces is still mapped from its module, and cannot change unseen. */
static bool is_unmoved(const struct ft_capture *capture, const struct ft_unit *path)
{
    for (unsigned p = 0; p < path->piece_count; p++) {
        const struct ft_code_mapping *mapping =
            ft_mappings_find(capture, path->instructions[path->pieces[p].first].pc);
        if (!mapping || mapping->may_change || mapping->module != path->pieces[p].module)
            return false;
    }
    return true;
}

struct ft_translation *ft_mappings_version(const struct ft_capture *capture,
                                           struct ft_translation *first)
{
    uint8_t now[FT_UNIT_BYTES_MAX];
    size_t available = ft_target_read(capture->cache.target, first->unit.pc, now, sizeof now);
    while (first && (first->unit.code_bytes > available ||
                     memcmp(now, first->unit.code, first->unit.code_bytes) != 0))
        first = first->newer;
    return first;
}

struct change {
    const struct ft_capture *capture;
    bool is_new_mapping;
};

/* Code that is not executable now may become so again, unchanged. A translation that checks its
 * code is valid as long as the code may run at all. */
static enum ft_translation_fate fate_of(void *context, const struct ft_translation *translation)
{
    const struct change *change = context;
    const struct ft_code_mapping *mapping = ft_mappings_find(change->capture, translation->unit.pc);
    if (!mapping)
        return change->is_new_mapping ? FT_TRANSLATION_FORGET : FT_TRANSLATION_CLOSE;
    bool is_right = translation->changed ||
                    (!mapping->may_change && is_unmoved(change->capture, &translation->unit) &&
                     ft_mappings_holds(change->capture, translation));
    bool is_of_module = !translation->unit.id || translation->unit.module == mapping->module;
    return is_right && is_of_module ? FT_TRANSLATION_KEEP : FT_TRANSLATION_FORGET;
}

bool ft_mappings_allow(const struct ft_capture *capture, const struct ft_translation *translation)
{
    struct change none = {.capture = capture};
    return fate_of(&none, translation) == FT_TRANSLATION_KEEP;
}

int ft_mappings_changed(struct ft_capture *capture, uint64_t start, uint64_t end,
                        bool is_new_mapping, struct ft_diag *diag)
{
    size_t forgotten = 0;
    forget_pages(capture, start, end);
    for (size_t i = 0; is_new_mapping && i < capture->module_count; i++)
        if (capture->module_starts[i] >= start && capture->module_starts[i] < end)
            capture->module_starts[i] = 0; /* mapped again, it is another module */
    int status = ft_mappings_refresh(capture, diag);
    if (status == FT_OK)
        status = ft_code_cache_revise(&capture->cache, start, end, fate_of,
                                      &(struct change){capture, is_new_mapping}, &forgotten, diag);
    if (forgotten > 0)
        ft_drain_add_event(
            capture->drain,
            &(struct ft_event){.kind = FT_EVENT_CODE_CHANGED, .b = start, .c = end - start});
    return status;
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

/* Code that may change, read again: up to `available` bytes. */
static const uint8_t *read_changing(const struct ft_capture *capture, uint64_t pc, size_t available,
                                    uint8_t *code, size_t *ret_count)
{
    *ret_count = ft_target_read(capture->cache.target, pc, code,
                                available < CODE_WANTED ? available : CODE_WANTED);
    return *ret_count > 0 ? code : NULL;
}

const uint8_t *ft_mappings_read_code(void *context, uint64_t pc, size_t *ret_count,
                                     bool *ret_may_change)
{
    static _Thread_local uint8_t joined[2 * PAGE];
    struct ft_capture *capture = context;
    const struct ft_code_mapping *mapping = ft_mappings_find(capture, pc);
    *ret_may_change = mapping && mapping->may_change;
    if (!mapping)
        return NULL;
    uint64_t first = pc & ~(uint64_t)(PAGE - 1);
    size_t offset = pc - first, count = PAGE - offset;
    const struct ft_code_mapping *next_mapping =
        count < CODE_WANTED ? ft_mappings_find(capture, first + PAGE) : NULL;
    *ret_may_change |= next_mapping && next_mapping->may_change;
    if (*ret_may_change)
        return read_changing(capture, pc, next_mapping ? CODE_WANTED : count, joined, ret_count);
    const struct ft_code_page *page = find_page(capture, first);
    if (!page)
        return NULL;
    *ret_count = count;
    if (count >= CODE_WANTED)
        return page->bytes + offset;
    memcpy(joined, page->bytes + offset, count);
    const struct ft_code_page *next = next_mapping ? find_page(capture, first + PAGE) : NULL;
    if (next) {
        memcpy(joined + count, next->bytes, PAGE);
        *ret_count += PAGE;
    }
    return joined;
}

void ft_mappings_fini(struct ft_capture *capture)
{
    forget_pages(capture, 0, UINT64_MAX);
    free(capture->pages);
    for (size_t i = 0; i < capture->module_count; i++)
        free(capture->module_paths[i]);
    ft_watched_fini(&capture->watched);
    ft_mpi_handles_fini(&capture->mpi_handles);
    free(capture->module_paths);
    free(capture->module_starts);
    free(capture->mappings);
}
