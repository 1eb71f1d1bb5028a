/*
 * A machine in one line, for tests and quick questions (in the manner of hwloc's synthetic
 * topologies): items are split at commas, an item at ':' and '@'.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/options.h"
#include "machines/machine_build.h"

static int fail_item(const char *item, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "machine item '%s': NAME:CAPACITY:LINE:WAYS@CYCLES or memory@CYCLES is needed, "
                   "as in L1:32K:64:8@4",
                   item);
}

static bool parse_cycles(const char *text, double *ret_cycles)
{
    char *end;
    *ret_cycles = strtod(text, &end);
    return end != text && !*end;
}

static int add_item(const char *item, struct ft_machine *machine, struct ft_diag *diag)
{
    char name[32], capacity[24], block[24], ways[24], cycles_text[24];
    double cycles;
    if (sscanf(item, "memory@%23s", cycles_text) == 1)
        return parse_cycles(cycles_text, &machine->memory_latency_cycles) ? FT_OK
                                                                          : fail_item(item, diag);
    if (sscanf(item, "%31[^:@]:%23[^:@]:%23[^:@]:%23[^:@]@%23s", name, capacity, block, ways,
               cycles_text) != 5 ||
        !parse_cycles(cycles_text, &cycles))
        return fail_item(item, diag);
    struct ft_level_text text = {
        .where = "machine",
        .section = name,
        .name = name,
        .kind = strstr(name, "TLB") ? FT_LEVEL_TLB : FT_LEVEL_CACHE,
        .ways = ways,
        .latency_cycles = cycles,
        .exposed_share = 1,
    };
    int status = ft_parse_bytes(capacity, &text.capacity_bytes, diag);
    if (status == FT_OK)
        status = ft_parse_bytes(block, &text.block_bytes, diag);
    return status == FT_OK ? ft_machine_add_level(machine, &text, diag) : status;
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
