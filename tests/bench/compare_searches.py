#!/usr/bin/env python3
"""Guided against exhaustive search on one problem, in one store per search so that nothing is carried over.

    compare_searches.py HALOTUNE [REPEATS [GUIDED-BUDGET]] [--keep FOLDER] -- TUNE-ARGUMENTS...

The arguments may name GPUs (--devices 0,0,0,0); what tune needs measured is measured once, before the first search, by
`tune --dry-run`. --keep leaves every answer of tune in FOLDER. Prints a table: each guided repeat's answer, whether it lies in the exhaustive tie set, what the exhaustive search
measured for it against its best, and the ratio of the search times. A benchmark: it asserts nothing.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def tune(program, arguments, folder, name, probe_from=None, keep=None):
    store = os.path.join(folder, name + ".db")
    if probe_from:
        shutil.copy(probe_from, store)
    command = [program, "tune", *arguments, "--db", store, "--json"]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if keep:
        with open(os.path.join(keep, name + ".json"), "w") as file:
            file.write(answer.stdout)
    return json.loads(answer.stdout)


def take_option(words, name):
    """The value behind `name` in `words`, which loses both; None without it."""
    if name not in words:
        return None
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    return value


def key(plan):
    return json.dumps(plan, sort_keys=True)


def short(plan):
    parts = "x".join(str(n) for n in plan["parts"])
    return (f'{parts} s={plan["steps_per_exchange"]} {plan["exchange"]} {plan["transport"]} '
            f'{plan["packing"] if isinstance(plan["packing"], str) else "mixed"} {plan["overlap"]}')


def main():
    split = sys.argv.index("--")
    own, arguments = sys.argv[1:split], sys.argv[split + 1:]
    keep = take_option(own, "--keep")
    if keep:
        os.makedirs(keep, exist_ok=True)
    program = own[0]
    repeats = int(own[1]) if len(own) > 1 else 10
    budget = own[2] if len(own) > 2 else "60"
    with tempfile.TemporaryDirectory() as folder:
        probed = os.path.join(folder, "probed.db")
        subprocess.run([program, "tune", *arguments, "--dry-run", "--db", probed, "--json"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

        def guided_once(i):
            return tune(program, [*arguments, "--budget", budget, "--seed", str(1 + i)], folder, f"guided{i}", probed, keep)

        guided = [guided_once(i) for i in range(repeats // 2)]
        exhaustive = tune(program, [*arguments, "--search", "exhaustive"], folder, "exhaustive", probed, keep)
        guided += [guided_once(i) for i in range(repeats // 2, repeats)]
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
