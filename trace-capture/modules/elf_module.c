/*
 * Opens the object, checks that it is one we can trace, takes its identity and extent from the
 * program headers, then lets the readers of module_builder.h fill the tables: symbols from the
 * object and its debug file, lines and inlined calls from whichever of the two has DWARF.
 *
 * Only libelf and libdw proper are used: libdwfl is the part of elfutils that knows debuginfod
 * servers, and it is slow besides.
 */
#include "trace-capture/modules/elf_module.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace-capture/modules/module_builder.h"

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

static bool has_dwarf(Elf *elf)
{
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
            return header.sh_type != SHT_NOBITS;
    }
    return false;
}

static int read_tables(struct ft_module *module, Elf *elf, const struct extent *code,
                       struct ft_diag *diag)
{
    struct ft_debug_file debug;
    ft_debug_file_open(elf, module->path, module, &debug);
    struct ft_module_builder builder;
    ft_module_builder_init(&builder, module);
    builder.code_start = code->start;
    builder.code_end = code->end;
    ft_module_builder_read_symbols(&builder, elf, debug.elf);

    Elf *with_dwarf = has_dwarf(elf) ? elf : debug.elf;
    Dwarf *dwarf = has_dwarf(with_dwarf) ? dwarf_begin_elf(with_dwarf, DWARF_C_READ, NULL) : NULL;
    if (dwarf) {
        ft_module_builder_read_lines(&builder, dwarf);
        ft_module_builder_read_inlines(&builder, dwarf);
    }
    ft_module_builder_read_variables(&builder, elf, debug.elf, dwarf);
    if (dwarf)
        dwarf_end(dwarf);
    bool failed = builder.failed;
    ft_module_builder_fini(&builder);
    ft_debug_file_close(&debug);
    return failed ? ft_fail_memory(diag, "the tables of a module") : 0;
}

static int read_object(Elf *elf, const char *name, uint64_t load_bias, struct ft_module *module,
                       struct ft_diag *diag)
{
    module->load_bias = load_bias;
    module->path = strdup(name);
    if (!module->path)
        return ft_fail_memory(diag, "the name of a module");
    struct extent code = {0, 0};
    int status = check_kind(elf, name, diag);
    if (status == 0)
        status = read_segments(module, elf, name, &code, diag);
    if (status != 0)
        return status;
    ft_module_read_build_id(module, elf);
    return read_tables(module, elf, &code, diag);
}

static int hash_file(int fd, const char *path, uint8_t sha256[SHA256_DIGEST_SIZE],
                     struct ft_diag *diag)
{
    struct sha256_ctx context;
    sha256_init(&context);
    uint8_t piece[1 << 16];
    ssize_t count;
    for (off_t offset = 0; (count = pread(fd, piece, sizeof piece, offset)) != 0; offset += count) {
        if (count < 0)
            return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
        sha256_update(&context, (size_t)count, piece);
    }
    sha256_digest(&context, SHA256_DIGEST_SIZE, sha256);
    return 0;
}

int ft_elf_module_read(const char *path, uint64_t load_bias, struct ft_module *ret_module,
                       struct ft_diag *diag)
{
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    struct ft_module module = {0};
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    int status = elf ? read_object(elf, path, load_bias, &module, diag)
                     : ft_fail(diag, FT_ERROR_DATA, "%s: not an ELF object", path);
    if (status == 0)
        status = hash_file(fd, path, module.sha256, diag);
    elf_end(elf);
    close(fd);
    if (status == 0)
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
    Elf *elf = elf_memory((char *)copy, bytes);
    int status = elf ? read_object(elf, name, load_bias, &module, diag)
                     : ft_fail(diag, FT_ERROR_DATA, "%s: not an ELF object", name);
    if (status == 0) {
        struct sha256_ctx context;
        sha256_init(&context);
        sha256_update(&context, bytes, image);
        sha256_digest(&context, SHA256_DIGEST_SIZE, module.sha256);
    }
    elf_end(elf);
    free(copy);
    if (status == 0)
        *ret_module = module;
    else
        ft_module_fini(&module);
    return status;
}
