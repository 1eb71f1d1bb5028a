/*
 * What page faults cost, and TLB misses: a ring of one line a page, less what as many lines cost
 * that lie together. The same ring in large pages tells sets of caches from TLBs: where it costs as
 * much, either its lines collide, or the large pages are none (a virtual machine whose host has
 * small ones).
 */
#include <math.h>
#include <stdio.h>

#include "machines/probe/applying.h"
#include "machines/probe/knees.h"

#define LINE_BYTES 64

/* Cycles that a page more than a line costs. */
static double excess(const struct ft_cycle_curve *pages, const struct ft_cycle_curve *lines,
                     double count, double *ret_spread)
{
    double line_spread;
    const double cycles = ft_cycle_curve_at(pages, count, ret_spread);
    return cycles - ft_cycle_curve_at(lines, count * LINE_BYTES, &line_spread);
}

static int apply_level(struct ft_applying *applying, const struct ft_cycle_curve *pages,
                       const struct ft_cycle_curve *lines, unsigned index, double *before,
                       struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml = applying->yaml;
    struct ft_yaml_level *level = &yaml->tlbs[index];
    const double entries = ft_yaml_number(&level->numbers, FT_NUMBER_entries);
    const double next = index + 1 < yaml->tlbs_count
                            ? ft_yaml_number(&yaml->tlbs[index + 1].numbers, FT_NUMBER_entries)
                            : 4 * entries;
    const double count = sqrt(entries * next);
    char how[96];
    double spread;
    if (count >= pages->x[pages->count - 1] || next <= entries)
        return ft_probe_note(applying->notes, diag, "%s: not measured: it maps too much",
                             level->name);
    const double cycles = excess(pages, lines, count, &spread) - *before;
    if (cycles < 0.5)
        return ft_probe_note(applying->notes, diag,
                             "%s: a miss costs nothing that could be seen; the value stays as "
                             "it was",
                             level->name);
    *before += cycles;
    snprintf(how, sizeof how, "a line in each of %.0f pages, less as many lines side by side",
             count);
    return ft_applying_set(applying, &level->numbers, &level->sources, FT_NUMBER_miss_cycles,
                           cycles, spread, how, diag);
}

/* Where the excess first is half of what it is between this level and the next. */
static int note_entries(struct ft_applying *applying, const struct ft_cycle_curve *pages,
                        const struct ft_cycle_curve *lines, struct ft_diag *diag)
{
    const struct ft_yaml_machine *yaml = applying->yaml;
    const double entries = ft_yaml_number(&yaml->tlbs[0].numbers, FT_NUMBER_entries);
    const double cost = ft_yaml_number(&yaml->tlbs[0].numbers, FT_NUMBER_miss_cycles);
    double spread;
    for (size_t i = 0; i < pages->count; i++) {
        if (excess(pages, lines, pages->x[i], &spread) < cost / 2)
            continue;
        if (pages->x[i] < 0.6 * entries || pages->x[i] > 2 * entries)
            return ft_probe_note(applying->notes, diag,
                                 "%s: pages cost more from %.0f on, not from %.0f",
                                 yaml->tlbs[0].name, pages->x[i], entries);
        return FT_OK;
    }
    return FT_OK;
}

static int apply_faults(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_memory *memory = &applying->yaml->memory;
    double spread;
    const double cycles = ft_applying_cycles(applying, FT_CURVE_PAGE_FAULTS, &spread);
    applying->part = "memory";
    return cycles > 0 ? ft_applying_set(applying, &memory->numbers, &memory->sources,
                                        FT_NUMBER_page_fault_cycles, cycles, spread,
                                        "the first store to each of the pages of 16 MiB, with "
                                        "mapping them and giving them back",
                                        diag)
                      : FT_OK;
}

int ft_apply_pages(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_cycle_curve pages, control, lines;
    const struct ft_yaml_machine *yaml = applying->yaml;
    double before = 0, spread;
    FT_TRY(apply_faults(applying, diag));
    FT_TRY(ft_applying_curve(applying, FT_CURVE_PAGES, UINT64_MAX, true, &pages, diag));
    FT_TRY(ft_applying_curve(applying, FT_CURVE_PAGE_CONTROL, UINT64_MAX, true, &control, diag));
    FT_TRY(ft_applying_curve(applying, FT_CURVE_LATENCY, UINT64_MAX, false, &lines, diag));
    if (pages.count < 3 || control.count < 3 || lines.count < 3)
        return ft_probe_note(applying->notes, diag,
                             "TLBs: not measured: there are no large pages to compare with");
    ft_make_rising(pages.y, pages.count);
    ft_make_rising(control.y, control.count);
    ft_make_rising(lines.y, lines.count);
    for (unsigned i = 0; i < yaml->tlbs_count; i++) {
        applying->part = yaml->tlbs[i].name;
        FT_TRY(apply_level(applying, &pages, &lines, i, &before, diag));
    }
    if (yaml->tlbs_count == 0)
        return FT_OK;
    FT_TRY(note_entries(applying, &pages, &lines, diag));
    const double at = 3 * ft_yaml_number(&yaml->tlbs[0].numbers, FT_NUMBER_entries);
    const double large = excess(&control, &lines, at, &spread),
                 small = excess(&pages, &lines, at, &spread);
    return large > small / 2 && small > 1
               ? ft_probe_note(applying->notes, diag,
                               "TLBs: in large pages %.0f lines cost as much: the host of this "
                               "virtual machine gives small pages, or lines collide",
                               at)
               : FT_OK;
}
