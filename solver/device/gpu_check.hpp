#pragma once
#include "solver/device/source_place.hpp"

namespace halotune {

/// The one place through which every result of the GPU runtime goes: kernel launches, copies, events, graphs.
/// @param code the runtime's error number; 0 is success
/// @throws DeviceError with the runtime's name and text of the error and the place of the call. Out of memory and
/// a lost or failed device are told apart in the suggestion; out of memory is a MemoryError.
void gpu_check(int code, SourcePlace where = SourcePlace::current());

/// As gpu_check(), but notes the error to standard error instead of throwing: for destructors.
void gpu_note(int code, SourcePlace where = SourcePlace::current()) noexcept;

}  // namespace halotune
