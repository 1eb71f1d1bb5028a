/*
 * A module in the store: its symbols and variables, the list of its units of DWARF, and what was
 * read of them so far. A later capture that wants more of them reads these from the file, and
 * stores them too.
 *
 * The key is a hash of the build-id, of the facts (size, inode, times) of the files that are read,
 * or, without a build-id, of the file's contents; and of this foretrace and its libdw. Files that
 * changed in the last seconds have none: a change that followed would leave the times as they are.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_STORED_MODULE_H
#define FT_TRACE_CAPTURE_MODULES_STORED_MODULE_H

#include "trace-capture/modules/dwarf_units.h"
#include "trace-capture/modules/module_store.h"

/* Of a module with build-id, or else SHA-256; fd: its file. debug: its debug file, if there is one
 * that is used. */
void ft_stored_module_key(const struct ft_module *module, int fd, Elf *elf,
                          const struct ft_debug_file *debug, struct ft_module_key *ret_key);

/* False: there is no entry. The module has no path then, and load_bias 0. */
bool ft_stored_module_read(const struct ft_module_store *store, const struct ft_module_key *key,
                           int fd, const struct ft_debug_file *debug, struct ft_module *ret_module,
                           struct ft_dwarf_units **ret_units);
/* The module as it is without lines. units: NULL where it has none. */
void ft_stored_module_write(struct ft_module_store *store, const struct ft_module_key *key,
                            const struct ft_module *module, const struct ft_dwarf_units *units);

/* The list of units that were forgotten, from the entry if there is one. */
void ft_stored_units_read_again(const struct ft_module_store *store, struct ft_dwarf_units *units);

#endif
