#include "tests/oracle/step_window.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "trace-capture/markers/foretrace.h"

/* The next number of a list "1:2,3:4"; behind the last one that is never reached. */
static uint64_t next_number(const char **list)
{
    char *end;
    uint64_t number = strtoull(*list, &end, 10);
    if (end == *list)
        return UINT64_MAX / 2;
    *list = *end ? end + 1 : end;
    return number;
}

void step_window_start(struct step_window *window)
{
    bool opens_later = window->from || window->markers || window->counts;
    window->asked_for = opens_later || window->until;
    window->is_open = !opens_later;
    if (window->counts)
        window->edge = next_number(&window->counts);
}

static bool is_nop(const uint8_t *code, size_t bytes, uint32_t number)
{
    static const uint8_t head[] = {0x0f, 0x1f, 0x80};
    return bytes == 7 && memcmp(code, head, sizeof head) == 0 &&
           memcmp(code + sizeof head, &number, sizeof number) == 0;
}

static void enter(struct step_window *window, pid_t process, uint64_t rsp)
{
    window->is_open = true;
    window->return_rsp = rsp;
    window->return_pc = window->until ? 0 : (uint64_t)ptrace(PTRACE_PEEKDATA, process, rsp, NULL);
}

void step_window_look(struct step_window *window, pid_t process,
                      const struct user_regs_struct *registers, const uint8_t *code, size_t bytes)
{
    uint64_t pc = registers->rip;
    while (window->counts && window->instructions >= window->edge) {
        window->is_open = !window->is_open;
        window->edge += next_number(&window->counts);
    }
    window->instructions++;
    if (window->is_open && window->return_pc && pc == window->return_pc &&
        registers->rsp > window->return_rsp) {
        window->is_open = false;
        window->return_pc = 0;
    }
    if (window->is_open && window->until && pc == window->until)
        window->is_open = false;
    else if (!window->is_open && window->from && pc == window->from)
        enter(window, process, registers->rsp);
    if (window->markers && is_nop(code, bytes, FORETRACE_START_NUMBER))
        window->is_open = true;
    if (window->markers && is_nop(code, bytes, FORETRACE_STOP_NUMBER))
        window->is_open = false;
}
