#include "trace-capture/tracer/registers.h"

unsigned long long *ft_register_of(struct user_regs_struct *registers, unsigned number)
{
    unsigned long long *const fields[] = {
        &registers->rax, &registers->rcx,     &registers->rdx,    &registers->rbx, &registers->rsp,
        &registers->rbp, &registers->rsi,     &registers->rdi,    &registers->r8,  &registers->r9,
        &registers->r10, &registers->r11,     &registers->r12,    &registers->r13, &registers->r14,
        &registers->r15, &registers->fs_base, &registers->gs_base};
    return fields[number];
}
