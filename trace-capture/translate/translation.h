/*
 * A translation: the copy of one unit of the program's code, with its exits, in a zone of the code
 * cache.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATION_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATION_H

#include "formats/x86/log_plan.h"
#include "formats/x86/unit.h"

/* What translated code does. Each program counter may have a translation in each mode, and threads
 * change their mode at clean points only (windows.h). */
enum ft_mode {
    FT_MODE_LOGGED,
    FT_MODE_UNLOGGED, /* outside of windows */
    FT_MODES
};

struct ft_zone {
    uint64_t address; /* in the target */
    uint8_t *host;    /* the same memory in the host */
    size_t bytes;
    size_t code_bytes;     /* used from the start */
    size_t constant_bytes; /* used from the end: return addresses for emitted pushes */
    struct ft_translation **translations; /* in order of address */
    size_t translation_count, translation_capacity;
};

/* A direct exit of a translation: a jump or branch that goes to a stub until its target is
 * translated. A side exit leaves from inside the unit: its stub remains in use, and turns the
 * record into that of the unit's prefix (ft_unit_prefix), which is a unit of its own in the
 * trace. */
struct ft_link {
    uint64_t target_pc;
    uint64_t field;        /* address of the 32-bit displacement */
    uint64_t stub;         /* FT_STUB_BYTES of room, an int3 first */
    uint32_t prefix;       /* side exits: id of that unit, 0 while there is none */
    uint16_t record_bytes; /* of its record; in unlogged code by how much the count advances */
    uint16_t slots;        /* in it */
    uint8_t instructions;  /* of the prefix; 0: no side exit, or one that has nothing to do */
    uint8_t uncounted;     /* instructions after it that the unit has counted already */
    uint8_t left;          /* edge_counts.h: side exits: the instructions up to here */
    uint32_t node;         /* likewise: of the unit */
    uint32_t edge;         /* likewise: once linked */
    uint8_t
        counted_bytes; /* likewise: of the stub, up to where it has counted; 0: it does not count */
    bool linked;
};
#define FT_STUB_BYTES 96U

struct ft_translation {
    struct ft_unit unit;
    struct ft_zone *zone;
    enum ft_mode mode;
    uint32_t node;              /* edge_counts.h, where edges are counted */
    bool flags_free;            /* likewise: code that counts before it may change flags */
    uint8_t iteration_register; /* likewise: of loops, that holds the counter of their iterations */
    uint64_t
        entry; /* all registers hold the program's values except r11 if it holds the log pointer */
    uint64_t start; /* after the stop at the entry, if there is one; else the entry */
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
    uint64_t body;            /* after the check of the code's bytes; entry: there is none */
    uint64_t call_log, call_log_end;     /* where a watched function's call is logged; 0: nowhere */
    uint64_t return_log, return_log_end; /* where a return, or a timestamp, is logged; in both the
                                            log pointer is in r11 */
    bool no_loops;    /* not a loop, because its code was written while it ran as one */
    uint64_t changed; /* what runs if the code's bytes have changed (checked_code.h); 0: no check */
    struct ft_link *links; /* link_count; room for all that its instructions may need */
    unsigned link_count;
    int32_t *stack_delta; /* RSP before each instruction minus RSP at the start; FT_STACK_UNKNOWN */
    uint16_t *offsets;    /* where each instruction's code starts, with its log stores */
    uint16_t *checks;     /* checked_loops.h: the offset of the stop of the check before each
                             instruction; 0: none */
    uint8_t *
        moved_bytes; /* length of the copy of instructions copied as moved_operand.h says; else 0 */
    /* each table has one more entry than instructions, for the exit; in one piece of memory with
     * links */
    bool has_indirect_target;
    bool is_call_stop;    /* the entry is a stop at a function of MPI */
    bool has_return_stop; /* that target is a stop */
    bool forgotten;
    bool is_closed;                         /* its code may not run now: the entry is a stop */
    uint8_t open_entry;                     /* instead of this byte */
    struct ft_translation *older;           /* translation_table.c: of the same pc */
    struct ft_translation *next_in_page;    /* in the hash chain of its page */
    struct ft_translation *newer;           /* the next version */
    struct ft_translation *redirected_here; /* forgotten ones whose entry jumps to this one: */
    struct ft_translation *next_redirected; /* a list */
    uint8_t generation;                     /* paths: how many have replaced one another */
    struct ft_translation *next_path;       /* paths: the list of all */
};
#define FT_STACK_UNKNOWN INT32_MIN
/* Whether the host runs the instruction: its translation, a unit of its own, is a stop. */
static inline bool ft_translation_is_trap(const struct ft_instruction *instruction)
{
    return instruction->flow == FT_FLOW_TRAP || instruction->flow == FT_FLOW_INTERRUPT_RETURN;
}
void ft_translation_destroy(struct ft_translation *translation);

/* The instruction whose code contains `address`; instruction_count at the exit. */
unsigned ft_translation_instruction(const struct ft_translation *translation, uint64_t address);
/* The address of the copy of an instruction that is not a branch, after its log stores. */
uint64_t ft_translation_copy(const struct ft_translation *translation, unsigned index);

/* Whether an instruction uses r11: paths hide the log pointer from it. */
bool ft_translation_uses_r11(const struct ft_unit *unit, unsigned index);
#define FT_HIDE_R11_BYTES 18U /* of code */

#endif
