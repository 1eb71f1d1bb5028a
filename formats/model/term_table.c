#include "formats/model/term_table.h"

#include <stdlib.h>

#include "formats/base/records.h"

struct text {
    char *text;
};
static const struct ft_field text_fields[] = {FT_FIELD(text, text, FT_FIELD_TEXT)};
static const struct ft_record_type text_type = FT_RECORD_TYPE(text, text_fields);

int ft_term_table_write(hid_t group, const char *name, const struct ft_basis *basis,
                        struct ft_diag *diag)
{
    char texts[FT_BASIS_MAX][FT_TERM_TEXT];
    struct text rows[FT_BASIS_MAX];
    for (size_t i = 0; i < basis->term_count; i++)
        rows[i].text = ft_term_text(texts[i], basis, i);
    return ft_records_write(group, name, &text_type, rows, basis->term_count, diag);
}

int ft_term_table_read(hid_t group, const char *name, struct ft_basis *basis, struct ft_diag *diag)
{
    struct text *rows = NULL;
    size_t count = 0;
    int status = ft_records_read(group, name, &text_type, (void **)&rows, &count, diag);
    for (size_t i = 0; !status && i < count; i++) {
        struct ft_diag inner = {0};
        if (ft_basis_add(basis, rows[i].text, &inner) < 0)
            status = ft_fail(diag, FT_ERROR_DATA, "%s", inner.message);
    }
    if (!status && basis->term_count != count)
        status = ft_fail(diag, FT_ERROR_DATA, "the %s are not all different", name);
    for (size_t i = 0; i < count && rows; i++)
        free(rows[i].text);
    free(rows);
    return status;
}
