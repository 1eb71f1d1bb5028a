/*
 * The region that host and target share for each thread: the thread's GS points at its start, so
 * that emitted code reaches everything in it without a register. The tables in the middle are the
 * same memory in all regions of a process.
 *
 *     offset          what
 *     0               struct ft_context: spilled registers, the program's r11, ...
 *     0x1000          tables: one byte per system call number (low 16 bits): 0 runs at full speed
 *     0x11000         where the other classes of system calls go
 *     0x11800         one byte per low byte of a protection: 1 where PROT_EXEC is in it
 *     0x11900         one byte per low byte of mmap's flags: 1 where MAP_FIXED is in it
 *     0x12000         table of indirect targets: code address per low 16 bits of an indirect target
 *     0x92000         the same for unlogged code
 *     0x112000        one byte per 64 KiB, by bits 16 to 31 of the address: 1 where there is code
 *     0x122000        the log buffer, and behind it memory that the target may not write
 *     0x222000        where edges are counted: the counters (edge_counts.h)
 */
#ifndef FT_TRACE_CAPTURE_TARGET_CONTEXT_H
#define FT_TRACE_CAPTURE_TARGET_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

/* Fields are read and written by emitted code at their offsets from GS. */
struct ft_context {
    uint64_t spill_rax, spill_rcx;
    uint64_t spill_pointer; /* the program's value of the register that holds the log pointer */
    uint64_t program_r11;   /* r11 is the log pointer: this is the program's */
    uint64_t program_gs;    /* GS points here: this is the program's base */
    uint64_t log_pointer;   /* saved around system calls, which clobber r11, and in unlogged code */
    uint64_t loop_record;   /* address of the open loop record, where the loop needs it */
    uint64_t syscall_return; /* where a stopped system call goes on */
    uint64_t spill_rdi, spill_rsi, spill_rdx, spill_r10;
    uint64_t signal_mask;   /* the program's blocked signals, kept by the rt_sigprocmask path */
    uint64_t spill_scratch; /* for operands out of reach of RIP */
    uint64_t address;       /* of this structure, in the target */
    uint64_t call_number, call_address, call_length; /* of a system call that is being logged */
    uint64_t count_pointer;                          /* instruction_count.h */
    uint64_t source; /* edge_counts.h: the node of the last indirect jump, or call, or return */
};

#define FT_CONTEXT(field)          ((uint32_t)offsetof(struct ft_context, field))
#define FT_TABLES                  0x1000U
#define FT_SYSCALL_CLASSES         0x1000U
#define FT_SYSCALL_ROUTES          0x11000U
#define FT_PROTECTION_CLASSES      0x11800U
#define FT_FIXED_CLASSES           0x11900U
#define FT_INDIRECT_TARGET_TABLE   0x12000U
#define FT_INDIRECT_TARGET_ENTRIES 0x10000U
#define FT_INDIRECT_TARGET_BYTES   0x80000U /* of the table of one mode */
#define FT_CODE_GRANULES           0x112000U
#define FT_CODE_GRANULE_SHIFT      16
#define FT_TABLES_END              0x122000U
#define FT_LOG_BUFFER              0x122000U
#define FT_LOG_BUFFER_BYTES        0xf0000U /* that the target may write */
#define FT_LOG_GUARD_BYTES         0x10000U /* room for the host alone */
#define FT_REGION_BYTES            (FT_LOG_BUFFER + FT_LOG_BUFFER_BYTES + FT_LOG_GUARD_BYTES)

/* What a system call's class byte means. */
enum ft_syscall_class {
    FT_SYSCALL_NATIVE,
    FT_SYSCALL_STOP,       /* the host decides */
    FT_SYSCALL_MASK,       /* rt_sigprocmask: native, then the mask is noted */
    FT_SYSCALL_PROTECTION, /* mprotect: the host decides where code comes or may go */
    FT_SYSCALL_MAPPING,    /* mmap: the same, else it is logged */
    FT_SYSCALL_TIMESTAMP,  /* futex, of several threads: a timestamp before and after it */
    FT_SYSCALL_LOGGED,     /* + 8 * the argument that is its buffer's address + the one that is its
                              length: native, then it is logged */
    FT_SYSCALL_CLASS_COUNT = FT_SYSCALL_LOGGED + 64
};

#endif
