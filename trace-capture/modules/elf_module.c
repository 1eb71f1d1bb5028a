/*
 * Opens the object, checks that it is one we can trace, takes its identity and extent from the
 * program headers, then lets the readers of module_builder.h fill the tables: symbols and variables
 * from the object and its debug file. Whichever of the two has DWARF is kept for the units of that.
 * What an earlier capture read of the same files comes from the store.
 *
 * Only libelf and libdw proper are used: libdwfl is the part of elfutils that knows debuginfod
 * servers, and it is slow besides.
 */
#include "trace-capture/modules/elf_module.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/sha256.h"
#include "trace-capture/modules/dwarf_units_state.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/stored_module.h"

static int check_kind(Elf *elf, const char *name, struct ft_diag *diag)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return ft_fail(diag, FT_ERROR_DATA, "%s: not an ELF object", name);
    if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
        return ft_fail(diag, FT_ERROR_DATA, "%s: not a 64-bit x86-64 object", name);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return ft_fail(diag, FT_ERROR_DATA, "%s: neither an executable nor a shared object", name);
    return 0;
}

void ft_module_read_build_id(struct ft_module *module, Elf *elf)
{
    const void *build_id;
    ssize_t bytes = dwelf_elf_gnu_build_id(elf, &build_id);
    if (bytes <= 0 || (size_t)bytes > sizeof module->build_id)
        return;
    memcpy(module->build_id, build_id, (size_t)bytes);
    module->build_id_bytes = (uint32_t)bytes;
}

struct extent {
    uint64_t start, end;
};

static void widen(struct extent *extent, const GElf_Phdr *segment)
{
    if (segment->p_vaddr < extent->start)
        extent->start = segment->p_vaddr;
    if (segment->p_vaddr + segment->p_memsz > extent->end)
        extent->end = segment->p_vaddr + segment->p_memsz;
}

/* The extents of the module and of its code. */
static int read_segments(struct ft_module *module, Elf *elf, const char *name,
                         struct extent *ret_code, struct ft_diag *diag)
{
    size_t count = 0;
    struct extent all = {UINT64_MAX, 0}, code = {UINT64_MAX, 0};
    if (elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            continue;
        if (segment.p_type != PT_LOAD || segment.p_memsz > UINT64_MAX - segment.p_vaddr)
            continue;
        widen(&all, &segment);
        if (segment.p_flags & PF_X)
            widen(&code, &segment);
    }
    if (all.start >= all.end)
        return ft_fail(diag, FT_ERROR_DATA, "%s: no segment to load", name);
    module->start = all.start;
    module->end = all.end;
    *ret_code = code;
    return 0;
}

Elf_Scn *ft_elf_section(Elf *elf, const char *name, GElf_Shdr *ret_header)
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *found =
            gelf_getshdr(section, ret_header) ? elf_strptr(elf, names, ret_header->sh_name) : NULL;
        if (found && strcmp(found, name) == 0)
            return section;
    }
    return NULL;
}

static bool has_dwarf(Elf *elf)
{
    GElf_Shdr header;
    return elf &&
           (ft_elf_section(elf, ".debug_info", &header) ||
            ft_elf_section(elf, ".zdebug_info", &header)) &&
           header.sh_type != SHT_NOBITS;
}

/* Symbols and variables; the units that are left to read, NULL where there is no DWARF. */
static int read_tables(struct ft_module *module, Elf *elf, int fd, const struct extent *code,
                       struct ft_debug_file *debug, struct ft_dwarf_units **ret_units,
                       struct ft_diag *diag)
{
    static const struct ft_symbol_candidates none;
    struct ft_symbol_candidates objects = {0};
    struct ft_module_builder builder;
    ft_module_builder_init(&builder, module);
    ft_module_builder_read_symbols(&builder, elf, debug->elf);
    if (ft_object_candidates(elf, debug->elf, &objects))
        ft_module_builder_variables(&builder, &objects, &none);
    else
        builder.failed = true;
    int status = builder.failed ? ft_fail_memory(diag, "the tables of a module") : FT_OK;
    bool in_object = has_dwarf(elf);
    if (status == FT_OK && (in_object || has_dwarf(debug->elf)))
        status =
            ft_dwarf_units_create(in_object ? elf : debug->elf, in_object ? fd : debug->fd,
                                  !in_object, code->start, code->end, &objects, ret_units, diag);
    ft_module_builder_fini(&builder);
    free(objects.items);
    return status;
}

/* What the file headers say; its debug file is opened, and left open. */
static int read_identity(Elf *elf, const char *name, uint64_t load_bias, struct ft_module *module,
                         struct extent *ret_code, struct ft_debug_file *debug, struct ft_diag *diag)
{
    module->load_bias = load_bias;
    module->path = strdup(name);
    if (!module->path)
        return ft_fail_memory(diag, "the name of a module");
    FT_TRY(check_kind(elf, name, diag));
    FT_TRY(read_segments(module, elf, name, ret_code, diag));
    ft_module_read_build_id(module, elf);
    ft_debug_file_open(elf, module->path, module, debug);
    return FT_OK;
}

/* The module from the store; it has path and load bias already. */
static bool take_stored(const struct ft_module_store *store, const struct ft_module_key *key,
                        int fd, const struct ft_debug_file *debug, struct ft_module *module,
                        struct ft_dwarf_units **ret_units)
{
    struct ft_module stored;
    if (!ft_stored_module_read(store, key, fd, debug, &stored, ret_units))
        return false;
    stored.path = module->path;
    stored.load_bias = module->load_bias;
    *module = stored;
    return true;
}

/* The module from its file, which may have changed meanwhile; then it is not for the store. */
static int read_file(struct ft_module_store *store, struct ft_module_key *key, Elf *elf, int fd,
                     const struct extent *code, struct ft_debug_file *debug,
                     struct ft_module *module, struct ft_dwarf_units **ret_units,
                     struct ft_diag *diag)
{
    struct ft_module_key after;
    FT_TRY(read_tables(module, elf, fd, code, debug, ret_units, diag));
    FT_TRY(ft_sha256_of_descriptor(fd, module->path, module->sha256, diag));
    if (!store)
        return FT_OK;
    ft_stored_module_key(module, fd, elf, debug, &after);
    key->is_usable &= after.is_usable && memcmp(key->digest, after.digest, sizeof key->digest) == 0;
    if (*ret_units)
        (*ret_units)->key = *key;
    else
        ft_stored_module_write(store, key, module, NULL);
    return FT_OK;
}

static int open_module(struct ft_module_store *store, Elf *elf, int fd, const char *path,
                       uint64_t load_bias, struct ft_debug_file *debug, struct ft_module *module,
                       struct ft_dwarf_units **ret_units, struct ft_diag *diag)
{
    struct extent code = {0, 0};
    struct ft_module_key key = {0};
    FT_TRY(read_identity(elf, path, load_bias, module, &code, debug, diag));
    if (store && module->build_id_bytes == 0)
        FT_TRY(ft_sha256_of_descriptor(fd, path, module->sha256, diag));
    if (store)
        ft_stored_module_key(module, fd, elf, debug, &key);
    if (store && take_stored(store, &key, fd, debug, module, ret_units))
        return FT_OK;
    return read_file(store, &key, elf, fd, &code, debug, module, ret_units, diag);
}

int ft_elf_module_open(const char *path, uint64_t load_bias, struct ft_module_store *store,
                       struct ft_module *ret_module, struct ft_dwarf_units **ret_units,
                       struct ft_diag *diag)
{
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    struct ft_module module = {0};
    struct ft_dwarf_units *units = NULL;
    struct ft_debug_file debug = {.fd = -1};
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    int status = elf ? open_module(store, elf, fd, path, load_bias, &debug, &module, &units, diag)
                     : ft_fail(diag, FT_ERROR_DATA, "%s: not an ELF object", path);
    ft_debug_file_close(&debug);
    elf_end(elf);
    close(fd);
    if (status != 0) {
        ft_module_fini(&module);
        ft_dwarf_units_destroy(units);
        return status;
    }
    *ret_module = module;
    *ret_units = units;
    return FT_OK;
}

int ft_elf_module_read(const char *path, uint64_t load_bias, struct ft_module *ret_module,
                       struct ft_diag *diag)
{
    struct ft_module module;
    struct ft_dwarf_units *units;
    FT_TRY(ft_elf_module_open(path, load_bias, NULL, &module, &units, diag));
    int status = units ? ft_dwarf_units_add(units, NULL, &module, diag) : FT_OK;
    ft_dwarf_units_destroy(units);
    if (status == FT_OK)
        *ret_module = module;
    else
        ft_module_fini(&module);
    return status;
}

int ft_elf_module_read_image(const uint8_t *image, size_t bytes, const char *name,
                             uint64_t load_bias, struct ft_module *ret_module, struct ft_diag *diag)
{
    elf_version(EV_CURRENT);
    /* libelf asks for memory that it may write to, though it only reads. */
    uint8_t *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        return ft_fail_memory(diag, "an image");
    memcpy(copy, image, bytes);
    struct ft_module module = {0};
    struct ft_dwarf_units *units = NULL;
    struct ft_debug_file debug = {.fd = -1};
    Elf *elf = elf_memory((char *)copy, bytes);
    struct extent code = {0, 0};
    int status = elf ? read_identity(elf, name, load_bias, &module, &code, &debug, diag)
                     : ft_fail(diag, FT_ERROR_DATA, "%s: not an ELF object", name);
    if (status == 0)
        status = read_tables(&module, elf, -1, &code, &debug, &units, diag);
    if (status == 0 && units)
        status = ft_dwarf_units_add(units, NULL, &module, diag);
    if (status == 0)
        ft_sha256_of_bytes(image, bytes, module.sha256);
    ft_dwarf_units_destroy(units);
    ft_debug_file_close(&debug);
    elf_end(elf);
    free(copy);
    if (status == 0)
        *ret_module = module;
    else
        ft_module_fini(&module);
    return status;
}
