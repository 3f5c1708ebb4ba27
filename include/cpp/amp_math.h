/* SPDX-License-Identifier: MIT */
#ifndef AMP_CPP_AMP_MATH_H
#define AMP_CPP_AMP_MATH_H
#include <amp.h>
#endif
