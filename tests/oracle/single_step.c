/*
 * single_step [-o FILE] [-t] [-n ACCESSES] PROGRAM ARGUMENTS: runs a program one instruction at a
 * time and writes every access that it makes, from its very first instruction to its exit. Slow
 * (some 10 to 20 us a step) and simple: the witness that captures are compared with.
 *
 *   -o FILE      where to (stdout without it, text then)
 *   -t           as text (access_stream.h tells both forms)
 *   -n ACCESSES  stop after as many, and let the program go on alone
 *
 * Before a step the registers tell the addresses; the accesses are written when the step is done.
 * A step that ends in a signal has not executed its instruction. A rep string instruction takes a
 * step for each iteration. Recording ends, and the program goes on alone, where a thread or a
 * process begins, at execve, and at what cannot be recorded. The exit code is the program's, or
 * 128 + the signal that killed it.
 *
 * So that two runs are alike, address randomisation is off where the system permits, rseq is
 * answered with ENOSYS, and both processes stay on one CPU, which also saves time.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/oracle/access_stream.h"
#include "tests/oracle/decoded_code.h"
#include "tests/oracle/machine_state.h"

struct recorder {
    pid_t process;
    FILE *out;
    bool text;
    uint64_t limit;
    uint64_t accesses, steps;
    struct ft_decoded_code decoded;
    struct user_regs_struct registers;
    int signal; /* to deliver with the next step */
    int wait_status;
    bool gone; /* the program has ended */
    const char *end_reason;
};

static _Noreturn void start_program(char **arguments)
{
    personality(ADDR_NO_RANDOMIZE); /* containers may forbid it */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(125);
    execv(arguments[0], arguments);
    _exit(errno == ENOENT ? 127 : 126);
}

static void stay_on_one_cpu(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int fetch_registers(struct recorder *recorder, struct ft_diag *diag)
{
    if (ptrace(PTRACE_GETREGS, recorder->process, NULL, &recorder->registers) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot read registers: %s", strerror(errno));
    return FT_OK;
}

static void write_access(struct recorder *recorder, const struct ft_stream_access *access)
{
    if (recorder->text)
        ft_stream_print(recorder->out, access);
    else
        fwrite(access, sizeof *access, 1, recorder->out);
    recorder->accesses += access->kind != FT_PREFETCH;
}

static void write_code(struct recorder *recorder, const struct ft_decoded_instruction *entry)
{
    struct ft_stream_code code = {.pc = entry->pc, .kind = FT_STREAM_CODE};

    code.code_bytes = entry->instruction.length < sizeof code.code ? entry->instruction.length
                                                                   : (uint8_t)sizeof code.code;
    memcpy(code.code, entry->code, code.code_bytes);
    fwrite(&code, sizeof code, 1, recorder->out);
}

/* System calls before which recording ends. */
static const char *end_of_recording(const struct user_regs_struct *registers)
{
    switch (registers->rax) {
    case SYS_clone:
    case SYS_clone3:
        return "a thread or process begins";
    case SYS_fork:
    case SYS_vfork:
        return "a process begins";
    case SYS_execve:
    case SYS_execveat:
        return "another program begins";
    default:
        return NULL;
    }
}

/* rseq, answered as by a kernel that lacks it. */
static int refuse_system_call(struct recorder *recorder, struct ft_diag *diag)
{
    struct user_regs_struct *registers = &recorder->registers;

    registers->rip += 2;
    registers->rcx = registers->rip;
    registers->r11 = registers->eflags;
    registers->rax = (unsigned long long)-ENOSYS;
    registers->orig_rax = (unsigned long long)-1;
    if (ptrace(PTRACE_SETREGS, recorder->process, NULL, registers) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot write registers: %s", strerror(errno));
    return FT_OK;
}

/* Runs to the next stop. *ret_executed: the instruction was executed. */
static int step(struct recorder *recorder, bool *ret_executed, struct ft_diag *diag)
{
    int delivered = recorder->signal, status;
    siginfo_t info;

    *ret_executed = false;
    if (ptrace(PTRACE_SINGLESTEP, recorder->process, NULL, (void *)(long)delivered) != 0 ||
        waitpid(recorder->process, &status, __WALL) != recorder->process)
        return ft_fail(diag, FT_ERROR_IO, "cannot step: %s", strerror(errno));
    recorder->steps++;
    recorder->signal = 0;
    if (!WIFSTOPPED(status)) {
        recorder->gone = true;
        recorder->wait_status = status;
        return FT_OK;
    }
    if (WSTOPSIG(status) == SIGTRAP &&
        ptrace(PTRACE_GETSIGINFO, recorder->process, NULL, &info) == 0 &&
        (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT))
        /* with a signal and TRAP_BRKPT its handler was entered, which executes nothing */
        *ret_executed = !(delivered && info.si_code == TRAP_BRKPT);
    else
        recorder->signal = WSTOPSIG(status);
    return fetch_registers(recorder, diag);
}

/* One string instruction, or one iteration of it, moved rcx from before to after. */
static bool string_was_idle(const struct ft_instruction *instruction, uint64_t count)
{
    if (!instruction->rep)
        return false;
    if (instruction->access_count && instruction->accesses[0].address_is_32_bit)
        count = (uint32_t)count;
    return count == 0;
}

static int record_step(struct recorder *recorder, struct ft_diag *diag)
{
    struct ft_stream_access accesses[FT_ACCESSES_A_STEP_MAX];
    struct ft_vector_state vectors;
    struct ft_decoded_instruction *entry;
    uint64_t count_before = recorder->registers.rcx;
    size_t count = 0;
    bool executed, flush = false;

    int status = ft_decoded_code_find(&recorder->decoded, recorder->registers.rip, &entry, diag);
    if (status == FT_ERROR_MEMORY)
        return status;
    const struct ft_instruction *instruction = status == FT_OK ? &entry->instruction : NULL;
    if (instruction && instruction->unsupported) {
        recorder->end_reason = "an instruction whose accesses cannot be told";
        return FT_OK;
    }
    if (instruction && instruction->flow == FT_FLOW_SYSCALL) {
        if (recorder->registers.rax == SYS_rseq)
            return refuse_system_call(recorder, diag);
        recorder->end_reason = end_of_recording(&recorder->registers);
        if (recorder->end_reason)
            return FT_OK;
        flush = true; /* mappings, or what the kernel wrote */
    }
    if (instruction && !string_was_idle(instruction, count_before)) {
        if (ft_needs_vectors(instruction) &&
            (status = ft_vector_state_fetch(recorder->process, &vectors, diag)) != FT_OK)
            return status;
        count = ft_list_accesses(instruction, &recorder->registers, &vectors, accesses);
    }
    if (count && entry->is_new && !recorder->text)
        write_code(recorder, entry);

    status = step(recorder, &executed, diag);
    if (status != FT_OK || !executed)
        return status;
    for (size_t i = 0; i < count; i++) {
        write_access(recorder, &accesses[i]);
        if (accesses[i].kind != FT_LOAD)
            ft_decoded_code_note_store(&recorder->decoded, accesses[i].address,
                                       accesses[i].size_bytes);
    }
    if (flush)
        ft_decoded_code_flush(&recorder->decoded);
    return FT_OK;
}

static int record(struct recorder *recorder, struct ft_diag *diag)
{
    int status = waitpid(recorder->process, &recorder->wait_status, __WALL) < 0
                     ? ft_fail(diag, FT_ERROR_IO, "cannot wait: %s", strerror(errno))
                     : FT_OK;
    if (status == FT_OK && !WIFSTOPPED(recorder->wait_status))
        return FT_OK; /* could not be started: its exit code tells */
    if (!recorder->text)
        fwrite(FT_STREAM_MAGIC, sizeof FT_STREAM_MAGIC - 1, 1, recorder->out);
    if (status == FT_OK)
        status = ft_decoded_code_init(&recorder->decoded, recorder->process, diag);
    if (status == FT_OK)
        status = fetch_registers(recorder, diag);
    while (status == FT_OK && !recorder->gone && !recorder->end_reason) {
        if (recorder->limit && recorder->accesses >= recorder->limit)
            recorder->end_reason = "the limit";
        else
            status = record_step(recorder, diag);
    }
    ft_decoded_code_fini(&recorder->decoded);
    if (!recorder->gone) {
        if (recorder->end_reason)
            fprintf(stderr, "single_step: recording ended: %s\n", recorder->end_reason);
        fflush(recorder->out);
        ptrace(PTRACE_DETACH, recorder->process, NULL, (void *)(long)recorder->signal);
        waitpid(recorder->process, &recorder->wait_status, __WALL);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct recorder recorder = {.out = stdout, .text = true};
    struct ft_diag diag;
    const char *path = NULL;
    bool text = false;

    for (int option; (option = getopt(argc, argv, "+o:tn:")) != -1;)
        switch (option) {
        case 'o':
            path = optarg;
            break;
        case 't':
            text = true;
            break;
        case 'n':
            recorder.limit = strtoull(optarg, NULL, 0);
            break;
        default:
            return 2;
        }
    if (optind == argc) {
        fprintf(stderr, "usage: single_step [-o FILE] [-t] [-n ACCESSES] PROGRAM ARGUMENTS\n");
        return 2;
    }
    if (path) {
        recorder.text = text;
        recorder.out = fopen(path, "we");
        if (!recorder.out) {
            fprintf(stderr, "single_step: %s: %s\n", path, strerror(errno));
            return 125;
        }
    }
    ft_xsave_sizes_from_host();
    ft_decode_for_processor(__builtin_cpu_is("amd") ? "AMD" : "");
    stay_on_one_cpu();
    fflush(NULL);
    recorder.process = fork();
    if (recorder.process == 0)
        start_program(argv + optind);
    if (recorder.process < 0 || record(&recorder, &diag) != FT_OK) {
        fprintf(stderr, "single_step: %s\n", recorder.process < 0 ? strerror(errno) : diag.message);
        return 125;
    }
    if (fclose(recorder.out) != 0) {
        fprintf(stderr, "single_step: %s: %s\n", path ? path : "stdout", strerror(errno));
        return 125;
    }
    return WIFSIGNALED(recorder.wait_status) ? 128 + WTERMSIG(recorder.wait_status)
                                             : WEXITSTATUS(recorder.wait_status);
}
