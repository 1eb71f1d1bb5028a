#include "machines/probe/probe_results.h"

#include "machines/probe/applying.h"

static int apply_core(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_core *core = &applying->yaml->core;
    double spread;
    ft_applying_cycles(applying, FT_CURVE_CYCLE, &spread);
    FT_TRY(ft_applying_set(applying, &core->numbers, &core->sources, FT_NUMBER_clock_ghz,
                           1 / applying->cycle_ns, spread, "a chain of dependent adds, one a cycle",
                           diag));
    const double forward = ft_applying_cycles(applying, FT_CURVE_FORWARD, &spread);
    if (forward > 0)
        FT_TRY(ft_applying_set(applying, &core->numbers, &core->sources,
                               FT_NUMBER_store_forward_cycles, forward, spread,
                               "a chain of stores and loads at one address", diag));
    const double conflict = ft_applying_cycles(applying, FT_CURVE_STORE_CONFLICTS, &spread);
    return conflict > 0 ? ft_applying_set(applying, &core->numbers, &core->sources,
                                          FT_NUMBER_store_conflict_cycles, conflict, spread,
                                          "stores to 64 lines at a stride of 16 KiB", diag)
                        : FT_OK;
}

int ft_probe_apply(const struct ft_probe *probe, struct ft_yaml_machine *yaml,
                   struct ft_probe_notes *ret_notes, struct ft_diag *diag)
{
    static int (*const parts[])(struct ft_applying * applying, struct ft_diag * diag) = {
        apply_core, ft_apply_latencies, ft_apply_pages, ft_apply_speeds, ft_apply_operations,
    };
    struct ft_probe_notes notes = {0};
    struct ft_applying applying = {.probe = probe,
                                   .yaml = yaml,
                                   .notes = &notes,
                                   .cycle_ns = ft_probe_cycle_ns(probe),
                                   .part = "core"};
    if (!(applying.cycle_ns > 0.01 && applying.cycle_ns < 100))
        return ft_fail(diag, FT_ERROR_DATA, "the length of a cycle was not measured");
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&applying, diag);
    if (status == FT_OK && applying.unsteady[0])
        status = ft_probe_note(&notes, diag, "repeats differ by more than %.0f %%: %s",
                               100 * FT_PROBE_AGREE, applying.unsteady);
    if (status == FT_OK)
        *ret_notes = notes;
    else
        ft_probe_notes_fini(&notes);
    return status;
}
