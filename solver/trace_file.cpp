#include "solver/trace_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <hdf5.h>

namespace halotune {
namespace {

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0)
      throw DeviceError(std::string("HDF5 could not create ") + what + " (library call failed) check the disk");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const noexcept { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t status, const char* what) {
  if (status < 0)
    throw DeviceError(std::string("HDF5 could not write ") + what + " (library call failed) check the disk");
}

void write_doubles(hid_t file, const char* name, const std::vector<hsize_t>& shape, const std::vector<double>& values) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, name);
  const Handle set(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                   name);
  if (!values.empty()) require(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
}

/// UTF-8 strings of any length.
class TextType : public Handle {
 public:
  TextType() : Handle(H5Tcopy(H5T_C_S1), H5Tclose, "a string type") {
    require(H5Tset_size(*this, H5T_VARIABLE), "a string type");
    require(H5Tset_cset(*this, H5T_CSET_UTF8), "a string type");
  }
};

void write_names(hid_t file, const std::vector<Receiver>& receivers) {
  const TextType type;
  const hsize_t count = receivers.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "/name");
  const Handle set(H5Dcreate2(file, "name", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "/name");
  std::vector<const char*> names;
  for (const Receiver& receiver : receivers) names.push_back(receiver.name.c_str());
  if (!names.empty()) require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()), "/name");
}

void write_attributes(hid_t file, const Problem& problem) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "an attribute");
  const TextType type;
  const std::string text = to_json(problem).dump();
  const char* pointer = text.c_str();
  const Handle json(H5Acreate2(file, "problem", type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "problem");
  require(H5Awrite(json, type, static_cast<const void*>(&pointer)), "problem");
  const Handle step(H5Acreate2(file, "time_step_s", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    "time_step_s");
  require(H5Awrite(step, H5T_NATIVE_DOUBLE, &problem.time_step_s), "time_step_s");
}

void write_contents(const std::filesystem::path& path, const Problem& problem,
                    const std::vector<std::vector<double>>& traces) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path.c_str());
  const std::size_t samples = traces.empty() ? 0 : traces.front().size();
  std::vector<double> times(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    times[i] =
        static_cast<double>((static_cast<std::int64_t>(i) + 1) * problem.output.every_steps) * problem.time_step_s;
  }
  std::vector<double> values;
  std::vector<double> positions;
  for (const auto& trace : traces) values.insert(values.end(), trace.begin(), trace.end());
  for (const Receiver& receiver : problem.receivers) {
    positions.insert(positions.end(), receiver.position_m.begin(), receiver.position_m.end());
  }
  write_doubles(file, "time_s", {samples}, times);
  write_doubles(file, "traces", {traces.size(), samples}, values);
  write_doubles(file, "position_m", {problem.receivers.size(), 3}, positions);
  write_names(file, problem.receivers);
  write_attributes(file, problem);
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), path.c_str());
}

std::filesystem::path beside(const std::filesystem::path& file) {
  auto partial = file;
  partial += ".partial";
  return partial;
}

}  // namespace

void check_writable(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown)) {
    throw ConfigError({"/output/file", "cannot write " + file.string(), "it exists and is no regular file",
                       "name a file, not a folder or device"});
  }
  const auto partial = beside(file);
  std::ofstream probe(partial);
  if (!probe) {
    throw ConfigError({"/output/file", "cannot write " + file.string(), std::strerror(errno),
                       "name a file in a folder that exists and may be written"});
  }
  probe.close();
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
}

void write_traces(const std::filesystem::path& file, const Problem& problem,
                  const std::vector<std::vector<double>>& traces) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const auto partial = beside(file);
  std::error_code error;
  try {
    write_contents(partial, problem, traces);
  } catch (const DeviceError&) {
    std::filesystem::remove(partial, error);
    throw;
  }
  std::filesystem::rename(partial, file, error);
  if (error) throw DeviceError("cannot rename " + partial.string() + " (" + error.message() + ") move it by hand");
}

}  // namespace halotune
