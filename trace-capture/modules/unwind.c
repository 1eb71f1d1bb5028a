/*
 * The extents of routines that have unwind information but no symbol: each FDE of .eh_frame begins
 * with a routine's start and length, encoded as its CIE's augmentation says (Linux Standard Base,
 * "Exception Frames"). libdw walks the entries; the pointers are decoded here.
 */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "formats/base/array.h"
#include "trace-capture/modules/module_builder.h"

/* The FDE pointer encoding that a CIE asks for with 'R'; DW_EH_PE_omit if it is unknown. */
static uint8_t pointer_encoding(const Dwarf_CIE *cie)
{
    if (cie->augmentation[0] != 'z')
        return cie->augmentation[0] == 0 ? DW_EH_PE_absptr : DW_EH_PE_omit;
    const uint8_t *data = cie->augmentation_data;
    size_t left = cie->augmentation_data_size;
    for (const char *letter = cie->augmentation + 1; *letter; letter++) {
        if (*letter == 'R')
            return left ? *data : DW_EH_PE_omit;
        size_t skip = 0; /* 'S' and 'B' carry no data */
        if (*letter == 'L')
            skip = 1;
        else if (*letter == 'P' && left > 0)
            skip = (*data & 0x07) == DW_EH_PE_udata4   ? 5
                   : (*data & 0x07) == DW_EH_PE_udata2 ? 3
                                                       : 9;
        if (skip > left)
            return DW_EH_PE_omit;
        data += skip;
        left -= skip;
    }
    return DW_EH_PE_absptr;
}

/* Reads a value of the format in the encoding's low bits; false past the end or unknown. */
static bool read_encoded(const uint8_t **bytes, const uint8_t *end, uint8_t format,
                         uint64_t *ret_value)
{
    size_t size = (format & 0x07) == DW_EH_PE_udata2                                ? 2
                  : (format & 0x07) == DW_EH_PE_udata4                              ? 4
                  : (format & 0x07) == DW_EH_PE_udata8 || format == DW_EH_PE_absptr ? 8
                                                                                    : 0;
    if (size == 0 || (size_t)(end - *bytes) < size)
        return false;
    uint64_t value = 0;
    memcpy(&value, *bytes, size);
    if ((format & DW_EH_PE_signed) && size < 8) {
        uint64_t sign = 1ULL << (8 * size - 1);
        value = (value ^ sign) - sign;
    }
    *bytes += size;
    *ret_value = value;
    return true;
}

static bool add_entry(const Elf_Data *section, uint64_t section_address, const Dwarf_FDE *fde,
                      uint8_t encoding, struct ft_symbol_candidates *candidates)
{
    uint8_t application = encoding & 0x70;
    const uint8_t *bytes = fde->start;
    uint64_t at = section_address + (uint64_t)(bytes - (const uint8_t *)section->d_buf);
    uint64_t start, length;
    if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) ||
        (application != DW_EH_PE_absptr && application != DW_EH_PE_pcrel) ||
        !read_encoded(&bytes, fde->end, encoding & 0x0f, &start) ||
        !read_encoded(&bytes, fde->end, encoding & 0x07, &length))
        return true;
    if (application == DW_EH_PE_pcrel)
        start += at;
    if (start == 0 || length == 0 || length > UINT64_MAX - start)
        return true;
    if (!FT_RESERVE(candidates->items, candidates->capacity, candidates->count + 1))
        return false;
    candidates->items[candidates->count++] = (struct ft_symbol_candidate){
        .start = start,
        .end = start + length,
        .limit = start + length,
        .source = FT_SYMBOL_UNWIND,
        .rank = 2,
    };
    return true;
}

static bool section_candidates(Elf *elf, Elf_Data *data, uint64_t address,
                               struct ft_symbol_candidates *candidates)
{
    const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
    uint8_t encoding = DW_EH_PE_omit;
    Dwarf_Off encoding_of = UINT64_MAX; /* the CIE that `encoding` belongs to */
    Dwarf_Off offset = 0, next = 0;
    Dwarf_CFI_Entry entry;
    for (; dwarf_next_cfi(ident, data, true, offset, &next, &entry) == 0; offset = next) {
        if (dwarf_cfi_cie_p(&entry))
            continue;
        if (entry.fde.CIE_pointer != encoding_of) {
            Dwarf_CFI_Entry cie;
            Dwarf_Off behind;
            encoding_of = entry.fde.CIE_pointer;
            encoding = dwarf_next_cfi(ident, data, true, encoding_of, &behind, &cie) == 0 &&
                               dwarf_cfi_cie_p(&cie)
                           ? pointer_encoding(&cie.cie)
                           : DW_EH_PE_omit;
        }
        if (!add_entry(data, address, &entry.fde, encoding, candidates))
            return false;
    }
    return true;
}

bool ft_unwind_candidates(Elf *elf, struct ft_symbol_candidates *candidates)
{
    GElf_Shdr header;
    Elf_Scn *section = ft_elf_section(elf, ".eh_frame", &header);
    Elf_Data *data = section && header.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
    return !data || !data->d_buf || section_candidates(elf, data, header.sh_addr, candidates);
}
