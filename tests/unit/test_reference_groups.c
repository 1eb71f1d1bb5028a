/*
 * Groups of references of small routines, written in bytes below. Each access that is named has a
 * letter; two are in one group if and only if they have the same.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/program/values/group_sizes.h"
#include "tests/support/routine_of_code.h"
#include "tests/support/tap.h"

/* clang-format off */
static const uint8_t records[] = {
    /* 00 mov rax,[rdi]        */ 0x48, 0x8b, 0x07,
    /* 03 mov edx,[rdi+0x8]    */ 0x8b, 0x57, 0x08,
    /* 06 add [rdi+0x10],rax   */ 0x48, 0x01, 0x47, 0x10,
    /* 0a mov rcx,[r8]         */ 0x49, 0x8b, 0x08,
    /* 0d mov rdx,[rsi+rbx*8]  */ 0x48, 0x8b, 0x14, 0xde,
    /* 11 add rdi,0x18         */ 0x48, 0x83, 0xc7, 0x18,
    /* 15 inc rbx              */ 0x48, 0xff, 0xc3,
    /* 18 cmp rdi,r9           */ 0x4c, 0x39, 0xcf,
    /* 1b jne 00               */ 0x75, 0xe3,
    /* 1d ret                  */ 0xc3,
};
static const uint8_t lists[] = {
    /* 00 mov rax,[rdi+0x8]    */ 0x48, 0x8b, 0x47, 0x08,
    /* 04 mov rdx,[rdi+0x18]   */ 0x48, 0x8b, 0x57, 0x18,
    /* 08 mov rbx,[rsi+0x8]    */ 0x48, 0x8b, 0x5e, 0x08,
    /* 0c mov rdi,[rdi]        */ 0x48, 0x8b, 0x3f,
    /* 0f mov rsi,[rsi]        */ 0x48, 0x8b, 0x36,
    /* 12 test rdi,rdi         */ 0x48, 0x85, 0xff,
    /* 15 jne 00               */ 0x75, 0xe9,
    /* 17 ret                  */ 0xc3,
};
static const uint8_t versions[] = {
    /* 00 mov rax,[rdi]        */ 0x48, 0x8b, 0x07,
    /* 03 mov rdx,[rsi]        */ 0x48, 0x8b, 0x16,
    /* 06 mov [r8],rax         */ 0x49, 0x89, 0x00,
    /* 09 add rdi,0x20         */ 0x48, 0x83, 0xc7, 0x20,
    /* 0d add rsi,0x40         */ 0x48, 0x83, 0xc6, 0x40,
    /* 11 lea r8,[r8+r9*4]     */ 0x4f, 0x8d, 0x04, 0x88,
    /* 15 dec rcx              */ 0x48, 0xff, 0xc9,
    /* 18 jne 00               */ 0x75, 0xe6,
    /* 1a mov rax,[rdi]        */ 0x48, 0x8b, 0x07,
    /* 1d mov rdx,[rsi]        */ 0x48, 0x8b, 0x16,
    /* 20 mov [r8],rax         */ 0x49, 0x89, 0x00,
    /* 23 add rdi,0x8          */ 0x48, 0x83, 0xc7, 0x08,
    /* 27 add rsi,0x10         */ 0x48, 0x83, 0xc6, 0x10,
    /* 2b add r8,r9            */ 0x4d, 0x01, 0xc8,
    /* 2e dec r10              */ 0x49, 0xff, 0xca,
    /* 31 jne 1a               */ 0x75, 0xe7,
    /* 33 mov rax,[rdi]        */ 0x48, 0x8b, 0x07,
    /* 36 mov rdx,[rsi-0x14]   */ 0x48, 0x8b, 0x56, 0xec,
    /* 3a sub rdi,0x8          */ 0x48, 0x83, 0xef, 0x08,
    /* 3e add rsi,0x14         */ 0x48, 0x83, 0xc6, 0x14,
    /* 42 dec r11              */ 0x49, 0xff, 0xcb,
    /* 45 jne 33               */ 0x75, 0xec,
    /* 47 ret                  */ 0xc3,
};
static const uint8_t stack[] = {
    /* 00 sub rsp,0x48         */ 0x48, 0x83, 0xec, 0x48,
    /* 04 mov [rsp+0x8],rbx    */ 0x48, 0x89, 0x5c, 0x24, 0x08,
    /* 09 lea rsi,[rsp+0x20]   */ 0x48, 0x8d, 0x74, 0x24, 0x20,
    /* 0e mov rax,[rsp+0x50]   */ 0x48, 0x8b, 0x44, 0x24, 0x50,
    /* 13 mov rdx,[rip+0x100]  */ 0x48, 0x8b, 0x15, 0x00, 0x01, 0x00, 0x00,
    /* 1a mov r9,[rip+0x200]   */ 0x4c, 0x8b, 0x0d, 0x00, 0x02, 0x00, 0x00,
    /* 21 mov r8,[rdi]         */ 0x4c, 0x8b, 0x07,
    /* 24 mov r8,[rdi+0x8]     */ 0x4c, 0x8b, 0x47, 0x08,
    /* 28 mov rbx,[rsp+0x8]    */ 0x48, 0x8b, 0x5c, 0x24, 0x08,
    /* 2d mov rax,[rsp+0x10]   */ 0x48, 0x8b, 0x44, 0x24, 0x10,
    /* 32 mov [rsp+0x28],rax   */ 0x48, 0x89, 0x44, 0x24, 0x28,
    /* 37 mov rdx,[rip+0x100]  */ 0x48, 0x8b, 0x15, 0x00, 0x01, 0x00, 0x00,
    /* 3e mov rax,[rsi+rcx*8]  */ 0x48, 0x8b, 0x04, 0xce,
    /* 42 dec rcx              */ 0x48, 0xff, 0xc9,
    /* 45 jne 28               */ 0x75, 0xe1,
    /* 47 add rsp,0x48         */ 0x48, 0x83, 0xc4, 0x48,
    /* 4b ret                  */ 0xc3,
};
/* clang-format on */

struct member {
    uint64_t offset;
    unsigned access;
    char group;
    uint8_t storage; /* enum ft_storage */
};

static const struct ft_reference_group *group_of(const struct routine_of_code *routine,
                                                 const struct ft_reference_groups *groups,
                                                 const struct member *member)
{
    uint32_t access = ft_formulas_access_at(&routine->formulas, &routine->graph,
                                            ROUTINE_OF_CODE_PC + member->offset, member->access);
    return &groups->items[groups->of_access[access]];
}

static void check_members(const char *what, const struct routine_of_code *routine,
                          const struct member *members, size_t count)
{
    struct ft_reference_groups groups;
    struct ft_diag diag;
    if (!tap_ok(ft_reference_groups_find(&routine->graph, &routine->routines, &routine->loops,
                                         &routine->formulas, &groups, &diag) == 0,
                "%s", what))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct ft_reference_group *group = group_of(routine, &groups, &members[i]);
        uint32_t letters = 0;
        bool alone = true;
        for (size_t j = 0; j < count; j++) {
            letters += members[j].group == members[i].group;
            if (members[j].group != members[i].group)
                alone = alone && group_of(routine, &groups, &members[j]) != group;
            else
                alone = alone && group_of(routine, &groups, &members[j]) == group;
        }
        tap_ok(alone && group->member_count == letters && group->storage == members[i].storage,
               "%s: %02x is of group %c, which has %u", what, (unsigned)members[i].offset,
               members[i].group, letters);
    }
    uint32_t listed = 0;
    for (uint32_t g = 0; g < groups.count; g++)
        for (uint32_t m = 0; m < groups.items[g].member_count; m++)
            listed += groups.of_access[groups.members[groups.items[g].first_member + m]] == g;
    tap_ok(listed == routine->formulas.access_count, "%s: each access is listed once", what);
    ft_reference_groups_fini(&groups);
}

/* same_as: of the loops, all of one source loop where it is true. */
static void check(const char *what, const uint8_t *code, size_t bytes, bool same_as,
                  const struct member *members, size_t count)
{
    static struct routine_of_code routine;
    routine_of_code_make(code, bytes, &routine);
    for (size_t i = 0; same_as && i < routine.loops.count; i++)
        routine.loops.items[i].same_as = 0;
    check_members(what, &routine, members, count);
    routine_of_code_fini(&routine);
}

#define CHECK(what, code, same_as, ...)                                                            \
    do {                                                                                           \
        static const struct member members[] = {__VA_ARGS__};                                      \
        check(what, code, sizeof code, same_as, members, sizeof members / sizeof *members);        \
    } while (0)

/* Of `versions`: three references each in two loops, which are joined to three pairs if the loops
 * were one in the source, and two in a third; the return is a spill. */
static void check_sizes(const uint8_t *code, size_t bytes, bool same_as, uint64_t across,
                        uint64_t pairs)
{
    static struct routine_of_code routine;
    struct ft_reference_groups groups;
    struct ft_group_sizes sizes;
    struct ft_diag diag;
    routine_of_code_make(code, bytes, &routine);
    for (size_t i = 0; same_as && i < routine.loops.count; i++)
        routine.loops.items[i].same_as = 0;
    if (tap_ok(ft_reference_groups_find(&routine.graph, &routine.routines, &routine.loops,
                                        &routine.formulas, &groups, &diag) == 0 &&
                   ft_group_sizes_find(&groups, &routine.formulas, &routine.routines,
                                       routine.routines.items[0].module, &sizes, &diag) == 0,
               "sizes of groups")) {
        const uint64_t *counts = sizes.groups;
        tap_ok(sizes.references == counts[FT_UNGROUPED] && counts[FT_GROUPED_IN_LOOPS] == 8 &&
                   counts[FT_GROUPED_ACROSS_LOOPS] == across,
               "%" PRIu64 " references, %" PRIu64 " groups in loops, %" PRIu64 " across",
               sizes.references, counts[FT_GROUPED_IN_LOOPS], counts[FT_GROUPED_ACROSS_LOOPS]);
        tap_ok(sizes.bins[FT_UNGROUPED][0] == sizes.references &&
                   sizes.bins[FT_GROUPED_ACROSS_LOOPS][1] == pairs &&
                   sizes.largest[FT_UNGROUPED] == 1 &&
                   sizes.largest[FT_GROUPED_ACROSS_LOOPS] == (pairs ? 2 : 1),
               "%" PRIu64 " groups of two", sizes.bins[FT_GROUPED_ACROSS_LOOPS][1]);
        ft_reference_groups_fini(&groups);
    }
    routine_of_code_fini(&routine);
}

int main(void)
{
    /* Loads and stores of all fields; neither a scalar nor another array's elements. */
    CHECK("records of 24 bytes", records, false, {0x00, 0, 'a', FT_STORAGE_DATA},
          {0x03, 0, 'a', FT_STORAGE_DATA}, {0x06, 0, 'a', FT_STORAGE_DATA},
          {0x06, 1, 'a', FT_STORAGE_DATA}, {0x0a, 0, 'b', FT_STORAGE_DATA},
          {0x0d, 0, 'c', FT_STORAGE_DATA});
    /* Irregular all of them; what tells them apart is the pointer that they go by. */
    CHECK("two lists", lists, false, {0x00, 0, 'a', FT_STORAGE_DATA},
          {0x04, 0, 'a', FT_STORAGE_DATA}, {0x08, 0, 'b', FT_STORAGE_DATA},
          {0x0c, 0, 'a', FT_STORAGE_DATA}, {0x0f, 0, 'b', FT_STORAGE_DATA});
    /* A loop that makes four iterations at once and its remainder: 64 is also 8 times 8, but three
     * references tell of four iterations. One goes the other way, one by 20, no multiple of 8
     * or 16. */
    CHECK("versions of a loop", versions, true, {0x00, 0, 'a', FT_STORAGE_DATA},
          {0x03, 0, 'b', FT_STORAGE_DATA}, {0x06, 0, 'c', FT_STORAGE_DATA},
          {0x1a, 0, 'a', FT_STORAGE_DATA}, {0x1d, 0, 'b', FT_STORAGE_DATA},
          {0x20, 0, 'c', FT_STORAGE_DATA}, {0x33, 0, 'd', FT_STORAGE_DATA},
          {0x36, 0, 'e', FT_STORAGE_DATA});
    CHECK("loops of their own", versions, false, {0x00, 0, 'a', FT_STORAGE_DATA},
          {0x03, 0, 'b', FT_STORAGE_DATA}, {0x06, 0, 'c', FT_STORAGE_DATA},
          {0x1a, 0, 'd', FT_STORAGE_DATA}, {0x1d, 0, 'e', FT_STORAGE_DATA},
          {0x20, 0, 'f', FT_STORAGE_DATA}, {0x33, 0, 'g', FT_STORAGE_DATA},
          {0x36, 0, 'h', FT_STORAGE_DATA});
    /* Outside of the loop: a saved register, an argument of the caller's, two variables, fields of
     * what a register points to, the return. In it: spills; what is reached through a pointer and
     * is invariant, or moves; a variable. */
    CHECK("the stack", stack, false, {0x04, 0, 'a', FT_STORAGE_SPILL},
          {0x0e, 0, 'b', FT_STORAGE_STACK}, {0x13, 0, 'c', FT_STORAGE_DATA},
          {0x1a, 0, 'd', FT_STORAGE_DATA}, {0x21, 0, 'e', FT_STORAGE_DATA},
          {0x24, 0, 'e', FT_STORAGE_DATA}, {0x28, 0, 'f', FT_STORAGE_SPILL},
          {0x2d, 0, 'f', FT_STORAGE_SPILL}, {0x32, 0, 'g', FT_STORAGE_STACK},
          {0x37, 0, 'h', FT_STORAGE_DATA}, {0x3e, 0, 'i', FT_STORAGE_STACK},
          {0x4b, 0, 'j', FT_STORAGE_STACK});
    check_sizes(versions, sizeof versions, true, 5, 3);
    check_sizes(versions, sizeof versions, false, 8, 0);
    return tap_plan_done();
}
