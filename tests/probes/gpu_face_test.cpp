#include <catch2/catch_test_macros.hpp>

#include <stdexcept>

#include "probes/face_move.hpp"
#include "probes/gpu_box.hpp"
#include "solver/device/cpu_topology.hpp"
#include "solver/device/gpu.hpp"
#include "solver/transport/gpu_moves.hpp"

using namespace halotune;

TEST_CASE("faces inside a GPU move between boxes of one shape and stay inside their arrays") {
  CpuDeviceSpec core;
  core.cores = {read_cpu_topology().cores.front().os_index};
  Team team(core, 0);
  for (const char* operation : {"gather", "scatter", "strided", "strided_kernel"}) {
    for (const char axis : {'x', 'y', 'z'}) {
      for (const std::int64_t depth : {4, 16}) {
        const FaceShape shape{axis, 24, depth};
        INFO(operation << " " << axis << " " << depth);
        Buffer from(face_array_bytes(shape), team), to(face_array_bytes(shape), team);
        const FaceMove face = face_move(operation, shape, from.data(), to.data());
        CHECK(face.move.from.row_bytes == face.move.to.row_bytes);
        CHECK(face.move.from.rows == face.move.to.rows);
        CHECK(face.move.from.planes == face.move.to.planes);
        fill_pattern(face.filled, 3, team);
        poison(face.checked, team);
        copy(face.move, 0, 1);
        CHECK_FALSE(find_wrong_word(face.checked, 3, team));
        GpuMoveList list;
        list.add(face.move);
        CHECK(list.bytes() == shape.bytes());
      }
    }
  }
}

TEST_CASE("a kernel's list of copies takes no boxes of two shapes") {
  const FaceShape shape{'x', 8, 4};
  std::byte* const nowhere = nullptr;
  GpuMoveList list;
  CHECK_THROWS_AS(list.add({face_box(nowhere, shape), flat_box(nowhere, shape.bytes())}), std::logic_error);
  CHECK_THROWS_AS(list.add({flat_box(nowhere, shape.bytes()), face_box(nowhere, shape)}), std::logic_error);
  CHECK(list.empty());
}

TEST_CASE("faces inside a GPU arrive by the transports' kernel", "[gpu]") {
  if (find_gpus().gpus.empty()) SKIP("no GPU: " << find_gpus().reason);
  const Gpu gpu(0);
  for (const char* operation : {"gather", "scatter", "strided_kernel"}) {
    for (const char axis : {'x', 'y', 'z'}) {
      const FaceShape shape{axis, 24, 4};
      INFO(operation << " " << axis);
      const Buffer from(face_array_bytes(shape), gpu), to(face_array_bytes(shape), gpu);
      const FaceMove face = face_move(operation, shape, from.data(), to.data());
      fill_pattern(face.filled, 3, gpu);
      poison(face.checked, gpu);
      GpuMoveList list;
      list.add(face.move);
      list.place(gpu);
      list.enqueue(gpu.main());
      CHECK_FALSE(find_wrong_word(face.checked, 3, gpu));
    }
  }
}
