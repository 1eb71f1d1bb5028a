/*
 * Reads what a trace keeps of an ELF object (formats/trace/modules.h): identity, symbols, source
 * lines and inlined calls. Line tables come from the object itself or, by build-id, from a separate
 * debug file under /usr/lib/debug; the network is never used.
 *
 * A file that cannot be opened (FT_ERROR_IO) or is no x86-64 executable or shared object
 * (FT_ERROR_DATA) is an error; an object without symbols or lines is not. Thread safe.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_ELF_MODULE_H
#define FT_TRACE_CAPTURE_MODULES_ELF_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/modules.h"
#include "trace-capture/modules/dwarf_units.h"
#include "trace-capture/modules/module_store.h"

/* Identity, symbols and the variables that have one; the rest of the module is in ret_units
 * (dwarf_units.h), which is NULL where there is no DWARF. All of it from the store (may be NULL) if
 * it is there; what has no units is put there. The caller ends ret_module with ft_module_fini. */
int ft_elf_module_open(const char *path, uint64_t load_bias, struct ft_module_store *store,
                       struct ft_module *ret_module, struct ft_dwarf_units **ret_units,
                       struct ft_diag *diag);
/* All of it. */
int ft_elf_module_read(const char *path, uint64_t load_bias, struct ft_module *ret_module,
                       struct ft_diag *diag);

/* The same for an object that has no file (the vDSO); its SHA-256 is that of the image. `name`
 * becomes the module's path. The image is not changed and not needed afterwards. */
int ft_elf_module_read_image(const uint8_t *image, size_t bytes, const char *name,
                             uint64_t load_bias, struct ft_module *ret_module,
                             struct ft_diag *diag);

#endif
