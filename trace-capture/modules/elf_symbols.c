/*
 * From overlapping symbols to a sorted table without overlaps.
 *
 * Candidates are the functions of .symtab and .dynsym of the object and of its debug file, labels
 * without a type in executable sections (assembly code), and the routines of .eh_frame. They are
 * sorted by start; of several at one start the preferred name stays, with the largest extent: a
 * function before a label before an unwind entry, a visible name before a local one, then fewer
 * leading underscores, then the shorter name, then the alphabet (so `malloc`, not `__libc_malloc`).
 * Labels and unwind entries inside a function are dropped. Where the remaining ones overlap, the
 * innermost symbol wins; an outer one continues after it.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/symbol_tables.h"

static size_t leading_underscores(const struct ft_symbol_candidate *candidate)
{
    size_t count = 0;
    while (count < candidate->name_length && candidate->name[count] == '_')
        count++;
    return count;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_candidates(const void *left, const void *right)
{
    const struct ft_symbol_candidate *a = left, *b = right;
    int order = compare_numbers(a->start, b->start);
    if (order == 0)
        order = compare_numbers(a->rank, b->rank);
    if (order == 0)
        order = (int)a->local - (int)b->local;
    if (order == 0)
        order = compare_numbers(leading_underscores(a), leading_underscores(b));
    if (order == 0)
        order = compare_numbers(a->name_length, b->name_length);
    if (order == 0 && a->name_length)
        order = memcmp(a->name, b->name, a->name_length);
    return order ? order : (int)a->source - (int)b->source;
}

bool ft_symbol_candidate_make(Elf *elf, const GElf_Sym *symbol, const char *name, GElf_Xword wanted,
                              GElf_Xword refused, struct ft_symbol_candidate *ret_candidate)
{
    GElf_Shdr section;
    if (symbol->st_shndx == SHN_UNDEF || !*name ||
        !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section) ||
        (section.sh_flags & wanted) != wanted || section.sh_flags & refused ||
        symbol->st_value < section.sh_addr || symbol->st_value - section.sh_addr >= section.sh_size)
        return false;
    uint64_t limit = section.sh_addr + section.sh_size;
    uint64_t room = limit - symbol->st_value;
    *ret_candidate = (struct ft_symbol_candidate){
        .start = symbol->st_value,
        .end = symbol->st_value + (symbol->st_size < room ? symbol->st_size : room),
        .limit = limit,
        .name = name,
        .name_length = strcspn(name, "@"), /* without the symbol's version */
        .local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL,
    };
    return true;
}

int ft_symbol_candidates_add(struct ft_symbol_candidates *candidates,
                             const struct ft_symbol_candidate *candidate)
{
    if (!FT_RESERVE(candidates->items, candidates->capacity, candidates->count + 1))
        return FT_ERROR_MEMORY;
    candidates->items[candidates->count++] = *candidate;
    return FT_OK;
}

struct symbols {
    Elf *elf;
    struct ft_symbol_candidates *candidates;
};

/* Appends the symbol if it is code; fails when out of memory. */
static int add_symbol(void *context, const GElf_Sym *symbol, const char *name,
                      enum ft_symbol_source source)
{
    const struct symbols *symbols = context;
    struct ft_symbol_candidate found;
    int type = GELF_ST_TYPE(symbol->st_info);
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if ((!function && type != STT_NOTYPE) ||
        !ft_symbol_candidate_make(symbols->elf, symbol, name, SHF_EXECINSTR, 0, &found))
        return FT_OK;
    found.source = (uint8_t)source;
    found.rank = function ? 0 : 1;
    return ft_symbol_candidates_add(symbols->candidates, &found);
}

static bool table_candidates(Elf *elf, struct ft_symbol_candidates *candidates)
{
    struct symbols symbols = {elf, candidates};
    return ft_symbol_tables_visit(elf, add_symbol, &symbols) == FT_OK;
}

/* Keeps one candidate for each start; drops labels and unwind entries inside a function; sets
 * unknown ends. */
static void merge_aliases(struct ft_symbol_candidates *candidates)
{
    struct ft_symbol_candidate *items = candidates->items;
    size_t kept = 0;
    uint64_t function_end = 0;
    for (size_t i = 0; i < candidates->count;) {
        struct ft_symbol_candidate best = items[i];
        for (; i < candidates->count && items[i].start == best.start; i++)
            if (items[i].end > best.end)
                best.end = items[i].end;
        if (best.rank > 0 && best.start < function_end)
            continue;
        if (best.end == best.start) {
            best.end = best.limit;
            if (i < candidates->count && items[i].start < best.limit)
                best.end = items[i].start;
        }
        if (best.rank == 0 && best.end > function_end)
            function_end = best.end;
        items[kept++] = best;
    }
    candidates->count = kept;
}

static void emit_symbol(struct ft_module_builder *builder, const struct ft_symbol_candidate *from,
                        uint64_t start, uint64_t end)
{
    struct ft_symbol symbol = {
        .start = start,
        .end = end,
        .name = ft_module_builder_string(builder, from->name, from->name_length),
        .source = from->source,
    };
    ft_module_builder_symbol(builder, &symbol);
}

/* Sweeps over the starts with a stack of the open symbols. */
static void emit_innermost(struct ft_module_builder *builder,
                           const struct ft_symbol_candidates *candidates,
                           ft_candidate_emitter *emit)
{
    const struct ft_symbol_candidate **open = malloc((candidates->count + 1) * sizeof *open);
    if (!open) {
        builder->failed = true;
        return;
    }
    size_t depth = 0;
    uint64_t position = 0;
    for (size_t i = 0; i <= candidates->count; i++) {
        uint64_t next = i < candidates->count ? candidates->items[i].start : UINT64_MAX;
        while (depth > 0 && open[depth - 1]->end <= next) {
            if (position < open[depth - 1]->end)
                emit(builder, open[depth - 1], position, open[depth - 1]->end);
            if (open[depth - 1]->end > position)
                position = open[depth - 1]->end;
            depth--;
        }
        if (depth > 0 && position < next)
            emit(builder, open[depth - 1], position, next);
        position = next;
        if (i < candidates->count)
            open[depth++] = &candidates->items[i];
    }
    free(open);
}

void ft_symbol_candidates_resolve(struct ft_module_builder *builder,
                                  struct ft_symbol_candidates *candidates,
                                  ft_candidate_emitter *emit)
{
    if (candidates->count == 0)
        return;
    qsort(candidates->items, candidates->count, sizeof *candidates->items, compare_candidates);
    merge_aliases(candidates);
    emit_innermost(builder, candidates, emit);
}

void ft_module_builder_read_symbols(struct ft_module_builder *builder, Elf *elf, Elf *debug_elf)
{
    struct ft_symbol_candidates candidates = {0};
    bool complete = table_candidates(elf, &candidates) &&
                    (!debug_elf || table_candidates(debug_elf, &candidates)) &&
                    ft_unwind_candidates(elf, &candidates);
    if (complete)
        ft_symbol_candidates_resolve(builder, &candidates, emit_symbol);
    builder->failed |= !complete;
    free(candidates.items);
}
