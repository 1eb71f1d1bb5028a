/*
 * Each call of the machine code becomes the routines that were inlined there, innermost first, and
 * the routine of the symbol table. Leading ones that only hand memory on are skipped, unless
 * nothing else is there.
 */
#include "engine/data/allocation_site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/routine_names.h"
#include "formats/base/demangle.h"
#include "formats/base/file_name.h"

#define INLINES_MAX 32
#define CALLERS_MAX (FT_SITE_FRAMES_MAX * (INLINES_MAX + 1))

struct caller {
    const struct ft_module *module; /* NULL: code outside of all */
    const char *routine;            /* as in the file; "" or NULL where unknown */
    const char *file;
    uint32_t line; /* 0: unknown */
    uint64_t offset;
};

/* The routines of one call, innermost first; how many. */
static size_t expand_call(const struct ft_trace *trace, uint64_t return_pc, struct caller *callers)
{
    uint32_t number;
    uint64_t offset;
    if (!ft_trace_locate(trace, return_pc - 1, &number, &offset)) {
        callers[0] = (struct caller){.offset = return_pc};
        return 1;
    }
    const struct ft_module *module = ft_trace_module(trace, number);
    const struct ft_symbol *symbol = ft_module_symbol(module, offset);
    const struct ft_line *line = ft_module_line(module, offset);
    const struct ft_inline *chain[INLINES_MAX];
    size_t inlined = ft_module_inline_chain(module, offset, chain, INLINES_MAX);
    const char *file = line ? module->strings + line->file : "";
    uint32_t at = line ? line->line : 0;
    for (size_t i = 0; i < inlined; i++) {
        const struct ft_inline *call = chain[inlined - 1 - i];
        callers[i] = (struct caller){module, module->strings + call->name, file, at, offset};
        file = module->strings + call->call_file;
        at = call->call_line;
    }
    callers[inlined] = (struct caller){module, symbol ? module->strings + symbol->name : NULL, file,
                                       at, offset + 1};
    return inlined + 1;
}

/* Whether a routine is of the C++ library's templates, or operator new, or of the module whose
 * function gave the memory. */
static bool hands_on(const struct caller *caller, const struct ft_module *giver)
{
    static const char *const library[] = {"_ZNSt",         "_ZNKSt", "_ZSt",
                                          "_ZN9__gnu_cxx", "_Znw",   "_Zna"};
    for (size_t i = 0; caller->routine && i < sizeof library / sizeof *library; i++)
        if (strncmp(caller->routine, library[i], strlen(library[i])) == 0)
            return true;
    return giver && caller->module == giver;
}

static bool is_same(const struct caller *a, const struct caller *b)
{
    return a->module == b->module && a->line == b->line && a->routine == b->routine &&
           (a->line || a->offset == b->offset);
}

static bool is_new(const struct caller *callers, size_t first, size_t index)
{
    for (size_t i = first; i < index; i++)
        if (is_same(&callers[i], &callers[index]))
            return false;
    return true;
}

static void print_caller(const struct caller *caller, FILE *stream)
{
    char *name = caller->routine && *caller->routine ? ft_routine_name(caller->routine) : NULL;
    const char *module = caller->module ? ft_file_name(caller->module->path) : "";
    if (name && caller->line)
        fprintf(stream, "%s (%s:%" PRIu32 ")", name, ft_file_name(caller->file), caller->line);
    else if (name)
        fprintf(stream, "%s (%s+0x%" PRIx64 ")", name, module, caller->offset);
    else if (caller->module)
        fprintf(stream, "%s+0x%" PRIx64, module, caller->offset);
    else
        fprintf(stream, "0x%" PRIx64, caller->offset);
    free(name);
}

/* The module that a function is in, by its event; NULL where it is the program or unknown. */
static const struct ft_module *giver_of(const struct ft_trace *trace, const char *function,
                                        const struct caller *callers, size_t count)
{
    for (size_t i = 0; i < ft_trace_event_count(trace); i++) {
        const struct ft_event *event = ft_trace_event(trace, i);
        uint32_t module;
        uint64_t offset;
        if (event->kind == FT_EVENT_FUNCTION && event->text && strcmp(event->text, function) == 0 &&
            ft_trace_locate(trace, event->b, &module, &offset))
            return module ? ft_trace_module(trace, module) : NULL;
    }
    /* a system call: whoever is around the innermost routine */
    const struct ft_module *own = ft_trace_module_count(trace) ? ft_trace_module(trace, 0) : NULL;
    return count && callers[0].module != own ? callers[0].module : NULL;
}

static size_t first_owner(const struct caller *callers, size_t count, const struct ft_module *giver)
{
    for (size_t i = 0; i < count; i++)
        if (!hands_on(&callers[i], giver))
            return i;
    return 0;
}

char *ft_allocation_site_text(const struct ft_trace *trace, const char *function,
                              const uint64_t *return_pcs, size_t count, unsigned callers_wanted)
{
    struct caller *callers = calloc(CALLERS_MAX, sizeof *callers);
    char *text = NULL;
    size_t bytes, known = 0;
    FILE *stream = callers ? open_memstream(&text, &bytes) : NULL;
    if (!stream) {
        free(callers);
        return NULL;
    }
    for (size_t i = 0; i < count && i < FT_SITE_FRAMES_MAX; i++)
        known += expand_call(trace, return_pcs[i], callers + known);
    char *name = ft_demangle(function);
    fprintf(stream, "%s", name ? name : function);
    free(name);
    size_t first = first_owner(callers, known, giver_of(trace, function, callers, known));
    unsigned shown = 0;
    for (size_t i = first; i < known && shown < callers_wanted; i++) {
        if (!is_new(callers, first, i))
            continue;
        fputs(shown ? " < " : ": ", stream);
        print_caller(&callers[i], stream);
        shown++;
        if (callers[i].routine && strcmp(callers[i].routine, "main") == 0)
            break; /* what called it says nothing */
    }
    free(callers);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
