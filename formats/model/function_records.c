#include "formats/model/function_records.h"

#include <string.h>

void ft_function_records_init(struct ft_function_records *records, size_t terms)
{
    const struct ft_field fields[] = {
        FT_FIELD_ARRAY(ft_function, coefficients, FT_FIELD_F64, (uint32_t)terms),
        FT_FIELD(ft_function, rms_relative_error, FT_FIELD_F64),
        FT_FIELD(ft_function, exact, FT_FIELD_U8),
        FT_FIELD(ft_function, left_out, FT_FIELD_U32),
    };
    memcpy(records->fields, fields, sizeof fields);
    records->type = (struct ft_record_type){sizeof(struct ft_function), records->fields, 4};
}

void ft_function_records_init_old(struct ft_function_records *records, size_t terms)
{
    ft_function_records_init(records, terms);
    records->type.field_count--; /* left_out, the last */
}
