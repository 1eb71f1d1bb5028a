/*
 * Dependence graphs of the loops of small routines, written in bytes below, against what follows
 * from their text. An edge is written "flow 10>05 1": from and to by their offsets, through memory,
 * one iteration later; "?" behind it where it is assumed. A recurrence is its longest cycle, with
 * instructions / iterations.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/recurrences.h"
#include "tests/support/routine_of_code.h"
#include "tests/support/tap.h"

/* clang-format off */
/* x[i] = x[i-1] + y[i]: a load reads what the store of the iteration before wrote. */
static const uint8_t prefix[] = {
    /* 00 mov eax,0x1            */ 0xb8, 0x01, 0x00, 0x00, 0x00,
    /* 05 movsd xmm0,qword [rdi+rax*8-0x8] */ 0xf2, 0x0f, 0x10, 0x44, 0xc7, 0xf8,
    /* 0b addsd xmm0,qword [rsi+rax*8] */ 0xf2, 0x0f, 0x58, 0x04, 0xc6,
    /* 10 movsd qword [rdi+rax*8],xmm0 */ 0xf2, 0x0f, 0x11, 0x04, 0xc7,
    /* 15 inc rax                */ 0x48, 0xff, 0xc0,
    /* 18 cmp rax,rdx            */ 0x48, 0x39, 0xd0,
    /* 1b jne 5                  */ 0x75, 0xe8,
    /* 1d ret                    */ 0xc3,
};
/* x[i+3] = x[i] with a pointer for each. */
static const uint8_t three_behind[] = {
    /* 00 lea rsi,[rdi+0x18]     */ 0x48, 0x8d, 0x77, 0x18,
    /* 04 mov rax,qword [rdi]    */ 0x48, 0x8b, 0x07,
    /* 07 mov qword [rsi],rax    */ 0x48, 0x89, 0x06,
    /* 0a add rdi,0x8            */ 0x48, 0x83, 0xc7, 0x08,
    /* 0e add rsi,0x8            */ 0x48, 0x83, 0xc6, 0x08,
    /* 12 cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 15 jne 4                  */ 0x75, 0xed,
    /* 17 ret                    */ 0xc3,
};
/* x[i] = x[i+1], backward: what is read was written an iteration before. */
static const uint8_t backward[] = {
    /* 00 mov rax,qword [rdi+0x8] */ 0x48, 0x8b, 0x47, 0x08,
    /* 04 mov qword [rdi],rax    */ 0x48, 0x89, 0x07,
    /* 07 sub rdi,0x8            */ 0x48, 0x83, 0xef, 0x08,
    /* 0b cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 0e jne 0                  */ 0x75, 0xf0,
    /* 10 ret                    */ 0xc3,
};
/* x[i] = x[i+1], forward: only anti. */
static const uint8_t forward[] = {
    /* 00 mov rax,qword [rdi+0x8] */ 0x48, 0x8b, 0x47, 0x08,
    /* 04 mov qword [rdi],rax    */ 0x48, 0x89, 0x07,
    /* 07 add rdi,0x8            */ 0x48, 0x83, 0xc7, 0x08,
    /* 0b cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 0e jne 0                  */ 0x75, 0xf0,
    /* 10 ret                    */ 0xc3,
};
/* Even elements are written, odd ones read. */
static const uint8_t odd[] = {
    /* 00 mov rax,qword [rdi+0x8] */ 0x48, 0x8b, 0x47, 0x08,
    /* 04 mov qword [rdi],rax    */ 0x48, 0x89, 0x07,
    /* 07 add rdi,0x10           */ 0x48, 0x83, 0xc7, 0x10,
    /* 0b cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 0e jne 0                  */ 0x75, 0xf0,
    /* 10 ret                    */ 0xc3,
};
/* 16 bytes are stored, the halves are loaded in the next iterations. */
static const uint8_t wide[] = {
    /* 00 mov rax,qword [rdi-0x8] */ 0x48, 0x8b, 0x47, 0xf8,
    /* 04 movups [rdi],xmm0      */ 0x0f, 0x11, 0x07,
    /* 07 add rdi,0x8            */ 0x48, 0x83, 0xc7, 0x08,
    /* 0b cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 0e jne 0                  */ 0x75, 0xf0,
    /* 10 ret                    */ 0xc3,
};
/* A sum in a register and one in memory. */
static const uint8_t sum[] = {
    /* 00 addsd xmm0,qword [rdi] */ 0xf2, 0x0f, 0x58, 0x07,
    /* 04 mov rax,qword [rdi]    */ 0x48, 0x8b, 0x07,
    /* 07 add qword [rsi],rax    */ 0x48, 0x01, 0x06,
    /* 0a add rdi,0x8            */ 0x48, 0x83, 0xc7, 0x08,
    /* 0e cmp rdi,rdx            */ 0x48, 0x39, 0xd7,
    /* 11 jne 0                  */ 0x75, 0xed,
    /* 13 ret                    */ 0xc3,
};
/* A list: its next pointer is a chain, its value depends on it. */
static const uint8_t list[] = {
    /* 00 mov rax,qword [rdi+0x8] */ 0x48, 0x8b, 0x47, 0x08,
    /* 04 add rcx,rax            */ 0x48, 0x01, 0xc1,
    /* 07 mov rdi,qword [rdi]    */ 0x48, 0x8b, 0x3f,
    /* 0a test rdi,rdi           */ 0x48, 0x85, 0xff,
    /* 0d jne 0                  */ 0x75, 0xf1,
    /* 0f ret                    */ 0xc3,
};
/* Two loads an iteration, p = p->a->b, and p->b is written. */
static const uint8_t two_links[] = {
    /* 00 mov rax,qword [rdi]    */ 0x48, 0x8b, 0x07,
    /* 03 mov rdi,qword [rax+0x8] */ 0x48, 0x8b, 0x78, 0x08,
    /* 07 mov qword [rdi+0x8],rcx */ 0x48, 0x89, 0x4f, 0x08,
    /* 0b test rdi,rdi           */ 0x48, 0x85, 0xff,
    /* 0e jne 0                  */ 0x75, 0xf0,
    /* 10 ret                    */ 0xc3,
};
/* x[column[column[k]]] */
static const uint8_t gather[] = {
    /* 00 xor eax,eax            */ 0x31, 0xc0,
    /* 02 mov rcx,qword [rdi+rax*8] */ 0x48, 0x8b, 0x0c, 0xc7,
    /* 06 mov rdx,qword [rdi+rcx*8] */ 0x48, 0x8b, 0x14, 0xcf,
    /* 0a mov rdx,qword [rsi+rdx*8] */ 0x48, 0x8b, 0x14, 0xd6,
    /* 0e add rbx,rdx            */ 0x48, 0x01, 0xd3,
    /* 11 inc rax                */ 0x48, 0xff, 0xc0,
    /* 14 cmp rax,r8             */ 0x4c, 0x39, 0xc0,
    /* 17 jne 2                  */ 0x75, 0xe9,
    /* 19 ret                    */ 0xc3,
};
/* x[i*n + j] = x[(i-1)*n + j - 1], with n in a register; one row behind the other. */
static const uint8_t columns[] = {
    /* 00 lea r8,[rsi*8+0x0]     */ 0x4c, 0x8d, 0x04, 0xf5, 0x00, 0x00, 0x00, 0x00,
    /* 08 lea r9,[rdi+r8*1]      */ 0x4e, 0x8d, 0x0c, 0x07,
    /* 0c xor eax,eax            */ 0x31, 0xc0,
    /* 0e mov rcx,qword [rdi+rax*8-0x8] */ 0x48, 0x8b, 0x4c, 0xc7, 0xf8,
    /* 13 mov qword [r9+rax*8],rcx */ 0x49, 0x89, 0x0c, 0xc1,
    /* 17 inc rax                */ 0x48, 0xff, 0xc0,
    /* 1a cmp rax,rsi            */ 0x48, 0x39, 0xf0,
    /* 1d jne e                  */ 0x75, 0xef,
    /* 1f add rdi,r8             */ 0x4c, 0x01, 0xc7,
    /* 22 add r9,r8              */ 0x4d, 0x01, 0xc1,
    /* 25 dec rdx                */ 0x48, 0xff, 0xca,
    /* 28 jne c                  */ 0x75, 0xe2,
    /* 2a ret                    */ 0xc3,
};
/* Two ways that exclude each other; what one writes the other reads in a later iteration. */
static const uint8_t ways[] = {
    /* 00 test rax,rcx           */ 0x48, 0x85, 0xc8,
    /* 03 je a                   */ 0x74, 0x05,
    /* 05 mov qword [rdi],rdx    */ 0x48, 0x89, 0x17,
    /* 08 jmp d                  */ 0xeb, 0x03,
    /* 0a mov rdx,qword [rdi]    */ 0x48, 0x8b, 0x17,
    /* 0d dec rcx                */ 0x48, 0xff, 0xc9,
    /* 10 jne 0                  */ 0x75, 0xee,
    /* 12 ret                    */ 0xc3,
};
/* A value that is kept in the frame, and a store through a pointer that cannot reach it. */
static const uint8_t spill[] = {
    /* 00 mov qword [rsp-0x8],0x0 */ 0x48, 0xc7, 0x44, 0x24, 0xf8, 0x00, 0x00, 0x00, 0x00,
    /* 09 mov rax,qword [rsp-0x8] */ 0x48, 0x8b, 0x44, 0x24, 0xf8,
    /* 0e add rax,0x2            */ 0x48, 0x83, 0xc0, 0x02,
    /* 12 mov qword [rsp-0x8],rax */ 0x48, 0x89, 0x44, 0x24, 0xf8,
    /* 17 mov qword [rdi],rax    */ 0x48, 0x89, 0x07,
    /* 1a mov rdi,qword [rsi]    */ 0x48, 0x8b, 0x3e,
    /* 1d cmp rax,rdx            */ 0x48, 0x39, 0xd0,
    /* 20 jne 9                  */ 0x75, 0xe7,
    /* 22 ret                    */ 0xc3,
};
/* A slot of the frame for a pointer, then for what it points to: no chain of loads. */
static const uint8_t reused[] = {
    /* 00 mov qword [rsp-0x8],rdi */ 0x48, 0x89, 0x7c, 0x24, 0xf8,
    /* 05 mov rdi,qword [rsp-0x8] */ 0x48, 0x8b, 0x7c, 0x24, 0xf8,
    /* 0a mov rax,qword [rdi]    */ 0x48, 0x8b, 0x07,
    /* 0d mov qword [rsp-0x8],rax */ 0x48, 0x89, 0x44, 0x24, 0xf8,
    /* 12 mov rbx,qword [rsp-0x8] */ 0x48, 0x8b, 0x5c, 0x24, 0xf8,
    /* 17 dec rcx                */ 0x48, 0xff, 0xc9,
    /* 1a jne 0                  */ 0x75, 0xe4,
    /* 1c ret                    */ 0xc3,
};
/* The same where only one way stores the pointer again: what is read may be the other value. */
static const uint8_t reused_on_one_way[] = {
    /* 00 test rcx,rdx           */ 0x48, 0x85, 0xd1,
    /* 03 je a                   */ 0x74, 0x05,
    /* 05 mov qword [rsp-0x8],rsi */ 0x48, 0x89, 0x74, 0x24, 0xf8,
    /* 0a mov rdi,qword [rsp-0x8] */ 0x48, 0x8b, 0x7c, 0x24, 0xf8,
    /* 0f mov rax,qword [rdi]    */ 0x48, 0x8b, 0x07,
    /* 12 mov qword [rsp-0x8],rax */ 0x48, 0x89, 0x44, 0x24, 0xf8,
    /* 17 dec rcx                */ 0x48, 0xff, 0xc9,
    /* 1a jne 0                  */ 0x75, 0xe4,
    /* 1c ret                    */ 0xc3,
};
/* The kernel may read and write what the loop does. */
static const uint8_t kernel[] = {
    /* 00 mov rdx,qword [rdi]    */ 0x48, 0x8b, 0x17,
    /* 03 syscall                */ 0x0f, 0x05,
    /* 05 mov qword [rbp+0x0],rdx */ 0x48, 0x89, 0x55, 0x00,
    /* 09 dec r12                */ 0x49, 0xff, 0xcc,
    /* 0c jne 0                  */ 0x75, 0xf2,
    /* 0e ret                    */ 0xc3,
};
/* clang-format on */

struct expectation {
    const char *what;
    const uint8_t *code;
    size_t bytes;
    unsigned loop;      /* of the routine, outer ones first */
    const char *memory; /* edges, those of the optimistic graph first */
    const char *recurrences;
    const char *loads;
};

#define CASE(what, code, loop, memory, recurrences, loads)                                         \
    {                                                                                              \
        what, code, sizeof code, loop, memory, recurrences, loads                                  \
    }

static const struct expectation expectations[] = {
    CASE("a prefix sum", prefix, 0, "flow 10>05 1, anti 0b>10 0?, flow 10>0b 1?",
         "05 0b 10 3/1 through memory, 15 1/1", "05 independent, 0b independent"),
    CASE("three elements behind", three_behind, 0, "flow 07>04 3",
         "0e 1/1, 0a 1/1, 04 07 2/3 through memory", "04 independent"),
    CASE("backward", backward, 0, "flow 04>00 1", "00 04 2/1 through memory, 07 1/1",
         "00 independent"),
    CASE("forward", forward, 0, "anti 00>04 1", "07 1/1", "00 independent"),
    CASE("odd and even", odd, 0, "", "07 1/1", "00 independent"),
    CASE("a wide store", wide, 0, "flow 04>00 1, output 04>04 1", "07 1/1", "00 independent"),
    CASE("two sums", sum, 0,
         "flow 07>07 1, anti 07>07 1, output 07>07 1, anti 00>07 0?, anti 04>07 0?, flow 07>00 1?, "
         "flow 07>04 1?",
         "0a 1/1, 07 1/1 through memory, 00 1/1", "00 independent, 04 independent, 07 independent"),
    CASE("a list", list, 0, "", "07 1/1, 04 1/1", "00 chasing behind 1/1, 07 chasing 1/1"),
    CASE("two links", two_links, 0,
         "anti 00>07 0?, anti 03>07 0?, flow 07>00 1?, flow 07>03 1?, output 07>07 1?", "00 03 2/1",
         "00 chasing 2/1, 03 chasing 2/1"),
    CASE("an index of an index", gather, 0, "", "11 1/1, 0e 1/1",
         "02 independent, 06 indirect 1, 0a indirect 2"),
    CASE("rows", columns, 0, "flow 13>0e 1, anti 0e>13 1?, output 13>13 1?",
         "25 1/1, 22 1/1, 1f 1/1, loop 1/1 through memory", ""),
    CASE("elements of a row", columns, 1, "anti 0e>13 0?, flow 13>0e 1?", "17 1/1",
         "0e independent"),
    CASE("ways that exclude each other", ways, 0, "anti 0a>05 1, flow 05>0a 1, output 05>05 1",
         "0d 1/1, 0a 05 2/2 through memory", "0a independent"),
    CASE(
        "a spill", spill, 0,
        "anti 09>12 0, flow 12>09 1, output 12>12 1, output 17>17 1?, flow 17>1a 0?, anti 1a>17 1?",
        "09 0e 12 3/1 through memory", "09 independent, 1a independent"),
    CASE("a slot for two values", reused, 0,
         "output 00>00 1, flow 00>05 0, output 00>0d 0, flow 00>12 0 overwritten, anti 05>00 1, "
         "anti 05>0d 0, output 0d>00 1, flow 0d>05 1 overwritten, output 0d>0d 1, flow 0d>12 0, "
         "anti 12>00 1, anti 12>0d 1",
         "00 05 2/1 through memory, 17 1/1", "05 independent, 0a indirect 1, 12 independent"),
    CASE("a slot for two values on one way", reused_on_one_way, 0,
         "output 05>05 1, flow 05>0a 0, output 05>12 0, anti 0a>05 1, anti 0a>12 0, output 12>05 "
         "1, flow 12>0a 1, output 12>12 1",
         "0a 0f 12 3/1 through memory, 17 1/1", "0a independent, 0f chasing 1/1"),
    CASE("a system call", kernel, 0,
         "output 05>05 1, anti 00>03 0?, anti 00>05 0?, flow 03>00 1?, flow 03>03 1?, output 03>05 "
         "0?, flow 05>00 1?, flow 05>03 1?",
         "09 1/1, 03 1/1", "00 independent"),
};

static const char *between(FILE *text)
{
    return ftell(text) > 0 ? ", " : "";
}

static uint64_t offset_of(const struct routine_of_code *routine, uint32_t instruction)
{
    return routine->graph.instructions[instruction]->pc - ROUTINE_OF_CODE_PC;
}

static void tell_memory(const struct routine_of_code *routine,
                        const struct ft_loop_dependences *loop, FILE *text)
{
    for (unsigned assumed = 0; assumed < 2; assumed++)
        for (size_t e = 0; e < loop->edge_count; e++) {
            const struct ft_dependence *edge = &loop->edges[e];
            if (edge->place == FT_NO_PLACE && (edge->flags & FT_DEPENDENCE_ASSUMED) == assumed)
                fprintf(text, "%s%s %02" PRIx64 ">%02" PRIx64 " %" PRIu32 "%s%s", between(text),
                        ft_dependence_kind_names[edge->kind],
                        offset_of(routine, edge->from_instruction),
                        offset_of(routine, edge->to_instruction), edge->distance,
                        assumed ? "?" : "",
                        edge->flags & FT_DEPENDENCE_OVERWRITTEN ? " overwritten" : "");
        }
}

static void tell_node(const struct routine_of_code *routine, const struct ft_dependence_node *node,
                      FILE *text)
{
    if (node->instruction == FT_NO_BLOCK)
        fprintf(text, "loop");
    else
        fprintf(text, "%02" PRIx64, offset_of(routine, node->instruction));
}

static void tell_recurrences(const struct routine_of_code *routine,
                             const struct ft_loop_dependences *loop, FILE *text)
{
    struct ft_recurrences recurrences;
    if (ft_recurrences_find(loop, false, NULL, &recurrences, NULL) != 0)
        exit(99);
    for (size_t r = 0; r < recurrences.count; r++) {
        const struct ft_recurrence *item = &recurrences.items[r];
        fprintf(text, "%s", between(text));
        for (uint32_t i = 0; i < item->node_count; i++) {
            tell_node(routine, &loop->nodes[recurrences.nodes[item->first_node + i]], text);
            fprintf(text, " ");
        }
        fprintf(text, "%" PRIu64 "/%" PRIu64 "%s", item->cycle_latency, item->cycle_distance,
                item->through_memory ? " through memory" : "");
    }
    ft_recurrences_fini(&recurrences);
}

static void tell_loads(const struct routine_of_code *routine,
                       const struct ft_loop_dependences *loop, FILE *text)
{
    for (uint32_t n = 0; n < loop->node_count; n++) {
        const struct ft_dependence_node *node = &loop->nodes[n];
        if (node->load_class == FT_LOADS_NOTHING)
            continue;
        fprintf(text, "%s", between(text));
        tell_node(routine, node, text);
        fprintf(text, " %s", ft_load_class_names[node->load_class]);
        if (node->load_class == FT_LOAD_INDIRECT)
            fprintf(text, " %" PRIu32, node->depth);
        if (node->load_class == FT_LOAD_CHASING)
            fprintf(text, "%s %" PRIu32 "/%" PRIu32, node->in_chain ? "" : " behind",
                    node->chain_loads, node->chain_iterations);
    }
}

typedef void teller(const struct routine_of_code *routine, const struct ft_loop_dependences *loop,
                    FILE *text);

static void check(const struct routine_of_code *routine, const struct ft_loop_dependences *loop,
                  const char *what, teller *tell, const char *expected)
{
    char *told = NULL;
    size_t bytes;
    FILE *text = open_memstream(&told, &bytes);
    if (!text)
        exit(99);
    tell(routine, loop, text);
    if (fclose(text) != 0)
        exit(99);
    tap_ok(strcmp(told, expected) == 0, "%s: %s", what, told);
    free(told);
}

int main(void)
{
    static struct routine_of_code routine;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *expected = &expectations[i];
        struct ft_dependences dependences;
        routine_of_code_make(expected->code, expected->bytes, &routine);
        if (ft_dependences_find(&routine.graph, &routine.routines, &routine.loops, FT_ALL_ROUTINES,
                                true, &dependences, NULL) != 0)
            return 99;
        const struct ft_loop_dependences *loop = &dependences.loops[expected->loop];
        check(&routine, loop, expected->what, tell_memory, expected->memory);
        check(&routine, loop, "what closes a cycle", tell_recurrences, expected->recurrences);
        check(&routine, loop, "its loads", tell_loads, expected->loads);
        ft_dependences_fini(&dependences);
        routine_of_code_fini(&routine);
    }
    return tap_plan_done();
}
