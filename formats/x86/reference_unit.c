/*
 * The table in place of the code, for each entry: varint (pc - pc of the entry before, zigzag; the
 * unit's pc before the first), u8 flags (bits 0-1 how many accesses, bit 2 executed), u8 length;
 * for each access u8 flags (bits 0-1 kind, bit 2 same address as the one before), varint size.
 *
 * A unit that is made here is written as a table and then decoded as one that is read, so that
 * there is one way from entries to instructions and slots.
 */
#include "formats/x86/reference_unit.h"

#include <stdlib.h>
#include <string.h>

#define ACCESS_COUNT_BITS 3U
#define IS_EXECUTED       4U
#define KIND_BITS         3U
#define SAME_ADDRESS      4U

static int bad_unit(const struct ft_unit *unit, const char *what, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "definition of unit %u is damaged: %s", unit->id, what);
}

static void write_entry(const struct ft_reference_entry *entry, uint64_t pc_before,
                        struct ft_bytes *table)
{
    ft_put_varint(table, ft_zigzag(entry->pc - pc_before));
    ft_put_u8(table, (uint8_t)(entry->access_count | (entry->is_executed ? IS_EXECUTED : 0)));
    ft_put_u8(table, entry->length_bytes);
    for (unsigned a = 0; a < entry->access_count; a++) {
        const struct ft_reference_access *access = &entry->accesses[a];
        ft_put_u8(table, (uint8_t)(access->kind | (access->same_address ? SAME_ADDRESS : 0)));
        ft_put_varint(table, access->size_bytes);
    }
}

/* Reads an access; gives the slot that its address is in, a new one unless it is shared. */
static bool read_access(struct ft_cursor *table, unsigned index, unsigned a, struct ft_slot *slots,
                        unsigned *slot_count, struct ft_access *ret_access)
{
    uint8_t flags = ft_get_u8(table);
    uint64_t size_bytes = ft_get_varint(table);
    bool is_shared = flags & SAME_ADDRESS;
    if (table->failed || flags > (KIND_BITS | SAME_ADDRESS) || (is_shared && a == 0) ||
        size_bytes == 0 || size_bytes > FT_REFERENCE_SIZE_MAX)
        return false;
    if (!is_shared)
        slots[(*slot_count)++] = (struct ft_slot){
            .kind = FT_SLOT_ADDRESS, .size_bytes = 8, .instruction = (uint8_t)index};
    *ret_access = (struct ft_access){.kind = flags & KIND_BITS,
                                     .mode = FT_ACCESS_LOGGED,
                                     .base = FT_NO_REGISTER,
                                     .index = FT_NO_REGISTER,
                                     .bit_offset = FT_NO_REGISTER,
                                     .lanes = 1,
                                     .elements = 1,
                                     .mask_register = 0xff,
                                     .size_bytes = (uint32_t)size_bytes,
                                     .slot = (uint16_t)(*slot_count - 1)};
    return true;
}

static bool read_entry(struct ft_cursor *table, unsigned index, uint64_t pc_before,
                       struct ft_slot *slots, unsigned *slot_count,
                       struct ft_instruction *ret_instruction)
{
    uint64_t pc = pc_before + ft_unzigzag(ft_get_varint(table));
    uint8_t flags = ft_get_u8(table), length_bytes = ft_get_u8(table);
    if (table->failed || flags > (ACCESS_COUNT_BITS | IS_EXECUTED))
        return false;
    *ret_instruction = (struct ft_instruction){.pc = pc,
                                               .length = length_bytes,
                                               .flow = FT_FLOW_UNKNOWN,
                                               .mix_class = FT_MIX_OTHER,
                                               .number_type = FT_NO_NUMBER,
                                               .access_count = flags & ACCESS_COUNT_BITS,
                                               .accesses_only = !(flags & IS_EXECUTED)};
    for (unsigned a = 0; a < ret_instruction->access_count; a++)
        if (!read_access(table, index, a, slots, slot_count, &ret_instruction->accesses[a]))
            return false;
    return true;
}

/* The unit's instructions, and the slots that go with them. */
static int read_table(struct ft_unit *unit, struct ft_slot *ret_slots, unsigned *ret_slot_count,
                      struct ft_diag *diag)
{
    struct ft_cursor table = {.data = unit->code, .length = unit->code_bytes};
    uint64_t pc = unit->pc;
    *ret_slot_count = 0;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        if (!read_entry(&table, i, pc, ret_slots, ret_slot_count, &unit->instructions[i]))
            return bad_unit(unit, "an entry is inconsistent", diag);
        pc = unit->instructions[i].pc;
    }
    if (table.position != table.length || unit->instructions[0].pc != unit->pc)
        return bad_unit(unit, "its entries do not fill it", diag);
    return FT_OK;
}

int ft_reference_unit_decode(struct ft_unit *unit, struct ft_diag *diag)
{
    struct ft_slot slots[FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX] = {0};
    unsigned slot_count;
    int status = read_table(unit, slots, &slot_count, diag);
    if (status)
        return status;
    if (slot_count != unit->slot_count ||
        (slot_count && memcmp(slots, unit->slots, slot_count * sizeof *slots) != 0))
        return bad_unit(unit, "its slots are not those of its accesses", diag);
    return FT_OK;
}

int ft_reference_unit_create(const struct ft_reference_entry *entries, unsigned count,
                             struct ft_unit *ret_unit, struct ft_diag *diag)
{
    struct ft_slot slots[FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX] = {0};
    unsigned slot_count = 0;
    struct ft_bytes table = {0};
    for (unsigned i = 0; i < count; i++)
        write_entry(&entries[i], entries[i ? i - 1 : 0].pc, &table);
    struct ft_unit unit = {.module = FT_NO_MODULE,
                           .pc = entries[0].pc,
                           .kind = FT_UNIT_REFERENCES,
                           .code_bytes = (uint16_t)table.length,
                           .instruction_count = (uint8_t)count,
                           .code = table.data,
                           .instructions = calloc(count + 1U, sizeof *unit.instructions)};
    int status = FT_OK;
    if (table.failed || !unit.instructions)
        status = ft_fail_memory(diag, "a unit");
    else if (table.length > FT_UNIT_BYTES_MAX)
        status = ft_fail(diag, FT_ERROR_UNSUPPORTED, "a unit of %zu bytes", table.length);
    if (!status)
        status = read_table(&unit, slots, &slot_count, diag);
    if (!status && !(unit.slots = calloc(slot_count + 1U, sizeof *unit.slots)))
        status = ft_fail_memory(diag, "a unit");
    if (status) {
        ft_unit_fini(&unit);
        return status;
    }
    memcpy(unit.slots, slots, slot_count * sizeof *slots);
    unit.slot_count = unit.entry_slot_count = (uint16_t)slot_count;
    *ret_unit = unit;
    return FT_OK;
}
