/* SPDX-License-Identifier: MIT
 *
 * Finds the kernels in the module for devices. For each kernel F that the program launches, <amp.h> instantiates two
 * functions there. The first runs a thread, and becomes the entry:
 *
 *     void amp__thread(const F *f, int i0, int i1) { (*f)(index<2>(i0, i1)); }
 *
 * The second is never run. It consists of calls that say what F is and what it captures, each with the address of the
 * captured object:
 *
 *     void amp__describe(const F *f)
 *     {
 *         amp__describe_kernel(f, amp__thread<F>, sizeof(F), ...);
 *         amp__describe_array(f, &f->a, ...);
 *     }
 *
 * clang's __builtin_dump_struct makes these calls, so they come in the order of F's members, whatever F is. Once they
 * are inlined, an address is a fixed place in F, or is found through a reference there, which only an array may be.
 *
 * The argument block is the closure, followed by a copy of the object of each array that is captured by reference. An
 * entry begins with a private copy of the closure, in which these references are the copies' addresses:
 *
 *     { F closure; array<int, 1> a; }
 */
#include "front/cpp/cpp.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <amp.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* The operands of the calls, which include/cpp/amp/captures.h declares. */
enum {
    KERNEL_CLOSURE,
    KERNEL_THREAD,
    KERNEL_END,
    KERNEL_SIZE,
    KERNEL_ALIGN,
    KERNEL_RANK,
    KERNEL_TILE,
    KERNEL_NAME = 9
};
enum {
    MEMBER_CLOSURE,
    MEMBER_ADDRESS,
    MEMBER_NAME,
    MEMBER_TYPE,
    MEMBER_FORMAT,
    ARRAY_TYPE,
    ARRAY_SIZE,
    ARRAY_ALIGN,
    ARRAY_RANK,
    ARRAY_READ_ONLY,
    ARRAY_BYTES
};

static const char describes_kernel[] = "amp__describe_kernel", describes_array[] = "amp__describe_array",
                  describes_value[] = "amp__describe_value", describes_pointer[] = "amp__describe_pointer";

static bool calls(LLVMValueRef i, const char *name)
{
    return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
           !strcmp(LLVMGetValueName(LLVMGetCalledValue(i)), name);
}

static long long number(LLVMValueRef call, unsigned operand)
{
    return LLVMConstIntGetSExtValue(LLVMGetOperand(call, operand));
}

static const char *string(LLVMValueRef call, unsigned operand)
{
    return ir_string(LLVMGetOperand(call, operand));
}

/* ---- the copy in which the descriptions are inlined ---- */

static void remove_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void delete_global(LLVMModuleRef module, const char *name)
{
    LLVMValueRef global = LLVMGetNamedGlobal(module, name);
    if (global)
        LLVMDeleteGlobal(global);
}

static bool is_description(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls(i, describes_kernel))
                return true;
    return false;
}

/* Replaces the functions that run threads, which descriptions name, by declarations: their code is of no interest. */
static void drop_threads(LLVMModuleRef module)
{
    LLVMValueRef describe = LLVMGetNamedFunction(module, describes_kernel);
    for (LLVMUseRef use = describe ? LLVMGetFirstUse(describe) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef thread = LLVMGetOperand(LLVMGetUser(use), KERNEL_THREAD);
        if (!LLVMIsAFunction(thread) || LLVMIsDeclaration(thread))
            continue;
        LLVMValueRef declaration = LLVMAddFunction(module, "", LLVMGlobalGetValueType(thread));
        const char *name = arena_printf("%s", LLVMGetValueName(thread));
        LLVMReplaceAllUsesWith(thread, declaration);
        LLVMDeleteFunction(thread);
        LLVMSetValueName2(declaration, name, strlen(name));
    }
}

static LLVMModuleRef copy_descriptions(LLVMModuleRef form)
{
    LLVMModuleRef copy = LLVMCloneModule(form);
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        delete_global(copy, lists[i]);
    drop_threads(copy);
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMSetComdat(f, NULL);
        if (is_description(f)) {
            LLVMSetLinkage(f, LLVMExternalLinkage);
            continue;
        }
        ir_make_local(f);
        remove_attribute(f, "optnone");
        remove_attribute(f, "noinline");
        ir_add_attribute(f, IR_FUNCTION, "alwaysinline");
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
        remove_attribute(f, "optnone");
    LLVMTargetMachineRef machine = targets_machine(LLVMGetTarget(copy), "", "", LLVMCodeGenLevelDefault);
    ir_run_passes(copy, machine,
                  "globaldce,always-inline,globaldce,function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
                  "simplifycfg)");
    LLVMDisposeTargetMachine(machine);
    return copy;
}

/* ---- where a member is ---- */

/* A place in a closure: at `offset`, or, through a reference at `offset`, `within` bytes from where it refers to. */
struct spot {
    bool is_referred;
    long long offset, within;
};

static long long step_bytes(LLVMTargetDataRef layout, LLVMTypeRef *type, unsigned operand, LLVMValueRef index)
{
    long long n = LLVMConstIntGetSExtValue(index);
    if (operand > 1 && LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        long long bytes = (long long)LLVMOffsetOfElement(layout, *type, (unsigned)n);
        *type = LLVMStructGetTypeAtIndex(*type, (unsigned)n);
        return bytes;
    }
    if (operand > 1)
        *type = LLVMGetElementType(*type);
    return n * (long long)LLVMABISizeOfType(layout, *type);
}

/* Takes the fixed steps off an address. Returns what it is computed from; NULL if a step is not fixed. */
static LLVMValueRef take_steps(LLVMTargetDataRef layout, LLVMValueRef address, long long *offset)
{
    *offset = 0;
    while (LLVMIsAGetElementPtrInst(address)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++) {
            if (!LLVMIsAConstantInt(LLVMGetOperand(address, i)))
                return NULL;
            *offset += step_bytes(layout, &type, i, LLVMGetOperand(address, i));
        }
        address = LLVMGetOperand(address, 0);
    }
    return address;
}

static bool find_spot(LLVMModuleRef module, LLVMValueRef closure, LLVMValueRef address, struct spot *spot)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    *spot = (struct spot){0};
    LLVMValueRef base = take_steps(layout, address, &spot->offset);
    if (base && base != closure && LLVMIsALoadInst(base)) {
        spot->is_referred = true;
        spot->within = spot->offset;
        base = take_steps(layout, LLVMGetOperand(base, 0), &spot->offset);
    }
    return base == closure;
}

/* ---- names ---- */

/* Returns what a function's signature says that _Fp is: "... [_Fp = scale]" says "scale".
 */
static const char *type_in(const char *signature)
{
    const char *begin = strstr(signature, "[_Fp = ");
    if (!begin)
        return signature;
    begin += strlen("[_Fp = ");
    size_t length = strlen(begin);
    return arena_printf("%.*s", (int)(length ? length - 1 : 0), begin);
}

/* Reads "(lambda at FILE:LINE:COLUMN)". Returns false if the type is something else. */
static bool read_lambda(const char *type, struct place *place)
{
    static const char prefix[] = "(lambda at ";
    const char *begin = type + sizeof prefix - 1, *column = strrchr(type, ':');
    if (!has_prefix(type, prefix) || !column)
        return false;
    const char *line = column - 1;
    while (line > begin && *line != ':')
        line--;
    place->file = arena_printf("%.*s", (int)(line - begin), begin);
    place->line = (unsigned)strtoul(line + 1, NULL, 10);
    place->column = (unsigned)strtoul(column + 1, NULL, 10);
    *place = diag_place(*place);
    return true;
}

/* Returns the place of the last function that `thread` calls, which is the kernel's call operator. */
static struct place place_of_operator(LLVMValueRef thread)
{
    LLVMValueRef callee = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(thread); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls_kind(i) == CALL_HELPER)
                callee = LLVMGetCalledValue(i);
    LLVMMetadataRef subprogram = callee ? LLVMGetSubprogram(callee) : NULL;
    unsigned length;
    if (!subprogram)
        return (struct place){.file = ""};
    const char *file = LLVMDIFileGetFilename(LLVMDIScopeGetFile(subprogram), &length);
    return (struct place){arena_printf("%.*s", (int)length, file), LLVMDISubprogramGetLine(subprogram), 1};
}

static void read_names(struct kernel *kernel, const char *signature, LLVMValueRef thread)
{
    const char *type = type_in(signature);
    if (read_lambda(type, &kernel->place)) {
        kernel->name = arena_printf("lambda at %s:%u", file_name(kernel->place.file), kernel->place.line);
    } else {
        kernel->name = type;
        kernel->place = place_of_operator(thread);
    }
    kernel->index_place = kernel->place;
    kernel->symbol = arena_printf("%s", LLVMGetValueName(thread));
    kernel->is_local = LLVMGetLinkage(thread) == LLVMInternalLinkage;
    kernel->c = arena_printf("amp__kernel_%d", kernel->number);
    kernel->entry = entry_name(kernel->number);
}

/* Returns the name of the variable that a lambda has captured, or of the member of another class, that is or contains a
 * member; NULL if that is unknown. */
static const char *outer_name(LLVMModuleRef module, LLVMValueRef call)
{
    struct spot spot;
    if (!find_spot(module, LLVMGetOperand(call, MEMBER_CLOSURE), LLVMGetOperand(call, MEMBER_ADDRESS), &spot))
        return NULL;
    return cpp_capture_name(LLVMGetModuleContext(module), LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)),
                            spot.offset);
}

static const char *name_of(LLVMModuleRef module, LLVMValueRef call)
{
    const char *name = string(call, MEMBER_NAME);
    return *name ? arena_printf("%s", name) : outer_name(module, call);
}

/* Returns how messages call a member. */
static const char *member_name(LLVMModuleRef module, LLVMValueRef call)
{
    const char *name = name_of(module, call);
    return name ? arena_printf("'%s'", name) : arena_printf("an object of type '%s'", string(call, MEMBER_TYPE));
}

/* ---- members ---- */

/* Returns the type of the elements, as C++ text, from that of an array or view: "point" from "array<point, 2>". */
static const char *element_name(const char *type)
{
    const char *open = strchr(type, '<'), *end = open ? strrchr(type, ',') : NULL;
    if (open && !end)
        end = strrchr(type, '>');
    if (!open || !end || end <= open)
        return type;
    open += 1 + (has_prefix(open + 1, "const ") ? strlen("const ") : 0);
    return arena_printf("%.*s", (int)(end - open), open);
}

static void add_array(LLVMModuleRef module, struct kernel *kernel, LLVMValueRef call, const struct spot *spot)
{
    struct param *param = &kernel->params[kernel->n_params++];
    const char *name = name_of(module, call), *type = string(call, MEMBER_TYPE);
    *param = (struct param){
        .name = name ? name : arena_printf("capture %d, %s", kernel->n_params - 1, type),
        .type_name = element_name(type),
        .kind = PARAM_ARRAY,
        .type = (int)number(call, ARRAY_TYPE),
        .element_size = number(call, ARRAY_SIZE),
        .element_align = number(call, ARRAY_ALIGN),
        .rank = (int)number(call, ARRAY_RANK),
        .read_only = number(call, ARRAY_READ_ONLY),
        .offset = spot->offset,
        .place = kernel->place,
    };
    if (!spot->is_referred)
        return;
    param->reference = spot->offset;
    param->copied = number(call, ARRAY_BYTES);
    param->offset = kernel->args_bytes = (kernel->args_bytes + 7) / 8 * 8;
    kernel->args_bytes += param->copied;
}

static void report_reference(LLVMModuleRef module, const struct kernel *kernel, LLVMValueRef call)
{
    diag_error(kernel->place,
               "the kernel captures %s by reference, and only an array may be; capture it by value, or pass data in an "
               "array_view [capture by reference]",
               member_name(module, call));
}

/* Whether a member is a pointer, which clang prints by "%p"; for any other it passes a pointer to it, and "*%p". */
static bool is_pointer(LLVMValueRef call)
{
    return !strstr(string(call, MEMBER_FORMAT), "*%p");
}

static void report_pointer(LLVMModuleRef module, const struct kernel *kernel, LLVMValueRef call)
{
    const char *outer = outer_name(module, call), *name = string(call, MEMBER_NAME);
    bool is_part = outer && *name && strcmp(outer, name) != 0;
    diag_error(kernel->place,
               "the kernel captures %s, a pointer, which means nothing on an accelerator; capture an array_view of "
               "the memory instead, and instead of 'this' copies of the members [captured pointer]",
               is_part ? arena_printf("'%s' with its member '%s'", outer, name) : member_name(module, call));
}

static void read_array(LLVMModuleRef module, struct kernel *kernel, LLVMValueRef call)
{
    struct spot spot;
    bool is_view = number(call, ARRAY_BYTES) == 0;
    if (is_pointer(call)) {
        report_pointer(module, kernel, call);
        return;
    }
    if (!find_spot(module, LLVMGetOperand(call, MEMBER_CLOSURE), LLVMGetOperand(call, MEMBER_ADDRESS), &spot))
        diag_defect(kernel->name, "%s is at no fixed place", member_name(module, call));
    if (is_view && spot.is_referred)
        diag_error(kernel->place,
                   "the kernel captures %s by reference; capture an array_view by value [capture by reference]",
                   member_name(module, call));
    else if (!is_view && !spot.is_referred)
        diag_error(kernel->place,
                   "the kernel captures %s by value, which would copy it; capture it by reference, [&], or use a view "
                   "of it [capture by value]",
                   member_name(module, call));
    else if (spot.within)
        diag_error(kernel->place,
                   "the kernel captures an object with %s by reference; capture the array itself "
                   "[capture by reference]",
                   member_name(module, call));
    else
        add_array(module, kernel, call, &spot);
}

static void read_value(LLVMModuleRef module, const struct kernel *kernel, LLVMValueRef call)
{
    struct spot spot;
    if (!find_spot(module, LLVMGetOperand(call, MEMBER_CLOSURE), LLVMGetOperand(call, MEMBER_ADDRESS), &spot))
        return; /* a copy, as of a bit-field */
    if (spot.is_referred)
        report_reference(module, kernel, call);
}

/* Reads a member that is a pointer, or to which clang passes one. */
static void read_pointer(LLVMModuleRef module, const struct kernel *kernel, LLVMValueRef call)
{
    struct spot spot;
    if (is_pointer(call))
        report_pointer(module, kernel, call);
    else if (find_spot(module, LLVMGetOperand(call, MEMBER_CLOSURE), LLVMGetOperand(call, MEMBER_ADDRESS), &spot) &&
             spot.is_referred)
        report_reference(module, kernel, call);
}

/* Reads what a kernel captures, up to the first error: what a pointer leads to would be errors, too. */
static void read_members(LLVMModuleRef module, struct kernel *kernel, LLVMValueRef description)
{
    unsigned errors = diag_count();
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(description); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && diag_count() == errors; i = LLVMGetNextInstruction(i)) {
            if (calls(i, describes_array))
                read_array(module, kernel, i);
            else if (calls(i, describes_value))
                read_value(module, kernel, i);
            else if (calls(i, describes_pointer))
                read_pointer(module, kernel, i);
        }
}

/* ---- pointers that are not described ---- */

/* Whether the pointer at `offset` in the closure is one of the three with which a view begins, or refers to an
 * array. */
static bool is_of_array(const struct kernel *kernel, long long offset)
{
    for (int p = 1; p < kernel->n_params; p++) {
        const struct param *param = &kernel->params[p];
        if (param->copied ? offset == param->reference
                          : offset >= param->offset && offset < param->offset + ENTRY_ADDRESSES_BYTES)
            return true;
    }
    return false;
}

/* Whether a part of the closure, of this type at `offset`, has a pointer that no description mentions. */
static bool hides_pointer(const struct kernel *kernel, LLVMTargetDataRef layout, LLVMTypeRef type, long long offset)
{
    bool hides = false;
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return !is_of_array(kernel, offset);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && !hides; i++)
            hides = hides_pointer(kernel, layout, LLVMStructGetTypeAtIndex(type, i),
                                  offset + (long long)LLVMOffsetOfElement(layout, type, i));
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(type);
        for (uint64_t i = 0; i < LLVMGetArrayLength2(type) && !hides; i++)
            hides =
                hides_pointer(kernel, layout, element, offset + (long long)(i * LLVMABISizeOfType(layout, element)));
    }
    return hides;
}

/* Rejects closures with pointers that clang adds to classes with virtual functions or bases. */
static void check_hidden(const struct unit *unit, const struct kernel *kernel, LLVMTypeRef type)
{
    if (hides_pointer(kernel, LLVMGetModuleDataLayout(unit->form), type, 0))
        diag_error(kernel->place, "the kernel captures an object of a class with virtual functions or virtual bases, "
                                  "which accelerators do not have; capture what it needs of it [virtual]");
}

/* Returns the closure's type, from the description that clang has made. */
static LLVMTypeRef closure_type(LLVMModuleRef module, const char *description)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, description);
    LLVMTypeRef type = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls(i, describes_kernel))
                type = LLVMGetGEPSourceElementType(LLVMGetOperand(i, KERNEL_END));
    return type;
}

/* Counts the calls that describe arrays. */
static int count_arrays(LLVMValueRef description)
{
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(description); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n += calls(i, describes_array);
    return n;
}

/* ---- entries ---- */

static LLVMValueRef step(LLVMBuilderRef builder, LLVMValueRef address, long long bytes)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(address));
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)bytes, false);
    return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(context), address, &offset, 1, "");
}

/* Where the closure is copied. */
struct copying {
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMValueRef to, from;
    unsigned align;
};

/* Copies the part of the closure that has this type, `offset` bytes from its beginning: each number by itself, because
 * analyses do not look into larger words. A long array is copied as a whole. */
static void copy_part(const struct copying *c, LLVMTypeRef type, long long offset)
{
    enum { LONG = 16 };
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned align = offset ? 1u << __builtin_ctzll((unsigned long long)offset | c->align) : c->align;
    LLVMValueRef to = step(c->builder, c->to, offset), from = step(c->builder, c->from, offset);
    if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            copy_part(c, LLVMStructGetTypeAtIndex(type, i),
                      offset + (long long)LLVMOffsetOfElement(c->layout, type, i));
    } else if (kind == LLVMArrayTypeKind && LLVMGetArrayLength2(type) <= LONG) {
        long long bytes = (long long)LLVMABISizeOfType(c->layout, LLVMGetElementType(type));
        for (uint64_t i = 0; i < LLVMGetArrayLength2(type); i++)
            copy_part(c, LLVMGetElementType(type), offset + (long long)i * bytes);
    } else if (kind == LLVMArrayTypeKind) {
        LLVMTypeRef size = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
        LLVMBuildMemCpy(c->builder, to, align, from, align,
                        LLVMConstInt(size, LLVMABISizeOfType(c->layout, type), false));
    } else {
        LLVMValueRef value = LLVMBuildLoad2(c->builder, type, from, "");
        LLVMSetAlignment(value, align);
        LLVMSetAlignment(LLVMBuildStore(c->builder, value, to), align);
    }
}

/* Sets an array's address in the copy of the closure: that of the copy of an array captured by reference, or the
 * address of the elements, which the copying of the closure as a whole has treated as a number. */
static void set_array(LLVMBuilderRef builder, const struct param *param, LLVMValueRef block, LLVMValueRef closure)
{
    LLVMValueRef value = step(builder, block, param->offset);
    if (!param->copied)
        value = LLVMBuildLoad2(builder, LLVMTypeOf(block), value, "");
    LLVMBuildStore(builder, value, step(builder, closure, param->copied ? param->reference : param->offset));
}

/* Makes the function that runs a thread the kernel's entry: gives it a copy of the closure with its own arrays. */
static void make_entry(const struct unit *unit, LLVMModuleRef module, const struct kernel *kernel, LLVMTypeRef type)
{
    LLVMValueRef entry = LLVMGetNamedFunction(module, kernel->symbol), block = LLVMGetParam(entry, 0);
    LLVMTypeRef byte = LLVMInt8TypeInContext(unit->context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(entry));
    LLVMPositionBuilderBefore(builder, first);
    unsigned long long bytes = (unsigned long long)kernel->params[0].element_size;
    unsigned align = (unsigned)kernel->params[0].element_align;
    LLVMValueRef closure = LLVMBuildAlloca(builder, LLVMArrayType2(byte, bytes), "closure");
    LLVMSetAlignment(closure, align);
    LLVMReplaceAllUsesWith(block, closure);
    while (LLVMIsAAllocaInst(first)) /* variables stay in the first basic block, even if the copy becomes a loop */
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(builder, first);
    copy_part(&(struct copying){builder, LLVMGetModuleDataLayout(module), closure, block, align}, type, 0);
    for (int p = 1; p < kernel->n_params; p++)
        set_array(builder, &kernel->params[p], block, closure);
    LLVMDisposeBuilder(builder);
    LLVMSetComdat(entry, NULL);
    LLVMSetLinkage(entry, LLVMExternalLinkage);
    LLVMSetVisibility(entry, LLVMHiddenVisibility);
    LLVMSetValueName2(entry, kernel->entry, strlen(kernel->entry));
}

/* clang marks every function for devices as one that must not move into other control flow, because it might contain a
 * barrier. `extract` marks the barriers. */
static void drop_convergence(LLVMModuleRef module)
{
    static const char name[] = "convergent";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMGetIntrinsicID(f))
            remove_attribute(f, name);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i))
                    LLVMRemoveCallSiteEnumAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    }
}

/* ---- calls through constant pointers to members ---- */

/* Returns the function that a constant is the address of; NULL if it is none. */
static LLVMValueRef function_at(LLVMValueRef constant)
{
    while (LLVMIsAConstantExpr(constant) &&
           (LLVMGetConstOpcode(constant) == LLVMIntToPtr || LLVMGetConstOpcode(constant) == LLVMPtrToInt))
        constant = LLVMGetOperand(constant, 0);
    return LLVMIsAFunction(constant);
}

/* Whether control comes to a basic block only by a branch that its constant condition leads elsewhere. */
static bool is_never_entered(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef branch = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
        !LLVMIsAConstantInt(LLVMGetCondition(branch)))
        return false;
    bool condition = LLVMConstIntGetZExtValue(LLVMGetCondition(branch)) != 0;
    return LLVMGetSuccessor(branch, condition ? 1 : 0) == block && LLVMGetSuccessor(branch, condition ? 0 : 1) != block;
}

/* Returns the function that is called through a pointer to a member, (object.*pointer)(), if that is constant and not
 * virtual; otherwise NULL. clang makes both ways to call it, and a branch that is constant then. */
static LLVMValueRef constant_member(LLVMValueRef callee)
{
    LLVMValueRef function = NULL;
    for (unsigned i = 0; LLVMIsAPHINode(callee) && i < LLVMCountIncoming(callee); i++) {
        if (is_never_entered(LLVMGetIncomingBlock(callee, i)))
            continue;
        if (function)
            return NULL;
        function = function_at(LLVMGetIncomingValue(callee, i));
        if (!function)
            return NULL;
    }
    return function;
}

/* Makes calls through constant pointers to members calls of the members. */
static void call_members(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef function = LLVMIsACallInst(i) ? constant_member(LLVMGetCalledValue(i)) : NULL;
                if (function && LLVMGlobalGetValueType(function) == LLVMGetCalledFunctionType(i))
                    LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, function);
            }
}

/* ---- the host's module ---- */

/* Removes a global from a list that keeps it alive. */
static void remove_from_list(LLVMModuleRef module, LLVMValueRef global, const char *name)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, name), entries = list ? LLVMGetInitializer(list) : NULL;
    int n = entries ? LLVMGetNumOperands(entries) : 0, kept = 0;
    LLVMValueRef *values = arena_alloc((size_t)(n + 1) * sizeof *values);
    for (int i = 0; i < n; i++)
        if (LLVMGetOperand(entries, (unsigned)i) != global)
            values[kept++] = LLVMGetOperand(entries, (unsigned)i);
    if (kept == n)
        return;
    LLVMTypeRef type = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
    LLVMDeleteGlobal(list);
    if (!kept)
        return;
    list = LLVMAddGlobal(module, LLVMArrayType2(type, (unsigned)kept), name);
    LLVMSetInitializer(list, LLVMConstArray2(type, values, (unsigned)kept));
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
}

void cpp_clean_host(LLVMModuleRef host)
{
    LLVMValueRef number = LLVMGetNamedGlobal(host, CPP_UNIT_SYMBOL); /* several objects would define it */
    if (!number)
        return;
    remove_from_list(host, number, "llvm.compiler.used");
    LLVMDeleteGlobal(number);
}

/* ---- the whole ---- */

static void read_kernel(struct unit *unit, LLVMModuleRef copy, LLVMValueRef call)
{
    struct kernel *kernel = &unit->kernels[unit->n_kernels];
    LLVMValueRef description = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMValueRef thread = LLVMGetNamedFunction(unit->form, LLVMGetValueName(LLVMGetOperand(call, KERNEL_THREAD)));
    *kernel = (struct kernel){.number = unit->n_kernels++, .is_closure = true, .lanes = unit->options->lanes};
    read_names(kernel, string(call, KERNEL_NAME), thread);
    kernel->rank = (int)number(call, KERNEL_RANK);
    kernel->box_rank = kernel->rank < MAX_TILE_RANK ? kernel->rank : MAX_TILE_RANK;
    kernel->tiled = number(call, KERNEL_TILE) > 0;
    for (int d = 0; d < kernel->rank && kernel->tiled; d++)
        kernel->tile[d] = (int)number(call, (unsigned)(KERNEL_TILE + d));
    kernel->args_bytes = number(call, KERNEL_SIZE);
    kernel->args_align = number(call, KERNEL_ALIGN) > 8 ? number(call, KERNEL_ALIGN) : 8;
    kernel->params = arena_alloc((size_t)(count_arrays(description) + 1) * sizeof *kernel->params);
    kernel->params[kernel->n_params++] = (struct param){
        .name = "closure",
        .type_name = kernel->name,
        .kind = PARAM_STRUCT,
        .type = AMP_TYPE_STRUCT,
        .element_size = number(call, KERNEL_SIZE),
        .element_align = number(call, KERNEL_ALIGN),
        .place = kernel->place,
    };
    unsigned errors = diag_count();
    LLVMTypeRef type = closure_type(unit->form, LLVMGetValueName(description));
    read_members(copy, kernel, description);
    if (diag_count() == errors)
        check_hidden(unit, kernel, type);
    kernel->args_bytes = (kernel->args_bytes + kernel->args_align - 1) / kernel->args_align * kernel->args_align;
    make_entry(unit, unit->form, kernel, type);
}

bool cpp_read_kernels(struct unit *unit)
{
    unsigned errors = diag_count();
    drop_convergence(unit->form);
    call_members(unit->form);
    LLVMModuleRef copy = copy_descriptions(unit->form);
    LLVMValueRef describe = LLVMGetNamedFunction(copy, describes_kernel);
    int n = 0;
    for (LLVMUseRef use = describe ? LLVMGetFirstUse(describe) : NULL; use; use = LLVMGetNextUse(use))
        n++;
    unit->kernels = arena_alloc((size_t)(n + 1) * sizeof *unit->kernels);
    LLVMValueRef *uses = arena_alloc((size_t)(n + 1) * sizeof *uses); /* LLVM lists the last one first */
    for (LLVMUseRef use = describe ? LLVMGetFirstUse(describe) : NULL; use; use = LLVMGetNextUse(use))
        uses[--n] = LLVMGetUser(use);
    for (; uses[n]; n++)
        read_kernel(unit, copy, uses[n]);
    LLVMDisposeModule(copy);
    return diag_count() == errors;
}

void cpp_make_checked_entries(const struct unit *unit)
{
    LLVMModuleRef module = unit->checked;
    drop_convergence(module);
    call_members(module);
    LLVMValueRef describe = LLVMGetNamedFunction(module, describes_kernel);
    for (LLVMUseRef use = LLVMGetFirstUse(describe); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use), thread = LLVMGetOperand(call, KERNEL_THREAD);
        for (int k = 0; k < unit->n_kernels; k++)
            if (!strcmp(unit->kernels[k].symbol, LLVMGetValueName(thread)))
                make_entry(unit, module, &unit->kernels[k],
                           LLVMGetGEPSourceElementType(LLVMGetOperand(call, KERNEL_END)));
    }
}
