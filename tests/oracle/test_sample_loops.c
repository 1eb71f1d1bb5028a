/*
 * The loops of the samples as the compiler made them, without running them: units are planned from
 * the start of each routine along all branches, as if each ran once. Every loop that a source
 * marks must be found, with its lines and its nesting.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/structure.h"
#include "formats/x86/log_plan.h"
#include "tests/support/loop_markers.h"
#include "tests/support/tap.h"
#include "trace-capture/modules/elf_module.h"

#define LOAD_BIAS UINT64_C(0x555500000000)
#define UNITS_MAX 4000

struct walk {
    uint8_t *file;
    size_t file_bytes;
    struct ft_unit units[UNITS_MAX]; /* by id */
    const struct ft_unit *pointers[UNITS_MAX];
    uint64_t executions[UNITS_MAX];
    uint64_t loop_entries[UNITS_MAX];
    struct ft_unit_edge edges[4 * UNITS_MAX];
    uint32_t unit_count; /* highest id + 1 */
    size_t edge_count;
};

static struct walk walk;

static bool read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    walk.file_bytes = (size_t)ftell(file);
    rewind(file);
    walk.file = malloc(walk.file_bytes);
    bool complete = walk.file && fread(walk.file, 1, walk.file_bytes, file) == walk.file_bytes;
    fclose(file);
    return complete;
}

/* The code at pc, from the file; NULL outside executable segments. */
static const uint8_t *code_at(uint64_t pc, size_t *ret_available)
{
    Elf64_Ehdr header;
    memcpy(&header, walk.file, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, walk.file + header.e_phoff + i * sizeof segment, sizeof segment);
        uint64_t offset = pc - LOAD_BIAS - segment.p_vaddr;
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || offset >= segment.p_filesz)
            continue;
        *ret_available = segment.p_filesz - offset;
        return walk.file + segment.p_offset + offset;
    }
    return NULL;
}

static uint32_t unit_at(uint64_t pc)
{
    for (uint32_t id = 1; id < walk.unit_count; id++)
        if (walk.units[id].pc == pc)
            return id;
    size_t available = 0;
    const uint8_t *code = code_at(pc, &available);
    struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    if (!code || walk.unit_count == UNITS_MAX ||
        ft_unit_plan(code, available, pc, &limits, &walk.units[walk.unit_count], NULL) != 0)
        return 0;
    uint32_t id = walk.unit_count++;
    walk.units[id].id = id;
    walk.units[id].module = 0;
    walk.pointers[id] = &walk.units[id];
    walk.executions[id] = 1;
    return id;
}

static void follow(uint32_t from, uint64_t pc)
{
    uint32_t to = unit_at(pc);
    if (to && walk.edge_count < sizeof walk.edges / sizeof *walk.edges)
        walk.edges[walk.edge_count++] = (struct ft_unit_edge){from, to, 1};
}

static void walk_routines(const struct ft_module *module)
{
    walk.unit_count = 1;
    for (size_t i = 0; i < module->symbol_count; i++)
        if (ft_module_line(module, module->symbols[i].start))
            unit_at(module->symbols[i].start + LOAD_BIAS);
    for (uint32_t id = 1; id < walk.unit_count; id++) {
        const struct ft_unit *unit = &walk.units[id];
        const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
        uint8_t flow = last->flow;
        if (flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP)
            follow(id, last->target);
        if (flow == FT_FLOW_NEXT || flow == FT_FLOW_BRANCH || flow == FT_FLOW_SYSCALL)
            follow(id, last->pc + last->length);
        if (flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT)
            unit_at(last->pc + last->length);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOURCE PROGRAM\n", argv[0]);
        return 2;
    }
    struct ft_module module;
    struct ft_diag diag = {0};
    if (!tap_ok(read_whole(argv[2]) && ft_elf_module_read(argv[2], LOAD_BIAS, &module, &diag) == 0,
                "read %s %s", argv[2], diag.message))
        return tap_plan_done();
    walk_routines(&module);
    tap_ok(walk.unit_count < UNITS_MAX, "%u units", walk.unit_count - 1);
    const struct ft_module *modules = &module;
    struct ft_execution_counts counts = {
        .units = walk.executions,
        .loop_entries = walk.loop_entries,
        .edges = walk.edges,
        .edge_count = walk.edge_count,
    };
    struct ft_structure_input input = {
        .program = argv[2],
        .units = walk.pointers,
        .unit_count = walk.unit_count,
        .modules = &modules,
        .module_count = 1,
        .counts = &counts,
    };
    struct ft_scopes scopes;
    if (tap_ok(ft_structure_build_from(&input, &scopes, &diag) == 0, "structure %s",
               diag.message)) {
        loop_markers_check(&scopes, argv[1], NULL, 0, tap_ok);
        ft_scopes_fini(&scopes);
    }
    for (uint32_t id = 1; id < walk.unit_count; id++)
        ft_unit_fini(&walk.units[id]);
    ft_module_fini(&module);
    free(walk.file);
    return tap_plan_done();
}
