#!/usr/bin/env python3
"""clang-tidy over the sources of the tree, or over a seeded share of them.

    cmake/tidy.py [--build FOLDER] [--share S] [--seed SEED] [--jobs N] [FILE...]

Takes the compile commands of FOLDER (build/dev), leaves out the same source compiled for further instruction sets, and
exits with 1 when clang-tidy says anything. FILE... are those alone.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
folders = ("base", "solver", "probes", "db", "tuner", "server", "cli", "tests")


def sources(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {pathlib.Path(command["directory"], command["file"]).resolve() for command in commands}
    return sorted(file for file in files if file.is_relative_to(root) and file.relative_to(root).parts[0] in folders)


def check(program, build, file):
    ran = subprocess.run([program, "--quiet", "--warnings-as-errors=*", "-p", build, file], capture_output=True,
                         text=True)
    return file, ran.returncode, ran.stdout + (ran.stderr if ran.returncode else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=root / "build/dev", type=pathlib.Path)
    parser.add_argument("--share", default=1.0, type=float, help="part of the sources, 0 to 1 (default: all)")
    parser.add_argument("--seed", default="1", help="chooses the part")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    program = shutil.which("clang-tidy-14")
    if program is None:
        print("tidy: clang-tidy 14 is not installed (other releases find other things) see cmake/setup.sh")
        return 3
    files = [file.resolve() for file in options.files] or sources(options.build)
    if options.share < 1:
        files = sorted(random.Random(options.seed).sample(files, max(1, math.ceil(options.share * len(files)))))
    print(f"tidy: {len(files)} sources, seed {options.seed}", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for file, code, text in pool.map(lambda file: check(program, options.build, file), files):
            if code:
                failed += 1
                print(f"{file.relative_to(root)}:\n{text}", flush=True)
    print(f"tidy: {failed} of {len(files)} sources have findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
