#!/usr/bin/env python3
"""Fails on an include that the layers do not allow.

    check_includes.py ROOT

A file's layer is its folder; a test of a layer may include what the layer may. The rules are the two
tables below and nothing else. Prints one line for each forbidden edge and exits 1, or 0 when none is.
"""

import pathlib
import re
import sys

# What each layer uses directly. Whatever those use may be included too.
USES = {
    "base": [],
    "device": ["base"],
    "transport": ["device"],
    "solver": ["transport"],
    "probes": ["transport"],
    "db": ["base"],
    "tuner": ["solver", "probes", "db"],
    "server": ["tuner"],
    "cli": ["server"],
}

# Headers of other projects that belong to some layers alone.
FOREIGN = [
    (r"hwloc|numa(if)?\.h|cuda|cooperative_groups|nvml|nvToolsExt|hip/|hsa|rocm|roctracer", ["device"]),
    (r"nccl|rccl|mpi\.h", ["device", "transport"]),
    (r"sqlite3|SQLiteCpp", ["db"]),
    (r"hdf5|H5", ["solver"]),
    (r"httplib", ["server"]),
    (r"CLI/", ["cli"]),
    (r"openssl/", ["base"]),
]

# (files, what they never reach, not even through other headers): the simulator must not leak its
# inputs into the model that predicts or the search that is judged by it.
NEVER_REACH = [(r"tuner/(model|search)", r"tuner/runner/simulated")]

SUFFIXES = {".hpp", ".cpp", ".h", ".inl", ".inc", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<foreign>[^>]+)>|(?P<other>\S+))', re.MULTILINE)
FOLDERS = ["base", "solver", "probes", "db", "tuner", "server", "cli", "tests"]


def layer_of(path):
    """Layer of a path relative to the root, or None outside the layers."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "tests":
        # Tests that cross layers, such as the long suite, stand above all of them.
        name = parts[1] if len(parts) > 2 else "cli"
        return name if name in USES else "cli"
    if parts[0] == "solver" and len(parts) > 2 and parts[1] in ("device", "transport"):
        return parts[1]
    return parts[0] if parts[0] in USES else None


def closure(layer):
    reached = {layer}
    for used in USES[layer]:
        reached |= closure(used)
    return reached


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)


def read_includes(root):
    """{file: [(line, kind, name)]} for every source below the layers' folders."""
    includes = {}
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            text = without_comments(file.read_text(encoding="utf-8", errors="replace"))
            includes[file.relative_to(root).as_posix()] = [
                (text.count("\n", 0, match.start("own" if match["own"] else "foreign" if match["foreign"] else "other")) + 1,
                 match.lastgroup, match[match.lastgroup])
                for match in INCLUDE.finditer(text)
            ]
    return includes


def own_fault(root, file, name):
    """Why `file` may not include "name", or None."""
    target = layer_of(name)
    if file.startswith("tests/") and "/" not in name and (root / file).with_name(name).is_file():
        return None
    if not (root / name).is_file():
        return "names no file from the root of the tree"
    if name.startswith("tests/"):
        same = file.startswith("tests/") and pathlib.PurePosixPath(name).parts[1] in (
            pathlib.PurePosixPath(file).parts[1], pathlib.PurePosixPath(name).name)
        return None if same else "only tests of the same folder may include a test's header"
    if target is None:
        return "leads out of the layers"
    layer = layer_of(file)
    if target not in closure(layer):
        return f"layer {layer} may not see {target}"
    return None


def crosses_layers(file):
    """Whether it is a test of no single layer, which may use what any of them may."""
    parts = pathlib.PurePosixPath(file).parts
    return len(parts) > 2 and parts[0] == "tests" and parts[1] not in USES


def foreign_fault(file, name):
    layer = layer_of(file)
    for pattern, layers in FOREIGN:
        if re.match(pattern, name) and layer not in layers and not crosses_layers(file):
            return f"only {' and '.join(layers)} may include it"
    if name.startswith("catch2/") and not file.startswith("tests/"):
        return "only tests may include it"
    return None


def reach_faults(includes):
    for starts, forbidden in NEVER_REACH:
        for file in includes:
            if re.match(starts, file):
                yield from paths_to(includes, file, forbidden)


def paths_to(includes, start, forbidden):
    queue, seen = [[start]], {start}
    while queue:
        path = queue.pop(0)
        for _, kind, name in includes.get(path[-1], []):
            if kind != "own" or name in seen:
                continue
            seen.add(name)
            if re.match(forbidden, name):
                yield f"{start}: reaches {name} (by {' -> '.join(path + [name])})"
            else:
                queue.append(path + [name])


def find_faults(root):
    includes = read_includes(root)
    faults = []
    for file, lines in includes.items():
        for line, kind, name in lines:
            if kind == "own":
                fault = own_fault(root, file, name)
            elif kind == "foreign":
                fault = foreign_fault(file, name)
            else:
                fault = "an include names its file literally"
            if fault:
                faults.append(f"{file}:{line}: {name}: {fault}")
    return faults + list(reach_faults(includes)), len(includes)


def main():
    if len(sys.argv) != 2:
        print("usage: check_includes.py ROOT", file=sys.stderr)
        return 2
    faults, files = find_faults(pathlib.Path(sys.argv[1]).resolve())
    if files == 0:
        print(f"{sys.argv[1]}: no sources found (the layers' folders are missing)", file=sys.stderr)
        return 2
    print("\n".join(faults) if faults else f"{files} files, every include follows the layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
