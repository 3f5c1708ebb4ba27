/* SPDX-License-Identifier: MIT
 *
 * Tells LLVM that different members of elements are different memory. In C the types say so. C++ AMP has views of one
 * memory as other types, so clang must not conclude anything from types there; but where elements have the same size, a
 * launch makes sure that those of one view are not askew to those of another (is_askew in arguments.c). So accesses
 * cannot meet if they lie at different places in such elements, whatever their types are. Without this, after a store
 * to a member of one array the members of all others would be read again.
 *
 * It is said as LLVM's information about types: elements of each size are a type, whose members are what the kernel
 * accesses in them. Each has a root of its own, because elements of different sizes may be the same memory. Nothing is
 * said about accesses whose place in the element is not known, nor about any if two of them overlap in part. Needs
 * addresses that lead back to arrays; changes no instruction. */
#include "kernel/elements.h"

#include "kernel/ir.h"
#include "kernel/origin.h"

#include <amp.h>
#include <stdlib.h>
#include <string.h>

/* What an instruction accesses in an element. */
struct member {
    long long element_size, offset, size;
    LLVMValueRef access;
};

struct members {
    int n;
    struct member *of;
};

/* Finds it. Returns false if it does not access elements of a class, or if its place in them is not known. */
static bool find_member(const struct kernel *kernel, LLVMValueRef i, struct member *member)
{
    unsigned operand;
    LLVMTypeRef type = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) ? ir_accessed_type(i, &operand) : NULL;
    LLVMValueRef address = type ? LLVMGetOperand(i, operand) : NULL;
    const struct param *param = type ? origin_of(kernel, address).param : NULL;
    if (!param || param->type != AMP_TYPE_STRUCT)
        return false;
    LLVMTargetDataRef layout = ir_layout_of(i);
    *member = (struct member){param->element_size, 0, (long long)LLVMStoreSizeOfType(layout, type), i};
    for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0))
        if (!ir_add_step(layout, address, member->element_size, &member->offset))
            return false;
    member->offset %= member->element_size;
    member->offset += member->offset < 0 ? member->element_size : 0;
    return LLVMIsALoadInst(address);
}

static struct members find_members(const struct kernel *kernel, LLVMValueRef entry)
{
    struct members members = {0};
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            members.of = arena_alloc((size_t)members.n * sizeof *members.of);
        members.n = 0;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                struct member member;
                if (!find_member(kernel, i, &member))
                    continue;
                if (pass == 1)
                    members.of[members.n] = member;
                members.n++;
            }
    }
    return members;
}

static int compare(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    long long by_element = left->element_size - right->element_size, by_offset = left->offset - right->offset;
    return by_element ? (by_element > 0) - (by_element < 0) : (by_offset > 0) - (by_offset < 0);
}

static LLVMMetadataRef number(LLVMContextRef context, long long value)
{
    return LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)value, true));
}

static LLVMMetadataRef name(LLVMContextRef context, const char *text)
{
    return LLVMMDStringInContext2(context, text, strlen(text));
}

/* Whether members of the same elements are the same or do not overlap, and none ends outside of its element. */
static bool are_apart(const struct member *of, int n)
{
    for (int i = 0; i < n; i++) {
        long long end = of[i].offset + of[i].size;
        bool is_last = i == n - 1;
        if (end > of[i].element_size || (!is_last && of[i + 1].offset != of[i].offset && of[i + 1].offset < end) ||
            (!is_last && of[i + 1].offset == of[i].offset && of[i + 1].size != of[i].size))
            return false;
    }
    return true;
}

/* Marks accesses to elements of one size. */
static void mark(LLVMContextRef context, const struct member *of, int n)
{
    LLVMMetadataRef root = name(context, arena_printf("elements of %lld bytes", of->element_size));
    LLVMMetadataRef words[] = {name(context, "member"), LLVMMDNodeInContext2(context, &root, 1), number(context, 0)};
    LLVMMetadataRef member = LLVMMDNodeInContext2(context, words, 3);
    LLVMMetadataRef *type = arena_alloc((1 + 2 * (size_t)n) * sizeof *type);
    size_t n_words = 0;
    type[n_words++] = name(context, "element");
    for (int i = 0; i < n; i++)
        if (i == 0 || of[i].offset != of[i - 1].offset) {
            type[n_words++] = member;
            type[n_words++] = number(context, of[i].offset);
        }
    LLVMMetadataRef element = LLVMMDNodeInContext2(context, type, n_words);
    for (int i = 0; i < n; i++) {
        LLVMMetadataRef tag[] = {element, member, number(context, of[i].offset)};
        LLVMSetMetadata(of[i].access, LLVMGetMDKindIDInContext(context, "tbaa", 4),
                        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, tag, 3)));
    }
}

void elements_mark(const struct unit *unit, LLVMModuleRef module)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        const struct kernel *kernel = &unit->kernels[k];
        struct members members = find_members(kernel, LLVMGetNamedFunction(module, kernel->entry));
        if (members.n)
            qsort(members.of, (size_t)members.n, sizeof *members.of, compare);
        for (int i = 0, n; i < members.n; i += n) {
            for (n = 1; i + n < members.n && members.of[i + n].element_size == members.of[i].element_size;)
                n++;
            if (are_apart(members.of + i, n))
                mark(unit->context, members.of + i, n);
        }
    }
}
