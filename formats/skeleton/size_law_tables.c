/*
 * Rows of the tables; writing and reading what laws have besides powers; then laws of numbers,
 * which have both.
 */
#include "formats/skeleton/size_law_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"

/* Of a law, by its row. */
struct quotient_row {
    uint64_t law;
    uint16_t period;
    int64_t offset;
    double factors[FT_QUOTIENT_FACTORS];
};
/* Likewise. */
struct logarithm_row {
    uint64_t law;
    double factors[FT_LOGARITHM_FACTORS];
};
struct step_row {
    uint64_t law;
    double from, more;
};
struct law_row {
    uint64_t number;
    double coefficients[FT_SIZED_COEFFICIENTS];
};

static const struct ft_field quotient_fields[] = {
    FT_FIELD(quotient_row, law, FT_FIELD_U64),
    FT_FIELD(quotient_row, period, FT_FIELD_U16),
    FT_FIELD(quotient_row, offset, FT_FIELD_I64),
    FT_FIELD_ARRAY(quotient_row, factors, FT_FIELD_F64, FT_QUOTIENT_FACTORS),
};
static const struct ft_field logarithm_fields[] = {
    FT_FIELD(logarithm_row, law, FT_FIELD_U64),
    FT_FIELD_ARRAY(logarithm_row, factors, FT_FIELD_F64, FT_LOGARITHM_FACTORS),
};
static const struct ft_field step_fields[] = {
    FT_FIELD(step_row, law, FT_FIELD_U64),
    FT_FIELD(step_row, from, FT_FIELD_F64),
    FT_FIELD(step_row, more, FT_FIELD_F64),
};
static const struct ft_field law_fields[] = {
    FT_FIELD(law_row, number, FT_FIELD_U64),
    FT_FIELD_ARRAY(law_row, coefficients, FT_FIELD_F64, FT_SIZED_COEFFICIENTS),
};
static const struct ft_record_type law_type = FT_RECORD_TYPE(law_row, law_fields);
static const struct ft_record_type quotient_type = FT_RECORD_TYPE(quotient_row, quotient_fields);
static const struct ft_record_type logarithm_type = FT_RECORD_TYPE(logarithm_row, logarithm_fields);
static const struct ft_record_type step_type = FT_RECORD_TYPE(step_row, step_fields);

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of a skeleton");
}

/* ---- writing ---- */

static const struct ft_size_law *law_at(const struct ft_size_law *laws, size_t stride, size_t row)
{
    return (const struct ft_size_law *)((const char *)laws + row * stride);
}

static int write_quotients(hid_t group, const char *name, const struct ft_size_law *laws,
                           size_t stride, size_t count, struct ft_diag *diag)
{
    struct quotient_row *rows = calloc(count * FT_LAW_QUOTIENTS + 1, sizeof *rows);
    size_t row_count = 0;
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++)
        for (size_t q = 0; q < FT_LAW_QUOTIENTS; q++) {
            const struct ft_law_quotient *quotient = &law_at(laws, stride, i)->quotients[q];
            if (quotient->period == 0)
                continue;
            struct quotient_row *row = &rows[row_count++];
            *row = (struct quotient_row){
                .law = i, .period = quotient->period, .offset = quotient->offset};
            memcpy(row->factors, quotient->factors, sizeof row->factors);
        }
    int status = ft_records_write(group, name, &quotient_type, rows, row_count, diag);
    free(rows);
    return status;
}

/* Two factors of each law that has one. */
typedef const double *factors_getter(const struct ft_size_law *law);

static const double *logarithms_of(const struct ft_size_law *law)
{
    return law->logarithms;
}

static const double *odd_logarithms_of(const struct ft_size_law *law)
{
    return law->odd_logarithms;
}

static int write_logarithms(hid_t group, const char *name, const struct ft_size_law *laws,
                            size_t stride, factors_getter *factors_of, size_t count,
                            struct ft_diag *diag)
{
    struct logarithm_row *rows = calloc(count + 1, sizeof *rows);
    size_t row_count = 0;
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const double *factors = factors_of(law_at(laws, stride, i));
        if (factors[0] == 0 && factors[1] == 0)
            continue;
        rows[row_count].law = i;
        memcpy(rows[row_count++].factors, factors, sizeof rows->factors);
    }
    int status = ft_records_write(group, name, &logarithm_type, rows, row_count, diag);
    free(rows);
    return status;
}

static int write_steps(hid_t group, const char *name, const struct ft_size_law *laws, size_t stride,
                       size_t count, struct ft_diag *diag)
{
    struct step_row *rows = calloc(count * FT_LAW_STEPS + 1, sizeof *rows);
    size_t row_count = 0;
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < FT_LAW_STEPS; k++) {
            const struct ft_law_step *step = &law_at(laws, stride, i)->steps[k];
            if (step->more != 0)
                rows[row_count++] = (struct step_row){i, step->from, step->more};
        }
    int status = ft_records_write(group, name, &step_type, rows, row_count, diag);
    free(rows);
    return status;
}

int ft_size_laws_write(hid_t group, const char *const names[4], const struct ft_size_law *laws,
                       size_t stride, size_t count, bool by_level, struct ft_diag *diag)
{
    FT_TRY(write_quotients(group, names[0], laws, stride, count, diag));
    FT_TRY(write_logarithms(group, names[1], laws, stride, logarithms_of, count, diag));
    if (!by_level)
        return FT_OK;
    FT_TRY(write_logarithms(group, names[2], laws, stride, odd_logarithms_of, count, diag));
    return write_steps(group, names[3], laws, stride, count, diag);
}

/* ---- reading ---- */

static bool are_finite(const double *factors, size_t count)
{
    bool finite = true;
    for (size_t k = 0; k < count; k++)
        finite = finite && isfinite(factors[k]);
    return finite;
}

static struct ft_size_law *law_of(struct ft_size_law *laws, size_t stride, uint64_t row)
{
    return (struct ft_size_law *)((char *)laws + row * stride);
}

/* Into laws, of which `stride` bytes are apart; files of older versions have none. */
static int read_quotients(hid_t group, const char *name, struct ft_size_law *laws, size_t stride,
                          size_t count, struct ft_diag *diag)
{
    struct quotient_row *rows = NULL;
    size_t row_count;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, name, &quotient_type, (void **)&rows, &row_count, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < row_count; i++) {
        const struct quotient_row *row = &rows[i];
        struct ft_law_quotient *quotient = NULL;
        if (row->law < count)
            quotient = law_of(laws, stride, row->law)->quotients;
        if (quotient && quotient->period)
            quotient++;
        if (!quotient || quotient->period || row->period == 0 || row->offset < INT16_MIN ||
            row->offset > INT16_MAX || !are_finite(row->factors, FT_QUOTIENT_FACTORS)) {
            status = ft_fail(diag, FT_ERROR_DATA, "quotient %zu is of no law", i);
            break;
        }
        quotient->period = row->period;
        quotient->offset = (int16_t)row->offset;
        memcpy(quotient->factors, row->factors, sizeof quotient->factors);
    }
    free(rows);
    return status;
}

static int read_logarithms(hid_t group, const char *name, struct ft_size_law *laws, size_t stride,
                           size_t count, bool are_odd, struct ft_diag *diag)
{
    struct logarithm_row *rows = NULL;
    size_t row_count;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, name, &logarithm_type, (void **)&rows, &row_count, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < row_count; i++) {
        const struct logarithm_row *row = &rows[i];
        if (row->law >= count || !are_finite(row->factors, FT_LOGARITHM_FACTORS)) {
            status = ft_fail(diag, FT_ERROR_DATA, "logarithm %zu is of no law", i);
            break;
        }
        struct ft_size_law *law = law_of(laws, stride, row->law);
        memcpy(are_odd ? law->odd_logarithms : law->logarithms, row->factors, sizeof row->factors);
    }
    free(rows);
    return status;
}

static int read_steps(hid_t group, const char *name, struct ft_size_law *laws, size_t stride,
                      size_t count, struct ft_diag *diag)
{
    struct step_row *rows = NULL;
    size_t row_count;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, name, &step_type, (void **)&rows, &row_count, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < row_count; i++) {
        const struct step_row *row = &rows[i];
        struct ft_law_step *steps = row->law < count ? law_of(laws, stride, row->law)->steps : NULL;
        if (steps && steps->more != 0)
            steps++;
        if (!steps || steps->more != 0 || !isfinite(row->more) || !(row->from > 0))
            status = ft_fail(diag, FT_ERROR_DATA, "step %zu is of no law", i);
        else
            *steps = (struct ft_law_step){row->from, row->more};
    }
    free(rows);
    return status;
}

int ft_size_laws_read(hid_t group, const char *const names[4], struct ft_size_law *laws,
                      size_t stride, size_t count, struct ft_diag *diag)
{
    FT_TRY(read_quotients(group, names[0], laws, stride, count, diag));
    FT_TRY(read_logarithms(group, names[1], laws, stride, count, false, diag));
    FT_TRY(read_logarithms(group, names[2], laws, stride, count, true, diag));
    return read_steps(group, names[3], laws, stride, count, diag);
}

/* ---- of numbers ---- */

static const char *const number_parts[] = {"law_quotients", "law_logarithms", "law_odd_logarithms",
                                           "law_steps"};

int ft_sized_numbers_write(hid_t group, const struct ft_sized_number *numbers, size_t count,
                           bool by_level, struct ft_diag *diag)
{
    struct law_row *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        rows[i].number = numbers[i].number;
        memcpy(rows[i].coefficients, numbers[i].law.powers, sizeof rows[i].coefficients);
    }
    int status = ft_records_write(group, "laws", &law_type, rows, count, diag);
    free(rows);
    return status ? status
                  : ft_size_laws_write(group, number_parts, &numbers->law, sizeof *numbers, count,
                                       by_level, diag);
}

bool ft_law_powers_are_finite(const double powers[FT_SIZED_COEFFICIENTS])
{
    return are_finite(powers, FT_SIZED_COEFFICIENTS);
}

int ft_sized_numbers_read(hid_t group, const struct ft_nest *nest,
                          struct ft_sized_number **ret_numbers, size_t *ret_count,
                          struct ft_diag *diag)
{
    struct law_row *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "laws", &law_type, (void **)&rows, &count, diag));
    struct ft_sized_number *numbers = calloc(count + 1, sizeof *numbers);
    int status = numbers ? FT_OK : no_memory(diag);
    *ret_numbers = numbers;
    for (size_t i = 0; !status && i < count; i++) {
        numbers[i].number = rows[i].number;
        memcpy(numbers[i].law.powers, rows[i].coefficients, sizeof rows[i].coefficients);
        if (rows[i].number >= nest->number_count || (i && rows[i].number <= rows[i - 1].number) ||
            !ft_law_powers_are_finite(rows[i].coefficients))
            status = ft_fail(diag, FT_ERROR_DATA, "law %zu is of no number", i);
    }
    *ret_count = status ? 0 : count;
    free(rows);
    return status ? status
                  : ft_size_laws_read(group, number_parts, &numbers->law, sizeof *numbers, count,
                                      diag);
}
