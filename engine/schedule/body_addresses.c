/*
 * Addresses as linear expressions of what registers held before the code, and of what is unknown.
 * Sums of 32 bits are taken not to overflow, as those of compilers don't.
 *
 * 1. What ran before a loop tells how its registers lie to each other when it is entered, such as a
 *    stride in bytes to one in elements.
 * 2. An iteration tells which registers it leaves as they are, and by which sums of these the
 *    others step.
 * 3. So an address is an expression in the first iteration, and one by which it moves with each.
 * Two whose difference is a constant tell after how many iterations the load meets what was stored.
 */
#include <stdlib.h>

#include "engine/program/values/linear_expr.h"
#include "engine/schedule/body_building.h"

#define DISTANCE_MAX 64
#define LINE_BYTES   64

/* In iteration i: start + i step; if not `steps`, nobody knows how it changes, and start is of the
 * iteration at hand. */
struct value {
    struct ft_linear_expr start, step;
    bool steps;
};

struct place { /* of an access */
    uint32_t instruction;
    uint32_t size_bytes;
    bool stores;
    struct value address;
    double commits; /* of a store's own, an iteration */
};

struct analysis {
    struct value registers[FT_REGISTER_COUNT];
    uint32_t symbol_count;
    bool opaque_steps; /* what is unknown is so once for all iterations */
    struct place *places;
    uint32_t place_count;
};

/* ---- values ---- */

/* Of a register before the code; larger numbers are of what is unknown. */
static uint32_t register_symbol(uint32_t number)
{
    return FT_ONE + 1 + number;
}

/* a_factor a + b_factor b; false: it is too large. */
static bool combine(const struct ft_linear_expr *a, int64_t a_factor,
                    const struct ft_linear_expr *b, int64_t b_factor, struct ft_linear_expr *ret)
{
    struct ft_linear_expr sum = {0};
    if (!ft_linear_expr_add(&sum, a, a_factor, 1) || !ft_linear_expr_add(&sum, b, b_factor, 1))
        return false;
    *ret = sum;
    return true;
}

/* Whether a - b is a constant. */
static bool are_apart(const struct ft_linear_expr *a, const struct ft_linear_expr *b,
                      int64_t *ret_bytes)
{
    struct ft_linear_expr difference;
    return combine(a, 1, b, -1, &difference) && ft_linear_expr_is_constant(&difference, ret_bytes);
}

static struct value opaque(struct analysis *analysis)
{
    return (struct value){.start = ft_linear_expr_symbol(analysis->symbol_count++),
                          .steps = analysis->opaque_steps};
}

/* constant + a_factor * a + b_factor * b */
static struct value sum_of(struct analysis *analysis, int64_t constant, const struct value *a,
                           int64_t a_factor, const struct value *b, int64_t b_factor)
{
    struct value sum = {.steps = (a->steps || a_factor == 0) && (b->steps || b_factor == 0)};
    if (!combine(&a->start, a_factor, &b->start, b_factor, &sum.start) ||
        !ft_linear_expr_add_constant(&sum.start, constant) ||
        (sum.steps && !combine(&a->step, a_factor, &b->step, b_factor, &sum.step)))
        return opaque(analysis);
    return sum;
}

static const struct value *register_value(const struct analysis *analysis, uint8_t number)
{
    static const struct value none = {.steps = true};
    return number < FT_REGISTER_COUNT ? &analysis->registers[number] : &none;
}

static bool keeps_value(const struct ft_narrowing *narrowing)
{
    return narrowing->left == narrowing->right && narrowing->left <= 32 &&
           (narrowing->mask == UINT64_MAX || narrowing->mask == UINT32_MAX);
}

static void step_registers(struct analysis *analysis, const struct ft_effect *effect)
{
    struct value results[FT_ASSIGNMENTS_MAX];
    for (unsigned i = 0; i < effect->assignment_count; i++) {
        const struct ft_assignment *assignment = &effect->assignments[i];
        const bool is_plain = keeps_value(&assignment->narrowing) && !assignment->follows_direction;
        results[i] =
            is_plain ? sum_of(analysis, (int64_t)assignment->constant,
                              register_value(analysis, assignment->a),
                              assignment->a < FT_REGISTER_COUNT ? (int64_t)assignment->a_factor : 0,
                              register_value(analysis, assignment->b),
                              assignment->b < FT_REGISTER_COUNT ? (int64_t)assignment->b_factor : 0)
                     : opaque(analysis);
    }
    for (unsigned r = 0; r < FT_REGISTER_COUNT; r++)
        if (effect->forgotten & UINT32_C(1) << r)
            analysis->registers[r] = opaque(analysis);
    for (unsigned i = 0; i < effect->assignment_count; i++)
        analysis->registers[effect->assignments[i].target] = results[i];
}

static void start(struct analysis *analysis)
{
    analysis->symbol_count = register_symbol(FT_REGISTER_COUNT);
    for (uint32_t r = 0; r < FT_REGISTER_COUNT; r++)
        analysis->registers[r] =
            (struct value){.start = ft_linear_expr_symbol(register_symbol(r)), .steps = true};
}

/* ---- registers of a loop ---- */

/* What the registers hold when the loop is entered. */
static void enter(const struct ft_body_builder *builder, struct analysis *analysis)
{
    start(analysis);
    analysis->opaque_steps = true;
    for (uint32_t i = 0; i < builder->path->entry_count; i++) {
        const struct ft_body_code *code = &builder->path->entry[i];
        struct ft_value_flow flow;
        if (ft_value_flow_decode(code->code, code->length, code->pc, &flow, NULL) == FT_OK)
            step_registers(analysis, &flow.effect);
        else
            start(analysis); /* nothing that was known still is */
    }
}

/* Whether an iteration that left registers so steps one by a sum of those that it leaves as they
 * are: by what, as these are when the loop is entered. */
static bool find_step(const struct analysis *entered, const struct analysis *left, uint32_t r,
                      struct ft_linear_expr *ret_step)
{
    const struct ft_linear_expr before = ft_linear_expr_symbol(register_symbol(r));
    struct ft_linear_expr change, step = {0};
    if (!combine(&left->registers[r].start, 1, &before, -1, &change))
        return false;
    for (uint32_t t = 0; t < change.count; t++) {
        const uint32_t symbol = change.terms[t].symbol;
        const int64_t factor = change.terms[t].numerator;
        if (symbol == FT_ONE) {
            if (!ft_linear_expr_add_constant(&step, factor))
                return false;
            continue;
        }
        const uint32_t number = symbol - register_symbol(0);
        const struct ft_linear_expr itself = ft_linear_expr_symbol(symbol);
        if (number >= FT_REGISTER_COUNT ||
            !ft_linear_expr_equal(&left->registers[number].start, &itself) ||
            !ft_linear_expr_add(&step, &entered->registers[number].start, factor, 1))
            return false;
    }
    *ret_step = step;
    return true;
}

/* From what registers hold when the loop is entered to what they hold in any iteration. */
static void make_steps(const struct ft_body_builder *builder, struct analysis *analysis)
{
    struct analysis left = {0};
    start(&left);
    for (uint32_t i = 0; i < builder->path->count; i++)
        step_registers(&left, &builder->instructions[i].flow.effect);
    const struct analysis entered = *analysis;
    analysis->opaque_steps = false;
    for (uint32_t r = 0; r < FT_REGISTER_COUNT; r++) {
        struct value *value = &analysis->registers[r];
        if (find_step(&entered, &left, r, &value->step))
            value->steps = true;
        else
            *value = opaque(analysis);
    }
}

/* ---- accesses ---- */

static void add_places(struct analysis *analysis, const struct ft_body_instruction *instruction,
                       uint32_t index)
{
    for (unsigned a = 0; a < instruction->instruction.access_count; a++) {
        const struct ft_access *access = &instruction->instruction.accesses[a];
        if (access->mode != FT_ACCESS_PLAIN || access->fs || access->gs ||
            (access->kind != FT_LOAD && access->kind != FT_STORE))
            continue;
        const struct value address =
            sum_of(analysis, access->displacement, register_value(analysis, access->base),
                   access->base < FT_REGISTER_COUNT, register_value(analysis, access->index),
                   access->index < FT_REGISTER_COUNT ? access->scale : 0);
        analysis->places[analysis->place_count++] =
            (struct place){.instruction = index,
                           .size_bytes = access->size_bytes,
                           .stores = access->kind == FT_STORE,
                           .address = address};
    }
}

/* ---- which store a load meets ---- */

static bool overlap(const struct place *store, const struct place *load, int64_t offset)
{
    return offset > -(int64_t)load->size_bytes && offset < (int64_t)store->size_bytes;
}

/* After how many iterations two that are so far apart meet, if the load moves by so many bytes with
 * each. */
static uint32_t distance_in_bytes(const struct place *store, const struct place *load,
                                  int64_t offset, int64_t step, bool steps)
{
    for (uint32_t d = store->instruction < load->instruction ? 0 : 1; d < DISTANCE_MAX; d++) {
        if (d > 0 && !steps)
            break;
        if (overlap(store, load, (int64_t)((uint64_t)offset + (uint64_t)step * d)))
            return d;
        if (step == 0 && d > 0)
            break;
    }
    return DISTANCE_MAX;
}

/* Likewise, of those that are as many strides apart as it moves by in some iterations. */
static uint32_t distance_in_strides(const struct place *store, const struct place *load,
                                    const struct ft_linear_expr *apart)
{
    const struct ft_linear_expr *step = &load->address.step;
    const struct ft_term *first = &apart->terms[apart->count - 1]; /* of a symbol, as FT_ONE is 0 */
    const int64_t stride = ft_linear_expr_term(step, first->symbol).numerator;
    if (stride == 0 || first->numerator % stride != 0)
        return DISTANCE_MAX;
    const int64_t d = -(first->numerator / stride);
    struct ft_linear_expr met;
    int64_t offset;
    return d > 0 && d < DISTANCE_MAX && combine(apart, 1, step, d, &met) &&
                   ft_linear_expr_is_constant(&met, &offset) && overlap(store, load, offset)
               ? (uint32_t)d
               : DISTANCE_MAX;
}

/* After how many iterations; DISTANCE_MAX: never, or nobody knows. */
static uint32_t distance_of(const struct place *store, const struct place *load, bool repeats)
{
    const struct value *from = &store->address, *to = &load->address;
    const bool move = repeats && from->steps && to->steps;
    struct ft_linear_expr apart;
    int64_t offset, bytes = 0;
    if ((move && !ft_linear_expr_equal(&from->step, &to->step)) ||
        !combine(&to->start, 1, &from->start, -1, &apart))
        return DISTANCE_MAX;
    const bool in_bytes = ft_linear_expr_is_constant(&to->step, &bytes);
    if (ft_linear_expr_is_constant(&apart, &offset))
        return distance_in_bytes(store, load, offset, bytes, move && in_bytes);
    return move && !in_bytes ? distance_in_strides(store, load, &apart) : DISTANCE_MAX;
}

/* The last store before the load that it meets. */
static bool add_flow_to(struct ft_body_builder *builder, const struct analysis *analysis,
                        const struct place *load)
{
    struct ft_body_flow flow = {.load = load->instruction, .distance = DISTANCE_MAX};
    for (uint32_t p = 0; p < analysis->place_count; p++) {
        const struct place *store = &analysis->places[p];
        if (!store->stores)
            continue;
        const uint32_t distance = distance_of(store, load, builder->path->repeats);
        if (distance < flow.distance || (distance == flow.distance && distance < DISTANCE_MAX)) {
            flow.store = store->instruction;
            flow.distance = distance;
        }
    }
    return flow.distance == DISTANCE_MAX || ft_body_add_flow(builder, &flow);
}

/* ---- which stores commit together ---- */

/* Whether the bytes of a store and of the one before it may be in one line: as far as they are
 * apart, lines taken as they come. */
static bool shares_line(const struct place *before, const struct place *store, bool next_iteration)
{
    const struct value *from = &before->address, *to = &store->address;
    struct ft_linear_expr at = to->start;
    int64_t apart;
    if (ft_linear_expr_is_constant(&from->start, &apart) &&
        ft_linear_expr_is_constant(&to->start, &apart))
        return true;
    if (next_iteration && (!from->steps || !to->steps || !combine(&at, 1, &to->step, 1, &at)))
        return false;
    return are_apart(&at, &from->start, &apart) && apart > -LINE_BYTES && apart < LINE_BYTES &&
           llabs(apart) + (apart < 0 ? before : store)->size_bytes <= LINE_BYTES;
}

/* What a store takes to commit; NULL: nothing. */
static struct ft_core_use *commit_of(const struct ft_body_builder *builder,
                                     const struct place *place)
{
    const uint32_t number = builder->instructions[place->instruction].store;
    if (!place->stores || number == FT_NO_OPERATION)
        return NULL;
    struct ft_operation *operation = &builder->body->operations[number];
    for (uint32_t u = 0; u < operation->use_count; u++)
        if (operation->uses[u].group == builder->body->core->commit_group)
            return &operation->uses[u];
    return NULL;
}

/* Of two stores, each behind the other in one line, the second needs no commit. An iteration with
 * an odd number of them pairs the last with the first of the next: two iterations in turn. */
static void pair_stores(const struct ft_body_builder *builder, struct analysis *analysis)
{
    const struct place *before = NULL;
    const unsigned iterations = builder->path->repeats ? 2 : 1;
    bool is_second = false;
    for (unsigned iteration = 0; iteration < iterations; iteration++) {
        bool is_first = true;
        for (uint32_t p = 0; p < analysis->place_count; p++) {
            struct place *store = &analysis->places[p];
            if (!commit_of(builder, store))
                continue;
            is_second =
                before && !is_second && shares_line(before, store, iteration > 0 && is_first);
            store->commits += is_second ? 0 : 1.0 / iterations;
            before = store;
            is_first = false;
        }
    }
    for (uint32_t p = 0; p < analysis->place_count; p++) {
        struct ft_core_use *commit = commit_of(builder, &analysis->places[p]);
        if (commit)
            commit->cycles *= analysis->places[p].commits;
    }
}

bool ft_body_add_memory(struct ft_body_builder *builder)
{
    struct analysis analysis = {.places = calloc((size_t)builder->path->count * FT_ACCESSES_MAX + 1,
                                                 sizeof *analysis.places)};
    bool done = analysis.places != NULL;
    if (done) {
        enter(builder, &analysis);
        if (builder->path->repeats)
            make_steps(builder, &analysis);
        for (uint32_t i = 0; i < builder->path->count; i++) {
            add_places(&analysis, &builder->instructions[i], i);
            step_registers(&analysis, &builder->instructions[i].flow.effect);
        }
    }
    for (uint32_t p = 0; done && p < analysis.place_count; p++)
        if (!analysis.places[p].stores)
            done = add_flow_to(builder, &analysis, &analysis.places[p]);
    if (done && builder->body->core->commit_group != FT_NO_GROUP)
        pair_stores(builder, &analysis);
    free(analysis.places);
    return done;
}
