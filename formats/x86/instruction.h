/*
 * One decoded x86-64 instruction, as far as traces need it: where it goes, what memory it touches
 * and what class of work it is. Decoding is Zydis's (Capstone 4.0.2 gets AVX-512 operands wrong);
 * a small table on top mends what static tables cannot know (docs/trace-format.md, "accesses").
 *
 * Accesses come in the order of execution: the loads of an instruction before its stores.
 * One access per lane for gathers, scatters and masked vectors, one per element for string
 * instructions. Pure functions, thread safe.
 */
#ifndef FT_FORMATS_X86_INSTRUCTION_H
#define FT_FORMATS_X86_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "formats/base/status.h"

/* Registers that addresses are made of: the 16 general ones in the order of their encoding, then
 * the bases of the FS and GS segments. */
enum ft_register {
    FT_RAX,
    FT_RCX,
    FT_RDX,
    FT_RBX,
    FT_RSP,
    FT_RBP,
    FT_RSI,
    FT_RDI,
    FT_R8,
    FT_R9,
    FT_R10,
    FT_R11,
    FT_R12,
    FT_R13,
    FT_R14,
    FT_R15,
    FT_FS_BASE,
    FT_GS_BASE,
    FT_REGISTER_COUNT,
    FT_NO_REGISTER = 0xff
};

enum ft_access_kind {
    FT_LOAD,
    FT_STORE,
    FT_STORE_NONTEMPORAL,
    FT_PREFETCH, /* kept apart: not an access in counts, histograms and misses */
    FT_FETCH,    /* of the instruction itself: not in traces, only in runs that are asked for it */
};

/* "load", "store", "store_nt", "prefetch", "fetch": in what is written as text as text and tools.
 */
extern const char *const ft_access_kind_names[FT_FETCH + 1];

enum ft_access_mode {
    FT_ACCESS_PLAIN,  /* one access at base + index*scale + displacement (+ FS base) */
    FT_ACCESS_MASKED, /* element i at address + i*size, i < elements, is accessed where a lane j of
                         the mask with j % elements = i is active (a broadcast: elements 1) */
    FT_ACCESS_PACKED, /* as many elements as the mask has active lanes, one behind the other
                         (compress, expand) */
    FT_ACCESS_GATHER, /* one for each active lane, at base + lane index*scale + displacement */
    FT_ACCESS_STRING, /* `rcx` times (once without a rep prefix), moving by size, down if DF = 1;
                         a count in ecx where address_is_32_bit. The accesses of an instruction
                         take turns, element by element */
    FT_ACCESS_BIT,    /* one at address + size * floor(bit offset / (8*size)); the bit offset is
                         the low size bytes of register bit_offset, signed (bt, bts, btr, btc) */
    FT_ACCESS_TABLE,  /* one at base + low byte of index (xlat) */
    FT_ACCESS_LOGGED, /* one at the address that `slot` of its unit logs (references without code)
                       */
};

struct ft_access {
    uint8_t kind;           /* enum ft_access_kind */
    uint8_t mode;           /* enum ft_access_mode */
    uint8_t base, index;    /* enum ft_register or FT_NO_REGISTER; RIP-relative addresses are
                               folded into the displacement, and so is what push and pop do to RSP
                               before they use it: registers are those before the instruction */
    uint8_t scale;          /* of index, and of the lane indices of a gather */
    uint8_t bit_offset;     /* FT_ACCESS_BIT: enum ft_register; else FT_NO_REGISTER */
    bool fs, gs;            /* the base of that segment is added */
    bool address_is_32_bit; /* the sum (without that base) is truncated to 32 bits */
    uint8_t lanes;          /* masked, packed, gather: lanes of the mask; else 1 */
    uint8_t elements;       /* masked: elements in memory; else lanes */
    uint8_t mask_register;  /* k1-k7 where mask_is_k, bit i for lane i; else the vector register
                               where the sign bit of element i of size_bytes selects (vmaskmov,
                               maskmovdqu, AVX2 gathers); 0xff: all lanes */
    bool mask_is_k;
    uint8_t mask_bytes;   /* 8 for k registers, 16 or 32 for vectors, 0 without a mask */
    uint8_t vector_index; /* gather: the vector register that holds the lane indices */
    uint8_t index_bytes;  /* gather: 4 or 8, bytes of a lane's index, which is signed */
    uint8_t vector_bytes; /* gather: bytes of the index vector, 16, 32 or 64; else 0 */
    uint16_t slot;        /* FT_ACCESS_LOGGED: number of the slot; else 0 */
    uint32_t size_bytes;  /* of one access */
    int64_t displacement;
};

#define FT_ACCESSES_MAX 3

enum ft_flow {
    FT_FLOW_NEXT,   /* goes on to the next instruction */
    FT_FLOW_BRANCH, /* conditional, direct */
    FT_FLOW_JUMP,   /* unconditional, direct */
    FT_FLOW_JUMP_INDIRECT,
    FT_FLOW_CALL,
    FT_FLOW_CALL_INDIRECT,
    FT_FLOW_RETURN,
    FT_FLOW_SYSCALL,
    FT_FLOW_INTERRUPT_RETURN, /* iretq: to where five words on the stack say, which also give RSP
                                 and RFLAGS; in traces escapes behind it tell these */
    FT_FLOW_TRAP,             /* ud2, int3, hlt, privileged: raises a signal */
    FT_FLOW_UNKNOWN,          /* its code is not known (reference_unit.h) */
};

/* Generic classes of work (Marin & Mellor-Crummey 2004, section 3: generic RISC classes). */
enum ft_mix_class {
    FT_MIX_INTEGER,
    FT_MIX_INTEGER_MULTIPLY,
    FT_MIX_INTEGER_DIVIDE,
    FT_MIX_LOAD,
    FT_MIX_STORE,
    FT_MIX_BRANCH,
    FT_MIX_FP_ADD,
    FT_MIX_FP_MULTIPLY,
    FT_MIX_FP_FMA,
    FT_MIX_FP_DIVIDE,
    FT_MIX_VECTOR_INTEGER,
    FT_MIX_MOVE,
    FT_MIX_OTHER,
    FT_MIX_COUNT
};
/* "fp_add" and so on: the names used in machine files, JSON and tables. */
extern const char *const ft_mix_class_names[FT_MIX_COUNT];

/* Types of number that are computed with. */
enum ft_number_type {
    FT_F16,
    FT_BF16,
    FT_F32,
    FT_F64,
    FT_X87, /* 80 bits, whatever is in memory */
    FT_I8,
    FT_I16,
    FT_I32,
    FT_I64,
    FT_NUMBER_TYPES,
    FT_NO_NUMBER = FT_NUMBER_TYPES, /* no operation is counted */
};
extern const char *const ft_number_type_names[FT_NUMBER_TYPES]; /* "f16", ..., "i64" */

/* Scalars, and bits of the vector that is worked on. */
enum ft_operation_width {
    FT_WIDTH_SCALAR,
    FT_WIDTH_64,
    FT_WIDTH_128,
    FT_WIDTH_256,
    FT_WIDTH_512,
    FT_OPERATION_WIDTHS
};
extern const char *const ft_operation_width_names[FT_OPERATION_WIDTHS]; /* "scalar", "64", ... */

struct ft_instruction {
    uint64_t pc;
    uint64_t target; /* of direct branches, jumps and calls */
    uint8_t length;
    uint8_t flow;            /* enum ft_flow */
    uint8_t mix_class;       /* of the operation itself: MOVE for a plain move, load or store. Its
                                accesses count as FT_MIX_LOAD and FT_MIX_STORE besides */
    uint8_t number_type;     /* enum ft_number_type, of what it computes */
    uint8_t operation_width; /* enum ft_operation_width */
    bool masked;             /* lanes are left out as a mask register says */
    uint8_t access_count;
    uint16_t operations; /* additions and the like on numbers of that type, all lanes, those that
                            a mask leaves out too */
    uint32_t registers_read; /* bit per enum ft_register (segment bases too), implicit operands and
                                address registers included; a narrow write also reads */
    uint32_t registers_written; /* likewise; a conditional write counts as read and write; a system
                                   call writes rax, rcx, r11 */
    bool accesses_only;   /* of a unit without code: stands for accesses, not for an execution */
    bool rep;             /* string instruction with rep, repe or repne */
    bool rep_conditional; /* repe or repne cmps or scas: rcx at the end tells how far it came */
    bool unsupported;     /* its accesses or effect cannot be told: nested enter, far transfers,
                             int 0x80, transactions, AMX, changes of FS or GS selectors, and what
                             few do with GS: strings, gathers, branches, 32-bit addresses. A capture
                             ends before it; accesses are not listed */
    struct ft_access accesses[FT_ACCESSES_MAX];
};

/* Its floating-point operations, all lanes; a fused multiply-add is two a lane. */
static inline unsigned ft_instruction_flops(const struct ft_instruction *instruction)
{
    return instruction->number_type <= FT_X87 ? instruction->operations : 0;
}

/* Decodes the instruction at code[0..length) that runs at pc. FT_ERROR_DATA where the code ends
 * within the instruction, FT_ERROR_UNSUPPORTED where the bytes are no known instruction. */
int ft_instruction_decode(const uint8_t *code, size_t length, uint64_t pc,
                          struct ft_instruction *ret_instruction, struct ft_diag *diag);

/* The same, and Zydis's own view for the translator and the register simulation. */
int ft_instruction_decode_full(const uint8_t *code, size_t length, uint64_t pc,
                               struct ft_instruction *ret_instruction,
                               ZydisDecodedInstruction *ret_decoded,
                               ZydisDecodedOperand ret_operands[ZYDIS_MAX_OPERAND_COUNT],
                               struct ft_diag *diag);

/* The address of a plain, bit or table access, and of the first element of a masked, packed or
 * string one, from the registers before the instruction, indexed by enum ft_register. */
uint64_t ft_access_address(const struct ft_access *access,
                           const uint64_t registers[FT_REGISTER_COUNT]);

/* Bytes that xsave and xsavec write on the host of this process; traces record the capture
 * host's, readers set them before decoding. AMX tiles are left out; xrstor is taken to read the
 * compact form. Not thread safe: set once at start. */
struct ft_xsave_sizes {
    uint32_t standard_bytes;
    uint32_t compact_bytes;
};
extern struct ft_xsave_sizes ft_xsave_sizes;
void ft_xsave_sizes_from_host(void);

/* movsxd with a 16-bit operand reads 2 bytes on Intel's processors, 4 on AMD's: set likewise, from
 * the processor's name as in /proc/cpuinfo. */
void ft_decode_for_processor(const char *name);

#endif
