#pragma once
#include <array>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace halotune {

/// "a, b, c"
template <class Words>
std::string listed(const Words& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// Reads a word into an enumeration that has to_string(); a fault lists the choices. Leaves `out`
/// alone when the key is absent.
template <class Enum, std::size_t N>
void read_word(ObjectReader& reader, std::string_view key, const std::array<Enum, N>& values, Enum& out) {
  const Json* member = reader.member(key);
  if (member == nullptr) return;
  std::string word;
  if (!reader.read(key, word)) return;
  std::array<std::string_view, N> choices;
  for (std::size_t i = 0; i < N; ++i) {
    choices[i] = to_string(values[i]);
    if (choices[i] == word) {
      out = values[i];
      return;
    }
  }
  reader.fault(key, "is the unknown word " + shown(*member), "", "use one of " + listed(choices));
}

/// Reads a list of three numbers, each fault with the path of its element. @returns which were set.
template <class Number>
std::array<bool, 3> read_three(ObjectReader& reader, std::string_view key, std::array<Number, 3>& out,
                               std::vector<Fault>& faults) {
  std::array<bool, 3> set{};
  const Json* list = reader.member(key);
  if (list == nullptr) return set;
  if (!list->is_array() || list->size() != 3) {
    reader.fault(key, "is not a list of three", "got " + shown(*list), "give values for x, y and z");
    return set;
  }
  const Json named{{"0", (*list)[0]}, {"1", (*list)[1]}, {"2", (*list)[2]}};
  ObjectReader elements(named, reader.path_of(key), faults);
  for (std::size_t axis = 0; axis < 3; ++axis) set[axis] = elements.read(std::to_string(axis), out[axis]);
  return set;
}

}  // namespace halotune
