#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/cli/shell_run.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string run_words = " run --grid 40x36x32 --set cpml.cells=6 --set order=4 --steps 12 --digest --json ";

std::string digest_of(const Ran& ran) {
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return ran.json()["digest"].get<std::string>();
}

/// What doctor found on a topic, all findings joined.
std::string found(const Ran& ran, const std::string& topic) {
  INFO(ran.err << ran.out);
  const Json json = ran.json();
  std::string text;
  for (const Json& finding : json["findings"]) {
    if (finding["topic"] == topic) text += finding["found"].get<std::string>() + "\n";
  }
  return text;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// A version-1 control group for one test; empty when the machine allows none.
class ControlGroup {
 public:
  ControlGroup(const Workplace& place, std::string controller, const std::string& file, const std::string& value)
      : place_(place), path_("/sys/fs/cgroup/" + controller + "/halotune-test-" + std::to_string(getpid())) {
    if (!machine_allows(place_, "mkdir " + path_ + " && echo " + value + " > " + path_ + "/" + file)) remove();
  }
  ~ControlGroup() { remove(); }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool made() const { return !path_.empty(); }
  /// The line, with its shell inside the group.
  std::string inside(const std::string& line) const { return "echo $$ > " + path_ + "/cgroup.procs && exec " + line; }

 private:
  void remove() {
    if (!path_.empty()) machine_allows(place_, "rmdir " + path_);
    path_.clear();
  }

  const Workplace& place_;
  std::string path_;
};

}  // namespace

TEST_CASE("The store's place follows XDG_STATE_HOME, then HOME, then the account, and relative paths do not count") {
  const Workplace place;
  const auto store = [&](const std::string& environment) {
    return found(shell_run(place, environment + " \"$H\" doctor --json"), "store");
  };
  const std::string here = place.file("").string();
  CHECK_THAT(store("env XDG_STATE_HOME=" + here + "s"), ContainsSubstring(here + "s/halotune/halotune.db"));
  const std::string in_home = here + "h/.local/state/halotune/halotune.db";
  CHECK_THAT(store("env -u XDG_STATE_HOME HOME=" + here + "h"), ContainsSubstring(in_home));
  CHECK_THAT(store("env XDG_STATE_HOME=relative HOME=" + here + "h"), ContainsSubstring(in_home));
  CHECK_THAT(store("env XDG_STATE_HOME= HOME=" + here + "h"), ContainsSubstring(in_home));
  CHECK_THAT(store("env -u XDG_STATE_HOME -u HOME"), ContainsSubstring("halotune.db"));
  CHECK_FALSE(std::filesystem::exists(place.file("h")));
}

TEST_CASE("An account without a home keeps its store below /tmp, in a folder of its own") {
  const Workplace place;
  const std::string as_nobody = "setpriv --reuid 64999 --regid 64999 --clear-groups env -i ";
  if (!machine_allows(place, as_nobody + "\"$H\" --version")) SKIP("another account cannot be used here");
  const Ran ran = shell_run(place, as_nobody + "\"$H\" doctor --json");
  CHECK_THAT(found(ran, "store"), ContainsSubstring("/tmp/halotune-64999/halotune.db"));
}

TEST_CASE("A state folder that cannot be written: tune says so and how to go on, run goes on") {
  const Workplace place;
  std::ofstream(place.file("file")) << "not a folder";
  const std::string bad = "env XDG_STATE_HOME=\"$PLACE/file\" \"$H\"";
  const Ran tune = shell_run(place, bad + " tune --grid 48x48x48 --budget 1");
  CHECK(tune.code == 3);
  CHECK_THAT(tune.err, ContainsSubstring("--db"));
  const Ran run = shell_run(place, bad + run_words);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, ContainsSubstring("running without the store"));
}

TEST_CASE("Closed and full streams: an answer that cannot be written is exit 3, a message is not missed") {
  const Workplace place;
  for (const char* line : {"\"$H\" history >&-", "\"$H\" history > /dev/full", "\"$H\" history --json > /dev/full",
                           "\"$H\" --help > /dev/full", "\"$H\" run --help >&-", "\"$H\" --version >&-"}) {
    const Ran ran = shell_run(place, line);
    INFO(line << ran.err);
    CHECK(ran.code == 3);
    CHECK_THAT(ran.err, ContainsSubstring("the answer could not be written to stdout"));
  }
  for (const char* line : {"\"$H\" history 2>&-", "\"$H\" history 2> /dev/full", "\"$H\" history <&-"}) {
    const Ran ran = shell_run(place, line);
    INFO(line);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("nothing is stored yet"));
  }
  CHECK(shell_run(place, "\"$H\" fly >&- 2>&- <&-").code == 2);
}

TEST_CASE("No file takes the place of a closed stream") {
  const Workplace place;
  const Ran ran = shell_run(place, "\"$H\"" + run_words +
                                       "--set output.file=traces.h5 --set 'receivers=[{\"position_m\":[9,9,9]}]' "
                                       "<&- >&- 2>&-");
  CHECK(ran.code == 3);  // the run was fine, its report could not be written
  std::ifstream file(place.file("traces.h5"), std::ios::binary);
  std::string head(4, ' ');
  file.read(head.data(), 4);
  CHECK(head == "\x89HDF");
  std::ostringstream rest;
  rest << file.rdbuf();
  CHECK(rest.str().find("peak_resident") == std::string::npos);
  CHECK(halotune_run(place, {"db", "check"}).code == 0);
}

TEST_CASE("Numbers and texts do not depend on the locale") {
  const Workplace place;
  const std::string plain = digest_of(shell_run(place, "\"$H\"" + run_words));
  std::vector<std::string> locales{"env LC_ALL=C LANG=C", "env -u LC_ALL -u LANG", "env LC_ALL=no_SUCH.locale"};
  if (machine_allows(place, "locale -a | grep -qi '^de_DE.utf'")) locales.emplace_back("env LC_ALL=de_DE.UTF-8");
  for (const auto& locale : locales) {
    INFO(locale);
    CHECK(digest_of(shell_run(place, locale + " \"$H\"" + run_words + "--set cfl=0.25 --set cfl=0.05")) == plain);
    const Ran bad = shell_run(place, locale + " \"$H\" predict --grid 64x64x64 --set cfl=1e400 --set order=2.5");
    CHECK(bad.code == 2);
    CHECK_THAT(bad.err, ContainsSubstring("/order: is not a whole number (got 2.5)"));
    for (const char* words : {" doctor", " predict --grid 64x64x64", " --help", " tune --help"}) {
      const Ran ran = shell_run(place, locale + " \"$H\"" + words);
      CHECK(is_ascii(ran.out));
      CHECK(is_ascii(ran.err));
    }
  }
}

TEST_CASE("A dumb or tiny terminal gets plain lines") {
  const Workplace place;
  const Ran plain = shell_run(place, "env TERM=dumb COLUMNS=1 \"$H\" predict --grid 64x64x64");
  CHECK(plain.code == 0);
  CHECK(plain.out.find('\033') == std::string::npos);
  if (!machine_allows(place, "script -qec true /dev/null")) SKIP("script(1) cannot give a terminal here");
  const Ran dumb = shell_run(place, "env -u NO_COLOR TERM=dumb script -qec '\"$H\" predict --grid 64x64x64' /dev/null");
  CHECK(dumb.code == 0);
  CHECK(dumb.out.find('\033') == std::string::npos);
  const Ran tiny = shell_run(
      place, "env TERM=xterm script -qec 'stty cols 3 2>/dev/null; \"$H\" predict --grid 64x64x64' /dev/null");
  CHECK(tiny.code == 0);
}

TEST_CASE("One core for two devices: the same result in reasonable time, marked oversubscribed") {
  const Workplace place;
  if (!machine_allows(place, "taskset -c 0 true")) SKIP("taskset cannot bind to core 0 here");
  const std::string plain = digest_of(shell_run(place, "\"$H\"" + run_words + "--parts 1x1x1"));
  for (const char* plan : {"--devices cpu:2", "--devices cpu:1 --parts 1x1x1 --threads 4",
                           "--devices cpu:4 --s 2 --overlap plain --transport staged"}) {
    const Ran ran = shell_run(place, "taskset -c 0 \"$H\"" + run_words + plan);
    INFO(plan);
    CHECK(digest_of(ran) == plain);
    CHECK(ran.json()["oversubscribed"] == true);
    CHECK_THAT(ran.err, ContainsSubstring("oversubscribed"));
    CHECK(ran.json()["seconds"].get<double>() < 30);
  }
  CHECK(
      shell_run(place, "taskset -c 0 \"$H\"" + run_words + "--devices cpu:1 --parts 1x1x1").json()["oversubscribed"] ==
      false);
  CHECK_THAT(found(shell_run(place, "taskset -c 0 \"$H\" doctor --json"), "affinity"), ContainsSubstring("1 of "));
  const Ran predicted =
      shell_run(place, "taskset -c 0 \"$H\" predict --grid 40x36x32 --set cpml.cells=6 --devices cpu:2");
  CHECK_THAT(predicted.err, ContainsSubstring("oversubscribed: 2 devices on 1 core"));
  REQUIRE(shell_run(place, "taskset -c 0 \"$H\" probe --quick --samples 7 --max-seconds 1 --devices cpu:1").code == 0);
  const Ran tuned = shell_run(place,
                              "taskset -c 0 \"$H\" tune --dry-run --grid 40x36x32 --set cpml.cells=6 --devices cpu:1 "
                              "--restrict threads=2");
  CHECK((tuned.code == 0 || tuned.code == 1));  // a second may be too short for a figure to predict from
  CHECK_THAT(tuned.err, ContainsSubstring("oversubscribed: some Plans have more threads than the 1 cores"));
}

TEST_CASE("A CPU quota of half a core and of one and a half leaves one core, and runs are right") {
  const Workplace place;
  for (const auto& [quota, text] : {std::pair{"50000", "0.5 CPUs"}, std::pair{"150000", "1.50 CPUs"}}) {
    const ControlGroup group(place, "cpu", "cpu.cfs_quota_us", quota);
    if (!group.made()) SKIP("no version-1 cpu group can be made here");
    const Ran doctor = shell_run(place, group.inside("\"$H\" doctor --json"));
    CHECK_THAT(found(doctor, "cgroup cpu"), ContainsSubstring(text));
    CHECK_THAT(found(doctor, "cores"), ContainsSubstring("1 cores allowed"));
    const Ran ran = shell_run(place, group.inside("\"$H\"" + run_words));
    CHECK(digest_of(ran) == digest_of(shell_run(place, "\"$H\"" + run_words)));
    CHECK(ran.json()["plan"]["threads"] == 1);
  }
}

TEST_CASE("A memory limit is seen: what does not fit is refused with the numbers before the kernel kills") {
  const Workplace place;
  const ControlGroup group(place, "memory", "memory.limit_in_bytes", "100M");
  if (!group.made()) SKIP("no version-1 memory group can be made here");
  const Ran large = shell_run(place, group.inside("\"$H\" run --grid 256x256x256 --steps 2"));
  CHECK(large.code == 3);
  CHECK_THAT(large.err, ContainsSubstring("the run does not fit in memory"));
  CHECK_THAT(found(shell_run(place, group.inside("\"$H\" doctor --json")), "cgroup memory"),
             ContainsSubstring("limited to 100 MiB"));
  CHECK(digest_of(shell_run(place, group.inside("\"$H\"" + run_words))).size() == 64);
}

TEST_CASE("Without /sys and /proc everything but tune works, and tune says what is missing") {
  const Workplace place;
  const std::string bare = "unshare -m sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec ";
  if (!machine_allows(place, bare + "true'")) SKIP("file systems cannot be hidden here");
  const std::string plain = digest_of(shell_run(place, "\"$H\"" + run_words));
  CHECK(digest_of(shell_run(place, bare + "\"$H\"" + run_words + "'")) == plain);
  const Ran doctor = shell_run(place, bare + "\"$H\" doctor --json'");
  CHECK((doctor.code == 0 || doctor.code == 1));
  CHECK_FALSE(found(doctor, "cores").empty());
  const Ran probe = shell_run(place, bare + "\"$H\" probe --quick --samples 7 --max-seconds 1 --json'");
  INFO(probe.err);
  CHECK(probe.code == 0);
  CHECK(shell_run(place, bare + "\"$H\" predict --grid 48x48x48'").code == 0);
  const Ran tune = shell_run(place, bare + "\"$H\" tune --grid 40x36x32 --set cpml.cells=6 --budget 1'");
  INFO(tune.err);
  CHECK((tune.code == 0 || tune.code == 3));
  if (tune.code == 3) CHECK_THAT(tune.err, ContainsSubstring("/proc"));
}

TEST_CASE("The current folder may be read-only or gone") {
  const Workplace place;
  const std::string gone = "mkdir gone && cd gone && rmdir ../gone && ";
  const Ran run = shell_run(place, gone + "\"$H\"" + run_words);
  CHECK(digest_of(run).size() == 64);
  const Ran output = shell_run(place, gone + "\"$H\"" + run_words + "--set output.file=traces.h5");
  CHECK(output.code == 2);
  CHECK_THAT(output.err, ContainsSubstring("/output/file: cannot write traces.h5"));
  const Ran relative = shell_run(place, gone + "\"$H\" history --db x.db");
  INFO(relative.err);
  CHECK((relative.code == 0 || relative.code == 3));
  CHECK_THAT(relative.err, !ContainsSubstring("internal error"));
  const Ran file = shell_run(place, gone + "\"$H\" predict problem.json");
  CHECK(file.code == 2);
  CHECK_THAT(file.err, ContainsSubstring("problem.json: cannot be read"));
  if (geteuid() == 0) return;  // every folder can be written
  CHECK(shell_run(place, "mkdir closed && chmod 500 closed && cd closed && \"$H\"" + run_words).code == 0);
}

TEST_CASE("Few descriptors, little address space, no more processes: clear errors, no crash") {
  const Workplace place;
  const std::string none_inherited = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ";
  CHECK(digest_of(shell_run(place, none_inherited + "ulimit -n 16 && \"$H\"" + run_words)).size() == 64);
  const Ran few = shell_run(place, none_inherited + "ulimit -n 4 && \"$H\" history");
  INFO(few.err);
  CHECK((few.code == 0 || few.code == 3));
  for (const char* kib : {"400000", "100000", "60000"}) {
    const Ran ran = shell_run(place, std::string("ulimit -v ") + kib + " && \"$H\"" + run_words + "--threads 2");
    INFO(kib << " KiB: " << ran.err);
    CHECK((ran.code == 0 || ran.code == 3));
    CHECK_THAT(ran.err, !ContainsSubstring("internal error"));
  }
  const std::string as_nobody = "setpriv --reuid 64999 --regid 64999 --clear-groups env -i H=\"$H\" /bin/sh -c ";
  if (!machine_allows(place, as_nobody + "'\"$H\" --version'")) SKIP("another account cannot be used here");
  const Ran threads = shell_run(place, as_nobody + "'exec prlimit --nproc=1 \"$H\" run --grid 48x48x48 --steps 1'");
  INFO(threads.err);
  CHECK(threads.code == 3);
  CHECK_THAT(threads.err, ContainsSubstring("cannot start thread"));
}
