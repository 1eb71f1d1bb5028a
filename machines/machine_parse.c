/*
 * A machine in one line, for tests and quick questions (in the manner of hwloc's synthetic
 * topologies): items are split at commas, an item at the last '@' and at ':'.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine_build.h"

#define PARTS_MAX 12

static int fail_item(const char *item, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "machine item '%s': expected NAME:CAPACITY:LINE:WAYS[:BEHAVIOUR...]@CYCLES, "
                   "memory@CYCLES, or an instruction level without @CYCLES, as in "
                   "L1:32K:64:8@4 or L1I:32K:64:8:instruction",
                   item);
}

static bool find_word(const char *word, const char *const *names, size_t count, uint8_t *value)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0) {
            *value = (uint8_t)i;
            return true;
        }
    return false;
}

static int read_count(const struct ft_level_text *text, enum ft_machine_number number,
                      const char *digits, uint32_t *ret_count, struct ft_diag *diag)
{
    double value;
    FT_TRY(ft_machine_number(&text->section, number, digits, &value, diag));
    *ret_count = (uint32_t)value;
    return FT_OK;
}

/* One word of a level's behaviour; "=LINES" may stand behind a prefetcher. */
static int parse_word(char *word, struct ft_level_text *text, const char *item,
                      struct ft_diag *diag)
{
    struct ft_behaviour *behaviour = &text->behaviour;
    char *number = strchr(word, '=');
    if (number)
        *number++ = 0;
    if (find_word(word, ft_prefetch_kind_names, 3, &behaviour->prefetch)) {
        return read_count(text, FT_NUMBER_prefetch_lines, number ? number : "1",
                          &behaviour->prefetch_blocks, diag);
    }
    if (strcmp(word, "shared_by") == 0 && number) {
        text->shared = true;
        return read_count(text, FT_NUMBER_shared_by, number, &text->shared_by, diag);
    }
    if (number)
        return fail_item(item, diag);
    if (strcmp(word, "unified") == 0)
        behaviour->unified = true;
    else if (strcmp(word, "instruction") == 0)
        text->instruction = true;
    else if (!find_word(word, ft_replacement_names, 3, &behaviour->replacement) &&
             !find_word(word, ft_inclusion_names, 3, &behaviour->inclusion) &&
             !find_word(word, ft_write_names, 2, &behaviour->write) &&
             !find_word(word, ft_write_miss_names, 2, &behaviour->write_miss))
        return fail_item(item, diag);
    return FT_OK;
}

/* Splits at ':'; 0 where there are too many or empty parts. */
static size_t split(char *text, char *parts[PARTS_MAX])
{
    size_t count = 0;
    for (char *part = text; part; count++) {
        char *colon = strchr(part, ':');
        if (colon)
            *colon++ = 0;
        if (!*part || count == PARTS_MAX)
            return 0;
        parts[count] = part;
        part = colon;
    }
    return count;
}

static const struct ft_machine_source one_line = {.name = "machine"};

/* The numbers among the parts of an item that stand before its '@'. A TLB is given by what it maps:
 * its entries are in range if that is. */
static int read_numbers(char *parts[PARTS_MAX], const char *cycles, struct ft_level_text *text,
                        struct ft_diag *diag)
{
    const bool cache = text->kind == FT_LEVEL_CACHE;
    double capacity, block, ways;
    FT_TRY(ft_machine_number(&text->section, FT_NUMBER_capacity, parts[1], &capacity, diag));
    FT_TRY(ft_machine_number(&text->section, cache ? FT_NUMBER_line : FT_NUMBER_page, parts[2],
                             &block, diag));
    FT_TRY(ft_machine_number(&text->section, FT_NUMBER_ways, parts[3], &ways, diag));
    if (cycles)
        FT_TRY(ft_machine_number(&text->section,
                                 cache ? FT_NUMBER_latency_cycles : FT_NUMBER_miss_cycles, cycles,
                                 &text->latency_cycles, diag));
    text->capacity_bytes = (uint64_t)capacity;
    text->block_bytes = (uint64_t)block;
    text->ways = isinf(ways) ? 0 : (uint64_t)ways;
    return FT_OK;
}

static int add_level(char *parts[PARTS_MAX], size_t count, const char *item, const char *cycles,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    struct ft_level_text text = {
        .section = {&one_line, parts[0], parts[0]},
        .kind = strstr(parts[0], "TLB") ? FT_LEVEL_TLB : FT_LEVEL_CACHE,
        .exposed_share = 1,
    };
    for (size_t i = 4; i < count; i++)
        FT_TRY(parse_word(parts[i], &text, item, diag));
    if (text.instruction == (cycles != NULL))
        return fail_item(item, diag);
    if (text.behaviour.prefetch == FT_PREFETCH_NONE)
        text.behaviour.prefetch_blocks = 0;
    FT_TRY(read_numbers(parts, cycles, &text, diag));
    return ft_machine_add_level(machine, &text, diag);
}

static int add_item(const char *item, struct ft_machine *machine, struct ft_diag *diag)
{
    static const struct ft_machine_section memory = {&one_line, "memory", NULL};
    char copy[256], *parts[PARTS_MAX];
    const char *at = strrchr(item, '@');
    size_t length = at ? (size_t)(at - item) : strlen(item);
    if (length >= sizeof copy)
        return fail_item(item, diag);
    snprintf(copy, sizeof copy, "%.*s", (int)length, item);
    if (at && strcmp(copy, "memory") == 0)
        return ft_machine_number(&memory, FT_NUMBER_latency_cycles, at + 1,
                                 &machine->memory_latency_cycles, diag);
    size_t count = split(copy, parts);
    return count < 4 ? fail_item(item, diag)
                     : add_level(parts, count, item, at ? at + 1 : NULL, machine, diag);
}

int ft_machine_parse(const char *text, struct ft_machine *ret_machine, struct ft_diag *diag)
{
    struct ft_diag why;
    struct ft_machine machine = {
        .name = strdup(text),
        .description = strdup("given in one line"),
        .clock_ghz = 1,
        .issue_width = 4,
    };
    char *items = strdup(text);
    int status =
        machine.name && machine.description && items ? FT_OK : ft_fail_memory(&why, "a machine");
    char *rest = NULL;
    for (char *item = status == FT_OK ? strtok_r(items, ",", &rest) : NULL; status == FT_OK && item;
         item = strtok_r(NULL, ",", &rest))
        status = add_item(item, &machine, &why);
    if (status == FT_OK && machine.level_count == 0)
        status = fail_item(text, &why);
    if (status == FT_OK && machine.memory_latency_cycles == 0)
        status = ft_fail(&why, FT_ERROR_USAGE,
                         "machine '%s': no memory: add memory@CYCLES, as in memory@200", text);
    if (status == FT_OK)
        status = ft_machine_check(&one_line, &machine, &why);
    free(items);
    if (status == FT_OK) {
        *ret_machine = machine;
        return FT_OK;
    }
    ft_machine_fini(&machine);
    /* What is wrong was typed, not read from a file. */
    return ft_fail(diag, status == FT_ERROR_DATA ? FT_ERROR_USAGE : status, "%s", why.message);
}
