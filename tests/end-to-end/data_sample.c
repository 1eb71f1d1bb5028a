/*
 * usage: data_sample [threads | waiting]
 *
 * Touches data of each kind so and so often, through volatile pointers, so that each access of the
 * source is one of the program's: the script beside it knows the counts. With an argument the same
 * work is done by three threads at once, each with blocks of its own; or two share a block of an
 * allocator that makes one wait while the other has it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What was freed is asked for again on purpose, and nothing is checked for NULL:
 * NOLINTBEGIN(clang-analyzer-unix.Malloc,clang-analyzer-core.NullDereference) */

#define NOINLINE __attribute__((noinline, noclone))

long plain_global[100];
static long file_static[60];
static const long table[40] = {1, 2, 3};
static int between_names[10];

typedef volatile long cell;

static NOINLINE long touch(cell *cells, size_t count, unsigned times)
{
    long sum = 0;
    for (unsigned t = 0; t < times; t++)
        for (size_t i = 0; i < count; i++)
            cells[i] = sum += (long)i;
    return sum;
}

static NOINLINE long look(const cell *cells, size_t count)
{
    long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += cells[i];
    return sum;
}

static NOINLINE long variables(void)
{
    static long routine_static[30];
    touch(plain_global, 100, 2);
    touch(file_static, 60, 3);
    touch(routine_static, 30, 5);
    for (int i = 0; i < 10; i++)
        ((volatile int *)between_names)[i] = i;
    return look(table, 40);
}

/* One place of the code for two callers. */
static NOINLINE void *get_memory(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block)
        exit(1);
    return block;
}

static NOINLINE long first_caller(void)
{
    long *block = get_memory(8 * 50);
    long sum = touch(block, 50, 4);
    free(block);
    return sum;
}

static NOINLINE long second_caller(void)
{
    long *block = get_memory(8 * 50); /* where the first one's was */
    long sum = touch(block, 50, 7);
    free(block);
    return sum;
}

static NOINLINE long grow(void)
{
    long *block = malloc(8 * 20);
    touch(block, 20, 1);
    long *guard = malloc(8 * 23); /* behind it, so that it cannot stay where it is */
    long *grown = realloc(block, 8 * 3000);
    long sum = touch(grown, 3000, 1);
    free(guard);
    free(grown);
    return sum;
}

static NOINLINE long mapped(void)
{
    long sum = 0;
    for (int turn = 0; turn < 2; turn++) { /* the second one where the first was, in general */
        long *pages =
            mmap(NULL, 3UL * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            exit(1);
        sum += touch(pages, 1000, 1);
        munmap(pages, 3UL * 4096);
    }
    return sum;
}

static NOINLINE long own_stack(void)
{
    long local[70];
    touch(local, 70, 2); /* in the frame of whom it belongs to */
    return look(local, 70);
}

static NOINLINE long deeper(unsigned depth)
{
    long local[16];
    touch(local, 16, 1);
    long below = depth ? deeper(depth - 1) : 0;
    return below + look(local, 16);
}

static NOINLINE void *work(void *context)
{
    long *sum = context;
    for (int i = 0; i < 20; i++)
        *sum += first_caller() + second_caller() + own_stack();
    return NULL;
}

static long with_threads(void)
{
    pthread_t threads[3];
    long sums[3] = {0};
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, &sums[i]) != 0)
            exit(1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return sums[0] + sums[1] + sums[2];
}

/* An allocator of one block, by the names of new and delete: its first caller waits inside until
 * another one has had the block. It waits by an atomic instruction, as locks do: a plain load has
 * no timestamp, and who had the block first would be open. */
static atomic_int promised, returned;

void *_Znwm(size_t bytes);
void _ZdlPv(void *block);

NOINLINE void *_Znwm(size_t bytes)
{
    static long block[50];
    if (bytes > sizeof block)
        abort();
    if (!atomic_exchange(&promised, 1))
        while (!atomic_exchange(&returned, 0))
            usleep(100);
    return block;
}

NOINLINE void _ZdlPv(void *block)
{
    returned += block != NULL;
}

static NOINLINE void *wait_for_block(void *context)
{
    long *block = _Znwm(8 * 50);
    *(long *)context = touch(block, 50, 7);
    _ZdlPv(block);
    return NULL;
}

static NOINLINE long have_block_first(void)
{
    long *block = _Znwm(8 * 50);
    long sum = touch(block, 50, 4);
    _ZdlPv(block);
    return sum;
}

static long with_waiting(void)
{
    pthread_t thread;
    long sum = 0;
    if (pthread_create(&thread, NULL, wait_for_block, &sum) != 0)
        exit(1);
    while (!promised)
        usleep(100);
    long own = have_block_first();
    pthread_join(thread, NULL);
    return sum + own;
}

int main(int argc, char **argv)
{
    long sum = argc > 1 ? argv[1][0] == 't' ? with_threads() : with_waiting()
                        : variables() + first_caller() + second_caller() + grow() + mapped() +
                              own_stack() + deeper(9);
    printf("%ld\n", sum);
    return 0;
}
/* NOLINTEND(clang-analyzer-unix.Malloc,clang-analyzer-core.NullDereference) */
