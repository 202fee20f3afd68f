#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "db/store.hpp"
#include "tests/program_run.hpp"

using namespace halotune;
using namespace std::chrono_literals;
using Clock = ChildProcess::Clock;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Fields of /proc/PID/stat after the name, which may hold spaces: state, parent, group ...
std::vector<std::string> status_of(const std::string& pid) {
  const std::string text = contents("/proc/" + pid + "/stat");
  std::istringstream words(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  return fields;
}

/// Processes that are no zombies and whose environment or arguments name the folder.
std::vector<pid_t> processes_of(const std::filesystem::path& folder) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(getpid())) continue;
    if (contents(entry.path() / "environ").find(folder.string()) == std::string::npos) continue;
    const auto fields = status_of(name);
    if (!fields.empty() && fields[0] != "Z" && fields[0] != "X") found.push_back(std::stoi(name));
  }
  return found;
}

/// The child that times Plans, while there is one; guards are children too, but not of another group's leader.
std::optional<pid_t> worker_of(pid_t tune, const std::filesystem::path& folder) {
  for (const pid_t pid : processes_of(folder)) {
    const auto fields = status_of(std::to_string(pid));
    if (fields.size() < 2 || fields[1] != std::to_string(tune)) continue;
    if (contents("/proc/" + std::to_string(pid) + "/cmdline").find("worker") != std::string::npos) return pid;
  }
  return std::nullopt;
}

enum class Victim { parent, worker, both, worker_group };
constexpr std::array<const char*, 4> victim_names{"parent", "worker", "both", "worker's group"};

struct Figures {
  std::map<Victim, int> kills;
  int acknowledged = 0, lost = 0, most_unstored = 0, repeats = 0, needless_repeats = 0, stored_again = 0;
  int orphans = 0, left_files = 0;
  int failed_checks = 0, sessions_finished = 0, starts = 0, resumed = 0;
};

/// One store, and tune after tune that works on it until it is killed or done.
class Campaign {
 public:
  Campaign(std::vector<std::string> arguments, unsigned seed) : arguments_(std::move(arguments)), random_(seed) {
    std::filesystem::create_directory(place_.file("tmp"));
    const Ran probed =
        halotune_run(place_, {"probe", "--quick", "--samples", "7", "--max-seconds", "3", "--devices", "cpu:2"});
    INFO(probed.err);
    REQUIRE(probed.code == 0);
  }

  void kill_one() {
    if (!tune_) begin();
    const auto wait_ms = std::uniform_int_distribution<int>(0, fresh_ ? 4000 : 1000)(random_);
    fresh_ = false;
    if (!runs_for(std::chrono::milliseconds(wait_ms))) return finish_session();
    const auto victim = static_cast<Victim>(std::uniform_int_distribution<int>(0, 3)(random_));
    const pid_t tune = tune_->pid();
    const auto worker = worker_of(tune, folder());
    if (victim != Victim::parent && !worker) return;
    if (victim == Victim::worker || victim == Victim::both) ::kill(*worker, SIGKILL);
    if (victim == Victim::worker_group) ::kill(-*worker, SIGKILL);
    if (victim == Victim::parent || victim == Victim::both) ::kill(tune, SIGKILL);
    ++figures.kills[victim];
    if (victim == Victim::parent || victim == Victim::both) look_at_the_dead();
  }

  int kills() const {
    int sum = 0;
    for (const auto& [victim, count] : figures.kills) sum += count;
    return sum;
  }

  /// The last tune runs to its end; its answer is the proof that the store still serves.
  void run_to_the_end() {
    if (!tune_) begin();
    while (runs_for(1s)) continue;
    finish_session();
  }

  Figures figures;

 private:
  std::filesystem::path folder() const { return place_.file(""); }

  void begin() {
    ProcessSpec spec;
    spec.argv = {"sh", "-c", "exec \"$@\" 2>\"$0\"", logs_.file("stderr").string(), HALOTUNE_PROGRAM};
    spec.argv.insert(spec.argv.end(), arguments_.begin(), arguments_.end());
    spec.environment = place_.environment();
    spec.environment["TMPDIR"] = place_.file("tmp").string();
    tune_.emplace(spec);
    fresh_ = true;
    ++figures.starts;
  }

  /// False when tune has ended by itself.
  bool runs_for(std::chrono::milliseconds time) {
    const auto end = Clock::now() + time;
    std::string line;
    while (Clock::now() < end) {
      if (tune_->read_line(line, end) == ChildProcess::Read::closed) return false;
    }
    return true;
  }

  void finish_session() {
    const Ran ran = finish(*tune_);
    read_events();
    INFO(contents(logs_.file("stderr")));
    // 1: every Plan of the session failed by our kills; 3: two kills in a row while the reference was made.
    CHECK((ran.code == 0 || ran.code == 1 || ran.code == 3));
    ++figures.sessions_finished;
    tune_.reset();
    look_at_the_store(ran.code != 3);
  }

  void look_at_the_dead() {
    std::string line;
    while (tune_->read_line(line, Clock::now() + 5s) == ChildProcess::Read::line) continue;
    tune_->wait(Clock::now() + 10s);
    read_events();
    tune_.reset();
    for (const auto limit = Clock::now() + 5s; Clock::now() < limit && !processes_of(folder()).empty();)
      std::this_thread::sleep_for(10ms);
    for (const pid_t pid : processes_of(folder())) {
      ++figures.orphans;
      std::printf("orphan %d: %s\n", pid, contents("/proc/" + std::to_string(pid) + "/cmdline").c_str());
      ::kill(pid, SIGKILL);
    }
    look_at_the_store(false);
  }

  /// `written`: a process has written and ended in order since the last kill.
  void look_at_the_store(bool written) {
    const Ran checked = halotune_run(place_, {"db", "check", "--json"});
    if (checked.code != 0) std::printf("db check: %s%s\n", checked.out.c_str(), checked.err.c_str());
    figures.failed_checks += checked.code != 0;
    const Store store(place_.file("halotune/halotune.db"));
    std::set<std::string> ids;
    std::map<std::string, int> visits;  // of one Plan in one round of one session
    for (const TrialRow& row : store.trials({})) {
      ids.insert(row.id);
      const Json rounds = parse_json(row.provenance, "provenance")["rounds"];
      if (!rounds.empty()) ++visits[row.session + row.plan_key + rounds[0].dump()];
    }
    for (const std::string& id : acknowledged_) figures.lost += !ids.contains(id);
    for (const auto& [visit, times] : visits) figures.stored_again = std::max(figures.stored_again, times - 1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
      const std::string name = entry.path().filename();
      // Before the next write SQLite leaves a journal that holds nothing to undo where it is.
      if (!entry.is_regular_file() || name == "halotune.db" || (!written && name == "halotune.db-journal")) continue;
      ++figures.left_files;
      std::printf("left over: %s\n", entry.path().c_str());
    }
  }

  /// What the tune that has just ended said: which visits it began and which rows it called stored.
  void read_events() {
    std::istringstream lines(contents(logs_.file("stderr")));
    std::string session, under_way;
    int unstored = 0;
    const auto leave = [&] {
      if (under_way.empty()) return;
      ++unstored;
      unstored_.insert(under_way);
      under_way.clear();
    };
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('{') || !line.ends_with('}')) continue;
      const Json event = parse_json(line, "event");
      if (event["event"] == "session") {
        session = event["id"];
        figures.resumed += event["visits_known"].get<int>() > 0;
      }
      if (event["event"] == "visit") {
        leave();
        under_way = session + event["what"].get<std::string>();
        const bool again = !begun_.insert(under_way).second;
        figures.repeats += again;
        figures.needless_repeats += again && unstored_.erase(under_way) == 0;
      }
      if (event["event"] == "stored") {
        under_way.clear();
        acknowledged_.insert(event["trial"]);
        ++figures.acknowledged;
      }
    }
    leave();
    figures.most_unstored = std::max(figures.most_unstored, unstored);
  }

  const Workplace place_, logs_;
  std::vector<std::string> arguments_;
  std::mt19937 random_;
  std::optional<ChildProcess> tune_;
  bool fresh_ = false;
  std::set<std::string> acknowledged_, begun_, unstored_;
};

int kills_wanted() {
  const char* text = std::getenv("HALOTUNE_KILLS");
  return text != nullptr ? std::atoi(text) : 200;
}

void run_campaign(const std::string& kind, int kills) {
  Campaign campaign({"tune", "--events", "--search", kind, "--budget", "120", "--grid", "40x36x32", "--set",
                     "cpml.cells=6", "--set", "order=4", "--devices", "cpu:2", "--restrict", "s=1,2", "--restrict",
                     "transport=shared packing=packed overlap=off"},
                    20261201);
  while (campaign.kills() < kills) campaign.kill_one();
  campaign.run_to_the_end();
  Figures& f = campaign.figures;
  std::string text = kind + ": ";
  for (const auto& [victim, count] : f.kills)
    text += std::to_string(count) + " kills of " + victim_names[static_cast<std::size_t>(victim)] + ", ";
  std::printf(
      "%s%d starts (%d resumed), %d sessions finished; %d visits acknowledged, %d lost; %d visits begun again, "
      "%d of them without need, %d at most without result when one tune ended, %d stored twice; %d orphans, %d files "
      "left, %d failed checks\n",
      text.c_str(), f.starts, f.resumed, f.sessions_finished, f.acknowledged, f.lost, f.repeats, f.needless_repeats,
      f.most_unstored, f.stored_again, f.orphans, f.left_files, f.failed_checks);
  CHECK(f.acknowledged > 0);
  CHECK(f.lost == 0);
  CHECK(f.needless_repeats == 0);
  CHECK(f.most_unstored <= 1);
  CHECK(f.stored_again == 0);
  CHECK(f.orphans == 0);
  CHECK(f.left_files == 0);
  CHECK(f.failed_checks == 0);
}

}  // namespace

TEST_CASE("kill -9 at random moments loses nothing: exhaustive search", "[long][kill]") {
  run_campaign("exhaustive", kills_wanted() / 2);
}

TEST_CASE("kill -9 at random moments loses nothing: guided search", "[long][kill]") {
  run_campaign("guided", kills_wanted() / 2);
}
