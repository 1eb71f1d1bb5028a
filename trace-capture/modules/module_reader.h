/*
 * Reads the modules of the program in a separate thread: large symbol tables take a while, which
 * the program must not wait for. They are read in the order in which they were added. Their lines
 * are read at the end, when it is known which code was executed.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_MODULE_READER_H
#define FT_TRACE_CAPTURE_MODULES_MODULE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/trace.h"
#include "formats/trace/trace_writer.h"
#include "trace-capture/modules/executed_code.h"
#include "trace-capture/modules/source_outcome.h"

struct ft_module_reader;

/* Called in the reader's thread for each module; with NULL when no other has followed for a while,
 * but not at the end. */
typedef int ft_module_reader_write(void *context, const struct ft_module *module,
                                   struct ft_diag *diag);
/* Likewise, if a module could not be read or written. */
typedef void ft_module_reader_fail(void *context, const struct ft_diag *diag);

/* is_private: what is written has no folders of paths (formats/trace/private_parts.h). */
int ft_module_reader_create(ft_module_reader_write *write, ft_module_reader_fail *fail,
                            void *context, bool is_private, struct ft_module_reader **ret_reader,
                            struct ft_diag *diag);
/* Before any module is added: source files will be wanted, so modules whose lines are read at once
 * are kept as the others are. */
void ft_module_reader_keep_lines(struct ft_module_reader *reader);
/* The object at `path`, its offsets [start, end) mapped at their load bias; `image`: its bytes,
 * which are taken over, if it has no file (the vDSO), else NULL. */
int ft_module_reader_add(struct ft_module_reader *reader, const char *path, uint64_t load_bias,
                         uint64_t start, uint64_t end, uint8_t *image, size_t image_bytes,
                         struct ft_diag *diag);
/* Waits until all modules that were added are read; none may be added any more. */
void ft_module_reader_finish(struct ft_module_reader *reader);
/* Then: writes the lines of the code, which is sorted, and, unless sources is NULL, the source
 * files that they name (named_sources.h); *sources says what became of them. */
int ft_module_reader_write_lines(const struct ft_module_reader *reader,
                                 const struct ft_executed_code *code,
                                 struct ft_source_outcome *sources, struct ft_trace_writer *writer,
                                 struct ft_diag *diag);
void ft_module_reader_destroy(struct ft_module_reader *reader);

#endif
