"""The losses of the example: as its log tells them, and as a run without Muster computes them."""

import os
import re
import socket
import subprocess
import sys

from muster_cli.failure import Failure
from muster_cli.layout import ROOT

EXAMPLE = ROOT / "examples" / "ngram" / "train.py"
CLIENT = ROOT / "clients" / "python"
RUN_SECONDS = 900
STEP = re.compile(r"^step (\d+) loss (\S+)$")
STALL = re.compile(r"^checkpoint after step (\d+) stalled (\S+) s$")


def read(lines):
    """{step: loss} in the order of the log; a loss is the text that was printed, which names its double exactly."""
    found = (STEP.match(line.strip()) for line in lines)
    return {int(match.group(1)): match.group(2) for match in found if match}


def read_stalls(lines):
    """Seconds that each save kept the training loop."""
    found = (STALL.match(line.strip()) for line in lines)
    return [float(match.group(2)) for match in found if match]


def undisturbed(world_size, steps):
    """Runs the same trainer with the same seeds and no Muster around it, as fast as it goes."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(EXAMPLE), "--steps", str(steps), "--step-seconds", "0"]
    ranks = []
    try:
        for rank in range(world_size):
            environment = {
                "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                "PYTHONPATH": str(CLIENT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "RANK": str(rank),
                "WORLD_SIZE": str(world_size),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
            }
            output = subprocess.PIPE if rank == 0 else subprocess.DEVNULL
            ranks.append(subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True))
        text, _ = ranks[0].communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"the undisturbed run of {EXAMPLE} has not ended after {RUN_SECONDS} s") from late
    finally:
        for rank in ranks:
            if rank.poll() is None and rank is not ranks[0]:
                try:
                    rank.wait(10)
                except subprocess.TimeoutExpired:
                    pass
            rank.kill()
            rank.wait()
    found = read(text.splitlines())
    if len(found) != steps:
        last = text.strip().splitlines()[-1:] or ["it printed nothing"]
        raise Failure(f"the undisturbed run of {EXAMPLE} printed {len(found)} of {steps} losses; its last line: {last[0]}")
    return found
