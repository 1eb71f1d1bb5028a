/*
 * check_dependence_graph TRACE [EDGES]: the dependences through memory of a captured program's
 * loops against every access that the trace recorded.
 *
 * Of each active loop all bytes that its accesses touch are kept, with the iteration. Where an
 * access touches bytes that another one touched before in the same activation of the loop, and one
 * of both stores, the pessimistic graph must have an edge between them that is at most so long: so
 * nothing that it calls independent ever meets. And the other way round, whatever an edge that is
 * certain leads between must meet, iteration by iteration, wherever both were executed: what a load
 * reads, the store so many iterations before has written. An edge that is overwritten delivers
 * nothing: the store that wrote a byte last is never the one that it comes from.
 *
 * EDGES: so many certain edges of the program's own loops at least must have been seen to meet.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/dependences.h"
#include "tests/support/routine_walk.h"
#include "tests/support/tap.h"

#define REPORTED_MAX  20
#define ITERATIONS    64    /* that are remembered */
#define ADDRESSES_MAX 20000 /* of an access in an iteration; beyond, it is not followed */

static void *need(void *memory)
{
    if (!memory)
        exit(99);
    return memory;
}

/* ---- what is to hold for a loop ---- */

struct pair {
    uint32_t from, to; /* accesses, numbered as formulas are */
    uint32_t distance;
    uint64_t seen; /* certain: how often both were executed, so far apart */
};

struct facts {
    bool made;
    struct pair *least; /* of all edges, by from and to */
    size_t least_count;
    struct pair *certain;
    size_t certain_count;
    struct pair *overwritten; /* by from and to */
    size_t overwritten_count;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

struct check {
    struct routine_walk walk; /* first */
    struct ft_dependences dependences;
    struct facts *facts;    /* per loop */
    uint32_t *instructions; /* per access */
    bool *is_followed;      /* per access: of a certain edge */
    uint64_t time;          /* accesses seen */
    uint64_t met, kept, replaced, contradictions;
    unsigned reported;
};

static const struct ft_access *access_of(const struct check *check, uint32_t access)
{
    uint32_t instruction = check->instructions[access];
    return &check->walk.structure.graph.instructions[instruction]
                ->accesses[access - check->walk.formulas.first_access[instruction]];
}

static void make_facts(struct check *check, uint32_t loop)
{
    const struct ft_loop_dependences *item = &check->dependences.loops[loop];
    const uint32_t *first_access = check->walk.formulas.first_access;
    struct facts *facts = &check->facts[loop];
    facts->made = true;
    facts->least = need(calloc(item->edge_count + 1, sizeof *facts->least));
    facts->certain = need(calloc(item->edge_count + 1, sizeof *facts->certain));
    facts->overwritten = need(calloc(item->edge_count + 1, sizeof *facts->overwritten));
    for (size_t e = 0; e < item->edge_count; e++) {
        const struct ft_dependence *edge = &item->edges[e];
        if (edge->place != FT_NO_PLACE || edge->from_access == FT_ANY_ACCESS ||
            edge->to_access == FT_ANY_ACCESS)
            continue;
        struct pair pair = {first_access[edge->from_instruction] + edge->from_access,
                            first_access[edge->to_instruction] + edge->to_access, edge->distance,
                            0};
        facts->least[facts->least_count++] = pair;
        if (edge->flags & FT_DEPENDENCE_OVERWRITTEN)
            facts->overwritten[facts->overwritten_count++] = pair;
        if (edge->flags & FT_DEPENDENCE_ASSUMED || edge->distance >= ITERATIONS)
            continue;
        facts->certain[facts->certain_count++] = pair;
        check->is_followed[pair.from] = check->is_followed[pair.to] = true;
    }
    qsort(facts->least, facts->least_count, sizeof *facts->least, compare_pairs);
    qsort(facts->overwritten, facts->overwritten_count, sizeof *facts->overwritten, compare_pairs);
}

/* Whether pairs, which are sorted, have an edge from an access to another, at most so long. */
static bool has_edge(const struct pair *pairs, size_t count, uint32_t from, uint32_t to,
                     uint64_t distance)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct pair *pair = &pairs[middle];
        if (pair->from < from || (pair->from == from && pair->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && pairs[low].from == from && pairs[low].to == to &&
           pairs[low].distance <= distance;
}

/* ---- what an active loop has touched ---- */

struct touch {
    uint32_t access;
    uint32_t next;         /* touch of the same byte, 0: none */
    uint64_t last, before; /* iterations, counted from 1; before: 0 where there is none */
    uint64_t time;         /* of the last one: accesses seen so far */
};

struct bytes {
    uint64_t *keys;   /* address + 1; 0: free */
    uint32_t *firsts; /* touch */
    size_t size, used;
    struct touch *touches; /* [0] is none */
    size_t count, capacity;
};

/* The addresses of an access in an iteration. */
struct visit {
    uint64_t iteration;
    uint64_t *addresses;
    size_t count, capacity;
};

struct level {
    uint64_t activation; /* of the loop; 0: none */
    uint32_t loop;
    uint64_t iteration; /* from 1 */
    struct bytes bytes;
    struct visit *visits; /* [access of the routine * ITERATIONS + iteration % ITERATIONS] */
};

static void grow_bytes(struct bytes *bytes)
{
    struct bytes grown = *bytes;
    grown.size = bytes->size ? 2 * bytes->size : 256;
    grown.keys = need(calloc(grown.size, sizeof *grown.keys));
    grown.firsts = need(calloc(grown.size, sizeof *grown.firsts));
    for (size_t i = 0; i < bytes->size; i++) {
        if (!bytes->keys[i])
            continue;
        size_t at = bytes->keys[i] * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (grown.size - 1);
        while (grown.keys[at])
            at = (at + 1) & (grown.size - 1);
        grown.keys[at] = bytes->keys[i];
        grown.firsts[at] = bytes->firsts[i];
    }
    free(bytes->keys);
    free(bytes->firsts);
    *bytes = grown;
}

/* The first touch of a byte. */
static uint32_t *touches_of(struct bytes *bytes, uint64_t address)
{
    if (2 * bytes->used >= bytes->size)
        grow_bytes(bytes);
    uint64_t key = address + 1;
    size_t at = key * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (bytes->size - 1);
    while (bytes->keys[at] && bytes->keys[at] != key)
        at = (at + 1) & (bytes->size - 1);
    bytes->used += bytes->keys[at] == 0;
    bytes->keys[at] = key;
    return &bytes->firsts[at];
}

static void clear_bytes(struct bytes *bytes)
{
    if (bytes->used) {
        memset(bytes->keys, 0, bytes->size * sizeof *bytes->keys);
        memset(bytes->firsts, 0, bytes->size * sizeof *bytes->firsts);
    }
    bytes->used = 0;
    bytes->count = 1;
}

/* ---- nothing independent meets ---- */

static void report(struct check *check, uint32_t loop, const char *what, uint32_t from, uint32_t to,
                   uint64_t distance)
{
    const struct ft_program_loop *item = &check->walk.structure.loops.items[loop];
    const struct ft_flow_block *header = &check->walk.structure.graph.blocks[item->header];
    check->contradictions++;
    if (check->reported++ < REPORTED_MAX)
        printf("# %s: 0x%" PRIx64 " and 0x%" PRIx64 ", %" PRIu64
               " iterations of the loop at 0x%" PRIx64 " in %s\n",
               what, routine_walk_offset(&check->walk, check->instructions[from]),
               routine_walk_offset(&check->walk, check->instructions[to]), distance, header->offset,
               check->walk.structure.routines.items[item->routine].symbol);
}

/* Whether both are of one node of the loop's graph: what is in a loop inside, or an instruction. */
static bool same_node(const struct check *check, uint32_t loop, uint32_t from, uint32_t to)
{
    const struct ft_structure *structure = &check->walk.structure;
    uint32_t sides[2] = {check->instructions[from], check->instructions[to]}, inside[2];
    for (unsigned s = 0; s < 2; s++) {
        inside[s] = FT_NO_LOOP;
        for (uint32_t l = structure->loops.of_block[structure->graph.block_of[sides[s]]]; l != loop;
             l = structure->loops.items[l].parent)
            inside[s] = l;
    }
    return sides[0] == sides[1] || (inside[0] == inside[1] && inside[0] != FT_NO_LOOP);
}

static void meet(struct check *check, const struct level *level, uint32_t from, uint32_t to,
                 uint64_t distance)
{
    bool stores = access_of(check, from)->kind != FT_LOAD || access_of(check, to)->kind != FT_LOAD;
    if (!stores || (distance == 0 && same_node(check, level->loop, from, to)))
        return;
    const struct facts *facts = &check->facts[level->loop];
    if (has_edge(facts->least, facts->least_count, from, to, distance))
        check->met++;
    else
        report(check, level->loop, "met without an edge", from, to, distance);
}

/* What a load reads, the store that touched the byte last has written. */
static void deliver(struct check *check, const struct level *level, uint32_t first, uint32_t load)
{
    const struct facts *facts = &check->facts[level->loop];
    const struct touch *touches = level->bytes.touches;
    uint32_t writer = 0;
    if (!facts->overwritten_count || access_of(check, load)->kind != FT_LOAD)
        return;
    for (uint32_t t = first; t; t = touches[t].next)
        if (access_of(check, touches[t].access)->kind != FT_LOAD &&
            (!writer || touches[t].time > touches[writer].time))
            writer = t;
    for (uint32_t t = first; t; t = touches[t].next)
        if (has_edge(facts->overwritten, facts->overwritten_count, touches[t].access, load,
                     level->iteration)) {
            if (t == writer)
                report(check, level->loop, "delivered though overwritten", touches[t].access, load,
                       level->iteration - touches[t].last);
            else
                check->replaced++;
        }
}

static void touch_byte(struct check *check, struct level *level, uint32_t access, uint64_t address)
{
    struct bytes *bytes = &level->bytes;
    uint32_t *first = touches_of(bytes, address), own = 0;
    deliver(check, level, *first, access);
    for (uint32_t t = *first; t; t = bytes->touches[t].next) {
        const struct touch *touch = &bytes->touches[t];
        meet(check, level, touch->access, access, level->iteration - touch->last);
        if (touch->last == level->iteration && touch->before)
            meet(check, level, touch->access, access, level->iteration - touch->before);
        if (touch->access == access)
            own = t;
    }
    if (own)
        bytes->touches[own].time = check->time;
    if (own && bytes->touches[own].last == level->iteration)
        return;
    if (own) {
        bytes->touches[own].before = bytes->touches[own].last;
        bytes->touches[own].last = level->iteration;
        return;
    }
    if (bytes->count >= bytes->capacity) {
        bytes->capacity = 2 * bytes->capacity + 256;
        bytes->touches = need(realloc(bytes->touches, bytes->capacity * sizeof *bytes->touches));
    }
    bytes->touches[bytes->count] = (struct touch){access, *first, level->iteration, 0, check->time};
    *first = (uint32_t)bytes->count++;
}

/* ---- what is certain meets ---- */

static struct visit *visit_of(const struct check *check, const struct level *level, uint32_t access,
                              uint64_t iteration)
{
    uint32_t routine = check->walk.structure.loops.items[level->loop].routine;
    size_t own = access - check->walk.first_access[routine];
    return &level->visits[own * ITERATIONS + iteration % ITERATIONS];
}

static int compare_addresses(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool overlap(const struct check *check, const struct pair *pair, const struct visit *from,
                    const struct visit *to)
{
    uint64_t from_bytes = access_of(check, pair->from)->size_bytes;
    uint64_t to_bytes = access_of(check, pair->to)->size_bytes;
    size_t f = 0, t = 0;
    while (f < from->count && t < to->count) {
        if (from->addresses[f] + from_bytes <= to->addresses[t])
            f++;
        else if (to->addresses[t] + to_bytes <= from->addresses[f])
            t++;
        else
            return true;
    }
    return false;
}

/* An iteration is over. */
static void check_certain(struct check *check, struct level *level)
{
    struct facts *facts = &check->facts[level->loop];
    for (size_t p = 0; p < facts->certain_count; p++) {
        struct pair *pair = &facts->certain[p];
        if (pair->distance >= level->iteration)
            continue;
        const struct visit *to = visit_of(check, level, pair->to, level->iteration);
        const struct visit *from =
            visit_of(check, level, pair->from, level->iteration - pair->distance);
        if (to->iteration != level->iteration || to->count > ADDRESSES_MAX ||
            from->iteration != level->iteration - pair->distance || from->count > ADDRESSES_MAX)
            continue;
        if (from->count > 1)
            qsort(from->addresses, from->count, sizeof *from->addresses, compare_addresses);
        if (to->count > 1)
            qsort(to->addresses, to->count, sizeof *to->addresses, compare_addresses);
        if (overlap(check, pair, from, to)) {
            pair->seen++;
            check->kept++;
        } else {
            report(check, level->loop, "did not meet", pair->from, pair->to, pair->distance);
        }
    }
}

static void visit_address(const struct check *check, struct level *level, uint32_t access,
                          uint64_t address)
{
    struct visit *visit = visit_of(check, level, access, level->iteration);
    if (visit->iteration != level->iteration) {
        visit->iteration = level->iteration;
        visit->count = 0;
    }
    if (visit->count > ADDRESSES_MAX)
        return;
    if (visit->count == visit->capacity) {
        visit->capacity = 2 * visit->capacity + 1;
        visit->addresses =
            need(realloc(visit->addresses, visit->capacity * sizeof *visit->addresses));
    }
    visit->addresses[visit->count++] = address;
}

/* ---- the walk ---- */

static size_t visit_count(const struct check *check, uint32_t routine)
{
    const struct routine_walk *walk = &check->walk;
    return walk->access_end[routine] > walk->first_access[routine]
               ? (walk->access_end[routine] - walk->first_access[routine]) * (size_t)ITERATIONS
               : 0;
}

static void begin_activation(struct routine_walk *walk, struct activation *activation)
{
    (void)walk;
    activation->data = need(calloc(WALK_LEVELS_MAX, sizeof(struct level)));
}

static void end_activation(struct routine_walk *walk, struct activation *activation)
{
    struct check *check = (struct check *)walk;
    struct level *levels = activation->data;
    for (unsigned d = 0; d < WALK_LEVELS_MAX; d++) {
        if (levels[d].activation)
            check_certain(check, &levels[d]);
        for (size_t v = 0; levels[d].visits && v < visit_count(check, activation->routine); v++)
            free(levels[d].visits[v].addresses);
        free(levels[d].visits);
        free(levels[d].bytes.keys);
        free(levels[d].bytes.firsts);
        free(levels[d].bytes.touches);
    }
    free(levels);
}

/* The loop that is active at a level, in its iteration. */
static void move_level(struct check *check, const struct activation *activation,
                       struct level *level, const struct active_loop *now)
{
    uint64_t iteration = now->iteration + 1;
    if (level->activation == now->activation && level->iteration == iteration)
        return;
    if (level->activation)
        check_certain(check, level);
    level->iteration = iteration;
    if (level->activation == now->activation)
        return;
    level->activation = now->activation;
    level->loop = now->loop;
    clear_bytes(&level->bytes);
    size_t count = visit_count(check, activation->routine);
    if (!level->visits)
        level->visits = need(calloc(count + 1, sizeof *level->visits));
    for (size_t v = 0; v < count; v++)
        level->visits[v].iteration = 0;
    if (!check->facts[now->loop].made)
        make_facts(check, now->loop);
}

static void take_access(struct routine_walk *walk, struct activation *activation,
                        uint32_t instruction, unsigned index, uint64_t address)
{
    struct check *check = (struct check *)walk;
    uint32_t access = walk->formulas.first_access[instruction] + index;
    uint32_t size_bytes =
        walk->structure.graph.instructions[instruction]->accesses[index].size_bytes;
    struct level *levels = activation ? activation->data : NULL;
    check->time++;
    for (unsigned d = 0; activation && d < activation->depth; d++) {
        move_level(check, activation, &levels[d], &activation->loops[d]);
        for (uint32_t b = 0; b < size_bytes; b++)
            touch_byte(check, &levels[d], access, address + b);
        if (check->is_followed[access])
            visit_address(check, &levels[d], access, address);
    }
}

static int prepare(struct check *check, const char *path, struct ft_diag *diag)
{
    int status = routine_walk_open(path, &check->walk, diag);
    if (status)
        return status;
    const struct ft_structure *structure = &check->walk.structure;
    const struct ft_formulas *formulas = &check->walk.formulas;
    check->facts = need(calloc(structure->loops.count + 1, sizeof *check->facts));
    check->instructions = need(calloc(formulas->access_count + 1, sizeof *check->instructions));
    check->is_followed = need(calloc(formulas->access_count + 1, sizeof *check->is_followed));
    for (uint32_t i = 0; i < structure->graph.instruction_count; i++)
        for (unsigned a = 0; a < structure->graph.instructions[i]->access_count; a++)
            check->instructions[formulas->first_access[i] + a] = i;
    return ft_dependences_find(&structure->graph, &structure->routines, &structure->loops,
                               FT_ALL_ROUTINES, true, &check->dependences, diag);
}

/* Certain edges of the program's own loops that were seen to meet. */
static uint64_t own_edges(const struct check *check)
{
    uint64_t count = 0;
    for (size_t l = 0; l < check->dependences.loop_count; l++)
        for (size_t p = 0; p < check->facts[l].certain_count; p++) {
            const struct pair *pair = &check->facts[l].certain[p];
            count +=
                pair->seen && routine_walk_is_own(&check->walk, check->instructions[pair->from]);
        }
    return count;
}

int main(int argc, char **argv)
{
    static const struct walk_listener listener = {begin_activation, end_activation, take_access};
    struct check check = {.walk = {.listener = &listener}};
    struct ft_diag diag = {0};
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s TRACE [EDGES]\n", argv[0]);
        return 2;
    }
    int status = prepare(&check, argv[1], &diag);
    if (status == 0)
        status = routine_walk_follow(&check.walk, &diag);
    if (tap_ok(status == 0, "dependences of %s %s", argv[1], diag.message)) {
        uint64_t asked = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, own = own_edges(&check);
        tap_ok(check.contradictions == 0 && check.met > 0 && check.kept > 0,
               "%" PRIu64 " bytes met where an edge leads, certain edges met %" PRIu64
               " times; %" PRIu64 " bytes read behind an overwrite; %" PRIu64 " contradict",
               check.met, check.kept, check.replaced, check.contradictions);
        tap_ok(own >= asked,
               "%" PRIu64 " certain edges of own loops were seen to meet, at least %" PRIu64, own,
               asked);
    }
    for (size_t l = 0; check.facts && l < check.walk.structure.loops.count; l++) {
        free(check.facts[l].least);
        free(check.facts[l].certain);
        free(check.facts[l].overwritten);
    }
    free(check.facts);
    free(check.instructions);
    free(check.is_followed);
    ft_dependences_fini(&check.dependences);
    routine_walk_close(&check.walk);
    return tap_plan_done();
}
