#include "trace-capture/target/rseq.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace-capture/target/target.h"

#define UNREGISTER       1U /* RSEQ_FLAG_UNREGISTER */
#define SEQUENCE_POINTER 8U /* offset of rseq_cs in the area */

struct sequence { /* struct rseq_cs of the kernel */
    uint32_t version, flags;
    uint64_t start, bytes, abort;
};

bool ft_rseq_is_in(const char *path)
{
    static const char wanted[] = "__rseq_cs";
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    char name[sizeof wanted];
    bool is_found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_readable =
        pread(fd, &header, sizeof header, 0) == sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shentsize == sizeof section &&
        pread(fd, &names, sizeof names,
              (off_t)(header.e_shoff + (uint64_t)header.e_shstrndx * sizeof section)) ==
            sizeof names;
    for (unsigned i = 0; is_readable && !is_found && i < header.e_shnum; i++)
        is_found =
            pread(fd, &section, sizeof section,
                  (off_t)(header.e_shoff + (uint64_t)i * sizeof section)) == sizeof section &&
            pread(fd, name, sizeof name, (off_t)(names.sh_offset + section.sh_name)) ==
                sizeof name &&
            memcmp(name, wanted, sizeof wanted) == 0;
    close(fd);
    return is_found;
}

/* Inside a sequence: to its abort handler, as the kernel would on the way back to the program. */
static int leave_sequence(struct ft_target *target, struct user_regs_struct *registers,
                          struct ft_diag *diag)
{
    const uint64_t pointer_at = target->rseq.address + SEQUENCE_POINTER, none = 0;
    uint64_t pointer;
    struct sequence sequence;
    if (ft_target_read(target, pointer_at, &pointer, sizeof pointer) != sizeof pointer ||
        pointer == 0 ||
        ft_target_read(target, pointer, &sequence, sizeof sequence) != sizeof sequence ||
        registers->rip - sequence.start >= sequence.bytes)
        return FT_OK;
    registers->rip = sequence.abort;
    ft_target_write(target, pointer_at, &none, sizeof none);
    return ft_target_set_registers(target, registers, diag);
}

static int call(struct ft_target *target, uint64_t flags, int64_t *ret_result, struct ft_diag *diag)
{
    const struct ft_rseq *rseq = &target->rseq;
    return ft_target_syscall(target, 0, SYS_rseq,
                             (uint64_t[6]){rseq->address, rseq->bytes, flags, rseq->signature},
                             ret_result, diag);
}

int ft_rseq_suspend(struct ft_target *target, struct user_regs_struct *registers,
                    struct ft_diag *diag)
{
    struct __ptrace_rseq_configuration found = {0};
    int64_t result = 0;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, target->pid, sizeof found, &found) < 0 ||
        !found.rseq_abi_pointer)
        return FT_OK; /* a kernel without either */
    target->rseq = (struct ft_rseq){found.rseq_abi_pointer, found.rseq_abi_size, found.signature};
    FT_TRY(leave_sequence(target, registers, diag));
    FT_TRY(call(target, UNREGISTER, &result, diag));
    if (result < 0) {
        target->rseq = (struct ft_rseq){0};
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the restartable sequences (rseq) of thread %d cannot be switched off",
                       (int)target->pid);
    }
    return FT_OK;
}

int ft_rseq_resume(struct ft_target *target, struct ft_diag *diag)
{
    int64_t ignored; /* of a registration of the program that the kernel refuses */
    if (!target->rseq.address)
        return FT_OK;
    FT_TRY(call(target, 0, &ignored, diag));
    target->rseq = (struct ft_rseq){0};
    return FT_OK;
}

int64_t ft_rseq_note(struct ft_target *target, const struct user_regs_struct *registers)
{
    const struct ft_rseq asked = {registers->rdi, (uint32_t)registers->rsi,
                                  (uint32_t)registers->r10};
    const struct ft_rseq *known = &target->rseq;
    bool is_same = known->address == asked.address && known->bytes == asked.bytes &&
                   known->signature == asked.signature;
    if (registers->rdx == UNREGISTER) {
        if (!known->address || !is_same)
            return -EINVAL;
        target->rseq = (struct ft_rseq){0};
        return 0;
    }
    if (registers->rdx != 0 || !asked.address)
        return -EINVAL;
    if (known->address)
        return is_same ? -EBUSY : -EINVAL;
    target->rseq = asked;
    return 0;
}
