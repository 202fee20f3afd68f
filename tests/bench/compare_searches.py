#!/usr/bin/env python3
"""Guided against exhaustive search on one problem, in one store per search so that nothing is carried over.

    compare_searches.py HALOTUNE [REPEATS [GUIDED-BUDGET]] -- TUNE-ARGUMENTS...

Prints a table: each guided repeat's answer, whether it lies in the exhaustive tie set, what the exhaustive search
measured for it against its best, and the ratio of the search times. A benchmark: it asserts nothing.
"""
import json
import os
import subprocess
import sys
import tempfile


def tune(program, arguments, folder, name, probe_from=None):
    store = os.path.join(folder, name + ".db")
    if probe_from:
        subprocess.run(["cp", probe_from, store], check=True)
    command = [program, "tune", *arguments, "--db", store, "--json"]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(answer.stdout)


def key(plan):
    return json.dumps(plan, sort_keys=True)


def short(plan):
    parts = "x".join(str(n) for n in plan["parts"])
    return (f'{parts} s={plan["steps_per_exchange"]} {plan["exchange"]} {plan["transport"]} '
            f'{plan["packing"] if isinstance(plan["packing"], str) else "mixed"} {plan["overlap"]}')


def main():
    split = sys.argv.index("--")
    program = sys.argv[1]
    repeats = int(sys.argv[2]) if split > 2 else 10
    budget = sys.argv[3] if split > 3 else "60"
    arguments = sys.argv[split + 1:]
    with tempfile.TemporaryDirectory() as folder:
        probed = os.path.join(folder, "probed.db")
        devices = [v for f, v in zip(arguments, arguments[1:]) if f == "--devices"]
        subprocess.run([program, "probe", "--db", probed, "--json"] + (["--devices", devices[0]] if devices else []),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        guided = [tune(program, [*arguments, "--budget", budget, "--seed", str(1 + i)], folder, f"guided{i}", probed)
                  for i in range(repeats // 2)]
        exhaustive = tune(program, [*arguments, "--search", "exhaustive"], folder, "exhaustive", probed)
        guided += [tune(program, [*arguments, "--budget", budget, "--seed", str(1 + i)], folder, f"guided{i}", probed)
                   for i in range(repeats // 2, repeats)]
    median = {key(t["plan"]): t["median_s"] for t in exhaustive["trials"] if t["median_s"]}
    ties = {key(p) for p in exhaustive["recommendation"]["tie_set"]}
    best_s = min(median.values())
    seconds = exhaustive["search"]["seconds"]
    print(f'exhaustive: {exhaustive["search"]["tried"]} Plans in {seconds:.1f} s, tie set {len(ties)}, '
          f'best {short(exhaustive["recommendation"]["plan"])}')
    answers = set()
    for i, answer in enumerate(guided):
        plan = answer["recommendation"]["plan"]
        answers.add(key(plan))
        loss = median.get(key(plan))
        print(f'guided {i + 1:2}: {answer["search"]["tried"]:3} Plans, {answer["search"]["seconds"]:6.1f} s '
              f'({100 * answer["search"]["seconds"] / seconds:5.1f} %), in the tie set: {"yes" if key(plan) in ties else "NO "}, '
              f'{"not timed" if loss is None else f"{100 * (loss / best_s - 1):+5.1f} %"} by exhaustive medians: {short(plan)}')
    print(f'{len(answers)} different answers; all inside the exhaustive tie set: {answers <= ties}')


main()
