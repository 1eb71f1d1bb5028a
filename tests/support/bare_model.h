/*
 * A model that files take, over N = 10, 20 and 40, with one block size and nothing known: tests add
 * what they are about. ft_model_fini frees it.
 */
#ifndef FT_TESTS_SUPPORT_BARE_MODEL_H
#define FT_TESTS_SUPPORT_BARE_MODEL_H

#include "formats/model/model.h"

#define BARE_MODEL_SIZES 3

struct ft_model bare_model(const char *name, const char *parameter);

#endif
