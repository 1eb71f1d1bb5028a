/*
 * Names are looked up in the module's symbol tables. Where a function returns is determined before
 * any of its code runs: at every return in its own extent, and in the extents that it jumps to (a
 * function that ends with a tail call returns where the callee does; compilers move cold code
 * elsewhere). Extents are those of the unwind tables, which stripped objects have too.
 * posix_memalign returns its result through a pointer: the functions that it calls return what it
 * stores there.
 *
 * In order: the lists of functions and returns; following code to its returns; the symbols of a
 * module; addresses that are only known after relocation.
 */
#include "trace-capture/tracer/watched_search.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/file_name.h"
#include "formats/trace/library_calls.h"
#include "formats/trace/mpi_functions.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/symbol_tables.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/translate/watched_functions.h"

#define EXTENT_BYTES_MAX (1U << 16)
#define EXTENTS_MAX      8192U /* that the functions of a module can reach */

/* A module that is being searched. */
struct search {
    struct ft_watched_functions *watched;
    struct ft_watched_module *module;
    const struct ft_target *target;
    struct ft_drain *drain;
    size_t first_return; /* index of the first that was added to watched->returns */
    bool has_mpi;        /* MPI is searched for */
    bool found_mpi;
    bool profiling_names; /* search for names of MPI's profiling layer, or for all others */
    struct ft_diag *diag;
};

/* Forgets what was mapped there before. */
static void forget_range(struct ft_watched_functions *watched, uint64_t start, uint64_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < watched->function_count; i++)
        if (watched->functions[i].pc < start || watched->functions[i].pc >= end)
            watched->functions[kept++] = watched->functions[i];
    watched->function_count = kept;
    kept = 0;
    for (size_t i = 0; i < watched->return_count; i++)
        if (watched->returns[i].end <= start || watched->returns[i].start >= end)
            watched->returns[kept++] = watched->returns[i];
    watched->return_count = kept;
    for (size_t i = 0; i < watched->module_count; i++)
        if (watched->modules[i].start < end && start < watched->modules[i].end)
            watched->modules[i].slot_count = 0;
}

/* Keeps the functions sorted; of two names of one function the first is kept. */
static int add_function(struct search *search, const struct ft_library_function *function,
                        const char *name, uint64_t pc, struct ft_diag *diag)
{
    struct ft_watched_functions *watched = search->watched;
    size_t at = watched->function_count;
    if (ft_watched_find(watched, pc, search->module->module))
        return FT_OK;
    if (!FT_RESERVE(watched->functions, watched->function_capacity, at + 1))
        return ft_fail_memory(diag, "the functions that are watched");
    for (; at > 0 && watched->functions[at - 1].pc > pc; at--)
        watched->functions[at] = watched->functions[at - 1];
    watched->functions[at] =
        (struct ft_watched_function){.pc = pc,
                                     .module = search->module->module,
                                     .number = ++watched->numbered,
                                     .argument_count = function->argument_count,
                                     .stops = function->class == FT_LIBRARY_MPI,
                                     .mpi = ft_mpi_function_find(name)};
    watched->function_count++;
    ft_drain_add_event(search->drain, &(struct ft_event){.kind = FT_EVENT_FUNCTION,
                                                         .a = watched->numbered,
                                                         .b = pc,
                                                         .c = function->class,
                                                         .text = (char *)(uintptr_t)name});
    return FT_OK;
}

static int compare_extents(const void *left, const void *right)
{
    const struct ft_symbol_candidate *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static const struct ft_symbol_candidate *extent_of(const struct search *search, uint64_t offset)
{
    const struct ft_symbol_candidates *extents = &search->module->extents;
    size_t low = FT_COUNT_UP_TO(extents->items, extents->count, start, offset);
    const struct ft_symbol_candidate *found = low ? &extents->items[low - 1] : NULL;
    return found && offset < found->end ? found : NULL;
}

/* The address of the pointer that a stub jumps through (endbr64; bnd jmp [rip+...]); 0: no such
 * stub. */
static uint64_t slot_of_stub(const struct ft_target *target, uint64_t pc)
{
    static const uint8_t mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[16] = {0};
    size_t at = 0;
    int32_t displacement;
    if (ft_target_read(target, pc, code, sizeof code) != sizeof code)
        return 0;
    if (memcmp(code, mark, sizeof mark) == 0)
        at = sizeof mark;
    at += code[at] == 0xf2;
    if (code[at] != 0xff || code[at + 1] != 0x25)
        return 0;
    memcpy(&displacement, code + at + 2, sizeof displacement);
    return pc + at + 6 + (uint64_t)(int64_t)displacement;
}

/* Notes that the returns in the extent of an address return results. */
static int add_returns(struct search *search, uint64_t pc, struct ft_diag *diag)
{
    struct ft_watched_functions *watched = search->watched;
    struct ft_watched_module *module = search->module;
    const struct ft_symbol_candidate *extent = extent_of(search, pc - module->bias);
    uint64_t slot = slot_of_stub(search->target, pc);
    if (slot && module->slot_count < sizeof module->slots / sizeof *module->slots)
        module->slots[module->slot_count++] = slot;
    if (slot || !extent || ft_watched_returns(watched, pc, module->module) ||
        watched->return_count - search->first_return >= EXTENTS_MAX)
        return FT_OK;
    if (!FT_RESERVE(watched->returns, watched->return_capacity, watched->return_count + 1))
        return ft_fail_memory(diag, "the functions that are watched");
    watched->returns[watched->return_count++] = (struct ft_watched_range){
        extent->start + module->bias, extent->end + module->bias, module->module};
    return FT_OK;
}

/* Follows the branches that leave [start, end), and, if `calls`, its calls. */
static int follow_code(struct search *search, uint64_t start, uint64_t end, bool calls,
                       struct ft_diag *diag)
{
    size_t bytes = end - start < EXTENT_BYTES_MAX ? end - start : EXTENT_BYTES_MAX;
    uint8_t *code = malloc(bytes);
    if (!code)
        return ft_fail_memory(diag, "a function");
    bytes = ft_target_read(search->target, start, code, bytes);
    int status = FT_OK;
    for (size_t at = 0; at < bytes && status == FT_OK;) {
        struct ft_instruction instruction;
        if (ft_instruction_decode(code + at, bytes - at, start + at, &instruction, NULL) < 0)
            break;
        bool leaves = instruction.flow == FT_FLOW_JUMP || instruction.flow == FT_FLOW_BRANCH ||
                      (calls && instruction.flow == FT_FLOW_CALL);
        if (leaves && (instruction.target < start || instruction.target >= end))
            status = add_returns(search, instruction.target, diag);
        at += instruction.length;
    }
    free(code);
    return status;
}

static int follow_returns(struct search *search, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = search->first_return; /* the list grows meanwhile */
         status == FT_OK && i < search->watched->return_count; i++)
        status = follow_code(search, search->watched->returns[i].start,
                             search->watched->returns[i].end, false, diag);
    return status;
}

/* The objects of Open MPI that its handles point to. */
static uint64_t *openmpi_object(struct ft_mpi_library *library, const char *name)
{
    if (strcmp(name, "ompi_mpi_group_empty") == 0)
        return &library->empty_group;
    if (strcmp(name, "ompi_mpi_group_null") == 0)
        return &library->null_group;
    if (strncmp(name, "ompi_mpi_comm_", 14) != 0)
        return NULL;
    return strcmp(name + 14, "world") == 0  ? &library->world
           : strcmp(name + 14, "self") == 0 ? &library->self
           : strcmp(name + 14, "null") == 0 ? &library->null
                                            : NULL;
}

static int look_at_object(void *context, const GElf_Sym *symbol, const char *name,
                          enum ft_symbol_source source)
{
    struct search *search = context;
    uint64_t *object = openmpi_object(&search->watched->mpi_library, name);
    (void)source;
    if (object && symbol->st_shndx != SHN_UNDEF && symbol->st_value) {
        search->watched->mpi_library.is_openmpi = true;
        *object = symbol->st_value + search->module->bias;
    }
    return FT_OK;
}

/* Where the handles of an MPI library point to: in the library, or in the program, which has copies
 * of objects that it refers to directly. */
static void find_handles(struct search *search, Elf *library)
{
    struct ft_watched_functions *watched = search->watched;
    struct ft_watched_module program = {.bias = watched->program_bias};
    struct search in_program = {.watched = watched, .module = &program};
    if (ft_symbol_tables_visit(library, look_at_object, search) < 0 ||
        !watched->mpi_library.is_openmpi || !watched->program_path)
        return;
    int fd = open(watched->program_path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf)
        ft_symbol_tables_visit(elf, look_at_object, &in_program);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

/* The first name of a function is kept: those of MPI's profiling layer come last. */
static int look_at_symbol(void *context, const GElf_Sym *symbol, const char *name,
                          enum ft_symbol_source source)
{
    struct search *search = context;
    const struct ft_watched_module *module = search->module;
    struct ft_diag *diag = search->diag;
    uint64_t pc = symbol->st_value + module->bias;
    (void)source;
    if ((*name == 'P') != search->profiling_names || GELF_ST_TYPE(symbol->st_info) != STT_FUNC ||
        symbol->st_shndx == SHN_UNDEF || pc < module->start || pc >= module->end)
        return FT_OK;
    const struct ft_library_function *function = ft_library_function_find(name);
    bool wanted =
        function &&
        (function->class == FT_LIBRARY_MPI ? search->has_mpi : search->watched->wanted.allocations);
    if (!wanted)
        return FT_OK;
    int status = add_function(search, function, name, pc, diag);
    const bool is_mpi = function->class == FT_LIBRARY_MPI; /* whose returns are awaited */
    search->found_mpi |= is_mpi;
    if (status == FT_OK && !is_mpi && function->result != FT_LIBRARY_NO_RESULT)
        status = add_returns(search, pc, diag);
    const struct ft_symbol_candidate *extent = extent_of(search, symbol->st_value);
    if (status == FT_OK && extent && function->result == FT_LIBRARY_STORED_POINTER)
        status = follow_code(search, extent->start + module->bias, extent->end + module->bias, true,
                             diag);
    return status;
}

static int look_through(struct search *search, Elf *elf, struct ft_diag *diag)
{
    search->diag = diag;
    int status = ft_symbol_tables_visit(elf, look_at_symbol, search);
    search->profiling_names = true;
    if (status == FT_OK)
        status = ft_symbol_tables_visit(elf, look_at_symbol, search);
    if (search->found_mpi)
        find_handles(search, elf);
    return status < 0 ? status : follow_returns(search, diag);
}

static bool is_mpi_library(const char *path)
{
    const char *name = ft_file_name(path);
    return strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libpmpi", 7) == 0;
}

int ft_watched_add_module(struct ft_watched_functions *watched, const struct ft_target *target,
                          struct ft_drain *drain, const char *path, uint32_t module,
                          uint64_t load_bias, uint64_t start, uint64_t end, struct ft_diag *diag)
{
    const bool has_mpi = watched->wanted.mpi == FT_WATCH_MPI_EVERYWHERE ||
                         (watched->wanted.mpi == FT_WATCH_MPI_LIBRARIES && is_mpi_library(path));
    if (!watched->program_path) {
        watched->program_path = strdup(path);
        watched->program_bias = load_bias;
        if (!watched->program_path)
            return ft_fail_memory(diag, "the functions that are watched");
    }
    if (!watched->wanted.allocations && !has_mpi)
        return FT_OK;
    forget_range(watched, start, end);
    if (!FT_RESERVE(watched->modules, watched->module_capacity, watched->module_count + 1))
        return ft_fail_memory(diag, "the functions that are watched");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FT_OK;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    struct ft_watched_module found = {
        .module = module, .bias = load_bias, .start = start, .end = end};
    struct search search = {.watched = watched,
                            .module = &found,
                            .target = target,
                            .drain = drain,
                            .has_mpi = has_mpi,
                            .first_return = watched->return_count};
    int status = FT_OK;
    if (elf && !ft_unwind_candidates(elf, &found.extents))
        status = ft_fail_memory(diag, "a module's unwind tables");
    if (found.extents.count)
        qsort(found.extents.items, found.extents.count, sizeof *found.extents.items,
              compare_extents);
    if (elf && status == FT_OK)
        status = look_through(&search, elf, diag);
    elf_end(elf);
    close(fd);
    if (found.slot_count == 0) { /* nothing is left to resolve */
        free(found.extents.items);
        found.extents = (struct ft_symbol_candidates){0};
    }
    watched->modules[watched->module_count++] = found;
    return status;
}

int ft_watched_on_translation(struct ft_watched_functions *watched, const struct ft_target *target,
                              uint64_t pc, uint32_t module, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t m = 0; m < watched->module_count && status == FT_OK; m++) {
        struct ft_watched_module *here = &watched->modules[m];
        for (unsigned i = 0; here->module == module && i < here->slot_count; i++) {
            uint64_t destination;
            if (ft_target_read(target, here->slots[i], &destination, sizeof destination) !=
                    sizeof destination ||
                destination != pc)
                continue;
            here->slots[i--] = here->slots[--here->slot_count];
            struct search search = {.watched = watched,
                                    .module = here,
                                    .target = target,
                                    .first_return = watched->return_count};
            status = add_returns(&search, pc, diag);
            if (status == FT_OK)
                status = follow_returns(&search, diag);
        }
    }
    return status;
}
