/*
 * The registers of a stopped thread, as ptrace has them.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_REGISTERS_H
#define FT_TRACE_CAPTURE_TRACER_REGISTERS_H

#include <sys/user.h>

/* The register of this number (FT_RAX ...) in ptrace's structure. */
unsigned long long *ft_register_of(struct user_regs_struct *registers, unsigned number);

#endif
