/* SPDX-License-Identifier: MIT
 *
 * Whether a link needs the library of C++, which clang links only where it is called clang++: a source of C++ is on the
 * command line, or an object made from one, as a makefile's `$(CXX) *.o` has them. */
#include "driver/driver.h"

#include <llvm-c/Object.h>
#include <string.h>

/* Whether a symbol is one of the library of C++. */
static bool is_of_library(const char *symbol)
{
    static const char begins[] = "__gxx_personality __cxa_throw __cxa_guard __cxa_pure _ZSt _ZNSt _ZNKSt "
                                 "_ZTVN10__cxxabiv1 _Znwm _Znam _ZdlPv _ZdaPv";
    return begins_with_one_of(symbol, begins);
}

static bool names_library(LLVMBinaryRef binary)
{
    LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
    bool found = false;
    for (; !found && symbol && !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol))
        found = is_of_library(LLVMGetSymbolName(symbol));
    if (symbol)
        LLVMDisposeSymbolIterator(symbol);
    return found;
}

/* Whether an input is an object file that needs the library. What cannot be read is left to the linker. */
static bool is_object_of_cpp(const char *path)
{
    const char *dot = strrchr(path, '.');
    LLVMMemoryBufferRef buffer;
    char *error;
    if (!dot || strcmp(dot, ".o") != 0)
        return false;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &error)) {
        LLVMDisposeMessage(error);
        return false;
    }
    LLVMContextRef context = LLVMContextCreate();
    LLVMBinaryRef binary = LLVMCreateBinary(buffer, context, &error);
    bool needs = false;
    if (!binary) {
        LLVMDisposeMessage(error);
    } else {
        needs = LLVMBinaryGetType(binary) == LLVMBinaryTypeELF64L && names_library(binary);
        LLVMDisposeBinary(binary);
    }
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
    return needs;
}

void driver_add_cpp_library(const struct command *command, struct words *args)
{
    bool has_cpp = false, is_libcxx = false;
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        has_cpp = has_cpp || driver_is_cpp(word) || (word->kind == WORD_INPUT && is_object_of_cpp(word->text[0]));
        is_libcxx =
            is_libcxx || (word->kind == WORD_COMPILE && strstr(word->text[0], "-stdlib") &&
                          (strstr(word->text[0], "=libc++") || (word->text[1] && !strcmp(word->text[1], "libc++"))));
    }
    if (!has_cpp)
        return;
    words_add(args, "-fsanitize-link-c++-runtime");
    words_add(args, is_libcxx ? "-lc++" : "-lstdc++");
    words_add(args, "-lm");
}
