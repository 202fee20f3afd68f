#include "solver/device/gpu_branches.hpp"

#include <algorithm>

namespace halotune {

void fan_out(Program& program, int device, int count) {
  const Event begin = program.create_event();
  program.record(device, begin);
  for (int k = 0; k < std::min(count, gpu_branches); ++k) program.wait(device, begin, 0, branch_lane(k));
}

void fan_in(Program& program, int device, int count) {
  for (int k = 0; k < std::min(count, gpu_branches); ++k) {
    const Event end = program.create_event();
    program.record(device, end, branch_lane(k));
    program.wait(device, end);
  }
}

}  // namespace halotune
