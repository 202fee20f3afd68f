#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "solver/transport/message.hpp"
#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (auto& b : bytes) b = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

std::byte* cell(const ByteBox& box, std::int64_t plane, std::int64_t row, std::int64_t byte) {
  return box.data + plane * box.plane_stride + row * box.row_stride + byte;
}

// What copy() must give, byte by byte.
void copy_plainly(const Transfer& t) {
  for (std::int64_t plane = 0; plane < t.from.planes; ++plane) {
    for (std::int64_t row = 0; row < t.from.rows; ++row) {
      for (std::int64_t b = 0; b < t.from.row_bytes; ++b) *cell(t.to, plane, row, b) = *cell(t.from, plane, row, b);
    }
  }
}

struct Arrays {
  Arrays(std::int64_t row_bytes, std::int64_t rows, std::int64_t planes)
      : source(random_bytes(static_cast<std::size_t>((row_bytes + 24) * (rows + 2) * (planes + 1) + 8), 1)),
        target(random_bytes(static_cast<std::size_t>((row_bytes + 40) * (rows + 1) * (planes + 3) + 12), 2)),
        expected(target) {
    transfer.from = {source.data() + 8, row_bytes, rows, row_bytes + 24, planes, (row_bytes + 24) * (rows + 2)};
    transfer.to = {target.data() + 12, row_bytes, rows, row_bytes + 40, planes, (row_bytes + 40) * (rows + 1)};
    Transfer plain = transfer;
    plain.to.data = expected.data() + 12;
    copy_plainly(plain);
  }
  std::vector<std::byte> source, target, expected;
  Transfer transfer;
};

TEST_CASE("copy moves every byte of a box and no other, for any row length and number of members") {
  const std::int64_t row_bytes = GENERATE(1, 3, 4, 7, 8, 12, 16, 20, 32, 40, 48, 64, 96, 100, 128, 252, 260, 5000);
  const int members = GENERATE(1, 2, 5);
  Arrays a(row_bytes, 7, 3);
  for (int member = 0; member < members; ++member) copy(a.transfer, member, members);
  CHECK(a.target == a.expected);
}

TEST_CASE("gather and scatter are each other's inverse, through x-fastest contiguous bytes") {
  const std::int64_t row_bytes = GENERATE(4, 32, 144, 6000);
  const int members = GENERATE(1, 3);
  Arrays a(row_bytes, 5, 4);
  std::vector<std::byte> packed(static_cast<std::size_t>(a.transfer.from.bytes()) + 1, std::byte{0x5a});
  for (int member = 0; member < members; ++member) gather(a.transfer.from, packed.data(), member, members);
  CHECK(packed.back() == std::byte{0x5a});
  const auto at = static_cast<std::size_t>((2 * 5 + 3) * row_bytes);
  CHECK(std::memcmp(packed.data() + at, cell(a.transfer.from, 2, 3, 0), static_cast<std::size_t>(row_bytes)) == 0);
  for (int member = 0; member < members; ++member) scatter(packed.data(), a.transfer.to, member, members);
  CHECK(a.target == a.expected);
}

TEST_CASE("boxes without gaps are cut anywhere, flat and single boxes too") {
  std::vector<std::byte> source = random_bytes(100000, 3), target(100000);
  const ByteBox from = contiguous_box(source.data(), {nullptr, 50000, 2});
  const Transfer whole{from, contiguous_box(target.data(), from)};
  for (int member = 0; member < 3; ++member) copy(whole, member, 3);
  CHECK(target == source);
}

TEST_CASE("copies between boxes of two shapes are refused") {
  auto memory = random_bytes(64, 1);
  const ByteBox box{memory.data(), 4, 2, 8, 2, 16}, flat{memory.data() + 32, 16};
  REQUIRE(box.bytes() == flat.bytes());
  MoveList list;
  CHECK_THROWS_AS(copy({box, flat}, 0, 1), std::logic_error);
  CHECK_THROWS_AS(list.add({box, flat}), std::logic_error);
  CHECK_THROWS_AS(list.add({box, flat}, {flat, box}, box), std::logic_error);
  CHECK_THROWS_AS(list.add({flat, flat}, {flat, flat}, box), std::logic_error);
  CHECK(list.empty());
}

TEST_CASE("shares cover a list of boxes once and are equal within one row") {
  const int members = GENERATE(1, 2, 3, 7);
  const std::vector<ByteBox> boxes{
      {nullptr, 32, 100, 64, 9, 6400}, {nullptr, 9000, 4, 9100}, {nullptr, 4, 1}, {nullptr, 0, 5}};
  std::int64_t total = 0;
  for (const auto& box : boxes) total += box.bytes();
  std::vector<std::int64_t> sums(static_cast<std::size_t>(members), 0);
  std::int64_t before = 0;
  for (const auto& box : boxes) {
    std::int64_t end = 0;
    for (int m = 0; m < members; ++m) {
      const ByteRange range = share_of(box, before, total, m, members);
      CHECK(range.first == end);
      if (box.row_bytes > 0 && box.row_bytes <= 4096) CHECK(range.last % box.row_bytes == 0);
      end = range.last;
      sums[static_cast<std::size_t>(m)] += range.last - range.first;
    }
    CHECK(end == box.bytes());
    before += box.bytes();
  }
  for (const auto sum : sums) CHECK(std::abs(sum - total / members) <= 2 * 64);
}

}  // namespace
}  // namespace halotune
