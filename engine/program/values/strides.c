/*
 * An induction moves by what its next value is beyond itself, if the loop does not change that; the
 * next value is a sum over atoms, so the chain of instructions that update it is in it already. A
 * quotient moves where its dividend moves by whole multiples of the divisor. Other atoms stay
 * while all they are made from stays.
 */
#include "engine/program/values/strides.h"

#include "engine/program/values/conditions.h"

enum { NOT_THERE, BEING_MADE, THERE };

#define RECURSION_MAX 3000
/* So often one sum may have a loop replaced by what it was entered with. */
#define STARTING_STEPS_MAX 64

static struct ft_motion otherwise(uint8_t flags)
{
    return (struct ft_motion){.state = THERE, .flags = flags};
}

/* Of an atom that something moving went into. */
static uint8_t irregular_by(uint8_t flags)
{
    if (flags & FT_STRIDE_UNKNOWN)
        return FT_STRIDE_UNKNOWN | (flags & FT_STRIDE_INDIRECT);
    return FT_STRIDE_IRREGULAR | (flags & FT_STRIDE_INDIRECT);
}

bool ft_start_instead(struct ft_value_sums *sums, uint32_t unknown, struct ft_sum *sum,
                      uint8_t *flags)
{
    struct ft_atom atom = sums->atoms[unknown];
    struct ft_term term = ft_sum_term(sum, unknown);
    struct ft_sum start;
    if (!ft_induction_start(sums, &atom, &start, flags))
        return false;
    ft_sum_remove(sum, unknown);
    return ft_sum_add(sum, &start, term.numerator, term.denominator);
}

bool ft_replace_inductions(struct ft_value_sums *sums, uint32_t loop, struct ft_sum *sum,
                           uint8_t *flags)
{
    for (uint32_t i = 0; i < sum->count;) {
        uint32_t unknown = sum->terms[i].unknown;
        if (sums->atoms[unknown].kind != FT_ATOM_INDUCTION || sums->atoms[unknown].loop != loop) {
            i++;
            continue;
        }
        if (!ft_start_instead(sums, unknown, sum, flags))
            return false;
        i = 0;
    }
    return true;
}

void ft_start_inner_inductions(struct ft_value_sums *sums, uint32_t loop, struct ft_sum *sum,
                               uint8_t *flags)
{
    unsigned steps = 0;
    for (uint32_t i = 0; i < sum->count && steps < STARTING_STEPS_MAX;) {
        uint32_t unknown = sum->terms[i].unknown;
        const struct ft_atom *atom = &sums->atoms[unknown];
        struct ft_sum started = *sum;
        if (atom->kind == FT_ATOM_INDUCTION && atom->loop != loop &&
            ft_loop_holds(sums->code->loops, loop, atom->loop) &&
            ft_start_instead(sums, unknown, &started, flags)) {
            *sum = started;
            steps++;
            i = 0;
        } else {
            i++;
        }
    }
}

struct ft_motion ft_stride_of_sum(struct ft_value_sums *sums, const struct ft_sum *moving,
                                  uint8_t sum_flags, uint32_t loop)
{
    struct ft_sum stride = {0}, sum = *moving;
    uint8_t flags = 0;
    ft_start_inner_inductions(sums, loop, &sum, &sum_flags);
    for (uint32_t i = 0; i < sum.count; i++) {
        const struct ft_term *term = &sum.terms[i];
        if (term->unknown == FT_ONE)
            continue;
        struct ft_motion motion = ft_stride_of_atom(sums, term->unknown, loop);
        struct ft_sum part = ft_unpack_sum(sums, &motion.sum);
        flags |= motion.flags;
        sum_flags |= motion.sum.flags;
        if (!motion.flags && !ft_sum_add(&stride, &part, term->numerator, term->denominator))
            flags |= FT_STRIDE_UNKNOWN;
    }
    if (flags & FT_STRIDE_UNKNOWN)
        flags &= (uint8_t)~FT_STRIDE_IRREGULAR;
    if (flags)
        return otherwise(flags);
    return (struct ft_motion){.state = THERE, .sum = ft_pack_sum(sums, &stride, sum_flags)};
}

struct ft_motion ft_stride_of_value(struct ft_value_sums *sums, uint32_t value, uint32_t block,
                                    uint32_t loop)
{
    struct ft_sum sum;
    uint8_t flags = 0;
    if (!ft_value_sum_at(sums, value, block, &sum, &flags))
        return otherwise(FT_STRIDE_UNKNOWN);
    return ft_stride_of_sum(sums, &sum, flags, loop);
}

/* ---- inductions ---- */

/* The motion of an induction that becomes a sum it is no part of: that of the sum, if it begins one
 * such step before it (a pointer that a loop inside leaves where the next row begins). */
static struct ft_motion stride_of_follower(struct ft_value_sums *sums, uint32_t atom, uint32_t loop,
                                           struct ft_sum next, uint8_t flags)
{
    struct ft_motion motion = ft_stride_of_sum(sums, &next, flags, loop);
    struct ft_atom itself = sums->atoms[atom];
    struct ft_sum start, stride;
    uint8_t more = motion.sum.flags;
    if (motion.flags)
        return otherwise(irregular_by(motion.flags));
    stride = ft_unpack_sum(sums, &motion.sum);
    if (!ft_replace_inductions(sums, loop, &next, &more) ||
        !ft_induction_start(sums, &itself, &start, &more) || !ft_sum_add(&next, &start, -1, 1))
        return otherwise(FT_STRIDE_UNKNOWN);
    if (!ft_sum_equal(&next, &stride))
        return otherwise(FT_STRIDE_IRREGULAR);
    motion.sum.flags |= more;
    return motion;
}

/* The step of an induction from the end of one predecessor of its head, where that is a sum. */
static struct ft_motion step_from(struct ft_value_sums *sums, uint32_t atom, uint32_t from,
                                  uint32_t loop, struct ft_sum *ret_step)
{
    const struct ft_def_use *def_use = sums->def_use;
    uint32_t block = sums->atoms[atom].block;
    uint32_t place = def_use->values[sums->atoms[atom].value].place;
    uint8_t flags = 0;
    struct ft_sum itself = ft_sum_unknown(atom);
    if (!ft_value_sum_at(sums, def_use->at_end[(size_t)from * def_use->place_count + place], block,
                         ret_step, &flags))
        return otherwise(FT_STRIDE_UNKNOWN);
    if (!ft_sum_term(ret_step, atom).denominator) {
        struct ft_motion motion = stride_of_follower(sums, atom, loop, *ret_step, flags);
        *ret_step = ft_unpack_sum(sums, &motion.sum);
        return motion;
    }
    if (!ft_sum_add(ret_step, &itself, -1, 1))
        return otherwise(FT_STRIDE_UNKNOWN);
    struct ft_motion change = ft_stride_of_sum(sums, ret_step, flags, loop);
    if (!ft_motion_is_none(&change))
        return otherwise(irregular_by(change.flags));
    change.sum = ft_pack_sum(sums, ret_step, flags | change.sum.flags);
    return change;
}

/* In its own loop: the same step from all ways back. */
static struct ft_motion stride_of_induction(struct ft_value_sums *sums, uint32_t atom,
                                            uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    uint32_t block = sums->atoms[atom].block;
    uint32_t graph_block = ft_code_graph_block(code, block);
    struct ft_motion motion = otherwise(FT_STRIDE_UNKNOWN);
    struct ft_sum step = {0}, other;
    bool first = true;
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        if (from < block)
            continue;
        struct ft_motion next = step_from(sums, atom, from, loop, first ? &step : &other);
        if (next.flags)
            return next;
        if (!first && !ft_sum_equal(&step, &other))
            return otherwise(FT_STRIDE_IRREGULAR);
        motion = next;
        first = false;
    }
    return motion;
}

/* ---- other atoms ---- */

/* Whether a store in the loop writes what is loaded. */
static bool is_written(const struct ft_value_sums *sums, const struct ft_packed_sum *address,
                       uint32_t size_bytes, uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    struct ft_sum from = ft_unpack_sum(sums, address);
    uint32_t hash = ft_sum_hash(&from);
    for (size_t s = 0; s < sums->store_count; s++) {
        const struct ft_stored *store = &sums->stores[s];
        int64_t distance;
        if (store->hash != hash ||
            !ft_loop_holds(code->loops, loop, ft_code_loop(code, store->block)))
            continue;
        struct ft_sum to = ft_unpack_sum(sums, &store->address);
        if (ft_sum_add(&to, &from, -1, 1) && ft_sum_is_constant(&to, &distance) &&
            distance < (int64_t)size_bytes && -distance < (int64_t)store->size_bytes)
            return true;
    }
    return false;
}

/* Of what is loaded from an address; nothing moves: it may still be overwritten. */
static struct ft_motion stride_of_load(struct ft_value_sums *sums,
                                       const struct ft_packed_sum *address, uint32_t size_bytes,
                                       uint32_t loop)
{
    struct ft_sum sum = ft_unpack_sum(sums, address);
    struct ft_motion motion = ft_stride_of_sum(sums, &sum, address->flags, loop);
    if (motion.flags & FT_STRIDE_UNKNOWN)
        return otherwise(irregular_by(motion.flags));
    if (!ft_motion_is_none(&motion))
        return otherwise(FT_STRIDE_IRREGULAR | FT_STRIDE_INDIRECT);
    if (sums->calls[loop - sums->def_use->first_loop] ||
        is_written(sums, address, size_bytes, loop))
        return otherwise(FT_STRIDE_UNKNOWN);
    motion.sum.flags |= FT_FORMULA_ASSUMED;
    return motion;
}

/* Of the result of an instruction that is no sum. */
static struct ft_motion stride_of_result(struct ft_value_sums *sums, uint32_t instruction,
                                         uint32_t loop)
{
    const struct ft_def_use *def_use = sums->def_use;
    const struct ft_instruction *code = ft_code_instruction(sums->code, instruction);
    uint8_t flags = 0, assumed = 0;
    bool moves = false;
    if (ft_code_is_call(sums->code, instruction) || code->flow == FT_FLOW_SYSCALL ||
        code->flow == FT_FLOW_UNKNOWN)
        return otherwise(FT_STRIDE_UNKNOWN);
    for (uint32_t u = def_use->first_use[instruction]; u < def_use->first_use[instruction + 1];
         u++) {
        struct ft_motion motion = ft_stride_of_value(sums, def_use->uses[u].value,
                                                     sums->code->block_of[instruction], loop);
        moves |= !ft_motion_is_none(&motion);
        flags |= motion.flags;
        assumed |= motion.sum.flags;
    }
    for (unsigned a = 0; a < code->access_count; a++) {
        if (code->accesses[a].kind != FT_LOAD ||
            sums->first_access[instruction] + a >= sums->address_count)
            continue;
        struct ft_packed_sum address = sums->addresses[sums->first_access[instruction] + a];
        struct ft_sum sum = ft_unpack_sum(sums, &address);
        if (sum.count == 1 && sums->atoms[sum.terms[0].unknown].kind == FT_ATOM_ADDRESS) {
            flags |= moves ? FT_STRIDE_INDIRECT : 0;
            continue; /* made of the uses above */
        }
        struct ft_motion motion =
            stride_of_load(sums, &address, code->accesses[a].size_bytes, loop);
        moves |= !ft_motion_is_none(&motion);
        flags |= motion.flags;
    }
    if (moves)
        return otherwise(irregular_by(flags));
    return (struct ft_motion){.state = THERE, .sum.flags = assumed};
}

/* One of several values: where they move alike and it is always the same one, it moves so too. */
static struct ft_motion stride_of_merge(struct ft_value_sums *sums, uint32_t atom, uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    const struct ft_def_use *def_use = sums->def_use;
    uint32_t block = sums->atoms[atom].block;
    uint32_t place = def_use->values[sums->atoms[atom].value].place;
    uint32_t graph_block = ft_code_graph_block(code, block);
    uint8_t flags = 0, formula_flags = 0;
    struct ft_motion result = {0};
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        struct ft_motion motion = ft_stride_of_value(
            sums, def_use->at_end[(size_t)from * def_use->place_count + place], block, loop);
        struct ft_sum stride = ft_unpack_sum(sums, &motion.sum);
        struct ft_sum before = ft_unpack_sum(sums, &result.sum);
        if (result.state == THERE && !ft_sum_equal(&stride, &before))
            flags |= FT_STRIDE_UNKNOWN;
        flags |= motion.flags;
        formula_flags |= motion.sum.flags;
        result = motion;
    }
    if (flags)
        return otherwise(irregular_by(flags));
    if (result.state != THERE || !ft_way_stands_still(sums, block, loop))
        return otherwise(FT_STRIDE_UNKNOWN);
    result.sum.flags = formula_flags;
    return result;
}

static struct ft_motion stride_of_quotient(struct ft_value_sums *sums, const struct ft_atom *atom,
                                           uint32_t loop)
{
    struct ft_sum dividend = ft_unpack_sum(sums, &atom->sum), stride, quotient = {0};
    struct ft_motion motion = ft_stride_of_sum(sums, &dividend, atom->sum.flags, loop);
    if (motion.flags)
        return otherwise(irregular_by(motion.flags));
    stride = ft_unpack_sum(sums, &motion.sum);
    if (!ft_sum_add(&quotient, &stride, 1, atom->divisor) || !ft_sum_is_whole(&quotient))
        return otherwise(FT_STRIDE_IRREGULAR);
    motion.sum = ft_pack_sum(sums, &quotient, motion.sum.flags);
    return motion;
}

static struct ft_motion find_stride(struct ft_value_sums *sums, uint32_t index, uint32_t loop)
{
    struct ft_atom atom = sums->atoms[index];
    struct ft_sum sum;
    uint8_t flags = 0;
    switch (atom.kind) {
    case FT_ATOM_ENTRY:
        return otherwise(FT_STRIDE_UNKNOWN); /* the routine is entered inside its loop */
    case FT_ATOM_INDUCTION:
        if (atom.loop == loop)
            return stride_of_induction(sums, index, loop);
        if (!ft_induction_start(sums, &atom, &sum, &flags))
            return otherwise(FT_STRIDE_UNKNOWN);
        return ft_stride_of_sum(sums, &sum, flags, loop);
    case FT_ATOM_MERGE:
        return stride_of_merge(sums, index, loop);
    case FT_ATOM_LOADED:
        return stride_of_load(sums, &atom.sum, atom.size_bytes, loop);
    case FT_ATOM_QUOTIENT:
        return stride_of_quotient(sums, &atom, loop);
    case FT_ATOM_LEFT:
        return otherwise(FT_STRIDE_UNKNOWN);
    default:
        if (atom.value != FT_NO_VALUE &&
            sums->def_use->values[atom.value].kind == FT_VALUE_CLOBBERED)
            return otherwise(FT_STRIDE_UNKNOWN);
        return stride_of_result(sums, atom.instruction, loop);
    }
}

struct ft_motion ft_stride_of_atom(struct ft_value_sums *sums, uint32_t atom, uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    if (sums->atoms[atom].loop == FT_NO_LOOP ||
        !ft_loop_holds(code->loops, loop, sums->atoms[atom].loop))
        return (struct ft_motion){.state = THERE};
    uint32_t kept = sums->atoms[atom].first_motion + code->order->depth[loop] - 1;
    if (sums->motions[kept].state == THERE)
        return sums->motions[kept];
    /* Met again on the way: what it is made of is itself, but no sum of it. */
    if (sums->motions[kept].state == BEING_MADE)
        return otherwise(FT_STRIDE_IRREGULAR |
                         (sums->atoms[atom].kind == FT_ATOM_LOADED ? FT_STRIDE_INDIRECT : 0));
    if (sums->recursion > RECURSION_MAX)
        return otherwise(FT_STRIDE_UNKNOWN);
    sums->motions[kept].state = BEING_MADE;
    sums->recursion++;
    struct ft_motion motion = find_stride(sums, atom, loop);
    sums->recursion--;
    sums->motions[kept] = motion;
    return motion;
}
