#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "db/exchange.hpp"
#include "sample_machine.hpp"
#include "tuner/session_owner.hpp"
#include "tuner/stored.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

TuneRequest request() {
  TuneRequest r;
  r.problem = sample_problem({64, 64, 64});
  r.machine = sample_machine(2);
  r.devices = {"cpu:0", "cpu:1"};
  return r;
}

Trial timed(double step_s) {
  Trial trial;
  trial.samples_s = {step_s};
  trial.rounds = {0};
  trial.exact = true;
  return trial;
}

TuneOutcome outcome_of(const Plan& plan, double seconds) {
  TuneOutcome outcome;
  outcome.recommendation.plan = plan;
  outcome.recommendation.basis = Basis::exact;
  outcome.recommendation.seconds_per_step = Interval{seconds, seconds, seconds};
  outcome.recommendation.tie_set = {plan};
  outcome.recommendation.why = "Measured.";
  return outcome;
}

/// A store in a file of its own, removed at the end.
class StoreFile {
 public:
  StoreFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "halotune-session-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~StoreFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;
  std::filesystem::path path() const { return folder_ / "a.db"; }

 private:
  std::filesystem::path folder_;
};

void import_all(Store& into, const Store& from) {
  std::istringstream in(exported(from).text);
  import_rows(into, in, "the other store");
}

}  // namespace

TEST_CASE("a session that a living process works on is left to it, a dead one's is taken up") {
  const StoreFile file;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t worker = fork();
  if (worker == 0) {
    Store store(file.path());
    auto r = request();
    TuneSession session(store, r);
    session.add(timed(1e-3));
    (void)!write(ready[1], session.id().data(), session.id().size());
    pause();
    _exit(0);
  }
  std::string id(32, '\0');
  REQUIRE(read(ready[0], id.data(), id.size()) == 32);
  Store store(file.path());
  {
    auto r = request();
    TuneSession beside(store, r);
    CHECK_FALSE(beside.resumed());
    CHECK(beside.has_rival());
    CHECK(beside.id() != id);
    CHECK(r.earlier.empty());
    beside.finish(outcome_of(Plan{}, 1e-3), r);
    abandon_unfinished(store, request_key(r));
    CHECK(store.unfinished_sessions(request_key(r)).size() == 1);
  }
  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);
  auto r = request();
  TuneSession after(store, r);
  CHECK(after.resumed());
  CHECK_FALSE(after.has_rival());
  CHECK(after.id() == id);
  CHECK(r.earlier.size() == 1);
}

TEST_CASE("who works on a session is told by more than a process number") {
  Json owner = this_process();
  CHECK_FALSE(is_at_work(owner));  // this process knows what it does
  CHECK_FALSE(is_at_work(Json()));
  CHECK_FALSE(is_at_work(Json{{"process", "x"}}));
  const pid_t other = getppid();
  owner["process"] = other;
  CHECK_FALSE(is_at_work(owner));  // the number was given to another process since
  owner["process"] = 1 << 30;
  CHECK_FALSE(is_at_work(owner));
}

TEST_CASE("an imported answer stands behind an own one whatever its date, and before none") {
  Store other(":memory:"), store(":memory:");
  Plan imported_plan;
  imported_plan.threads = 1;
  {
    auto r = request();
    TuneSession session(store, r);
    session.finish(outcome_of(Plan{}, 2e-3), r);
  }
  {
    auto r = request();
    TuneSession session(other, r);  // newer, faster, and of this node by its own account
    session.finish(outcome_of(imported_plan, 1e-9), r);
  }
  const auto r = request();
  const RecommendRequest question{r.problem, r.machine, r.devices, r.objective, {}};
  import_all(store, other);
  CHECK(store.recommendations({}).size() == 2);
  CHECK(recommend(question, load_knowledge(store, r.machine.keys)).plan == Plan{});
  Store empty(":memory:");
  import_all(empty, other);
  CHECK(recommend(question, load_knowledge(empty, r.machine.keys)).plan == imported_plan);
}

TEST_CASE("visits that came by import are not taken for own ones of an unfinished session") {
  Store other(":memory:"), store(":memory:");
  auto r = request();
  {
    TuneSession session(store, r);
    session.add(timed(2e-3));
    import_all(other, store);
    TrialRow forged = store.trials({})[0];
    forged.created.clear();
    other.add(forged);
  }
  import_all(store, other);
  REQUIRE(store.trials({}).size() == 2);
  auto again = request();
  TuneSession session(store, again);
  CHECK(session.resumed());
  CHECK(again.earlier.size() == 1);
  auto elsewhere = request();
  CHECK_FALSE(TuneSession(other, elsewhere).resumed());  // an imported session is not gone on with
}
