/*
 * What every harness gives: libFuzzer's entry, which replay_corpus calls as well. It takes any
 * bytes, must come back, and aborts where the code under test contradicts itself.
 */
#ifndef FT_TESTS_FUZZ_FUZZ_H
#define FT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/expand/expand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Ends the process where two ways to one answer differ. */
#define FUZZ_EXPECT(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* One file in memory, with new contents each time; gives its path. */
static inline const char *fuzz_file(const uint8_t *data, size_t bytes)
{
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    FUZZ_EXPECT(descriptor >= 0 && ftruncate(descriptor, 0) == 0);
    FUZZ_EXPECT(pwrite(descriptor, data, bytes, 0) == (ssize_t)bytes);
    return path;
}

/* Whether the values of 4-byte slots are such. A damaged log can say otherwise, and what follows
 * from it then is nobody's business, as long as it ends. */
static inline bool fuzz_is_narrow(const struct ft_unit *unit, const struct ft_record *record)
{
    bool is_partial = record->unit == 0;
    const uint64_t *value = record->values + (is_partial ? 2 : 0);
    for (uint64_t i = 0; i < record->iteration_count; i++)
        for (unsigned s = i ? unit->entry_slot_count : 0; s < unit->slot_count; s++) {
            const struct ft_slot *slot = &unit->slots[s];
            if (is_partial && slot->instruction > record->values[1])
                continue;
            if (slot->size_bytes == 4 && *value > UINT32_MAX)
                return false;
            value += ft_slot_words(slot);
        }
    return true;
}

#endif
