/*
 * 1. Modules of all entries get common numbers by build-id (by name if there is none).
 * 2. Scopes: each entry's are looked up in the last one's by key; one that is missing there maps to
 *    its parent.
 * 3. References of each entry are sorted by key. A merge of all entries' lists finds the keys that
 *    all have; each gets the list of its groups at each size, and sorting by that list gives the
 *    common refinement.
 */
#include "fit/matching/matched_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/x86/instruction.h"
#include "formats/x86/unit.h"

struct key {
    uint32_t module; /* common number */
    uint32_t kind;   /* scopes: their kind; references: size and access index, as an access of a
                        string instruction is two references, of two sizes */
    uint64_t offset;
    uint32_t index; /* in its entry; no part of the key */
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Ties by index, for a unique order. */
static int compare_keys_and_index(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_keys(a, b);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Step 1: numbers[module of `entry`] = index of the first equal module over all entries. */
static uint32_t *number_modules(const struct ft_histograms *const *entries, size_t entry)
{
    const struct ft_scopes *scopes = &entries[entry]->scopes;
    uint32_t *numbers = calloc(scopes->module_count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < scopes->module_count; i++) {
        const struct ft_scope_module *module = &scopes->modules[i];
        uint32_t number = 0;
        bool found = false;
        for (size_t e = 0; e <= entry && !found; e++)
            for (size_t j = 0; j < entries[e]->scopes.module_count && !found; j++) {
                const struct ft_scope_module *other = &entries[e]->scopes.modules[j];
                found = strcmp(module->build_id, other->build_id) == 0 &&
                        (module->build_id[0] || strcmp(module->name, other->name) == 0);
                number += !found;
            }
        numbers[i] = number;
    }
    return numbers;
}

static uint32_t number_of(const uint32_t *numbers, uint32_t module)
{
    assert(numbers); /* the analyzer loses it on the way */
    return module == FT_NO_MODULE ? UINT32_MAX : numbers[module];
}

static struct key *scope_keys(const struct ft_scopes *scopes, const uint32_t *numbers)
{
    struct key *keys = calloc(scopes->scope_count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < scopes->scope_count; i++)
        keys[i] = (struct key){.module = number_of(numbers, scopes->scopes[i].module),
                               .kind = scopes->scopes[i].kind,
                               .offset = scopes->scopes[i].start_offset,
                               .index = i};
    return keys;
}

/* Step 2 for one entry: last_keys are sorted. */
static int map_scopes(const struct ft_scopes *scopes, const uint32_t *numbers,
                      const struct key *last_keys, size_t last_count, uint32_t *map, bool *is_same,
                      struct ft_diag *diag)
{
    struct key *keys = scope_keys(scopes, numbers);
    if (!keys)
        return ft_fail_memory(diag, "the scopes of a size");
    for (uint32_t i = 1; i < scopes->scope_count; i++) { /* parents come before children */
        const struct key *found =
            bsearch(&keys[i], last_keys, last_count, sizeof *last_keys, compare_keys);
        map[i] = found ? found->index : map[scopes->scopes[i].parent];
        is_same[i] = found != NULL;
    }
    free(keys);
    return FT_OK;
}

/* A matched reference: where it is in each entry, and its groups there. */
struct row {
    uint32_t *references; /* [entry] */
    const struct ft_histograms *const *entries;
    size_t entry_count;
};

static uint32_t group_at(const struct row *row, size_t entry)
{
    return row->entries[entry]->scopes.references[row->references[entry]].group;
}

static int compare_groups(const struct row *a, const struct row *b)
{
    for (size_t e = a->entry_count; e-- > 0;) {
        uint32_t left = group_at(a, e), right = group_at(b, e);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = compare_groups(a, b);
    uint32_t first = a->references[a->entry_count - 1], second = b->references[b->entry_count - 1];
    return order ? order : (first > second) - (first < second);
}

/* The keys of all references of all entries, and the rows of those that all entries have. */
struct matching {
    struct key **keys;    /* [entry], sorted */
    uint32_t *references; /* the rows' */
    struct row *rows;
    size_t row_count;
};

static void matching_fini(struct matching *matching, size_t entry_count)
{
    for (size_t e = 0; matching->keys && e < entry_count; e++)
        free(matching->keys[e]);
    free(matching->keys);
    free(matching->references);
    free(matching->rows);
}

static struct key *reference_keys(const struct ft_scopes *scopes, const uint32_t *numbers)
{
    struct key *keys = calloc(scopes->reference_count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        keys[i] = (struct key){.module = number_of(numbers, reference->module),
                               .kind = reference->size_bytes << 8 | reference->access_index,
                               .offset = reference->offset,
                               .index = i};
    }
    if (keys)
        qsort(keys, scopes->reference_count, sizeof *keys, compare_keys_and_index);
    return keys;
}

static bool is_fetch(const struct ft_scopes *scopes, uint32_t reference)
{
    return scopes->references[reference].kind == FT_FETCH;
}

/* Step 3: rows for the keys that all entries have. A key that stands several times in an entry
 * (code that changed) is taken the first time; the others stay unmatched. */
static int match_references(const struct ft_histograms *const *entries, size_t count,
                            uint32_t *const *numbers, struct matching *matching,
                            struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    size_t row_max = last->reference_count;
    matching->keys = calloc(count + 1, sizeof *matching->keys);
    matching->references = calloc(row_max * count + 1, sizeof *matching->references);
    matching->rows = calloc(row_max + 1, sizeof *matching->rows);
    if (!matching->keys || !matching->references || !matching->rows)
        return ft_fail_memory(diag, "the references of all sizes");
    for (size_t e = 0; e < count; e++)
        if (!(matching->keys[e] = reference_keys(&entries[e]->scopes, numbers[e])))
            return ft_fail_memory(diag, "the references of all sizes");

    for (size_t i = 0; i < row_max; i++) {
        const struct key *key = &matching->keys[count - 1][i];
        if ((i > 0 && compare_keys(key, key - 1) == 0) || is_fetch(last, key->index))
            continue;
        struct row *row = &matching->rows[matching->row_count];
        *row = (struct row){&matching->references[matching->row_count * count], entries, count};
        bool matched = true;
        for (size_t e = 0; e < count && matched; e++) {
            const struct key *first = matching->keys[e];
            const struct key *found = bsearch(key, first, entries[e]->scopes.reference_count,
                                              sizeof *first, compare_keys);
            matched = found != NULL;
            while (matched && found > first && compare_keys(found - 1, key) == 0)
                found--;
            row->references[e] = matched ? found->index : 0;
        }
        matching->row_count += matched;
    }
    qsort(matching->rows, matching->row_count, sizeof *matching->rows, compare_rows);
    return FT_OK;
}

static int number_parts(const struct matching *matching, size_t count,
                        struct ft_matched_parts *parts, struct ft_diag *diag)
{
    parts->first_reference = calloc(matching->row_count + 1, sizeof *parts->first_reference);
    if (!parts->first_reference)
        return ft_fail_memory(diag, "groups");
    for (size_t i = 0; i < matching->row_count; i++) {
        const struct row *row = &matching->rows[i];
        if (i == 0 || compare_groups(row - 1, row) != 0)
            parts->first_reference[parts->part_count++] = row->references[count - 1];
        for (size_t e = 0; e < count; e++)
            parts->part_of[e][row->references[e]] = (uint32_t)parts->part_count - 1;
    }
    return FT_OK;
}

static int map_all_scopes(struct ft_matched_parts *parts,
                          const struct ft_histograms *const *entries, uint32_t *const *numbers,
                          struct ft_diag *diag)
{
    const size_t count = parts->entry_count;
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    struct key *keys = scope_keys(last, numbers[count - 1]);
    if (!keys)
        return ft_fail_memory(diag, "scopes");
    qsort(keys, last->scope_count, sizeof *keys, compare_keys_and_index);
    int status = FT_OK;
    for (size_t e = 0; e < count && status == FT_OK; e++)
        status = map_scopes(&entries[e]->scopes, numbers[e], keys, last->scope_count,
                            parts->scope_of[e], parts->is_same[e], diag);
    free(keys);
    return status;
}

/* Of both: whether references are matched too. */
static int match_build(const struct ft_histograms *const *entries, size_t count,
                       bool with_references, struct ft_matched_parts *ret_parts,
                       struct ft_diag *diag)
{
    struct ft_matched_parts parts;
    struct matching matching = {0};
    uint32_t **numbers = calloc(count + 1, sizeof *numbers);
    int status = ft_matched_parts_init(&parts, entries, count, diag);
    for (size_t e = 0; e < count && status == FT_OK; e++)
        if (!numbers || !(numbers[e] = number_modules(entries, e)))
            status = ft_fail_memory(diag, "the match of sizes");
    if (status == FT_OK)
        status = map_all_scopes(&parts, entries, numbers, diag);
    if (status == FT_OK && with_references)
        status = match_references(entries, count, numbers, &matching, diag);
    if (status == FT_OK && with_references)
        status = number_parts(&matching, count, &parts, diag);
    for (size_t e = 0; numbers && e < count; e++)
        free(numbers[e]);
    free(numbers);
    matching_fini(&matching, count);
    if (status < 0)
        ft_matched_parts_fini(&parts);
    else
        *ret_parts = parts;
    return status;
}

int ft_parts_of_build(const struct ft_histograms *const *entries, size_t count,
                      struct ft_matched_parts *ret_parts, struct ft_diag *diag)
{
    return match_build(entries, count, true, ret_parts, diag);
}

int ft_scopes_of_build(const struct ft_histograms *const *entries, size_t count,
                       struct ft_matched_parts *ret_parts, struct ft_diag *diag)
{
    return match_build(entries, count, false, ret_parts, diag);
}
