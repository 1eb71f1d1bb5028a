/*
 * The translator: a unit of the program's code becomes a copy in the code cache that does the same
 * and logs what its plan asks for (formats/x86/log_plan.h). Inner loops log at entry and exit only.
 *
 * Inside a translation the program's registers hold the program's values, but for one that holds
 * the log pointer: r11, or where the unit itself uses r11 a register that it leaves alone. What is
 * translated to run unlogged is only the copy, and holds the program's values in all registers; or
 * where it counts its instructions, the count in the place of the log pointer.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_H
#define FT_TRACE_CAPTURE_TRANSLATE_H

#include "trace-capture/modules/watched_functions.h"
#include "trace-capture/translation/code_cache.h"

/* Gives the code at pc in the host's memory, *ret_count bytes of it (at least one unit's worth
 * where mapped), and whether it may change unseen; NULL where nothing executable is. The memory
 * lives until the next call. */
typedef const uint8_t *ft_code_reader(void *context, uint64_t pc, size_t *ret_count,
                                      bool *ret_may_change);

struct ft_translator {
    struct ft_code_cache *cache;
    ft_code_reader *read_code;
    void *read_context;
    /* called once for each new unit, which must get its module there, and if it is logged its id */
    int (*unit_added)(void *context, enum ft_mode mode, struct ft_unit *unit, struct ft_diag *diag);
    void *unit_context;
    const struct ft_watched_functions *watched; /* whose calls are logged */
    /* whether the code at pc (`bytes` of it) must begin a translation of its own, with a stop of
     * kind FT_STOP_WINDOW; may be NULL */
    bool (*is_window_stop)(void *context, enum ft_mode mode, uint64_t pc, const uint8_t *code,
                           size_t bytes);
    void *window_context;
    bool stamps;           /* behind what is atomic (stamps.h) */
    bool counts[FT_MODES]; /* the code counts its instructions (instruction_count.h) */
};

/* Where a translation is entered from, first of all (one of these): what is run on that way stands
 * right in front of it. */
struct ft_way_in {
    struct ft_link *side_exit;            /* one that leads there: it is linked */
    bool is_indirect;                     /* it gets a landing, */
    uint32_t source;                      /* where edges are counted for those of this node */
    struct ft_translation *first_version; /* of the pc, where its code has changed since */
    bool no_loops;                        /* its code is written while it runs as a loop */
};

/* Units that stand one behind the other, each falling through to the next. */
#define FT_CHAIN_MAX 8U
struct ft_chain {
    struct ft_translation *units[FT_CHAIN_MAX];
    size_t count;
};

/* Translates the unit at pc, and those that it runs into. The way in may be NULL. Where the program
 * has no code at pc: FT_ERROR_DATA; where its code cannot be captured: FT_ERROR_UNSUPPORTED with
 * the reason. */
int ft_translate_chain(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                       const struct ft_way_in *way_in, struct ft_chain *ret_chain,
                       struct ft_diag *diag);
/* The same, and what the program may run soon after them (ahead.h); gives the first. */
int ft_translate(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                 const struct ft_way_in *way_in, struct ft_translation **ret_first,
                 struct ft_diag *diag);

/* Translates a path, which it takes over (formats/x86/log_plan.h); exits that lead to its start
 * lead to it from now on. */
int ft_translate_path(struct ft_translator *translator, struct ft_unit *path,
                      struct ft_translation **ret_translation, struct ft_diag *diag);

/* Gives a side exit its prefix, if it logs and has none yet. */
int ft_translate_prefix(struct ft_translator *translator, const struct ft_translation *translation,
                        struct ft_link *link, struct ft_diag *diag);

/* Where execution of a translation stands: the instruction whose code contains `address`, or
 * instruction_count at the exit. */
unsigned ft_translation_instruction(const struct ft_translation *translation, uint64_t address);
/* Where the copy of an instruction that is no branch stands, behind its log stores. */
uint64_t ft_translation_copy(const struct ft_translation *translation, unsigned index);

#endif
