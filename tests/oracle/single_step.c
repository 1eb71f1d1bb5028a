/*
 * single_step [-o FILE] [-f] [-t] [-n ACCESSES] PROGRAM ARGUMENTS: runs a program one instruction
 * at a time and writes every access that it makes, from its very first instruction to its exit.
 * Slow (some 10 to 20 us a step) and simple: the reference that captures are compared with.
 *
 *   -o FILE      where to (stdout without it, text then)
 *   -f           threads, processes and what they execute as well, each into a file of its own:
 *                FILE.1, FILE.2, ... in the order in which they begin
 *   -t           as text (access_stream.h tells both forms)
 *   -e           each element of a rep string instruction is an access
 *   -n ACCESSES  stop after as many, and let the program go on alone
 *   -b ADDRESS   only from the beginning of the function there, until it returns
 *   -u ADDRESS   only until the entry of the function there; with -b again and again
 *   -m           only between the markers of foretrace.h
 *   -c S:N,S:N   by numbers of instructions: S not, N recorded, and so on
 *
 * Before a step the registers tell the addresses; the accesses are written when the step is done.
 * A step that ends in a signal has not executed its instruction. A rep string instruction takes a
 * step for each iteration; what it accessed is written when it is left. Recording ends, and the
 * program goes on alone, at what cannot be recorded, and without -f where a thread or a process
 * begins and at execve. The exit code is the program's, or 128 + the signal that killed it.
 *
 * So that two runs are alike, address randomisation is off where the system permits, rseq is
 * answered with ENOSYS, and all processes stay on one CPU, which also saves time. CPUID is executed
 * on their behalf.
 */
#include <cpuid.h>
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
#include "tests/oracle/step_window.h"
#include "tests/oracle/string_reference.h"

#define TASKS_MAX   64
#define CPUID_BYTES 2

/* A thread, from its first instruction to its end or to where its process executes another program.
 */
struct task {
    pid_t id;
    FILE *out;
    uint64_t accesses;
    struct ft_decoded_code decoded;
    struct user_regs_struct registers;
    struct step_window window;
    uint64_t last_pc;               /* of the last step, if it was one of a rep instruction */
    struct string_reference string; /* of iterations that are done; count 0: none */
    struct ft_stream_access string_operands[2];
    /* the step under way: */
    struct ft_stream_access stepped[FT_ACCESSES_A_STEP_MAX];
    size_t stepped_count;
    bool repeats;  /* a rep instruction */
    int delivered; /* the signal that it began with */
    bool flushes;  /* code may have changed */
    int signal;    /* to deliver with the next step */
    const char *end_reason;
};

struct recorder {
    const char *path; /* NULL: stdout */
    bool text, follow, elements;
    uint64_t limit;
    struct step_window window; /* in which each task records */
    pid_t program;
    int wait_status;               /* of the program's end */
    struct task *tasks[TASKS_MAX]; /* those that run */
    unsigned count;
    unsigned numbered; /* streams so far */
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

static int fetch_registers(struct task *task, struct ft_diag *diag)
{
    if (ptrace(PTRACE_GETREGS, task->id, NULL, &task->registers) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot read registers: %s", strerror(errno));
    return FT_OK;
}

static void write_access(const struct recorder *recorder, struct task *task,
                         const struct ft_stream_access *access)
{
    if (recorder->text)
        ft_stream_print(task->out, access);
    else
        fwrite(access, sizeof *access, 1, task->out);
    task->accesses += access->kind != FT_PREFETCH;
}

struct string_writer {
    const struct recorder *recorder;
    struct task *task;
};

static void write_granule(void *context, unsigned operand, uint64_t address, uint32_t size_bytes)
{
    const struct string_writer *writer = context;
    struct ft_stream_access access = writer->task->string_operands[operand];
    access.address = address;
    access.size_bytes = size_bytes;
    write_access(writer->recorder, writer->task, &access);
}

/* Writes what the iterations of a rep instruction accessed that the task has left. */
static void write_string(const struct recorder *recorder, struct task *task)
{
    struct string_writer writer = {recorder, task};
    string_reference_run(&task->string, write_granule, &writer);
    task->string.count = 0;
}

/* One more iteration. */
static void note_iteration(struct task *task)
{
    if (task->string.count == 0) {
        task->string = (struct string_reference){
            .operand_count = (unsigned)task->stepped_count,
            .size_bytes = task->stepped[0].size_bytes,
            .is_down = task->registers.eflags >> 10 & 1,
        };
        for (unsigned i = 0; i < task->string.operand_count; i++) {
            task->string_operands[i] = task->stepped[i];
            task->string.addresses[i] = task->stepped[i].address;
        }
    }
    task->string.count++;
}

static void write_code(const struct task *task, const struct ft_decoded_instruction *entry)
{
    struct ft_stream_code code = {.pc = entry->pc, .kind = FT_STREAM_CODE};

    code.code_bytes = entry->instruction.length < sizeof code.code ? entry->instruction.length
                                                                   : (uint8_t)sizeof code.code;
    memcpy(code.code, entry->code, code.code_bytes);
    fwrite(&code, sizeof code, 1, task->out);
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

/* CPUID, executed here: hypervisors emulate it, and some lose the trap of a step over it, so that
 * the step would execute the next instruction as well. */
static int execute_cpuid(struct task *task, struct ft_diag *diag)
{
    struct user_regs_struct *registers = &task->registers;
    unsigned eax, ebx, ecx, edx;

    __cpuid_count((unsigned)registers->rax, (unsigned)registers->rcx, eax, ebx, ecx, edx);
    registers->rax = eax;
    registers->rbx = ebx;
    registers->rcx = ecx;
    registers->rdx = edx;
    registers->rip += CPUID_BYTES;
    if (ptrace(PTRACE_SETREGS, task->id, NULL, registers) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot write registers: %s", strerror(errno));
    return FT_OK;
}

static bool is_cpuid(const struct ft_decoded_instruction *entry)
{
    return entry->instruction.length == CPUID_BYTES && entry->code[0] == 0x0F &&
           entry->code[1] == 0xA2;
}

/* rseq, answered as by a kernel that lacks it. */
static int refuse_system_call(struct task *task, struct ft_diag *diag)
{
    struct user_regs_struct *registers = &task->registers;

    registers->rip += 2;
    registers->rcx = registers->rip;
    registers->r11 = registers->eflags;
    registers->rax = (unsigned long long)-ENOSYS;
    registers->orig_rax = (unsigned long long)-1;
    if (ptrace(PTRACE_SETREGS, task->id, NULL, registers) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot write registers: %s", strerror(errno));
    return FT_OK;
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

/* Whether recording ends before the task's next instruction; else its accesses are noted. */
static int look_ahead(const struct recorder *recorder, struct task *task, struct ft_diag *diag)
{
    struct ft_vector_state vectors;
    struct ft_decoded_instruction *entry;

    task->stepped_count = 0;
    task->flushes = false;
    for (;;) {
        int status = ft_decoded_code_find(&task->decoded, task->registers.rip, &entry, diag);
        if (status == FT_ERROR_MEMORY)
            return status;
        if (status != FT_OK) /* no code: the step will fault */
            return FT_OK;
        if (task->window.asked_for && task->registers.rip != task->last_pc)
            step_window_look(&task->window, task->id, &task->registers, entry->code,
                             entry->instruction.length);
        task->last_pc = entry->instruction.rep ? task->registers.rip : 0;
        if (is_cpuid(entry))
            status = execute_cpuid(task, diag);
        else if (entry->instruction.flow == FT_FLOW_SYSCALL && task->registers.rax == SYS_rseq)
            status = refuse_system_call(task, diag);
        else
            break;
        if (status != FT_OK)
            return status;
    }
    const struct ft_instruction *instruction = &entry->instruction;
    task->repeats = instruction->rep && !recorder->elements;
    if (instruction->unsupported) {
        task->end_reason = "an instruction whose accesses cannot be told";
        return FT_OK;
    }
    if (instruction->flow == FT_FLOW_SYSCALL) {
        task->end_reason = recorder->follow ? NULL : end_of_recording(&task->registers);
        task->flushes = true; /* mappings, or what the kernel wrote */
    }
    if (task->end_reason || !task->window.is_open ||
        string_was_idle(instruction, task->registers.rcx))
        return FT_OK;
    int status =
        ft_needs_vectors(instruction) ? ft_vector_state_fetch(task->id, &vectors, diag) : FT_OK;
    if (status != FT_OK)
        return status;
    task->stepped_count = ft_list_accesses(instruction, &task->registers, &vectors, task->stepped);
    if (task->stepped_count && entry->is_new && !recorder->text)
        write_code(task, entry);
    return FT_OK;
}

/* Looks at the next instruction and has it executed. */
static int start_step(const struct recorder *recorder, struct task *task, struct ft_diag *diag)
{
    if (recorder->limit && task->accesses >= recorder->limit)
        task->end_reason = "the limit";
    int status = task->end_reason ? FT_OK : look_ahead(recorder, task, diag);
    if (status != FT_OK || task->end_reason)
        return status;
    task->delivered = task->signal;
    task->signal = 0;
    if (ptrace(PTRACE_SINGLESTEP, task->id, NULL, (void *)(long)task->delivered) != 0 &&
        errno != ESRCH)
        return ft_fail(diag, FT_ERROR_IO, "cannot step: %s", strerror(errno));
    return FT_OK;
}

/* The stop after a step: whether the instruction was executed, and with it its accesses. */
static int finish_step(const struct recorder *recorder, struct task *task, int wait_status,
                       struct ft_diag *diag)
{
    siginfo_t info;
    bool executed = false;
    if (WSTOPSIG(wait_status) == SIGTRAP && ptrace(PTRACE_GETSIGINFO, task->id, NULL, &info) == 0 &&
        (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT))
        /* with a signal and TRAP_BRKPT its handler was entered, which executes nothing */
        executed = !(task->delivered && info.si_code == TRAP_BRKPT);
    else
        task->signal = WSTOPSIG(wait_status);
    for (size_t i = 0; executed && i < task->stepped_count; i++) {
        const struct ft_stream_access *access = &task->stepped[i];
        if (!task->repeats)
            write_access(recorder, task, access);
        if (access->kind != FT_LOAD)
            ft_decoded_code_note_store(&task->decoded, access->address, access->size_bytes);
    }
    if (executed && task->repeats && task->stepped_count)
        note_iteration(task);
    if (executed && task->flushes)
        ft_decoded_code_flush(&task->decoded);
    int status = fetch_registers(task, diag);
    if (status == FT_OK && task->string.count && task->registers.rip != task->string_operands[0].pc)
        write_string(recorder, task);
    return status;
}

static int open_stream(struct recorder *recorder, struct task *task, struct ft_diag *diag)
{
    char path[4096];
    unsigned number = recorder->numbered++;
    snprintf(path, sizeof path, number ? "%s.%u" : "%s", recorder->path, number);
    task->out = recorder->path ? fopen(path, "we") : stdout;
    if (!task->out)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    if (!recorder->text)
        fwrite(FT_STREAM_MAGIC, sizeof FT_STREAM_MAGIC - 1, 1, task->out);
    return FT_OK;
}

/* A stopped thread of which nothing was executed yet. */
static int add_task(struct recorder *recorder, pid_t id, struct ft_diag *diag)
{
    struct task *task = recorder->count < TASKS_MAX ? calloc(1, sizeof *task) : NULL;
    if (!task)
        return ft_fail_memory(diag, "a thread");
    recorder->tasks[recorder->count++] = task;
    task->id = id;
    task->window = recorder->window;
    step_window_start(&task->window);
    int status = open_stream(recorder, task, diag);
    if (status == FT_OK)
        status = ft_decoded_code_init(&task->decoded, id, diag);
    return status == FT_OK ? fetch_registers(task, diag) : status;
}

static int remove_task(struct recorder *recorder, pid_t id, struct ft_diag *diag)
{
    for (unsigned i = 0; i < recorder->count; i++) {
        struct task *task = recorder->tasks[i];
        if (task->id != id)
            continue;
        write_string(recorder, task);
        int failed = task->out == stdout ? fflush(task->out) : fclose(task->out);
        ft_decoded_code_fini(&task->decoded);
        free(task);
        recorder->tasks[i] = recorder->tasks[--recorder->count];
        return failed ? ft_fail(diag, FT_ERROR_IO, "cannot write: %s", strerror(errno)) : FT_OK;
    }
    return FT_OK;
}

static struct task *find_task(const struct recorder *recorder, pid_t id)
{
    for (unsigned i = 0; i < recorder->count; i++)
        if (recorder->tasks[i]->id == id)
            return recorder->tasks[i];
    return NULL;
}

/* The process executes another program: its stream ends, and another one begins. The event comes
 * before execve returns, which is one step more. */
static int replace_task(struct recorder *recorder, pid_t id, struct ft_diag *diag)
{
    int status = remove_task(recorder, id, diag), wait_status;
    if (status == FT_OK && (ptrace(PTRACE_SINGLESTEP, id, NULL, NULL) != 0 ||
                            waitpid(id, &wait_status, __WALL) != id || !WIFSTOPPED(wait_status)))
        return ft_fail(diag, FT_ERROR_IO, "cannot step out of execve");
    return status == FT_OK ? add_task(recorder, id, diag) : status;
}

static int handle_stop(struct recorder *recorder, pid_t id, int wait_status, struct ft_diag *diag)
{
    struct task *task = find_task(recorder, id);
    int status = FT_OK, event = wait_status >> 16;
    if (!WIFSTOPPED(wait_status)) {
        if (id == recorder->program)
            recorder->wait_status = wait_status;
        return remove_task(recorder, id, diag);
    }
    if (event == PTRACE_EVENT_EXEC)
        status = replace_task(recorder, id, diag);
    else if (!task)
        status = add_task(recorder, id, diag);
    else if (event != 0) /* it has made another one: the step goes on */
        return ptrace(PTRACE_SINGLESTEP, id, NULL, NULL) == 0
                   ? FT_OK
                   : ft_fail(diag, FT_ERROR_IO, "cannot step: %s", strerror(errno));
    else
        status = finish_step(recorder, task, wait_status, diag);
    task = find_task(recorder, id);
    if (status == FT_OK && task)
        status = start_step(recorder, task, diag);
    if (status != FT_OK || !task || !task->end_reason)
        return status;
    fprintf(stderr, "single_step: recording ended: %s\n", task->end_reason);
    ptrace(PTRACE_DETACH, id, NULL, (void *)(long)task->signal);
    return remove_task(recorder, id, diag);
}

static int record(struct recorder *recorder, struct ft_diag *diag)
{
    const long options =
        PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
    int status = waitpid(recorder->program, &recorder->wait_status, __WALL) < 0
                     ? ft_fail(diag, FT_ERROR_IO, "cannot wait: %s", strerror(errno))
                     : FT_OK;
    if (status != FT_OK || !WIFSTOPPED(recorder->wait_status))
        return status; /* could not be started: its exit code tells */
    if (recorder->follow)
        ptrace(PTRACE_SETOPTIONS, recorder->program, NULL, (void *)options);
    status = add_task(recorder, recorder->program, diag);
    if (status == FT_OK)
        status = start_step(recorder, recorder->tasks[0], diag);
    while (status == FT_OK && WIFSTOPPED(recorder->wait_status)) {
        int wait_status;
        pid_t id = waitpid(-1, &wait_status, __WALL);
        status = id < 0 ? ft_fail(diag, FT_ERROR_IO, "cannot wait: %s", strerror(errno))
                        : handle_stop(recorder, id, wait_status, diag);
    }
    while (recorder->count > 0) /* outlives the program, or something failed */
        remove_task(recorder, recorder->tasks[0]->id, diag);
    return status;
}

int main(int argc, char **argv)
{
    struct recorder recorder = {.text = true};
    struct ft_diag diag;
    bool text = false;

    for (int option; (option = getopt(argc, argv, "+o:ften:b:u:mc:")) != -1;)
        switch (option) {
        case 'o':
            recorder.path = optarg;
            break;
        case 'f':
            recorder.follow = true;
            break;
        case 't':
            text = true;
            break;
        case 'e':
            recorder.elements = true;
            break;
        case 'n':
            recorder.limit = strtoull(optarg, NULL, 0);
            break;
        case 'b':
            recorder.window.from = strtoull(optarg, NULL, 0);
            break;
        case 'u':
            recorder.window.until = strtoull(optarg, NULL, 0);
            break;
        case 'm':
            recorder.window.markers = true;
            break;
        case 'c':
            recorder.window.counts = optarg;
            break;
        default:
            return 2;
        }
    if (optind == argc || (recorder.follow && !recorder.path)) {
        fprintf(stderr, "usage: single_step [-o FILE [-f]] [-t] [-e] [-n ACCESSES] [-b ADDRESS] "
                        "[-u ADDRESS] [-m] [-c S:N,...] PROGRAM ARGUMENTS\n");
        return 2;
    }
    recorder.text = text || !recorder.path;
    ft_xsave_sizes_from_host();
    ft_decode_for_processor(__builtin_cpu_is("amd") ? "AMD" : "");
    stay_on_one_cpu();
    fflush(NULL);
    recorder.program = fork();
    if (recorder.program == 0)
        start_program(argv + optind);
    if (recorder.program < 0 || record(&recorder, &diag) != FT_OK) {
        fprintf(stderr, "single_step: %s\n", recorder.program < 0 ? strerror(errno) : diag.message);
        return 125;
    }
    return WIFSIGNALED(recorder.wait_status) ? 128 + WTERMSIG(recorder.wait_status)
                                             : WEXITSTATUS(recorder.wait_status);
}
