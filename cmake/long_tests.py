#!/usr/bin/env python3
"""Runs every test tagged [long] and writes what came of it.

    cmake/long_tests.py [--build FOLDER] [--jobs N] [--filter REGEX] [--output FILE] [--dirty]

Builds FOLDER (build/long, optimised) with HALOTUNE_LONG_TESTS=ON, runs `ctest -L long` and writes FILE
(docs/results/long-tests.md): date, machine, commit, and duration and outcome of each test. Exits with 1 when a test
fails, 2 when the tree has changes that no commit holds (--dirty runs all the same and says so).
"""
import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

root = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def commit():
    try:
        changed = output_of("git", "status", "--porcelain", "--untracked-files=no") != ""
        return output_of("git", "rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    models = re.findall(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = int(re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1))
    release = re.search(r'PRETTY_NAME="(.*)"', pathlib.Path("/etc/os-release").read_text())
    return (f"{len(os.sched_getaffinity(0))} cores, {models[0] if models else 'unknown processor'}, "
            f"{memory / 2**20:.0f} GiB, {release.group(1) if release else 'unknown system'}")


def build(folder):
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1", "-DHALOTUNE_BUILD_TESTS=ON",
                    "-DHALOTUNE_LONG_TESTS=ON"], check=True)
    subprocess.run(["cmake", "--build", folder], check=True)


def outcome_of(case):
    if case.find("skipped") is not None:
        return "skipped"
    return "FAILED" if case.find("failure") is not None or case.get("status") == "fail" else "passed"


def report(cases, seconds, jobs, command):
    failed = sum(outcome == "FAILED" for _, _, outcome in cases)
    lines = ["# Long tests", "",
             f"Written by `{command}`; do not edit.", "",
             "| | |", "|---|---|",
             f"| date | {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC |",
             f"| commit | {commit()} |",
             f"| machine | {machine()} |",
             f"| outcome | {len(cases) - failed} of {len(cases)} passed in {seconds / 60:.1f} minutes, {jobs} at once |",
             "", "| test | seconds | outcome |", "|---|---:|---|"]
    lines += [f"| {name} | {duration:.1f} | {outcome} |" for name, duration, outcome in cases]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=root / "build/long", type=pathlib.Path)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="cores that ctest may fill")
    parser.add_argument("--filter", default="", help="only tests whose names match")
    parser.add_argument("--output", default=root / "docs/results/long-tests.md", type=pathlib.Path)
    parser.add_argument("--dirty", action="store_true", help="run although the tree is changed")
    options = parser.parse_args()
    if "changes" in commit() and not options.dirty:
        print("long_tests: the tree is changed (the report names a commit) commit first, or --dirty", file=sys.stderr)
        return 2
    build(options.build)
    junit = options.build / "long.xml"
    started = datetime.datetime.now()
    ran = subprocess.run(["ctest", "--test-dir", options.build, "-L", "^long$", "-j", str(options.jobs),
                          "--output-on-failure", "--no-tests=error", "--output-junit", junit.resolve(),
                          *(["-R", options.filter] if options.filter else [])])
    seconds = (datetime.datetime.now() - started).total_seconds()
    if not junit.exists():
        return 1
    cases = [(case.get("name"), float(case.get("time")), outcome_of(case))
             for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase")]
    options.output.write_text(report(cases, seconds, options.jobs, "cmake/long_tests.py"))
    print(f"long_tests: {options.output}")
    return 1 if ran.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
