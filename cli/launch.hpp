#pragma once
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace halotune {

/// Adds a fault when a launcher (mpirun, srun) started several copies of this program.
void refuse_several_ranks(const std::string& command, std::vector<Fault>& faults);

}  // namespace halotune
