/*
 * References are sorted by what puts them into a group; equal ones are one.
 */
#include "engine/program/group_references.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/values/formula_text.h"
#include "engine/program/values/reference_groups.h"
#include "formats/histograms/histograms.h"

enum ground {
    GROUND_FORMULA, /* of a group by formulas */
    GROUND_STRIDE,  /* of a scope, with a stride */
    GROUND_NONE,    /* alone */
};

struct key {
    uint8_t ground; /* enum ground */
    uint32_t group; /* or scope */
    int64_t stride; /* by formula: 0 */
    uint32_t reference;
};

static int compare_grounds(const struct key *a, const struct key *b)
{
    if (a->ground != b->ground)
        return a->ground < b->ground ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->stride > b->stride) - (a->stride < b->stride);
}

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_grounds(a, b);
    return order ? order : (a->reference > b->reference) - (a->reference < b->reference);
}

/* The access of the formulas that puts a reference into a group, or FT_NO_ACCESS. */
static uint32_t access_of(const struct ft_structure *structure, const struct ft_formulas *formulas,
                          const struct ft_reference_groups *groups, uint32_t index)
{
    const struct ft_scoped_reference *reference = &structure->scopes.references[index];
    const struct ft_flow_block *block = &structure->graph.blocks[reference->block];
    const uint32_t access =
        reference->kind == FT_FETCH
            ? FT_NO_ACCESS
            : ft_formulas_access_at(formulas, &structure->graph,
                                    block->pc + (reference->offset - block->offset),
                                    reference->access_index);
    const uint32_t instruction = access == FT_NO_ACCESS ? FT_NO_BLOCK : groups->instruction[access];
    return instruction != FT_NO_BLOCK &&
                   structure->graph.units[instruction]->kind != FT_UNIT_REFERENCES
               ? access
               : FT_NO_ACCESS;
}

static bool is_one_stride(int64_t stride)
{
    return stride != FT_STRIDE_NONE && stride != FT_STRIDE_MIXED;
}

static struct key key_of(const struct ft_structure *structure, const struct ft_formulas *formulas,
                         const struct ft_reference_groups *groups, uint32_t index, int64_t stride)
{
    const struct ft_scoped_reference *reference = &structure->scopes.references[index];
    struct key key = {.ground = GROUND_NONE, .group = index, .reference = index};
    const uint32_t access = access_of(structure, formulas, groups, index);
    if (access != FT_NO_ACCESS) {
        key.ground = GROUND_FORMULA;
        key.group = groups->of_access[access];
    } else if (reference->kind != FT_FETCH && is_one_stride(stride)) {
        key.ground = GROUND_STRIDE;
        key.group = reference->scope;
        key.stride = stride;
    }
    return key;
}

/* By the formula of the group's first reference; without one, by how that was seen to move. */
static bool describe_groups(struct ft_structure *structure, const struct ft_formulas *formulas,
                            const struct ft_reference_groups *groups, const int64_t *strides)
{
    struct ft_scopes *scopes = &structure->scopes;
    scopes->groups = calloc(scopes->group_count + (size_t)1, sizeof *scopes->groups);
    for (uint32_t i = 0; scopes->groups && i < scopes->reference_count; i++) {
        struct ft_scoped_group *group = &scopes->groups[scopes->references[i].group];
        if (group->strides)
            continue;
        const uint32_t access = access_of(structure, formulas, groups, i);
        if (access != FT_NO_ACCESS) {
            group->storage = formulas->accesses[access].storage;
            group->strides = ft_access_strides_text(formulas, &formulas->accesses[access]);
        } else if (!is_one_stride(strides[i])) {
            group->strides = strdup("");
        } else if (asprintf(&group->strides, " %" PRId64, strides[i]) < 0) {
            group->strides = NULL;
        }
        if (!group->strides)
            return false;
    }
    return scopes->groups != NULL;
}

static bool number_groups(struct ft_structure *structure, const struct ft_formulas *formulas,
                          const struct ft_reference_groups *groups, const int64_t *strides)
{
    struct ft_scopes *scopes = &structure->scopes;
    struct key *keys = malloc((scopes->reference_count + 1) * sizeof *keys);
    uint32_t *leader = malloc((scopes->reference_count + 1) * sizeof *leader);
    if (keys && leader) {
        for (uint32_t i = 0; i < scopes->reference_count; i++)
            keys[i] = key_of(structure, formulas, groups, i, strides[i]);
        qsort(keys, scopes->reference_count, sizeof *keys, compare_keys);
        for (size_t i = 0; i < scopes->reference_count; i++) {
            bool alike = i > 0 && compare_grounds(&keys[i - 1], &keys[i]) == 0;
            leader[keys[i].reference] = alike ? leader[keys[i - 1].reference] : keys[i].reference;
        }
        scopes->group_count = 0;
        for (uint32_t i = 0; i < scopes->reference_count; i++)
            scopes->references[i].group =
                leader[i] == i ? scopes->group_count++ : scopes->references[leader[i]].group;
    }
    bool complete = keys && leader;
    free(keys);
    free(leader);
    return complete;
}

int ft_group_references(struct ft_structure *structure, const int64_t *strides,
                        struct ft_diag *diag)
{
    struct ft_formulas formulas = {0};
    struct ft_reference_groups groups = {0};
    int status = ft_formulas_find(&structure->graph, &structure->routines, &structure->loops,
                                  &formulas, diag);
    if (!status)
        status = ft_reference_groups_find(&structure->graph, &structure->routines,
                                          &structure->loops, &formulas, &groups, diag);
    if (!status && (!number_groups(structure, &formulas, &groups, strides) ||
                    !describe_groups(structure, &formulas, &groups, strides)))
        status = ft_fail_memory(diag, "the groups of references");
    ft_reference_groups_fini(&groups);
    ft_formulas_fini(&formulas);
    return status;
}
