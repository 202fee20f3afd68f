#include "probes/face_box.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace halotune;

namespace {

CpuDeviceSpec first_core() {
  CpuDeviceSpec device;
  device.cores = {read_cpu_topology().cores.front().os_index};
  return device;
}

}  // namespace

TEST_CASE("a face has the solver's shape on each axis") {
  const ByteBox x = face_box(nullptr, {'x', 64, 8});
  CHECK(x.row_bytes == 8 * 4);
  CHECK(x.rows == 64);
  CHECK(x.planes == 64);
  CHECK(x.row_stride == (64 + 16) * 4);
  CHECK(x.plane_stride == 64 * x.row_stride);
  const ByteBox y = face_box(nullptr, {'y', 64, 8});
  CHECK(y.row_bytes == 64 * 4);
  CHECK(y.rows == 8);
  CHECK(y.planes == 64);
  CHECK(y.plane_stride == (64 + 16) * y.row_stride);
  const ByteBox z = face_box(nullptr, {'z', 64, 8});
  CHECK(z.rows == 64);
  CHECK(z.planes == 8);
  for (const ByteBox& box : {x, y, z}) {
    CHECK(box.bytes() == FaceShape{'x', 64, 8}.bytes());
    CHECK(box.row_stride % 64 == 0);
  }
}

TEST_CASE("every wrong byte and every overwritten neighbour is found") {
  Team team(first_core(), 2);
  const char axis = GENERATE('x', 'y', 'z');
  const FaceShape shape{axis, 12, 4};
  Buffer memory(face_array_bytes(shape), team);
  const ByteBox box = face_box(memory.data(), shape);
  poison(box, team);
  CHECK(find_wrong_word(box, 1, team));  // nothing has arrived
  fill_pattern(box, 1, team);
  CHECK_FALSE(find_wrong_word(box, 1, team));
  CHECK(find_wrong_word(box, 2, team));  // data of another message
  for (const std::int64_t byte : {std::int64_t{0}, box.row_bytes - 1}) {
    std::byte* at = box.data + 2 * box.plane_stride + 3 * box.row_stride + byte;
    *at ^= std::byte{1};
    CHECK(find_wrong_word(box, 1, team));
    *at ^= std::byte{1};
  }
  for (const std::int64_t byte : {std::int64_t{-1}, box.row_bytes}) {
    std::byte* at = box.data + 2 * box.plane_stride + 3 * box.row_stride + byte;
    *at ^= std::byte{1};
    CHECK(find_wrong_word(box, 1, team));
    *at ^= std::byte{1};
  }
  team.run([&](TeamMember member) { rewrite_lines(box, member); });
  CHECK_FALSE(find_wrong_word(box, 1, team));
}

TEST_CASE("the pattern is numbered in gather order") {
  Team team(first_core(), 1);
  const FaceShape shape{'y', 20, 4};
  Buffer memory(face_array_bytes(shape), team), packed(contiguous_array_bytes(shape.bytes()), team);
  const ByteBox box = face_box(memory.data(), shape);
  const ByteBox flat = flat_box(packed.data(), shape.bytes());
  fill_pattern(box, 5, team);
  poison(flat, team);
  gather(box, flat.data, 0, 1);
  CHECK_FALSE(find_wrong_word(flat, 5, team));
}
