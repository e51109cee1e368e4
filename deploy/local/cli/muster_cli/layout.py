"""Where things are and which ports they have; the same as io.muster.local.Layout."""

import json
import os
import pathlib

from muster_cli.failure import Failure

ROOT = pathlib.Path(__file__).resolve().parents[4]
PORTS = {
    "gateway": 8080,
    "job": 8081,
    "quota": 8082,
    "scheduler": 8083,
    "health": 8084,
    "checkpoint": 8085,
    "gateway-management": 8090,
    "postgresql": 15432,
    "kafka": 19092,
    "kafka-controller": 19093,
}
MAX_NODES_PER_RACK = 250
AGENT_ADDRESS = "127.1.1.1"
AGENT_PORT = 7070


class Home:
    """The folder of one local system (default .muster)."""

    def __init__(self, folder=None):
        self.path = pathlib.Path(folder or os.environ.get("MUSTER_HOME") or ROOT / ".muster").absolute()

    @property
    def system_file(self):
        return self.path / "system.json"

    @property
    def log_folder(self):
        return self.path / "log"

    @property
    def system_log(self):
        return self.log_folder / "system.log"

    @property
    def progress_file(self):
        return self.log_folder / "progress.jsonl"

    def killed_mark(self, node):
        """There while a node is dead because `node kill` killed it."""
        return self.path / "killed" / f"{node}.json"

    def secret(self, name):
        return self.path / "secrets" / name

    def recorded(self):
        """The last system of this folder as it wrote itself down, running or not; None if there is none."""
        try:
            return json.loads(self.system_file.read_text())
        except (FileNotFoundError, ValueError):
            return None

    def running(self):
        """What `up` wrote about the system that runs from this folder, or None if none does."""
        system = self.recorded()
        return system if system and is_alive(system) else None

    def require_running(self):
        system = self.running()
        if system is None:
            raise Failure(f"no system runs from {self.path}; start one with: ./muster up --detach")
        return system


def is_alive(part):
    """Whether this very process still runs; a pid that another process has got since does not count."""
    started = process_started_at(part.get("pid", 0))
    return started is not None and started == part.get("startTicks")


def process_started_at(pid):
    """Clock ticks since boot at which a process started (field 22 of its stat); None if there is no such process."""
    try:
        stat = pathlib.Path(f"/proc/{int(pid)}/stat").read_text()
    except (OSError, ValueError):
        return None
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] == "Z" else int(fields[19])

