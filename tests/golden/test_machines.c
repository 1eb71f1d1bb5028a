/*
 * The machines that are shipped, as they are loaded: every value is that of machines.txt. To change
 * one on purpose: test_machines FOLDER FILE prints what they are now.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine.h"
#include "tests/support/tap.h"

static const char *const names[] = {"amd-zen2",          "amd-zen3",
                                    "amd-zen4",          "amd-zen5",
                                    "arm-neoverse-v2",   "eagle-altix",
                                    "falcon-opteron",    "fujitsu-a64fx",
                                    "intel-ice-lake-sp", "intel-sapphire-rapids",
                                    "intel-skylake-sp",  "itanium2",
                                    "jvn-xeon",          "kraken-p655",
                                    "origin2000-r12000", "sapphire-xt3"};

static void print_level(FILE *out, const char *list, const struct ft_level *level)
{
    const struct ft_behaviour *behaviour = &level->behaviour;
    fprintf(out, "%s %s: %s %llu x %llu B, ways %llu, %.17g cycles, share %.17g, by %u%s,", list,
            level->name, ft_level_kind_names[level->kind], (unsigned long long)level->blocks,
            (unsigned long long)level->block_bytes, (unsigned long long)level->ways,
            level->latency_cycles, level->exposed_share, level->shared_by,
            level->shared ? " shared" : "");
    fprintf(out, " %u %u %u %u %u %u%s\n", behaviour->replacement, behaviour->inclusion,
            behaviour->write, behaviour->write_miss, behaviour->prefetch,
            behaviour->prefetch_blocks, behaviour->unified ? " unified" : "");
}

/* What is measured of a cache or of memory; nothing where it is unknown. */
static void print_speed(FILE *out, const char *name, const struct ft_speed *speed)
{
    const double values[] = {speed->load_bytes_per_cycle,   speed->vector_bytes_per_cycle,
                             speed->store_bytes_per_cycle,  speed->copy_bytes_per_cycle,
                             speed->gather_bytes_per_cycle, speed->load_line_cycles,
                             speed->store_line_cycles,      speed->outstanding_misses};
    double any = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        any += values[i];
    if (any == 0)
        return;
    fprintf(out, "speed %s:", name);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        fprintf(out, " %.17g", values[i]);
    fprintf(out, "\n");
}

static void print_speeds(FILE *out, const struct ft_machine *machine)
{
    for (size_t i = 0; i < machine->cache_count; i++)
        print_speed(out, machine->levels[i].name, &machine->levels[i].speed);
    print_speed(out, "memory", &machine->memory_speed);
    if (machine->store_forward_cycles > 0 || machine->all_cores_bytes_per_cycle > 0 ||
        machine->followed_stride_bytes > 0)
        fprintf(out, "forward %.17g, all cores %.17g, follows %llu\n",
                machine->store_forward_cycles, machine->all_cores_bytes_per_cycle,
                (unsigned long long)machine->followed_stride_bytes);
    for (size_t c = 0; c < FT_MIX_COUNT; c++)
        if (machine->operation_cycles[c] > 0)
            fprintf(out, "operation %s: %.17g\n", ft_mix_class_names[c],
                    machine->operation_cycles[c]);
}

static void print_machine(FILE *out, const struct ft_machine *machine)
{
    fprintf(out, "%s: %s\n%.17g GHz, width %.17g, memory %.17g, dirty %.17g\n", machine->name,
            machine->description, machine->clock_ghz, machine->issue_width,
            machine->memory_latency_cycles, machine->dirty_memory_latency_cycles);
    for (size_t i = 0; i < machine->level_count; i++)
        print_level(out, "data", &machine->levels[i]);
    for (size_t i = 0; i < machine->instruction_level_count; i++)
        print_level(out, "instruction", &machine->instruction_levels[i]);
    for (size_t i = 0; i < machine->unit_count; i++) {
        fprintf(out, "unit %s: %.17g", machine->units[i].name, machine->units[i].rate);
        for (size_t c = 0; c < FT_MIX_COUNT; c++)
            fprintf(out, "%s%s", machine->units[i].classes[c] ? " " : "",
                    machine->units[i].classes[c] ? ft_mix_class_names[c] : "");
        fprintf(out, "\n");
    }
    print_speeds(out, machine);
}

static char *print_all(const char *folder)
{
    char *text = NULL, path[4096];
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ft_machine machine;
        struct ft_diag diag = {0};
        snprintf(path, sizeof path, "%s/%s.yaml", folder, names[i]);
        if (tap_ok(ft_machine_load(path, &machine, &diag) == FT_OK, "%s %s", names[i],
                   diag.message)) {
            print_machine(out, &machine);
            ft_machine_fini(&machine);
        }
    }
    fclose(out);
    return text;
}

int main(int argc, char **argv)
{
    char *now = print_all(argc > 1 ? argv[1] : "machines"), line[1024];
    const char *at = now;
    FILE *file = fopen(argc > 2 ? argv[2] : "machines.txt", "r");
    size_t lines = 0;
    bool is_same = file != NULL;
    while (is_same && fgets(line, sizeof line, file)) {
        is_same = strncmp(at, line, strlen(line)) == 0;
        if (!is_same)
            printf("# expected %s# got %.*s\n", line, (int)strcspn(at, "\n"), at);
        at += is_same ? strlen(line) : 0;
        lines++;
    }
    if (!tap_ok(is_same && lines > 40 && !*at, "%zu lines of values as they were", lines))
        printf("%s", now);
    if (file)
        fclose(file);
    free(now);
    return tap_plan_done();
}
