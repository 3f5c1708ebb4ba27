/* SPDX-License-Identifier: MIT
 *
 * Puts checks before every access to memory: that it is within its object, in each dimension that the source names,
 * and that no other thread of the launch is in its way. */
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

enum {
    MOST_ARGUMENTS = 3, /* subscripts that the library takes as arguments, rather than in memory */
    MOST_EXTENTS = 2,   /* extents that it takes with them, rather than from the object */
};

/* An access to `size_bytes` bytes. */
struct access {
    LLVMValueRef instruction, pointer, size_bytes, site;
    struct chain chain;
    struct local *local; /* the local variable that it accesses; NULL: it accesses `object` */
    LLVMValueRef object, offset;
    enum use use;
    bool is_copy; /* of memory, whatever is in it */
};

static LLVMValueRef widened(struct checking *c, LLVMValueRef index)
{
    return LLVMBuildSExtOrBitCast(c->builder, index, c->i64, "");
}

/* Whether rows that follow dimension `d` have a variable length: clang then multiplies the subscript by it. */
static bool has_variable_rows(const struct param *param, int d)
{
    bool is_variable = false;
    for (int faster = d + 1; faster < param->rank; faster++)
        is_variable = is_variable || param->bounds[faster].is_variable;
    return is_variable;
}

/* Whether a chain steps as the array's own subscripts do, and not as those of another type to which it was cast. */
static bool has_own_strides(const struct param *param, const struct chain *chain)
{
    unsigned long long stride = (unsigned long long)param->element_size;
    for (int d = param->rank - 1; d >= 0; d--) {
        const struct bound *bound = &param->bounds[d];
        if (chain->links[d].stride != stride)
            return false;
        if (!bound->is_variable)
            stride *= bound->expr->op == EXPR_CONSTANT ? (unsigned long long)bound->expr->value : 0;
    }
    return true;
}

/* Reads the subscripts of an array parameter from an access's chain. Returns how many there are; 0 if the source has no
 * such subscripts. */
static int read_subscripts(const struct param *param, const struct chain *chain, LLVMValueRef *subscripts)
{
    if (chain->n < param->rank || !has_own_strides(param, chain))
        return 0;
    for (int d = 0; d < param->rank; d++) {
        subscripts[d] = chain->links[d].index;
        if (!has_variable_rows(param, d))
            continue;
        if (!chain->links[d].row)
            return 0;
        subscripts[d] = LLVMGetOperand(subscripts[d], 0);
    }
    for (int i = param->rank; i < chain->n; i++)
        if (chain->links[i].is_step)
            return 0;
    return param->rank;
}

static int rank_of(LLVMTypeRef type)
{
    int rank = 0;
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; type = LLVMGetElementType(type))
        rank++;
    return rank;
}

/* The same for a variable whose type has all bounds; -1 if the source has no such subscripts. LLVM leaves out the first
 * subscripts of a static variable if they are 0. */
static int read_constant_subscripts(struct checking *c, LLVMTypeRef type, const struct chain *chain,
                                    LLVMValueRef *subscripts)
{
    int rank = rank_of(type), n = 0;
    while (n < chain->n && n < rank && !chain->links[n].is_member)
        n++;
    for (int d = 0; d < rank && rank <= MAX_RANK; d++) {
        const struct link *link = &chain->links[d - (rank - n)];
        type = LLVMGetElementType(type);
        subscripts[d] = d < rank - n ? LLVMConstInt(c->i64, 0, false) : link->index;
        if (d >= rank - n && link->stride != LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), type))
            return -1;
    }
    return rank <= MAX_RANK ? rank : -1;
}

/* Whether an instruction reads the bits around a bit-field, to change only the bit-field. */
static bool is_part_of_bits(LLVMValueRef instruction)
{
    return LLVMIsALoadInst(instruction) && has_prefix(LLVMGetValueName(instruction), "bf.load");
}

/* Whether the source names all subscripts. */
static bool has_only_subscripts(const struct chain *chain)
{
    bool has = chain->n >= 0;
    for (int i = 0; i < chain->n; i++)
        has = has && !chain->links[i].is_step;
    return has;
}

/* Puts numbers into memory of the function's frame that is there for them. */
static LLVMValueRef in_memory(struct checking *c, const struct access *access, LLVMValueRef *numbers, int n, int which)
{
    LLVMTypeRef type = LLVMArrayType2(c->i64, MAX_RANK);
    if (!c->numbers_at[which]) {
        LLVMPositionBuilderBefore(c->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->function)));
        c->numbers_at[which] = LLVMBuildAlloca(c->builder, type, "");
        LLVMPositionBuilderBefore(c->builder, access->instruction);
    }
    for (int d = 0; d < n; d++) {
        LLVMValueRef at[] = {LLVMConstInt(c->i64, 0, false), LLVMConstInt(c->i64, (unsigned)d, false)};
        if (numbers[d])
            LLVMBuildStore(c->builder, widened(c, numbers[d]),
                           LLVMBuildGEP2(c->builder, type, c->numbers_at[which], at, 2, ""));
    }
    return c->numbers_at[which];
}

/* Checks all subscripts of a variable. `description` has its extents if they are constants; NULL: the object has. */
static void check_subscripts(struct checking *c, const struct access *access, LLVMValueRef description,
                             LLVMValueRef *subscripts, int n)
{
    const char *whose = description ? "local_" : "";
    LLVMValueRef args[2 + MOST_ARGUMENTS + MOST_EXTENTS] = {description ? description : access->object, access->site};
    bool has_extents = !description && n <= MOST_EXTENTS;
    if (n > MOST_ARGUMENTS) {
        args[2] = LLVMConstInt(c->i32, (unsigned)n, false);
        args[3] = in_memory(c, access, subscripts, n, 0);
        table_call(c, arena_printf("amp__check_%sindices", whose), args, 4);
        return;
    }
    for (int d = 0; d < n; d++) {
        args[2 + d] = widened(c, subscripts[d]);
        if (has_extents)
            args[2 + n + d] = table_extent(c, access->object, d);
    }
    if (n > 0)
        table_call(c, arena_printf("amp__check_%sindex%d", whose, n), args, (unsigned)(has_extents ? 2 * n : n) + 2);
}

/* Checks the subscripts of arrays within elements. */
static void check_members(struct checking *c, const struct access *access)
{
    for (int i = 0; i < access->chain.n; i++) {
        const struct link *link = &access->chain.links[i];
        LLVMValueRef args[] = {access->object, access->site, access->pointer, widened(c, link->index), link->extent};
        if (link->is_member && link->extent)
            table_call(c, "amp__check_member", args, 5);
    }
}

/* Whether an access stays within the element, or the part of one, that its subscripts name; `whole` is the type of a
 * variable whose subscripts may all be left out. */
static bool stays_in_element(const struct checking *c, const struct access *access, LLVMTypeRef whole)
{
    const struct chain *chain = &access->chain;
    const struct link *last = chain->n > 0 ? &chain->links[chain->n - 1] : NULL;
    if (!LLVMIsAConstantInt(access->size_bytes) || chain->n < 0 || (!last && !whole))
        return false;
    unsigned long long end =
        LLVMConstIntGetZExtValue(access->size_bytes) + (last && last->is_member ? 0 : chain->offset);
    return end <= (last ? last->stride : LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), whole));
}

/* A copy of any length may begin where an array ends, if it copies nothing. */
static bool is_long_copy(const struct access *access, bool stays)
{
    return LLVMIsACallInst(access->instruction) && access->is_copy && !stays;
}

/* Checks the subscripts of a pointer, of whose object nothing is known here. */
static void check_rows(struct checking *c, const struct access *access)
{
    const char *name = chain_pointer_name(access->chain.root);
    struct rows rows = chain_rows(c, &access->chain);
    if (rows.n == 0)
        return;
    rows.extent[0] = NULL;
    LLVMValueRef args[] = {table_text(c, name ? name : "the pointer"), access->site,
                           LLVMConstInt(c->i32, (unsigned)rows.n, false), in_memory(c, access, rows.index, rows.n, 0),
                           in_memory(c, access, rows.extent, rows.n, 1)};
    if (rows.n > 1)
        table_call(c, "amp__check_rows", args, 5);
    check_members(c, access);
}

/* Checks the subscripts of a view of C++, which may be a section. Returns false if the source has none. */
static bool check_view(struct checking *c, const struct access *access)
{
    LLVMValueRef subscripts[MAX_RANK], extents[MAX_RANK], args[2 + 2 * MOST_EXTENTS] = {access->object, access->site};
    int n = c->unit->is_cpp ? classes_subscripts(access->chain.root, subscripts, extents) : 0;
    if (n > MOST_EXTENTS) {
        args[2] = LLVMConstInt(c->i32, (unsigned)n, false);
        args[3] = in_memory(c, access, subscripts, n, 0);
        args[4] = in_memory(c, access, extents, n, 1);
        table_call(c, "amp__check_view", args, 5);
        return true;
    }
    for (int d = 0; d < n; d++) {
        args[2 + d] = widened(c, subscripts[d]);
        args[2 + n + d] = widened(c, extents[d]);
    }
    if (n > 0)
        table_call(c, arena_printf("amp__check_view%d", n), args, 2 + 2 * (unsigned)n);
    return n > 0;
}

static void check_bounds(struct checking *c, const struct access *access)
{
    const struct chain *chain = &access->chain;
    const struct param *param = chain_param(c, chain->root);
    LLVMValueRef subscripts[MAX_LINKS];
    LLVMTypeRef whole = NULL;
    bool is_known = false;
    int n = 0;
    if (param) {
        n = read_subscripts(param, chain, subscripts);
        is_known = n > 0;
    } else if (LLVMIsAGlobalVariable(chain->root) && has_only_subscripts(chain)) {
        whole = LLVMGlobalGetValueType(chain->root);
        n = read_constant_subscripts(c, whole, chain, subscripts);
        is_known = n >= 0;
    }
    bool stays = stays_in_element(c, access, whole);
    if (is_known && !is_long_copy(access, stays)) {
        check_subscripts(c, access, whole ? table_description(c, chain->root) : NULL, subscripts, n);
        check_members(c, access);
    } else if (!is_known && !is_long_copy(access, stays) && !check_view(c, access)) {
        check_rows(c, access);
    }
    if (!is_known || !stays) {
        LLVMValueRef args[] = {access->object, access->site, access->pointer, access->size_bytes};
        table_call(c, "amp__check_address", args, 4);
    }
}

/* Returns the alignment that clang promises for an access; for a copy, that of the argument with a number. */
static unsigned alignment_of(LLVMValueRef instruction, unsigned argument)
{
    static const char name[] = "align";
    if (!calls_is_copy(calls_kind(instruction)))
        return LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction) ? LLVMGetAlignment(instruction) : 0;
    LLVMAttributeRef attribute =
        LLVMGetCallSiteEnumAttribute(instruction, argument + 1, LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
    return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
}

/* Granules must be so small that this access touches only whole ones. */
static void note_granule(struct checking *c, const struct access *access)
{
    bool is_constant = LLVMIsAConstantInt(access->size_bytes);
    c->granules |= is_constant ? LLVMConstIntGetZExtValue(access->size_bytes) : 1;
    c->granules |= alignment_of(access->instruction, access->use == USE_READ);
}

static void check_races(struct checking *c, const struct access *access)
{
    note_granule(c, access);
    LLVMValueRef args[] = {access->object, access->site, access->pointer, access->size_bytes};
    if (access->use != USE_READ)
        table_call(c, "amp__check_writable", args, 3);
    if (access->use != USE_WRITE && !access->is_copy)
        table_call(c, "amp__check_defined", args, 4);
    table_call(c, table_check(access->use), args, 4);
    if (access->use != USE_READ && !access->is_copy)
        table_call(c, "amp__check_define", args, 4);
}

/* ---- local variables ---- */

/* The distance of an access from the beginning of its variable. */
static LLVMValueRef offset_of(struct checking *c, const struct chain *chain)
{
    LLVMValueRef offset = LLVMConstInt(c->i64, chain->offset, false);
    for (int i = 0; i < chain->n; i++) {
        LLVMValueRef stride = LLVMConstInt(c->i64, chain->links[i].stride, false);
        LLVMValueRef index = widened(c, chain->links[i].index);
        offset = LLVMBuildAdd(c->builder, offset, LLVMBuildMul(c->builder, index, stride, ""), "");
    }
    return offset;
}

/* Whether an access is known to be within its variable. */
static bool is_inside(const struct checking *c, const struct access *access)
{
    unsigned long long offset, size = LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), access->local->type);
    bool is_constant = chain_is_constant(&access->chain, &offset) && LLVMIsAConstantInt(access->size_bytes);
    unsigned long long bytes = is_constant ? LLVMConstIntGetZExtValue(access->size_bytes) : 0;
    return is_constant && bytes <= size && offset <= size - bytes && has_only_subscripts(&access->chain);
}

static void check_local_bounds(struct checking *c, const struct access *access)
{
    const struct chain *chain = &access->chain;
    LLVMValueRef subscripts[MAX_LINKS], args[5] = {access->local->description, access->site};
    int n = has_only_subscripts(chain) ? read_constant_subscripts(c, access->local->type, chain, subscripts) : -1;
    bool stays = n >= 0 && stays_in_element(c, access, access->local->type);
    if (is_inside(c, access))
        return;
    if (is_long_copy(access, stays))
        n = -1;
    check_subscripts(c, access, access->local->description, subscripts, n);
    for (int i = 0; i < chain->n && n >= 0; i++) {
        args[2] = widened(c, chain->links[i].index);
        args[3] = chain->links[i].extent;
        if (chain->links[i].is_member)
            table_call(c, "amp__check_local_member", args, 4);
    }
    args[2] = access->offset;
    args[3] = access->size_bytes;
    args[4] = LLVMConstInt(c->i64, LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), access->local->type), false);
    if (!stays)
        table_call(c, "amp__check_local_address", args, 5);
}

/* Returns the place where a local variable's bytes are noted as written. */
static LLVMValueRef defined_at(struct checking *c, const struct access *access)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(c->context);
    LLVMValueRef offset = access->offset;
    return LLVMBuildGEP2(c->builder, byte, access->local->defined, &offset, 1, "");
}

static void check_local(struct checking *c, struct access *access)
{
    access->offset = offset_of(c, &access->chain);
    check_local_bounds(c, access);
    LLVMValueRef constant_args[] = {access->local->description, access->site, access->offset};
    if (LLVMIsAGlobalVariable(access->local->variable) && access->use != USE_READ)
        table_call(c, "amp__check_local_constant", constant_args, 3);
    if (!access->local->defined || access->is_copy)
        return;
    LLVMValueRef args[] = {access->local->description, access->site, defined_at(c, access), access->size_bytes,
                           access->offset};
    if (access->use != USE_WRITE)
        table_call(c, "amp__check_local_defined", args, 5);
    if (access->use != USE_READ)
        table_call(c, "amp__check_local_define", args + 2, 2);
}

/* ---- accesses ---- */

/* Checks an access of an instruction to `size_bytes` bytes, and returns what it accesses. What needs no check has
 * neither `local` nor `object`. */
static struct access check_access(struct checking *c, LLVMValueRef instruction, LLVMValueRef pointer,
                                  LLVMValueRef size_bytes, enum use use)
{
    struct access access = {.instruction = instruction,
                            .pointer = pointer,
                            .size_bytes = size_bytes,
                            .chain = chain_of(c, pointer),
                            .use = use,
                            .is_copy = calls_is_copy(calls_kind(instruction)) || is_part_of_bits(instruction)};
    LLVMValueRef root = access.chain.root;
    unsigned long long ignored;
    access.local = locals_find(c, root);
    if (LLVMIsAAllocaInst(root) && !access.local)
        return access; /* a variable that will be an SSA value */
    if (chain_is_index(c, root) && chain_is_constant(&access.chain, &ignored))
        return access; /* `check` has seen it */
    access.site = table_site(c, instruction, use);
    LLVMPositionBuilderBefore(c->builder, instruction);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(instruction));
    if (access.local) {
        check_local(c, &access);
        return access;
    }
    LLVMTypeRef type = LLVMGlobalGetValueType(c->find_object);
    access.object = LLVMBuildCall2(c->builder, type, c->find_object, &root, 1, "");
    check_bounds(c, &access);
    check_races(c, &access);
    return access;
}

/* Whether it is noted which bytes of what is accessed were written. */
static bool has_defined(const struct access *access)
{
    return access->object || (access->local && access->local->defined);
}

/* Returns where it is noted whether an access's bytes are written; NULL if all are. */
static LLVMValueRef defined_of(struct checking *c, const struct access *access)
{
    if (access->object) {
        LLVMValueRef args[] = {access->object, access->pointer};
        return table_call(c, access->use == USE_READ ? "amp__check_find_defined" : "amp__check_open_defined", args, 2);
    }
    return has_defined(access) ? defined_at(c, access) : LLVMConstNull(c->pointer);
}

/* A copy carries along whether its bytes were written. */
static void check_copy(struct checking *c, LLVMValueRef call)
{
    LLVMValueRef size = widened(c, LLVMGetOperand(call, 2));
    struct access from = {.use = USE_READ};
    if (calls_kind(call) != CALL_SET)
        from = check_access(c, call, LLVMGetOperand(call, 1), size, USE_READ);
    struct access to = check_access(c, call, LLVMGetOperand(call, 0), size, USE_WRITE);
    if (!has_defined(&to))
        return;
    LLVMPositionBuilderBefore(c->builder, call);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef args[] = {defined_of(c, &to), defined_of(c, &from), size};
    table_call(c, "amp__check_copy_defined", args, 3);
}

static LLVMValueRef bytes_of(const struct checking *c, LLVMTypeRef type)
{
    return LLVMConstInt(c->i64, LLVMStoreSizeOfType(LLVMGetModuleDataLayout(c->module), type), false);
}

/* Functions such as frexp and sincos write through the pointers that they are passed. */
static void check_results(struct checking *c, LLVMValueRef call)
{
    enum math math = calls_of(call)->math;
    bool is_integer = math == MATH_frexp || math == MATH_remquo;
    for (unsigned a = 1; a < LLVMGetNumArgOperands(call); a++) {
        LLVMValueRef pointer = LLVMGetOperand(call, a), number = LLVMGetOperand(call, 0);
        if (LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind)
            check_access(c, call, pointer, bytes_of(c, is_integer ? c->i32 : LLVMTypeOf(number)), USE_WRITE);
    }
}

static void check_instruction(struct checking *c, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        check_access(c, i, LLVMGetOperand(i, 0), bytes_of(c, LLVMTypeOf(i)),
                     guesses_have(c, i) ? USE_ATOMIC : USE_READ);
        break;
    case LLVMStore:
        check_access(c, i, LLVMGetOperand(i, 1), bytes_of(c, LLVMTypeOf(LLVMGetOperand(i, 0))), USE_WRITE);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        check_access(c, i, LLVMGetOperand(i, 0), bytes_of(c, LLVMTypeOf(LLVMGetOperand(i, 1))), USE_ATOMIC);
        break;
    case LLVMCall:
        if (calls_is_copy(calls_kind(i)))
            check_copy(c, i);
        else if (calls_kind(i) == CALL_MATH)
            check_results(c, i);
        break;
    default:
        break;
    }
}

void access_check(struct checking *c)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            check_instruction(c, i);
        }
}
