/* SPDX-License-Identifier: MIT
 *
 * The names of the variables that a lambda captures. Its members have none, but clang's debugging information has them:
 *
 *     !DISubprogram(name: "describe1<(lambda at ...)>", templateParams: !1, ...)
 *     !1 = !{!DITemplateTypeParameter(name: "F", type: !2)}
 *     !2 = distinct !DICompositeType(tag: DW_TAG_class_type, elements: !3, ...)
 *     !3 = !{!DIDerivedType(tag: DW_TAG_member, name: "view", offset: ...), ...} */
#include "front/cpp/cpp.h"

#include <llvm-c/DebugInfo.h>

/* The operands of a node of metadata, without those that are absent. */
struct operands {
    LLVMMetadataRef *of;
    int n;
};

static struct operands operands_of(LLVMContextRef context, LLVMMetadataRef node)
{
    LLVMValueRef value = LLVMMetadataAsValue(context, node);
    unsigned n = LLVMGetMDNodeNumOperands(value);
    LLVMValueRef *values = arena_alloc((n + 1) * sizeof *values);
    struct operands operands = {.of = arena_alloc((n + 1) * sizeof *operands.of)};
    LLVMGetMDNodeOperands(value, values);
    for (unsigned i = 0; i < n; i++)
        if (values[i] && LLVMIsAMDNode(values[i]))
            operands.of[operands.n++] = LLVMValueAsMetadata(values[i]);
    return operands;
}

/* Returns the list among the operands of a node that begins with a node of this kind. */
static struct operands find_list(LLVMContextRef context, LLVMMetadataRef node, LLVMMetadataKind kind)
{
    struct operands lists = operands_of(context, node);
    for (int i = 0; i < lists.n; i++) {
        if (LLVMGetMetadataKind(lists.of[i]) != LLVMMDTupleMetadataKind)
            continue;
        struct operands list = operands_of(context, lists.of[i]);
        if (list.n && LLVMGetMetadataKind(list.of[0]) == kind)
            return list;
    }
    return (struct operands){0};
}

const char *cpp_capture_name(LLVMContextRef context, LLVMValueRef description, long long offset)
{
    const char *found = NULL;
    uint64_t last = 0;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(description);
    struct operands parameters = {0}, types = {0}, members = {0};
    if (subprogram)
        parameters = find_list(context, subprogram, LLVMDITemplateTypeParameterMetadataKind);
    if (parameters.n)
        types = operands_of(context, parameters.of[0]);
    if (types.n && LLVMGetMetadataKind(types.of[0]) == LLVMDICompositeTypeMetadataKind)
        members = find_list(context, types.of[0], LLVMDIDerivedTypeMetadataKind);
    for (int i = 0; i < members.n; i++) {
        size_t length;
        const char *name = LLVMDITypeGetName(members.of[i], &length);
        if (LLVMGetMetadataKind(members.of[i]) != LLVMDIDerivedTypeMetadataKind || !length ||
            LLVMDITypeGetFlags(members.of[i]) & LLVMDIFlagStaticMember)
            continue;
        uint64_t at = LLVMDITypeGetOffsetInBits(members.of[i]) / 8;
        if (at <= (uint64_t)offset && (!found || at >= last)) {
            found = arena_printf("%.*s", (int)length, name);
            last = at;
        }
    }
    return found;
}
