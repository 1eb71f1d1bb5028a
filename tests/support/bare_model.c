#include "tests/support/bare_model.h"

#include <stdlib.h>
#include <string.h>

struct ft_model bare_model(const char *name, const char *parameter)
{
    struct ft_model model = {.name = strdup(name),
                             .program = strdup("/bin/program"),
                             .parameter = strdup(parameter),
                             .training = calloc(BARE_MODEL_SIZES, sizeof(double)),
                             .training_count = BARE_MODEL_SIZES,
                             .trace_hashes = calloc(BARE_MODEL_SIZES, sizeof(char *)),
                             .block_bytes = calloc(1, sizeof(uint64_t)),
                             .size_count = 1,
                             .distinct_blocks = calloc(1, sizeof(struct ft_function)),
                             .groups = calloc(1, sizeof(struct ft_model_group)),
                             .counts = calloc(1, sizeof(struct ft_model_scope_counts)),
                             .method = strdup("modes"),
                             .methods = calloc(2, sizeof(char *)),
                             .method_count = 1,
                             .options = strdup(""),
                             .tool_version = strdup("test")};
    model.basis = ft_basis_default(model.parameter);
    model.data_basis = (struct ft_basis){.parameter_count = 1, .parameters = {FT_DATA_SIZE}};
    model.block_bytes[0] = 64;
    model.methods[0] = strdup("modes");
    model.scopes.scopes = calloc(1, sizeof *model.scopes.scopes);
    model.scopes.scope_count = 1;
    model.scopes.scopes[0].module = UINT32_MAX; /* none */
    model.scopes.scopes[0].name = strdup("program");
    model.scopes.scopes[0].file = strdup("");
    for (size_t i = 0; i < BARE_MODEL_SIZES; i++) {
        model.training[i] = 10 * (double)(1U << i);
        model.trace_hashes[i] = strdup("hash");
    }
    return model;
}
