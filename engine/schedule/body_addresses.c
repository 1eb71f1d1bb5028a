/*
 * Addresses as linear forms: each general register holds a symbol plus a constant, where a symbol
 * is what a register held when the iteration began, a sum of multiples of two symbols, or something
 * unknown. Sums of 32 bits are taken not to overflow, as those of compilers don't. A symbol of the
 * first kind is an induction variable if its register ends the iteration with it plus a constant.
 * Two accesses with one symbol are a constant apart; with the symbol's step that says after how
 * many iterations the load meets what was stored.
 */
#include <stdlib.h>

#include "engine/schedule/body_building.h"

#define DISTANCE_MAX 64
#define NO_SYMBOL    UINT32_MAX
#define LINE_BYTES   64

struct value {
    uint32_t symbol; /* NO_SYMBOL: the constant alone */
    int64_t constant;
};

struct symbol {
    uint32_t a, b; /* NO_SYMBOL: none */
    int64_t a_factor, b_factor;
    bool is_opaque, steps; /* steps: by `step` per iteration */
    int64_t step;
};

struct place { /* of an access */
    uint32_t instruction;
    uint32_t size_bytes;
    bool stores;
    struct value address;
    double commits; /* of a store's own, an iteration */
};

struct analysis {
    struct symbol *symbols;
    uint32_t symbol_count;
    struct value registers[FT_REGISTER_COUNT];
    struct place *places;
    uint32_t place_count;
};

/* ---- values ---- */

static uint32_t new_symbol(struct analysis *analysis, const struct symbol *symbol)
{
    for (uint32_t s = FT_REGISTER_COUNT; !symbol->is_opaque && s < analysis->symbol_count; s++) {
        const struct symbol *other = &analysis->symbols[s];
        if (!other->is_opaque && other->a == symbol->a && other->b == symbol->b &&
            other->a_factor == symbol->a_factor && other->b_factor == symbol->b_factor)
            return s;
    }
    analysis->symbols[analysis->symbol_count] = *symbol;
    return analysis->symbol_count++;
}

static struct value opaque(struct analysis *analysis)
{
    const struct symbol symbol = {.a = NO_SYMBOL, .b = NO_SYMBOL, .is_opaque = true};
    return (struct value){.symbol = new_symbol(analysis, &symbol)};
}

/* constant + a_factor * a + b_factor * b; wraps as registers do. */
static struct value sum_of(struct analysis *analysis, uint64_t constant, struct value a,
                           uint64_t a_factor, struct value b, uint64_t b_factor)
{
    const uint64_t sum =
        constant + a_factor * (uint64_t)a.constant + b_factor * (uint64_t)b.constant;
    struct symbol symbol = {.a = a_factor ? a.symbol : NO_SYMBOL,
                            .b = b_factor ? b.symbol : NO_SYMBOL,
                            .a_factor = (int64_t)a_factor,
                            .b_factor = (int64_t)b_factor};
    if (symbol.a == NO_SYMBOL) {
        symbol.a = symbol.b;
        symbol.a_factor = symbol.b_factor;
        symbol.b = NO_SYMBOL;
    }
    if (symbol.b == NO_SYMBOL)
        symbol.b_factor = 0;
    struct value value = {.symbol = symbol.a, .constant = (int64_t)sum};
    if (symbol.a != NO_SYMBOL && (symbol.b != NO_SYMBOL || symbol.a_factor != 1))
        value.symbol = new_symbol(analysis, &symbol);
    return value;
}

static struct value register_value(const struct analysis *analysis, uint8_t number)
{
    return number < FT_REGISTER_COUNT ? analysis->registers[number]
                                      : (struct value){.symbol = NO_SYMBOL};
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
        results[i] = is_plain ? sum_of(analysis, assignment->constant,
                                       register_value(analysis, assignment->a),
                                       assignment->a < FT_REGISTER_COUNT ? assignment->a_factor : 0,
                                       register_value(analysis, assignment->b),
                                       assignment->b < FT_REGISTER_COUNT ? assignment->b_factor : 0)
                              : opaque(analysis);
    }
    for (unsigned r = 0; r < FT_REGISTER_COUNT; r++)
        if (effect->forgotten & UINT32_C(1) << r)
            analysis->registers[r] = opaque(analysis);
    for (unsigned i = 0; i < effect->assignment_count; i++)
        analysis->registers[effect->assignments[i].target] = results[i];
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
            sum_of(analysis, (uint64_t)access->displacement, register_value(analysis, access->base),
                   access->base < FT_REGISTER_COUNT, register_value(analysis, access->index),
                   access->index < FT_REGISTER_COUNT ? access->scale : 0);
        analysis->places[analysis->place_count++] =
            (struct place){.instruction = index,
                           .size_bytes = access->size_bytes,
                           .stores = access->kind == FT_STORE,
                           .address = address};
    }
}

static void find_steps(struct analysis *analysis)
{
    for (uint32_t s = 0; s < analysis->symbol_count; s++) {
        struct symbol *symbol = &analysis->symbols[s];
        if (s < FT_REGISTER_COUNT) {
            symbol->steps = analysis->registers[s].symbol == s;
            symbol->step = analysis->registers[s].constant;
        } else if (!symbol->is_opaque) {
            const struct symbol *a = &analysis->symbols[symbol->a];
            const struct symbol *b = symbol->b != NO_SYMBOL ? &analysis->symbols[symbol->b] : NULL;
            symbol->steps = a->steps && (!b || b->steps);
            symbol->step = (int64_t)((uint64_t)symbol->a_factor * (uint64_t)a->step +
                                     (b ? (uint64_t)symbol->b_factor * (uint64_t)b->step : 0));
        }
    }
}

/* ---- which store a load meets ---- */

/* After how many iterations; DISTANCE_MAX: never, or nobody knows. */
static uint32_t distance_of(const struct analysis *analysis, const struct place *store,
                            const struct place *load, bool repeats)
{
    const struct value *from = &store->address, *to = &load->address;
    if (from->symbol != to->symbol)
        return DISTANCE_MAX;
    /* In iteration d the load is at to + step d, the store of iteration 0 at from. */
    const int64_t apart = (int64_t)((uint64_t)from->constant - (uint64_t)to->constant);
    const struct symbol still = {.steps = true};
    const struct symbol *symbol =
        from->symbol == NO_SYMBOL ? &still : &analysis->symbols[from->symbol];
    for (uint32_t d = store->instruction < load->instruction ? 0 : 1; d < DISTANCE_MAX; d++) {
        if (d > 0 && !(repeats && symbol->steps))
            break;
        const int64_t offset = (int64_t)((uint64_t)symbol->step * d - (uint64_t)apart);
        if (offset > -(int64_t)load->size_bytes && offset < (int64_t)store->size_bytes)
            return d;
        if (symbol->step == 0 && d > 0)
            break;
    }
    return DISTANCE_MAX;
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
        const uint32_t distance = distance_of(analysis, store, load, builder->repeats);
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
static bool shares_line(const struct analysis *analysis, const struct place *before,
                        const struct place *store, bool next_iteration)
{
    const struct value *from = &before->address, *to = &store->address;
    if (from->symbol != to->symbol || from->symbol == NO_SYMBOL)
        return from->symbol == to->symbol;
    const struct symbol *symbol = &analysis->symbols[from->symbol];
    if (next_iteration && !symbol->steps)
        return false;
    const int64_t apart = (int64_t)((uint64_t)to->constant - (uint64_t)from->constant +
                                    (next_iteration ? (uint64_t)symbol->step : 0));
    return apart > -LINE_BYTES && apart < LINE_BYTES &&
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
    const unsigned iterations = builder->repeats ? 2 : 1;
    bool is_second = false;
    for (unsigned iteration = 0; iteration < iterations; iteration++) {
        bool is_first = true;
        for (uint32_t p = 0; p < analysis->place_count; p++) {
            struct place *store = &analysis->places[p];
            if (!commit_of(builder, store))
                continue;
            is_second = before && !is_second &&
                        shares_line(analysis, before, store, iteration > 0 && is_first);
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
    /* An instruction makes at most a symbol for each access, assignment and register. */
    const size_t count = builder->count, symbols = FT_REGISTER_COUNT * (count + 1) +
                                                   count * (FT_ACCESSES_MAX + FT_ASSIGNMENTS_MAX);
    struct analysis analysis = {.symbols = calloc(symbols, sizeof *analysis.symbols),
                                .places =
                                    calloc(count * FT_ACCESSES_MAX + 1, sizeof *analysis.places)};
    bool done = analysis.symbols && analysis.places;
    if (done) {
        for (uint32_t r = 0; r < FT_REGISTER_COUNT; r++) {
            analysis.registers[r] = (struct value){.symbol = r};
            analysis.symbols[r] = (struct symbol){.a = NO_SYMBOL, .b = NO_SYMBOL};
        }
        analysis.symbol_count = FT_REGISTER_COUNT;
        for (uint32_t i = 0; i < builder->count; i++) {
            add_places(&analysis, &builder->instructions[i], i);
            step_registers(&analysis, &builder->instructions[i].flow.effect);
        }
        find_steps(&analysis);
    }
    for (uint32_t p = 0; done && p < analysis.place_count; p++)
        if (!analysis.places[p].stores)
            done = add_flow_to(builder, &analysis, &analysis.places[p]);
    if (done && builder->body->core->commit_group != FT_NO_GROUP)
        pair_stores(builder, &analysis);
    free(analysis.symbols);
    free(analysis.places);
    return done;
}
