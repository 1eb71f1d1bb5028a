/*
 * The state of dwarf_units.h, for what reads units and for what stores them.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_DWARF_UNITS_STATE_H
#define FT_TRACE_CAPTURE_MODULES_DWARF_UNITS_STATE_H

#include <sys/stat.h>

#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/module_store.h"

struct ft_dwarf_range {
    uint64_t start, end;
};

struct ft_dwarf_unit {
    Dwarf_Off offset; /* of its entry */
    bool has_ranges;
    size_t first_range, range_count; /* in ft_dwarf_units.ranges */
    bool has_variables, has_lines;   /* were read */
    struct ft_module tables;         /* not in order; symbols as module_builder.h says */
    const uint8_t *stored; /* in ft_dwarf_units.stored: what the tables will be; NULL: they are */
    size_t stored_bytes;
};

struct ft_dwarf_units {
    Elf *given; /* NULL: opened from the file */
    int fd;
    struct stat file;   /* as it was at first */
    bool is_debug_file; /* of another object */
    uint64_t code_start, code_end;
    struct ft_symbol_candidates objects; /* their names are in `names` */
    char *names;
    Elf *elf; /* of the file, while `dwarf` is open */
    Dwarf *dwarf;
    bool is_listed;
    struct ft_dwarf_unit *units;
    size_t count, capacity;
    struct ft_dwarf_range *ranges;
    size_t range_count, range_capacity;
    struct ft_module_key key; /* of the store's entry */
    bool is_unsaved;          /* something is not in the entry */
    struct ft_bytes stored;   /* the entry */
};

#endif
