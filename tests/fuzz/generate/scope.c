/* SPDX-License-Identifier: MIT */
#include "generate.h"

const struct type_facts types[N_TYPES] = {
    {"bool", "bool", "1", '?'},           {"int8_t", "i8", "1", 'c'},
    {"uint8_t", "u8", "1", 'C'},          {"int16_t", "i16", "1", 'h'},
    {"uint16_t", "u16", "1", 'H'},        {"int32_t", "i32", "1", 'i'},
    {"uint32_t", "u32", "1u", 'I'},       {"int64_t", "i64", "1ll", 'l'},
    {"uint64_t", "u64", "1ull", 'L'},     {"_Float16", "f16", "(_Float16)1", 'e'},
    {"__bf16", "bf16", "(__bf16)1", 'E'}, {"float", "f32", "1.0f", 'f'},
    {"double", "f64", "1.0", 'd'},
};

const struct struct_facts structs[N_STRUCTS] = {
    {"ff", 2, {F32, F32}},
    {"fff", 3, {F32, F32, F32}},
    {"ffff", 4, {F32, F32, F32, F32}},
    {"ii", 2, {I32, I32}},
    {"if", 2, {I32, F32}},
    {"dd", 2, {F64, F64}},
    {"dif", 3, {F64, I32, F32}},
    {"hhhh", 4, {I16, I16, I16, I16}},
    {"bbbb", 4, {U8, U8, U8, U8}},
    {"bbhf", 4, {U8, U8, U16, F32}},
    {"lul", 3, {I64, U32, U32}},
    {"ee", 2, {F16, F16}},
    {"EeEe", 4, {BF16, F16, BF16, F16}},
    {"eEi", 3, {F16, BF16, I32}},
};

struct scope scope;
unsigned long seed;
int rank, tile[3], n_names;
bool tiled, in_helper, with_barriers, is_cpp;
int result;
char *waiting;
enum type waiting_type;
int n_reads;

struct level open_scope(void)
{
    return (struct level){scope.n_variables, scope.n_arrays, scope.n_shared, scope.n_aggregates};
}

void close_scope(struct level level)
{
    scope.n_variables = level.n_variables, scope.n_arrays = level.n_arrays;
    scope.n_shared = level.n_shared, scope.n_aggregates = level.n_aggregates;
}

char *name(const char *prefix)
{
    return text("%s%d", prefix, n_names++);
}

void add_variable(char *lvalue, enum type type, bool uniform, bool fixed)
{
    if (scope.n_variables < 512)
        scope.variables[scope.n_variables++] = (struct variable){lvalue, type, uniform, fixed, false, 0, 0};
}

void add_small(char *lvalue, bool uniform, int lo, int hi)
{
    if (scope.n_variables < 512)
        scope.variables[scope.n_variables++] = (struct variable){lvalue, I32, uniform, true, true, lo, hi};
}

struct bound bound(int dim, int times, int plus)
{
    struct bound b = {dim, times, plus, NULL};
    if (dim == PRODUCT)
        b.text = rank == 1 ? "D0" : rank == 2 ? "D0 * D1" : "D0 * D1 * D2";
    else if (dim < 0)
        b.text = text("%d", plus);
    else if (times == 1)
        b.text = plus ? text("D%d + %d", dim, plus) : text("D%d", dim);
    else
        b.text = plus ? text("%d * D%d + %d", times, dim, plus) : text("%d * D%d", times, dim);
    return b;
}
