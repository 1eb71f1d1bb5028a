/*
 * A machine in one line, for tests and quick questions (in the manner of hwloc's synthetic
 * topologies): items are split at commas, an item at the last '@' and at ':'.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
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

/* "3": up to `max`; 0 for more. */
static bool parse_number(const char *text, unsigned long max, uint32_t *ret_number)
{
    uint64_t number;
    if (!text || !ft_parse_u64(text, &number))
        return false;
    *ret_number = number <= max ? (uint32_t)number : 0;
    return true;
}

/* One word of a level's behaviour; "=LINES" may stand behind a prefetcher. */
static bool parse_word(char *word, struct ft_level_text *text)
{
    struct ft_behaviour *behaviour = &text->behaviour;
    char *number = strchr(word, '=');
    if (number)
        *number++ = 0;
    if (find_word(word, ft_prefetch_kind_names, 3, &behaviour->prefetch)) {
        behaviour->prefetch_blocks = 1;
        return !number || parse_number(number, FT_PREFETCH_BLOCKS_MAX, &behaviour->prefetch_blocks);
    }
    if (strcmp(word, "shared_by") == 0) {
        text->shared = parse_number(number, UINT32_MAX, &text->shared_by) && text->shared_by > 0;
        return text->shared;
    }
    if (number)
        return false;
    if (strcmp(word, "unified") == 0)
        return behaviour->unified = true;
    if (strcmp(word, "instruction") == 0)
        return text->instruction = true;
    return find_word(word, ft_replacement_names, 3, &behaviour->replacement) ||
           find_word(word, ft_inclusion_names, 3, &behaviour->inclusion) ||
           find_word(word, ft_write_names, 2, &behaviour->write) ||
           find_word(word, ft_write_miss_names, 2, &behaviour->write_miss);
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

/* The parts of an item that stand before its '@'. */
static int add_level(char *parts[PARTS_MAX], size_t count, const char *item, const double *cycles,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    struct ft_level_text text = {
        .where = "machine",
        .section = parts[0],
        .name = parts[0],
        .kind = strstr(parts[0], "TLB") ? FT_LEVEL_TLB : FT_LEVEL_CACHE,
        .ways = parts[3],
        .exposed_share = 1,
    };
    for (size_t i = 4; i < count; i++)
        if (!parse_word(parts[i], &text))
            return fail_item(item, diag);
    if (text.instruction == (cycles != NULL))
        return fail_item(item, diag);
    text.latency_cycles = cycles ? *cycles : 0;
    if (text.behaviour.prefetch == FT_PREFETCH_NONE)
        text.behaviour.prefetch_blocks = 0;
    int status = ft_parse_bytes(parts[1], &text.capacity_bytes, diag);
    if (status == FT_OK)
        status = ft_parse_bytes(parts[2], &text.block_bytes, diag);
    return status == FT_OK ? ft_machine_add_level(machine, &text, diag) : status;
}

static int add_item(const char *item, struct ft_machine *machine, struct ft_diag *diag)
{
    char copy[256], *parts[PARTS_MAX];
    double cycles;
    const char *at = strrchr(item, '@');
    size_t length = at ? (size_t)(at - item) : strlen(item);
    if (length >= sizeof copy || (at && !ft_parse_double(at + 1, &cycles)))
        return fail_item(item, diag);
    snprintf(copy, sizeof copy, "%.*s", (int)length, item);
    if (at && strcmp(copy, "memory") == 0) {
        machine->memory_latency_cycles = cycles;
        return FT_OK;
    }
    size_t count = split(copy, parts);
    return count < 4 ? fail_item(item, diag)
                     : add_level(parts, count, item, at ? &cycles : NULL, machine, diag);
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
        status = ft_machine_check("machine", &machine, &why);
    free(items);
    if (status == FT_OK) {
        *ret_machine = machine;
        return FT_OK;
    }
    ft_machine_fini(&machine);
    /* What is wrong was typed, not read from a file. */
    return ft_fail(diag, status == FT_ERROR_DATA ? FT_ERROR_USAGE : status, "%s", why.message);
}
