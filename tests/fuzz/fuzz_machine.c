/*
 * Machine files, and machines in one line where the input starts with "caches=". What is loaded is
 * plausible, and what a file is refused for is told with the file. Beside libFuzzer's mutations,
 * numbers get suffixes: units, right ones and wrong ones, and what people type behind numbers.
 */
#include <ctype.h>
#include <string.h>

#include "machines/machine.h"
#include "tests/fuzz/fuzz.h"

static bool is_in(double value, double min, double max)
{
    return value >= min && value <= max;
}

static void check_levels(const struct ft_level *levels, size_t count, bool has_costs)
{
    for (size_t i = 0; i < count; i++) {
        const struct ft_level *level = &levels[i];
        FUZZ_EXPECT(level->ways > 0 && level->blocks % level->ways == 0);
        FUZZ_EXPECT((level->block_bytes & (level->block_bytes - 1)) == 0);
        FUZZ_EXPECT(is_in((double)level->block_bytes, 8, 0x1p34));
        FUZZ_EXPECT(is_in(level->shared_by, 1, 65536));
        FUZZ_EXPECT(!has_costs || is_in(level->latency_cycles, 0.5, 1e5));
        FUZZ_EXPECT(is_in(level->exposed_share, 0, 1));
    }
}

static void check_plausible(const struct ft_machine *machine)
{
    FUZZ_EXPECT(is_in(machine->clock_ghz, 0.1, 10));
    FUZZ_EXPECT(is_in(machine->issue_width, 1, 64));
    FUZZ_EXPECT(is_in(machine->memory_latency_cycles, 0.5, 1e5));
    check_levels(machine->levels, machine->level_count, true);
    check_levels(machine->instruction_levels, machine->instruction_level_count, false);
    for (size_t i = 0; i < machine->unit_count; i++)
        FUZZ_EXPECT(is_in(machine->units[i].rate, 1e-4, 2560));
}

/* Of libFuzzer: changes data in place, and gives its new length. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t bytes_max) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t bytes_max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t bytes_max, unsigned seed)
{
    static const char *const suffixes[] = {" GHz",    "MHz", "K",    "KiB", "MB", "T",
                                           " cycles", "%",   "ns",   "x",   ",5", "e3",
                                           "e9999",   "_0",  ".inf", " 4"};
    const char *suffix = suffixes[seed % (sizeof suffixes / sizeof *suffixes)];
    const size_t length = strlen(suffix);
    if (seed % 2 == 0 || bytes == 0 || bytes + length > bytes_max)
        return LLVMFuzzerMutate(data, bytes, bytes_max);
    size_t at = seed / 2 % bytes;
    while (at < bytes && !isdigit(data[at]))
        at++;
    while (at < bytes && isdigit(data[at]))
        at++;
    memmove(data + at + length, data + at, bytes - at);
    for (size_t i = 0; i < length; i++)
        data[at + i] = (uint8_t)suffix[i];
    return bytes + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char caption[] = "caches=";
    struct ft_machine machine;
    struct ft_diag diag = {0};
    int status;
    if (bytes >= sizeof caption && memcmp(data, caption, sizeof caption - 1) == 0) {
        char *text = strndup((const char *)data, bytes);
        status = ft_machine_load(text, &machine, &diag);
        free(text);
    } else {
        const char *path = fuzz_file(data, bytes);
        status = ft_machine_load(path, &machine, &diag);
        FUZZ_EXPECT(status == FT_OK || strncmp(diag.message, path, strlen(path)) == 0);
    }
    if (status == FT_OK) {
        check_plausible(&machine);
        ft_machine_fini(&machine);
    }
    return 0;
}
