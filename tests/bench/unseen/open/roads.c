/*
 * roads [SIDE [SOURCES]]: shortest ways by Dijkstra (1959) with a binary heap in a grid of SIDE x
 * SIDE crossings, whose roads take random times; a tenth of them is closed.
 */
#include <stddef.h>

#include "tests/bench/unseen/code.h"

enum { DIRECTIONS = 4, CLOSED = 0 };

struct entry {
    uint32_t time, node;
};

struct heap {
    struct entry *entries;
    size_t count;
};

static void push(struct heap *heap, struct entry entry)
{
    size_t i = heap->count++;
    while (i > 0 && heap->entries[(i - 1) / 2].time > entry.time) {
        heap->entries[i] = heap->entries[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->entries[i] = entry;
}

static struct entry pop(struct heap *heap)
{
    struct entry top = heap->entries[0], last = heap->entries[--heap->count];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < heap->count) {
        if (child + 1 < heap->count && heap->entries[child + 1].time < heap->entries[child].time)
            child++;
        if (heap->entries[child].time >= last.time)
            break;
        heap->entries[i] = heap->entries[child];
        i = child;
    }
    heap->entries[i] = last;
    return top;
}

static uint64_t visit(const uint8_t *road, uint32_t *best, struct heap *heap, size_t side,
                      uint32_t source)
{
    const ptrdiff_t step[DIRECTIONS] = {1, -1, (ptrdiff_t)side, -(ptrdiff_t)side};
    uint64_t sum = 0;
    for (size_t i = 0; i < side * side; i++)
        best[i] = UINT32_MAX;
    best[source] = 0;
    push(heap, (struct entry){0, source});
    while (heap->count > 0) {
        struct entry at = pop(heap);
        if (at.time > best[at.node])
            continue;
        sum += at.time;
        for (int d = 0; d < DIRECTIONS; d++) {
            uint8_t takes = road[DIRECTIONS * (size_t)at.node + (size_t)d];
            uint32_t to = (uint32_t)((ptrdiff_t)at.node + step[d]);
            if (takes == CLOSED || at.time + takes >= best[to])
                continue;
            best[to] = at.time + takes;
            push(heap, (struct entry){best[to], to});
        }
    }
    return sum;
}

static uint8_t *build(size_t side, uint64_t *random)
{
    uint8_t *road = code_calloc(DIRECTIONS * side * side, 1);
    for (size_t y = 0; y < side; y++) {
        for (size_t x = 0; x < side; x++) {
            size_t own = DIRECTIONS * (y * side + x);
            int is_inside[DIRECTIONS] = {x + 1 < side, x > 0, y + 1 < side, y > 0};
            for (int d = 0; d < DIRECTIONS; d++)
                if (is_inside[d] && sample_random_below(random, 10))
                    road[own + (size_t)d] = (uint8_t)(1 + sample_random_below(random, 100));
        }
    }
    return road;
}

int main(int argc, char **argv)
{
    size_t side = sample_number(argc, argv, 1, 2, 200);
    size_t sources = sample_number(argc, argv, 2, 1, 2);
    uint64_t random = 11, sum = 0;
    uint8_t *road = build(side, &random);
    uint32_t *best = code_malloc(side * side, sizeof *best);
    struct heap heap = {code_malloc(DIRECTIONS * side * side, sizeof(struct entry)), 0};
    for (size_t s = 0; s < sources; s++)
        sum += visit(road, best, &heap, side, (uint32_t)sample_random_below(&random, side * side));
    printf("roads: sum of times %llu\n", (unsigned long long)sum);
    free(heap.entries);
    free(best);
    free(road);
}
