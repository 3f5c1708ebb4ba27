/* SPDX-License-Identifier: MIT */
#include "ampcc.h"
#include "gpu/grid.h"

#include <string.h>

/* Returns the format with `l` for other sizes. Formats are literals, but LLVM may have merged calls into one that
 * chooses among several. */
static LLVMValueRef plain_format(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef format)
{
    if (LLVMIsAPHINode(format) || LLVMIsASelectInst(format)) {
        for (int i = 0; i < LLVMGetNumOperands(format); i++)
            LLVMSetOperand(format, (unsigned)i, plain_format(module, builder, LLVMGetOperand(format, (unsigned)i)));
        return format;
    }
    LLVMValueRef initializer = LLVMIsAGlobalVariable(format) ? LLVMGetInitializer(format) : NULL;
    if (!initializer || !LLVMIsConstantString(initializer))
        return format;
    size_t length;
    const char *text = LLVMGetAsString(initializer, &length);
    char *plain = arena_printf("%.*s", (int)length, text);
    for (char *c = strchr(plain, '%'); c; c = strchr(c, '%')) {
        c += 1 + strspn(c + 1, " #+-'.*0123456789");
        if (*c && strchr("jzt", *c))
            *c = 'l';
        c += *c != 0;
    }
    return strncmp(plain, text, length) ? LLVMBuildGlobalString(builder, plain, "format") : format;
}

void printf_lower(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call, const char *function)
{
    enum { MOST = 32 };
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), types[MOST];
    unsigned n = LLVMGetNumArgOperands(call) - 1;
    for (unsigned a = 0; a < n; a++)
        types[a] = LLVMTypeOf(LLVMGetOperand(call, a + 1));
    LLVMTypeRef block = LLVMStructTypeInContext(context, types, n, false);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef place = LLVMBuildAlloca(builder, block, "");
    LLVMPositionBuilderBefore(builder, call);
    for (unsigned a = 0; a < n; a++)
        LLVMBuildStore(builder, LLVMGetOperand(call, a + 1), LLVMBuildStructGEP2(builder, block, place, a, ""));

    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef callee = LLVMGetNamedFunction(module, function);
    if (!callee)
        callee = LLVMAddFunction(module, function, type);
    LLVMValueRef format = plain_format(module, builder, LLVMGetOperand(call, 0));
    LLVMBuildCall2(builder, type, callee, (LLVMValueRef[]){format, place}, 2, "");
}
