/*
 * A path's units are put one behind the other and walked as one piece of code, as if its branches
 * could go no other way; a loop path as a loop is.
 */
#include "formats/x86/path_plan.h"

#include <stdlib.h>
#include <string.h>

#include "formats/x86/known_registers.h"
#include "formats/x86/log_planning.h"

/* The units of a path, one behind the other. */
struct row {
    struct ft_plan_body body; /* in what was decoded */
    struct ft_unit_decoding decoding;
    uint8_t code[FT_PATH_BYTES_MAX];
    struct ft_unit_piece pieces[FT_PATH_INSTRUCTIONS_MAX];
    unsigned piece_count;
};

static int refuse_path(struct ft_diag *diag, const char *why)
{
    return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the units are no path: %s", why);
}

bool ft_path_takes(const struct ft_unit *unit)
{
    unsigned last = unit->instructions[unit->instruction_count - 1].flow;
    return (unit->kind == FT_UNIT_PLAIN || unit->kind == FT_UNIT_PATH) && last != FT_FLOW_SYSCALL &&
           last != FT_FLOW_INTERRUPT_RETURN && last != FT_FLOW_TRAP;
}

static bool goes_on_behind(const struct ft_effect *effect)
{
    return !effect->is_counted_branch && effect->direction != FT_DIRECTION_LOADED;
}

bool ft_path_goes_on_behind(const struct ft_unit *unit)
{
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
    struct ft_instruction instruction;
    struct ft_effect effect;
    return !ft_effect_decode(ft_unit_code(unit, last), last->length, last->pc, &instruction,
                             &effect, NULL) &&
           goes_on_behind(&effect);
}

/* Appends a unit's instructions, whose code goes behind that of the others. */
static int append_unit(struct ft_plan_body *body, uint8_t *code, const struct ft_unit *unit,
                       struct ft_diag *diag)
{
    if (!ft_path_takes(unit))
        return refuse_path(diag, "one is a loop, or a system call");
    if (body->count + unit->instruction_count > FT_PATH_INSTRUCTIONS_MAX ||
        body->code_bytes + unit->code_bytes > FT_PATH_BYTES_MAX)
        return refuse_path(diag, "they are too long");
    memcpy(code + body->code_bytes, unit->code, unit->code_bytes);
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *next = &unit->instructions[i];
        unsigned last = body->count - 1;
        bool follows =
            body->count == 0 || (ft_path_may_go_on(&body->instructions[last], next->pc) &&
                                 goes_on_behind(&body->effects[last]));
        if (!follows)
            return refuse_path(diag, "one does not follow on the other");
        int status =
            ft_effect_decode(code + body->code_bytes, next->length, next->pc,
                             &body->instructions[body->count], &body->effects[body->count], diag);
        if (status)
            return status;
        body->code_bytes += next->length;
        body->count++;
    }
    return 0;
}

static unsigned record_bytes(const struct ft_plan_walk *walk)
{
    unsigned bytes = sizeof(uint32_t);
    for (unsigned s = 0; s < walk->slot_count; s++)
        bytes += walk->slots[s].size_bytes;
    return bytes;
}

static int make_row(const struct ft_unit *const *units, size_t count, struct row *row,
                    struct ft_diag *diag)
{
    struct ft_plan_body *body = &row->body;
    uint32_t module_before = units[0]->module;
    row->piece_count = 0;
    ft_plan_start(body, units[0]->pc, row->code, &row->decoding);
    for (size_t i = 0; i < count; i++) {
        unsigned first = body->count;
        int status = append_unit(body, row->code, units[i], diag);
        if (status)
            return status;
        for (unsigned k = first ? first : 1; k < body->count; k++) {
            uint32_t module = ft_unit_module(units[i], k - first);
            const struct ft_instruction *at = &body->instructions[k];
            if (at->pc != at[-1].pc + at[-1].length || module != module_before)
                row->pieces[row->piece_count++] =
                    (struct ft_unit_piece){.module = module, .first = (uint8_t)k};
            module_before = module;
        }
    }
    return body->count ? 0 : refuse_path(diag, "there are none");
}

static int build_path(const struct row *row, const struct ft_plan_walk *walk, uint32_t entry,
                      uint32_t module, struct ft_unit *path, struct ft_diag *diag)
{
    path->pieces = calloc(row->piece_count + 1U, sizeof *path->pieces);
    if (!path->pieces)
        return ft_fail_memory(diag, "a unit");
    path->piece_count = (uint8_t)row->piece_count;
    memcpy(path->pieces, row->pieces, row->piece_count * sizeof *row->pieces);
    int status = ft_plan_build(&row->body, walk, entry, path, diag);
    path->module = module;
    if (status)
        ft_unit_fini(path);
    return status;
}

int ft_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_path,
                 struct ft_diag *diag)
{
    struct row row;
    struct ft_plan_walk walk;
    struct ft_unit path = {.kind = FT_UNIT_PATH};
    int status = make_row(units, count, &row, diag);
    if (status)
        return status;
    ft_plan_walk_body(&walk, &row.body, FT_STATE_REGISTERS);
    if (walk.overflows || record_bytes(&walk) > FT_PATH_RECORD_BYTES_MAX)
        return refuse_path(diag, "they log too many values");
    status = build_path(&row, &walk, 0, units[0]->module, &path, diag);
    if (!status)
        *ret_path = path;
    return status;
}

/* Whether the last instruction leads to the first, and no other may be predicted there. */
static bool comes_back(const struct ft_plan_body *body)
{
    const struct ft_instruction *last = &body->instructions[body->count - 1];
    bool leads_on = last->flow == FT_FLOW_NEXT || last->flow == FT_FLOW_JUMP ||
                    (last->flow == FT_FLOW_BRANCH && last->target != last->pc + last->length);
    return leads_on && goes_on_behind(&body->effects[body->count - 1]) &&
           ft_path_may_go_on(last, body->pc) && !ft_is_predicted(&body->instructions[0]);
}

static bool repeats_strings(const struct ft_plan_body *body)
{
    for (unsigned i = 0; i < body->count; i++)
        if (ft_plan_is_string(&body->instructions[i]) ||
            body->effects[i].direction != FT_DIRECTION_KEPT)
            return true;
    return false;
}

int ft_loop_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_loop,
                      struct ft_diag *diag)
{
    struct row row = {0};
    struct ft_plan_walk walk;
    struct ft_unit loop = {0};
    uint32_t entry;
    int status = make_row(units, count, &row, diag);
    if (status)
        return status;
    if (!comes_back(&row.body) || repeats_strings(&row.body))
        return refuse_path(diag, "they are no loop");
    /* the log pointer is in r11 where the loop is left */
    if (!ft_plan_loop(&walk, &row.body, ~(1U << FT_R11), &loop, &entry))
        return refuse_path(diag, "what is known is lost in an iteration");
    unsigned entry_bytes = 8 + 8 * (unsigned)__builtin_popcount(entry);
    if (walk.overflows || record_bytes(&walk) + entry_bytes > FT_PATH_RECORD_BYTES_MAX)
        return refuse_path(diag, "they log too many values");
    loop.kind = FT_UNIT_LOOP_PATH;
    status = build_path(&row, &walk, entry, units[0]->module, &loop, diag);
    if (!status)
        *ret_loop = loop;
    return status;
}
