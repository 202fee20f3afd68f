#!/usr/bin/env python3
"""The GPU tests and benchmarks in one go, on one GPU.

    gpu_suite.py OUTPUT.md [--build FOLDER] [--seconds 480] [--blocks 5] [--every 400] [--only WORD,...] [--fresh]
    gpu_suite.py --pack FOLDER [--build FOLDER]

Runs the most valuable first and writes OUTPUT.md after every one: commands, commit, driver, date, clocks, n and spread,
and the paper's tables 10, 12 and 13 (arXiv:2606.06910) beside what this GPU did. What was measured is kept in
OUTPUT.md.json, so that the same command goes on where an earlier one ended (out of --seconds, killed); another commit
or --fresh starts anew. --every: one of so many Plans of the exactness table is compared (1: all, for hours).

--pack copies the programs (stripped), their libraries and this script to FOLDER, for a machine that lacks them; there it
finds them beside itself. Exits with 1 when a test or a run failed.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
programs = {"halotune": "halotune", "bench_gpu_kernels": "tests/bench_gpu_kernels",
            "bench_fused_sweep": "tests/bench_fused_sweep", "test_device": "tests/test_device",
            "test_transport": "tests/test_transport", "test_solver": "tests/test_solver",
            "test_probes": "tests/test_probes", "test_tuner": "tests/test_tuner"}

# Printed figures of the paper: seconds for 64 steps on Quadro RTX 6000, one or four of them.
paper_single = {320: (0.635, 0.638), 480: (2.44, 2.449), 544: (3.53, 3.553), 640: (5.751, 5.766), 800: (11.204, 11.221)}
paper_ghosts = {320: {1: 1.708, 2: 1.556, 4: 1.491, 8: 1.568}, 480: {1: 3.669, 2: 3.521, 4: 3.448, 8: 3.636},
                544: {1: 4.791, 2: 4.599, 4: 4.514, 8: 4.727}, 640: {1: 6.781, 2: 6.537, 4: 6.397, 8: 6.654},
                800: {1: 11.1, 2: 10.738, 4: 10.444, 8: 10.799}}
paper_staged = {320: (4.72, 1.708), 480: (9.628, 3.669), 544: (12.223, 4.791), 640: (16.853, 6.781),
                800: (27.278, 11.1)}
paper_steps = 64

layouts = {"slab-z": "1x1x4", "block-xy": "2x2x1", "pencil-yz": "1x2x2"}
transports = ["host_staged", "peer_copy", "peer_direct", "nccl"]


class Suite:
    def __init__(self, options):
        self.options = options
        packed = (here / "commit").exists()
        self.folder = here if packed else pathlib.Path(options.build)
        self.environment = dict(os.environ)
        if packed:
            self.environment["LD_LIBRARY_PATH"] = str(here / "lib")
        self.commit = (here / "commit").read_text().strip() if packed else commit_of(here)
        self.packed = packed
        self.output = pathlib.Path(options.output)
        self.state_file = pathlib.Path(str(self.output) + ".json")
        self.state = {"commit": self.commit, "jobs": {}}
        if self.state_file.exists() and not options.fresh:
            known = json.loads(self.state_file.read_text())
            if known.get("commit") == self.commit:
                self.state = known
        self.store = pathlib.Path(str(self.output) + ".db").resolve()
        self.started = time.monotonic()

    def program(self, name):
        return str(self.folder / (name if self.packed else programs[name]))

    def left(self):
        return self.options.seconds - (time.monotonic() - self.started)

    def run(self, name, command, timeout, read):
        """One job, unless it is done: `read` makes a result of its output."""
        words = self.options.only.split(",") if self.options.only else []
        if name in self.state["jobs"] or (words and not any(word in name for word in words)):
            return
        if self.left() < 3:
            return
        begin = time.monotonic()
        job = {"command": " ".join([command[0].rsplit("/", 1)[-1], *command[1:]]).replace(f" --db {self.store}", "")}
        try:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                                  timeout=min(timeout, self.left() + 1))
            job["exit"] = done.returncode
            if done.returncode == 0:
                job["result"] = read(done.stdout)
            else:
                job["why"] = last_line(done.stderr) or last_line(done.stdout)
        except subprocess.TimeoutExpired:
            if self.left() < 3:
                return  # for the next time
            job["exit"], job["why"] = None, f"no end within {timeout} s"
        except (ValueError, KeyError, IndexError) as error:
            job["why"] = f"cannot be read: {error}"
        job["seconds"] = round(time.monotonic() - begin, 1)
        self.state["jobs"][name] = job
        self.state_file.write_text(json.dumps(self.state, indent=1))
        self.output.write_text(report(self))
        print(f"[{time.monotonic() - self.started:6.1f} s] {name}: "
              f"{job.get('why') or short(job.get('result'))} ({job['seconds']} s)", flush=True)

    def bench(self, name, grid, *plan, problem=()):
        command = [self.program("halotune"), "run", "--grid", f"{grid}x{grid}x{grid}", "--bench", "--json", "--blocks",
                   str(self.options.blocks), "--db", str(self.store), *problem, *(plan or ("--devices", "0"))]
        self.run(name, command, 120, lambda text: bench_result(json.loads(text)))

    def parts(self, name, grid, layout, *plan):
        count = 4
        self.bench(name, grid, "--devices", ",".join(["0"] * count), "--parts", layouts[layout], *plan)

    def result(self, name):
        return self.state["jobs"].get(name, {}).get("result")


def commit_of(folder):
    try:
        text = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=folder, check=True, capture_output=True,
                              text=True).stdout.strip()
        changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=folder, check=True,
                                 capture_output=True, text=True).stdout.strip()
        return text + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def short(result):
    if isinstance(result, dict) and "ms" in result:
        return f"{result['ms'][0]:.4f} ms"
    return str(result)[:100]


def bench_result(document):
    step, rate, fraction = (document[key] for key in ("seconds_per_step", "mpoints_per_s", "roofline_fraction"))
    return {"ms": [1e3 * step[key] for key in ("median", "low", "high")], "mpoints": rate["median"],
            "fraction": [fraction[key] for key in ("median", "low", "high")], "n": document["n"],
            "steps": document["steps_per_block"], "bytes": document["bytes_per_cell"],
            "stream": document["best_stream"], "stream_gbs": document["stream_gbs"]["median"],
            "tiles": document.get("gpu_tiles")}


def gpu_state(_=None):
    keys = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw,memory.used"
    try:
        line = subprocess.run(["nvidia-smi", "-i", "0", f"--query-gpu={keys}", "--format=csv,noheader"],
                              capture_output=True, text=True, check=True).stdout.strip()
        state = dict(zip(keys.split(","), [word.strip() for word in line.split(",")]))
    except (OSError, subprocess.CalledProcessError):
        state = {}
    state["date"] = f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC"
    return state


def test_result(text):
    found = re.findall(r"(?:All tests passed.*|test cases:.*|assertions:.*)", text)
    return "; ".join(found) if found else last_line(text)


def kernel_result(text):
    rows = {}
    for line in text.splitlines():
        match = re.match(r"\s+(velocity|pressure|step \(graph of 4\)|rate|roofline_fraction|copy)\s+([\d.]+) "
                         r"\[([\d.]+), ([\d.]+)\]", line)
        if match:
            rows[match.group(1)] = [float(match.group(i)) for i in (2, 3, 4)]
        if line.strip().startswith("tiles:"):
            rows["tiles"] = json.loads(line.split("tiles:", 1)[1])
    return rows


def memory_job(suite, grid):
    """Device memory that one part takes, by a sampler beside the run, less what was taken before."""
    name = f"memory {grid}"
    words = suite.options.only.split(",") if suite.options.only else []
    if name in suite.state["jobs"] or (words and not any(word in name for word in words)) or suite.left() < 30:
        return
    before = used_mib()
    if before is None:
        return
    command = [suite.program("halotune"), "run", "--grid", f"{grid}x{grid}x{grid}", "--set", "steps=512", "--devices",
               "0", "--json", "--db", str(suite.store)]
    begin, most = time.monotonic(), 0
    child = subprocess.Popen(command, env=suite.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while child.poll() is None and time.monotonic() - begin < 120:
        most = max(most, used_mib() or 0)
        time.sleep(0.2)
    child.kill()
    child.communicate()
    job = {"command": "halotune " + " ".join(command[1:-2]), "exit": child.returncode,
           "seconds": round(time.monotonic() - begin, 1)}
    if child.returncode == 0:
        job["result"] = {"gib": (most - before) / 1024, "before_mib": before}
    else:
        job["why"] = "the run failed"
    suite.state["jobs"][name] = job
    suite.state_file.write_text(json.dumps(suite.state, indent=1))
    suite.output.write_text(report(suite))
    print(f"[{time.monotonic() - suite.started:6.1f} s] {name}: {job.get('result') or job.get('why')}", flush=True)


def used_mib():
    try:
        return int(subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                                  capture_output=True, text=True, check=True).stdout.strip())
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


kernel_variants = {"float32 512": ["--n=512"], "float32 320": ["--n=320"], "float32 800": ["--n=800"],
                   "float64 512": ["--n=512", "--float64"], "float32 128": ["--n=128"],
                   "float32 512, no CPML": ["--n=512", "--layer=0"]}

four_parts = {"one part": None,
              "slab-z split peer_direct strided": ("slab-z", "--exchange", "split", "--transport", "peer_direct",
                                                   "--packing", "strided"),
              "slab-z s=1 peer_direct strided": ("slab-z", "--s", "1", "--transport", "peer_direct", "--packing",
                                                 "strided"),
              "slab-z split peer_copy strided": ("slab-z", "--exchange", "split", "--transport", "peer_copy",
                                                 "--packing", "strided"),
              "pencil-yz split peer_direct strided": ("pencil-yz", "--exchange", "split", "--transport", "peer_direct",
                                                      "--packing", "strided"),
              "slab-z s=1 peer_direct strided, overlap plain": ("slab-z", "--s", "1", "--transport", "peer_direct",
                                                                "--packing", "strided", "--overlap", "plain"),
              "pencil-yz s=1 peer_direct strided, overlap plain": ("pencil-yz", "--s", "1", "--transport",
                                                                   "peer_direct", "--packing", "strided", "--overlap",
                                                                   "plain")}

# The CFD paper's ladder on four parts: whole strided faces, packed along x, only the layers that each field needs,
# packed along every axis; then without the bounce through host memory.
ladder = {"baseline: host_staged, strided, uniform": ("host_staged", "strided", "uniform"),
          "V1: packed along x": ("host_staged", "x=packed,y=strided,z=strided", "uniform"),
          "V2: V1, minimal depths": ("host_staged", "x=packed,y=strided,z=strided", "minimal"),
          "V3: V2, packed along all axes": ("host_staged", "packed", "minimal"),
          "V3, peer_copy": ("peer_copy", "packed", "minimal"),
          "V3, peer_direct": ("peer_direct", "packed", "minimal"),
          "peer_direct, strided, minimal": ("peer_direct", "strided", "minimal")}


def s_flags(s):
    return ("--exchange", "split") if s == "split" else ("--s", str(s))


def measure(suite):
    suite.state.setdefault("before", gpu_state())
    for name, grid, problem in [("512", 512, ()), ("800", 800, ()), ("320", 320, ()),
                                ("512 float64", 512, ("--set", "precision=float64")), ("128", 128, ())]:
        suite.bench(f"one part {name}", grid, problem=problem)
    for grid in (512, 320):
        for name, plan in four_parts.items():
            if plan is None:
                continue
            suite.parts(f"four parts {grid} {name}", grid, *plan)
    for program, tests in [("test_solver", "~[.]*GPU*,[gpu]~[.]"), ("test_transport", "~[.]*GPU*,[gpu]~[.]"),
                           ("test_device", "~[.]*GPU*,[gpu]~[.]"), ("test_tuner", "[gpu]~[.]"),
                           ("test_probes", "[gpu]~[.]")]:
        if pathlib.Path(suite.program(program)).exists():
            suite.run(f"tests {program}", [suite.program(program), tests, "--allow-running-no-tests"], 150, test_result)
    for grid in (320, 544, 800):
        for boundary, faces in (("none", "rigid"), ("cpml", "cpml")):
            suite.bench(f"single {grid} {boundary}", grid, problem=("--set", f"faces={faces}"))
    for grid in (320, 544, 800):
        for transport in transports:
            for layout in layouts:
                suite.parts(f"layout {grid} {layout} {transport}", grid, layout, "--s", "1", "--transport", transport,
                            "--packing", "packed")
    for grid in (320, 544, 800):
        for s in ("split", 2, 4, 8):
            suite.parts(f"ghost {grid} {s}", grid, "pencil-yz", *s_flags(s), "--transport", "peer_copy", "--packing",
                        "packed")
    for name, (transport, packing, depths) in ladder.items():
        suite.parts(f"ladder {name}", 544, "pencil-yz", "--s", "1", "--transport", transport, "--packing", packing,
                    "--depths", depths)
    for s in (1, 2, 4):
        suite.parts(f"depths uniform {s}", 544, "pencil-yz", "--s", str(s), "--transport", "peer_copy", "--packing",
                    "packed", "--depths", "uniform")
    for grid in (800, 1024):
        memory_job(suite, grid)
    for name, flags in kernel_variants.items():
        suite.run(f"kernels {name}", [suite.program("bench_gpu_kernels"), *flags], 60, kernel_result)
    if suite.options.every > 0:
        suite.environment["HALOTUNE_EVERY_GPU_STRIDE"] = str(suite.options.every)
        suite.run(f"every Plan, one of {suite.options.every}", [suite.program("test_solver"), "[.every-gpu]"], 300,
                  test_result)
    for grid in (480, 640):
        for boundary, faces in (("none", "rigid"), ("cpml", "cpml")):
            suite.bench(f"single {grid} {boundary}", grid, problem=("--set", f"faces={faces}"))
        for transport in ("host_staged", "peer_copy"):
            suite.parts(f"layout {grid} pencil-yz {transport}", grid, "pencil-yz", "--s", "1", "--transport", transport,
                        "--packing", "packed")
        for s in ("split", 2, 4, 8):
            suite.parts(f"ghost {grid} {s}", grid, "pencil-yz", *s_flags(s), "--transport", "peer_copy", "--packing",
                        "packed")
    suite.state["after"] = gpu_state()


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def interval(values, digits=3):
    return f"{values[0]:.{digits}f} [{values[1]:.{digits}f}, {values[2]:.{digits}f}]"


def milliseconds(suite, name):
    result, job = suite.result(name), suite.state["jobs"].get(name)
    if result:
        return interval(result["ms"], 3 if result["ms"][0] >= 1 else 4)
    return "not run" if job is None else "refused" if "nccl" in name else "failed"


def seconds_of_paper(suite, name):
    result = suite.result(name)
    return f"{result['ms'][0] * paper_steps * 1e-3:.4f}" if result else "-"


def ratio(suite, name, base, invert=False):
    one, other = suite.result(name), suite.result(base)
    if not one or not other:
        return "-"
    value = one["ms"][0] / other["ms"][0]
    return f"{1 / value if invert else value:.3f}"


def own_rows(suite):
    rows = []
    for name in ("512", "800", "320", "512 float64", "128"):
        result = suite.result(f"one part {name}")
        if result:
            tiles = result["tiles"] or {}
            shape = ", ".join(f"{tiles[key]['cells_x']}x{tiles[key]['rows']}/{tiles[key]['planes']}"
                              for key in ("velocity", "pressure") if key in tiles)
            rows.append([name + "³" if " " not in name else name.replace(" ", "³ "),
                         milliseconds(suite, f"one part {name}"), f"{result['mpoints'] / 1e3:.1f}",
                         interval(result["fraction"]), f"{result['stream']} {result['stream_gbs']:.0f}",
                         f"{result['bytes']:.1f}", f"{shape} ({tiles.get('basis', '-')})",
                         f"{result['n']} x {result['steps']}"])
    return rows


def report(suite):
    before, after = suite.state.get("before", {}), suite.state.get("after", {})
    n = suite.options.blocks
    lines = [f"# GPU suite: {before.get('name', 'unknown GPU')}, {before.get('date', '')}", "",
             "Written by `tests/bench/gpu_suite.py`; do not edit.", "",
             f"Commit {suite.commit}, driver {before.get('driver_version', 'unknown')}. Before: SM {before.get('clocks.sm')}, "
             f"memory {before.get('clocks.mem')}, {before.get('temperature.gpu')} °C, {before.get('power.draw')}; after "
             f"({after.get('date', 'not yet')}): SM {after.get('clocks.sm')}, {after.get('temperature.gpu')} °C, "
             f"{after.get('power.draw')}.", "",
             f"Times are milliseconds per step: the median of n = {n} blocks of at least 0.25 s with the extremes, a process "
             "per row, order 8 float32 collocated, CPML of 20 cells on every face, minimal depths, overlap off unless a "
             "row says otherwise. Several parts share the one GPU. Tiles come from a search that is stored.", ""]
    lines += ["## One part", "", "`halotune run --grid N --bench --devices 0`", ""]
    lines += table(["grid", "ms per step", "Gcell/s", "roofline_fraction", "best stream GB/s", "bytes a cell",
                    "tiles v, p / planes", "n"], own_rows(suite))
    memory = [[f"{grid}³", f"{suite.result(f'memory {grid}')['gib']:.2f}"] for grid in (800, 1024)
              if suite.result(f"memory {grid}")]
    if memory:
        lines += ["Most device memory of `halotune run` (float32, one part; nvidia-smi every 0.2 s, less what was in use "
                  "before; the driver's context is part of it):", ""]
        lines += table(["grid", "GiB"], memory)
    lines += ["## Four parts on one GPU", ""]
    for grid in (512, 320):
        base = f"one part {grid}"
        lines += table([f"Plan, {grid}³", "ms per step", "against one part"],
                       [["one part", milliseconds(suite, base), "1"]] +
                       [[name, milliseconds(suite, f"four parts {grid} {name}"),
                         ratio(suite, f"four parts {grid} {name}", base)]
                        for name, plan in four_parts.items() if plan])
    lines += ["## The paper's tables", "",
              "Seconds for 64 steps; the paper's are from Quadro RTX 6000 cards, one (table 10) or four (12, 13), where "
              "here one GPU has all the parts: what compares is the shape, not the height.", "",
              "Table 10, one GPU", ""]
    lines += table(["grid", "paper none", "paper CPML", "paper CPML costs", "here none", "here CPML", "here CPML costs",
                    "here Mpoints/s with CPML"],
                   [[f"{grid}³", *paper_single[grid], f"{100 * (paper_single[grid][1] / paper_single[grid][0] - 1):.1f} %",
                     seconds_of_paper(suite, f"single {grid} none"), seconds_of_paper(suite, f"single {grid} cpml"),
                     cost(suite, f"single {grid} cpml", f"single {grid} none"),
                     rate(suite, f"single {grid} cpml")] for grid in paper_single])
    lines += ["Table 12, pencil-yz, peer_copy, packed; speed-up is T(s = 1) / T(s)", ""]
    rows = []
    for grid in paper_ghosts:
        base = f"layout {grid} pencil-yz peer_copy"
        for s in ("split", 1, 2, 4, 8):
            name = base if s == 1 else f"ghost {grid} {s}"
            printed = paper_ghosts[grid].get(s)
            rows.append([f"{grid}³", s, printed or "-", f"{paper_ghosts[grid][1] / printed:.3f}" if printed else "-",
                         seconds_of_paper(suite, name), ratio(suite, name, base, invert=True),
                         milliseconds(suite, name)])
    lines += table(["grid", "s", "paper", "paper speed-up", "here", "here speed-up", "ms per step"], rows)
    lines += ["Table 13, pencil-yz, s = 1, packed: host-staged against peer copies", ""]
    lines += table(["grid", "paper staged", "paper peer", "paper ratio", "here staged", "here peer", "here ratio"],
                   [[f"{grid}³", *paper_staged[grid], f"{paper_staged[grid][0] / paper_staged[grid][1]:.2f}",
                     seconds_of_paper(suite, f"layout {grid} pencil-yz host_staged"),
                     seconds_of_paper(suite, f"layout {grid} pencil-yz peer_copy"),
                     ratio(suite, f"layout {grid} pencil-yz host_staged", f"layout {grid} pencil-yz peer_copy")]
                    for grid in paper_staged])
    lines += ["## Layouts and transports", "", "s = 1, packed, ms per step", ""]
    lines += table(["grid", "layout", *transports],
                   [[f"{grid}³", layout, *[milliseconds(suite, f"layout {grid} {layout} {transport}")
                                           for transport in transports]] for grid in (320, 544, 800)
                    for layout in layouts])
    refused = suite.state["jobs"].get("layout 320 slab-z nccl", {}).get("why")
    if refused:
        lines += [f"nccl: {refused}", ""]
    lines += ["## Depths and packing, 544³ pencil-yz", ""]
    lines += table(["s", "uniform", "minimal", "uniform / minimal"],
                   [[s, milliseconds(suite, f"depths uniform {s}"), milliseconds(suite, minimal),
                     ratio(suite, f"depths uniform {s}", minimal)]
                    for s, minimal in ((1, "layout 544 pencil-yz peer_copy"), (2, "ghost 544 2"), (4, "ghost 544 4"))])
    base = "single 544 cpml"
    lines += table(["ladder (s = 1)", "ms per step", "one part / this"],
                   [["one part", milliseconds(suite, base), "1"]] +
                   [[name, milliseconds(suite, f"ladder {name}"), ratio(suite, base, f"ladder {name}")]
                    for name in ladder])
    lines += ["## Kernels alone", "", "`bench_gpu_kernels --n=N`, 4 steps in a graph, n = 15, 95 % intervals", ""]
    rows = []
    for name in kernel_variants:
        result = suite.result(f"kernels {name}")
        if result:
            rows.append([name + "³" if "," not in name else name.replace(",", "³,"), interval(result["velocity"]),
                         interval(result["pressure"]), interval(result["step (graph of 4)"], 4),
                         f"{result['rate'][0]:.1f}", interval(result["roofline_fraction"])])
    lines += table(["", "velocity ms", "pressure ms", "step ms", "Gcell/s", "roofline_fraction"], rows)
    lines += ["## Tests", ""]
    tests = [(name, job) for name, job in suite.state["jobs"].items() if name.startswith(("tests ", "every "))]
    lines += table(["what", "outcome", "s"], [[name.removeprefix("tests "), job.get("result") or job.get("why"),
                                              job["seconds"]] for name, job in tests])
    failed = [(name, job) for name, job in suite.state["jobs"].items() if "why" in job and "nccl" not in name]
    if failed:
        lines += ["## Failed", ""]
        lines += table(["what", "command", "why"], [[name, f"`{job['command']}`", job["why"]] for name, job in failed])
    total = sum(job["seconds"] for job in suite.state["jobs"].values())
    lines += [f"{len(suite.state['jobs'])} runs, {total:.0f} s in all.", ""]
    return "\n".join(lines)


def cost(suite, name, base):
    value = ratio(suite, name, base)
    return value if value == "-" else f"{100 * (float(value) - 1):.1f} %"


def rate(suite, name):
    result = suite.result(name)
    return f"{result['mpoints']:.0f}" if result else "-"


def pack(folder, build):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    there = [name for name in programs if (pathlib.Path(build) / programs[name]).exists()]
    for name in there:
        shutil.copy(pathlib.Path(build) / programs[name], folder / name)
    subprocess.run(["bash", here.parent.parent / "cmake/gather_libraries.sh", folder / "lib",
                    *[folder / name for name in there]], check=True)
    subprocess.run(["strip", "--strip-all", *[folder / name for name in there]], check=True)
    shutil.copy(__file__, folder / "gpu_suite.py")
    (folder / "commit").write_text(commit_of(here) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?")
    parser.add_argument("--build", default=str(here.parent.parent / "build/dev"))
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--every", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--pack")
    options = parser.parse_args()
    if options.pack:
        return pack(options.pack, options.build)
    if not options.output:
        parser.error("name the file to write")
    suite = Suite(options)
    measure(suite)
    suite.state_file.write_text(json.dumps(suite.state, indent=1))
    suite.output.write_text(report(suite))
    failed = [name for name, job in suite.state["jobs"].items() if "why" in job and "nccl" not in name]
    print(f"{len(suite.state['jobs'])} runs in {suite.output}, {len(failed)} failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
