#!/usr/bin/env python3
"""Shows that check_includes.py accepts a good tree and refuses each forbidden edge."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_includes  # noqa: E402

GOOD = {
    "base/json.hpp": "#pragma once\n#include <vector>\n",
    "solver/device/team.hpp": '#include "base/json.hpp"\n#include <hwloc.h>\n',
    "solver/transport/transport.hpp": '#include "solver/device/team.hpp"\n',
    "solver/plan.hpp": '#include "solver/transport/transport.hpp"\n#include <hdf5.h>\n',
    "probes/probe.hpp": '#include "solver/device/team.hpp"\n',
    "db/store.hpp": '#include "base/json.hpp"\n#include <SQLiteCpp/SQLiteCpp.h>\n',
    "tuner/space.hpp": '#include "solver/plan.hpp"\n#include "probes/probe.hpp"\n#include "db/store.hpp"\n',
    "tuner/model.cpp": '#include "tuner/space.hpp"\n// #include "tuner/runner/simulated.hpp"\n',
    "tuner/runner/simulated.hpp": '#include "tuner/space.hpp"\n',
    "server/server.hpp": '#include "tuner/space.hpp"\n#include <httplib.h>\n',
    "cli/main.cpp": '#include "server/server.hpp"\n#include "tuner/runner/simulated.hpp"\n#include <CLI/CLI.hpp>\n',
    "tests/solver/table.hpp": '#include "solver/plan.hpp"\n',
    "tests/solver/plan_test.cpp": '#include "tests/solver/table.hpp"\n#include "table.hpp"\n#include <catch2/catch_test_macros.hpp>\n',
}

BAD = [
    ("base/bad.hpp", '#include "db/store.hpp"', "layer base may not see db"),
    ("solver/device/bad.cpp", '#include "solver/plan.hpp"', "layer device may not see solver"),
    ("solver/transport/bad.cpp", '#include "solver/plan.hpp"', "layer transport may not see solver"),
    ("solver/bad.cpp", '#include "probes/probe.hpp"', "layer solver may not see probes"),
    ("probes/bad.cpp", '#include "solver/plan.hpp"', "layer probes may not see solver"),
    ("db/bad.cpp", '#include "solver/device/team.hpp"', "layer db may not see device"),
    ("tuner/bad.cpp", '#include "server/server.hpp"', "layer tuner may not see server"),
    ("tests/probes/bad.cpp", '#include "solver/plan.hpp"', "layer probes may not see solver"),
    ("tests/probes/bare.cpp", '#include "table.hpp"', "names no file from the root"),
    ("tests/probes/other.cpp", '#include "tests/solver/table.hpp"', "only tests of the same folder"),
    ("tuner/model_bad.cpp", '#include "tuner/runner/simulated.hpp"', "reaches tuner/runner/simulated.hpp"),
    ("tuner/search/bad.cpp", '#include "tuner/runner/simulated.hpp"', "reaches tuner/runner/simulated.hpp"),
    ("solver/bad.cpp", "#include <hwloc.h>", "only device may include it"),
    ("solver/bad.cpp", "  #  include <cuda_runtime.h>", "only device may include it"),
    ("solver/bad.cpp", "#include <hip/hip_runtime.h>", "only device may include it"),
    ("tuner/bad.cpp", "#include <sqlite3.h>", "only db may include it"),
    ("tuner/bad.cpp", "#include <SQLiteCpp/Database.h>", "only db may include it"),
    ("db/bad.cpp", "#include <catch2/catch_test_macros.hpp>", "only tests may include it"),
    ("db/bad.cpp", '#include "store.hpp"', "names no file from the root"),
    ("db/bad.cpp", "#include SOME_HEADER", "an include names its file literally"),
    ("db/bad.cpp", '#include "tests/solver/table.hpp"', "only tests of the same folder"),
]


class CheckIncludes(unittest.TestCase):
    def faults_with(self, extra):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**GOOD, **extra}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check_includes.find_faults(root)[0]

    def test_accepts_the_good_tree(self):
        self.assertEqual(self.faults_with({}), [])

    def test_refuses_each_bad_edge(self):
        for name, text, expected in BAD:
            with self.subTest(file=name, include=text):
                faults = self.faults_with({name: "#pragma once\n" + text + "\n"})
                self.assertEqual(len(faults), 1, faults)
                self.assertIn(expected, faults[0])
                self.assertTrue(faults[0].startswith(name), faults[0])

    def test_names_the_line(self):
        faults = self.faults_with({"db/bad.cpp": '/* a\n b */\n\n#include "cli/main.cpp"\n'})
        self.assertTrue(faults[0].startswith("db/bad.cpp:4: "), faults)

    def test_sees_a_leak_through_other_headers(self):
        faults = self.faults_with({
            "tuner/detour.hpp": '#include "tuner/runner/simulated.hpp"\n',
            "tuner/search.cpp": '#include "tuner/detour.hpp"\n',
        })
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("tuner/search.cpp -> tuner/detour.hpp -> tuner/runner/simulated.hpp", faults[0])


if __name__ == "__main__":
    unittest.main()
