/*
 * check_groups TRACE MISSED LOOPS: the groups of references of a captured program against every
 * access that the trace recorded.
 *
 * In one iteration of their innermost loop, references of one group must be as far apart as in all
 * other iterations of all loops while their routine is active; where their formulas differ by a
 * constant, so far, always. In loops of one source loop, an iteration must move references of one
 * group by an n-th or n times as much in one as in the other. All this is taken from addresses and
 * from the iterations of loops; formulas say only what is a group.
 *
 * The other way round, pairs of references to data in the program's own loops that are always
 * equally far apart without being a group: at most MISSED (the data may make it so). At least LOOPS
 * groups of the program's own code are of several loops.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/program/values/formula_text.h"
#include "engine/program/values/reference_groups.h"
#include "tests/support/routine_walk.h"
#include "tests/support/tap.h"

#define REPORTED_MAX 20
#define PAIRS_MIN    8 /* iterations that tell whether two references move alike */
#define LOOPS_MAX    8 /* of a group, compared */

struct turn {
    bool seen;
    uint64_t loop_activation, iteration; /* 0, 0 outside of loops */
    uint32_t access;
    uint64_t address;
};

/* How far an access was from another one of its group. */
struct distance {
    bool known;
    uint32_t from;
    uint64_t bytes;
};

struct loop_stride {
    uint32_t loop;
    int64_t bytes;
};

struct group_state {
    struct turn first; /* access in the turn that runs */
    struct loop_stride strides[LOOPS_MAX];
    unsigned stride_count;
};

struct access_state {
    struct turn last;
    struct distance distance;
};

struct knowledge { /* of an activation */
    struct access_state *accesses;
    struct group_state *groups;
    struct distance *pairs; /* [access * accesses of the routine + other]; NULL: not followed */
};

/* What the trace shows of two references of one loop. */
struct pair {
    uint64_t iterations;
    bool differ;
};

struct check {
    struct routine_walk walk; /* first: the listener casts */
    struct ft_reference_groups groups;
    uint32_t *first_group, *group_end; /* per routine */
    struct pair **pairs;               /* per routine: [access * accesses + other], or NULL */
    uint64_t distances, constant_distances, ratios, contradictions;
    unsigned reported;
};

static const struct ft_access_formula *formula_of(const struct check *check, uint32_t access)
{
    return &check->walk.formulas.accesses[access];
}

static void print_access(const struct check *check, const char *what, uint32_t access)
{
    uint32_t instruction = check->groups.instruction[access];
    uint32_t routine = routine_walk_routine(&check->walk, instruction);
    char *text = ft_access_formula_text(&check->walk.formulas, formula_of(check, access));
    printf("# %s 0x%" PRIx64 " in %s: %s\n", what, routine_walk_offset(&check->walk, instruction),
           check->walk.structure.routines.items[routine].symbol, text);
    free(text);
}

static void report(struct check *check, const char *what, uint32_t access, uint32_t other)
{
    if (check->reported++ >= REPORTED_MAX)
        return;
    print_access(check, what, access);
    print_access(check, "    and", other);
}

/* ---- activations ---- */

static uint32_t access_count(const struct check *check, uint32_t routine)
{
    return check->walk.access_end[routine] > check->walk.first_access[routine]
               ? check->walk.access_end[routine] - check->walk.first_access[routine]
               : 0;
}

static void begin_activation(struct routine_walk *walk, struct activation *activation)
{
    const struct check *check = (struct check *)walk;
    const uint32_t routine = activation->routine;
    const size_t count = access_count(check, routine);
    const size_t groups = check->group_end[routine] - check->first_group[routine];
    struct knowledge *knowledge = calloc(1, sizeof *knowledge);
    if (!knowledge)
        exit(99);
    knowledge->accesses = calloc(count + 1, sizeof *knowledge->accesses);
    knowledge->groups = calloc(groups + 1, sizeof *knowledge->groups);
    if (check->pairs[routine])
        knowledge->pairs = calloc(count * count, sizeof *knowledge->pairs);
    if (!knowledge->accesses || !knowledge->groups || (check->pairs[routine] && !knowledge->pairs))
        exit(99);
    activation->data = knowledge;
}

static void end_activation(struct routine_walk *walk, struct activation *activation)
{
    struct knowledge *knowledge = activation->data;
    (void)walk;
    free(knowledge->accesses);
    free(knowledge->groups);
    free(knowledge->pairs);
    free(knowledge);
}

/* ---- accesses ---- */

static bool is_same_turn(const struct turn *a, const struct turn *b)
{
    return a->seen && b->seen && a->loop_activation == b->loop_activation &&
           a->iteration == b->iteration;
}

/* Whether the formulas of two accesses differ by a constant, and which. */
static bool differ_by_constant(const struct check *check, uint32_t access, uint32_t other,
                               int64_t *ret_bytes)
{
    struct ft_linear_expr sum =
        ft_formula_expr(&check->walk.formulas, &formula_of(check, access)->first);
    struct ft_linear_expr less =
        ft_formula_expr(&check->walk.formulas, &formula_of(check, other)->first);
    return ft_linear_expr_add(&sum, &less, -1, 1) && ft_linear_expr_is_constant(&sum, ret_bytes);
}

/* Against the first access of the group in this turn. */
static void check_distance(struct check *check, struct access_state *state,
                           const struct group_state *group, const struct turn *now)
{
    struct distance found = {true, group->first.access, now->address - group->first.address};
    int64_t constant;
    bool wrong = state->distance.known && state->distance.from == found.from &&
                 state->distance.bytes != found.bytes;
    check->distances += state->distance.known && state->distance.from == found.from;
    if (differ_by_constant(check, now->access, found.from, &constant)) {
        wrong |= (uint64_t)constant != found.bytes;
        check->constant_distances++;
    }
    if (wrong)
        report(check, "another distance", now->access, found.from);
    check->contradictions += wrong;
    state->distance = found;
}

static bool is_whole_ratio(int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return a == b;
    return (a < 0) == (b < 0) && (a % b == 0 || b % a == 0);
}

/* In each loop, how far the group moves in an iteration, against other loops. */
static void check_ratio(struct check *check, struct group_state *group, const struct turn *before,
                        const struct turn *now, uint32_t loop)
{
    if (!before->seen || before->loop_activation != now->loop_activation ||
        before->iteration + 1 != now->iteration)
        return;
    struct loop_stride found = {loop, (int64_t)(now->address - before->address)};
    bool fits = group->stride_count == 0;
    for (unsigned i = 0; i < group->stride_count; i++) {
        if (group->strides[i].loop == loop) {
            if (group->strides[i].bytes == found.bytes)
                return;
            break; /* checked by distances within the loop; here it is a contradiction */
        }
        fits |= is_whole_ratio(group->strides[i].bytes, found.bytes);
    }
    check->ratios += group->stride_count > 0;
    check->contradictions += !fits;
    if (!fits)
        report(check, "no whole ratio", now->access, group->first.access);
    if (group->stride_count < LOOPS_MAX)
        group->strides[group->stride_count++] = found;
}

/* Each two references of a loop in one iteration. */
static void take_pairs(struct check *check, struct knowledge *knowledge, uint32_t routine,
                       const struct turn *now, uint32_t loop)
{
    const uint32_t first = check->walk.first_access[routine];
    const size_t count = access_count(check, routine);
    for (uint32_t other = 0; other < count; other++) {
        const struct access_state *state = &knowledge->accesses[other];
        const struct ft_access_formula *formula = formula_of(check, first + other);
        if (!is_same_turn(&state->last, now) || first + other == now->access ||
            formula->level_count == 0 ||
            check->walk.formulas.strides[formula->first_stride].loop != loop)
            continue;
        const size_t at = (now->access - first) * count + other;
        struct distance found = {true, first + other, now->address - state->last.address};
        struct distance *known = &knowledge->pairs[at];
        struct pair *pair = &check->pairs[routine][at];
        pair->iterations += known->known;
        pair->differ |= known->known && known->bytes != found.bytes;
        *known = found;
    }
}

static void take_access(struct routine_walk *walk, struct activation *activation,
                        uint32_t instruction, unsigned index, uint64_t address)
{
    struct check *check = (struct check *)walk;
    const struct ft_access_formula *formula = ft_formula_of(&walk->formulas, instruction, index);
    const uint32_t access = (uint32_t)(formula - walk->formulas.accesses);
    if (walk->structure.graph.instructions[instruction]->accesses[index].mode != FT_ACCESS_PLAIN ||
        !activation || activation->depth != formula->level_count)
        return;
    struct knowledge *knowledge = activation->data;
    const uint32_t routine = activation->routine, group = check->groups.of_access[access];
    struct access_state *state = &knowledge->accesses[access - walk->first_access[routine]];
    struct group_state *own = &knowledge->groups[group - check->first_group[routine]];
    struct turn now = {.seen = true, .access = access, .address = address};
    uint32_t loop = FT_NO_LOOP;
    if (activation->depth > 0) {
        const struct active_loop *inner = &activation->loops[activation->depth - 1];
        now.loop_activation = inner->activation;
        now.iteration = inner->iteration;
        loop = inner->loop;
    }
    if (!is_same_turn(&own->first, &now))
        own->first = now;
    else if (own->first.access != access)
        check_distance(check, state, own, &now);
    if (check->groups.items[group].loop_count > 1)
        check_ratio(check, own, &state->last, &now, loop);
    if (knowledge->pairs && loop != FT_NO_LOOP)
        take_pairs(check, knowledge, routine, &now, loop);
    state->last = now;
}

/* ---- results ---- */

static void find_ranges(struct check *check)
{
    const size_t count = check->walk.structure.routines.count + 1;
    check->first_group = calloc(count, sizeof *check->first_group);
    check->group_end = calloc(count, sizeof *check->group_end);
    check->pairs = calloc(count, sizeof *check->pairs);
    if (!check->first_group || !check->group_end || !check->pairs)
        exit(99);
    for (uint32_t g = check->groups.count; g-- > 0;) {
        uint32_t routine = check->groups.items[g].routine;
        check->first_group[routine] = g;
        if (check->group_end[routine] == 0)
            check->group_end[routine] = g + 1;
    }
    for (uint32_t i = 0; i < check->walk.structure.graph.instruction_count; i++) {
        const uint32_t routine = routine_walk_routine(&check->walk, i);
        const size_t accesses = access_count(check, routine);
        if (!check->pairs[routine] && accesses && routine_walk_is_own(&check->walk, i) &&
            !(check->pairs[routine] = calloc(accesses * accesses, sizeof **check->pairs)))
            exit(99);
    }
}

/* Pairs of references to data that move alike and are in two groups. */
static void check_missed(struct check *check, uint64_t most)
{
    uint64_t missed = 0, together = 0;
    check->reported = 0;
    for (uint32_t r = 0; r < check->walk.structure.routines.count; r++) {
        const size_t count = access_count(check, r);
        for (size_t at = 0; check->pairs[r] && at < count * count; at++) {
            const uint32_t access = check->walk.first_access[r] + (uint32_t)(at / count);
            const uint32_t other = check->walk.first_access[r] + (uint32_t)(at % count);
            if (access < other || check->pairs[r][at].iterations < PAIRS_MIN ||
                check->pairs[r][at].differ ||
                formula_of(check, access)->storage != FT_STORAGE_DATA ||
                formula_of(check, other)->storage != FT_STORAGE_DATA)
                continue;
            bool same = check->groups.of_access[access] == check->groups.of_access[other];
            together += same;
            missed += !same;
            if (!same)
                report(check, "alike and not grouped", access, other);
        }
    }
    tap_ok(missed <= most,
           "own loops: %" PRIu64 " pairs move alike and are grouped, %" PRIu64
           " are not, at most %" PRIu64,
           together, missed, most);
}

static void check_loops(struct check *check, uint64_t least)
{
    uint64_t references = 0, groups = 0, several = 0;
    for (uint32_t g = 0; g < check->groups.count; g++) {
        const struct ft_reference_group *group = &check->groups.items[g];
        if (!routine_walk_is_own(
                &check->walk,
                check->groups.instruction[check->groups.members[group->first_member]]))
            continue;
        groups++;
        references += group->member_count;
        several += group->loop_count > 1;
    }
    tap_ok(several >= least,
           "own code: %" PRIu64 " references in %" PRIu64 " groups, %" PRIu64
           " of several loops, at least %" PRIu64,
           references, groups, several, least);
}

int main(int argc, char **argv)
{
    static const struct walk_listener listener = {begin_activation, end_activation, take_access};
    struct check check = {.walk = {.listener = &listener}};
    struct ft_diag diag = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: %s TRACE MISSED LOOPS\n", argv[0]);
        return 2;
    }
    int status = routine_walk_open(argv[1], &check.walk, &diag);
    const struct ft_structure *structure = &check.walk.structure;
    if (status == 0)
        status =
            ft_reference_groups_find(&structure->graph, &structure->routines, &structure->loops,
                                     &check.walk.formulas, &check.groups, &diag);
    if (status == 0) {
        find_ranges(&check);
        status = routine_walk_follow(&check.walk, &diag);
    }
    if (tap_ok(status == 0, "groups of %s %s", argv[1], diag.message)) {
        tap_ok(check.contradictions == 0 && check.distances > 0 && check.constant_distances > 0,
               "%" PRIu64 " distances in groups are as before, %" PRIu64
               " as formulas say, %" PRIu64 " strides of several loops have whole ratios; %" PRIu64
               " contradict",
               check.distances, check.constant_distances, check.ratios, check.contradictions);
        check_missed(&check, strtoull(argv[2], NULL, 10));
        check_loops(&check, strtoull(argv[3], NULL, 10));
    }
    for (size_t r = 0; check.pairs && r < structure->routines.count; r++)
        free(check.pairs[r]);
    free(check.pairs);
    free(check.first_group);
    free(check.group_end);
    ft_reference_groups_fini(&check.groups);
    routine_walk_close(&check.walk);
    return tap_plan_done();
}
