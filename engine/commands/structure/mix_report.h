/*
 * The instruction mix (Marin & Mellor-Crummey 2004, section 2.3.1) of the parts of a program that
 * are selected by kind, share and number, as text, CSV or JSON.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_MIX_REPORT_H
#define FT_ENGINE_COMMANDS_STRUCTURE_MIX_REPORT_H

#include "engine/commands/report/location_report.h"
#include "engine/commands/structure/report.h"
#include "engine/program/mix/mix.h"
#include "formats/cli/options.h"

enum ft_mix_level {
    FT_MIX_OF_PROGRAM,
    FT_MIX_OF_MODULES,
    FT_MIX_OF_ROUTINES,
    FT_MIX_OF_LOOPS, /* routines and, nested in them, loops */
    FT_MIX_OF_BLOCKS,
    FT_MIX_LEVELS
};
extern const char *const ft_mix_level_names[FT_MIX_LEVELS]; /* "program", ..., "block" */

struct ft_mix_question {
    enum ft_mix_level level;
    bool by_address;  /* rows in order of address; else those with most instructions first */
    bool of_code;     /* static: each instruction that ran counts once; else as often as it ran */
    double threshold; /* rows with less than this share of all instructions are left out */
    uint64_t rows;    /* at most */
};

/* The options of the mix except the number of rows. Defaults: loops, executions, most instructions
 * first, no threshold. */
int ft_mix_question_read(const struct ft_arguments *arguments, struct ft_mix_question *ret_question,
                         struct ft_diag *diag);

struct ft_mix_report {
    const struct ft_structure_report *structure;
    struct ft_mix_question question;
    struct ft_mix *scope_mixes; /* [scope], inclusive */
    struct ft_mix *code_mixes;  /* [block], static; NULL when executions are counted */
    uint32_t *list;             /* scopes, or blocks, to show */
    size_t count;
};

int ft_mix_report_make(const struct ft_structure_report *structure,
                       const struct ft_mix_question *question, struct ft_mix_report *ret_report,
                       struct ft_diag *diag);
void ft_mix_report_fini(struct ft_mix_report *report);
/* Of a scope or block of the list. */
const struct ft_mix *ft_mix_report_row(const struct ft_mix_report *report, uint32_t item);

/* Names blocks; good for columns and cells only. */
int ft_mix_report_blocks(const struct ft_mix_report *report, struct ft_locations *ret_locations,
                         struct ft_diag *diag);

/* Whether the mixes include loads and stores: static mixes do, executed ones only if the trace has
 * addresses. */
bool ft_mix_has_accesses(const struct ft_mix_report *report);
/* The members of a mix as one object; null for accesses if they are unknown. */
json_t *ft_mix_metrics_json(const struct ft_mix *mix, bool has_accesses);

int ft_mix_text(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag);
int ft_mix_csv(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag);
int ft_mix_json(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag);

#endif
