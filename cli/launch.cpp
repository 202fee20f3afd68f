#include "cli/launch.hpp"

#include <cstdlib>

#include "cli/quantities.hpp"

namespace halotune {

void refuse_several_ranks(const std::string& command, std::vector<Fault>& faults) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || parse_whole(value).value_or(1) <= 1) continue;
    const std::string why = std::string(name) + "=" + value;
    if (command == "tune") {
      faults.push_back({"", "tune was started as several ranks", why,
                        "start it once, as an ordinary process inside the allocation; it launches its trials itself"});
    } else {
      faults.push_back(
          {"", "runs over several ranks are not part of this build", why, "start it without mpirun or srun"});
    }
    return;
  }
}

}  // namespace halotune
