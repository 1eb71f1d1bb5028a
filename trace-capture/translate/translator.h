/*
 * What a translator works with: the reader of code, the code cache, and what calls it back.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATOR_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATOR_H

#include "trace-capture/translate/cache_state.h"

struct ft_watched_functions;

/* Returns the code at pc in the host's memory, *ret_count bytes of it (at least one unit's worth,
 * as far as mapped), and whether it may change unseen; NULL if nothing executable is there. The
 * memory is valid until the next call. */
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
    bool timestamps;       /* after what is atomic (timestamps.h) */
    bool counts[FT_MODES]; /* the code counts its instructions (instruction_count.h) */
};

/* From where a new translation is entered first (one of these). The code that leads into it from
 * there is put right before it. */
struct ft_origin {
    struct ft_link *side_exit;            /* a side exit that leads there: it is linked */
    bool is_indirect;                     /* an indirect branch: it gets an indirect target, */
    uint32_t source;                      /* if edges are counted, for branches of this node */
    struct ft_translation *first_version; /* of the pc, if its code has changed since */
    bool no_loops;                        /* its code is written while it runs as a loop */
};

/* Consecutive units, each falling through to the next. */
#define FT_CHAIN_MAX 8U
struct ft_chain {
    struct ft_translation *units[FT_CHAIN_MAX];
    size_t count;
};

#endif
