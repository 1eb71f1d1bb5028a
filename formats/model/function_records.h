/*
 * Functions as rows of a table: as many coefficients as their basis has terms.
 */
#ifndef FT_FORMATS_MODEL_FUNCTION_RECORDS_H
#define FT_FORMATS_MODEL_FUNCTION_RECORDS_H

#include "formats/base/records.h"
#include "formats/model/basis.h"

/* Must not be moved once it is made. */
struct ft_function_records {
    struct ft_field fields[4];
    struct ft_record_type type;
};

void ft_function_records_init(struct ft_function_records *records, size_t terms);
/* Of early versions, which did not record the sizes left out. */
void ft_function_records_init_old(struct ft_function_records *records, size_t terms);

#endif
