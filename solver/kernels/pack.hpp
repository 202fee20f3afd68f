#pragma once
/// Pack<T>: one vector register of the instruction set that the including file is compiled for.
/// Everything lies in the namespace of that instruction set: the same template compiled twice with
/// different flags must never become one symbol.
///
/// A Pack has: width; Mask, lanes(lo, hi), operator& of masks; load (aligned), load_unaligned,
/// broadcast; store (aligned) and store(mask), which touches the lanes of the mask only;
/// -, *, multiply_add, blend(mask, yes, no); Window: plus<l>() and minus<l>(), a vector's neighbours
/// along x, valid after look_ahead(); step() goes to the next vector of the row.
#if defined(HALOTUNE_ISA_avx512)
#include "solver/kernels/pack_avx512.hpp"
#elif defined(HALOTUNE_ISA_avx2)
#include "solver/kernels/pack_avx2.hpp"
#else
#include "solver/kernels/pack_baseline.hpp"
#endif
