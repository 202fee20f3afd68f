#pragma once
#include <string>
#include <vector>

#include "base/json.hpp"
#include "solver/problem.hpp"

namespace halotune {

/// Names of the six faces in JSON, [axis][side].
inline constexpr std::array<std::array<const char*, 2>, 3> face_name{{{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}}};

/// A Problem on its way out of JSON. The readers below fill `problem` key by key and append faults;
/// the flags say whose values can be used in later checks.
struct ProblemReading {
  ObjectReader& reader;
  std::vector<Fault>& faults;
  Problem problem;
  bool grid_known = false;  ///< grid and spacing are valid
  bool faces_known = false;
  bool medium_known = false;
  bool order_known = false;
};

void read_grid(ProblemReading& reading);
void read_scheme(ProblemReading& reading);
void read_medium(ProblemReading& reading);
/// `faces` and `cpml`, and whether they fit the grid.
void read_faces(ProblemReading& reading);
/// `time_step_s` or `cfl`, then `steps` or `duration_s`.
void read_time(ProblemReading& reading, CflDefault cfl_default);
void read_initial(ProblemReading& reading);
void read_sources(ProblemReading& reading);
void read_receivers(ProblemReading& reading);
void read_output(ProblemReading& reading);

/// A position that must lie inside the grid.
void read_position(ProblemReading& reading, ObjectReader& reader, std::string_view key,
                   std::array<double, 3>& position_m);
/// Fault unless a number is above zero. @returns whether it is.
bool require_positive(ObjectReader& reader, std::string_view key, double value);
/// Reads a number that must be above zero. @returns whether it was given and is.
bool read_positive(ObjectReader& reader, std::string_view key, double& out);
/// Reads one positive number for all axes, or three. @returns whether what was given is good.
bool read_positive_or_three(ProblemReading& reading, ObjectReader& reader, std::string_view key,
                            std::array<double, 3>& out);
/// An amplitude that the precision of the fields can hold.
void read_amplitude(ProblemReading& reading, ObjectReader& reader, double& out);
/// Fault that says by name that a feature does not exist yet.
void refuse_unbuilt(ObjectReader& reader, std::string_view key, std::string_view feature, std::string suggestion);

}  // namespace halotune
