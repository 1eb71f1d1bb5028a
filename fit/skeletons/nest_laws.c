/*
 * A leaf is written with, for each of its numbers, where it is at each size: in the nest there, or
 * known without, as the trip count of a part that does not run is 0; or not known. Then a law is
 * searched for each number. Where one has none, and more than few accesses depend on it, the leaf
 * is taken back, and written as it is at the largest size alone.
 */
#include "fit/skeletons/nest_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"

/* The share of a leaf's accesses, at the largest size, whose numbers may be without laws: they stay
 * as they are there. Such as those of malloc to the heads of its blocks. */
#define STRAYS_MAX 0.01
/* Sizes that a law is learned from, though there are smaller ones, which run the part at most once:
 * their loops of one iteration or none have other parts. */
#define NUMBER_SIZES_MIN 3

enum origin_kind { UNKNOWN, CONSTANT, NUMBER };

/* Of a number, at a size. */
struct origin {
    enum origin_kind kind;
    uint64_t at; /* the number in the size's nest, or the constant */
};

struct writing {
    const struct ft_nest_tree *tree;
    const struct ft_nest *nests;
    struct ft_law_search *search;
    struct ft_nest_laws *laws;
    struct origin *origins; /* [number of the leaf * size_count + size] */
    size_t origin_count, origin_capacity;
    size_t is_sized_capacity;
    bool *is_stray; /* [number of the leaf]: has no law */
    size_t is_stray_capacity;
    /* [size]: of its nest; and accesses that were left out, as the largest size has no such code.
     */
    struct ft_nest_executions executions[FT_SIZED_SIZES_MAX];
    double foreign[FT_SIZED_SIZES_MAX];
    struct ft_diag *diag;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of loop nests");
}

void ft_nest_laws_fini(struct ft_nest_laws *laws)
{
    ft_nest_fini(&laws->nest);
    free(laws->is_sized);
    free(laws->numbers);
    *laws = (struct ft_nest_laws){0};
}

static const struct ft_tree_node *node_at(const struct writing *writing, size_t node)
{
    return &writing->tree->nodes[node];
}

/* [size] */
static const struct ft_tree_place *places_of(const struct writing *writing, size_t node)
{
    return writing->tree->places + node * writing->tree->size_count;
}

static uint64_t largest_of(const struct writing *writing)
{
    return UINT64_C(1) << (writing->tree->size_count - 1);
}

/* Of a node at a size. */
static double accesses_of(const struct writing *writing, size_t node, size_t size)
{
    const struct ft_tree_place *place = &places_of(writing, node)[size];
    const uint64_t *before = writing->executions[size].before;
    return (double)(before[place->token + place->length] - before[place->token]);
}

/* ---- what is optional ---- */

/* Whether a loop leaves nothing where none of its parts runs. */
static bool may_be_empty(const struct writing *writing, const struct ft_tree_node *node)
{
    if (node->kind != FT_NEST_LOOP)
        return false;
    for (size_t child = node->child; child != FT_TREE_END; child = node_at(writing, child)->next)
        if (!ft_tree_is_part(node_at(writing, child)))
            return false;
    return true;
}

/* Whether a node must be put into a repetition of 0 or 1 iterations, as some of the sizes do not
 * have it. */
static bool is_optional(const struct writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = node_at(writing, node);
    return (at->sizes & sizes) != sizes && !ft_tree_is_part(at) && !may_be_empty(writing, at);
}

/* The node behind those which the same sizes have, from one on that is optional. */
static size_t end_of_option(const struct writing *writing, size_t first, uint64_t sizes)
{
    const uint64_t with = node_at(writing, first)->sizes & sizes;
    size_t node = first;
    while (node != FT_TREE_END) {
        const uint64_t own = node_at(writing, node)->sizes & sizes;
        if (own && (own != with || !is_optional(writing, node, sizes) ||
                    node_at(writing, node)->is_foreign))
            break;
        node = node_at(writing, node)->next;
    }
    return node;
}

/* ---- writing ---- */

static bool add_token(struct ft_nest *nest, uint32_t token)
{
    if (!FT_RESERVE(nest->tokens, nest->token_capacity, nest->token_count + 1))
        return false;
    nest->tokens[nest->token_count++] = token;
    return true;
}

/* The origins of one more number, all UNKNOWN; NULL: out of memory. */
static struct origin *add_origins(struct writing *writing)
{
    const size_t sizes = writing->tree->size_count;
    if (!FT_RESERVE(writing->origins, writing->origin_capacity, writing->origin_count + sizes))
        return NULL;
    struct origin *origins = writing->origins + writing->origin_count;
    memset(origins, 0, sizes * sizeof *origins);
    writing->origin_count += sizes;
    return origins;
}

/* By how much the numbers from an origin on change with the iterations of a repetition, in rows but
 * for the first; of one that is an option nothing is known. */
static int add_steps(struct writing *writing, size_t first, const struct ft_tree_place *places,
                     uint64_t repeated, size_t rows)
{
    const size_t sizes = writing->tree->size_count, end = writing->origin_count;
    for (size_t row = 1; row < rows; row++)
        for (size_t from = first; from < end; from += sizes) {
            struct origin *steps = add_origins(writing);
            if (!steps)
                return no_memory(writing->diag);
            for (size_t s = 0; s < sizes; s++) {
                if (!(repeated >> s & 1))
                    continue;
                steps[s] = writing->origins[from + s];
                steps[s].at = steps[s].kind == NUMBER ? steps[s].at + row * places[s].body : 0;
            }
        }
    return FT_OK;
}

static int write_list(struct writing *writing, size_t first, size_t end, uint64_t sizes);

/* A repetition of the nodes; its counts' origins are the last that were added. */
static int write_repeat(struct writing *writing, uint32_t token, size_t first, size_t end,
                        uint64_t sizes, const struct ft_tree_place *places, uint64_t repeated)
{
    struct ft_nest *nest = &writing->laws->nest;
    const size_t place = nest->token_count, origin = writing->origin_count;
    if (!add_token(nest, token) || !add_token(nest, 0) || !add_token(nest, 0))
        return no_memory(writing->diag);
    FT_TRY(write_list(writing, first, end, sizes));
    nest->tokens[place + 1] = (uint32_t)(nest->token_count - place - 3);
    nest->tokens[place + 2] =
        (uint32_t)((writing->origin_count - origin) / writing->tree->size_count);
    return add_steps(writing, origin, places, repeated, ft_nest_element(nest->tokens + place).rows);
}

static int write_option(struct writing *writing, size_t first, size_t end, uint64_t sizes)
{
    const uint64_t with = node_at(writing, first)->sizes & sizes;
    struct origin *count = add_origins(writing);
    if (!count)
        return no_memory(writing->diag);
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (sizes >> s & 1)
            count[s] = (struct origin){CONSTANT, with >> s & 1};
    return write_repeat(writing, ft_nest_token(FT_NEST_REPEAT, 0), first, end, with, NULL, 0);
}

static int write_part(struct writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *part = node_at(writing, node);
    const struct ft_tree_place *places = places_of(writing, node);
    struct ft_nest *nest = &writing->laws->nest;
    if ((part->sizes & sizes) == sizes && !(part->repeated & sizes)) {
        size_t place;
        if (!ft_nest_open(nest, FT_NEST_ONCE, 0, &place))
            return no_memory(writing->diag);
        FT_TRY(write_list(writing, part->child, FT_TREE_END, sizes));
        ft_nest_close(nest, place);
        return FT_OK;
    }
    const bool is_cycle = part->kind == FT_NEST_CYCLE;
    for (unsigned k = 0; k < (is_cycle ? 2 : 1); k++) {
        struct origin *count = add_origins(writing);
        if (!count)
            return no_memory(writing->diag);
        for (size_t s = 0; s < writing->tree->size_count; s++)
            if (part->repeated & sizes & UINT64_C(1) << s)
                count[s] = (struct origin){NUMBER, places[s].number + k};
            else if ((sizes >> s & 1) && k == 0)
                count[s] = (struct origin){CONSTANT, part->sizes >> s & 1};
    }
    const enum ft_nest_kind kind = part->kind == FT_NEST_ONCE ? FT_NEST_REPEAT : part->kind;
    return write_repeat(writing, ft_nest_token(kind, part->id), part->child, FT_TREE_END,
                        part->sizes & sizes, places, part->repeated);
}

static int write_access(struct writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *access = node_at(writing, node);
    struct origin *address = add_origins(writing);
    if (!address || !add_token(&writing->laws->nest, ft_nest_token(FT_NEST_ACCESS, access->id)))
        return no_memory(writing->diag);
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (access->sizes & sizes & UINT64_C(1) << s)
            address[s] = (struct origin){NUMBER, places_of(writing, node)[s].number};
    return FT_OK;
}

static int write_node(struct writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = node_at(writing, node);
    struct ft_nest *nest = &writing->laws->nest;
    size_t place;
    switch (at->kind) {
    case FT_NEST_ACCESS:
        return write_access(writing, node, sizes);
    case FT_NEST_IRREGULAR:
        return ft_nest_add_irregular(nest, at->id) ? FT_OK : no_memory(writing->diag);
    case FT_NEST_ONCE:
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        return write_part(writing, node, sizes);
    default:
        if (!ft_nest_open(nest, at->kind, at->id, &place))
            return no_memory(writing->diag);
        FT_TRY(write_list(writing, at->child, FT_TREE_END, sizes));
        ft_nest_close(nest, place);
        return FT_OK;
    }
}

/* Leaves a node out. */
static void add_foreign(struct writing *writing, size_t node, uint64_t sizes)
{
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (sizes >> s & 1)
            writing->foreign[s] += accesses_of(writing, node, s);
}

/* The nodes up to an end that one of the sizes has. */
static int write_list(struct writing *writing, size_t first, size_t end, uint64_t sizes)
{
    for (size_t node = first; node != end;) {
        size_t next = node_at(writing, node)->next;
        const bool is_there = node_at(writing, node)->sizes & sizes;
        if (!is_there || node_at(writing, node)->is_foreign) {
            if (is_there)
                add_foreign(writing, node, sizes);
            node = next;
            continue;
        }
        if (is_optional(writing, node, sizes)) {
            next = end_of_option(writing, node, sizes);
            FT_TRY(write_option(writing, node, next, sizes));
        } else {
            FT_TRY(write_node(writing, node, sizes));
        }
        node = next;
    }
    return FT_OK;
}

/* ---- laws ---- */

static bool changes(const struct ft_size_law *law)
{
    bool changes = law->quotients[0].period != 0 || ft_law_has_logarithm(law);
    for (size_t k = 0; k < FT_SIZED_COEFFICIENTS; k++)
        changes = changes || law->powers[k] != 0;
    return changes;
}

/* Of the sizes that are known, with the smallest or without those that run the part at most once.
 */
static int find_law(struct writing *writing, uint64_t known, const double *changes_from,
                    int64_t largest, struct ft_size_law *ret_law, bool *ret_found)
{
    for (uint64_t some = known;; some &= some - 1) {
        const double smallest = (double)largest + changes_from[__builtin_ctzll(some)];
        FT_TRY(ft_law_search_find(writing->search, some, changes_from, ret_law, ret_found,
                                  writing->diag));
        if (*ret_found || fabs(smallest) > 1 || __builtin_popcountll(some) <= NUMBER_SIZES_MIN)
            return FT_OK;
    }
}

/* Adds the next number of a leaf to the nest, as the largest size that knows it has it, and its
 * law: of all sizes, or of those that are large enough. */
static int learn_number(struct writing *writing, const struct origin *origins, bool *ret_has_law)
{
    struct ft_nest *nest = &writing->laws->nest;
    struct ft_nest_laws *laws = writing->laws;
    struct ft_sized_number sized = {.number = nest->number_count};
    double changes_from[FT_SIZED_SIZES_MAX] = {0};
    uint64_t known = 0, base = 0;
    for (size_t s = writing->tree->size_count; s-- > 0;) {
        if (origins[s].kind == UNKNOWN)
            continue;
        const uint64_t value =
            origins[s].kind == NUMBER ? writing->nests[s].numbers[origins[s].at] : origins[s].at;
        base = known ? base : value;
        changes_from[s] = (double)(int64_t)(value - base);
        known |= UINT64_C(1) << s;
    }
    *ret_has_law = known == 0; /* no size ever needs it */
    if (!FT_RESERVE(nest->numbers, nest->number_capacity, nest->number_count + 1))
        return no_memory(writing->diag);
    nest->numbers[nest->number_count++] = base;
    if (known)
        FT_TRY(find_law(writing, known, changes_from, (int64_t)base, &sized.law, ret_has_law));
    if (!*ret_has_law || !changes(&sized.law))
        return FT_OK;
    if (!FT_RESERVE(laws->numbers, laws->number_capacity, laws->number_count + 1))
        return no_memory(writing->diag);
    laws->numbers[laws->number_count++] = sized;
    return FT_OK;
}

/* The numbers of what was written, as the largest size has them. */
static int record_numbers(struct writing *writing)
{
    struct ft_nest *nest = &writing->laws->nest;
    const size_t sizes = writing->tree->size_count;
    const uint64_t *numbers = writing->nests[sizes - 1].numbers;
    if (!FT_RESERVE(nest->numbers, nest->number_capacity,
                    nest->number_count + writing->origin_count / sizes))
        return no_memory(writing->diag);
    for (size_t at = sizes - 1; at < writing->origin_count; at += sizes)
        nest->numbers[nest->number_count++] = numbers[writing->origins[at].at];
    return FT_OK;
}

static int mark_sized(struct writing *writing, size_t token, bool is_sized)
{
    struct ft_nest_laws *laws = writing->laws;
    const size_t former = writing->is_sized_capacity;
    if (!FT_RESERVE(laws->is_sized, writing->is_sized_capacity, laws->nest.token_count + 1))
        return no_memory(writing->diag);
    memset(laws->is_sized + former, 0, writing->is_sized_capacity - former);
    for (size_t i = token; i < laws->nest.token_count; i++)
        laws->is_sized[i] = i == token && is_sized;
    return FT_OK;
}

/* ---- accesses whose numbers have no laws ---- */

struct strays {
    const uint32_t *tokens; /* the leaf's */
    bool *are;              /* [token] */
    double count, all;      /* of accesses */
};

static void count_access(void *context, const uint32_t *token, uint64_t count)
{
    struct strays *strays = context;
    strays->all += (double)count;
    if (strays->are[token - strays->tokens])
        strays->count += (double)count;
}

/* Marks tokens that numbers without laws are of; returns how many numbers the tokens have. */
static size_t mark_strays(const struct strays *strays, const uint32_t *tokens, size_t token_count,
                          const bool *is_stray)
{
    size_t number = 0;
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        if (element.kind == FT_NEST_ACCESS) {
            bool *is = &strays->are[tokens + at - strays->tokens];
            *is = *is || is_stray[number++];
        } else if (element.counts) {
            for (size_t i = 0; i < element.counts; i++)
                if (is_stray[number + i])
                    memset(strays->are + (body - strays->tokens), true,
                           element.length * sizeof *strays->are);
            for (size_t row = 0; row < element.rows; row++)
                mark_strays(strays, body, element.length,
                            is_stray + number + element.counts + row * element.body);
            number += ft_nest_repeat_numbers(&element);
        } else if (element.kind != FT_NEST_IRREGULAR) {
            number += mark_strays(strays, body, element.length, is_stray + number);
        }
        at += element.head + element.length;
    }
    return number;
}

/* Of a leaf that was written from these tokens and numbers on. */
static int share_strays(const struct writing *writing, size_t token, size_t number,
                        double *ret_share)
{
    const struct ft_nest *nest = &writing->laws->nest;
    const struct ft_nest_span span = {nest->tokens + token, nest->token_count - token,
                                      nest->numbers + number, nest->number_count - number};
    struct strays strays = {.tokens = span.tokens,
                            .are = calloc(span.token_count + 1, sizeof *strays.are)};
    if (!strays.are)
        return no_memory(writing->diag);
    mark_strays(&strays, span.tokens, span.token_count, writing->is_stray);
    int status = ft_nest_count(&span, count_access, &strays, writing->diag);
    *ret_share = strays.all > 0 ? strays.count / strays.all : 1;
    free(strays.are);
    return status;
}

/* The largest share of a size's accesses in the nodes that was left out. */
static double share_foreign(const struct writing *writing, size_t first, size_t end, uint64_t sizes)
{
    double share = 0;
    for (size_t s = 0; s < writing->tree->size_count; s++) {
        double all = 0;
        for (size_t node = first; node != end; node = node_at(writing, node)->next)
            all += accesses_of(writing, node, s);
        if ((sizes >> s & 1) && all > 0)
            share = fmax(share, writing->foreign[s] / all);
    }
    return share;
}

/* ---- leaves ---- */

/* Its numbers; which of them have no laws. */
static int learn_numbers(struct writing *writing, bool *ret_have_laws)
{
    const size_t sizes = writing->tree->size_count, count = writing->origin_count / sizes;
    if (!FT_RESERVE(writing->is_stray, writing->is_stray_capacity, count + 1))
        return no_memory(writing->diag);
    *ret_have_laws = true;
    for (size_t i = 0; i < count; i++) {
        bool has_law;
        FT_TRY(learn_number(writing, writing->origins + i * sizes, &has_law));
        writing->is_stray[i] = !has_law;
        *ret_have_laws = *ret_have_laws && has_law;
    }
    return FT_OK;
}

/* Nodes of a leaf, or of an option, as all the sizes have them; false: too many accesses have
 * numbers without laws. */
static int learn_leaf(struct writing *writing, size_t first, size_t end, uint64_t sizes,
                      bool *ret_has_laws)
{
    struct ft_nest_laws *laws = writing->laws;
    const size_t token = laws->nest.token_count, number = laws->nest.number_count;
    const size_t law = laws->number_count;
    double strays = 0;
    writing->origin_count = 0;
    memset(writing->foreign, 0, sizeof writing->foreign);
    FT_TRY(write_list(writing, first, end, sizes));
    FT_TRY(learn_numbers(writing, ret_has_laws));
    if (!*ret_has_laws)
        FT_TRY(share_strays(writing, token, number, &strays));
    *ret_has_laws = strays + share_foreign(writing, first, end, sizes) <= STRAYS_MAX;
    if (*ret_has_laws) {
        FT_TRY(mark_sized(writing, token, true));
        const struct strays marked = {laws->nest.tokens + token, laws->is_sized + token, 0, 0};
        if (strays > 0)
            mark_strays(&marked, marked.tokens, laws->nest.token_count - token, writing->is_stray);
        return FT_OK;
    }
    laws->nest.token_count = token;
    laws->nest.number_count = number;
    laws->number_count = law;
    return FT_OK;
}

static int record(struct writing *writing, size_t first, size_t end)
{
    const size_t token = writing->laws->nest.token_count;
    writing->origin_count = 0;
    FT_TRY(write_list(writing, first, end, largest_of(writing)));
    FT_TRY(record_numbers(writing));
    return mark_sized(writing, token, false);
}

/* Whether a node is a bracket around leaves. */
static bool is_bracket(const struct writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = node_at(writing, node);
    if (at->kind == FT_NEST_ACCESS || at->kind == FT_NEST_IRREGULAR || at->is_foreign)
        return false;
    return ft_tree_is_part(at) ? at->sizes == sizes && !at->repeated
                               : !is_optional(writing, node, sizes);
}

/* Nodes outside of repetitions. */
static int learn_list(struct writing *writing, size_t first, uint64_t sizes)
{
    struct ft_nest *nest = &writing->laws->nest;
    for (size_t node = first; node != FT_TREE_END;) {
        const struct ft_tree_node *at = node_at(writing, node);
        size_t next = at->next, place;
        bool has_laws = false;
        if (is_bracket(writing, node, sizes)) {
            if (!ft_nest_open(nest, at->kind, at->id, &place))
                return no_memory(writing->diag);
            FT_TRY(mark_sized(writing, place, false));
            FT_TRY(learn_list(writing, at->child, sizes));
            ft_nest_close(nest, place);
        } else {
            if (is_optional(writing, node, sizes) && !at->is_foreign)
                next = end_of_option(writing, node, sizes);
            if (at->kind != FT_NEST_IRREGULAR)
                FT_TRY(learn_leaf(writing, node, next, sizes, &has_laws));
            if (!has_laws)
                FT_TRY(record(writing, node, next));
        }
        node = next;
    }
    return FT_OK;
}

static int learn(struct writing *writing)
{
    const uint64_t largest = largest_of(writing);
    writing->laws->nest.token_count = writing->laws->nest.number_count = 0;
    writing->laws->number_count = 0;
    FT_TRY(mark_sized(writing, 0, false));
    return learn_list(writing, writing->tree->root, largest | (largest - 1));
}

int ft_nest_laws_learn(const struct ft_nest_tree *tree, const struct ft_nest *nests,
                       struct ft_law_search *search, struct ft_nest_laws *ret_laws,
                       struct ft_diag *diag)
{
    struct ft_nest_laws laws = {0};
    struct writing writing = {
        .tree = tree, .nests = nests, .search = search, .laws = &laws, .diag = diag};
    int status = FT_OK;
    for (size_t s = 0; !status && s < tree->size_count; s++)
        status = ft_nest_executions_make(&nests[s], &writing.executions[s], diag);
    if (!status)
        status = learn(&writing);
    if (!status && ft_law_search_widen(search))
        status = learn(&writing);
    for (size_t s = 0; s < tree->size_count; s++)
        ft_nest_executions_fini(&writing.executions[s]);
    free(writing.origins);
    free(writing.is_stray);
    if (status) {
        ft_nest_laws_fini(&laws);
        return status;
    }
    *ret_laws = laws;
    return FT_OK;
}
