/*
 * Loops that log what they logged before: a list that is walked again and again, and changes now
 * and then; rows of a matrix whose columns are scattered, in 32 bits. Their log repeats itself, and
 * is packed the first time. No library; compared access by access with single stepping
 * (test_capture), and the golden trace of format version 5.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/support/freestanding.h"

#define NODES   211U
#define ROUNDS  12U
#define ROWS    24U
#define COLUMNS 20U

static struct node {
    struct node *next;
    uint64_t rest[7];
} nodes[NODES];
static uint32_t columns[ROWS * COLUMNS];
static uint64_t vector[256];

SAMPLE const struct node *walk(const struct node *node, uint64_t steps)
{
    __asm__ volatile("1: mov (%[node]), %[node]; dec %[steps]; jnz 1b"
                     : [node] "+r"(node), [steps] "+r"(steps)
                     :
                     : "cc", "memory");
    return node;
}

SAMPLE uint64_t multiply_row(const uint32_t *column, const uint32_t *end)
{
    uint64_t sum = 0;
    __asm__ volatile("1: mov (%[column]), %%eax; add (%[vector],%%rax,8), %[sum];"
                     "   add $4, %[column]; cmp %[end], %[column]; jne 1b"
                     : [column] "+r"(column), [sum] "+r"(sum)
                     : [end] "r"(end), [vector] "r"(vector)
                     : "rax", "cc", "memory");
    return sum;
}

static void run(void)
{
    uint64_t sum = 0;
    uint32_t random = 1;
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i].next = &nodes[(i * 89 + 7) % NODES];
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        random = random * 1664525 + 1013904223;
        columns[i] = random >> 24;
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sum += (uint64_t)walk(nodes, NODES + round);
        if (round % 4 == 2)
            nodes[round].next = &nodes[round * 3];
        for (uint32_t row = 0; row < ROWS; row++)
            sum += multiply_row(columns + COLUMNS * row, columns + COLUMNS * (row + 1));
    }
    sample_exit((int)(sum & 63));
}

SAMPLE_START(run)
