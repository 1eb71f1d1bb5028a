/*
 * The code cache of a process: the zones of translated code within reach of the program's modules,
 * and the tables that find a translation by program counter or by cache address, and a stop by its
 * address.
 *
 * Cache memory is never reused while the program may still run in it: a forgotten translation's
 * code stays where it is, and threads that are in it leave it at its end. Its entry becomes a stop,
 * so that none comes in, however it got there, and later a jump to what came in its place. While
 * code may not run its translations are closed: their entries are stops, for as long.
 *
 * Of code that may change behind our back (checked_code.h) there may be several translations, each
 * of other bytes: versions. The first one is what is found by the program counter; each, where the
 * bytes are not its own, goes on to the next. One thread.
 */
#ifndef FT_TRACE_CAPTURE_CODE_CACHE_H
#define FT_TRACE_CAPTURE_CODE_CACHE_H

#include "formats/x86/log_plan.h"
#include "formats/x86/unit.h"
#include "trace-capture/processes/region.h"
#include "trace-capture/translation/emit_x86_64.h"
#include "trace-capture/translation/translation_table.h"

/* What translated code does: each program counter may have a translation of each mode, and threads
 * go from one mode to the other at clean points only (windows.h). */
enum ft_mode {
    FT_MODE_LOGGED,
    FT_MODE_UNLOGGED, /* outside of windows */
    FT_MODES
};

struct ft_zone {
    uint64_t address; /* in the target */
    uint8_t *host;    /* the same memory here */
    size_t bytes;
    size_t code_bytes;     /* used from the start */
    size_t constant_bytes; /* used from the end: return addresses for emitted pushes */
    struct ft_translation **translations; /* in order of address */
    size_t translation_count, translation_capacity;
};

/* A direct exit of a translation: a jump or branch that goes to a stub until its destination is
 * translated. A side exit leaves from inside the unit: its stub stays on the way, and makes the
 * record that of the unit's beginning (ft_unit_prefix), which is a unit of its own in the trace. */
struct ft_link {
    uint64_t target_pc;
    uint64_t field;        /* address of the 32-bit displacement */
    uint64_t stub;         /* FT_STUB_BYTES of room, an int3 first */
    uint32_t prefix;       /* side exits: id of that unit, 0 while there is none */
    uint16_t record_bytes; /* of its record; in unlogged code how far the count moves on */
    uint16_t slots;        /* in it */
    uint8_t instructions;  /* of it; 0: no side exit, or none at which anything is to be done */
    uint8_t uncounted;     /* instructions behind it that the unit has counted nevertheless */
    uint8_t left;          /* edge_counts.h: side exits: the instructions up to here */
    uint32_t node;         /* likewise: of the unit */
    uint32_t edge;         /* likewise: once linked */
    uint8_t counted_bytes; /* likewise: of the stub, behind which it has counted; 0: it does not */
    bool linked;
};
#define FT_STUB_BYTES 96U

struct ft_translation {
    struct ft_unit unit;
    struct ft_zone *zone;
    enum ft_mode mode;
    uint32_t node;         /* edge_counts.h, where edges are counted */
    bool flags_free;       /* likewise: what counts in front of it may change flags */
    uint8_t turn_register; /* likewise: of loops, that holds the counter of their turns */
    uint64_t entry; /* all program registers in place but r11, where that holds the pointer */
    uint64_t start; /* behind the stop that stands at the entry of some, else the entry */
    uint64_t end;
    uint64_t head, loop_exit; /* loops: start of each iteration; what runs after the last */
    uint64_t after_exit;      /* loops: the same once the record is closed */
    uint64_t syscall_at;      /* address of the copied syscall instruction, 0 without one */
    uint8_t pointer;          /* register that holds the log pointer inside: r11 or another; or in
                                 unlogged code the count, FT_NO_REGISTER where that does not count
                               */
    uint8_t count_register;   /* that holds the count at count_at, the instruction that may fault */
    uint64_t count_at;        /* instruction_count.h; 0: it does not count */
    bool counts_in_pointer;   /* unlogged code, in which `pointer` holds the count */
    uint64_t dispatch;        /* from here rax and rcx are spilled; 0: never */
    uint64_t body;            /* behind the check of the code's bytes; entry: there is none */
    uint64_t call_log, call_log_end;     /* the escape of a watched function's call; 0: none */
    uint64_t return_log, return_log_end; /* that of a return, or a stamp; both have the log pointer
                                            in r11 */
    bool no_loops;         /* and it is no loop because that was written while it ran */
    uint64_t changed;      /* what runs where they have changed (checked_code.h); 0: no check */
    struct ft_link *links; /* link_count; room for all that its instructions may need */
    unsigned link_count;
    int32_t *stack_delta; /* RSP before each instruction minus RSP at the start; FT_STACK_UNKNOWN */
    uint16_t *offsets;    /* where each instruction's code starts, its log stores first */
    uint16_t *looks; /* checked_loops.h: where the stop of the look in front of each instruction
                        is; 0: there is none */
    uint8_t *moved_bytes; /* of instructions copied as moved_operand.h says: of the copy; else 0 */
    /* all with an entry more than instructions, for the exit; in one piece of memory with links */
    bool has_landing;
    bool forgotten;
    bool is_closed;                      /* its code may not run now: the entry is a stop, too, */
    uint8_t open_entry;                  /* in the place of this byte */
    struct ft_translation *older;        /* translation_table.c: of the same pc */
    struct ft_translation *next_in_page; /* in the hash chain of its page */
    struct ft_translation *newer;        /* the next version */
    struct ft_translation *led_here;     /* forgotten ones whose entry jumps to this one, */
    struct ft_translation *next_led;     /* a list */
    uint8_t generation;                  /* paths: so many took each other's place */
    struct ft_translation *next_path;    /* paths: all that there are */
};
#define FT_STACK_UNKNOWN INT32_MIN
/* Whether an instruction is run by the host: its translation, of it alone, is a stop. */
static inline bool ft_translation_is_trap(const struct ft_instruction *instruction)
{
    return instruction->flow == FT_FLOW_TRAP || instruction->flow == FT_FLOW_INTERRUPT_RETURN;
}
void ft_translation_destroy(struct ft_translation *translation);

enum ft_stop_kind {
    FT_STOP_LINK,      /* an exit whose destination is not translated yet */
    FT_STOP_MISS,      /* an indirect destination without a landing; pc in rcx */
    FT_STOP_SYSCALL,   /* a system call that the host decides on */
    FT_STOP_VECTOR,    /* behind a system call that took a vector of buffers */
    FT_STOP_TRAP,      /* an instruction that raises a signal by itself, or iretq */
    FT_STOP_CHANGED,   /* code that is not what was translated */
    FT_STOP_REWRITTEN, /* the same in the midst of a loop */
    FT_STOP_CLOSED,    /* the entry of a translation that is forgotten or closed */
    FT_STOP_WINDOW,    /* the entry of a translation at which a window may open or close */
    FT_STOP_RETURN,    /* before a translation to which the function returns that opened one */
};

struct ft_stop {
    uint64_t address;                   /* of the int3 */
    uint8_t kind;                       /* enum ft_stop_kind */
    struct ft_translation *translation; /* all but misses and system calls */
    unsigned link;
};

/* Addresses of what system calls run that do not run at their own place. */
struct ft_syscall_routes {
    uint64_t stop, mask;
    uint64_t stamp, stamp_call,
        stamp_end;                    /* its syscall instruction, and what lies behind it all */
    uint64_t logged_call, logged_end; /* the same of those that are logged */
    uint64_t vector_call;             /* of those with a vector, which stop behind it */
};

struct ft_edge_counts;
struct ft_code_cache {
    struct ft_target *target;      /* a stopped thread, in whose name system calls are made */
    struct ft_region tables;       /* the first thread's region: its tables are those of all */
    struct ft_edge_counts *counts; /* NULL unless edges are counted */
    struct ft_zone **zones;
    size_t zone_count, zone_capacity;
    struct ft_translation_table by_pc[FT_MODES];
    struct ft_translation **by_page; /* hash chains, bucket_count */
    size_t bucket_count;
    struct ft_translation *paths; /* by next_path */
    struct ft_stop *stops;        /* open addressing by address */
    size_t stop_count, stop_slots;
    uint64_t miss_stub;
    struct ft_syscall_routes routes; /* syscall_routes.h */
};

/* Maps the first zone and region into the target, which must stand at its first instruction. */
int ft_code_cache_init(struct ft_code_cache *cache, struct ft_target *target,
                       struct ft_region *ret_region, struct ft_diag *diag);
void ft_code_cache_fini(struct ft_code_cache *cache);

/* ---- code_zones.c ---- */

/* The host's view of an address in the zones; NULL for any other. */
uint8_t *ft_code_cache_host(const struct ft_code_cache *cache, uint64_t address);
bool ft_code_cache_contains(const struct ft_code_cache *cache, uint64_t address);

/* A zone with room within reach of pc, made if need be. */
int ft_code_cache_zone(struct ft_code_cache *cache, uint64_t pc, struct ft_zone **ret_zone,
                       struct ft_diag *diag);
/* Emits at the zone's end of code; commit keeps what was emitted. */
struct ft_emitter ft_zone_emitter(const struct ft_zone *zone);
void ft_zone_commit(struct ft_zone *zone, const struct ft_emitter *emitter);
/* Address of eight bytes with this value inside the zone; 0 when the zone is full. */
uint64_t ft_zone_constant(struct ft_zone *zone, uint64_t value);

/* ---- code_cache.c ---- */

/* first: the first version where the translation is a later one, which is entered only once it is
 * opened; else NULL. */
int ft_code_cache_add(struct ft_code_cache *cache, struct ft_translation *translation,
                      struct ft_translation *first, struct ft_diag *diag);
/* No longer finds it by its pc, or as a version. */
void ft_code_cache_drop(struct ft_code_cache *cache, const struct ft_translation *translation);
/* Makes the version before it go on to the last one. */
void ft_code_cache_open_version(const struct ft_code_cache *cache, struct ft_translation *first);
struct ft_translation *ft_code_cache_find(const struct ft_code_cache *cache, enum ft_mode mode,
                                          uint64_t pc);
struct ft_translation *ft_code_cache_at(const struct ft_code_cache *cache, uint64_t address);
/* Looks at all translations of code in [start, end); gives how many were forgotten. */
enum ft_translation_fate { FT_TRANSLATION_KEEP, FT_TRANSLATION_CLOSE, FT_TRANSLATION_FORGET };
typedef enum ft_translation_fate ft_translation_judge(void *context,
                                                      const struct ft_translation *translation);
int ft_code_cache_revise(struct ft_code_cache *cache, uint64_t start, uint64_t end,
                         ft_translation_judge *fate_of, void *context, size_t *ret_forgotten,
                         struct ft_diag *diag);
/* Makes the entry of a forgotten translation a jump to the one in its place, if in reach. */
void ft_code_cache_replace(struct ft_code_cache *cache, struct ft_translation *forgotten,
                           struct ft_translation *by);
/* Forgets a translation in favour of a path from the same pc, which was added. */
int ft_code_cache_supersede(struct ft_code_cache *cache, struct ft_translation *old,
                            struct ft_translation *path, struct ft_diag *diag);

int ft_code_cache_add_stop(struct ft_code_cache *cache, const struct ft_stop *stop,
                           struct ft_diag *diag);
const struct ft_stop *ft_code_cache_stop(const struct ft_code_cache *cache, uint64_t address);

/* ---- code_links.c ---- */

/* What a side exit with its prefix logs before it goes on. */
void ft_emit_side_exit(struct ft_emitter *emitter, const struct ft_link *link);
/* Makes an exit go to code at an address within reach. */
void ft_code_cache_lead(struct ft_code_cache *cache, struct ft_link *link, uint64_t address);
/* Makes an exit go straight to a translation; a side exit must have its prefix. */
void ft_code_cache_link(struct ft_code_cache *cache, struct ft_link *link,
                        const struct ft_translation *to);
/* The same where it is linked already, and its edge has got or lost its counter. No thread runs. */
void ft_code_cache_link_anew(struct ft_code_cache *cache, struct ft_link *link,
                             const struct ft_translation *to);

/* ---- landings.c ---- */

/* Makes all indirect jumps stop. */
void ft_code_cache_reset_landings(struct ft_code_cache *cache);
/* A landing for those whose rcx is `key`, that goes on behind itself, rax and rcx still in the
 * context; it lands once it is set. */
void ft_emit_landing(struct ft_code_cache *cache, struct ft_emitter *emitter, enum ft_mode mode,
                     uint64_t key);
void ft_emit_landed(struct ft_emitter *emitter);
void ft_code_cache_set_landing(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t source, uint64_t landing);
/* The same for what was put right in front of a translation that is new. */
int ft_code_cache_land_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                uint32_t source, uint64_t landing, struct ft_diag *diag);
/* Makes indirect jumps to a translation's pc arrive at it. */
int ft_code_cache_land(struct ft_code_cache *cache, struct ft_translation *translation,
                       struct ft_diag *diag);
/* Makes those from the node of `edge` arrive at it, counted. */
int ft_code_cache_land_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t edge, struct ft_diag *diag);
/* Makes them stop (FT_STOP_RETURN) instead, from where the host sends them on. */
int ft_code_cache_land_at_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                               struct ft_diag *diag);

#endif
