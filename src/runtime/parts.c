/* SPDX-License-Identifier: MIT
 *
 * Parts: all points of a grid as boxes, each with a set of places. Those that meet a box are found by a tree, if there
 * are many. It cuts the grid at planes until each of its leaves is in one part; a part may have several leaves. Without
 * memory for the tree, or when it has not been worth it yet, all parts are looked at. */
#include "runtime.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 32,      /* parts that need no tree, */
    SEARCHES = 16, /* nor more, until they have been searched so often */
    LEAF = -1
};

struct node {
    int dim;       /* of the plane; or LEAF */
    int low, high; /* the nodes on either side of it; `low`, of a leaf: its part */
    size_t at;     /* the first point behind the plane */
};

/* The first node is the root. Nodes that are not used are a list. */
struct amp__tree {
    struct node *nodes;
    int n, room, unused; /* `unused`: the first one; 0: none */
    int depth, most_depth;
    bool is_broken; /* there was no memory for it */
};

/* ---- the tree ---- */

static void drop_tree(struct amp__parts *parts)
{
    if (parts->tree)
        free(parts->tree->nodes);
    free(parts->tree);
    parts->tree = NULL;
    parts->n_searches = 0;
}

/* Returns a new leaf, after the root; 0 without memory. */
static int new_leaf(struct amp__tree *tree, int part)
{
    int number = tree->unused;
    if (number) {
        tree->unused = tree->nodes[number].low;
    } else {
        if (tree->n == tree->room) {
            int room = tree->room ? 2 * tree->room : 4 * FEW;
            struct node *nodes = realloc(tree->nodes, (size_t)room * sizeof *nodes);
            if (!nodes)
                return 0;
            tree->nodes = nodes;
            tree->room = room;
        }
        number = tree->n++;
    }
    tree->nodes[number] = (struct node){.dim = LEAF, .low = part};
    return number;
}

static void free_leaf(struct amp__tree *tree, int number)
{
    tree->nodes[number].low = tree->unused;
    tree->unused = number;
}

/* Cuts a leaf in two. */
static bool cut_leaf(struct amp__tree *tree, int number, int dim, size_t at)
{
    int part = tree->nodes[number].low, low = new_leaf(tree, part), high = low ? new_leaf(tree, part) : 0;
    if (!high) {
        tree->is_broken = true;
        return false;
    }
    tree->nodes[number] = (struct node){dim, low, high, at};
    return true;
}

/* Cuts a leaf at a side of the box that is in it. Returns false if there is none. */
static bool cut_at_side(struct amp__tree *tree, int number, const struct amp__box *region, int rank,
                        const struct amp__box *box)
{
    for (int d = 0; d < rank; d++) {
        if (region->begin[d] < box->begin[d] && box->begin[d] < region->end[d])
            return cut_leaf(tree, number, d, box->begin[d]);
        if (region->begin[d] < box->end[d] && box->end[d] < region->end[d])
            return cut_leaf(tree, number, d, box->end[d]);
    }
    return false;
}

/* Makes two leaves of one part, on either side of a plane, one. */
static void join_leaves(struct amp__tree *tree, int number)
{
    const struct node node = tree->nodes[number];
    if (tree->nodes[node.low].dim != LEAF || tree->nodes[node.high].dim != LEAF ||
        tree->nodes[node.low].low != tree->nodes[node.high].low)
        return;
    tree->nodes[number] = tree->nodes[node.low];
    free_leaf(tree, node.low);
    free_leaf(tree, node.high);
}

/* All points of the box are to belong to a part. */
struct putting {
    struct amp__tree *tree;
    int rank, part;
    const struct amp__box *box;
    struct amp__box region; /* of the node at hand */
};

static void put(struct putting *p, int number, int depth)
{
    struct amp__tree *tree = p->tree;
    if (tree->nodes[number].dim == LEAF &&
        (tree->nodes[number].low == p->part || !cut_at_side(tree, number, &p->region, p->rank, p->box))) {
        tree->nodes[number].low = p->part;
        tree->depth = depth > tree->depth ? depth : tree->depth;
        return;
    }
    const struct node node = tree->nodes[number];
    size_t *begin = &p->region.begin[node.dim], *end = &p->region.end[node.dim], was_begin = *begin, was_end = *end;
    if (p->box->begin[node.dim] < node.at) {
        *end = node.at;
        put(p, node.low, depth + 1);
        *end = was_end;
    }
    if (p->box->end[node.dim] > node.at) {
        *begin = node.at;
        put(p, node.high, depth + 1);
        *begin = was_begin;
    }
    join_leaves(tree, number);
}

/* Tells the tree, if there is one, that a part's box is what it is now. */
static void tell_tree(struct amp__parts *parts, int part)
{
    if (!parts->tree)
        return;
    struct putting putting = {parts->tree, parts->grid->rank, part, &parts->of[part].box, amp__box_of(parts->grid)};
    put(&putting, 0, 0);
    if (parts->tree->is_broken || parts->tree->depth > parts->tree->most_depth) {
        bool is_deep = !parts->tree->is_broken;
        drop_tree(parts);
        parts->n_searches = is_deep ? SEARCHES : 0;
    }
}

/* Adds the parts that meet a box, each once. */
static void find_leaves(struct amp__parts *parts, int number, const struct amp__box *box)
{
    const struct node *node = &parts->tree->nodes[number];
    while (node->dim != LEAF) {
        bool is_low = box->begin[node->dim]<node->at, is_high = box->end[node->dim]> node->at;
        if (is_low && is_high)
            find_leaves(parts, node->low, box);
        node = &parts->tree->nodes[is_high ? node->high : node->low];
    }
    struct amp__part *part = &parts->of[node->low];
    if (part->search == parts->n_searches)
        return;
    part->search = parts->n_searches;
    parts->found[parts->n_found++] = node->low;
}

static int common_divisor(int a, int b)
{
    while (b > 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How many parts further the next one is, so that the steps lead to all of `n`. */
static int step_through(int n)
{
    int step = (int)(0.618 * n) + 1;
    while (common_divisor(n, step) > 1)
        step++;
    return step;
}

/* Parts come in an order in which neighbours are far apart, so that the tree does not become deep. */
static void make_tree(struct amp__parts *parts)
{
    enum { ROOM_TO_GROW = 32 };
    struct amp__tree *tree = parts->tree = calloc(1, sizeof *tree);
    parts->n_searches = 0;
    if (!tree)
        return;
    for (int i = 0; i < parts->n; i++)
        parts->of[i].search = 0;
    tree->most_depth = INT_MAX;
    new_leaf(tree, 0);
    tree->is_broken = !tree->nodes;
    int step = step_through(parts->n), part = 0;
    for (int i = 0; i < parts->n && parts->tree && !tree->is_broken; i++, part = (part + step) % parts->n)
        tell_tree(parts, part);
    if (!parts->tree)
        return;
    if (tree->is_broken)
        drop_tree(parts);
    else
        tree->most_depth = 2 * tree->depth + ROOM_TO_GROW;
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_numbers(int *numbers, int n)
{
    if (n > FEW)
        qsort(numbers, (size_t)n, sizeof *numbers, compare_numbers);
    for (int i = 1; i < n && n <= FEW; i++) {
        int number = numbers[i], k = i;
        for (; k > 0 && numbers[k - 1] > number; k--)
            numbers[k] = numbers[k - 1];
        numbers[k] = number;
    }
}

/* ---- parts ---- */

void amp__parts_init(struct amp__parts *parts, const struct amp__grid *grid, uint32_t places)
{
    *parts = (struct amp__parts){
        .grid = grid, .capacity = 1, .found = &parts->first_found, .changed = &parts->first_changed};
    parts->of = &parts->first;
    amp__parts_reset(parts, places);
}

void amp__parts_fini(struct amp__parts *parts)
{
    drop_tree(parts);
    if (parts->of != &parts->first)
        amp__free(parts->of);
}

void amp__parts_reset(struct amp__parts *parts, uint32_t places)
{
    drop_tree(parts);
    parts->n = 1;
    parts->n_changed = 0;
    parts->of[0] = (struct amp__part){.box = amp__box_of(parts->grid), .places = places};
}

bool amp__parts_reserve(struct amp__parts *parts, int n)
{
    if (n <= parts->capacity)
        return true;
    size_t capacity = (size_t)(n > 2 * parts->capacity ? n : 2 * parts->capacity);
    size_t part_bytes = sizeof *parts->of + sizeof *parts->found + sizeof *parts->changed;
    struct amp__part *of = amp__alloc(capacity * part_bytes, _Alignof(struct amp__part));
    if (!of)
        return false;
    int *found = (int *)(void *)(of + capacity), *changed = found + capacity;
    memcpy(of, parts->of, (size_t)parts->n * sizeof *of);
    memcpy(found, parts->found, (size_t)parts->n_found * sizeof *found);
    memcpy(changed, parts->changed, (size_t)parts->n_changed * sizeof *changed);
    if (parts->of != &parts->first)
        amp__free(parts->of);
    parts->of = of;
    parts->found = found;
    parts->changed = changed;
    parts->capacity = (int)capacity;
    return true;
}

bool amp__parts_copy(struct amp__parts *parts, const struct amp__parts *from)
{
    if (!amp__parts_reserve(parts, from->n))
        return false;
    drop_tree(parts);
    parts->n = from->n;
    parts->n_changed = 0;
    memcpy(parts->of, from->of, (size_t)from->n * sizeof *from->of);
    return true;
}

/* Gives a search a number that no part remembers. */
static void begin_search(struct amp__parts *parts)
{
    if (++parts->n_searches > 0)
        return;
    for (int i = 0; i < parts->n; i++)
        parts->of[i].search = 0;
    parts->n_searches = 1;
}

int amp__parts_find(struct amp__parts *parts, const struct amp__box *box)
{
    if (parts->n > FEW && !parts->tree && ++parts->n_searches > SEARCHES)
        make_tree(parts);
    parts->n_found = 0;
    if (!parts->tree) {
        int rank = parts->grid->rank;
        struct amp__box common;
        for (int i = 0; i < parts->n; i++)
            if (amp__box_meet(rank, &parts->of[i].box, box, &common))
                parts->found[parts->n_found++] = i;
        return parts->n_found;
    }
    begin_search(parts);
    find_leaves(parts, 0, box);
    sort_numbers(parts->found, parts->n_found);
    return parts->n_found;
}

static void note_change(struct amp__parts *parts, int number)
{
    if (!parts->of[number].has_changed)
        parts->changed[parts->n_changed++] = number;
    parts->of[number].has_changed = true;
}

/* Cuts what of a part is outside of a box off it. */
static void split_one(struct amp__parts *parts, int number, const struct amp__box *box)
{
    struct amp__box pieces[AMP__MAX_PIECES], common;
    const struct amp__part whole = parts->of[number];
    int n_pieces = amp__box_subtract(parts->grid->rank, &whole.box, box, pieces);
    amp__box_meet(parts->grid->rank, &whole.box, box, &common);
    parts->of[number].box = common;
    for (int k = 0; k < n_pieces; k++) {
        parts->of[parts->n] = (struct amp__part){pieces[k], whole.places, false};
        note_change(parts, parts->n++);
        tell_tree(parts, parts->n - 1);
    }
    if (n_pieces > 0)
        note_change(parts, number);
}

bool amp__parts_split(struct amp__parts *parts, const struct amp__box *box)
{
    struct amp__box pieces[AMP__MAX_PIECES];
    int n_found = amp__parts_find(parts, box), n_after = parts->n;
    for (int i = 0; i < n_found; i++)
        n_after += amp__box_subtract(parts->grid->rank, &parts->of[parts->found[i]].box, box, pieces);
    if (!amp__parts_reserve(parts, n_after))
        return false;
    for (int i = 0; i < n_found; i++)
        split_one(parts, parts->found[i], box);
    return true;
}

void amp__part_set(struct amp__parts *parts, int number, uint32_t places)
{
    if (parts->of[number].places != places)
        note_change(parts, number);
    parts->of[number].places = places;
}

/* The points of a part and those beside them. */
static struct amp__box reach_out(const struct amp__parts *parts, int number)
{
    struct amp__box box = parts->of[number].box;
    for (int d = 0; d < parts->grid->rank; d++) {
        box.begin[d] -= box.begin[d] > 0;
        box.end[d] += box.end[d] < parts->grid->dim[d];
    }
    return box;
}

/* The last part has another number now. In the list, which is sorted, its old one is the greatest. */
static void renumber_change(struct amp__parts *parts, int before, int now)
{
    int at = parts->n_changed - 1;
    if (at < 0 || parts->changed[at] != before)
        return;
    for (; at > 0 && parts->changed[at - 1] > now; at--)
        parts->changed[at] = parts->changed[at - 1];
    parts->changed[at] = now;
}

/* Joins part `i` with another one. Returns the part that has grown, or -1 if none has. */
static int join_one(struct amp__parts *parts, int i)
{
    struct amp__box near = reach_out(parts, i);
    int n = amp__parts_find(parts, &near), last = parts->n - 1;
    parts->of[i].has_changed = false;
    for (int f = 0; f < n; f++) {
        int k = parts->found[f];
        if (k == i || parts->of[k].places != parts->of[i].places ||
            !amp__box_join(parts->grid->rank, &parts->of[k].box, &parts->of[i].box))
            continue;
        tell_tree(parts, k);
        parts->n--;
        if (i == last && parts->n_changed > 0 && parts->changed[parts->n_changed - 1] == last) {
            parts->n_changed--; /* it had grown, and is no more */
        } else if (i != last) {
            parts->of[i] = parts->of[last];
            tell_tree(parts, i);
            renumber_change(parts, last, i);
        }
        return k == last ? i : k;
    }
    return -1;
}

void amp__parts_join(struct amp__parts *parts)
{
    sort_numbers(parts->changed, parts->n_changed);
    while (parts->n_changed > 0) {
        int i = parts->changed[--parts->n_changed], grown = i < parts->n && parts->of[i].has_changed ? i : -1;
        while (grown >= 0)
            grown = join_one(parts, grown);
    }
}

/* ---- the normal form ---- */

/* The grid is cut into slabs wherever parts begin or end in the first dimension, each slab in the same way in the next
 * dimension, and so on. Slabs side by side that are cut alike become one. So which parts there are follows from the
 * places of each point alone. */
struct form {
    int rank, n, most;
    struct amp__part *of;
};

static int compare_begins(const void *a, const void *b, void *dimension)
{
    int d = *(const int *)dimension;
    size_t x = (*(const struct amp__part *const *)a)->box.begin[d],
           y = (*(const struct amp__part *const *)b)->box.begin[d];
    return (x > y) - (x < y);
}

/* Whether lists of parts are the same from dimension `d` on. */
static bool are_same(const struct amp__part *a, int n_a, const struct amp__part *b, int n_b, int d, int rank)
{
    bool are = n_a == n_b;
    for (int i = 0; are && i < n_a; i++) {
        are = a[i].places == b[i].places;
        for (int k = d; are && k < rank; k++)
            are = a[i].box.begin[k] == b[i].box.begin[k] && a[i].box.end[k] == b[i].box.end[k];
    }
    return are;
}

static bool cut_slabs(struct form *form, const struct amp__part **list, int n, int d, struct amp__box *slab);

/* Adds what is in a slab, which is all in the parts of the list. `last`: where those of the slab before it begin. */
static bool add_slab(struct form *form, const struct amp__part **list, int n, int d, struct amp__box *slab, int *last)
{
    int first = form->n;
    bool is_first = *last == form->n;
    if (d < form->rank - 1 && !cut_slabs(form, list, n, d + 1, slab))
        return false;
    if (d == form->rank - 1) {
        if (form->n == form->most)
            return false;
        form->of[form->n++] = (struct amp__part){.box = *slab, .places = list[0]->places};
    }
    const struct amp__part *before = form->of + *last, *now = form->of + first;
    if (!is_first && are_same(before, first - *last, now, form->n - first, d + 1, form->rank)) {
        for (int i = *last; i < first; i++)
            form->of[i].box.end[d] = slab->end[d];
        form->n = first;
    } else {
        *last = first;
    }
    return true;
}

/* Adds what is in `slab`, which has its final bounds before dimension `d`, and is all in the parts of the list. */
static bool cut_slabs(struct form *form, const struct amp__part **list, int n, int d, struct amp__box *slab)
{
    const struct amp__part **here = malloc((size_t)n * sizeof *here); /* those that reach into the slab at hand */
    int n_here = 0, next = 0, last = form->n;
    bool is_done = here;
    if (here)
        qsort_r(list, (size_t)n, sizeof *list, compare_begins, &d);
    for (size_t begin = 0; is_done && (n_here > 0 || next < n); begin = slab->end[d]) {
        size_t end = SIZE_MAX;
        for (; next < n && list[next]->box.begin[d] <= begin; next++)
            here[n_here++] = list[next];
        for (int i = 0; i < n_here; i++)
            end = here[i]->box.end[d] < end ? here[i]->box.end[d] : end;
        end = next < n && list[next]->box.begin[d] < end ? list[next]->box.begin[d] : end;
        slab->begin[d] = begin;
        slab->end[d] = end;
        is_done = add_slab(form, here, n_here, d, slab, &last);
        int n_left = 0;
        for (int i = 0; i < n_here; i++)
            if (here[i]->box.end[d] > end)
                here[n_left++] = here[i];
        n_here = n_left;
    }
    free(here);
    return is_done;
}

static int compare_parts(const void *a, const void *b, void *rank)
{
    const struct amp__box *x = &((const struct amp__part *)a)->box, *y = &((const struct amp__part *)b)->box;
    int order = 0;
    for (int d = 0; d < *(const int *)rank && !order; d++)
        order = (x->begin[d] > y->begin[d]) - (x->begin[d] < y->begin[d]);
    return order;
}

void amp__parts_normalise(struct amp__parts *parts)
{
    int n = parts->n, rank = parts->grid->rank;
    if (n == 1)
        return;
    struct form form = {.rank = rank, .most = n + n / 2};
    form.of = malloc((size_t)form.most * sizeof *form.of);
    const struct amp__part **list = malloc((size_t)n * sizeof *list);
    for (int i = 0; i < n && list; i++)
        list[i] = &parts->of[i];
    struct amp__box slab;
    bool is_normal = form.of && list && cut_slabs(&form, list, n, 0, &slab) && amp__parts_reserve(parts, form.n);
    if (!is_normal || !are_same(parts->of, n, form.of, form.n, 0, rank)) {
        drop_tree(parts);
        parts->n = is_normal ? form.n : n;
        if (is_normal)
            memcpy(parts->of, form.of, (size_t)form.n * sizeof *form.of);
        else
            qsort_r(parts->of, (size_t)n, sizeof *parts->of, compare_parts, &rank);
    }
    free(list);
    free(form.of);
}

bool amp__parts_equal(const struct amp__parts *a, const struct amp__parts *b)
{
    int rank = a->grid->rank;
    return rank == b->grid->rank && !memcmp(a->grid->dim, b->grid->dim, (size_t)rank * sizeof *a->grid->dim) &&
           are_same(a->of, a->n, b->of, b->n, 0, rank);
}
