/*
 * References of all training sizes, sorted so that the same one of several sizes stands together.
 * Of each its accesses per execution are taken from where it ran most, and must hold at all others,
 * those included that executed its block and not the reference itself.
 */
#include "fit/counted_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "formats/scopes/block_index.h"

/* A reference at one training size. */
struct item {
    uint32_t module; /* of the last entry */
    uint32_t kind;   /* access index and size */
    uint64_t offset;
    uint32_t entry; /* of the training sizes */
    uint32_t group;
    double accesses;
};

static int compare_references(const struct item *a, const struct item *b)
{
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    const int order = compare_references(a, b);
    return order ? order : (a->entry > b->entry) - (a->entry < b->entry);
}

struct gathering {
    const struct ft_counted_sizes *sizes;
    const struct ft_match *match;
    struct ft_block_index *indices; /* [entry of the counted sizes] */
    uint32_t **modules;             /* [entry][module of the last entry] */
    struct item *items;
    size_t item_count;
    struct ft_counted_accesses *accesses;
};

static void gathering_fini(struct gathering *gathering)
{
    for (size_t e = 0; e < gathering->sizes->count; e++) {
        if (gathering->indices)
            ft_block_index_fini(&gathering->indices[e]);
        if (gathering->modules)
            free(gathering->modules[e]);
    }
    free(gathering->indices);
    free(gathering->modules);
    free(gathering->items);
}

static bool index_blocks(struct gathering *gathering)
{
    const size_t count = gathering->sizes->count;
    const struct ft_scopes *last = &gathering->sizes->entries[count - 1]->scopes;
    gathering->indices = calloc(count, sizeof *gathering->indices);
    gathering->modules = calloc(count, sizeof *gathering->modules);
    bool done = gathering->indices && gathering->modules;
    for (size_t e = 0; e < count && done; e++) {
        const struct ft_scopes *scopes = &gathering->sizes->entries[e]->scopes;
        gathering->modules[e] = ft_map_modules(last, scopes);
        done = gathering->modules[e] && ft_block_index_init(&gathering->indices[e], scopes);
    }
    return done;
}

/* How often the block of a reference ran at an entry of the counted sizes. */
static double executions(const struct gathering *gathering, const struct item *item, size_t entry)
{
    const uint32_t module = gathering->modules[entry][item->module];
    const struct ft_block *block =
        module == FT_NO_MODULE
            ? NULL
            : ft_block_index_find(&gathering->indices[entry], module, item->offset);
    return block ? (double)block->execution_count : 0;
}

/* The references of a training size; those of modules that the largest one lacks, or of none, have
 * no counts at other sizes. */
static bool list_items(struct gathering *gathering, size_t entry)
{
    const size_t alone = gathering->sizes->alone, columns = gathering->sizes->count;
    const struct ft_histograms *from = gathering->sizes->entries[alone + entry];
    const struct ft_scopes *last = &gathering->sizes->entries[columns - 1]->scopes;
    struct ft_counted_accesses *accesses = gathering->accesses;
    uint32_t *modules = ft_map_modules(&from->scopes, last);
    for (size_t i = 0; modules && i < from->scopes.reference_count; i++) {
        const struct ft_scoped_reference *reference = &from->scopes.references[i];
        const uint32_t group = gathering->match->group_of[entry][i];
        const uint32_t module =
            reference->module == FT_NO_MODULE ? FT_NO_MODULE : modules[reference->module];
        if (group == FT_NO_GROUP || from->reference_accesses[i] == 0)
            continue;
        accesses->counts[group * columns + gathering->sizes->columns[alone + entry]] +=
            (double)from->reference_accesses[i];
        if (module == FT_NO_MODULE)
            accesses->known[group] = false;
        else
            gathering->items[gathering->item_count++] =
                (struct item){.module = module,
                              .kind = reference->size_bytes << 8 | reference->access_index,
                              .offset = reference->offset,
                              .entry = (uint32_t)entry,
                              .group = group,
                              .accesses = (double)from->reference_accesses[i]};
    }
    free(modules);
    return modules != NULL;
}

/* One reference at all the sizes that have it. */
static void add_reference(const struct gathering *gathering, const struct item *items, size_t count)
{
    const struct ft_counted_sizes *sizes = gathering->sizes;
    double by_entry[FT_TRAINING_MAX] = {0}, accesses = 0, most = 0;
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        const double ran = executions(gathering, &items[i], sizes->alone + items[i].entry);
        known = known && by_entry[items[i].entry] == 0 && items[i].group == items[0].group;
        by_entry[items[i].entry] = items[i].accesses;
        if (ran > most) {
            most = ran;
            accesses = items[i].accesses;
        }
    }
    for (size_t e = sizes->alone; e < sizes->count && known; e++)
        known = by_entry[e - sizes->alone] * most == accesses * executions(gathering, items, e);
    for (size_t i = 0; i < count && !known; i++)
        gathering->accesses->known[items[i].group] = false;
    for (size_t e = 0; e < sizes->alone && known && most > 0; e++)
        gathering->accesses->counts[items[0].group * sizes->count + sizes->columns[e]] +=
            executions(gathering, items, e) * accesses / most;
}

static int gather(struct gathering *gathering, struct ft_diag *diag)
{
    const struct ft_counted_sizes *sizes = gathering->sizes;
    size_t references = 0;
    for (size_t e = sizes->alone; e < sizes->count; e++)
        references += sizes->entries[e]->scopes.reference_count;
    gathering->items = calloc(references + 1, sizeof *gathering->items);
    bool done = gathering->items && index_blocks(gathering);
    for (size_t e = 0; e < gathering->match->entry_count && done; e++)
        done = list_items(gathering, e);
    if (!done)
        return ft_fail_memory(diag, "the counted sizes");
    qsort(gathering->items, gathering->item_count, sizeof *gathering->items, compare_items);
    for (size_t first = 0, end; first < gathering->item_count; first = end) {
        const struct item *item = &gathering->items[first];
        for (end = first + 1; end < gathering->item_count; end++)
            if (compare_references(item, &gathering->items[end]) != 0)
                break;
        add_reference(gathering, item, end - first);
    }
    return FT_OK;
}

int ft_counted_accesses_gather(const struct ft_counted_sizes *sizes, const struct ft_match *match,
                               struct ft_counted_accesses *ret_accesses, struct ft_diag *diag)
{
    struct ft_counted_accesses accesses = {
        .counts = calloc(match->group_count * sizes->count + 1, sizeof *accesses.counts),
        .known = malloc(match->group_count + 1)};
    struct gathering gathering = {.sizes = sizes, .match = match, .accesses = &accesses};
    int status = FT_OK;
    if (accesses.counts && accesses.known) {
        memset(accesses.known, true, match->group_count);
        status = gather(&gathering, diag);
    } else {
        status = ft_fail_memory(diag, "the counted sizes");
    }
    gathering_fini(&gathering);
    if (status < 0)
        ft_counted_accesses_fini(&accesses);
    else
        *ret_accesses = accesses;
    return status;
}

void ft_counted_accesses_fini(struct ft_counted_accesses *accesses)
{
    free(accesses->counts);
    free(accesses->known);
    *accesses = (struct ft_counted_accesses){0};
}
