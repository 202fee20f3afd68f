#!/usr/bin/env python3
"""Runs a seeded sample of the tests of a build folder.

    cmake/sample_tests.py BUILD SEED LABEL=SHARE... [--exclude REGEX] [--list] [-- ctest arguments]

SHARE is between 0 and 1: that part of the tests with the label, at least one. The same seed and the same tests give
the same sample; the command that repeats it is printed. Exits as ctest does.
"""
import argparse
import json
import math
import random
import re
import subprocess
import sys


def read_tests(build):
    """[(number, name, labels)] in ctest's order, numbered from 1."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    tests = json.loads(shown.stdout)["tests"]

    def labels(test):
        for item in test.get("properties", []):
            if item["name"] == "LABELS":
                return item["value"]
        return []

    return [(number, test["name"], labels(test)) for number, test in enumerate(tests, 1)]


def choose(tests, shares, seed, exclude=None):
    """Numbers of the sampled tests; each label draws for itself, so that one more test elsewhere changes nothing."""
    chosen = set()
    for label, share in shares:
        names = {name: number for number, name, labels in tests
                 if label in labels and not (exclude and re.search(exclude, name))}
        if not names:
            raise SystemExit(f"sample_tests: no test has the label {label}")
        count = max(1, math.ceil(share * len(names)))
        drawn = random.Random(f"{seed} {label}").sample(sorted(names), count)
        chosen.update(names[name] for name in drawn)
    return sorted(chosen)


def parse_share(text):
    label, _, share = text.partition("=")
    value = float(share)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{share} is not above 0 and at most 1")
    return label, value


def main():
    own, ctest_arguments = sys.argv[1:], []
    if "--" in own:
        ctest_arguments = own[own.index("--") + 1:]
        own = own[:own.index("--")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("seed")
    parser.add_argument("shares", nargs="+", type=parse_share, metavar="LABEL=SHARE")
    parser.add_argument("--exclude", metavar="REGEX", help="names of tests that are never drawn")
    parser.add_argument("--list", action="store_true", help="print the names instead of running them")
    options = parser.parse_args(own)
    tests = read_tests(options.build)
    chosen = choose(tests, options.shares, options.seed, options.exclude)
    if options.list:
        print("\n".join(name for number, name, _ in tests if number in chosen))
        return 0
    repeat = [f"{label}={share:g}" for label, share in options.shares]
    if options.exclude:
        repeat += ["--exclude", f"'{options.exclude}'"]
    print(f"sample of {len(chosen)} of {len(tests)} tests, seed {options.seed}; again: "
          f"cmake/sample_tests.py {options.build} {options.seed} {' '.join(repeat)}", flush=True)
    numbers = ",".join(str(number) for number in chosen)
    return subprocess.run(["ctest", "--test-dir", options.build, "--output-on-failure", "--no-tests=error",
                           "-I", f"0,0,0,{numbers}", *ctest_arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
