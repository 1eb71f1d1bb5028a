/*
 * What a translator works with: where it reads code, where it puts translations, what it is told.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATOR_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATOR_H

#include "trace-capture/translate/cache_state.h"

struct ft_watched_functions;

/* Returns the code at pc in the host's memory, *ret_count bytes of it (at least one unit's worth
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
    bool timestamps;       /* behind what is atomic (timestamps.h) */
    bool counts[FT_MODES]; /* the code counts its instructions (instruction_count.h) */
};

/* Where a translation is entered from, first of all (one of these): what is run on that way stands
 * right in front of it. */
struct ft_way_in {
    struct ft_link *side_exit;            /* one that leads there: it is linked */
    bool is_indirect;                     /* it gets an indirect target, */
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

#endif
