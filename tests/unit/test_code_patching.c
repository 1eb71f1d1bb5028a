/*
 * What of translations changes while threads may be running it: an entry is placed so that a jump
 * put there lies in one cache line, and it becomes a stop long before it becomes a jump.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translate.h"
#include "trace-capture/translate/watched_functions.h"

#define CODE_BYTES 65536U
#define ZONE_BYTES (UINT64_C(1) << 24)
#define STOP       0xcc
#define JUMP       0xe9

/* --- where entries are */

static uint8_t *zone_memory, *code; /* behind it, within reach */

static const uint8_t *read_code(void *context, uint64_t pc, size_t *ret_count, bool *ret_may_change)
{
    (void)context;
    *ret_count = CODE_BYTES - (pc - (uint64_t)(uintptr_t)code);
    *ret_may_change = false;
    return *ret_count > 64 && *ret_count <= CODE_BYTES ? (const uint8_t *)(uintptr_t)pc : NULL;
}

static int number_unit(void *context, enum ft_mode mode, struct ft_unit *unit, struct ft_diag *diag)
{
    (void)mode;
    (void)diag;
    unit->id = ++*(uint32_t *)context;
    return FT_OK;
}

/* A few instructions of several lengths, then a branch to what follows, again and again. */
static void make_code(void)
{
    static const struct {
        uint8_t bytes[7], length;
    } instructions[] = {{{0x50}, 1},                               /* push rax */
                        {{0x01, 0xc3}, 2},                         /* add ebx, eax */
                        {{0x48, 0x8b, 0x03}, 3},                   /* mov rax, [rbx] */
                        {{0x48, 0x83, 0xc0, 0x08}, 4},             /* add rax, 8 */
                        {{0x4c, 0x8b, 0x5c, 0x24, 0x10}, 5},       /* mov r11, [rsp+16] */
                        {{0x48, 0x81, 0xc1, 0x00, 0x01, 0, 0}, 7}, /* add rcx, 256 */
                        {{0x75, 0x00}, 2}};                        /* jne, to the next */
    uint64_t seed = 1;
    for (size_t at = 0; at < CODE_BYTES;) {
        size_t kind = random_below(&seed, sizeof instructions / sizeof *instructions);
        size_t length = instructions[kind].length;
        memcpy(code + at, instructions[kind].bytes, at + length <= CODE_BYTES ? length : 1);
        at += length;
    }
}

static void check_entries(enum ft_mode mode)
{
    struct ft_zone zone = {.bytes = ZONE_BYTES, .host = zone_memory};
    struct ft_zone *zones[] = {&zone};
    struct ft_code_cache cache = {.zones = zones, .zone_count = 1, .bucket_count = 1024};
    uint32_t units = 0;
    unsigned wrong = 0, moved = 0;
    struct ft_watched_functions watched = {0};
    struct ft_translator translator = {.cache = &cache,
                                       .read_code = read_code,
                                       .unit_added = number_unit,
                                       .unit_context = &units,
                                       .watched = &watched};
    zone.address = (uint64_t)(uintptr_t)zone.host;
    cache.by_page = calloc(cache.bucket_count, sizeof *cache.by_page);
    cache.tables.host = calloc(1, FT_REGION_BYTES);
    uint64_t pc = (uint64_t)(uintptr_t)code, end = pc + CODE_BYTES / 2;
    while (pc < end) {
        struct ft_chain chain;
        if (ft_translate_chain(&translator, mode, pc, NULL, &chain, NULL) < 0)
            break;
        const struct ft_unit *last = &chain.units[chain.count - 1]->unit;
        pc = last->pc + last->code_bytes;
    }
    for (size_t i = 0; i < zone.translation_count; i++) {
        const struct ft_translation *translation = zone.translations[i];
        wrong += !ft_is_in_one_line(translation->entry, FT_JUMP_BYTES);
        moved += i && !ft_is_in_one_line(zone.translations[i - 1]->end, FT_JUMP_BYTES);
    }
    tap_ok(pc >= end && wrong == 0 && moved > 0,
           "%s: of %zu entries none is in two cache lines, %u were moved",
           mode == FT_MODE_LOGGED ? "logged" : "unlogged", zone.translation_count, moved);
    for (size_t i = 0; i < zone.translation_count; i++) {
        ft_unit_fini(&zone.translations[i]->unit);
        free(zone.translations[i]->links);
        free(zone.translations[i]);
    }
    free(zone.translations);
    ft_translation_table_fini(&cache.by_pc[mode]);
    free(cache.by_page);
    free(cache.stops);
    ft_hash_table_fini(&cache.stop_indices);
    free(cache.tables.host);
}

/* --- what becomes of them */

static uint8_t lines[2 * FT_CACHE_LINE_BYTES] __attribute__((aligned(FT_CACHE_LINE_BYTES)));

/* A translation that is superseded in a cache of its own, at an offset of a line; gives its first
 * byte then, and once a thread that has met the stop has been sent on. */
static void supersede(unsigned offset, uint8_t ret_bytes[2])
{
    static struct ft_instruction instruction = {.length = 7};
    struct ft_zone zone = {
        .address = (uint64_t)(uintptr_t)lines, .host = lines, .bytes = sizeof lines};
    struct ft_zone *zones[] = {&zone};
    struct ft_code_cache cache = {.zones = zones, .zone_count = 1, .bucket_count = 1024};
    uint16_t offsets[] = {0, 7};
    struct ft_translation path = {.entry = zone.address + 100};
    struct ft_translation old = {.entry = zone.address + offset,
                                 .start = zone.address + offset,
                                 .end = zone.address + offset + 12,
                                 .offsets = offsets,
                                 .unit = {.instructions = &instruction, .instruction_count = 1}};
    memset(lines, 0x90, sizeof lines);
    cache.by_page = calloc(cache.bucket_count, sizeof *cache.by_page);
    ft_code_cache_supersede(&cache, &old, &path, NULL);
    ret_bytes[0] = lines[offset];
    ft_code_cache_replace(&cache, &old, &path);
    ret_bytes[1] = lines[offset];
    free(cache.by_page);
    free(cache.stops);
    ft_hash_table_fini(&cache.stop_indices);
}

static void check_superseded(void)
{
    unsigned stops = 0, wrong = 0;
    for (unsigned offset = 0; offset < FT_CACHE_LINE_BYTES; offset++) {
        uint8_t bytes[2];
        bool is_whole = offset + FT_JUMP_BYTES <= FT_CACHE_LINE_BYTES;
        supersede(offset, bytes);
        stops += bytes[0] == STOP;
        wrong += bytes[1] != (is_whole ? JUMP : STOP);
    }
    tap_ok(stops == FT_CACHE_LINE_BYTES, "what is superseded is a stop first");
    tap_ok(wrong == 0, "the stop becomes a jump later, but in two cache lines");
}

int main(void)
{
    zone_memory = aligned_alloc(4096, ZONE_BYTES + CODE_BYTES);
    if (!zone_memory)
        return 1;
    code = zone_memory + ZONE_BYTES;
    make_code();
    check_entries(FT_MODE_LOGGED);
    check_entries(FT_MODE_UNLOGGED);
    check_superseded();
    free(zone_memory);
    return tap_plan_done();
}
