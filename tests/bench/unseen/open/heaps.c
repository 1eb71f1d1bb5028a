/*
 * heaps [EVENTS [HOLDS]]: a simulation of discrete events: their times are kept in a heap with four
 * children a node, from which the next one is taken and put back later, HOLDS times for each; then
 * what is left is sorted by the heap.
 */
#include "tests/bench/unseen/code.h"

enum { CHILDREN = 4 };

struct event {
    double time;
    uint32_t place, kind;
};

static void sift_down(struct event *heap, size_t count, size_t at, struct event event)
{
    size_t child;
    while ((child = CHILDREN * at + 1) < count) {
        size_t end = child + CHILDREN < count ? child + CHILDREN : count, least = child;
        for (size_t c = child + 1; c < end; c++)
            if (heap[c].time < heap[least].time)
                least = c;
        if (heap[least].time >= event.time)
            break;
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = event;
}

int main(int argc, char **argv)
{
    size_t events = sample_number(argc, argv, 1, 2, 20000);
    size_t holds = sample_number(argc, argv, 2, 1, 2);
    struct event *heap = code_malloc(events, sizeof *heap);
    uint32_t *visits = code_calloc(events, sizeof *visits);
    uint64_t random = 99;
    double sum = 0;
    for (size_t i = 0; i < events; i++)
        heap[i] = (struct event){code_uniform(&random),
                                 (uint32_t)sample_random_below(&random, events), 0};
    for (size_t i = events / CHILDREN + 1; i-- > 0;)
        sift_down(heap, events, i, heap[i]);
    for (size_t h = 0; h < holds * events; h++) {
        struct event next = heap[0];
        visits[next.place]++;
        next.time += code_uniform(&random);
        next.place = (uint32_t)sample_random_below(&random, events);
        next.kind++;
        sift_down(heap, events, 0, next);
    }
    for (size_t left = events; left > 1; left--) {
        struct event last = heap[left - 1];
        sum += heap[0].time * visits[heap[0].place];
        sift_down(heap, left - 1, 0, last);
    }
    printf("heaps: %.6e\n", sum);
    free(heap);
    free(visits);
}
