#!/usr/bin/env python3
"""Starts this node's ranks of a program as torchrun does, from the same PET_* variables; standard library only.

    PET_NNODES=2 PET_NPROC_PER_NODE=2 PET_NODE_RANK=0 PET_MASTER_ADDR=… PET_MASTER_PORT=… launch.py train.py --steps 200

Each rank gets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK, MASTER_ADDR and MASTER_PORT. The first rank
that ends badly ends the others; its exit code (128 + N after signal N) is this program's.

Where torchrun works, use torchrun: it reads the same variables. Debian 12's does not work on its own Python 3.11.
"""

import os
import signal
import subprocess
import sys
import time

GRACE_SECONDS = 5.0


def environment(node, local_rank):
    nodes, per_node, node_rank = (int(node[f"PET_{name}"]) for name in ("NNODES", "NPROC_PER_NODE", "NODE_RANK"))
    return {
        **node,
        "RANK": str(node_rank * per_node + local_rank),
        "WORLD_SIZE": str(nodes * per_node),
        "LOCAL_RANK": str(local_rank),
        "LOCAL_WORLD_SIZE": str(per_node),
        "GROUP_RANK": str(node_rank),
        "MASTER_ADDR": node["PET_MASTER_ADDR"],
        "MASTER_PORT": node["PET_MASTER_PORT"],
    }


def end(ranks):
    for rank in ranks:
        rank.terminate()
    deadline = time.monotonic() + GRACE_SECONDS
    for rank in ranks:
        try:
            rank.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            rank.kill()
            rank.wait()


def told_to_stop(number, _):
    sys.exit(128 + number)


def main(program):
    signal.signal(signal.SIGTERM, told_to_stop)
    signal.signal(signal.SIGINT, told_to_stop)
    ranks = []
    try:
        for local_rank in range(int(os.environ["PET_NPROC_PER_NODE"])):
            ranks.append(subprocess.Popen([sys.executable, *program], env=environment(dict(os.environ), local_rank)))
        while True:
            codes = [rank.poll() for rank in ranks]
            bad = [code for code in codes if code]
            if bad:
                return bad[0] if bad[0] > 0 else 128 - bad[0]
            if None not in codes:
                return 0
            time.sleep(0.1)
    finally:
        end(ranks)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: launch.py PROGRAM [ARGUMENT…], with PET_* in the environment")
    sys.exit(main(sys.argv[1:]))
