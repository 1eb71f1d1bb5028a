#include "trace-capture/modules/symbol_tables.h"

static int visit_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       ft_symbol_visitor *visit, void *context)
{
    enum ft_symbol_source source =
        header->sh_type == SHT_SYMTAB ? FT_SYMBOL_TABLE : FT_SYMBOL_DYNAMIC;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol)
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name)
            status = visit(context, &symbol, name, source);
    }
    return status;
}

int ft_symbol_tables_visit(Elf *elf, ft_symbol_visitor *visit, void *context)
{
    int status = 0;
    for (Elf_Scn *section = NULL; status == 0 && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            status = visit_table(elf, section, &header, visit, context);
    }
    return status;
}
