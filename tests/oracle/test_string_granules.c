/*
 * Repeated string instructions by granules: the runs against the rule, byte by byte; and LRU stacks
 * that see them against stacks that see each element. Blocks of a granule or more are touched
 * first, reused and left in the same order: what is missing are touches of the blocks that operands
 * are in anyway, at distances 0 and 1.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/expand/string_granules.h"
#include "tests/oracle/string_reference.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define ACCESSES_MAX 8192
#define BLOCKS_MAX   1024
#define LENGTH_MAX   600 /* elements */

struct access {
    uint64_t address;
    uint32_t size_bytes;
    unsigned operand;
};

struct accesses {
    struct access list[ACCESSES_MAX];
    size_t count;
};

static void add(void *context, unsigned operand, uint64_t address, uint32_t size_bytes)
{
    struct accesses *accesses = context;
    if (accesses->count == ACCESSES_MAX)
        abort();
    accesses->list[accesses->count++] = (struct access){address, size_bytes, operand};
}

static void list_runs(const struct ft_string *string, struct accesses *ret_accesses)
{
    struct ft_string_run runs[FT_STRING_RUNS_MAX];
    const unsigned count = ft_string_runs(string, runs);
    ret_accesses->count = 0;
    for (unsigned r = 0; r < count; r++)
        for (uint64_t i = 0; i < runs[r].iterations; i++)
            for (unsigned k = 0; k < string->operand_count; k++)
                add(ret_accesses, k, runs[r].addresses[k] + i * (uint64_t)ft_string_stride(string),
                    runs[r].is_whole[k] ? FT_STRING_GRANULE_BYTES : string->element_bytes);
}

static void list_rule(const struct ft_string *string, struct accesses *ret_accesses)
{
    struct string_reference rule = {.addresses = {string->addresses[0], string->addresses[1]},
                                    .operand_count = string->operand_count,
                                    .size_bytes = string->element_bytes,
                                    .is_down = string->is_down,
                                    .count = string->repeats};
    ret_accesses->count = 0;
    string_reference_run(&rule, add, ret_accesses);
}

static void list_elements(const struct ft_string *string, struct accesses *ret_accesses)
{
    const uint64_t step =
        string->is_down ? -(uint64_t)string->element_bytes : string->element_bytes;
    ret_accesses->count = 0;
    for (uint64_t i = 0; i < string->repeats; i++)
        for (unsigned k = 0; k < string->operand_count; k++)
            add(ret_accesses, k, string->addresses[k] + i * step, string->element_bytes);
}

static bool are_equal(const struct accesses *a, const struct accesses *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = a->list[i].address == b->list[i].address &&
                a->list[i].operand == b->list[i].operand &&
                a->list[i].size_bytes == b->list[i].size_bytes;
    return equal;
}

/* Blocks in the order of their last touches, most recent last, and touches by distance. */
struct stack {
    uint64_t block_bytes;
    uint64_t blocks[BLOCKS_MAX];
    size_t count;
    uint64_t cold, by_distance[BLOCKS_MAX];
};

static void touch(struct stack *stack, uint64_t block)
{
    size_t at = stack->count;
    while (at > 0 && stack->blocks[at - 1] != block)
        at--;
    if (at == 0) {
        if (stack->count == BLOCKS_MAX)
            abort();
        stack->cold++;
        at = ++stack->count;
    } else {
        stack->by_distance[stack->count - at]++;
    }
    memmove(stack->blocks + at - 1, stack->blocks + at, (stack->count - at) * sizeof block);
    stack->blocks[stack->count - 1] = block;
}

static void touch_all(struct stack *stack, const struct accesses *accesses)
{
    for (size_t i = 0; i < accesses->count; i++) {
        const struct access *access = &accesses->list[i];
        const uint64_t last = (access->address + access->size_bytes - 1) / stack->block_bytes;
        for (uint64_t block = access->address / stack->block_bytes; block <= last; block++)
            touch(stack, block);
    }
}

/* Cold touches, blocks and their order, and all distances but 0 and 1. */
static bool stacks_are_alike(const struct stack *a, const struct stack *b)
{
    return a->cold == b->cold && a->count == b->count &&
           memcmp(a->blocks, b->blocks, a->count * sizeof *a->blocks) == 0 &&
           memcmp(a->by_distance + 2, b->by_distance + 2,
                  sizeof a->by_distance - 2 * sizeof *a->by_distance) == 0;
}

/* Elements lie at multiples of their size where is_aligned; operands may overlap, and where
 * may_wrap go past the last address or below the first. */
static struct ft_string random_string(uint64_t *random, bool is_aligned, bool may_wrap)
{
    struct ft_string string = {.operand_count = 1 + random_below(random, 2),
                               .element_bytes = 1U << random_below(random, 4),
                               .is_down = random_below(random, 2),
                               .repeats = random_below(random, LENGTH_MAX)};
    if (random_below(random, 3) == 0)
        string.repeats %= 40;
    for (unsigned k = 0; k < string.operand_count; k++) {
        string.addresses[k] = 0x10000 + random_below(random, 0x4000);
        if (may_wrap && random_below(random, 8) == 0)
            string.addresses[k] = random_below(random, 0x1000) - 0x800;
        if (is_aligned)
            string.addresses[k] &= ~((uint64_t)string.element_bytes - 1);
    }
    return string;
}

static bool operands_overlap(const struct ft_string *string)
{
    const uint64_t length = string->repeats * string->element_bytes + 4096;
    const uint64_t apart = string->addresses[0] > string->addresses[1]
                               ? string->addresses[0] - string->addresses[1]
                               : string->addresses[1] - string->addresses[0];
    return string->operand_count > 1 && apart < length;
}

static void check_rule(uint64_t *random, unsigned count)
{
    static struct accesses runs, rule;
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct ft_string string = random_string(random, random_below(random, 2), true);
        list_runs(&string, &runs);
        list_rule(&string, &rule);
        const bool counted = ft_string_iterations(&string) * string.operand_count == rule.count;
        wrong += !are_equal(&runs, &rule) || !counted;
    }
    tap_ok(wrong == 0, "%u strings by the rule, byte by byte", count);
}

static void check_stacks(uint64_t *random, unsigned count)
{
    static struct accesses accesses;
    static struct stack by_granule, by_element;
    unsigned wrong = 0;
    for (uint64_t block_bytes = FT_STRING_GRANULE_BYTES; block_bytes <= 4096; block_bytes *= 2) {
        by_granule = by_element = (struct stack){.block_bytes = block_bytes};
        for (unsigned i = 0; i < count; i++) {
            const struct ft_string string = random_string(random, true, false);
            if (operands_overlap(&string))
                continue;
            list_runs(&string, &accesses);
            touch_all(&by_granule, &accesses);
            list_elements(&string, &accesses);
            touch_all(&by_element, &accesses);
            wrong += !stacks_are_alike(&by_granule, &by_element);
        }
    }
    tap_ok(wrong == 0, "stacks of blocks of 32 bytes to 4 KiB like those of elements");
}

static void check_small_blocks(uint64_t *random, unsigned count)
{
    static struct accesses accesses;
    static struct stack by_granule, by_element;
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        struct ft_string string = random_string(random, true, false);
        for (unsigned k = 0; k < string.operand_count; k++) /* whole granules */
            string.addresses[k] =
                string.addresses[k] / FT_STRING_GRANULE_BYTES * FT_STRING_GRANULE_BYTES +
                (string.is_down ? FT_STRING_GRANULE_BYTES - string.element_bytes : 0);
        string.repeats -= string.repeats % (FT_STRING_GRANULE_BYTES / string.element_bytes);
        by_granule = by_element = (struct stack){.block_bytes = 16};
        list_runs(&string, &accesses);
        touch_all(&by_granule, &accesses);
        list_elements(&string, &accesses);
        touch_all(&by_element, &accesses);
        wrong += by_granule.cold != by_element.cold;
    }
    tap_ok(wrong == 0, "whole granules touch the same smaller blocks");
}

static void check_counts(void)
{
    struct ft_string string = {
        .operand_count = 1, .element_bytes = 1, .addresses = {0x1000}, .repeats = 2048};
    struct ft_string_run runs[FT_STRING_RUNS_MAX];
    tap_ok(ft_string_iterations(&string) == 64 && ft_string_runs(&string, runs) == 1,
           "2 KiB by bytes: 64 accesses, one run");
    string.element_bytes = 8;
    string.repeats = 256;
    tap_ok(ft_string_iterations(&string) == 64, "by words: as many");
    string.addresses[0]++;
    tap_ok(ft_string_iterations(&string) == 65, "off a granule: one more");
    string = (struct ft_string){.operand_count = 2, .element_bytes = 1, .repeats = 2048};
    string.addresses[0] = 0x1000;
    string.addresses[1] = 0x2001;
    tap_ok(ft_string_iterations(&string) <= 66, "a copy: hardly more, however its ends lie");
    string.repeats = 0;
    tap_ok(ft_string_iterations(&string) == 0 && ft_string_runs(&string, runs) == 0,
           "nothing: no access");
    string.repeats = UINT64_MAX;
    tap_ok(ft_string_iterations(&string) > UINT64_C(1) << 56, "what no string can be stays large");
}

int main(void)
{
    const unsigned count = tap_repetitions(100000, 4000, 1000);
    uint64_t random = 1;
    check_counts();
    check_rule(&random, count);
    check_stacks(&random, count / 10);
    check_small_blocks(&random, count / 10);
    return tap_plan_done();
}
