/*
 * Histories are folded to the width of an index or a tag as they grow (Michaud, JILP 2005): a fold
 * takes the newest outcome in and the one that leaves its history out.
 */
#include "engine/simulate/core/branch_predictor.h"

#include <stdlib.h>
#include <string.h>

#define TABLES        6
#define INDEX_BITS    11
#define TAG_BITS      10
#define BASE_BITS     14
#define TARGET_BITS   11
#define HISTORY_BITS  256U
#define RETURNS       32U
#define COUNTER_MAX   3
#define COUNTER_MIN   (-4)
#define USEFUL_MAX    3
#define USEFUL_PERIOD (1U << 18) /* wrong predictions, until all entries are less useful */

static const unsigned lengths[TABLES] = {4, 9, 21, 48, 110, 256};

struct entry {
    uint16_t tag;
    int8_t counter; /* -4 to 3: taken from 0 on */
    uint8_t useful;
};

struct fold {
    uint32_t value;
    uint8_t length_index, width;
};

struct ft_branch_predictor {
    uint64_t changes;
    uint8_t base[1U << BASE_BITS]; /* 0 to 3: taken from 2 on */
    struct entry tables[TABLES][1U << INDEX_BITS];
    struct fold indices[TABLES], tags[TABLES][2];
    uint64_t history[HISTORY_BITS / 64]; /* ring of bits; the newest at `newest` */
    uint32_t newest, allocations;
    uint64_t targets[1U << TARGET_BITS], targets_by_history[1U << TARGET_BITS];
    uint64_t returns[RETURNS];
    uint32_t return_top;
};

struct ft_branch_predictor *ft_branch_predictor_create(void)
{
    struct ft_branch_predictor *predictor = calloc(1, sizeof *predictor);
    for (uint8_t t = 0; predictor && t < TABLES; t++) {
        predictor->indices[t] = (struct fold){.length_index = t, .width = INDEX_BITS};
        predictor->tags[t][0] = (struct fold){.length_index = t, .width = TAG_BITS};
        predictor->tags[t][1] = (struct fold){.length_index = t, .width = TAG_BITS - 1};
    }
    return predictor;
}

/* ---- history ---- */

static bool outcome_before(const struct ft_branch_predictor *predictor, unsigned age)
{
    const uint32_t at = (predictor->newest - age) % HISTORY_BITS;
    return predictor->history[at / 64] >> at % 64 & 1;
}

static void fold_in(const struct ft_branch_predictor *predictor, struct fold *fold, bool taken)
{
    const unsigned length = lengths[fold->length_index];
    const uint32_t mask = (UINT32_C(1) << fold->width) - 1;
    uint32_t value = fold->value << 1 | (uint32_t)taken;
    value ^= (uint32_t)outcome_before(predictor, length - 1) << length % fold->width;
    value ^= value >> fold->width;
    fold->value = value & mask;
}

static void remember(struct ft_branch_predictor *predictor, bool taken)
{
    for (unsigned t = 0; t < TABLES; t++) {
        fold_in(predictor, &predictor->indices[t], taken);
        fold_in(predictor, &predictor->tags[t][0], taken);
        fold_in(predictor, &predictor->tags[t][1], taken);
    }
    predictor->newest = (predictor->newest + 1) % HISTORY_BITS;
    const uint64_t bit = UINT64_C(1) << predictor->newest % 64;
    uint64_t *word = &predictor->history[predictor->newest / 64];
    *word = taken ? *word | bit : *word & ~bit;
}

/* ---- conditional branches ---- */

static uint32_t index_of(const struct ft_branch_predictor *predictor, unsigned t, uint64_t pc)
{
    const uint64_t hash = pc ^ pc >> (INDEX_BITS - t) ^ predictor->indices[t].value;
    return (uint32_t)(hash & ((1U << INDEX_BITS) - 1));
}

static uint16_t tag_of(const struct ft_branch_predictor *predictor, unsigned t, uint64_t pc)
{
    const uint64_t hash =
        pc ^ predictor->tags[t][0].value ^ (uint64_t)predictor->tags[t][1].value << 1;
    return (uint16_t)(hash & ((1U << TAG_BITS) - 1));
}

static void count(struct ft_branch_predictor *predictor, int8_t *counter, bool taken)
{
    const int8_t next = (int8_t)(*counter + (taken ? 1 : -1));
    if (next > COUNTER_MAX || next < COUNTER_MIN)
        return;
    *counter = next;
    predictor->changes++;
}

static void count_base(struct ft_branch_predictor *predictor, uint8_t *counter, bool taken)
{
    if (*counter == (taken ? 3 : 0))
        return;
    *counter = (uint8_t)(*counter + (taken ? 1 : -1));
    predictor->changes++;
}

static void make_less_useful(struct ft_branch_predictor *predictor)
{
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < 1U << INDEX_BITS; i++)
            predictor->tables[t][i].useful >>= 1;
}

/* After a wrong prediction of table `provider` (-1: the base): an entry with a longer history. */
static void allocate(struct ft_branch_predictor *predictor, int provider, uint64_t pc, bool taken)
{
    predictor->changes++;
    if (++predictor->allocations % USEFUL_PERIOD == 0)
        make_less_useful(predictor);
    for (int t = provider + 1; t < TABLES; t++) {
        struct entry *entry = &predictor->tables[t][index_of(predictor, (unsigned)t, pc)];
        if (entry->useful == 0) {
            *entry = (struct entry){.tag = tag_of(predictor, (unsigned)t, pc),
                                    .counter = taken ? 0 : -1};
            return;
        }
    }
    for (int t = provider + 1; t < TABLES; t++)
        predictor->tables[t][index_of(predictor, (unsigned)t, pc)].useful--;
}

static bool predict_condition(struct ft_branch_predictor *predictor, uint64_t pc, bool taken)
{
    uint8_t *base = &predictor->base[(pc ^ pc >> BASE_BITS) & ((1U << BASE_BITS) - 1)];
    bool predicted = *base >= 2, other = predicted;
    struct entry *entry = NULL;
    int provider = -1;
    for (int t = 0; t < TABLES; t++) {
        struct entry *at = &predictor->tables[t][index_of(predictor, (unsigned)t, pc)];
        if (at->tag != tag_of(predictor, (unsigned)t, pc))
            continue;
        other = predicted;
        predicted = at->counter >= 0;
        entry = at;
        provider = t;
    }
    if (entry) {
        count(predictor, &entry->counter, taken);
        const uint8_t useful = predicted == taken ? USEFUL_MAX : 0;
        if (predicted != other && entry->useful != useful) {
            entry->useful = (uint8_t)(entry->useful + (useful ? 1 : -1));
            predictor->changes++;
        }
    } else {
        count_base(predictor, base, taken);
    }
    if (predicted != taken && provider + 1 < TABLES)
        allocate(predictor, provider, pc, taken);
    return predicted == taken;
}

/* ---- targets ---- */

static bool predict_target(struct ft_branch_predictor *predictor, uint64_t pc, uint64_t target)
{
    const uint32_t mask = (1U << TARGET_BITS) - 1;
    const uint64_t hash = pc ^ pc >> TARGET_BITS;
    uint64_t *plain = &predictor->targets[hash & mask];
    uint64_t *by_history =
        &predictor->targets_by_history[(hash ^ predictor->indices[2].value) & mask];
    const bool right = (*by_history ? *by_history : *plain) == target;
    predictor->changes += *plain != target || *by_history != target;
    *plain = *by_history = target;
    return right;
}

static void push_return(struct ft_branch_predictor *predictor, uint64_t address)
{
    predictor->return_top = (predictor->return_top + 1) % RETURNS;
    predictor->changes += predictor->returns[predictor->return_top] != address;
    predictor->returns[predictor->return_top] = address;
}

static bool pop_return(struct ft_branch_predictor *predictor, uint64_t target)
{
    const bool right = predictor->returns[predictor->return_top] == target;
    predictor->return_top = (predictor->return_top + RETURNS - 1) % RETURNS;
    return right;
}

/* Two bits of a target stand for it in the history. */
static void remember_target(struct ft_branch_predictor *predictor, uint64_t target)
{
    remember(predictor, target >> 2 & 1);
    remember(predictor, target >> 4 & 1);
}

bool ft_branch_predict(struct ft_branch_predictor *predictor,
                       const struct ft_executed_branch *branch)
{
    bool right = true;
    switch (branch->flow) {
    case FT_FLOW_BRANCH: {
        const bool taken = branch->target != branch->next;
        right = predict_condition(predictor, branch->pc, taken);
        remember(predictor, taken);
        return right;
    }
    case FT_FLOW_CALL:
        push_return(predictor, branch->next);
        return true;
    case FT_FLOW_CALL_INDIRECT:
        right = predict_target(predictor, branch->pc, branch->target);
        push_return(predictor, branch->next);
        remember_target(predictor, branch->target);
        return right;
    case FT_FLOW_JUMP_INDIRECT:
        right = predict_target(predictor, branch->pc, branch->target);
        remember_target(predictor, branch->target);
        return right;
    case FT_FLOW_RETURN:
        return pop_return(predictor, branch->target);
    default:
        return true;
    }
}

uint64_t ft_branch_predictor_state(const struct ft_branch_predictor *predictor)
{
    /* Histories of loops become periodic: all folds of the longest are a state, then. */
    uint64_t state = predictor->changes * RETURNS + predictor->return_top;
    for (unsigned t = 0; t < TABLES; t++)
        state = state * UINT64_C(0x9e3779b97f4a7c15) + predictor->indices[t].value +
                ((uint64_t)predictor->tags[t][0].value << 32);
    return state;
}
