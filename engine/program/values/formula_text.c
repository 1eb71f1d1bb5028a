/*
 * Terms in the order of the expression, the constant last.
 */
#include "engine/program/values/formula_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Larger constants are addresses and written in hex. */
#define DECIMAL_MAX 0xfffff
/* Nesting of loads from loads. */
#define NESTING_MAX 8

static const char *const register_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                             "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                             "r12", "r13", "r14", "r15", "fs",  "gs"};

const char *ft_stride_flag_name(uint8_t flags)
{
    return flags & FT_STRIDE_INDIRECT    ? "indirect"
           : flags & FT_STRIDE_IRREGULAR ? "irregular"
           : flags                       ? "unknown"
                                         : NULL;
}

static void write_expr(FILE *file, const struct ft_formulas *formulas,
                       const struct ft_packed_expr *packed, unsigned nesting);

void ft_place_text(uint8_t place, char text[FT_PLACE_TEXT])
{
    if (place < FT_REGISTER_COUNT)
        snprintf(text, FT_PLACE_TEXT, "%s", register_names[place]);
    else if (place < FT_PLACE_MASKS)
        snprintf(text, FT_PLACE_TEXT, "xmm%u", place - FT_PLACE_VECTORS);
    else if (place < FT_PLACE_FLAGS)
        snprintf(text, FT_PLACE_TEXT, "k%u", place - FT_PLACE_MASKS);
    else
        snprintf(text, FT_PLACE_TEXT, "%s", place == FT_PLACE_FLAGS ? "flags" : "x87");
}

static void write_place(FILE *file, const struct ft_formula_symbol *symbol)
{
    char text[FT_PLACE_TEXT];
    if (symbol->place < FT_PLACE_FLAGS) {
        ft_place_text(symbol->place, text);
        fputs(text, file);
    } else {
        fprintf(file, "stack%+" PRId64, symbol->stack_offset);
    }
}

static void write_symbol(FILE *file, const struct ft_formulas *formulas,
                         const struct ft_formula_symbol *symbol, unsigned nesting)
{
    switch (symbol->kind) {
    case FT_FORMULA_SYMBOL_ENTRY:
        write_place(file, symbol);
        if (symbol->place != FT_FS_BASE && symbol->place != FT_GS_BASE)
            fputc('0', file);
        break;
    case FT_FORMULA_SYMBOL_ARGUMENT:
        fprintf(file, "arg%" PRId64, symbol->stack_offset);
        break;
    case FT_FORMULA_SYMBOL_LOADED:
        fputc('[', file);
        if (nesting < NESTING_MAX)
            write_expr(file, formulas, &symbol->address, nesting + 1);
        else
            fputs("...", file);
        fputc(']', file);
        break;
    case FT_FORMULA_SYMBOL_ADDRESS:
        fprintf(file, "address@%" PRIx64, symbol->offset);
        break;
    default:
        write_place(file, symbol);
        fprintf(file, "@%" PRIx64, symbol->offset);
        break;
    }
}

static void write_number(FILE *file, uint64_t number)
{
    fprintf(file, number > DECIMAL_MAX ? "0x%" PRIx64 : "%" PRIu64, number);
}

/* A term without its sign. */
static void write_term(FILE *file, const struct ft_formulas *formulas, const struct ft_term *term,
                       unsigned nesting)
{
    uint64_t size = term->numerator < 0 ? -(uint64_t)term->numerator : (uint64_t)term->numerator;
    if (term->symbol == FT_ONE || size != 1)
        write_number(file, size);
    if (term->symbol != FT_ONE) {
        if (size != 1)
            fputc('*', file);
        write_symbol(file, formulas, &formulas->symbols[term->symbol], nesting);
    }
    if (term->denominator != 1)
        fprintf(file, "/%" PRId64, term->denominator);
}

/* The sign before a term; the first one has none where it is positive. */
static void write_sign(FILE *file, bool is_negative, bool *is_first)
{
    if (*is_first)
        fputs(is_negative ? "-" : "", file);
    else
        fputs(is_negative ? " - " : " + ", file);
    *is_first = false;
}

static void write_terms(FILE *file, const struct ft_formulas *formulas,
                        const struct ft_linear_expr *expr, unsigned nesting, bool *is_first)
{
    for (unsigned constants = 0; constants < 2; constants++)
        for (uint32_t i = 0; i < expr->count; i++)
            if ((expr->terms[i].symbol == FT_ONE) == (constants == 1)) {
                write_sign(file, expr->terms[i].numerator < 0, is_first);
                write_term(file, formulas, &expr->terms[i], nesting);
            }
}

static void write_expr(FILE *file, const struct ft_formulas *formulas,
                       const struct ft_packed_expr *packed, unsigned nesting)
{
    struct ft_linear_expr expr = ft_formula_expr(formulas, packed);
    bool is_first = true;
    write_terms(file, formulas, &expr, nesting, &is_first);
    if (expr.count == 0)
        fputc('0', file);
}

static void write_rounded(FILE *file, uint8_t flags)
{
    fputs(flags & FT_FORMULA_ROUNDED ? " (rounded)" : "", file);
}

static void write_counter(FILE *file, unsigned level)
{
    if (level < 18)
        fputc('i' + (int)level, file);
    else
        fprintf(file, "i%u", level);
}

static void write_stride(FILE *file, const struct ft_formulas *formulas,
                         const struct ft_stride_formula *stride, unsigned level, bool *is_first)
{
    struct ft_linear_expr expr = ft_formula_expr(formulas, &stride->expr);
    if (stride->flags) {
        write_sign(file, false, is_first);
        fprintf(file, "%s(", ft_stride_flag_name(stride->flags));
        write_counter(file, level);
        fputc(')', file);
        return;
    }
    if (expr.count == 0)
        return;
    write_sign(file, expr.count == 1 && expr.terms[0].numerator < 0, is_first);
    bool is_one = expr.count == 1 && expr.terms[0].symbol == FT_ONE &&
                  expr.terms[0].denominator == 1 &&
                  (expr.terms[0].numerator == 1 || expr.terms[0].numerator == -1);
    if (expr.count == 1) {
        if (!is_one)
            write_term(file, formulas, &expr.terms[0], 0);
    } else {
        fputc('(', file);
        write_expr(file, formulas, &stride->expr, 0);
        fputc(')', file);
    }
    if (!is_one)
        fputc('*', file);
    write_counter(file, level);
}

char *ft_access_formula_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    bool is_first = true;
    uint8_t flags = access->first.flags;
    for (unsigned level = 0; level < access->level_count; level++) {
        const struct ft_stride_formula *stride =
            &formulas->strides[access->first_stride + access->level_count - 1 - level];
        write_stride(file, formulas, stride, level, &is_first);
        flags |= stride->expr.flags;
    }
    struct ft_linear_expr first = ft_formula_expr(formulas, &access->first);
    write_terms(file, formulas, &first, 0, &is_first);
    if (is_first)
        fputc('0', file);
    write_rounded(file, flags);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *ft_address_expr_text(const struct ft_formulas *formulas, const struct ft_packed_expr *expr)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    write_expr(file, formulas, expr, 0);
    write_rounded(file, expr->flags);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void print_stride(const struct ft_formulas *formulas, const struct ft_stride_formula *stride,
                         FILE *stream)
{
    const char *flag = ft_stride_flag_name(stride->flags);
    if (flag || stride->expr.count == 0)
        fprintf(stream, " %s", flag ? flag : "0");
    for (uint32_t i = 0; !flag && i < stride->expr.count; i++) {
        const struct ft_term *term = &formulas->terms[stride->expr.first + i];
        fprintf(stream, "%s%" PRId64, i ? "+" : " ", term->numerator);
        if (term->denominator != 1)
            fprintf(stream, "/%" PRId64, term->denominator);
        if (term->symbol != FT_ONE)
            fprintf(stream, "?");
    }
}

char *ft_access_strides_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (uint32_t l = access->level_count; l-- > 0;)
        print_stride(formulas, &formulas->strides[access->first_stride + l], stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
