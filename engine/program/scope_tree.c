/*
 * The tree in order of address: the program, each module with its routines, each routine with its
 * loops, where loops of the machine code that are one of the source are one scope.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/routine_names.h"
#include "engine/program/structure_building.h"
#include "formats/base/bytes.h"
#include "formats/base/demangle.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool copy_module(const struct ft_module *module, struct ft_scope_module *copy)
{
    copy->path = strdup(module->path ? module->path : "");
    copy->name = strdup(file_name(module->path ? module->path : ""));
    const uint8_t *bytes = module->build_id;
    size_t count = module->build_id_bytes;
    static const uint8_t no_hash[sizeof module->sha256];
    if (count == 0 && memcmp(module->sha256, no_hash, sizeof no_hash) != 0) {
        bytes = module->sha256;
        count = sizeof module->sha256;
    }
    ft_hex_text(bytes, count, copy->build_id);
    return copy->path && copy->name;
}

bool ft_building_copy_modules(struct ft_structure_building *building)
{
    size_t count = building->input->module_count;
    building->made.scopes.modules = calloc(count + 1, sizeof *building->made.scopes.modules);
    if (!building->made.scopes.modules)
        return false;
    for (size_t i = 0; i < count; i++) {
        building->made.scopes.module_count++;
        if (!copy_module(building->input->modules[i], &building->made.scopes.modules[i]))
            return false;
    }
    return true;
}

/* A new scope without counts; false when out of memory. name is taken over. */
static bool add_scope(struct ft_structure_building *building, const struct ft_scope *scope,
                      char *name, const char *file, uint32_t context_depth)
{
    struct ft_scopes *scopes = &building->made.scopes;
    struct ft_scope *added = &scopes->scopes[scopes->scope_count];
    *added = *scope;
    added->name = name;
    added->file = strdup(file);
    building->made.context_depth[scopes->scope_count] = context_depth;
    scopes->scope_count++;
    return added->name && added->file;
}

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    if (vasprintf(&made, format, arguments) < 0)
        made = NULL;
    va_end(arguments);
    return made;
}

static bool add_module(struct ft_structure_building *building, uint32_t index)
{
    const struct ft_module *module = ft_building_module(building, index);
    struct ft_scope scope = {.kind = FT_SCOPE_MODULE, .module = index};
    if (module) {
        scope.start_offset = module->start;
        scope.end_offset = module->end;
    }
    return add_scope(building, &scope,
                     strdup(module ? building->made.scopes.modules[index].name : "unknown"), "", 0);
}

static bool add_routine(struct ft_structure_building *building, uint32_t parent, uint32_t index)
{
    const struct ft_routine *routine = &building->made.routines.items[index];
    const struct ft_module *module = ft_building_module(building, routine->module);
    struct ft_source_range range = {0};
    if (module && !routine->in_gap)
        range = ft_source_of_routine(module, routine->start, routine->end);
    struct ft_scope scope = {
        .parent = parent,
        .module = routine->module,
        .kind = FT_SCOPE_ROUTINE,
        .first_line = range.first_line,
        .last_line = range.last_line,
        .start_offset = routine->start,
        .end_offset = routine->end,
    };
    building->made.scope_of_routine[index] = (uint32_t)building->made.scopes.scope_count;
    char *name = *routine->symbol  ? ft_routine_name(routine->symbol)
                 : !module         ? strdup(FT_NAMELESS)
                 : routine->in_gap ? text(FT_NAMELESS_CODE "%" PRIx64, routine->start)
                                   : text(FT_NAMELESS_ROUTINE "%" PRIx64, routine->start);
    return add_scope(building, &scope, name, module ? module->strings + range.file : "", 0);
}

/* The inlined calls around the loop whose scope was added last. */
static bool add_inlined(struct ft_structure_building *building, uint32_t index,
                        const struct ft_module *module)
{
    const struct ft_program_loops *loops = &building->made.loops;
    const struct ft_program_loop *loop = &loops->items[index];
    struct ft_scopes *scopes = &building->made.scopes;
    for (uint32_t i = 0; module && i < loop->context_depth; i++) {
        const struct ft_inline *call = &loops->calls[loop->first_call + i];
        struct ft_inlined_call *added = &scopes->inlined[scopes->inlined_count++];
        added->scope = (uint32_t)scopes->scope_count - 1;
        added->call_line = call->call_line;
        added->name = ft_demangle(module->strings + call->name);
        added->call_file = strdup(module->strings + call->call_file);
        if (!added->name || !added->call_file)
            return false;
    }
    return true;
}

static bool add_loop(struct ft_structure_building *building, uint32_t index)
{
    const struct ft_program_loop *loop = &building->made.loops.items[index];
    const struct ft_flow_block *header = &building->made.graph.blocks[loop->header];
    const struct ft_module *module = ft_building_module(building, header->module);
    if (loop->same_as != index) {
        building->made.scope_of_loop[index] = building->made.scope_of_loop[loop->same_as];
        return true;
    }
    uint32_t parent = loop->parent == FT_NO_LOOP ? building->made.scope_of_routine[loop->routine]
                                                 : building->made.scope_of_loop[loop->parent];
    struct ft_scope scope = {
        .parent = parent,
        .module = header->module,
        .kind = FT_SCOPE_LOOP,
        .loop_depth = (uint8_t)(building->made.scopes.scopes[parent].loop_depth + 1),
        .first_line = loop->range.first_line,
        .last_line = loop->range.last_line,
        .start_offset = header->offset,
        .end_offset = loop->end_offset,
    };
    const char *file = module ? module->strings + loop->range.file : "";
    building->made.scope_of_loop[index] = (uint32_t)building->made.scopes.scope_count;
    char *name = loop->range.first_line
                     ? text("loop at %s:%" PRIu32, file_name(file), loop->range.first_line)
                     : text("loop at 0x%" PRIx64, header->offset);
    return add_scope(building, &scope, name, file, loop->context_depth) &&
           add_inlined(building, index, module);
}

bool ft_building_add_scopes(struct ft_structure_building *building)
{
    const struct ft_routines *routines = &building->made.routines;
    size_t max = 1 + 2 * routines->count + building->made.loops.count;
    building->made.scopes.scopes = calloc(max, sizeof *building->made.scopes.scopes);
    building->made.context_depth = calloc(max, sizeof *building->made.context_depth);
    building->made.scope_of_routine = calloc(routines->count + 1, sizeof(uint32_t));
    building->made.scope_of_loop = calloc(building->made.loops.count + 1, sizeof(uint32_t));
    building->made.scopes.inlined =
        calloc(building->made.loops.call_count + 1, sizeof *building->made.scopes.inlined);
    if (!building->made.scopes.scopes || !building->made.scopes.inlined ||
        !building->made.context_depth || !building->made.scope_of_routine ||
        !building->made.scope_of_loop)
        return false;
    const char *program = building->input->program ? building->input->program : "program";
    struct ft_scope root = {.kind = FT_SCOPE_PROGRAM, .module = FT_NO_MODULE};
    if (!add_scope(building, &root, strdup(file_name(program)), "", 0))
        return false;
    uint32_t module_scope = 0, loop = 0;
    for (uint32_t r = 0; r < routines->count; r++) {
        if (r == 0 || routines->items[r].module != routines->items[r - 1].module) {
            module_scope = (uint32_t)building->made.scopes.scope_count;
            if (!add_module(building, routines->items[r].module))
                return false;
        }
        if (!add_routine(building, module_scope, r))
            return false;
        for (; loop < building->made.loops.count && building->made.loops.items[loop].routine == r;
             loop++)
            if (!add_loop(building, loop))
                return false;
    }
    return true;
}
