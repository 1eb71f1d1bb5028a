/*
 * Expanding a record of which only the first instructions ran: rare, so it is stepped through
 * (ft_unit_step), and each access, and each fetch before it, is an entry of its own.
 */
#include "formats/expand/expand.h"
#include "formats/expand/program.h"
#include "formats/expand/run_buffer.h"

/* A record of which only the first instructions ran. */
struct partial {
    const struct ft_unit_program *program;
    const uint32_t *references;
    struct ft_run_buffer *buffer;
    unsigned fetched; /* instructions whose fetches are there */
    struct ft_diag *diag;
};

/* Entries of the accesses, and of the fetches, of the first instructions. */
static unsigned access_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    const struct ft_unit *unit = program->unit;
    unsigned count = 0;
    if (!(program->content & FT_RUN_ACCESSES))
        return 0;
    for (unsigned i = 0; i < instruction_count; i++)
        for (unsigned a = 0; a < unit->instructions[i].access_count; a++)
            count += unit->instructions[i].accesses[a].kind != FT_PREFETCH;
    return count;
}

static unsigned fetch_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    return program->content & FT_RUN_FETCHES
               ? ft_program_instructions(program->unit, instruction_count)
               : 0;
}

static int append_entry(struct partial *partial, unsigned entry, uint64_t address)
{
    struct ft_run_buffer *buffer = partial->buffer;
    if (buffer->entry_count >= buffer->entry_limit)
        return ft_fail(partial->diag, FT_ERROR_DATA, "more accesses than the chunk counts");
    if (!ft_run_buffer_make_room(buffer, 1))
        return ft_fail_memory(partial->diag, "runs");
    buffer->addresses[buffer->entry_count] = address;
    buffer->references[buffer->entry_count] = partial->references[entry];
    ft_run_buffer_add(buffer, 1, 1);
    return 0;
}

/* The fetches up to so many instructions that are not there yet. */
static int append_fetches(struct partial *partial, unsigned instruction_count)
{
    const struct ft_unit_program *program = partial->program;
    int status = 0;
    for (; !status && partial->fetched < instruction_count; partial->fetched++) {
        const struct ft_instruction *at = &program->unit->instructions[partial->fetched];
        if ((program->content & FT_RUN_FETCHES) && !at->accesses_only)
            status = append_entry(partial,
                                  access_entries(program, partial->fetched) +
                                      fetch_entries(program, partial->fetched),
                                  at->pc);
    }
    return status;
}

static int append_access(void *context, const struct ft_expanded_access *access)
{
    struct partial *partial = context;
    int status = append_fetches(partial, access->instruction + 1U);
    if (status || access->kind == FT_PREFETCH || !(partial->program->content & FT_RUN_ACCESSES))
        return status;
    return append_entry(
        partial, access->static_index + fetch_entries(partial->program, access->instruction + 1U),
        access->address);
}

int ft_expand_partial(const struct ft_unit_program *program, const struct ft_record *record,
                      const uint32_t *references, struct ft_log_state *state,
                      struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    struct partial partial = {
        .program = program, .references = references, .buffer = buffer, .diag = diag};
    int status = ft_unit_step(program->unit, record, state, append_access, &partial, diag);
    return status ? status : append_fetches(&partial, (unsigned)record->values[1]);
}
