#!/usr/bin/env python3
"""clang-tidy over the sources of the tree, or over one part of them in turn.

    cmake/tidy.py [--build FOLDER] [--parts N --turn K] [--jobs N] [FILE...]

Takes the compile commands of FOLDER (build/dev), leaves out the same source compiled for further instruction sets, and
exits with 1 when clang-tidy says anything. Of N parts, turn K takes every N-th source: N turns in a row take them all.
FILE... are those alone.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
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
    parser.add_argument("--parts", default=1, type=int, help="how many parts the sources are cut into")
    parser.add_argument("--turn", default=0, type=int, help="which part, counted on beyond the last one")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    program = shutil.which("clang-tidy-14")
    if program is None:
        print("tidy: clang-tidy 14 is not installed (other releases find other things) see cmake/setup.sh")
        return 3
    files = [file.resolve() for file in options.files] or sources(options.build)
    files = files[options.turn % options.parts::options.parts]
    print(f"tidy: {len(files)} sources, turn {options.turn} of {options.parts} parts", flush=True)
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
