/*
 * The unit: straight-line code with one entry, the grain of the trace; branches inside were not
 * taken. A path is a unit that goes on where its branches, calls and returns led: its instructions
 * stand one after another as they ran, in pieces of code. A plan says which values a captured
 * program logs each time a unit runs; everything else that an address needs is computed again from
 * the unit's instructions (known_registers.h). The plan is stored with the unit, so that later
 * planners can log less without making old traces unreadable.
 *
 * Raw record, as the captured program writes it (little-endian, no padding):
 *     plain, path:  u32 id | values of slots[0 .. slot_count)
 *     loop:        u32 id | u64 end word | values of the entry slots | for each iteration, values
 *                  of the other slots
 *     escape:      u32 0  | u32 kind (enum ft_escape) | payload
 * A slot's value is size_bytes long. The end word of a loop gives its iteration count:
 *     FT_COUNT_INDUCTION  the final value of the induction register
 *     FT_COUNT_COUNTER    the count itself
 *     FT_COUNT_VALUES     the bytes of the record up to the end of the last iteration's values
 * A loop is a unit whose last instruction is a conditional branch to its own start; its record
 * stands for all iterations from entry to exit, and has none where it was closed at the loop head.
 *
 * A loop path is a path that comes back to its start: a loop of several blocks. Where a further
 * iteration left it inside, the record is that of another unit, the same loop left early: the same
 * definition and how far that iteration came, whose values stand behind those of the complete
 * iterations.
 *
 * References without code, of imported traces, have units too: see reference_unit.h.
 *
 * The direction flag is part of a thread's state, as RSP is: only std, cld, popf (which logs the
 * word it loads) and the kernel (which an escape tells) change it.
 */
#ifndef FT_FORMATS_X86_UNIT_H
#define FT_FORMATS_X86_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"
#include "formats/x86/instruction.h"

#define FT_UNIT_INSTRUCTIONS_MAX 64
#define FT_UNIT_BYTES_MAX        512
#define FT_UNIT_SLOTS_MAX        320
/* Of paths; arrays for any unit have room for these. */
#define FT_PATH_INSTRUCTIONS_MAX 255
#define FT_PATH_BYTES_MAX        2048

/* A repeated string instruction makes an access for each so many aligned bytes that an operand of
 * it touches, like the vectors with which others do the same work (string_granules.h). */
#define FT_STRING_GRANULE_BYTES 32

enum ft_slot_kind {
    FT_SLOT_REGISTER, /* source: enum ft_register */
    FT_SLOT_VECTOR,   /* source: number of the xmm, ymm or zmm register */
    FT_SLOT_MASK,     /* source: k0-k7 */
    FT_SLOT_FLAGS,   /* RFLAGS that the popf at `instruction` is about to load: the word at [rsp] */
    FT_SLOT_ADDRESS, /* the address of an access of `instruction`, in a unit without code */
};

struct ft_slot {
    uint8_t kind;
    uint8_t source;
    uint8_t size_bytes; /* registers 4 (upper half known to be zero) or 8; masks 8; vectors 16-64 */
    uint8_t instruction; /* the value is the one just before this instruction of the unit;
                            instruction_count: after the last, which then is no branch */
};

/* A piece of a path's code but the first: from this instruction on. */
struct ft_unit_piece {
    uint32_t module;
    uint8_t first;
};

enum ft_unit_kind {
    FT_UNIT_PLAIN,
    FT_UNIT_LOOP,
    FT_UNIT_REFERENCES,
    FT_UNIT_PATH,
    FT_UNIT_LOOP_PATH
};
/* Beside the kind in a unit's definition: has_granules. */
#define FT_UNIT_GRANULES 0x80

enum ft_count_source { FT_COUNT_NONE, FT_COUNT_INDUCTION, FT_COUNT_COUNTER, FT_COUNT_VALUES };

struct ft_unit {
    uint32_t id;     /* from 1, in order of translation */
    uint32_t module; /* index into the trace's modules, or FT_NO_MODULE */
    uint64_t pc;
    uint8_t kind;               /* enum ft_unit_kind */
    bool has_granules;          /* has repeated string instructions, which make an access for each
                                   granule; without it each element is one, as in early traces */
    uint8_t count_source;       /* enum ft_count_source */
    uint8_t induction_register; /* FT_COUNT_INDUCTION: one with an entry slot of 8 bytes, which is
                                   its first value */
    int64_t induction_stride;   /* its change an iteration, never 0 */
    uint16_t code_bytes;
    uint8_t instruction_count;
    uint16_t slot_count;          /* all slots */
    uint16_t entry_slot_count;    /* loops: those logged once at entry come first; plain: all */
    uint8_t *code;                /* code_bytes, owned; FT_UNIT_REFERENCES: a table in its place;
                                     FT_UNIT_PATH: its pieces, one behind the other */
    struct ft_slot *slots;        /* slot_count, owned, in order of logging */
    uint32_t beginning_of;        /* paths: the path whose first instructions these are; loop paths:
                                     the one that is left early here; 0: none */
    struct ft_unit_piece *pieces; /* piece_count, owned, ascending; of both kinds of paths only */
    uint8_t piece_count;
    uint8_t last_iteration_instructions; /* left early: executed in the last iteration; else 0 */
    uint16_t last_iteration_slots; /* and how many of the slots behind the entry slots it logged */
    bool shares_memory;            /* code, slots, pieces and instructions are another unit's */
    struct ft_instruction *instructions; /* instruction_count, owned, decoded from code */
};
#define FT_NO_MODULE UINT32_MAX

enum ft_escape {
    FT_ESCAPE_STACK =
        1,             /* u64: RSP set by the kernel (signal handler entered, sigreturn) or iretq */
    FT_ESCAPE_PARTIAL, /* u32 unit, u32 instructions: the unit named ran only its first
                          `instructions` instructions (once); then the values of its slots with
                          slot.instruction <= instructions, entry slots included */
    FT_ESCAPE_EVENT,   /* u64: sequence number of an entry of the event stream that happened here */
    FT_ESCAPE_TIMESTAMP, /* u64: timestamp counter */
    FT_ESCAPE_FS_BASE,   /* u64: the FS base from here on */
    FT_ESCAPE_DIRECTION, /* u64: 1 where the direction flag is set from here on, else 0 (the kernel
                            clears it for a signal handler, sigreturn brings it back) */
    FT_ESCAPE_KERNEL,    /* u64 each: number of a system call that was just made, address and length
                            that it was given, its result (kernel_calls.h) */
    FT_ESCAPE_CALL,   /* u64 number of a library function << 3 | number of arguments; so many u64:
                         a call begins (library_calls.h) */
    FT_ESCAPE_RETURN, /* u64: RAX, behind a return that may be of one */
    FT_ESCAPE_DETAIL, /* u64 n (low 6 bits); n u64: pairs of a key and a value that describe the
                         innermost call (mpi_functions.h) */
    FT_ESCAPE_END
};
#define FT_ESCAPE_FIELDS_MAX 64U
/* How many u64 an escape other than PARTIAL carries, of which the first is given. */
static inline unsigned ft_escape_fields(uint32_t escape, uint64_t first)
{
    return escape == FT_ESCAPE_KERNEL   ? 4
           : escape == FT_ESCAPE_CALL   ? 1 + (unsigned)(first & 7)
           : escape == FT_ESCAPE_DETAIL ? 1 + (unsigned)(first & 63)
                                        : 1;
}

void ft_unit_fini(struct ft_unit *unit);

/* The code of one of the unit's instructions, of `length` bytes. */
const uint8_t *ft_unit_code(const struct ft_unit *unit, const struct ft_instruction *instruction);

/* Whether the unit has repeated string instructions. */
bool ft_unit_repeats_strings(const struct ft_unit *unit);

/* Whether an access of the unit is made by granules: two references then, that of granules touched
 * in part, of the size of an element, and that of whole ones. */
static inline bool ft_unit_access_has_granules(const struct ft_unit *unit,
                                               const struct ft_instruction *instruction,
                                               const struct ft_access *access)
{
    return unit->has_granules && instruction->rep && access->mode == FT_ACCESS_STRING;
}

/* How many references an access of the unit is; prefetches are none. */
static inline unsigned ft_unit_access_references(const struct ft_unit *unit,
                                                 const struct ft_instruction *instruction,
                                                 const struct ft_access *access)
{
    return access->kind == FT_PREFETCH                              ? 0
           : ft_unit_access_has_granules(unit, instruction, access) ? 2
                                                                    : 1;
}

/* The module that the index-th instruction is in: that of its piece. */
uint32_t ft_unit_module(const struct ft_unit *unit, unsigned index);

/* What all readers of units share. */
static inline bool ft_unit_is_loop(const struct ft_unit *unit)
{
    return unit->kind == FT_UNIT_LOOP || unit->kind == FT_UNIT_LOOP_PATH;
}
static inline bool ft_unit_is_path(const struct ft_unit *unit)
{
    return unit->kind == FT_UNIT_PATH || unit->kind == FT_UNIT_LOOP_PATH;
}
/* How many instructions ran when the unit ran last in a record. */
static inline unsigned ft_unit_last_execution_instructions(const struct ft_unit *unit)
{
    return unit->last_iteration_instructions ? unit->last_iteration_instructions
                                             : unit->instruction_count;
}

/* The first `instruction_count` instructions of a plain unit or path as a unit (id 0) with the
 * first `slot_count` slots, none of which stands behind them: what ran where the unit was left
 * there. Of a loop path: the loop left early there. It shares the unit's memory, and must not
 * outlive it. */
struct ft_unit ft_unit_prefix(const struct ft_unit *unit, unsigned instruction_count,
                              unsigned slot_count);
/* Slots that are logged before the last of so many instructions has run: what a branch logged by
 * which the unit is left. */
unsigned ft_unit_slots_before(const struct ft_unit *unit, unsigned instruction_count);

/* Where a loop goes on behind its last iteration, unless it was left inside; 0: nowhere. */
uint64_t ft_unit_loop_exit(const struct ft_unit *unit);

/* Whether an instruction branches to where registers or memory say: a path foretells it. */
bool ft_is_predicted(const struct ft_instruction *instruction);
/* Whether a path may go on at `pc` behind an instruction. */
bool ft_path_may_go_on(const struct ft_instruction *instruction, uint64_t pc);

/* A slot's value takes this many entries of ft_record.values. */
static inline unsigned ft_slot_words(const struct ft_slot *slot)
{
    return slot->size_bytes > 8 ? slot->size_bytes / 8U : 1;
}

/* Entries of ft_record.values that a record of so many iterations has (a plain unit's has 1). */
uint64_t ft_unit_value_count(const struct ft_unit *unit, uint64_t iterations);
/* Those of them that stand behind the iterations: of the last iteration that left a loop early. */
uint64_t ft_unit_last_iteration_words(const struct ft_unit *unit);

/* The unit's definition as it stands in CODE chunks (formats/expand/unit_reading.h reads it). */
void ft_unit_write(const struct ft_unit *unit, struct ft_bytes *bytes);

#endif
