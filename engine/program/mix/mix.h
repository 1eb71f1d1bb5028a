/*
 * The instruction mix of a piece of a program: its instructions by class, their operations by
 * element type and width, and its loads and stores by width (Marin & Mellor-Crummey 2004, section
 * 2.3.1; docs/structure.md, "What counts as an operation"). Counts are dynamic, as executed, or
 * static, each instruction once. Mixes are added member by member.
 */
#ifndef FT_ENGINE_PROGRAM_MIX_MIX_H
#define FT_ENGINE_PROGRAM_MIX_MIX_H

#include "engine/program/graph/flow_graph.h"

/* Accesses of 1, 2, 4, ... 64 bytes, and others. */
#define FT_MIX_ACCESS_WIDTHS 8
extern const char *const ft_mix_access_width_names[FT_MIX_ACCESS_WIDTHS]; /* "1" ... "other" */

struct ft_mix_accesses {
    uint64_t count, bytes;
    uint64_t count_by_width[FT_MIX_ACCESS_WIDTHS], bytes_by_width[FT_MIX_ACCESS_WIDTHS];
};

/* Nothing but uint64_t. */
struct ft_mix {
    uint64_t instructions;
    uint64_t classes[FT_MIX_COUNT]; /* of the operations; in addition, FT_MIX_LOAD and FT_MIX_STORE
                                       count the accesses */
    uint64_t operations[FT_NUMBER_TYPES][FT_OPERATION_WIDTHS];
    uint64_t flops,
        masked_flops; /* masked: of instructions whose mask is unknown, all lanes counted */
    uint64_t integer_operations, masked_integer_operations;
    struct ft_mix_accesses loads, stores;
};

/* Adds `times` executions of an instruction, without its accesses; NULL: an unknown instruction. */
void ft_mix_add_instruction(struct ft_mix *mix, const struct ft_instruction *instruction,
                            uint64_t times);
/* Subtracts the lanes that a mask disabled in `times` executions that were added; the instruction
 * worked on `lanes` lanes (masked_lanes.h). */
void ft_mix_leave_out(struct ft_mix *mix, const struct ft_instruction *instruction, uint64_t times,
                      uint64_t lanes);
/* Adds accesses of a kind; prefetches and fetches do not count. */
void ft_mix_add_accesses(struct ft_mix *mix, enum ft_access_kind kind, uint32_t size_bytes,
                         uint64_t times);
void ft_mix_add(struct ft_mix *sum, const struct ft_mix *mix);

/* The static mix of a block: each instruction once, string instructions as if they moved one
 * element, gathers and masked vectors with all lanes. */
void ft_mix_of_code(const struct ft_flow_graph *graph, uint32_t block, struct ft_mix *ret_mix);

/* Sums blocks into scopes: ret_mixes[scope], allocated, is inclusive. */
int ft_mix_of_scopes(const struct ft_scopes *scopes, const struct ft_mix *block_mixes,
                     struct ft_mix **ret_mixes, struct ft_diag *diag);

/* ---- the members by name, for tables ---- */

enum ft_mix_table { FT_MIX_TABLE_CLASSES, FT_MIX_TABLE_OPERATIONS, FT_MIX_TABLE_MEMORY };
#define FT_MIX_TABLES 3

struct ft_mix_metric {
    enum ft_mix_table table; /* in text */
    bool only_csv;
    char title[24], key[40];
    size_t offset_bytes; /* in struct ft_mix */
};
#define FT_MIX_METRICS_MAX (sizeof(struct ft_mix) / sizeof(uint64_t))

/* All of them, in table order; returns how many. */
size_t ft_mix_metrics(struct ft_mix_metric metrics[FT_MIX_METRICS_MAX]);

/* Whether a metric counts loads or stores, not instructions. */
static inline bool ft_mix_metric_is_of_accesses(const struct ft_mix_metric *metric)
{
    const size_t classes = offsetof(struct ft_mix, classes);
    return metric->table == FT_MIX_TABLE_MEMORY ||
           metric->offset_bytes == classes + FT_MIX_LOAD * sizeof(uint64_t) ||
           metric->offset_bytes == classes + FT_MIX_STORE * sizeof(uint64_t);
}

static inline uint64_t ft_mix_metric_of(const struct ft_mix *mix,
                                        const struct ft_mix_metric *metric)
{
    return *(const uint64_t *)((const char *)mix + metric->offset_bytes);
}

#endif
