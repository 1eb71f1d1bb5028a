/*
 * lisp FILE...: an interpreter of a small Lisp with mark-and-sweep garbage collection, in the
 * manner of SPEC li. It evaluates the expressions of its files one after another and prints the
 * last value. What it touches follows its input programs (lisp_queens.lisp, lisp_sort.lisp): there
 * is no N.
 *
 * Values: numbers, symbols, lists. Forms: (quote x) (if c x y) (define s x) (lambda (s...) x...).
 * Routines: + - * < = cons car cdr null?; the empty list, nil, is false, all else is true.
 */
#include <ctype.h>
#include <string.h>

#include "sample.h"

#define CELLS      1024  /* of a piece of the heap */
#define ROOTS      20000 /* values that are in use by the evaluation at hand */
#define NAME_BYTES 16

enum kind { FREE, NUMBER, SYMBOL, PAIR, ROUTINE, CLOSURE };

struct cell {
    enum kind kind;
    int marked;
    union {
        int64_t number;
        struct {
            struct cell *first, *rest; /* a closure: (symbols . body), environment */
        };
        struct {
            char *name;
            struct cell *value; /* outside of all closures */
        };
        struct cell *(*call)(struct cell *arguments);
    };
};

/* The heap grows by a piece where a collection finds less than a third of it free. */
struct piece {
    struct piece *next;
    struct cell cells[CELLS];
};

static struct piece *heap;
static size_t heap_cells, free_count;
static struct cell *free_cells; /* linked by `rest` */
static struct cell *roots[ROOTS];
static size_t root_count;
static struct cell *symbols; /* a list of all */
static struct cell *nil, *truth, *quote, *condition, *define, *lambda;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "lisp: %s\n", what);
    exit(1);
}

static struct cell *keep(struct cell *cell)
{
    if (root_count == ROOTS)
        fail("the evaluation is nested too deeply");
    return roots[root_count++] = cell;
}

static void mark(struct cell *cell)
{
    while (cell && !cell->marked) {
        cell->marked = 1;
        if (cell->kind == SYMBOL) {
            cell = cell->value;
        } else if (cell->kind == PAIR || cell->kind == CLOSURE) {
            mark(cell->first);
            cell = cell->rest;
        } else {
            return;
        }
    }
}

static void release(struct cell *cell)
{
    cell->kind = FREE;
    cell->rest = free_cells;
    free_cells = cell;
    free_count++;
}

static void grow(void)
{
    struct piece *piece = sample_array(1, sizeof *piece);
    piece->next = heap;
    heap = piece;
    heap_cells += CELLS;
    for (struct cell *cell = piece->cells; cell < piece->cells + CELLS; cell++) {
        cell->marked = 0;
        release(cell);
    }
}

SAMPLE_KERNEL static void collect(void)
{
    mark(symbols);
    for (size_t i = 0; i < root_count; i++)
        mark(roots[i]);
    for (struct piece *piece = heap; piece; piece = piece->next) {
        for (struct cell *cell = piece->cells; cell < piece->cells + CELLS; cell++) {
            if (!cell->marked && cell->kind != FREE)
                release(cell);
            cell->marked = 0;
        }
    }
    if (free_count < heap_cells / 3)
        grow();
}

static struct cell *new_cell(enum kind kind)
{
    while (!free_cells)
        collect();
    struct cell *cell = free_cells;
    free_cells = cell->rest;
    free_count--;
    *cell = (struct cell){.kind = kind};
    return cell;
}

static struct cell *number(int64_t value)
{
    struct cell *cell = new_cell(NUMBER);
    cell->number = value;
    return cell;
}

/* Both are kept while the new one is made. */
static struct cell *join(enum kind kind, struct cell *first, struct cell *rest)
{
    keep(first);
    keep(rest);
    struct cell *cell = new_cell(kind);
    root_count -= 2;
    cell->first = first;
    cell->rest = rest;
    return cell;
}

static struct cell *symbol(const char *name)
{
    for (struct cell *at = symbols; at; at = at->rest)
        if (!strcmp(at->first->name, name))
            return at->first;
    struct cell *cell = new_cell(SYMBOL);
    cell->name = strdup(name);
    symbols = join(PAIR, cell, symbols);
    return cell;
}

static struct cell *first(struct cell *list)
{
    return list->kind == PAIR ? list->first : (fail("a list is needed"), NULL);
}

static struct cell *rest(struct cell *list)
{
    return list->kind == PAIR ? list->rest : (fail("a list is needed"), NULL);
}

static int64_t left(struct cell *arguments)
{
    struct cell *cell = first(arguments);
    return cell->kind == NUMBER ? cell->number : (fail("a number is needed"), 0);
}

static int64_t right(struct cell *arguments)
{
    return left(rest(arguments));
}

static struct cell *call_add(struct cell *arguments)
{
    return number(left(arguments) + right(arguments));
}

static struct cell *call_subtract(struct cell *arguments)
{
    return number(left(arguments) - right(arguments));
}

static struct cell *call_multiply(struct cell *arguments)
{
    return number(left(arguments) * right(arguments));
}

static struct cell *call_less(struct cell *arguments)
{
    return left(arguments) < right(arguments) ? truth : nil;
}

static struct cell *call_equal(struct cell *arguments)
{
    return left(arguments) == right(arguments) ? truth : nil;
}

static struct cell *call_cons(struct cell *arguments)
{
    return join(PAIR, first(arguments), first(rest(arguments)));
}

static struct cell *call_car(struct cell *arguments)
{
    return first(first(arguments));
}

static struct cell *call_cdr(struct cell *arguments)
{
    return rest(first(arguments));
}

static struct cell *call_is_null(struct cell *arguments)
{
    return first(arguments) == nil ? truth : nil;
}

/* An environment is a list of pairs (symbol . value), the innermost first. */
SAMPLE_KERNEL static struct cell *look_up(struct cell *name, struct cell *environment)
{
    for (; environment != nil; environment = environment->rest)
        if (environment->first->first == name)
            return environment->first->rest;
    if (!name->value)
        fail(name->name);
    return name->value;
}

static struct cell *evaluate(struct cell *form, struct cell *environment);

static struct cell *evaluate_list(struct cell *forms, struct cell *environment)
{
    size_t kept = root_count;
    struct cell *list = keep(join(PAIR, nil, nil)), *last = list;
    for (; forms != nil; forms = rest(forms)) {
        struct cell *value = evaluate(first(forms), environment);
        last = last->rest = join(PAIR, value, nil);
    }
    root_count = kept;
    return list->rest;
}

/* The closure's environment with its arguments in front. */
static struct cell *bind(struct cell *closure, struct cell *arguments)
{
    size_t kept = root_count;
    keep(arguments);
    struct cell *environment = closure->rest;
    struct cell *names = first(closure->first);
    for (; names != nil; names = rest(names)) {
        keep(environment);
        environment = join(PAIR, join(PAIR, first(names), first(arguments)), environment);
        arguments = rest(arguments);
    }
    root_count = kept;
    return environment;
}

/* The last form of a closure's body and the taken side of an `if` are evaluated by the loop. */
static struct cell *evaluate(struct cell *form, struct cell *environment)
{
    size_t kept = root_count;
    struct cell *value = NULL;
    while (!value) {
        root_count = kept;
        keep(form);
        keep(environment);
        if (form->kind == SYMBOL) {
            value = look_up(form, environment);
        } else if (form->kind != PAIR) {
            value = form;
        } else if (form->first == quote) {
            value = first(form->rest);
        } else if (form->first == condition) {
            struct cell *sides = rest(form->rest);
            int holds = evaluate(first(form->rest), environment) != nil;
            form = first(holds ? sides : rest(sides));
        } else if (form->first == define) {
            value = evaluate(first(rest(form->rest)), environment);
            first(form->rest)->value = value;
        } else if (form->first == lambda) {
            value = join(CLOSURE, form->rest, environment);
        } else {
            struct cell *routine = keep(evaluate(form->first, environment));
            struct cell *arguments = keep(evaluate_list(form->rest, environment));
            if (routine->kind == ROUTINE) {
                value = routine->call(arguments);
            } else if (routine->kind == CLOSURE) {
                environment = keep(bind(routine, arguments));
                struct cell *body = rest(routine->first);
                for (; rest(body) != nil; body = rest(body))
                    evaluate(first(body), environment);
                form = first(body);
            } else {
                fail("a routine is needed");
            }
        }
    }
    root_count = kept;
    return value;
}

/* The next character that is not blank, nor in a comment: from a semicolon to the end of its line.
 */
static int next_character(FILE *file)
{
    for (;;) {
        int c = fgetc(file);
        if (c == ';') {
            while (c != '\n' && c != EOF)
                c = fgetc(file);
        } else if (!isspace(c)) {
            return c;
        }
    }
}

/* NULL at the end of the file, and at the closing bracket of a list. */
static struct cell *read_form(FILE *file)
{
    int c = next_character(file);
    if (c == EOF || c == ')')
        return NULL;
    if (c == '(') {
        size_t kept = root_count;
        struct cell *list = keep(join(PAIR, nil, nil)), *last = list, *form;
        while ((form = read_form(file)))
            last = last->rest = join(PAIR, form, nil);
        root_count = kept;
        return list->rest;
    }
    char word[NAME_BYTES] = {(char)c};
    size_t length = 1;
    while ((c = fgetc(file)) != EOF && !isspace(c) && c != '(' && c != ')' &&
           length < NAME_BYTES - 1)
        word[length++] = (char)c;
    ungetc(c, file);
    char *end;
    long long value = strtoll(word, &end, 10);
    return *end ? symbol(word) : number(value);
}

static void define_routine(const char *name, struct cell *(*call)(struct cell *arguments))
{
    struct cell *routine = keep(new_cell(ROUTINE));
    routine->call = call;
    symbol(name)->value = routine;
}

static void set_up(void)
{
    grow();
    nil = symbol("nil");
    nil->value = nil;
    truth = symbol("true");
    truth->value = truth;
    quote = symbol("quote");
    condition = symbol("if");
    define = symbol("define");
    lambda = symbol("lambda");
    define_routine("+", call_add);
    define_routine("-", call_subtract);
    define_routine("*", call_multiply);
    define_routine("<", call_less);
    define_routine("=", call_equal);
    define_routine("cons", call_cons);
    define_routine("car", call_car);
    define_routine("cdr", call_cdr);
    define_routine("null?", call_is_null);
}

int main(int argc, char **argv)
{
    set_up();
    struct cell *value = nil;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t kept = root_count;
        struct cell *form;
        while ((form = read_form(file))) {
            value = evaluate(form, nil);
            root_count = kept;
        }
        fclose(file);
    }
    if (value->kind == NUMBER)
        printf("lisp: %lld\n", (long long)value->number);
    else
        printf("lisp: %s\n", value == nil ? "nil" : value->kind == SYMBOL ? value->name : "a list");
}
