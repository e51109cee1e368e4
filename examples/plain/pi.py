#!/usr/bin/env python3
"""Ranks that never talk to each other: each throws darts for pi and keeps its own file. Standard library only.

It knows RANK and WORLD_SIZE and nothing of Muster. Started again, each rank goes on from its file; the file holds the
random generator, so the darts are those of a run that was never stopped.
"""

import argparse
import json
import os
import random
import time

DARTS = 2_000


def read(path, rank):
    darts = random.Random(rank)
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    except FileNotFoundError:
        return 0, 0, darts
    version, internal, gauss = state["darts"]
    darts.setstate((version, tuple(internal), gauss))
    return state["step"], state["hits"], darts


def write(path, step, hits, darts):
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump({"step": step, "hits": hits, "darts": darts.getstate()}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--every", type=int, default=10, help="steps between two writings of the file")
    parser.add_argument("--folder", required=True, help="for the files, one a rank; the same one on all nodes")
    parser.add_argument("--step-seconds", type=float, default=0.05, help="a step takes at least this long")
    options = parser.parse_args()
    rank = int(os.environ.get("RANK", "0"))
    os.makedirs(options.folder, exist_ok=True)
    path = os.path.join(options.folder, f"rank-{rank}.json")
    step, hits, darts = read(path, rank)
    print(f"begins after step {step}", flush=True)
    while step < options.steps:
        began = time.monotonic()
        step += 1
        hits += sum(darts.random() ** 2 + darts.random() ** 2 < 1.0 for _ in range(DARTS))
        print(f"step {step} pi {4.0 * hits / (step * DARTS)!r}", flush=True)
        if step % options.every == 0 or step == options.steps:
            write(path, step, hits, darts)
        left = options.step_seconds - (time.monotonic() - began)
        if left > 0:
            time.sleep(left)


if __name__ == "__main__":
    main()
