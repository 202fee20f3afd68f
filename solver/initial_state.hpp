#pragma once
#include "solver/part_memory.hpp"

namespace halotune {

/// Sets the owned cells of a part (p, v and psi) to the Problem's initial state, on the team.
/// Ghosts are left alone: an exchange and refresh_ghosts fill them.
template <class T>
void set_initial_state(PartMemory<T>& memory, const Problem& problem, Team& team);

}  // namespace halotune
