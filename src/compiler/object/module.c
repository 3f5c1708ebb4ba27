/* SPDX-License-Identifier: MIT
 *
 * Reads the modules that clang makes. */
#include "driver/driver.h"

#include <llvm-c/BitReader.h>

/* LLVM's warnings, such as about loops that it did not unroll, concern code that is no longer the user's. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    (void)user;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        diag_defect(NULL, "LLVM: %s", LLVMGetDiagInfoDescription(info));
}

LLVMModuleRef bitcode_read(struct unit *unit, const char *path)
{
    if (!unit->context) {
        unit->context = LLVMContextCreate();
        LLVMContextSetDiagnosticHandler(unit->context, on_diagnostic, NULL);
    }
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        diag_defect(NULL, "cannot read '%s': %s", path, message);
    if (LLVMParseBitcodeInContext2(unit->context, buffer, &module))
        diag_defect(NULL, "clang's bitcode cannot be read");
    LLVMDisposeMemoryBuffer(buffer);
    return module;
}
