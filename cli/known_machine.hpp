#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "probes/probe.hpp"

namespace halotune {

/// Measurements older than this are taken again by `tune`. [days]
inline constexpr int fresh_days = 30;

/// The stored measurement with these very keys, however old.
std::optional<Machine> stored_machine(const Store& store, const MachineKeys& keys);

/// Whether `machine` was measured within fresh_days. A date of more than a day ahead says nothing about the age: not
/// fresh.
bool is_fresh(const Machine& machine);

/// Probes with progress on stderr and stores the result. @throws DbError before it measures anything when the store
/// could not take it; Interrupted: the next call within the hour then goes on with what is missing.
/// @param show gets the result before it is stored: a store that fails must not cost it
Machine probe_and_store(Store& store, ProbeOptions options, const std::function<void(const Machine&)>& show = {});

/// A fresh measurement for these devices that this store took itself, or a new one, which is stored.
Machine fresh_machine(Store& store, const std::vector<std::string>& devices);

/// What is stored for these devices, or a description without figures.
Machine known_machine(const Store& store, const std::vector<std::string>& devices);

/// A Machine file, or an answer of `probe --json`. Problems become faults.
std::optional<Machine> machine_from_file(const std::string& file, std::vector<Fault>& faults);

/// "2-core ..., probed 2026-01-31T12:00:00Z" for people.
std::string machine_text(const Machine& machine);

}  // namespace halotune
