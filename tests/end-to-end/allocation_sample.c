/*
 * usage: allocation_sample
 *
 * Allocates and frees in all ways and says what a trace must tell of each call, as the lines of
 * `foretrace dump --calls` from the name on, in order of the calls' ends. Calls of two sizes that
 * occur nowhere else mark beginning and end. Nothing between them allocates but what is told.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Handlers that allocate, addresses of what was freed and frees of what nobody allocated are what
 * is tested: NOLINTBEGIN(bugprone-signal-handler,cert-sig30-c,clang-analyzer-unix.Malloc) */

#define SLOTS 200

static char lines[16 << 20];
static size_t length;
static uint64_t state = 1;

__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    length += (size_t)vsnprintf(lines + length, sizeof lines - length, format, list);
    va_end(list);
}

static uint64_t number(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static unsigned random_below(unsigned limit)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (unsigned)(state >> 33) % limit;
}

/* One random call; sizes around which malloc's ways part: small, large, of its own mapping. */
static void *allocate(void *old)
{
    size_t size = random_below(20) ? 1 + random_below(600) : 1 + random_below(300000);
    size_t alignment = (size_t)32 << random_below(6);
    void *pointer = NULL;
    switch (random_below(old ? 7 : 6)) {
    case 0:
        pointer = calloc(size / 8 + 1, 8);
        expect("calloc %zu 8 = 0x%lx\n", size / 8 + 1, number(pointer));
        break;
    case 1:
        pointer = aligned_alloc(alignment, size);
        expect("memalign %zu %zu = 0x%lx\n", alignment, size, number(pointer));
        break;
    case 2: {
        int status = posix_memalign(&pointer, alignment, size);
        expect("posix_memalign 0x%lx %zu %zu = %d, stored 0x%lx\n", number(&pointer), alignment,
               size, status, number(pointer));
        break;
    }
    case 6:
        pointer = realloc(old, size);
        expect("realloc 0x%lx %zu = 0x%lx\n", number(old), size, number(pointer));
        return pointer;
    default:
        pointer = malloc(size);
        expect("malloc %zu = 0x%lx\n", size, number(pointer));
        break;
    }
    if (old) {
        free(old);
        expect("free 0x%lx\n", number(old));
    }
    return pointer;
}

/* The operators of C++, whose own calls of malloc and free are told too. */
static void operators(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW);
    if (!library)
        return;
    void *(*new_one)(size_t), *(*new_array)(size_t);
    void (*delete_one)(void *);
    *(void **)&new_one = dlsym(library, "_Znwm");
    *(void **)&new_array = dlsym(library, "_Znam");
    *(void **)&delete_one = dlsym(library, "_ZdlPv");
    malloc(8888); /* what dlopen did does not count */
    for (size_t size = 1; size < 300; size += 7) {
        char *one = new_one(size), *array = new_array(size);
        expect("malloc %zu = 0x%lx\n_Znwm %zu = 0x%lx\n", size, number(one), size, number(one));
        expect("malloc %zu = 0x%lx\n_Znwm %zu = 0x%lx\n_Znam %zu = 0x%lx\n", size, number(array),
               size, number(array), size, number(array));
        delete_one(one);
        expect("_ZdlPv 0x%lx\nfree 0x%lx\n", number(one), number(one));
    }
}

static sigjmp_buf out;

static void leave(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

/* An allocation in a handler, and one whose frame is left by its handler: it has no result. */
static void in_handler(int signal)
{
    (void)signal;
    void *pointer = malloc(333);
    expect("malloc 333 = 0x%lx\n", number(pointer));
}

static void handlers(void)
{
    void *pointer;
    signal(SIGUSR1, in_handler);
    raise(SIGUSR1);
    signal(SIGSEGV, leave);
    if (sigsetjmp(out, 1) == 0) {
        void *bad = (void *)(uintptr_t)0x123450;
        expect("free 0x%lx\n", number(bad));
        free(bad); /* reads in front of it */
    }
    if (sigsetjmp(out, 1) == 0)
        free(realloc((void *)(uintptr_t)0x123450, 50)); /* never comes back */
    expect("realloc 0x123450 50 = ?\n");
    pointer = malloc(50);
    expect("malloc 50 = 0x%lx\n", number(pointer));
}

static void *in_thread(void *context)
{
    size_t size = (size_t)(uintptr_t)context;
    for (int i = 0; i < 20000; i++)
        free(malloc(size));
    return NULL;
}

int main(void)
{
    static void *slots[SLOTS];
    memset(lines, 1, sizeof lines); /* its pages are there */
    snprintf(lines, sizeof lines, "%zu %d", sizeof lines, 1);
    malloc(7777);
    for (int i = 0; i < 10000; i++) {
        unsigned slot = random_below(SLOTS);
        slots[slot] = allocate(slots[slot]);
    }
    malloc(7778);
    operators();
    malloc(7777);
    handlers();
    malloc(7778);
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, in_thread, (void *)(6000 + i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t written = 0; written < length;)
        written += (size_t)write(1, lines + written, length - written);
    return 0;
}

/* NOLINTEND(bugprone-signal-handler,cert-sig30-c,clang-analyzer-unix.Malloc) */
