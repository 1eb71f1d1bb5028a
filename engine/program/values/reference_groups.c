/*
 * 1. Accesses are sorted by loop, storage and strides; equal ones form a class.
 * 2. For each two loops of one source loop, an iteration of one corresponds to several of the
 *    other. The strides of most classes vote on how many; classes whose strides have this ratio
 *    become one group. (The paper lets each pair of references have a ratio of its own. A main loop
 *    over a[i] and b[2*i], with strides 16 and 32, and its remainder loop, with 8 and 16, would
 *    then be a single group.)
 * 3. Groups are numbered by their first access.
 */
#include "engine/program/values/reference_groups.h"

#include <stdlib.h>

#include "formats/base/array.h"

struct member {
    uint32_t routine;
    uint32_t loop;        /* innermost, or FT_NO_LOOP */
    uint32_t source_loop; /* the first of its source loop, or FT_NO_LOOP */
    uint32_t block;       /* outside of loops; else FT_NO_BLOCK */
    uint32_t access;
    bool is_affine; /* inside a loop, with strides in all loops around */
    const struct ft_access_formula *formula;
    const struct ft_formulas *formulas;
};

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_program_loops *loops;
    const struct ft_formulas *formulas;
    struct member *members; /* per access; sorted */
    uint32_t *class_start;  /* indices of places; class_count + 1 */
    uint32_t *joined;       /* per class: an earlier one of its group, or itself */
    uint32_t class_count;
    struct ft_reference_groups groups;
};

/* ---- 1. classes ---- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_exprs(const struct ft_formulas *formulas, const struct ft_packed_expr *left,
                         const struct ft_packed_expr *right)
{
    int order = compare(left->count, right->count);
    for (uint32_t i = 0; !order && i < left->count; i++) {
        const struct ft_term *a = &formulas->terms[left->first + i];
        const struct ft_term *b = &formulas->terms[right->first + i];
        order = compare(a->symbol, b->symbol);
        order = order ? order : compare((uint64_t)a->numerator, (uint64_t)b->numerator);
        order = order ? order : compare((uint64_t)a->denominator, (uint64_t)b->denominator);
    }
    return order;
}

static const struct ft_stride_formula *stride_of(const struct member *member, unsigned level)
{
    return &member->formulas->strides[member->formula->first_stride + level];
}

/* 0: of one class. An access at a constant address outside of loops is one of its own. */
static int compare_patterns(const struct member *a, const struct member *b)
{
    int order = compare(a->routine, b->routine);
    order = order ? order : compare(a->source_loop, b->source_loop);
    order = order ? order : compare(a->loop, b->loop);
    order = order ? order : compare(a->block, b->block);
    order = order ? order : compare(a->formula->storage, b->formula->storage);
    order = order ? order : compare(a->is_affine, b->is_affine);
    if (order || !a->is_affine)
        order = order ? order : compare(a->formula->base, b->formula->base);
    else
        for (unsigned l = 0; !order && l < a->formula->level_count; l++)
            order = compare_exprs(a->formulas, &stride_of(a, l)->expr, &stride_of(b, l)->expr);
    return order || a->is_affine || a->formula->base ? order : compare(a->access, b->access);
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = compare_patterns(a, b);
    return order ? order : compare(a->access, b->access);
}

static void find_classes(struct finder *finder)
{
    const size_t count = finder->formulas->access_count;
    for (uint32_t i = 0; i < finder->graph->instruction_count; i++) {
        const uint32_t block = finder->graph->block_of[i];
        const uint32_t loop = finder->loops->of_block[block];
        for (unsigned a = 0; a < finder->graph->instructions[i]->access_count; a++) {
            const struct ft_access_formula *formula = ft_formula_of(finder->formulas, i, a);
            const uint32_t access = (uint32_t)(formula - finder->formulas->accesses);
            finder->groups.instruction[access] = i;
            finder->members[access] = (struct member){
                .routine = finder->routines->of_block[block],
                .loop = loop,
                .source_loop = loop == FT_NO_LOOP ? loop : finder->loops->items[loop].same_as,
                .block = loop == FT_NO_LOOP ? block : FT_NO_BLOCK,
                .access = access,
                .is_affine =
                    formula->level_count > 0 && ft_formula_is_affine(finder->formulas, formula),
                .formula = formula,
                .formulas = finder->formulas,
            };
        }
    }
    qsort(finder->members, count, sizeof *finder->members, compare_members);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || compare_patterns(&finder->members[i - 1], &finder->members[i]) != 0) {
            finder->joined[finder->class_count] = finder->class_count;
            finder->class_start[finder->class_count++] = i;
        }
    finder->class_start[finder->class_count] = (uint32_t)count;
}

/* ---- 2. loops of one source loop ---- */

__extension__ typedef __int128 wide;

/* How many times as large a stride is: one of the two is 1, both are positive. 0/0: both strides
 * are 0, which any ratio makes of each other. */
struct ratio {
    int64_t numerator, denominator;
};

/* The ratio of two strides; false where it is neither n nor 1/n. */
static bool ratio_of(const struct ft_formulas *formulas, const struct ft_packed_expr *left,
                     const struct ft_packed_expr *right, struct ratio *ret_ratio)
{
    struct ft_linear_expr a = ft_formula_expr(formulas, left), b = ft_formula_expr(formulas, right);
    *ret_ratio = (struct ratio){0, 0};
    if (a.count == 0 || b.count == 0)
        return a.count == b.count;
    wide above = (wide)a.terms[0].numerator * b.terms[0].denominator;
    wide below = (wide)b.terms[0].numerator * a.terms[0].denominator;
    wide numerator = above % below == 0 ? above / below : 1;
    wide denominator = below % above == 0 ? below / above : 1;
    if ((numerator == 1 && denominator == 1 && above != below) || numerator < 1 ||
        denominator < 1 || numerator > INT64_MAX || denominator > INT64_MAX)
        return false;
    *ret_ratio = (struct ratio){(int64_t)numerator, (int64_t)denominator};
    return ft_linear_expr_add(&a, &b, -ret_ratio->numerator, ret_ratio->denominator) &&
           a.count == 0;
}

/* Whether classes of two loops of one source loop move alike; ret_ratio: in the innermost loops. */
static bool are_alike(const struct member *a, const struct member *b, struct ratio *ret_ratio)
{
    if (!a->is_affine || !b->is_affine || a->formula->storage != b->formula->storage ||
        a->formula->level_count != b->formula->level_count)
        return false;
    for (unsigned l = 0; l < a->formula->level_count; l++) {
        const struct ft_stride_formula *left = stride_of(a, l), *right = stride_of(b, l);
        struct ratio ratio = {0, 0};
        if (left->loop == right->loop ? compare_exprs(a->formulas, &left->expr, &right->expr) != 0
                                      : !ratio_of(a->formulas, &left->expr, &right->expr, &ratio))
            return false;
        if (l == 0)
            *ret_ratio = ratio;
    }
    return true;
}

struct votes {
    struct {
        struct ratio ratio;
        uint32_t count;
    } * items;
    size_t count, capacity;
};

static bool vote(struct votes *votes, struct ratio ratio)
{
    for (size_t i = 0; i < votes->count; i++)
        if (votes->items[i].ratio.numerator == ratio.numerator &&
            votes->items[i].ratio.denominator == ratio.denominator) {
            votes->items[i].count++;
            return true;
        }
    if (!FT_RESERVE(votes->items, votes->capacity, votes->count + 1))
        return false;
    votes->items[votes->count].ratio = ratio;
    votes->items[votes->count++].count = 1;
    return true;
}

/* The ratio with most votes, of those the one nearest to 1. */
static struct ratio elect(const struct votes *votes)
{
    struct ratio best = {0, 0};
    uint32_t max = 0;
    for (size_t i = 0; i < votes->count; i++) {
        struct ratio ratio = votes->items[i].ratio;
        if (votes->items[i].count > max ||
            (votes->items[i].count == max &&
             ratio.numerator + ratio.denominator < best.numerator + best.denominator)) {
            best = ratio;
            max = votes->items[i].count;
        }
    }
    return best;
}

static uint32_t first_joined(struct finder *finder, uint32_t class)
{
    while (finder->joined[class] != class)
        class = finder->joined[class] = finder->joined[finder->joined[class]];
    return class;
}

static void join(struct finder *finder, uint32_t a, uint32_t b)
{
    a = first_joined(finder, a);
    b = first_joined(finder, b);
    if (a < b)
        finder->joined[b] = a;
    else
        finder->joined[a] = b;
}

static const struct member *class_member(const struct finder *finder, uint32_t class)
{
    return &finder->members[finder->class_start[class]];
}

struct class_range {
    uint32_t first, end;
};

/* Joins what is alike in two loops. */
static bool join_loops(struct finder *finder, struct votes *votes, struct class_range left,
                       struct class_range right)
{
    struct ratio ratio = {0, 0};
    votes->count = 0;
    for (uint32_t a = left.first; a < left.end; a++)
        for (uint32_t b = right.first; b < right.end; b++)
            if (are_alike(class_member(finder, a), class_member(finder, b), &ratio) &&
                ratio.numerator && !vote(votes, ratio))
                return false;
    struct ratio common = elect(votes);
    for (uint32_t a = left.first; a < left.end; a++)
        for (uint32_t b = right.first; b < right.end; b++)
            if (are_alike(class_member(finder, a), class_member(finder, b), &ratio) &&
                (!ratio.numerator ||
                 (ratio.numerator == common.numerator && ratio.denominator == common.denominator)))
                join(finder, a, b);
    return true;
}

/* The classes of the loop that a class is of. */
static struct class_range classes_of_loop(const struct finder *finder, uint32_t first)
{
    struct class_range range = {first, first + 1};
    while (range.end < finder->class_count &&
           class_member(finder, range.end)->loop == class_member(finder, first)->loop)
        range.end++;
    return range;
}

static bool join_source_loops(struct finder *finder)
{
    struct votes votes = {0};
    bool complete = true;
    struct class_range left;
    for (uint32_t c = 0; complete && c < finder->class_count; c = left.end) {
        const struct member *member = class_member(finder, c);
        left = classes_of_loop(finder, c);
        if (member->loop == FT_NO_LOOP)
            continue;
        struct class_range right = left;
        while (complete && right.end < finder->class_count &&
               class_member(finder, right.end)->source_loop == member->source_loop) {
            right = classes_of_loop(finder, right.end);
            complete = join_loops(finder, &votes, left, right);
        }
    }
    free(votes.items);
    return complete;
}

/* ---- 3. numbers ---- */

static uint32_t count_loops(const struct ft_reference_groups *groups,
                            const struct ft_reference_group *group,
                            const struct ft_formulas *formulas, uint32_t *seen, uint32_t mark)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < group->member_count; m++) {
        const struct ft_access_formula *formula =
            &formulas->accesses[groups->members[group->first_member + m]];
        if (formula->level_count == 0)
            continue;
        uint32_t *loop = &seen[formulas->strides[formula->first_stride].loop];
        count += *loop != mark;
        *loop = mark;
    }
    return count;
}

/* Groups of the accesses, before members are listed. */
static bool number_groups(struct finder *finder)
{
    struct ft_reference_groups *groups = &finder->groups;
    const size_t count = finder->formulas->access_count;
    uint32_t *class_of = calloc(count + 1, sizeof *class_of);
    uint32_t *number = malloc((finder->class_count + 1) * sizeof *number);
    if (class_of && number) {
        for (uint32_t c = 0; c < finder->class_count; c++) {
            number[c] = UINT32_MAX;
            for (uint32_t i = finder->class_start[c]; i < finder->class_start[c + 1]; i++)
                class_of[finder->members[i].access] = c;
        }
        for (uint32_t access = 0; access < count; access++) {
            uint32_t first = first_joined(finder, class_of[access]);
            const struct member *member = class_member(finder, first);
            if (number[first] == UINT32_MAX) {
                number[first] = groups->count;
                groups->items[groups->count++] =
                    (struct ft_reference_group){.routine = member->routine,
                                                .loop = member->source_loop,
                                                .storage = member->formula->storage,
                                                .is_affine = member->is_affine};
            }
            groups->of_access[access] = number[first];
            groups->items[number[first]].member_count++;
        }
    }
    bool complete = class_of && number;
    free(class_of);
    free(number);
    return complete;
}

static bool list_members(struct finder *finder)
{
    struct ft_reference_groups *groups = &finder->groups;
    uint32_t *seen = calloc(finder->loops->count + 1, sizeof *seen);
    uint32_t *next = malloc((groups->count + (size_t)1) * sizeof *next);
    if (seen && next) {
        uint32_t first = 0;
        for (uint32_t g = 0; g < groups->count; g++) {
            next[g] = groups->items[g].first_member = first;
            first += groups->items[g].member_count;
        }
        for (uint32_t access = 0; access < finder->formulas->access_count; access++)
            groups->members[next[groups->of_access[access]]++] = access;
        for (uint32_t g = 0; g < groups->count; g++)
            groups->items[g].loop_count =
                count_loops(groups, &groups->items[g], finder->formulas, seen, g + 1);
    }
    bool complete = seen && next;
    free(seen);
    free(next);
    return complete;
}

static bool find(struct finder *finder)
{
    const size_t count = finder->formulas->access_count + 1;
    finder->members = malloc(count * sizeof *finder->members);
    finder->class_start = malloc((count + 1) * sizeof *finder->class_start);
    finder->joined = malloc(count * sizeof *finder->joined);
    finder->groups.items = calloc(count, sizeof *finder->groups.items);
    finder->groups.of_access = calloc(count, sizeof *finder->groups.of_access);
    finder->groups.members = calloc(count, sizeof *finder->groups.members);
    finder->groups.instruction = calloc(count, sizeof *finder->groups.instruction);
    if (!finder->members || !finder->class_start || !finder->joined || !finder->groups.items ||
        !finder->groups.of_access || !finder->groups.members || !finder->groups.instruction)
        return false;
    find_classes(finder);
    return join_source_loops(finder) && number_groups(finder) && list_members(finder);
}

int ft_reference_groups_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                             const struct ft_program_loops *loops,
                             const struct ft_formulas *formulas,
                             struct ft_reference_groups *ret_groups, struct ft_diag *diag)
{
    struct finder finder = {
        .graph = graph, .routines = routines, .loops = loops, .formulas = formulas};
    bool complete = find(&finder);
    free(finder.members);
    free(finder.class_start);
    free(finder.joined);
    if (!complete) {
        ft_reference_groups_fini(&finder.groups);
        return ft_fail_memory(diag, "the groups of references");
    }
    *ret_groups = finder.groups;
    return FT_OK;
}

void ft_reference_groups_fini(struct ft_reference_groups *groups)
{
    free(groups->items);
    free(groups->of_access);
    free(groups->members);
    free(groups->instruction);
    *groups = (struct ft_reference_groups){0};
}
