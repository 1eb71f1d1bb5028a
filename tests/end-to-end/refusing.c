/*
 * A library for LD_PRELOAD under which the system refuses foretrace something, and only foretrace:
 * the programs that it starts do not inherit it. $REFUSE says what:
 *
 *   memory  allocations of foretrace's own code, not of the libraries that it uses: some of those
 *           abort without memory. $REFUSE_FROM of them succeed, then $REFUSE_COUNT fail.
 *   disk    a file may grow to $REFUSE_FROM bytes
 *   locks   every file lock, as a file system without them does
 *
 * $REFUSE_TELL names a file that tells how many allocations there were.
 */
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes); /* glibc's own names for what is replaced here */
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

static enum { NOTHING, MEMORY, DISK, LOCKS } refused;
static unsigned long long from, count = UINT64_MAX;
static atomic_ullong allocations;
static uintptr_t code_start, code_end; /* of foretrace */
static const char *tell;

static int note_code(struct dl_phdr_info *object, size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
            code_start = object->dlpi_addr + segment->p_vaddr;
            code_end = code_start + segment->p_memsz;
        }
    }
    return 1; /* the first one is the program */
}

static unsigned long long number_in(const char *variable, unsigned long long otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
    const char *what = getenv("REFUSE");
    dl_iterate_phdr(note_code, NULL);
    from = number_in("REFUSE_FROM", UINT64_MAX);
    count = number_in("REFUSE_COUNT", UINT64_MAX);
    tell = getenv("REFUSE_TELL");
    unsetenv("LD_PRELOAD");
    if (what)
        refused = strcmp(what, "memory") == 0  ? MEMORY
                  : strcmp(what, "disk") == 0  ? DISK
                  : strcmp(what, "locks") == 0 ? LOCKS
                                               : NOTHING;
}

__attribute__((destructor)) static void stop(void)
{
    FILE *file = tell ? fopen(tell, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%llu\n", (unsigned long long)allocations);
    fclose(file);
}

static int is_refused(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (refused != MEMORY || at < code_start || at >= code_end)
        return 0;
    unsigned long long number = allocations++;
    if (number < from || number - from >= count)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(items, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

/* Files are written by this function alone, by HDF5 and by foretrace. */
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t got = refused == DISK ? readlink(path, target, sizeof target - 1) : 0;
    target[got > 0 ? got : 0] = 0;
    if (got > 0 && strstr(target, ".partial") && (unsigned long long)offset + length > from) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

int flock(int descriptor, int operation)
{
    if (refused == LOCKS) {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_flock, descriptor, operation);
}
