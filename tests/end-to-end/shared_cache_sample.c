/*
 * shared_cache_sample N [ROUNDS]: an array of N numbers that two threads read, one three times as
 * often as the other; before that the first one fills it. Without threads of its library's making,
 * and without waiting in a loop.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t *numbers;
static size_t count, rounds;

__attribute__((noinline)) static uint64_t sweep(size_t times)
{
    uint64_t sum = 0;
    for (size_t round = 0; round < times; round++)
        for (size_t i = 0; i < count; i++) /* loop: sweep */
            sum += *(volatile uint64_t *)&numbers[i];
    return sum;
}

__attribute__((noinline)) static void fill(void)
{
    for (size_t i = 0; i < count; i++) /* loop: fill */
        *(volatile uint64_t *)&numbers[i] = i;
}

static void *sweep_rarely(void *argument)
{
    (void)argument;
    return (void *)(uintptr_t)sweep(rounds);
}

int main(int argc, char **argv)
{
    pthread_t other;
    void *sum;
    count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    numbers = aligned_alloc(4096, (count * sizeof *numbers + 4095) / 4096 * 4096);
    if (!numbers)
        return 1;
    fill();
    if (pthread_create(&other, NULL, sweep_rarely, NULL) != 0)
        return 1;
    const uint64_t own = sweep(3 * rounds);
    if (pthread_join(other, &sum) != 0)
        return 1;
    printf("%lu\n", (unsigned long)(own + (uintptr_t)sum));
    free(numbers);
    return 0;
}
