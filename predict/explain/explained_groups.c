/*
 * A reference is where it makes most of its accesses; references at one line of a scope that are in
 * one heap block there, and move alike, are a group. What is read through data, and so in no nest,
 * has no strides.
 */
#include "predict/explain/explained_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/explain/nest_sites.h"

#define LINE_BYTES_MAX 256U

struct grouping {
    const struct ft_synthetic_evidence *evidence;
    const struct ft_skeleton *largest;
    struct ft_explanation *explanation;
    struct ft_nest_sites sites, smaller;        /* at the size, and at the largest training size */
    const struct ft_nest_site **main, **before; /* [reference]: of these; NULL: none */
    uint32_t *groups;                           /* [reference]: its group, + 1; 0: none */
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "an explanation");
}

/* ---- where references are ---- */

static void choose_main(const struct ft_nest_sites *sites, const struct ft_nest_site **main)
{
    for (size_t i = 0; i < sites->count; i++) {
        const struct ft_nest_site *site = &sites->sites[i];
        if (!main[site->reference] || site->accesses > main[site->reference]->accesses)
            main[site->reference] = site;
    }
}

static uint32_t block_of(uint64_t place)
{
    return ft_is_in_block(place) ? (uint32_t)((place - FT_PLACE_BLOCKS) / FT_PLACE_STEP)
                                 : UINT32_MAX;
}

static bool move_alike(const struct ft_nest_site *a, const struct ft_nest_site *b)
{
    if (!a || !b)
        return a == b;
    if (a->loop_count != b->loop_count || block_of(a->place) != block_of(b->place))
        return false;
    for (unsigned i = 0; i < a->loop_count; i++)
        if (a->loops[i].scope != b->loops[i].scope ||
            a->loops[i].stride_bytes != b->loops[i].stride_bytes)
            return false;
    return true;
}

/* Whether a stride grows with a power of the size: from that at the largest training size. */
static void find_power(const struct grouping *grouping, const struct ft_nest_site *before,
                       struct ft_explained_loop *loop)
{
    const struct ft_site_loop *then = before ? ft_site_loop_of(before, loop->scope) : NULL;
    const struct ft_sized_skeleton *sized = grouping->evidence->synthesis->sized;
    const double ratio = grouping->evidence->size / sized->sizes[sized->size_count - 1];
    if (!then || ratio == 1)
        return;
    for (unsigned power = 0; power <= 2; power++)
        if (loop->stride_bytes == rint((double)then->stride_bytes * pow(ratio, power))) {
            loop->power = power;
            loop->follows = fmod(loop->stride_bytes, pow(grouping->evidence->size, power)) == 0;
            return;
        }
}

static void set_loops(const struct grouping *grouping, uint32_t reference,
                      struct ft_explained_group *group)
{
    const struct ft_nest_site *site = grouping->main[reference];
    group->loop_count = site->loop_count;
    for (unsigned i = 0; i < site->loop_count; i++) {
        const struct ft_site_loop *loop = &site->loops[i];
        group->loops[i] = (struct ft_explained_loop){.scope = loop->scope,
                                                     .iterations = (double)loop->iterations,
                                                     .is_known = true,
                                                     .stride_bytes = (double)loop->stride_bytes};
        if (llabs(loop->stride_bytes) >= (int64_t)FT_PLACE_STEP / 2) {
            group->loops[i].is_known = false; /* it goes to another block */
            group->loops[i].stride_bytes = 0;
            continue;
        }
        find_power(grouping, grouping->before[reference], &group->loops[i]);
    }
    group->is_regular = true;
    group->has_place = true;
    group->place = site->place;
    const uint32_t block = block_of(site->place);
    if (block < grouping->evidence->synthesis->block_count)
        group->block_bytes = (double)grouping->evidence->synthesis->blocks[block].bytes;
}

/* ---- groups ---- */

static int add_group(struct grouping *grouping, uint32_t reference, struct ft_diag *diag)
{
    struct ft_explanation *explanation = grouping->explanation;
    const struct ft_scoped_reference *scoped = &grouping->largest->scopes.references[reference];
    const size_t levels = explanation->prediction->machine->level_count;
    if (!FT_RESERVE(explanation->groups, explanation->group_capacity, explanation->group_count + 1))
        return no_memory(diag);
    struct ft_explained_group *group = &explanation->groups[explanation->group_count];
    *group = (struct ft_explained_group){.scope = scoped->scope,
                                         .line = scoped->line,
                                         .reference = reference,
                                         .size_bytes = scoped->size_bytes,
                                         .load_class = FT_LOAD_INDEPENDENT,
                                         .line_use = NAN,
                                         .levels = calloc(levels + 1, sizeof *group->levels)};
    if (!group->levels)
        return no_memory(diag);
    explanation->group_count++;
    if (grouping->main[reference])
        set_loops(grouping, reference, group);
    return FT_OK;
}

static size_t find_group(const struct grouping *grouping, uint32_t reference)
{
    const struct ft_explanation *explanation = grouping->explanation;
    const struct ft_scoped_reference *scoped = &grouping->largest->scopes.references[reference];
    size_t i = 0;
    for (; i < explanation->group_count; i++) {
        const struct ft_explained_group *group = &explanation->groups[i];
        if (group->scope == scoped->scope && group->line == scoped->line &&
            group->size_bytes == scoped->size_bytes &&
            move_alike(grouping->main[group->reference], grouping->main[reference]))
            break;
    }
    return i;
}

static void add_misses(const struct grouping *grouping, uint32_t reference,
                       struct ft_explained_group *group)
{
    const struct ft_simulation *simulation = grouping->evidence->simulation;
    const size_t levels = grouping->explanation->prediction->machine->level_count;
    const size_t count = simulation->reference_count;
    group->accesses += (double)simulation->accesses[reference];
    for (size_t i = 0; i < levels; i++) {
        const size_t number = i * count + reference;
        const size_t endless = grouping->evidence->endless[i] * count + reference;
        struct ft_explained_misses *misses = &group->levels[i];
        const double in_sets = (double)simulation->set_associative_misses[number];
        const double full = (double)simulation->fully_associative_misses[number];
        const double cold = (double)simulation->fully_associative_misses[endless];
        ft_explained_misses_add(misses, cold, full, in_sets);
    }
}

static int take_references(struct grouping *grouping, struct ft_diag *diag)
{
    struct ft_explanation *explanation = grouping->explanation;
    const struct ft_simulation *simulation = grouping->evidence->simulation;
    for (uint32_t r = 0; r < grouping->largest->reference_count; r++) {
        const struct ft_scoped_reference *scoped = &grouping->largest->scopes.references[r];
        if (simulation->accesses[r] == 0 ||
            !ft_scope_is_inside(&grouping->largest->scopes, scoped->scope, explanation->scope))
            continue;
        const size_t index = find_group(grouping, r);
        if (index == explanation->group_count)
            FT_TRY(add_group(grouping, r, diag));
        struct ft_explained_group *group = &explanation->groups[index];
        grouping->groups[r] = (uint32_t)index + 1;
        group->reference_count++;
        group->loads = group->loads || scoped->kind == FT_LOAD;
        group->stores = group->stores || scoped->kind != FT_LOAD;
        add_misses(grouping, r, group);
    }
    return FT_OK;
}

/* ---- how much of a line is used ---- */

/* Of the bytes that a group moves by in its innermost loop, or of a line, those that references
 * which move like it touch. Where it comes back to the line in another loop it may use more. */
static double line_use(const struct grouping *grouping, const struct ft_explained_group *group,
                       uint64_t line_bytes)
{
    bool is_used[LINE_BYTES_MAX] = {false};
    const struct ft_nest_site *site = grouping->main[group->reference];
    uint64_t period = line_bytes < LINE_BYTES_MAX ? line_bytes : LINE_BYTES_MAX, used = 0;
    for (unsigned i = 0; i < site->loop_count; i++) {
        const uint64_t stride = (uint64_t)llabs(site->loops[i].stride_bytes);
        period = stride > 0 && stride < period ? stride : period;
    }
    for (uint32_t r = 0; r < grouping->largest->reference_count; r++) {
        const uint32_t size = grouping->largest->references[r].size_bytes;
        if (!grouping->main[r] || !move_alike(site, grouping->main[r]))
            continue;
        for (uint64_t b = 0; b < size && b < period; b++)
            is_used[(grouping->main[r]->place + b) % period] = true;
    }
    for (uint64_t b = 0; b < period; b++)
        used += is_used[b];
    return (double)used / (double)period;
}

/* ---- carriers ---- */

/* What carries misses of a group, by scope. */
struct carrier {
    uint32_t scope, source;
    bool across;
    double misses;
};

static void find_carrier(const struct grouping *grouping, size_t index, size_t level)
{
    const struct ft_carried_misses *carried = grouping->evidence->carried;
    struct ft_explained_misses *misses = &grouping->explanation->groups[index].levels[level];
    struct carrier best = {0};
    double all = 0;
    for (size_t i = 0; i < carried->count; i++) {
        const struct ft_carried *row = &carried->rows[i];
        if (grouping->groups[row->sink] != index + 1)
            continue;
        const uint32_t source = grouping->largest->scopes.references[row->source].scope;
        struct carrier sum = {row->scope, source, row->across, 0};
        all += carried->misses[i * carried->level_count + level];
        for (size_t j = i; j < carried->count; j++) {
            const struct ft_carried *other = &carried->rows[j];
            if (grouping->groups[other->sink] == index + 1 && other->scope == sum.scope &&
                other->across == sum.across &&
                grouping->largest->scopes.references[other->source].scope == source)
                sum.misses += carried->misses[j * carried->level_count + level];
        }
        best = sum.misses > best.misses ? sum : best;
    }
    if (best.misses > 0) {
        misses->has_carrier = true;
        misses->carrier = best.scope;
        misses->source = best.source;
        misses->across = best.across;
        misses->carried_share = best.misses / all;
    }
}

static void complete_groups(const struct grouping *grouping)
{
    const struct ft_machine *machine = grouping->explanation->prediction->machine;
    for (size_t i = 0; i < grouping->explanation->group_count; i++) {
        struct ft_explained_group *group = &grouping->explanation->groups[i];
        for (size_t level = 0; level < machine->level_count; level++)
            find_carrier(grouping, i, level);
        if (group->is_regular && machine->cache_count > 0)
            group->line_use = line_use(grouping, group, machine->levels[0].block_bytes);
    }
}

/* ---- all of it ---- */

static int start(struct grouping *grouping, struct ft_diag *diag)
{
    const size_t count = grouping->largest->reference_count + (size_t)1;
    FT_TRY(ft_nest_sites_find(&grouping->evidence->synthesis->nest, grouping->largest,
                              &grouping->sites, diag));
    FT_TRY(ft_nest_sites_find(&grouping->largest->threads[0].nest, grouping->largest,
                              &grouping->smaller, diag));
    grouping->main = calloc(count, sizeof *grouping->main);
    grouping->before = calloc(count, sizeof *grouping->before);
    grouping->groups = calloc(count, sizeof *grouping->groups);
    if (!grouping->main || !grouping->before || !grouping->groups)
        return no_memory(diag);
    choose_main(&grouping->sites, grouping->main);
    choose_main(&grouping->smaller, grouping->before);
    return FT_OK;
}

int ft_explained_groups_of(const struct ft_synthetic_evidence *evidence,
                           struct ft_explanation *explanation, struct ft_diag *diag)
{
    struct grouping grouping = {.evidence = evidence,
                                .largest = &evidence->synthesis->sized->largest,
                                .explanation = explanation};
    int status = start(&grouping, diag);
    if (!status)
        status = take_references(&grouping, diag);
    if (!status)
        complete_groups(&grouping);
    ft_nest_sites_fini(&grouping.sites);
    ft_nest_sites_fini(&grouping.smaller);
    free(grouping.main);
    free(grouping.before);
    free(grouping.groups);
    return status;
}
