#include "tests/support/core_by_hand.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define BUFFERS                                                                                    \
    "retire: 8\n"                                                                                  \
    "load_buffer: 40\n"                                                                            \
    "store_buffer: 32\n"                                                                           \
    "miss_buffers: 4\n"                                                                            \
    "page_walks: 1\n"                                                                              \
    "mispredict_cycles: 10\n"

/* head: version, and keys that not all have; chained, store, commit, group: likewise. */
#define CORE_TEXT(head, chained, store, commit, group)                                             \
    head                                                                                           \
        "description: by hand\n"                                                                   \
        "cpuid: []\n"                                                                              \
        "sources: [made for a test]\n"                                                             \
        "dispatch: 4\n"                                                                            \
        "fetch: 8\n"                                                                               \
        "window: 64\n"                                                                             \
        "load_cycles: 5\n"                                                                         \
        "vector_load_cycles: 5\n"                                                                  \
        "forward_cycles: 2\n"                                                                      \
        "taken_branches: 1\n"                                                                      \
        "fuses: [cmp, dec]\n"                                                                      \
        "fuses_accesses: 0\n"                                                                      \
        "groups:\n"                                                                                \
        "  - {name: ALU, ports: [A0, A1]}\n"                                                       \
        "  - {name: MUL, ports: [A1]}\n"                                                           \
        "  - {name: FP, ports: [F0]}\n"                                                            \
        "  - {name: LD, ports: [L0, L1]}\n"                                                        \
        "  - {name: ST, ports: [" store "]}\n" group "kinds:\n"                                    \
        "  - {operations: 1, latency: 0, units: [], forms: ['mov r64, r64', 'movups xmm, xmm']}\n" \
        "  - {operations: 1, latency: 1, units: [ALU], forms: ['add r64, r64', 'add r64, i', "     \
        "'dec r64', 'cmp r64, r64', 'xor r32, r32', 'jnz i']}\n"                                   \
        "  - {operations: 1, latency: 3, units: [MUL], forms: ['imul r64, r64']}\n"                \
        "  - {operations: 1, latency: 4, " chained "units: [FP], forms: ['addsd xmm, xmm']}\n"     \
        "  - {operations: 1, latency: 9, " chained "units: [FP, LD], forms: ['addsd xmm, m64']}\n" \
        "  - {operations: 1, latency: 3, units: [FP], forms: ['mulsd xmm, xmm']}\n"                \
        "  - {operations: 1, latency: 5, units: [LD], forms: ['mov r64, m64', 'movups xmm, "       \
        "m128']}\n"                                                                                \
        "  - {operations: 1, latency: 1, units: [ST" commit "], forms: ['mov m64, r64', "          \
        "'movups m128, xmm']}\n"                                                                   \
        "  - {operations: 1, latency: 6, units: [ALU, LD, ST" commit "], forms: ['add m64, i', "   \
        "'add m64, r64']}\n"

static const char *const texts[] = {
    [CORE_BY_HAND_FIRST] = CORE_TEXT("version: 1\n", "", "S0", "", ""),
    [CORE_BY_HAND_SECOND] = CORE_TEXT("version: 2\n" BUFFERS, "", "S0", "", ""),
    [CORE_BY_HAND_LATER] =
        CORE_TEXT("version: 3\nrenames_memory: 1\ncommit: Commit\n" BUFFERS, "chained: 2, ",
                  "S0, S1", ", Commit", "  - {name: Commit, ports: [C0]}\n"),
    [CORE_BY_HAND_FOURTH] = CORE_TEXT(
        "version: 4\nrenames_memory: 1\nvector_forward_cycles: 7\n" BUFFERS, "", "S0", "", ""),
    [CORE_BY_HAND_FIFTH] =
        CORE_TEXT("version: 5\nop_cache_window: 16\nop_cache_entry: 2\ndecode_cycles: 3\n" BUFFERS,
                  "", "S0", "", ""),
    [CORE_BY_HAND_SIXTH] = CORE_TEXT("version: 6\nop_cache_window: 16\nop_cache_entry: 2\n"
                                     "op_cache_entries: 1\ncomplex_load_cycles: 1\n" BUFFERS,
                                     "", "S0", "", ""),
};

void core_by_hand(enum core_by_hand version, struct ft_core *ret_core)
{
    struct ft_diag diag = {0};
    const char *folder = temporary_folder();
    char path[512];
    snprintf(path, sizeof path, "mkdir -p %s/cores", folder);
    if (system(path) != 0)
        abort();
    snprintf(path, sizeof path, "%s/cores/by-hand.yaml", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fputs(texts[version], file);
    (void)fclose(file);
    setenv("FORETRACE_MACHINES", folder, 1);
    const bool is_loaded = ft_core_load("by-hand", ret_core, &diag) == FT_OK;
    tap_ok(is_loaded, "a core file: %s", diag.message);
    if (!is_loaded)
        exit(1);
}
